#!/usr/bin/env python3
"""Measured cycles an iteration beside those that the simulator predicts: docs/Truth.md.

    python3 bench/gpu/truth_table.py RESULTS LOCAL [--heddle-opt build/bin/heddle-opt] [--out docs/Truth.md] [--jobs 1]

RESULTS is what time_truth.py wrote, LOCAL the folder OUT.local of stage_truth.py. The prediction is the difference of
two lengths over that of their iterations, as the measurement is; one block is simulated. `machine code`: the replay
of the main loop that ptxas made (heddle-opt --heddle-replay-code), where the disassembler is (CUDA binary utilities).
Needs no GPU.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rank_candidates import correlation  # noqa: E402
from sass_order import find_nvdisasm  # noqa: E402
from stage_examples import tile_of  # noqa: E402

TRIPS = (16, 64)  # of the loop, simulated


def step_of(name):
    """Elements of the contraction, keys or queries of an iteration."""
    return {"24": 128, "19": 64}.get(name[:2], 128 if "attention" in name else 64)


def solved(name, runs):
    """Cycles of an iteration of a causal kernel, of runs of three lengths: (length, blocks that share the programs of
    one head, cycles). What fits a * iterations + b * programs + c, where a program of the forward pass sees the keys up
    to its last row, and one of the backward pass the queries from its first key on."""
    rows, keys = tile_of(name)[0], step_of(name)
    equations = []
    for length, blocks, cycles in runs:
        firsts = range(0, length, rows)
        iterations = sum(-(-min(first + rows, length) // keys) for first in firsts)
        equations.append((iterations / blocks, len(firsts) / blocks, cycles))
    (i0, p0, c0), (i1, p1, c1), (i2, p2, c2) = equations
    (a, b, c), (d, e, f) = (i1 - i0, p1 - p0, c1 - c0), (i2 - i1, p2 - p1, c2 - c1)
    return (c * e - f * b) / (a * e - d * b)


def measured(entry):
    """Cycles an iteration, with all multiprocessors at work."""
    runs = [run for run in entry["runs"] if not run["alone"]]
    if "causal" in entry["example"]:
        return solved(entry["example"], [(run["length"], 1, run["cycles"]) for run in runs])
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


def simulated(args, kernel, dims):
    """(multiprocessors, cycles), or None."""
    run = subprocess.run(
        [args.heddle_opt, f"--heddle-simulate-warp=dims={dims}", os.path.join(args.local, kernel, "warp.mlir")],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"(\d+) ctas, (\d+) cycles", run.stderr)
    return (int(found.group(1)), int(found.group(2))) if found else None


def predicted(args, kernel, example):
    # The multiprocessors that are simulated share the programs of a persistent kernel.
    if "causal" in example and "backward" not in example:
        runs = [(length, simulated(args, kernel, f"B=1,H=1,S={length}")) for length in (1536, 3072, 6144)]
        return None if None in (run for _, run in runs) else solved(example, [(n, *run) for n, run in runs])
    cycles = [simulated(args, kernel, sizes(example, trips)) for trips in TRIPS]
    return (cycles[1][1] - cycles[0][1]) / (TRIPS[1] - TRIPS[0]) if None not in cycles else None


def replayed(args, kernel):
    """Cycles of an iteration in machine code, or None."""
    folder = os.path.join(args.local, kernel)
    level, listing = os.path.join(folder, "hw.mlir"), os.path.join(folder, "kernel.sass")
    if not args.nvdisasm or not os.path.exists(level):
        return None
    with open(listing, "w", encoding="utf-8") as file:
        command = [args.nvdisasm, "-hex", "-c", os.path.join(folder, "kernel.cubin")]
        subprocess.run(command, stdout=file, check=True)
    run = subprocess.run(
        [args.heddle_opt, f"--heddle-replay-code=listing={listing}", level, "-o", os.devnull],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r": (\d+) cycles an iteration", run.stderr)
    return int(found.group(1)) if found else None


WAYS = {"predicted": "simulator", "replayed": "machine code"}


def error(entry, way):
    return f"{entry[way]:.0f} | {100 * (entry[way] / entry['measured'] - 1):+.1f}" if entry[way] else " | "


def table(entries, environment):
    shipped = [e for e in entries if not e["options"]]
    near = {
        way: sum(abs(e[way] / e["measured"] - 1) <= 0.05 for e in shipped if e[way]) for way in WAYS
    }
    lines = [
        f"Measured on an {environment['gpu']}; of {len(shipped)} kernels {near['predicted']} are predicted within 5 % "
        f"by the simulator, {near['replayed']} from machine code.",
        "",
        "| example | interval | measured | simulator | error, % | machine code | error, % |",
        "|---|---|---|---|---|---|---|",
    ]
    for e in shipped:
        interval = ", ".join(str(i) for i in e["intervals"])
        lines.append(
            f"| {e['kernel']} | {interval} | {e['measured']:.0f} | {error(e, 'predicted')} | {error(e, 'replayed')} |"
        )
    lines += [
        "",
        "| random schedules of | number | measured | rank correlation: simulator | code | "
        "within 5 %: simulator | code |",
        "|---|---|---|---|---|---|---|",
    ]
    drawn = [e for e in entries if e["options"] and all(e[way] for way in WAYS)]

    def row(name, of):
        measured_ = [e["measured"] for e in of]
        ranked = [f"{correlation([e[way] for e in of], measured_):.2f}" for way in WAYS]
        close = [str(sum(abs(e[way] / e["measured"] - 1) <= 0.05 for e in of)) for way in WAYS]
        span = f"{min(measured_):.0f} to {max(measured_):.0f}"
        return f"| {name} | {len(of)} | {span} | {' | '.join(ranked + close)} |"

    for example in sorted({e["example"] for e in drawn}):
        lines.append(row(example, [e for e in drawn if e["example"] == example]))
    if drawn:
        lines.append(row("all together", drawn))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("local")
    parser.add_argument("--heddle-opt", default="build/bin/heddle-opt")
    parser.add_argument("--nvdisasm", default=find_nvdisasm())
    parser.add_argument("--out", help="a file in which the part between two comments 'truth' is replaced")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    with open(args.results, encoding="utf-8") as file:
        report = json.load(file)
    entries = [e for e in report["kernels"] if e.get("right") and not e.get("error")]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(predicted, args, e["kernel"], e["example"]) for e in entries]
        replays = [pool.submit(replayed, args, e["kernel"]) for e in entries]
    for entry, job, replay in zip(entries, jobs, replays):
        entry |= {"measured": measured(entry), "predicted": job.result(), "replayed": replay.result()}
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
