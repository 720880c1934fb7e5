#!/usr/bin/env python3
"""Checks and times compiled attention, forward kernels and backward chains, beside FlashAttention-3 and cuDNN.

    python3 bench/gpu/time_attention.py --full DIR... --causal DIR... --out times.json [--fa3 FOLDER]

DIR      kernel directories or chains of `heddle compile --emit=cubin`: with the views of a forward pass (Q, K, V, O,
         perhaps LSE) or of a backward pass (Q, K, V, O, dO, LSE, dQ, dK, dV), rank 4, fp16, as many key heads as
         heads. Those of one pass, head dimension and mask are contenders of each other.
--fa3    a folder with fa3.py, whose class FA3 has `fwd` and `bwd`, each of which binds tensors of a kernel of
         FlashAttention-3 and gives a callable that launches it. Without it cuDNN alone is the peer.
--triton the fastest right configuration of triton_peers.py is a peer as well, where the mask is full.
Check:   float64 at short lengths and at each timed one (a head there), outputs poisoned with NaN; bound 2e-3 by norm,
         LSE 1e-4. What fails is not timed, and the exit code is 1.
--again  of each length the fastest kernel is timed in rounds of its own beside the peers, which are the figures of
         `fastest`: the least of many noisy times would flatter.
Timing:  batches.py; `--sustained` also batches of 150 ms, in which the card is at its power limit: of the last length,
         and of what --again times.
Output:  JSON: {"device", "torch", "figures": {"forward d128 full": {"wrong": {name: why}, "tflops": {length:
         {contender: TFLOPS}}}}}, and a line for each contender: the geometric mean of its ratios to FlashAttention-3
         (without it, to cuDNN), and TFLOPS and ratio of each length.
"""

import argparse
import importlib
import json
import math
import os
import random
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batches  # noqa: E402
import heddle_gpu  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402

FORWARD, BACKWARD = ("Q", "K", "V", "O"), ("Q", "K", "V", "O", "dO", "LSE", "dQ", "dK", "dV")


