#!/usr/bin/env python3
"""Cycles that an iteration takes, of kernels as they ship. Runs on the GPU machine.

    python3 bench/gpu/time_truth.py OUT --out truth.json [--commit HASH] [--repeats 5]

OUT is what stage_truth.py made. Each kernel is checked first (fresh random inputs, poisoned outputs, float64). Then it
runs with several lengths of its loop between two kernels that read the clock of every multiprocessor (`clock64`): the
kernel itself stays as it is. The programs fill the card a whole number of times, so that every multiprocessor runs as
many; the difference of two lengths over that of the iterations is what one of them takes, free of launch, begin and end
of loops. `alone`: the same with one block. Event times of kernels of one program are taken in random order.
"""

import argparse
import ctypes
import json
import os
import random
import statistics
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heddle_gpu  # noqa: E402
import problems  # noqa: E402
from bench import check  # noqa: E402
from stage_examples import CASES, tile_of  # noqa: E402

SMS, CLOCK_BYTES = 132, 200 << 10
# Tiles of 64, 128 or 192 x 64, 128 or 256 divide these into a multiple of 132 programs; so do 128 or 192 rows of 66
# heads.
M, N, HEADS, ROWS = 1536, 8448, 66, 768


def tensor(*shape, elem="f16"):
    return {"shape": list(shape), "elem": elem}


def generic(inputs, outputs, **keys):
    return {"kind": "generic", "inputs": inputs, "outputs": outputs, **keys}


def constant(value, *shape):
    return {"value": f"torch.full({shape}, {value}, device='cuda')", "elem": "f32"}


