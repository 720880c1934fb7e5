#!/usr/bin/env python3
"""What the tensor core loses in sums of products of e4m3 (docs/Calibration.md, "Sums of 8-bit products"). Runs on the
GPU machine.

    python3 bench/gpu/calibrate/eight_bit_sums.py --out sums.json

Products of 256 x K and K x 256 by cublasLt with fast accumulation (all of K in the tensor core), f32 results, beside
float64. Per K: the greatest and the mean error over the sum of magnitudes, and the mean of the signed one. Operands:
normal, or uniform from 0.5 to 1.5 (no cancellation).
"""

import argparse
import json

import torch

KINDS = {"normal": torch.randn, "uniform": lambda *shape, **more: torch.rand(*shape, **more) + 0.5}


def measure(make, k):
    a, b = (make(256, k, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")
    sums = torch._scaled_mm(a, b.T, one, one, out_dtype=torch.float32, use_fast_accum=True).double()
    a, b = a.double(), b.double()
    error = (sums - a @ b.T) / (a.abs() @ b.abs().T)
    return {"most": float(error.abs().max()), "mean": float(error.abs().mean()), "signed": float(error.mean())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    for kind, make in KINDS.items():
        result[kind] = {k: measure(make, k) for k in (32, 64, 128, 256, 512, 1024, 4096, 16384)}
        print(kind, result[kind], flush=True)
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