class Problem:
    """Inputs of one length, what a forward pass makes of them, and float64 references of a sample of heads."""

    def __init__(self, backward, batch, heads, rows, dim, causal, sample):
        self.shape, self.causal, self.scale = (batch, heads, rows, dim), causal, dim**-0.5
        given = ("Q", "K", "V", "dO") if backward else ("Q", "K", "V")
        self.tensors = {x: torch.randn(self.shape, device="cuda", dtype=torch.float16) for x in given}
        self.outputs = ("dQ", "dK", "dV") if backward else ("O", "LSE")
        self.tensors["O"] = torch.empty(self.shape, device="cuda", dtype=torch.float16)
        self.tensors["LSE"] = torch.empty(self.shape[:3], device="cuda")
        if backward:
            self.tensors.update((x, torch.empty_like(self.tensors["Q"])) for x in self.outputs)
            self.run_forward()
        every = [(b, h) for b in range(batch) for h in range(heads)]
        self.wanted = {at: self.reference(at) for at in random.sample(every, min(sample, len(every)))}

    def run_forward(self):
        q, k, v = (self.tensors[x] for x in "QKV")
        o, lse = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, self.causal, scale=self.scale)[:2]
        self.tensors["O"].copy_(o)
        self.tensors["LSE"].copy_(lse)

    def reference(self, at):
        q, k, v = (self.tensors[x][at].double() for x in "QKV")
        s = q @ k.T * self.scale
        if self.causal:
            s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu_(1), -math.inf)
        lse = torch.logsumexp(s, -1)
        p = s.sub_(lse[:, None]).exp_()
        if self.outputs[0] == "O":
            return {"O": p @ v, "LSE": lse}
        g = self.tensors["dO"][at].double()
        slope = p * (g @ v.T - (g * (p @ v)).sum(-1, keepdim=True)) * self.scale
        return {"dQ": slope @ k, "dK": slope.T @ q, "dV": p.T @ g}

    def poison(self):
        for name in self.outputs:
            self.tensors[name].view(torch.uint8).fill_(0xFF)

    def errors(self, views):
        """{output: the largest error of the sampled heads}; NaN anywhere is an infinite error."""
        found = {}
        for name in (x for x in self.outputs if x in views):
            got = self.tensors[name]
            found[name] = math.inf if torch.isnan(got).any() else 0.0
            for at, want in self.wanted.items():
                off = got[at].double() - want[name]
                error = float(off.abs().max() if name == "LSE" else off.norm() / want[name].norm())
                found[name] = max(found[name], math.inf if math.isnan(error) else error)
        return found

    def launch(self, kernel):
        scalars = {"scale": self.scale, "scale_log2": self.scale / math.log(2.0)}
        scalars = {x["name"]: scalars[x["name"]] for x in kernel.manifest.scalars}
        return kernel.bind(*(self.tensors[x] for x in kernel.views()), **scalars)

    def peers(self, fa3, triton):
        made = {}
        names = FORWARD + ("LSE",) if self.outputs[0] == "O" else ("Q", "K", "V", "O", "LSE", "dO", "dQ", "dK", "dV")
        own = [torch.empty_like(self.tensors[x]) if x in self.outputs else self.tensors[x] for x in names]
        if fa3:
            call = fa3.fwd if self.outputs[0] == "O" else fa3.bwd
            made["fa3"] = call(*own, self.shape, self.causal, "bhsd", self.scale)
        made["cudnn"] = self.cudnn()
        if triton and not self.causal:
            made["triton"] = self.triton()
        return made

    def triton(self):
        import triton_peers

        names = FORWARD + ("LSE",) if self.outputs[0] == "O" else BACKWARD
        make = triton_peers.attention if self.outputs[0] == "O" else triton_peers.attention_backward
        times = {}
        for _, run in make(*(self.tensors[x] for x in names)):
            try:
                self.poison()
                run()
                torch.cuda.synchronize()
            except Exception as error:  # a configuration that does not fit
                print(f"triton {self.shape}: {str(error).splitlines()[0][:100]}", flush=True)
                continue
            if max(self.errors(names).values()) < 2e-3:
                times[run] = batches.once(run)
        if not times:
            raise SystemExit(f"no configuration of Triton's kernel is right for {self.shape}")
        return min(times, key=times.get)

    def cudnn(self):
        backward = self.outputs[0] != "O"

        def forward():
            leaves = [self.tensors[x].detach().requires_grad_(backward) for x in "QKV"]
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=self.causal), leaves

        # By stream: autograd runs a gradient on the stream on which its forward pass and its leaves were made.
        kept = {}

        def gradients():
            stream = torch.cuda.current_stream().cuda_stream
            if stream not in kept:
                kept[stream] = forward()
            return torch.autograd.grad(*kept[stream], self.tensors["dO"], retain_graph=True)

        return gradients if backward else forward

    def operations(self):
        batch, heads, rows, dim = self.shape
        products = 2 if self.outputs[0] == "O" else 5
        return 2 * products * batch * heads * rows * rows * dim / (2 if self.causal else 1)


def groups_of(args):
    """{(backward, dim, causal): {name: kernel}}"""
    found = {}
    for causal, folders in ((False, args.full), (True, args.causal)):
        for folder in folders:
            kernel = heddle_gpu.load(folder)
            views = kernel.views()
            if tuple(views) not in (FORWARD, FORWARD + ("LSE",), BACKWARD):
                raise SystemExit(f"{folder}: expected the views {FORWARD} or {BACKWARD}, got {tuple(views)}")
            dim = next(v["shape"][-1] for v in kernel.manifest.views if v["name"] == "Q")
            key = len(views) == len(BACKWARD), dim, causal
            found.setdefault(key, {})[os.path.basename(os.path.normpath(folder))] = kernel
    return found


def check(problem, kernels, wrong):
    for name, kernel in kernels.items():
        problem.poison()
        problem.launch(kernel)()
        torch.cuda.synchronize()
        for output, error in problem.errors(kernel.views()).items():
            if error > (1e-4 if output == "LSE" else 2e-3):
                wrong.setdefault(name, f"{output} of {problem.shape}: error {error:.1e}")


