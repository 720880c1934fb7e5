"""Compiles products whose epilogues load (biases, residuals, scales), whole and in parts, and the plain product beside
them, for time_epilogues.py.

    python3 bench/gpu/stage_epilogues.py OUT [--heddle build/bin/heddle]

Runs where Heddle is built (no GPU); carry OUT to the GPU machine and run time_epilogues.py there. OUT/stage.json names
what is staged: {program: {plan: folder}}. A kernel with spills is left out, and said.
"""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILES = ((128, 192), (192, 128), (128, 160), (128, 128))
# Of each program: what follows "parts = " in plans; "" for whole epilogues.
PROGRAMS = {
    "01_gemm": ("",),
    "03_gemm_bias_relu": ("", "64", "32"),
    "06_rowsum": ("",),
    "23_gemm_bias_gelu_residual": ("", "[64, 1]", "[64, 2]", "[32, 2]", "[32, 4]"),
    "24_gemm_fp8_scaled": ("", "64", "32"),
}


def plans(parts):
    for bm, bn in TILES:
        for part in parts:
            if part and bn % int(part.strip("[]").split(",")[0]):
                continue
            sizes = f"parameters = {{BM = {bm}, BN = {bn}}}, persistent = true, tiles = 2"
            yield f"{{kernel = {{{sizes}{', parts = ' + part if part else ''}}}}}"


def stage(heddle, program, plan, folder):
    """An error, or None."""
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, "asked.plan")
    with open(file, "w", encoding="utf-8") as out:
        out.write(plan + "\n")
    command = [os.path.abspath(heddle), "compile", f"examples/{program}.mlir", f"--plan={file}", "--emit=cubin"]
    done = subprocess.run([*command, "-o", folder], capture_output=True, text=True, check=False, cwd=ROOT)
    said = done.stderr.splitlines()
    bad = [line for line in said if "C75" in line or "error" in line]
    bad += [line for line in said if "spill stores" in line and " 0 bytes spill stores" not in line]
    for name in os.listdir(folder):  # the GPU machine uses these two
        if name not in ("kernel.cubin", "kernel.json"):
            os.remove(os.path.join(folder, name))
    return (bad or said or ["failed"])[0].strip() if done.returncode or bad else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build/bin/heddle"))
    parser.add_argument("--only", nargs="*", default=list(PROGRAMS), help="programs")
    args = parser.parse_args()
    out, staged = os.path.abspath(args.out), {}
    for program in args.only:
        staged[program] = {}
        for index, plan in enumerate(plans(PROGRAMS[program])):
            folder = f"{program}-{index}"
            error = stage(args.heddle, program, plan, os.path.join(out, folder))
            if error:
                print(f"{program} {plan}: left out: {error}", file=sys.stderr)
            else:
                staged[program][plan] = folder
    with open(os.path.join(out, "stage.json"), "w", encoding="utf-8") as file:
        json.dump(staged, file, indent=1)


if __name__ == "__main__":
    main()
