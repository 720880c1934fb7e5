#!/usr/bin/env python3
"""Solves every instance of this directory, checks the certificates, and writes bench/results/sched.json and docs/SchedulingResults.md.

usage: run.py BIN_DIR [--time-limit=60] [NAME...]
"""
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def solve(tools, path, normalise, limit):
    directory = tempfile.mkdtemp()
    command = [os.path.join(tools, "heddle-sched"), "solve", path, "--mode=full", "--json", f"--certificate={directory}/c",
               f"--time-limit={limit}"]
    if normalise:
        command.append(f"--normalise={normalise}")
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        return {"status": "certificate limit" if done.returncode == 2 else done.stderr.strip()}
    row = json.loads(done.stdout)
    row["memory_mb"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if row["status"] == "optimal":
        start = time.time()
        check = subprocess.run([os.path.join(tools, "heddle-check"), path, f"{directory}/c"], capture_output=True, text=True)
        row["accepted"] = check.returncode == 0
        row["check_seconds"] = time.time() - start
        if check.returncode:
            print(check.stderr, file=sys.stderr)
    shutil.rmtree(directory)
    return row


def table(rows):
    out = ["| instance | U | status | ii (bound) | stages | proved s | total s | variables | clauses | MB | proofs | proof bytes | check s | binding |",
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        c = r.get("certificate", {})
        gap = f"{r.get('ii')} ({r.get('bound')})"
        out.append(f"| {r['instance']} | {r['u'] or 'real cycles'} | {r['status']}{'' if r.get('accepted', True) else ', REJECTED'} | {gap} | "
                   f"{r.get('stages')} of {r.get('max_stages')} | {r.get('proof_seconds', 0):.2f} | {r.get('seconds', 0):.2f} | {r.get('variables')} | {r.get('clauses')} | "
                   f"{r.get('memory_mb', '')} | {c.get('proofs', '')} | {c.get('proof_bytes', '')} | "
                   f"{r.get('check_seconds', 0):.2f} | {r.get('binding', '')} |")
    return "\n".join(out)


def main():
    tools, limit, names = sys.argv[1], 60, []
    for arg in sys.argv[2:]:
        if arg.startswith("--time-limit="):
            limit = float(arg.split("=")[1])
        else:
            names.append(arg)
    rows = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".sched") or (names and name[:-6] not in names):
            continue
        for u in (300, 0):
            row = {"instance": name[:-6], "u": u, **solve(tools, os.path.join(HERE, name), u, limit)}
            rows.append(row)
            print(name, u, row["status"], row.get("ii"), row.get("seconds"), row.get("accepted"), flush=True)
    info = {"machine": platform.processor() or platform.machine(), "load": os.getloadavg()[0], "date": time.strftime("%Y-%m-%d"),
            "rows": rows}
    os.makedirs(os.path.join(ROOT, "bench", "results"), exist_ok=True)
    with open(os.path.join(ROOT, "bench", "results", "sched.json"), "w") as f:
        json.dump(info, f, indent=1)
        f.write("\n")
    write(info)


def write(info):
    path = os.path.join(ROOT, "docs", "SchedulingResults.md")
    growth = ""  # written by hand from growth.py's results: kept
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
        growth = "\n" + text[text.index("## Growth"):] if "## Growth" in text else ""
    with open(path, "w") as f:
        f.write("# Scheduling results\n\nWritten by `bench/sched/run.py` on " + info["date"] + f"; one core of a shared 2-core machine, load {info['load']:.1f} at "
                "the end, which doubles or trebles the seconds. *Proved s*: until the interval was proved least; *total s*: with the lexicographic goals. `limit reached` rows state the best interval and the bound proved. MB is the "
                "largest of the rows so far.\n\n" + table(info["rows"]) + "\n" + growth)


if __name__ == "__main__":
    main()
