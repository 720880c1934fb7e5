"""Trains a small transformer for some steps in several ways: losses beside PyTorch's, and the time of a step.

    python3 bench/gpu/train_transformer.py --out FILE [--steps N] [--layers N] [--only TEXT ...] [--choices N]
        [--rounds N] [--calls]

The model: `--layers` layers of width 768 with 12 heads of 64, 1024 positions, a batch of 8, float16 products
(autocast), AdamW; the text is a Markov chain of 512 tokens, the same in each way. The ways:
    eager, compile                   PyTorch's attention and products; torch.compile
    heddle eager, heddle compile     attention and products of heddle.torch; the same under torch.compile
    templates                        torch.compile with max-autotune, products by Inductor's Triton templates alone
    heddle templates                 the same through heddle.triton, attention by heddle.torch
    ... graphs                       under torch.compile's mode reduce-overhead (CUDA graphs)
Inductor keeps kernels in its process and on disk: to see Heddle's in `heddle templates`, run that way alone (`--only
"heddle templates"`) with a TORCHINDUCTOR_CACHE_DIR of its own.
FILE: {"environment": ..., "ways": {way: {"losses", "ms_a_step", "largest_difference", "launches"}}}; a difference is
that of a loss from that of `eager`; `noise` is the same between eager and eager with another order of summation
(products in float32 accumulate in parts: torch.backends' reduced-precision reduction). ms_a_step: the median of steps
behind the first third. The processor's share of it is noisy: with --rounds, ways also take ROUND steps each in turn,
in drawn order, and `ms_in_rounds` is [least, median] of these. With --calls nothing is trained: FILE has "call_us",
{call: [least, median]}, microseconds of the host a call, of sizes for which the GPU never is the slower side.
Exit code: 0; 1 where a way fails or differs from eager by more than 0.01.
"""

import argparse
import gc
import json
import os
import random
import statistics
import sys
import time
import traceback

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, POSITIONS, BATCH, TOKENS = 768, 12, 1024, 8, 512
WORST = 0.01
ROUND = 4


def torch_attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def heddle_attention(q, k, v):
    from heddle.torch import attention

    return attention(q, k, v, causal=True)


class TorchLinear(nn.Linear):
    def forward(self, x, activation=None):
        y = F.linear(x, self.weight, self.bias)
        return F.gelu(y, approximate="tanh") if activation else y


class HeddleLinear(nn.Linear):
    def forward(self, x, activation=None):
        from heddle.torch import linear

        return linear(x, self.weight, self.bias, activation=activation and "gelu_tanh")


class Block(nn.Module):
    def __init__(self, linear, attention):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = linear(WIDTH, 3 * WIDTH), linear(WIDTH, WIDTH)
        self.up, self.down = linear(WIDTH, 4 * WIDTH), linear(4 * WIDTH, WIDTH)
        self.attention = attention

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(self.attention(q.half(), k.half(), v.half()).transpose(1, 2).flatten(2))
        return x + self.down(self.up(self.norm2(x), activation=True))


class Model(nn.Module):
    def __init__(self, layers, linear, attention):
        super().__init__()
        self.tokens, self.places = nn.Embedding(TOKENS, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.blocks = nn.ModuleList(Block(linear, attention) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(WIDTH), linear(WIDTH, TOKENS)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1).float(), targets.flatten())


def texts(steps):
    """Tokens of a Markov chain, (step, batch, position)."""
    generator = torch.Generator().manual_seed(1)
    follows = torch.randint(TOKENS, (TOKENS, 4), generator=generator)
    tokens = torch.randint(TOKENS, (steps * BATCH, 1), generator=generator)
    columns = [tokens[:, 0]]
    for _ in range(POSITIONS):
        columns.append(follows[columns[-1], torch.randint(4, (steps * BATCH,), generator=generator)])
    return torch.stack(columns, 1).view(steps, BATCH, POSITIONS + 1).cuda()


def training(layers, linear, attention, compiled):
    """step(text), which trains a new model and gives (loss, milliseconds)."""
    torch.manual_seed(0)
    model = Model(layers, linear, attention).cuda()
    run = torch.compile(model, **compiled) if compiled is not None else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    scaler = torch.amp.GradScaler("cuda", init_scale=2.0**10)

    def step(text):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        with torch.autocast("cuda", torch.float16):
            loss = run(text[:, :-1], text[:, 1:])
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        taken = 1e3 * (time.perf_counter() - begun)
        return loss.item(), taken

    return step


def in_rounds(steps, rounds):
    """{way: [least, median] milliseconds of a step}; a way's first step of a round is not counted."""
    times, text, drawn = {name: [] for name in steps}, texts(1)[0], random.Random(1)
    for _ in range(rounds):
        for name in drawn.sample(list(steps), len(steps)):
            times[name] += [steps[name](text)[1] for _ in range(ROUND + 1)][1:]
    return {name: [round(min(taken), 2), round(statistics.median(taken), 2)] for name, taken in times.items()}


def try_largest_tiles():
    """Has Inductor go through its list of tiles from the end, where the largest are."""
    from torch._inductor.template_heuristics.triton import BaseConfigHeuristic

    if not hasattr(BaseConfigHeuristic, "in_order"):
        BaseConfigHeuristic.in_order = BaseConfigHeuristic._finalize_mm_configs
        backwards = lambda self, configs: self.in_order(list(configs)[::-1])  # noqa: E731
        BaseConfigHeuristic._finalize_mm_configs = backwards


