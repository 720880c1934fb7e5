"""Compiles the members of the family of products, one kernel each, for check_family.py on the GPU machine.

    python3 bench/gpu/stage_family.py OUT [--only NAME...] [--heddle build/bin/heddle]

Runs where Heddle is built (no GPU needed); carry OUT there and run: python3 bench/gpu/check_family.py OUT
"""

import argparse
import os
import subprocess
import sys

PRODUCT = {"A": "M K", "B": "N K"}
C = {"C": ("M N", "A @ B.T")}


def member(
    inputs=None,
    outputs=None,
    elem="f16",
    out=None,
    scalars=None,
    tolerance=None,
    added=False,
    elems=None,
    small=(),
):
    """`inputs`: {view: sizes by name}; `outputs`: {view: (sizes, expression over float64 inputs)}; `elems`: element
    types of views that have neither `elem` (inputs) nor `out` (outputs); `small`: inputs that are divided by the root
    of K, so that products of products are no infinities."""
    return {
        "inputs": inputs or PRODUCT,
        "outputs": outputs or C,
        "elem": elem,
        "out": out or elem,
        "elems": elems or {},
        "scalars": scalars or {},
        "tolerance": tolerance,
        "added": added,
        "small": small,
    }


SCALES = {"scaleA": "M", "scaleB": "N"}
SCALED = {"C": ("M N", "scaleA[:, None] * scaleB * (A @ B.T)")}
FLOATS = {"scaleA": "f32", "scaleB": "f32"}
MEMBERS = {
    "examples/01_gemm": member(),
    "examples/03_gemm_bias_relu": member({**PRODUCT, "bias": "N"}, {"C": ("M N", "torch.relu(A @ B.T + bias)")}),
    "examples/05_two_dots_shared_a": member(
        {**PRODUCT, "E": "N K"}, {"C": ("M N", "A @ B.T"), "D": ("M N", "A @ E.T")}
    ),
    "examples/06_rowsum": member(outputs={**C, "R": ("M", "A.sum(1)")}, elems={"R": "f32"}),
    "examples/07_gemm_f32_out": member(out="f32"),
    "examples/09_gemm_batched": member({"A": "Z M K", "B": "Z N K"}, {"C": ("Z M N", "A @ B.mT")}),
    "examples/10_gemm_nn": member({"A": "M K", "B": "K N"}, {"C": ("M N", "A @ B")}),
    "examples/11_gemm_tn": member({"A": "K M", "B": "K N"}, {"C": ("M N", "A.T @ B")}),
    "examples/12_gemm_tt": member({"A": "K M", "B": "N K"}, {"C": ("M N", "A.T @ B.T")}),
    "examples/15_gemm_bf16": member(elem="bf16"),
    "examples/22_gemm_gated": member(
        {**PRODUCT, "G": "N K"},
        {"C": ("M N", "torch.nn.functional.silu(A @ G.T) * (A @ B.T)")},
        small=("B", "G"),
    ),
    "examples/23_gemm_bias_gelu_residual": member(
        {**PRODUCT, "bias": "N", "R": "M N"},
        {"C": ("M N", "torch.nn.functional.gelu(A @ B.T + bias, approximate='tanh') + R")},
    ),
    "examples/24_gemm_fp8_scaled": member({**PRODUCT, **SCALES}, SCALED, "e4m3", "bf16", elems=FLOATS),
    "examples/25_gemm_grouped": member(
        {"A": "T K", "B": "G N K", "sizes": "G"},
        {"C": ("T N", "torch.cat([a @ b.T for a, b in zip(A.split(sizes.int().tolist()), B)])")},
        elems={"sizes": "i32"},
    ),
    "examples/26_gemm_split_k": member(out="f32", added=True),
    "test/Programs/gemm_fp8": member(elem="e4m3", out="f16", tolerance=8e-3),
    "test/Programs/gemm_fp8_promoted": member(
        outputs={"C": ("M N", "0.25 * (A @ B.T)")},
        elem="e4m3",
        out="f16",
        elems={"B": "e5m2"},
        scalars={"scale": 0.25},
        tolerance=8e-3,
    ),
    "test/Programs/gemm_i8": member(elem="i8", out="i32"),
    "test/Programs/gemm_i8_scaled": member({**PRODUCT, **SCALES}, SCALED, "i8", "bf16", elems=FLOATS),
    "test/Programs/gemm_tf32": member(elem="f32"),
}


def stage(args, name):
    """None, or why there is no kernel."""
    folder = os.path.join(args.out, os.path.basename(name))
    command = [args.heddle, "compile", name + ".mlir", "--no-cache", "--emit=cubin", "-o", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.splitlines() or [f"exit code {done.returncode}"])[0]
    for extra in os.listdir(folder):
        if extra not in ("kernel.cubin", "kernel.json"):  # all that the GPU machine reads
            os.remove(os.path.join(folder, extra))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--only", nargs="*", help="members by the last part of their names")
    parser.add_argument("--heddle", default="build/bin/heddle")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    names = [name for name in MEMBERS if not args.only or os.path.basename(name) in args.only]
    failed = 0
    for name in names:
        error = stage(args, name)
        if error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            failed += 1
    print(f"{len(names) - failed} of {len(names)} members staged in {args.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
