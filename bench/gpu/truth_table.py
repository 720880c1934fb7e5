#!/usr/bin/env python3
"""Measured cycles an iteration beside those that the simulator predicts: docs/Truth.md.

    python3 bench/gpu/truth_table.py RESULTS LOCAL [--heddle-opt build/bin/heddle-opt] [--out docs/Truth.md] [--jobs 1]

RESULTS is what time_truth.py wrote, LOCAL the folder OUT.local of stage_truth.py. The prediction is the difference of
two lengths over that of their iterations, as the measurement is; one block is simulated. Needs no GPU.
"""

import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rank_candidates import correlation  # noqa: E402

TRIPS = (8, 24)  # of the loop, simulated


def step_of(name):
    """Elements of the contraction, keys or queries of an iteration."""
    return {"14": 128, "24": 128, "19": 64}.get(name[:2], 128 if "attention" in name else 64)


def tile_of(name):
    rows = {"13": 64, "17": 192, "16": 192}.get(name[:2], 128)
    return rows, 128 if name[:2] in ("05", "06", "07", "09", "13", "14", "17", "22", "23", "26") else 256


def solved(runs):
    """Cycles of an iteration where block i of n runs i + 1 of them: what fits a n (n + 1) / 2 + b n + c."""
    (n1, t1), (n2, t2), (n3, t3) = ((run["length"] // 128, run["cycles"]) for run in runs)
    slopes = (t2 - t1) / (n2 - n1), (t3 - t2) / (n3 - n2)
    return 2 * (slopes[1] - slopes[0]) / (n3 - n1)


def measured(entry):
    """Cycles an iteration, with all multiprocessors at work."""
    runs = [run for run in entry["runs"] if not run["alone"]]
    if "causal" in entry["example"]:
        return solved(runs)
    first, last = runs[0], runs[-1]
    trips = (last["length"] - first["length"]) / step_of(entry["example"])
    # 26 has two programs a tile with half of the contraction each
    return (last["cycles"] - first["cycles"]) / (last["rounds"] * trips)


def sizes(name, trips):
    length, (bm, bn) = trips * step_of(name), tile_of(name)
    if "backward" in name:
        return f"B=1,H=1,S={length}" + ("" if "causal" in name else ",T=128")
    if "attention" in name:
        return f"B=1,H=1,S={length}" if "causal" in name else f"B=1,H=1,S={bm},T={length}"
    rest = {"25": f"G=1,T={bm}", "09": f"Z=1,M={bm}"}.get(name[:2], f"M={bm}")
    return f"{rest},N={bn},K={length * (2 if name[:2] == '26' else 1)}"


def predicted(args, kernel, example):
    cycles = []
    for trips in TRIPS:
        run = subprocess.run(
            [
                args.heddle_opt,
                f"--heddle-simulate-warp=dims={sizes(example, trips)}",
                os.path.join(args.local, kernel, "warp.mlir"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        found = re.search(r"ctas, (\d+) cycles", run.stderr)
        if not found:
            return None
        cycles.append(int(found.group(1)))
    return (cycles[1] - cycles[0]) / (TRIPS[1] - TRIPS[0])


def table(entries, environment):
    shipped = [e for e in entries if not e["options"]]
    near = sum(abs(e["predicted"] / e["measured"] - 1) <= 0.05 for e in shipped if e["predicted"])
    lines = [
        f"Measured on an {environment['gpu']}; {near} of {len(shipped)} predictions are within 5 %.",
        "",
        "| example | interval | measured | predicted | error, % |",
        "|---|---|---|---|---|",
    ]
    for e in shipped:
        interval = ", ".join(str(i) for i in e["intervals"])
        told = f"{e['predicted']:.0f} | {100 * (e['predicted'] / e['measured'] - 1):+.1f}" if e["predicted"] else " | "
        lines.append(f"| {e['kernel']} | {interval} | {e['measured']:.0f} | {told} |")
    lines += [
        "",
        "| random schedules of | number | measured, least to most | rank correlation | predicted over measured |",
        "|---|---|---|---|---|",
    ]
    drawn = [e for e in entries if e["options"] and e["predicted"]]
    for example in sorted({e["example"] for e in drawn}):
        of = [e for e in drawn if e["example"] == example]
        a, b = [e["predicted"] for e in of], [e["measured"] for e in of]
        lines.append(
            f"| {example} | {len(of)} | {min(b):.0f} to {max(b):.0f} | {correlation(a, b):.2f} | "
            f"{statistics.median(x / y for x, y in zip(a, b)):.2f} |"
        )
    a, b = [e["predicted"] for e in drawn], [e["measured"] for e in drawn]
    if drawn:
        lines.append(f"| all together | {len(drawn)} | | {correlation(a, b):.2f} | |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("local")
    parser.add_argument("--heddle-opt", default="build/bin/heddle-opt")
    parser.add_argument("--out", help="a file in which the part between two comments 'truth' is replaced")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    with open(args.results, encoding="utf-8") as file:
        report = json.load(file)
    entries = [e for e in report["kernels"] if e.get("right") and not e.get("error")]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(predicted, args, e["kernel"], e["example"]) for e in entries]
    for entry, job in zip(entries, jobs):
        entry["measured"], entry["predicted"] = measured(entry), job.result()
    lines = table(entries, report["environment"])
    if not args.out:
        print("\n".join(lines))
        return
    with open(args.out, encoding="utf-8") as file:
        before, _, rest = file.read().partition("<!-- truth -->\n")
    after = rest.partition("<!-- end of truth -->\n")[2]
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(before + "<!-- truth -->\n" + "\n".join(lines) + "\n<!-- end of truth -->\n" + after)


if __name__ == "__main__":
    main()
