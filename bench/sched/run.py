#!/usr/bin/env python3
"""Solves every instance of this directory, checks the certificates, and writes bench/results/sched.json and
docs/SchedulingResults.md, with the table of growth.py's results. It needs python3, heddle-sched and heddle-check, which
need libstdc++.

usage: run.py BIN_DIR [--time-limit=60] [--jobs=1] [NAME...]    with names: these alone, the other rows stay
"""

import argparse
import concurrent.futures
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


PROSE = "## Against the bars"


def growth():
    """What growth.py measured, as a table: sizes down, intervals across."""
    path = os.path.join(ROOT, "bench", "results", "sched_growth.json")
    if not os.path.exists(path):
        return ""
    with open(path) as f:
        results = json.load(f)
    cells = {}
    for r in results["rows"]:
        if r["status"] == "optimal":
            cells[r["n"], r["interval"]] = f"{r['seconds']:.2f}"
        elif r.get("ii"):
            cells[r["n"], r["interval"]] = f"gap {100 * (r['ii'] - r['bound']) / r['bound']:.1f} %"
        else:
            cells[r["n"], r["interval"]] = r["status"]
    intervals = sorted({ii for _, ii in cells})
    lines = [
        "| operations | " + " | ".join(f"ii {ii}" for ii in intervals) + " |",
        "|---" * (len(intervals) + 1) + "|",
        *(
            f"| {n} | " + " | ".join(cells.get((n, ii), "") for ii in intervals) + " |"
            for n in sorted({n for n, _ in cells})
        ),
    ]
    about = textwrap.fill(
        "`bench/sched/growth.py`, synthetic loops with two free compute groups, time limit "
        f"{results['time_limit']:g} s (picture: `bench/results/sched_growth.svg`). Processor seconds where every "
        "smaller interval was refuted, by orders or by slots, without a certificate; otherwise the gap of the best "
        "schedule found over the bound.",
        width=120,
    )
    return f"\n## Growth\n\n{about}\n\n" + "\n".join(lines) + "\n"


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


def instances(names):
    """Of each row: its name, U, and the text of the problem."""
    for name in sorted(os.listdir(HERE)):
        if name.endswith(".sched") and (not names or name[:-6] in names):
            with open(os.path.join(HERE, name)) as f:
                text = f.read()
            for u in (300, 0):
                yield name[:-6], u, text
    for name, dropped, u in VARIANTS:
        if not names or name in names:
            with open(os.path.join(HERE, name + ".sched")) as f:
                yield name + "".join(f", without {g}" for g in dropped), u, variant(f.read(), dropped)


def row_of(tools, limit, instance):
    name, u, text = instance
    with tempfile.NamedTemporaryFile("w", suffix=".sched") as f:
        f.write(text)
        f.flush()
        row = {"instance": name, "u": u, **solve(tools, f.name, u, limit)}
    print(name, u, row["status"], row.get("ii"), row.get("cpu_seconds"), row.get("accepted"), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_intermixed_args()
    names, limit = args.names, args.time_limit
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        rows = list(pool.map(lambda instance: row_of(args.tools, limit, instance), instances(names)))
    path = os.path.join(ROOT, "bench", "results", "sched.json")
    if names and os.path.exists(path):
        with open(path) as f:
            before = json.load(f)
        limit = max(limit, before["time_limit"])
        solved = {(r["instance"], r["u"]): r for r in rows}
        rows = [solved.pop((r["instance"], r["u"]), r) for r in before["rows"]] + list(solved.values())
    info = {
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "jobs": args.jobs,
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
    prose = ""  # what is written by hand behind the tables is kept
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
        prose = "\n" + text[text.index(PROSE) :] if PROSE in text else ""
    with open(path, "w") as f:
        written = textwrap.fill(
            f"Written by `bench/sched/run.py` on {info['date']}; a machine of {info['cores']} cores, "
            f"--jobs={info['jobs']}, load {info['load']:.1f} at the end, time limit at most "
            f"{info['time_limit']:g} s on the clock. "
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
            + growth()
            + prose
        )


if __name__ == "__main__":
    main()