def ways(choices):
    """{name: (linear, attention, torch.compile's arguments or None, whether kernels of Inductor go through Heddle)}"""
    templates = {"options": {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON"}}
    if choices:
        templates["options"]["test_configs.max_mm_configs"] = choices
        try_largest_tiles()
    graphs = {"mode": "reduce-overhead"}
    return {
        "eager": (TorchLinear, torch_attention, None, False),
        "noise": (TorchLinear, torch_attention, None, False),
        "heddle eager": (HeddleLinear, heddle_attention, None, False),
        "compile": (TorchLinear, torch_attention, {}, False),
        "heddle compile": (HeddleLinear, heddle_attention, {}, False),
        "compile graphs": (TorchLinear, torch_attention, graphs, False),
        "heddle compile graphs": (HeddleLinear, heddle_attention, graphs, False),
        "templates": (TorchLinear, torch_attention, templates, False),
        "heddle templates": (TorchLinear, heddle_attention, templates, True),
    }


def calls(device="cuda"):
    """{what is called: a function without arguments}; `grad`: inputs that ask for gradients; `backward`: these."""
    from heddle.torch import linear, matmul

    sizes = (256, 768), (1024, 768), (1024,), (256, 1024)
    x, w, b, dy = (torch.randn(*size, device=device).half() for size in sizes)
    q, k, v, do = (torch.randn(1, 256, 2, 64, device=device).half().transpose(1, 2) for _ in range(4))
    kinds = {
        "torch linear": (F.linear, (x, w, b), dy),
        "linear": (linear, (x, w, b), dy),
        "matmul": (lambda x, w, b: matmul(x, w.T, b), (x, w, b), dy),
        "torch linear, gelu": (lambda *t: F.gelu(F.linear(*t), approximate="tanh"), (x, w, b), dy),
        "linear, gelu": (lambda *t: linear(*t, activation="gelu_tanh"), (x, w, b), dy),
        "torch attention": (torch_attention, (q, k, v), do),
        "attention": (heddle_attention, (q, k, v), do),
    }
    result = {
        "operator of a product": lambda: torch.ops.heddle.product.default(x, w.T, b, None),
        "operator of attention": lambda: torch.ops.heddle.attention_forward.default(q, k, v, True, 0.125),
    }
    for name, (function, tensors, gradient) in kinds.items():
        asking = [t.detach().requires_grad_() for t in tensors]
        output = function(*asking)
        result[name] = lambda f=function, t=tensors: f(*t)
        result[f"{name}, grad"] = lambda f=function, t=asking: f(*t)
        result[f"{name}, backward"] = lambda y=output, t=asking, g=gradient: torch.autograd.grad(y, t, g, True)
    return result


def time_calls(known, rounds=9, count=200):
    result = {}
    for name, call in known.items():
        times = []
        for _ in range(rounds + 1):
            torch.cuda.synchronize()
            begun = time.perf_counter()
            for _ in range(count):
                call()
            times.append(1e6 * (time.perf_counter() - begun) / count)
        result[name] = [round(min(times[1:]), 1), round(statistics.median(times[1:]), 1)]
        print(f"{name}: {result[name][0]} us at least, {result[name][1]} at the median", flush=True)
    return result


def launches():
    """By which version the launches of Triton kernels in this process were."""
    from heddle.triton import _launcher

    known = [item for item in gc.get_objects() if type(item) is _launcher.Launcher]
    return {side: sum(item.launches[side] for item in known) for side in ("heddle", "triton")}


def write(path, **result):
    environment = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"environment": environment, **result}, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--choices", type=int, help="tiles that Inductor tries, the largest of its list (default: all)")
    args = parser.parse_args()
    os.environ["HEDDLE_PROGRESS"] = "off"
    if args.calls:
        write(args.out, call_us=time_calls(calls()))
        return 0
    torch._dynamo.config.recompile_limit = 64  # the ways share the code of a model
    result, trained, bad = {}, {}, 0
    for name, (linear, attention, compiled, through) in ways(args.choices).items():
        if args.only and name != "eager" and name not in args.only:
            continue
        os.environ["HEDDLE_TRITON"] = "auto" if through else "off"
        if through:
            import heddle.triton

            heddle.triton.use_in_inductor()
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = name == "noise"
        begun = time.monotonic()
        try:
            step = training(args.layers, linear, attention, compiled)
            losses, times = zip(*[step(text) for text in texts(args.steps)])
        except Exception as error:
            traceback.print_exc()
            result[name], bad = {"failed": repr(error)}, bad + 1
            continue
        entry = {"losses": [round(loss, 5) for loss in losses]}
        entry["ms_a_step"] = round(statistics.median(times[args.steps // 3 :]), 2)
        entry["seconds"] = round(time.monotonic() - begun, 1)
        if through:
            entry["launches"] = launches()
        result[name] = entry
        if name != "noise":  # which is eager but for a setting
            trained[name] = step
        entry["largest_difference"] = max(abs(a - b) for a, b in zip(losses, result["eager"]["losses"]))
        bad += not entry["largest_difference"] <= WORST
        shown = {key: value for key, value in entry.items() if key != "losses"}
        print(f"{name}: loss {losses[0]:.4f} to {losses[-1]:.4f}, {shown}", flush=True)
        write(args.out, ways=result)
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    for name, times in in_rounds(trained, args.rounds).items() if args.rounds else ():
        result[name]["ms_in_rounds"] = times
        print(f"{name}: in rounds {times[0]:.2f} ms at least, {times[1]:.2f} at the median", flush=True)
    write(args.out, ways=result)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
