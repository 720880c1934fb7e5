"""Runs the kernels of stage_programs.py on the GPU, each twice, and compares every element with what the program means.

    python3 bench/gpu/check_programs.py OUT [--out result.json] [--seconds 20]

A kernel that does not end within --seconds is a hang: its process is ended and the next kernels run in a new one.
Exit code 1 when one is wrong, hangs, fails to launch or gives two results.

An element is right when it is as far from the sequential meaning as the meaning itself may be from float64: within EPS
rounding steps of the coarsest type at the element's magnitude or the tensor's typical one, or FACTOR times the largest
distance between the two meanings.
"""

import argparse
import json
import os
import select
import subprocess
import sys
import zipfile

EPS, FACTOR = 4.0, 4.0
HOST = {"f16": "f2", "bf16": "i2", "f32": "f4", "i32": "i4"}  # bf16 has no type of its own in NumPy: its bits
BITS = {"f16": 10, "bf16": 7, "f32": 10, "i32": 31}  # the tensor core multiplies 16-bit operands


def allowed(numpy, meaning, exact, step):
    """The largest allowed difference at each element."""
    finite = numpy.isfinite(meaning) & numpy.isfinite(exact)
    typical = float(numpy.sqrt(numpy.mean(numpy.square(exact[finite])))) if finite.any() else 0.0
    own = float(numpy.max(numpy.abs(meaning[finite] - exact[finite]))) if finite.any() else 0.0
    return EPS * step * numpy.maximum(numpy.abs(numpy.where(finite, meaning, 0)), typical) + FACTOR * own


def wrong_elements(numpy, got, meaning, exact, step):
    """How many elements differ too much, and the worst one's description."""
    same = (got == meaning) | (numpy.isnan(got) & numpy.isnan(meaning))
    with numpy.errstate(invalid="ignore"):
        bad = ~same & ~(numpy.abs(got - meaning) <= allowed(numpy, meaning, exact, step))
    if not bad.any():
        return 0, ""
    at = tuple(int(i) for i in numpy.argwhere(bad)[0])
    return int(bad.sum()), f"element {list(at)}: expected {meaning[at]:.6g}, got {got[at]:.6g}"


def check(folder):
    """The verdict on one kernel; runs in a child."""
    import numpy
    import torch

    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from heddle_gpu import Kernel

    with zipfile.ZipFile(os.path.join(folder, "data.zip")) as file:
        described = json.loads(file.read("tensors.json"))

        def read(tensor, kind, dtype):
            return numpy.frombuffer(file.read(f"{tensor['name']}.{kind}"), dtype).reshape(tensor["sizes"]).copy()

        before = [read(t, "before", numpy.dtype(HOST[t["elem"]])) for t in described["tensors"]]
        wanted = [
            [read(t, kind, numpy.float64) for kind in ("meaning", "exact")] if t["written"] else None
            for t in described["tensors"]
        ]
    step = 2.0 ** -min(BITS[t["elem"]] for t in described["tensors"])
    kernel = Kernel(folder)

    def upload(tensor, values):
        host = torch.from_numpy(values)
        if tensor["elem"] == "bf16":
            host = host.view(torch.bfloat16)
        pad = -host.shape[-1] % (16 // host.element_size())  # rows begin at multiples of 16 bytes
        wide = torch.zeros(*host.shape[:-1], host.shape[-1] + pad, dtype=host.dtype, device="cuda")[
            ..., : host.shape[-1]
        ]
        wide.copy_(host)
        return wide

    results = []
    for _ in range(2):
        tensors = [upload(t, values) for t, values in zip(described["tensors"], before)]
        kernel(*tensors, **described["scalars"])
        torch.cuda.synchronize()
        results.append([t.double().cpu().numpy() for t in tensors])
    wrong, detail, adds = 0, "", '"add"' in open(os.path.join(folder, "program.mlir"), encoding="utf-8").read()
    for tensor, want, first, second in zip(described["tensors"], wanted, *results):
        if want is None:
            continue
        count, text = wrong_elements(numpy, first, *want, step)
        if not count and not adds and not numpy.array_equal(first, second, equal_nan=True):
            count, text = 1, "two runs differ"
        if count:
            wrong, detail = wrong + count, f"{tensor['name']}: {count} of {first.size}, {text}"
    return {"kernel": os.path.basename(folder), "wrong": wrong, "detail": detail}


def child(folders):
    for folder in folders:
        try:
            result = check(folder)
        # A launch failure poisons the context: the parent starts anew.
        except Exception as error:  # pylint: disable=broad-except
            print(
                json.dumps(
                    {"kernel": os.path.basename(folder), "wrong": -1, "detail": f"{type(error).__name__}: {error}"}
                ),
                flush=True,
            )
            return 1
        print(json.dumps(result), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="+")
    parser.add_argument("--out")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.directory)
    waiting = [
        os.path.join(d, name)
        for d in args.directory
        for name in sorted(os.listdir(d))
        if os.path.exists(os.path.join(d, name, "data.zip"))
    ]
    results = []
    while waiting:
        process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--child", *waiting], stdout=subprocess.PIPE, text=True
        )
        patience, failed = args.seconds + 60, False  # the first result waits for PyTorch as well
        while waiting:
            ready, _, _ = select.select([process.stdout], [], [], patience)
            line = process.stdout.readline() if ready else ""
            if not line:
                if not (ready and failed):  # else the child ended because of what it told last
                    results.append(
                        {
                            "kernel": os.path.basename(waiting.pop(0)),
                            "wrong": -1,
                            "detail": "ended early" if ready else "hangs",
                        }
                    )
                break
            results.append(json.loads(line))
            waiting.pop(0)
            patience, failed = args.seconds, results[-1]["wrong"] == -1
        process.kill()
        process.wait()
    bad = [r for r in results if r["wrong"]]
    for result in bad:
        print(f"{result['kernel']}: {result['detail']}")
    print(f"{len(results) - len(bad)} of {len(results)} random programs right")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
