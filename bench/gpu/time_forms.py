#!/usr/bin/env python3
"""Checks and times what stage_forms.py made, all forms of an example alternately in one process.

    python3 bench/gpu/time_forms.py DIR --out forms.json [--rows 4096] [--batch 4] [--heads 32]

Check:   two heads in float64, outputs poisoned with NaN; relative error by norm of O and absolute error of what has
         rows (LSE, M).
Timing:  batches of 4 ms (batches.py), every form in every round, median; TFLOPS count the two products of attention.
Output:  JSON, and a line for each form with its part of the best one's speed.
"""

import argparse
import json
import math
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batches  # noqa: E402
import heddle_gpu  # noqa: E402


def tensors_of(kernel, dim, args):
    lead = (args.batch, args.heads, args.rows)
    made = {name: torch.randn(*lead, dim, device="cuda", dtype=torch.float16) for name in "QKV"}
    made["bias"] = torch.randn(args.rows, device="cuda")
    made["O"] = torch.empty_like(made["Q"])
    made["LSE"], made["M"] = (torch.empty(lead, device="cuda") for _ in range(2))
    return {name: made[name] for name in kernel.views()}


def errors(tensors, scale_log2):
    """{output: error} over the first and the last head."""
    found = {}
    for b, h in ((0, 0), (-1, -1)):
        q, k, v = (tensors[name][b, h].double() for name in "QKV")
        # The bias stands before the scale, as the edit has it.
        s = (q @ k.T + (tensors["bias"].double() if "bias" in tensors else 0.0)) * (scale_log2 * math.log(2.0))
        want = {"O": torch.softmax(s, -1) @ v, "LSE": torch.logsumexp(s, -1), "M": s.amax(-1)}
        for name in set(want) & set(tensors):
            got = tensors[name][b, h].double()
            error = (got - want[name]).norm() / want[name].norm() if name == "O" else (got - want[name]).abs().max()
            found[name] = max(found.get(name, 0.0), math.inf if torch.isnan(error) else float(error))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--out", required=True)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    with open(os.path.join(args.directory, "forms.json"), encoding="utf-8") as file:
        staged = json.load(file)
    wrong = 0
    for example in dict.fromkeys(form["example"] for form in staged):
        contenders, forms = {}, {}
        for form in (f for f in staged if f["example"] == example):
            kernel = heddle_gpu.load(os.path.join(args.directory, form["folder"]))
            dim = next(v["shape"][-1] for v in kernel.manifest.views if v["name"] == "Q")
            tensors = tensors_of(kernel, dim, args)
            scale = dim**-0.5 / math.log(2.0)
            for name in ("O", "LSE", "M"):
                if name in tensors:
                    tensors[name].view(torch.uint8).fill_(0xFF)
            launch = kernel.bind(*tensors.values(), scale_log2=scale)
            launch()
            torch.cuda.synchronize()
            form["errors"] = errors(tensors, scale)
            # A scale that Q takes is rounded to fp16 twice, once in the scale and once in the product.
            bound = {"O": 2e-3, "LSE": 1e-4, "M": 1e-4} if form["form"] != "scale-in-q" else {"O": 4e-3, "LSE": 1e-2}
            form["right"] = all(form["errors"][name] <= bound[name] for name in form["errors"])
            wrong += not form["right"]
            contenders[form["form"]], forms[form["form"]] = launch, form
        times = batches.measure(contenders, rounds=args.rounds)
        best = min(times.values())
        for name, form in forms.items():
            form["ms"] = times.get(name)
            form["tflops"] = 4e-9 * args.batch * args.heads * args.rows**2 * dim / form["ms"] if form["ms"] else None
            part = f"{form['tflops']:6.1f} TFLOPS {best / form['ms']:.3f}" if form["ms"] else "too slow to time"
            print(f"{example:20} {name:14} {part} {'right' if form['right'] else 'WRONG'} {form['errors']}", flush=True)
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump({"device": torch.cuda.get_device_name(), **vars(args), "forms": staged}, file, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