def measure(problem, kernels, peers, milliseconds, rounds):
    contenders = {}
    for name, run in problem.peers(*peers).items():
        try:
            run()
            torch.cuda.synchronize()
            contenders[name] = run
        except RuntimeError as error:  # it refuses the shape
            print(f"{name} {problem.shape}: {str(error).splitlines()[0]}", flush=True)
    contenders.update((name, problem.launch(kernel)) for name, kernel in kernels.items())
    times = batches.measure(contenders, milliseconds, rounds)
    return {name: round(problem.operations() / time * 1e-9, 2) for name, time in times.items()}


def report(title, table, columns):
    if not columns:
        return
    peer = "fa3" if "fa3" in table[columns[0]] else "cudnn"
    for name in dict.fromkeys(name for column in columns for name in table[column] if name != "kernel"):
        ratios = [table[c][name] / table[c][peer] if name in table[c] else None for c in columns]
        known = [ratio for ratio in ratios if ratio]
        mean = math.exp(sum(map(math.log, known)) / len(known))
        shown = " ".join(
            f"{table[c][name]:6.1f} {ratio:.3f}" if ratio else "      -     " for c, ratio in zip(columns, ratios)
        )
        print(f"{title} {name:24} {mean:.3f} | {shown}", flush=True)


def parser_of(words):
    """The options of every command that times attention."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", nargs="*", default=[])
    parser.add_argument("--causal", nargs="*", default=[])
    parser.add_argument("--out", required=True)
    parser.add_argument("--fa3")
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--sustained", action="store_true")
    return parser


def library_of(folder, module):
    """FlashAttention-3 from a module in `folder`; None without one."""
    if not folder:
        return None
    sys.path.append(folder)
    return importlib.import_module(module).FA3()


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--heads", type=int, default=32)
    # (A gradient of one row is zero: an error by norm says nothing.)
    parser.add_argument("--checked", type=int, nargs="+", default=[17, 129, 1000])
    parser.add_argument("--milliseconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    fa3 = library_of(args.fa3, "fa3")
    result, bad = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "figures": {}}, 0
    for (backward, dim, causal), kernels in groups_of(args).items():
        title = f"{'backward' if backward else 'forward'} d{dim} {'causal' if causal else 'full'}"
        wrong, table, again = {}, {}, {}
        for rows in args.checked:
            check(Problem(backward, 2, 3, rows, dim, causal, 6), kernels, wrong)
        for rows in args.lengths:
            problem = Problem(backward, args.batch, args.heads, rows, dim, causal, 1)
            check(problem, kernels, wrong)
            right = {name: kernel for name, kernel in kernels.items() if name not in wrong}
            peers = (fa3, args.triton)
            table[str(rows)] = measure(problem, right, peers, args.milliseconds, args.rounds)
            timed = [name for name in right if name in table[str(rows)]]
            if args.again and timed:
                name = max(timed, key=table[str(rows)].get)
                fastest = {"fastest": right[name]}
                again[str(rows)] = measure(problem, fastest, peers, args.milliseconds, args.rounds) | {"kernel": name}
                if args.sustained:
                    again[f"{rows} sustained"] = measure(problem, fastest, peers, 150.0, 3)
            if args.sustained and rows == args.lengths[-1]:
                table[f"{rows} sustained"] = measure(problem, right, peers, 150.0, 3)
            del problem
            torch.cuda.empty_cache()
        for name, why in wrong.items():
            print(f"{title} {name}: wrong, {why}", flush=True)
        bad += len(wrong)
        result["figures"][title] = {"wrong": wrong, "tflops": table}
        report(title, table, list(table))
        if again:
            result["figures"][title]["again"] = again
            report(title, again, [column for column in again if "kernel" in again[column]])
            report(f"{title} sustained", again, [column for column in again if "kernel" not in again[column]])
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
