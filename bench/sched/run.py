#!/usr/bin/env python3
"""Solves every instance of this directory, checks the certificates, and writes bench/results/sched.json and
docs/SchedulingResults.md.

usage: run.py BIN_DIR [--time-limit=60] [NAME...]    with names: these alone, the other rows stay as they are
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def measured(command):
    """Runs a command: exit status, output, errors, and the processor seconds and peak memory (MB) of this process
    alone."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read(), err.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def solve(tools, path, normalise, limit, extra=()):
    directory = tempfile.mkdtemp()
    command = [
        os.path.join(tools, "heddle-sched"),
        "solve",
        path,
        "--mode=full",
        "--json",
        f"--certificate={directory}/c",
        f"--time-limit={limit}",
        *extra,
    ]
    if normalise:
        command.append(f"--normalise={normalise}")
    status, out, err, _, memory = measured(command)
    if not out:
        shutil.rmtree(directory)
        if status != 3:
            return {"status": err.strip()}
        status, out, err, _, memory = measured([c for c in command if not c.startswith("--certificate")])
        row = json.loads(out)
        row["status"] += ", certificate limit" if row["status"] == "optimal" else ""
        return {**row, "memory_mb": memory}
    row = json.loads(out)
    row["memory_mb"] = memory
    if row["status"] == "optimal":
        checker = [os.path.join(tools, "heddle-check")] + (["--normalised"] if normalise else [])
        status, _, err, seconds, _ = measured([*checker, path, f"{directory}/c"])
        row["accepted"] = status == (2 if normalise else 0)
        row["check_seconds"] = seconds
        if not row["accepted"]:
            print(err, file=sys.stderr)
    shutil.rmtree(directory)
    return row


# Instances whose optimum lies above every arithmetic bound, so that proofs are written: a stored instance without some
# of its groups.
VARIANTS = [("attention_whole_b200", [], 40), ("attention_whole_b200", [], 60)]


def variant(text, dropped):
    return "".join(
        line for line in text.splitlines(True) if line.split()[:1] != ["group"] or line.split()[1] not in dropped
    )


def proved(r):
    return f"{r.get('proof_cpu_seconds', 0):.2f}" if r["status"].startswith("optimal") else ""


def seconds(key, r):
    return f"{r[key]:.2f}" if key in r else ""


def table(rows):
    out = [
        "| instance | U | status | ii (bound) | stages | proved s | total s "
        "| goals not proved | variables | clauses | MB | proofs | proof bytes | check s | binding |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        c = r.get("certificate", {})
        rejected = "" if r.get("accepted", True) else ", REJECTED"
        unproved = ", ".join(k for k, v in r.get("goals_proved", {}).items() if not v)
        gap = f"{r.get('ii') or 'none'} ({r['bound']})" if r.get("bound") else ""
        stages = f"{r.get('stages') or '-'} of {r['max_stages']}" if r.get("max_stages") else ""
        out.append(
            f"| {r['instance']} | {r['u'] or 'real cycles'} | {r['status']}{rejected} | {gap} | "
            f"{stages} | {proved(r)} | {seconds('cpu_seconds', r)} | "
            f"{unproved} | {r.get('variables', '')} | {r.get('clauses', '')} | "
            f"{r.get('memory_mb', '')} | {c.get('proofs', '')} | {c.get('proof_bytes', '')} | "
            f"{seconds('check_seconds', r)} | {r.get('binding', '')} |"
        )
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
    for name, dropped, u in VARIANTS:
        if names and name not in names:
            continue
        with open(os.path.join(HERE, name + ".sched")) as f:
            text = variant(f.read(), dropped)
        with tempfile.NamedTemporaryFile("w", suffix=".sched") as f:
            f.write(text)
            f.flush()
            label = name + "".join(f", without {g}" for g in dropped)
            row = {"instance": label, "u": u, **solve(tools, f.name, u, limit)}
        rows.append(row)
        print(label, u, row["status"], row.get("ii"), row.get("cpu_seconds"), row.get("accepted"), flush=True)
    path = os.path.join(ROOT, "bench", "results", "sched.json")
    if names and os.path.exists(path):
        with open(path) as f:
            before = json.load(f)
        limit = max(limit, before["time_limit"])
        solved = {(r["instance"], r["u"]): r for r in rows}
        rows = [solved.pop((r["instance"], r["u"]), r) for r in before["rows"]] + list(solved.values())
    info = {
        "machine": platform.processor() or platform.machine(),
        "load": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d"),
        "time_limit": limit,
        "rows": rows,
    }
    os.makedirs(os.path.join(ROOT, "bench", "results"), exist_ok=True)
    with open(path, "w") as f:
        json.dump(info, f, indent=1)
        f.write("\n")
    write(info)


def write(info):
    path = os.path.join(ROOT, "docs", "SchedulingResults.md")
    growth = ""  # written by hand from growth.py's results: kept
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
        growth = "\n" + text[text.index("## Growth") :] if "## Growth" in text else ""
    with open(path, "w") as f:
        written = textwrap.fill(
            f"Written by `bench/sched/run.py` on {info['date']}; one core of a shared 2-core machine, load "
            f"{info['load']:.1f} at the end, time limit at most {info['time_limit']:g} s on the clock. "
            "Seconds are the process's own processor seconds. *Proved s*: until the interval was proved least; "
            "*total s*: with the lexicographic goals, of which those that ran out of their conflicts are named (the "
            "best found stays). `limit reached` rows state the best interval and the bound proved; `certificate "
            "limit`: refuted by the search, and out of time while the proofs of a certificate were written. MB is the "
            "peak of the process.",
            width=120,
        )
        f.write(
            f"# Scheduling results\n\n{written}\n\n"
            + table(info["rows"])
            + "\n"
            + growth
        )


if __name__ == "__main__":
    main()
