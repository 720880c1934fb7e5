#!/usr/bin/env python3
"""One task program under ten mappings: which is right, and how fast the model expects each to be.

    python3 bench/explore_mappings.py [--heddle build/bin/heddle] [--dims M=4096,N=4096,K=4096] [--check]
        [--measured RESULT.json]

Every mapping is examples/tasks/gemm_h100.map with a few keys of a few instances changed; the program stays as it is.
Each is simulated and compared with what the program means, and, without --check, `heddle tune` predicts its time for
the sizes; --measured adds what bench/gpu/time_tasks.py measured. Prints the table of docs/Mapping.md; with --check, one
line for each mapping. Exit code: 0 if all are right, else 1.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "examples/tasks/gemm.mlir")
BASE = os.path.join(ROOT, "examples/tasks/gemm_h100.map")

TILE = ("host", "tunables = {U = 128, V = 256}")  # what examples/tasks/gemm_h100.map says there
DEPTH = ("block", "pipeline = 4")
UNSPECIALISED = ("block", "warpspecialize,", "warpspecialize = false,")
RESULT = [("store", '"GLOBAL", "NONE"', '"SHARED", "NONE"'), ("round", '"GLOBAL", "REGISTER"', '"SHARED", "REGISTER"')]


def tile(rows, columns):
    return (*TILE, f"tunables = {{U = {rows}, V = {columns}}}")


def depth(slots):
    return (*DEPTH, f"pipeline = {slots}")


def persistent(is_on):
    return ("host", "raster = 8", "raster = 8, persistent" + ("" if is_on else " = false"))


# What is said of a mapping, and its changes: (instance, old text, new text).
MAPPINGS = [
    ("two warp groups, 128 x 256, four slots", [persistent(False)]),
    ("one warp group, 64 x 256", [tile(64, 256), persistent(False)]),
    ("three warp groups, 192 x 192, three slots", [tile(192, 192), depth(3), persistent(False)]),
    ("one slot", [depth(1), persistent(False)]),
    ("two slots", [depth(2), persistent(False)]),
    ("three slots", [depth(3), persistent(False)]),
    ("copies on the warps that compute", [UNSPECIALISED, persistent(False)]),
    ("the result through SHARED", [*RESULT, persistent(False)]),
    ("persistent", [persistent(True)]),
    ("persistent, three warp groups, 192 x 192, three slots", [tile(192, 192), depth(3), persistent(True)]),
]


def changed(text, changes):
    for instance, old, new in changes:
        at = re.search(rf"\b{instance} = {{variant", text).start()
        begin = text.index(old, at)
        text = text[:begin] + new + text[begin + len(old) :]
    return text


def run(arguments):
    environment = dict(os.environ, HEDDLE_CACHE="", HEDDLE_PROGRESS="off")
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def predicted(heddle, mapping, dims, folder):
    """Milliseconds of the mapping as it is: no decision of the kernel beyond it."""
    plans, found = os.path.join(folder, "plans"), os.path.join(folder, "candidates")
    with open(plans, "w", encoding="utf-8") as file:
        file.write("{}\n")
    code, _, errors = run(
        [heddle, "tune", PROGRAM, f"--mapping={mapping}", "--device=none", f"--dims={dims}", f"--plans={plans}"]
        + [f"--candidates={found}"]
    )
    if code:
        raise RuntimeError(errors)
    with open(found, encoding="utf-8") as file:
        return json.load(file)[0]["predicted_ms"]


def measured(options, what):
    """The last column."""
    if not options.measured:
        return ""
    size = re.search(r"\bM=(\d+)", options.dims).group(1)
    with open(options.measured, encoding="utf-8") as file:
        results = json.load(file)["figures"]["mappings"]
    times = next(r["figures"] for r in results if r["what"] == size)
    return f" {times[what]['ms_median']:.4f} |" if what in times else " - |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build/bin/heddle"))
    parser.add_argument("--dims", default="M=4096,N=4096,K=4096")
    parser.add_argument("--check", action="store_true", help="simulate only")
    parser.add_argument("--measured", help="what bench/gpu/time_tasks.py wrote: its times at M of --dims stand beside")
    options = parser.parse_args()
    with open(BASE, encoding="utf-8") as file:
        base = file.read()
    wrong = 0
    if not options.check:
        last = " measured, ms |" if options.measured else ""
        print(f"| mapping | simulated | interval, cycles | predicted, ms |{last}")
        print("|---|---|---|---|" + "---|" * bool(last))
    with tempfile.TemporaryDirectory() as folder:
        mapping = os.path.join(folder, "m.map")
        for what, changes in MAPPINGS:
            with open(mapping, "w", encoding="utf-8") as file:
                file.write(changed(base, changes))
            code, output, errors = run([options.heddle, "run", PROGRAM, f"--mapping={mapping}", "--device=sim"])
            right = code == 0 and "verified:" in output
            wrong += not right
            said = "right" if right else "wrong: " + (errors.strip() or output.strip()).split("\n")[0]
            if options.check:
                print(f"{what}: {said}")
                continue
            interval = re.search(r"initiation interval (\d+) cycles", output)
            time = predicted(options.heddle, mapping, options.dims, folder) if right else None
            print(
                f"| {what} | {said} | {interval.group(1) if interval else '-'} | "
                f"{'-' if time is None else f'{time:.4f}'} |" + measured(options, what)
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
