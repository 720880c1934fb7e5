#!/usr/bin/env python3
"""Checks and times what stage_epilogues.py staged, beside cublasLt's eight proposals for the plain product.

    python3 bench/gpu/time_epilogues.py DIR --out RESULT.json [--commit HASH] [--sizes 8192x8192x512,...]

Check:  C by norm against PyTorch in fp32, poisoned with NaN before; what is wrong is not timed.
Burst:  batches of 4 ms (batches.py), all programs of one element type and cublasLt in one process, in random order.
Output: JSON, milliseconds by size, program and plan; lt0 to lt7 are the proposals.
"""

import argparse
import datetime
import json
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batches  # noqa: E402
import cublaslt  # noqa: E402
import heddle_gpu  # noqa: E402

SIZES = "8192x8192x512,8192x8192x1024,8192x8192x4096,4096x4096x4096"


def problem(fp8, m, n, k):
    """Tensors by name, and what each program computes of them, in fp32."""
    torch.manual_seed(1)
    half = {"device": "cuda", "dtype": torch.float16}
    a, b = torch.randn(m, k, **half), torch.randn(n, k, **half)
    tensors = {"A": a, "B": b, "C": torch.empty(m, n, **half)}
    if fp8:
        tensors = {name: tensors[name].to(torch.float8_e4m3fn) for name in "AB"}
        tensors["C"] = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        a, b = (tensors[name].half() for name in "AB")
    product = torch.matmul(a, b.T).float()
    if fp8:
        tensors |= {"scaleA": torch.rand(m, device="cuda"), "scaleB": torch.rand(n, device="cuda")}
        scaled = tensors["scaleA"][:, None] * tensors["scaleB"] * product
        return tensors, {"24_gemm_fp8_scaled": scaled}
    tensors |= {"bias": torch.randn(n, **half), "R": torch.randn(m, n, **half)}
    biased = product + tensors["bias"].float()
    gelu = torch.nn.functional.gelu(biased, approximate="tanh") + tensors["R"].float()
    return tensors, {
        "01_gemm": product,
        "03_gemm_bias_relu": torch.relu(biased),
        "06_rowsum": product,
        "23_gemm_bias_gelu_residual": gelu,
    }


def contenders_of(kernels, tensors, wanted, wrong):
    found, out = {}, tensors["C"]
    tolerance = 8e-3 if out.dtype == torch.bfloat16 else 1e-3
    for program, want in wanted.items():
        own = dict(tensors)
        if program == "06_rowsum":
            own["R"] = torch.empty(out.shape[0], device="cuda")
        for plan, kernel in kernels.get(program, {}).items():
            out.view(torch.uint8).fill_(0xFF)
            launch = kernel.bind(*(own[name] for name in kernel.views()))
            launch()
            torch.cuda.synchronize()
            error = float((out.float() - want).norm() / want.norm())
            if error < tolerance:
                found[f"{program} {plan}"] = launch
            else:
                wrong.append([program, plan, list(out.shape), error])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--commit", default="")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    with open(os.path.join(args.folder, "stage.json"), encoding="utf-8") as file:
        staged = json.load(file)
    kernels = {
        program: {plan: heddle_gpu.load(os.path.join(args.folder, at)) for plan, at in found.items()}
        for program, found in staged.items()
    }
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    environment = {"date": now, "device": torch.cuda.get_device_name(), "torch": torch.__version__}
    report = {"environment": environment | {"commit": args.commit}, "wrong": [], "results": {}}
    for size in args.sizes.split(","):
        m, n, k = (int(x) for x in size.split("x"))
        for fp8 in (False, True):
            tensors, wanted = problem(fp8, m, n, k)
            contenders = contenders_of(kernels, tensors, wanted, report["wrong"])
            if not contenders:
                continue
            proposals = cublaslt.proposals(tensors["A"], tensors["B"].T, torch.empty_like(tensors["C"]))
            contenders |= {f"lt{i}": run for i, run in enumerate(proposals)}
            times = batches.measure(contenders, rounds=args.rounds, far=2.6)
            report["results"][f"{size} {'fp8' if fp8 else 'f16'}"] = times
            best = min(ms for name, ms in times.items() if name.startswith("lt"))
            for name, ms in sorted(times.items(), key=lambda each: each[1]):
                print(f"{size} {name}: {ms:.4f} ms, {best / ms:.3f} of cublasLt", flush=True)
            with open(args.out, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
            del tensors, wanted, contenders
            torch.cuda.empty_cache()
    return 1 if report["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
