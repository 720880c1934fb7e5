"""Compiles programs that memory bounds to kernel directories, with their cases beside a copy of the same bytes.

    python3 bench/gpu/stage_memory.py OUT [--heddle build/bin/heddle] [--rows 8192] [--columns 8192]

Runs where Heddle and nvcc are (no GPU needed). There, then: python3 bench/gpu/bench.py OUT/*. The peer `copy` is
PyTorch's copy of as many bytes as the program moves, so that `ratio` is the share of the copy's bandwidth.
"""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

NORM = "(X - X.mean(1, keepdim=True)) / (X.var(1, keepdim=True, unbiased=False) + 1e-5).sqrt()"
# name: (vectors beside X, reference of the output, is the output a matrix?)
PROGRAMS = {
    "copy_tiles": ([], "X", True),
    "transpose_tiles": ([], "X.T", True),
    "softmax_rows": ([], "torch.softmax(X, 1)", True),
    "rmsnorm_rows": (["G"], "X / (X.pow(2).mean(1, keepdim=True) + 1e-6).sqrt() * G", True),
    "layernorm_rows": (["G", "B"], NORM + " * G + B", True),
    "cross_entropy_rows": (["T"], "torch.nn.functional.cross_entropy(X, T.long(), reduction='none')", False),
}


def case(name, rows, columns):
    """The case.json of one program."""
    vectors, reference, matrix = PROGRAMS[name]
    inputs = {"X": {"shape": [rows, columns], "elem": "f16"}}
    for vector in vectors:
        inputs[vector] = {"shape": [columns], "elem": "f16"}
    if name == "cross_entropy_rows":
        inputs["T"] = {"shape": [rows], "elem": "i32", "value": f"torch.arange({rows}, device='cuda') * 37 % {columns}"}
    output = {"shape": [rows, columns], "elem": "f16", "reference": reference}
    if name == "transpose_tiles":
        output["shape"] = [columns, rows]
    if not matrix:
        output = {"shape": [rows], "elem": "f32", "reference": reference}
    size = 2 * rows * columns * (2 if matrix else 1)
    return {
        "kind": "generic",
        "inputs": inputs,
        "outputs": {"L" if not matrix else "Y": output},
        "peers": {"copy": "X.clone()" if matrix else f"X[:{rows // 2}].clone()"},
        "flops": rows * columns,
        "bytes": size,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--columns", type=int, default=8192)
    args = parser.parse_args()
    if args.columns > 8192 or args.columns % 8:
        parser.error(f"expected a multiple of 8 columns up to 8192, got {args.columns}")
    for name in PROGRAMS:
        folder = os.path.join(args.out, name)
        program = os.path.join(ROOT, "test", "Programs", name + ".mlir")
        made = subprocess.run(
            [args.heddle, "compile", program, "-o", folder, "--emit=cubin"], capture_output=True, text=True, check=False
        )
        if made.returncode:
            sys.exit(f"{name}: {made.stderr.strip()}")
        with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as file:
            json.dump(case(name, args.rows, args.columns), file, indent=2)
            file.write("\n")
        print(f"staged {folder}")


if __name__ == "__main__":
    main()
