#!/usr/bin/env python3
"""Checks the members of the family of products at random sizes, without a contraction (K = 0) and with one of 1 too.

    python3 bench/gpu/check_family.py DIR --out family.json [--shapes 60] [--most 3000] [--seed 1]

DIR is what stage_family.py made. Inputs are random; what lies behind a row (rows begin at multiples of 16 bytes) and
all of an output before the run is NaN. Each output is compared with the same expression in float64, by norm and by its
worst element (bench.py); a second run must give the same bits, except where a kernel adds in memory. Counted, not
judged, are sizes at which a kernel writes between a row's end and the next multiple of 16 bytes (docs/Manifest.md). One
process for each member, with a time limit, since a kernel that faults takes its process.
"""

import argparse
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage_family import MEMBERS  # noqa: E402

FEW = [(1, 1, 1), (1, 1, 0), (130, 257, 0), (300, 200, 1), (1, 3000, 2999), (3000, 1, 17), (2999, 2999, 1)]


def shapes(count, most, draw):
    """(M, N, K): the smallest and longest first, then random ones, every third of them small."""
    some = [tuple(min(x, most) for x in each) for each in FEW][:count]
    while len(some) < count:
        top = most if len(some) % 3 else min(most, 300)
        some.append(tuple(draw.randint(1, top) for _ in range(3)))
    return some


def split(total, groups, draw):
    """`total` rows in so many groups, some of them empty."""
    cuts = sorted(draw.choice([0, total, draw.randint(0, total)]) for _ in range(groups - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total])]


def padded(torch, shape, dtype, fill):
    """A tensor of `shape` whose rows begin at multiples of 16 bytes, and the memory that it lies in."""
    size = torch.empty((), dtype=dtype).element_size()
    step = 16 // size
    pitch = max(step, -(-shape[-1] // step) * step) if len(shape) > 1 else max(1, shape[-1])
    whole = torch.empty(*shape[:-1], pitch, dtype=dtype, device="cuda")
    if whole.numel():
        whole.view(torch.uint8).fill_(fill)
    return whole[..., : shape[-1]], whole


def values(torch, shape, elem, factor):
    if elem == "i8":
        return torch.randint(-8, 9, shape, device="cuda")
    # f32 operands are rounded to tf32 by the tensor core: those of half precision are exact.
    return (torch.randn(shape, device="cuda") * factor).half()


def check_shape(kernel, what, dims, sizes):
    """The verdicts on every output: bench.compare's, with `kept` and `repeats`."""
    import torch

    import bench
    from problems import DTYPES, TOLERANCE

    def shape_of(text):
        return tuple(dims[d] for d in text.split())

    inputs, wide, outputs = {}, {}, {}
    for name, text in what["inputs"].items():
        elem = what["elems"].get(name, what["elem"])
        inputs[name], _ = padded(torch, shape_of(text), DTYPES[elem], 0xFF)
        factor = max(1, dims["K"]) ** -0.5 if name in what["small"] else 1.0
        made = torch.tensor(sizes) if name == "sizes" else values(torch, shape_of(text), elem, factor)
        inputs[name].copy_(made.to(DTYPES[elem]))
        wide[name] = inputs[name].double()
    fill = 0 if what["added"] else 0xFF
    for name, (text, _) in what["outputs"].items():
        outputs[name] = padded(torch, shape_of(text), DTYPES[what["elems"].get(name, what["out"])], fill)
    given = {**inputs, **{name: each[0] for name, each in outputs.items()}}
    launch = kernel.bind(*(given[name] for name in kernel.views()), **what["scalars"])
    launch()
    torch.cuda.synchronize()
    first = {name: whole.clone() for name, (_, whole) in outputs.items()}
    verdicts = {}
    for name, (_, expression) in what["outputs"].items():
        view, whole = outputs[name]
        want = eval(expression, {"torch": torch, **wide})
        elem = what["elems"].get(name, what["out"])
        verdict = bench.compare(view, want, what["tolerance"] or TOLERANCE.get(elem, 0.0))
        behind = whole[..., view.shape[-1] :].contiguous()
        verdict["kept"] = not behind.numel() or bool((behind.view(torch.uint8) == fill).all())
        verdicts[name] = verdict
    for _, whole in outputs.values():
        if whole.numel():
            whole.view(torch.uint8).fill_(fill)
    launch()
    torch.cuda.synchronize()
    for name, (_, whole) in outputs.items():
        same = torch.equal(whole.view(torch.uint8), first[name].view(torch.uint8))
        verdicts[name]["repeats"] = what["added"] or same
    return verdicts


def child(args):
    import heddle_gpu

    name = args.member
    what, draw = MEMBERS[name], random.Random(f"{args.seed} {name}")
    kernel = heddle_gpu.load(os.path.join(args.directory, os.path.basename(name)))
    for m, n, k in shapes(args.shapes, args.most, draw):
        dims = {"M": m, "N": n, "K": k, "T": m, "Z": draw.randint(1, 4), "G": draw.randint(1, 12)}
        result = {"sizes": dims}
        verdicts = check_shape(kernel, what, dims, split(m, dims["G"], draw))
        good = all(v["ok"] and v["repeats"] for v in verdicts.values())
        result["behind"] = not all(v["kept"] for v in verdicts.values())
        result["error"] = max(v["relative_error"] for v in verdicts.values())
        if not good:
            result["wrong"] = verdicts
        print(json.dumps(result), flush=True)
    return 0


def check_member(args, name):
    """{"right", "of", "behind", "error", "wrong"} of one member."""
    command = [sys.executable, os.path.abspath(__file__), args.directory, "--member", name]
    command += ["--shapes", str(args.shapes), "--most", str(args.most), "--seed", str(args.seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds, check=False)
        said, why = done.stdout, (done.stderr.strip().splitlines() or ["ended early"])[-1]
    except subprocess.TimeoutExpired as expired:
        said, why = (expired.stdout or b"").decode(), f"more than {args.seconds} s"
    results = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    wrong = [result for result in results if "wrong" in result]
    if len(results) < args.shapes:
        wrong.append({"after": len(results), "wrong": why})
    error = max((result["error"] for result in results), default=None)
    right, behind = sum("wrong" not in result for result in results), sum(result["behind"] for result in results)
    return {"right": right, "of": args.shapes, "behind": behind, "error": error, "wrong": wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--out")
    parser.add_argument("--shapes", type=int, default=60)
    parser.add_argument("--most", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--jobs", type=int, default=4, help="members at a time")
    parser.add_argument("--commit", default="")
    parser.add_argument("--member", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.member:
        return child(args)
    from concurrent.futures import ThreadPoolExecutor

    names = [name for name in MEMBERS if os.path.exists(os.path.join(args.directory, os.path.basename(name)))]
    with ThreadPoolExecutor(args.jobs) as pool:
        found = dict(zip(names, pool.map(lambda name: check_member(args, name), names)))
    for name, result in found.items():
        print(
            f"{name}: {result['right']} of {result['of']} right, largest error {result['error']}, "
            f"{result['behind']} write behind rows"
        )
        for wrong in result["wrong"][:3]:
            print(f"    {json.dumps(wrong)}")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump({"commit": args.commit, "seed": args.seed, "most": args.most, "members": found}, file, indent=1)
    return 1 if any(result["wrong"] for result in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