def case_of(name, length, alone):
    """(problem, programs of each multiprocessor) with `length` elements along the loop."""
    bm, bn = tile_of(name)
    if "attention" in name:
        dim = 64 if "d64" in name else 128
        heads, rows = (1, bm) if alone else (HEADS, ROWS)
        if "causal" in name:
            heads, rows = 1 if alone else 132, length
        rounds = 1 if alone else heads * (rows // bm) / SMS
        if "backward" in name:
            q, keys = tensor(1, heads, length, dim), tensor(1, heads, rows, dim)
            return generic(
                {"Q": q, "K": keys, "V": keys, "dO": q, "LSE": constant(6.0, 1, heads, length),
                 "Delta": constant(0.1, 1, heads, length)},
                {"dQ": dict(tensor(1, heads, length, dim, elem="f32"), added=True), "dK": keys, "dV": keys},
                scalars={"scale": dim**-0.5},
            ), rounds
        q, keys = tensor(1, heads, rows, dim), tensor(1, heads, length, dim)
        return generic(
            {"Q": q, "K": keys, "V": keys}, {"O": q, "LSE": tensor(1, heads, rows, elem="f32")},
            scalars={"scale_log2": dim**-0.5 * problems.LOG2E},
        ), rounds
    m, n, k = (bm, bn, length) if alone else (M, N, length)
    rounds = 1 if alone else (m // bm) * (n // bn) / SMS
    a, b, c = tensor(m, k), tensor(n, k), tensor(m, n)
    given = CASES[name][0]
    if given["kind"] == "gemm":
        elem = given.get("dtype", "f16")
        lead = () if "batch" not in given else (1 if alone else 2,)
        left = (k, m) if given.get("a") == "km" else (m, k)
        right = (k, n) if given.get("b") == "kn" else (n, k)
        return generic(
            {"A": tensor(*lead, *left, elem=elem), "B": tensor(*lead, *right, elem=elem)},
            {"C": tensor(*lead, m, n, elem=given.get("out_dtype", elem))},
        ), rounds * (lead[0] if lead else 1)
    groups = 1 if alone else 4
    f8, wide = (lambda *s: tensor(*s, elem="e4m3")), (lambda *s: tensor(*s, elem="f32"))
    inputs, outputs, more = {
        "03": ({"A": a, "B": b, "bias": tensor(n)}, {"C": c}, {}),
        "04": ({"A": a, "B": b}, {"C": c}, {"scalars": {"scale": 0.5}}),
        "05": ({"A": a, "B1": b, "B2": b}, {"C1": c, "C2": c}, {}),
        "06": ({"A": a, "B": b}, {"C": c, "S": wide(m)}, {}),
        "22": ({"A": a, "B": b, "G": b}, {"C": c}, {}),
        "23": ({"A": a, "B": b, "bias": tensor(n), "R": c}, {"C": c}, {}),
        "24": ({"A": f8(m, k), "B": f8(n, k), "scaleA": wide(m), "scaleB": wide(n)},
               {"C": tensor(m, n, elem="bf16")}, {}),
        "25": ({"A": a, "B": tensor(groups, n, k),
                "sizes": {"value": f"torch.tensor([{m // groups}] * {groups}, device='cuda')", "elem": "i32"}},
               {"C": c}, {}),
        "26": ({"A": a, "B": b}, {"C": dict(wide(m, n), added=True)}, {}),
    }[name[:2]]
    return generic(inputs, outputs, **more), rounds


def lengths_of(name, alone):
    if "causal" in name:
        return [1024, 2048] if alone else [1536, 3072, 6144]
    return [2048, 8192]


class Clock:
    """Cycles of every multiprocessor between two places of the stream."""

    def __init__(self, path):
        with open(path, "rb") as file:
            image = file.read()
        self.driver = heddle_gpu.driver()
        module, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        self.driver("cuModuleLoadData", ctypes.byref(module), image)
        self.driver("cuModuleGetFunction", ctypes.byref(self.handle), module, b"readClock")
        self.driver("cuFuncSetAttribute", self.handle, 8, CLOCK_BYTES)  # dynamic shared memory
        self.tables = [torch.zeros(SMS, dtype=torch.int64, device="cuda") for _ in range(2)]
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def read(self, table):
        cell = ctypes.c_uint64(table.data_ptr())
        params = (ctypes.c_void_p * 1)(ctypes.addressof(cell))
        self.driver("cuLaunchKernel", self.handle, SMS, 1, 1, 1024, 1, 1, CLOCK_BYTES,
                    ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), params, None)

    def cycles(self, launch, flush):
        """(median, most and least over the multiprocessors, milliseconds) of one run."""
        flush.zero_()  # meanwhile everything behind it is queued
        self.read(self.tables[0])
        self.events[0].record()
        launch()
        self.events[1].record()
        self.read(self.tables[1])
        torch.cuda.synchronize()
        apart = (self.tables[1] - self.tables[0]).tolist()
        return [statistics.median(apart), max(apart), min(apart), self.events[0].elapsed_time(self.events[1])]


def poison(problem):
    for i, out in enumerate(problem["outputs"]):
        out.zero_() if i in problem.get("added", ()) else out.view(torch.uint8).fill_(0xFF)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("staged")
    parser.add_argument("--out", required=True)
    parser.add_argument("--commit", default="")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    directories = sorted(n for n in os.listdir(args.staged) if os.path.isdir(os.path.join(args.staged, n)))
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    clock = Clock(os.path.join(args.staged, "clock.cubin"))
    report = {
        "environment": {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "commit": args.commit,
                        "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count},
        "empty": [clock.cycles(lambda: None, flush) for _ in range(args.repeats)],
        "kernels": [],
    }
    made, timed = {}, {}

    def problem_of(case, kept=8):
        key = json.dumps(case, sort_keys=True)
        if key not in made:
            for old in list(made)[: max(0, len(made) - kept)]:
                del made[old]
            made[key] = problems.make(case)
        return made[key]

    for name in directories:
        directory = os.path.join(args.staged, name)
        with open(os.path.join(directory, "truth.json"), encoding="utf-8") as file:
            entry = {"kernel": name, **json.load(file), "runs": []}
        example = entry["example"]
        report["kernels"].append(entry)
        try:
            kernel = heddle_gpu.Kernel(directory)
            small = [c for c in CASES[example] if c.get("rows", 200) not in (1, 77)]
            _, checked = check(kernel, problem_of(small[min(3, len(small) - 1)]))
            entry["right"] = checked["ok"]
            if not checked["ok"]:
                print(f"{name}: WRONG {checked}", flush=True)
                continue
            for alone in (True, False):
                for length in lengths_of(example, alone):
                    case, rounds = case_of(example, length, alone)
                    problem = problem_of(case)
                    poison(problem)
                    names = {s["name"] for s in kernel.manifest.scalars}
                    scalars = {k: v for k, v in problem["scalars"].items() if k in names}
                    launch = kernel.bind(*problem["inputs"], *problem["outputs"], **scalars)
                    launch()
                    runs = [clock.cycles(launch, flush) for _ in range(args.repeats)]
                    entry["runs"].append({"alone": alone, "length": length, "rounds": rounds, "grid": launch.shape[:3],
                                          "cycles": statistics.median(r[0] for r in runs), "all": runs})
                    if not alone and length == lengths_of(example, alone)[-1]:
                        timed.setdefault(example, []).append((entry, launch, problem))
            print(name, entry["intervals"], [(r["alone"], r["length"], r["cycles"]) for r in entry["runs"]], flush=True)
        except Exception as error:  # one kernel that cannot run must not cost the others theirs
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
            entry["error"] = str(error)
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(report, file)
    shuffle = random.Random(1)
    for kernels in timed.values():
        for _ in range(args.rounds if len(kernels) > 1 else 0):
            pending = []
            for entry, launch, _ in shuffle.sample(kernels, len(kernels)):
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                launch()
                end.record()
                pending.append((entry, start, end))
            torch.cuda.synchronize()
            for entry, start, end in pending:
                entry.setdefault("event_ms", []).append(start.elapsed_time(end))
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(report, file)
    print("done")


if __name__ == "__main__":
    main()
