#!/usr/bin/env python3
"""Checks and times compiled attention forward of e4m3 with heads of 128, beside FlashAttention-3, cuDNN's (where its
frontend can be imported), and cuDNN's of f16.

    python3 bench/gpu/time_attention_fp8.py --full DIR... --causal DIR... --out times.json [--fa3 FOLDER]

DIR      kernel directories or chains of `heddle compile --emit=cubin`: views Q, K (batch, heads, rows, 128), V (so, or
         transposed: batch, heads, 128, rows), O of bf16, LSE, and for each head `scores`, what its scores are
         multiplied by before exp2, and `values`, what its results are.
--fa3    a folder with fa3fp8.py, whose class FA3 has `fwd(q, k, v, o, lse, descales, dims, causal, scale)`, which
         gives a callable; descales are three tensors (batch, heads). V is not transposed.
Check:   float64 of the 8-bit inputs, a sample of heads, outputs poisoned. The weights are rounded to 8 bits on the way:
         bound 5e-2 by norm, LSE 1e-3. FlashAttention-3's error is printed beside.
Timing:  batches.py; ratios are FlashAttention-3's time over ours. `--sustained` also batches of 150 ms.
"""

import json
import math
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batches  # noqa: E402
import cudnn_fp8  # noqa: E402
import heddle_gpu  # noqa: E402
from time_attention import library_of, parser_of  # noqa: E402

DIM = 128


class Problem:
    def __init__(self, batch, heads, rows, causal):
        self.shape, self.causal = (batch, heads, rows, DIM), causal
        eight = torch.float8_e4m3fn
        self.q, self.k, self.v = (torch.randn(self.shape, device="cuda").to(eight) for _ in range(3))
        self.transposed = self.v.transpose(-1, -2).contiguous()
        self.o = torch.empty(self.shape, device="cuda", dtype=torch.bfloat16)
        self.lse = torch.empty(self.shape[:3], device="cuda")
        self.descales = [torch.rand(batch, heads, device="cuda") + 0.5 for _ in range(3)]
        scores = self.descales[0] * self.descales[1] * DIM**-0.5
        self.scores, self.values = (scores * math.log2(math.e)).contiguous(), self.descales[2]
        s = self.q[0, 0].double() @ self.k[0, 0].double().T * scores[0, 0].double()
        if causal:
            s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu_(1), -math.inf)
        self.wanted_lse = torch.logsumexp(s, -1)
        self.wanted = s.softmax(-1) @ (self.v[0, 0].double() * self.values[0, 0].double())

    def errors(self, run):
        for x in (self.o, self.lse):
            x.view(torch.uint8).fill_(0xFF)
        run()
        torch.cuda.synchronize()
        if torch.isnan(self.o).any() or torch.isnan(self.lse).any():
            return math.inf, math.inf
        error = (self.o[0, 0].double() - self.wanted).norm() / self.wanted.norm()
        return float(error), float((self.lse[0, 0].double() - self.wanted_lse).abs().max())

    def launch(self, kernel):
        given = {"Q": self.q, "K": self.k, "O": self.o, "LSE": self.lse, "scores": self.scores, "values": self.values}
        given["V"] = self.transposed if takes_transposed(kernel) else self.v
        return kernel.bind(*(given[x] for x in kernel.views()))

    def fa3(self, library):
        tensors = self.q, self.k, self.v, self.o, self.lse
        return library.fwd(*tensors, self.descales, self.shape, self.causal, DIM**-0.5)

    def cudnn_fp8(self):
        """Without factors of heads, to results of e4m3; None without cuDNN's frontend."""
        try:
            return cudnn_fp8.attention(self.q, self.k, self.v, self.causal, DIM**-0.5)[0]
        except ImportError:
            return None

    def cudnn(self):
        """The same sizes in f16."""
        q, k, v = (x.half() for x in (self.q, self.k, self.v))

        def run():
            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)

        return run


def takes_transposed(kernel):
    return next(view["shape"][-2] for view in kernel.manifest.views if view["name"] == "V") == DIM


def main():
    args = parser_of(__doc__).parse_args()
    library = library_of(args.fa3, "fa3fp8")
    bad, result = 0, {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "figures": {}}
    for mask, folders in (("full", args.full), ("causal", args.causal)):
        kernels = {os.path.basename(os.path.normpath(folder)): heddle_gpu.load(folder) for folder in folders}
        for rows in (17, 129, 1000) if kernels else ():
            # (rows of whole 16 bytes: V's are those of keys where it is transposed)
            problem = Problem(2, 3, -(-rows // 16) * 16, mask == "causal")
            for name, kernel in kernels.items():
                error = problem.errors(problem.launch(kernel))
                if not (error[0] < 5e-2 and error[1] < 1e-3):
                    bad += 1
                    print(f"{mask} {rows} {name}: wrong, errors {error}", flush=True)
        for rows in args.lengths if kernels else ():
            problem = Problem(4, 32, rows, mask == "causal")
            runs = {name: problem.launch(kernel) for name, kernel in kernels.items()}
            if library:
                runs["fa3"] = problem.fa3(library)
            errors = {name: problem.errors(run) for name, run in runs.items()}
            bad += sum(not (a < 5e-2 and b < 1e-3) for a, b in errors.values())
            runs["cudnn f16"] = problem.cudnn()
            if run := problem.cudnn_fp8():
                runs["cudnn fp8"] = run
            operations = 4 * 4 * 32 * rows * rows * DIM / (2 if problem.causal else 1)
            for kind, milliseconds, rounds in (("", 4.0, 7),) + ((" sustained", 150.0, 3),) * args.sustained:
                times = batches.measure(runs, milliseconds, rounds)
                speeds = {name: round(operations / time * 1e-9, 1) for name, time in times.items()}
                result["figures"].setdefault(mask, {})[f"{rows}{kind}"] = {"tflops": speeds, "errors": errors}
                print(f"{mask} {rows}{kind}", speeds, {n: f"{a:.1e}" for n, (a, _) in errors.items()}, flush=True)
            with open(args.out, "w", encoding="utf-8") as file:
                json.dump(result, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
