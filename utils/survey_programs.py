#!/usr/bin/env python3
"""Every program on every road: compiled, ptxas asked for spills where nvcc is, simulated, emulated. Prints a table.

    python3 utils/survey_programs.py PROGRAM.mlir|DIR... [--heddle build/bin/heddle] [--out table.json] [--jobs 1]

Each program is one line: `right`, `spills`, `refused` (with the error; `late` if saying so took over 0.3 s of processor
time, `no place` if it names no line of the program), or `FAILS` with the step that failed. Processor times are those of
`heddle compile` without its cache. `--options` are given to heddle each time, `--no-run` only compiles.
Exit code: 0, or 1 if a program fails.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench", "gpu"))
import build  # pylint: disable=wrong-import-position

REFUSALS = {1: "user error", 2: "infeasible", 3: "limit reached"}
AT_ONCE = 0.3  # seconds of processor time in which a refusal is said


def run(command, seconds):
    """(exit code, all output, processor seconds); code 124 past `seconds` of processor time."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    with tempfile.TemporaryFile("w+") as log:
        with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, preexec_fn=limit) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        spent = usage.ru_utime + usage.ru_stime
        return 124 if spent >= seconds else process.returncode, log.read(), spent


def first_error(log):
    found = re.search(r"^.*error:.*$", log, re.M)
    return (found[0] if found else log.strip().split("\n")[-1])[:300]


def survey(program, args):
    """The row of one program."""
    options = shlex.split(args.options)
    row = {"program": program}
    with tempfile.TemporaryDirectory() as folder:
        code, log, row["seconds"] = run(
            [args.heddle, "compile", program, "-o", folder, "--no-cache", *options], args.limit
        )
        if code:
            row["error"] = first_error(log)
            row["status"] = "refused" if code in REFUSALS else "FAILS compile"
            if code in REFUSALS:
                place = re.search(r"\.mlir:\d+:\d+: error", row["error"])
                row["how"] = REFUSALS[code] + ("" if place else ", no place") + (
                    ", late" if row["seconds"] > AT_ONCE else ""
                )
            return row
        with open(os.path.join(folder, "kernel.cu"), encoding="utf-8") as text:
            row["lines"] = sum(1 for _ in text)
        if shutil.which("nvcc"):
            try:
                built = build.build(
                    os.path.join(folder, "kernel.cu"), os.path.join(folder, "kernel.cubin"), allow_slow=True
                )
            except build.BuildError as error:
                return {**row, "status": "FAILS nvcc", "error": str(error)[:300]}
            row.update(registers=built.get("registers"), defects=built["defects"])
    if not args.no_run:
        for device, extra in (("sim", []), ("emulate", ["--interleavings=1"])):
            code, log, row[device] = run(
                [args.heddle, "run", program, f"--device={device}", *extra, *options], 4 * args.limit
            )
            if code:
                return {**row, "status": f"FAILS {device}", "error": first_error(log)}
    return {**row, "status": "spills" if row.get("defects") else "right"}


def show(row):
    name = os.path.splitext(os.path.basename(row["program"]))[0]
    detail = row.get("error") or "; ".join(row.get("defects") or [])
    how = f" ({row['how']})" if "how" in row else ""
    print(f"{name:28s} {row['seconds']:6.2f} s  {row['status']}{how}{': ' + detail if detail else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--out")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60, help="processor seconds to compile; a run has four times that")
    parser.add_argument("--options", default="", help="for heddle, in one string")
    parser.add_argument("--no-run", action="store_true")
    args = parser.parse_args()
    programs = []
    for given in args.programs:
        programs += sorted(glob.glob(os.path.join(given, "*.mlir"))) if os.path.isdir(given) else [given]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda program: survey(program, args), programs):
            rows.append(row)
            show(row)
            if args.out:
                with open(args.out, "w", encoding="utf-8") as file:
                    json.dump(rows, file, indent=1)
    counts = {}
    for row in rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    print(f"{len(rows)} programs: " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    return any(status.startswith("FAILS") for status in counts)


if __name__ == "__main__":
    sys.exit(main())
