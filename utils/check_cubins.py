#!/usr/bin/env python3
"""Every example, compiled by heddle and then by nvcc: no spills, no serialised wgmma (C75xx), no
ignored setmaxnreg; where there is nvdisasm, products and waits in the order that was emitted.

    python3 utils/check_cubins.py --heddle build/bin/heddle [--jobs 2] [--out DIR] [EXAMPLE.mlir ...]

Without arguments all of examples/[0-9]*.mlir and examples/chains, kernel by kernel. The reading of ptxas's output is
bench/gpu/build.py's, the same that refuses to time a bad kernel; the reading of the disassembly is
bench/gpu/sass_order.py's. Exit code: 0 all clean, 1 defects, 77 skipped (no nvcc on PATH).
"""

import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(ROOT, "bench", "gpu"))
import build as nvcc  # noqa: E402
import sass_order  # noqa: E402


def check(heddle, example, out, nvdisasm=None):
    """(clean?, one line of text) for each kernel of one example."""
    name = os.path.splitext(os.path.basename(example))[0]
    directory, start = os.path.join(out, name), time.monotonic()
    done = subprocess.run([heddle, "compile", example, "-o", directory], capture_output=True, text=True, check=False)
    if done.returncode:
        return [(False, f"{name}: heddle exits {done.returncode}: {done.stderr.strip()}")]
    took = time.monotonic() - start
    if not os.path.exists(os.path.join(directory, "chain.json")):
        return [check_kernel(name, directory, took, nvdisasm)]
    with open(os.path.join(directory, "chain.json"), encoding="utf-8") as file:
        kernels = dict.fromkeys(launch["kernel"] for launch in json.load(file)["launches"])
    return [check_kernel(f"{name}/{kernel}", os.path.join(directory, kernel), took, nvdisasm) for kernel in kernels]


def check_kernel(name, directory, took, nvdisasm):
    """(clean?, one line of text) for a compiled kernel; `took`: seconds of heddle for the example."""
    compiled = time.monotonic()
    try:
        figures = nvcc.build(
            os.path.join(directory, "kernel.cu"), os.path.join(directory, "kernel.cubin"), allow_slow=True
        )
    except nvcc.BuildError as error:
        return False, f"{name}: {error}"
    if figures["defects"]:
        return False, f"{name}: ptxas: " + "; ".join(figures["defects"])
    moved = sass_order.check(directory, nvdisasm)[0] if nvdisasm else []
    if moved:
        return False, f"{name}: order: " + "; ".join(moved)
    return True, (
        f"{name}: clean, {figures.get('registers')} registers; heddle {took:.1f} s, "
        f"nvcc {time.monotonic() - compiled:.1f} s"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="keep the kernels here (default: a temporary directory)")
    parser.add_argument("examples", nargs="*")
    args = parser.parse_args()
    if not shutil.which("nvcc"):
        print("skipped: no nvcc on PATH")
        return 77
    patterns = [os.path.join("examples", "[0-9]*.mlir"), os.path.join("examples", "chains", "*.mlir")]
    examples = args.examples or [file for p in patterns for file in sorted(glob.glob(os.path.join(ROOT, p)))]
    if not examples:
        parser.error("expected examples, got none")
    nvdisasm = sass_order.find_nvdisasm()
    if not nvdisasm:
        print("note: expected nvdisasm on PATH or the package nvidia-cuda-nvdisasm, got neither: no order is checked")
    with tempfile.TemporaryDirectory() as temporary:
        out = args.out or temporary
        os.makedirs(out, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            checked = pool.map(lambda example: check(args.heddle, example, out, nvdisasm), examples)
            results = [result for kernels in checked for result in kernels]
    for clean, text in results:
        print(text if clean else f"error: {text}")
    bad = sum(not clean for clean, _ in results)
    print(f"{len(results) - bad} of {len(results)} kernels clean")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
