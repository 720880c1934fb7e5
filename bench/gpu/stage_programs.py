"""Compiles random tile programs to kernel directories with their inputs and what they have to give.

    python3 bench/gpu/stage_programs.py OUT [--count 60] [--first-seed 1] [--heddle build/bin/heddle]
        [--random build/unittests/heddle-random]

Runs where Heddle is built (no GPU needed). Seeds that the compiler refuses are passed over; each directory holds
kernel.cubin, kernel.json, program.mlir and data.zip: every tensor before the run and, where the program writes it,
after it, in its own types and in float64. Carry OUT to the GPU machine: python3 bench/gpu/check_programs.py OUT
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build import diagnose, resources  # noqa: E402


def pack(folder, data):
    """One compressed file of what heddle-random wrote to `data`."""
    with zipfile.ZipFile(os.path.join(folder, "data.zip"), "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(os.listdir(data)):
            if name.endswith((".json", ".before", ".meaning", ".exact")):
                file.write(os.path.join(data, name), name)


def stage(args, seed):
    """None, or why there is no kernel of this seed."""

    def run(command):
        return subprocess.run(command, capture_output=True, text=True, check=False)

    program = run([args.random, "print", str(seed)]).stdout
    options = run([args.random, "options", str(seed)]).stdout.split()
    folder = os.path.join(args.out, f"seed{seed}")
    with tempfile.TemporaryDirectory() as data:
        source = os.path.join(data, "program.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        made = run([args.heddle, "compile", source, "-o", folder, "--emit=cubin", *options])
        if made.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            return (made.stderr.splitlines() or [f"exit code {made.returncode}"])[0].split(": ", 1)[-1]
        meaning = run([args.random, "meaning", source, data])
        if meaning.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            return "no meaning: " + meaning.stderr.strip()
        for extra in os.listdir(folder):
            if extra not in ("kernel.cubin", "kernel.json"):  # all that the GPU machine reads
                os.remove(os.path.join(folder, extra))
        shutil.copy(source, folder)
        pack(folder, data)
    defects = diagnose(made.stderr)
    print(
        f"seed {seed}: {resources(made.stderr).get('registers', '?')} registers"
        + (f"; {defects[0]}" if defects else ""),
        flush=True,
    )
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--random", default="build/unittests/heddle-random")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    staged, seed = 0, args.first_seed
    while staged < args.count and seed < args.first_seed + 10 * args.count:
        refused = stage(args, seed)
        staged += refused is None
        if refused:
            print(f"seed {seed}: not staged: {refused}", file=sys.stderr, flush=True)
        seed += 1
    print(f"{staged} programs staged in {args.out}")
    return 0 if staged == args.count else 1


if __name__ == "__main__":
    sys.exit(main())
