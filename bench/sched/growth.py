#!/usr/bin/env python3
"""Solve time over synthetic loops of growing size and interval: bench/results/sched_growth.json and .svg.

A loop of n operations: layered dependences, three units, two compute groups and a load group, accumulators, transfers
and blocking waits; the durations are scaled so that the tensor unit is busy `ii` cycles. Seconds are the process's
own processor seconds; the limit is one of the clock, so no more --jobs than free cores. The table in
docs/SchedulingResults.md is written again by run.py. It needs python3 and heddle-sched, which needs libstdc++.
usage: growth.py BIN_DIR [--time-limit=10] [--jobs=1]
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZES = [10, 20, 40, 80, 120, 200]
INTERVALS = [10, 30, 100, 300, 1000, 3000]


def loop(n, ii, seed):
    rnd = random.Random(f"{n} {ii} {seed}")
    unit = [rnd.choice(["TC", "SFU", "ALU", "ALU"]) for _ in range(n)]
    weight = [rnd.randint(1, 10) for _ in range(n)]
    busy = sum(w for u, w in zip(unit, weight) if u == "TC") or 1
    length = [
        max(1, round(w * ii / busy)) if u == "TC" else max(1, round(w * ii / busy / 2)) for u, w in zip(unit, weight)
    ]
    for name in ("SFU", "ALU"):  # the others stay below the tensor unit
        total = sum(l for u, l in zip(unit, length) if u == name)
        if total > 0.8 * ii:
            length = [max(0, int(l * 0.8 * ii / total)) if u == name else l for u, l in zip(unit, length)]
    out = [
        f"problem growth_{n}_{ii}",
        "unit TC 1",
        "unit SFU 1",
        "unit ALU 1",
        "group load warps=1 variable",
        "group c0 regs=240",
        "group c1 regs=240",
        "node load latency=0 variable",
    ]
    for v in range(n):
        out.append(
            f"node n{v} latency={length[v]}{' async' if unit[v] == 'TC' else ''} warps=4 regs={rnd.choice([1, 4, 16])} "
            f"use={unit[v]}:0:{length[v]}"
        )
    for v in range(n):
        if v < 4:
            out.append(f"edge load -> n{v}")
        for u in sorted(rnd.sample(range(max(0, v - 8), v), min(v, rnd.randint(1, 2)))):
            blocking = " blocking" if unit[u] == "TC" and unit[v] != "TC" and rnd.random() < 0.3 else ""
            out.append(f"edge n{u} -> n{v} delay={length[u]} transfer={max(1, ii // 10)}{blocking}")
        if rnd.random() < 0.1:
            out.append(f"edge n{v} -> n{v} delay={length[v]} distance=1")
    return "\n".join(out) + "\n"


def solve(tools, limit, n, ii):
    with tempfile.NamedTemporaryFile("w", suffix=".sched") as f:
        f.write(loop(n, ii, 1))
        f.flush()
        command = [os.path.join(tools, "heddle-sched"), "solve", f.name, "--json", "--no-lexicographic"]
        command.append(f"--time-limit={limit}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    row = json.loads(done.stdout) if done.stdout else {"status": done.stderr.strip()}
    row["seconds"] = row.get("cpu_seconds")
    kept = ("status", "ii", "mii", "bound", "stages", "seconds", "variables", "clauses")
    return {"n": n, "interval": ii, **{k: row.get(k) for k in kept}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        sizes = [(n, ii) for n in SIZES for ii in INTERVALS]
        for row in pool.map(lambda size: solve(args.tools, args.time_limit, *size), sizes):
            rows.append(row)
            print(row["n"], row["interval"], row["status"], row["ii"], row["bound"], row["seconds"], flush=True)
    base = os.path.join(ROOT, "bench", "results", "sched_growth")
    with open(base + ".json", "w") as f:
        json.dump({"time_limit": args.time_limit, "rows": rows}, f, indent=1)
        f.write("\n")
    colours = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#9c755f"]
    x = lambda ii: 70 + 160 * (math.log10(ii) - 1)
    y = lambda s: 320 - 70 * (math.log10(max(s, 0.003)) + 2.5)
    svg = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="380" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="#fff"/>'
        '<text x="70" y="20" font-weight="bold">solve time (s) over the interval, by number of operations; '
        "hollow: limit reached</text>",
    ]
    for s in (0.01, 0.1, 1, 10, 100):
        svg.append(
            f'<line x1="70" x2="500" y1="{y(s):.1f}" y2="{y(s):.1f}" stroke="#ddd"/>'
            f'<text x="60" y="{y(s) + 4:.1f}" text-anchor="end">{s}</text>'
        )
    for ii in INTERVALS:
        svg.append(f'<text x="{x(ii):.1f}" y="360" text-anchor="middle">{ii}</text>')
    for k, n in enumerate(SIZES):
        points = [
            (x(r["interval"]), y(r["seconds"]), r["status"]) for r in rows if r["n"] == n and r["seconds"] is not None
        ]
        svg.append(
            f'<polyline fill="none" stroke="{colours[k]}" points="'
            + " ".join(f"{a:.1f},{b:.1f}" for a, b, _ in points)
            + '"/>'
        )
        for a, b, status in points:
            svg.append(
                f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" stroke="{colours[k]}" '
                f'fill="{colours[k] if status == "optimal" else "#fff"}"/>'
            )
        svg.append(f'<text x="520" y="{60 + 18 * k}" fill="{colours[k]}">{n} operations</text>')
    with open(base + ".svg", "w") as f:
        f.write("\n".join(svg) + "\n</svg>\n")


if __name__ == "__main__":
    main()
