#!/usr/bin/env python3
"""Solves every instance of this directory and compares with expected.json.

For each entry: the lower bound (`mii`), the interval in --mode=modulo (`modulo`) and in --mode=full (`full`), the
length where the source states one. Full mode also writes a certificate, and heddle-check must accept it. Usage:
check.py [--bin DIR] Exit status: 0 when everything agrees, else 1 with one line per difference.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def check(name, want, bin_dir, out):
    """Differences between the solver and the reference, as text."""
    path = os.path.join(HERE, name + ".sched")
    solver = os.path.join(bin_dir, "heddle-sched")
    for mode in ("modulo", "full"):
        proof = [f"--certificate={out}"] if mode == "full" else []
        result = run(solver, "solve", path, "--json", f"--mode={mode}", *proof)
        if result.returncode:
            yield f"{mode}: exit status {result.returncode}: {result.stderr.strip()}"
            continue
        got = json.loads(result.stdout)
        if got["status"] != "optimal":
            yield f"{mode}: expected optimal, got {got['status']}"
        if got["ii"] != want[mode]:
            yield f"{mode}: expected interval {want[mode]}, got {got['ii']}"
        if mode == "modulo" and got["mii"] != want["mii"]:
            yield f"expected a lower bound of {want['mii']}, got {got['mii']}"
        if got["length"] != want.get("length", got["length"]):
            yield f"{mode}: expected length {want['length']}, got {got['length']}"
        if proof:
            checked = run(os.path.join(bin_dir, "heddle-check"), path, out)
            if checked.returncode or f"interval {want['full']} is optimal" not in checked.stdout:
                yield f"certificate: {(checked.stdout + checked.stderr).strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../../build/bin"), help="directory of heddle-sched")
    args = parser.parse_args()
    with open(os.path.join(HERE, "expected.json"), encoding="utf-8") as f:
        expected = json.load(f)
    bad = 0
    stray = {n[:-6] for n in os.listdir(HERE) if n.endswith(".sched")} ^ {n for n in expected if "/" not in n}
    for name in sorted(stray):
        print(f"{name}: expected an instance and an entry in expected.json, got one of them")
        bad += 1
    for name, want in sorted(expected.items()):
        if name in stray:
            continue
        with tempfile.TemporaryDirectory() as out:
            for line in check(name, want, args.bin, out):
                print(f"{name}: {line}")
                bad += 1
    cited = sum(e["basis"] == "cited" for e in expected.values())
    print(f"{len(expected)} instances ({cited} cited, {len(expected) - cited} derived by hand), {bad} differences")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
