#!/usr/bin/env python3
"""Checks and times what stage_tasks.py staged, beside cuBLAS, cublasLt's best of 8, Triton, cuDNN, FlashAttention.

    python3 bench/gpu/time_tasks.py FOLDER --out RESULT.json [--commit HASH] [--fa3 FOLDER] [--only FIGURE...]

Method and error bounds are bench.py's: check first, also at sizes that no tile divides; then all contenders take turns
in random order. Of Triton's configurations (triton_peers.py) the fastest is timed. --fa3 names a folder with fa3.py,
FlashAttention-3 behind FA3().fwd(...). One process for all figures; where it dies, another goes on with the next one.
Result: {environment, figures: {figure: [{case, check, figures, chosen, skipped}]}, mappings: likewise}. Exit code 1
when a kernel of ours is wrong or could not run.
"""

import argparse
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

F16, F32 = "f16", "f32"
# Tensors of each figure: inputs, then outputs; kernels take them by name.
NAMES = {
    "gemm": ["A", "B", "C"],
    "batched": ["A", "B", "C"],
    "gated": ["A", "B", "G", "C"],
    "rowsum": ["A", "B", "C", "R"],
    "attention": ["Q", "K", "V", "O", "LSE"],
}
KERNEL = {"gemm": "product"}  # of triton_peers, where it has another name
PLAIN = "plain product"  # by tasks, beside the figures of products that do more


def fused(m, n, k, figure, **keys):
    """The products that are no `gemm` of problems.py."""
    inputs = {"A": {"shape": [m, k], "elem": F16}, "B": {"shape": [n, k], "elem": F16}}
    outputs = {"C": {"shape": [m, n], "elem": F16, "reference": "A @ B.T"}}
    flops = 2 * m * n * k
    if figure == "gated":
        for name in ("B", "G"):  # products of about 1: a half of them would else be beyond float16
            inputs[name] = {"value": f"torch.randn({n}, {k}, device='cuda') * {k**-0.5}", "elem": F16}
        outputs["C"]["reference"] = "torch.nn.functional.silu(A @ G.T) * (A @ B.T)"
        flops *= 2
        peers = {"torch": "torch.nn.functional.silu(A @ G.T) * (A @ B.T)"}
    else:
        outputs["R"] = {"shape": [m], "elem": F32, "reference": "A.sum(1)", "added": True}
        peers = {"torch": "(A @ B.T, A.sum(1, dtype=torch.float32))"}
    sizes = {"m": m, "n": n, "k": k}
    return {"kind": "generic", "inputs": inputs, "outputs": outputs, "peers": peers, "flops": flops, **sizes, **keys}


def cases(figure):
    """(what is said of the case, case), those that are only checked first."""
    odd, sizes = [(200, 264, 136), (777, 1544, 96), (129, 264, 1000)], (4096, 6144, 8192)
    if figure == "attention":
        keys = {"kind": "attention", "dim": 128, "lse": True, "rank": 4}
        for b, h, s, t in [(2, 3, 200, 200), (1, 1, 1, 1), (1, 2, 300, 520)]:
            yield f"{s} x {t}", dict(keys, batch=b, heads=h, rows=s, keys=t, check_only=True)
        for s in (1024, 2048, 4096, 8192, 16384):
            yield str(s), dict(keys, batch=16384 // s, heads=16, rows=s)
        return
    if figure in ("gated", "rowsum"):
        for m, n, k in odd:
            yield f"{m} x {n} x {k}", fused(m, n, k, figure, check_only=True)
        for s in sizes:
            yield str(s), fused(s, s, s, figure)
        return
    batch = {"batch": 4} if figure == "batched" else {}
    for m, n, k in odd:
        yield f"{m} x {n} x {k}", {"kind": "gemm", "m": m, "n": n, "k": k, "check_only": True, **batch}
    for s in (4096, 8192) if figure == "mappings" else sizes:
        yield str(s), {"kind": "gemm", "m": s, "n": s, "k": s, **batch}


class ByName:
    """A kernel whose tensors are given in the figure's order."""

    def __init__(self, kernel, names):
        self.kernel, self.names, self.manifest = kernel, names, kernel.manifest

    def bind(self, *tensors, **scalars):
        given = dict(zip(self.names, tensors))
        return self.kernel.bind(*(given[view["name"]] for view in self.manifest.views), **scalars)


def fastest(runs):
    """The fastest of (configuration, callable), each in three runs after one; and how long they took."""
    import torch

    found, errors = [], []
    for what, run in runs:
        try:
            run()
            torch.cuda.synchronize()
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(3):
                run()
            end.record()
            torch.cuda.synchronize()
            found.append((start.elapsed_time(end) / 3, what, run))
        except Exception as error:  # noqa: BLE001 (a configuration may need more than there is)
            errors.append(f"{what}: {str(error).splitlines()[0]}")
    if not found:
        raise RuntimeError("; ".join(errors) or "no configuration")
    return min(found, key=lambda each: each[0])


def triton_peer(figure, problem):
    import torch
    import triton_peers

    outputs = [torch.empty_like(x) for x in problem["outputs"]]
    _, what, run = fastest(getattr(triton_peers, KERNEL.get(figure, figure))(*problem["inputs"], *outputs))
    for out in outputs:
        out.view(torch.uint8).fill_(0xFF)
    run()
    torch.cuda.synchronize()
    return what, run, outputs


def fa3_peer(folder, problem):
    import torch

    sys.path.insert(0, folder)
    from fa3 import FA3

    q, k, v = problem["inputs"]
    o, lse = (torch.empty_like(x) for x in problem["outputs"])
    run = FA3().fwd(q, k, v, o, lse, tuple(q.shape), False, "bhsd", q.shape[-1] ** -0.5)
    return run, [o, lse]


def run_case(figure, what, case, kernels, plain, args, flush):
    """`plain`: the plain product of the same operands, which products that do more are compared with; or None."""
    import torch

    import bench
    import problems

    problem = problems.make(case)
    names = NAMES["gemm" if figure == "mappings" else figure]
    wanted = problem["reference"]()
    problem["reference"] = lambda: wanted
    result = {"case": {key: value for key, value in case.items() if key != "peers"}, "what": what, "check": {}}
    contenders, good = {}, True
    for name, kernel in kernels.items():
        launch, check = bench.check(ByName(kernel, names), problem)
        result["check"][name] = check
        good &= check["ok"]
        if check["ok"]:
            contenders[name] = launch
        else:
            print(f"{figure} {what}: {name} is wrong: {check['outputs']}", flush=True)
    if case.get("check_only"):
        return result, good
    result["chosen"], result["skipped"] = {}, {}
    peers = dict(problem["peers"])
    if figure == "mappings":
        peers = {"cublaslt-best": peers["cublaslt-best"]}
    else:
        peers["triton"] = None
    if figure == "attention" and args.fa3:
        peers["fa3"] = None
    for peer, run in peers.items():
        try:
            outputs = None
            if peer == "triton":
                result["chosen"][peer], run, outputs = triton_peer(figure, problem)
            elif peer == "fa3":
                run, outputs = fa3_peer(args.fa3, problem)
            run()
            torch.cuda.synchronize()
            if outputs:
                checks = [bench.compare(*each) for each in zip(outputs, wanted, problem["tolerances"])]
                result["check"][peer] = {"ok": all(check["ok"] for check in checks), "outputs": checks}
            contenders[peer] = run
        except Exception as error:  # noqa: BLE001 (a peer that refuses a shape must not end the run)
            result["skipped"][peer] = (str(error).splitlines() or [repr(error)])[0]
    if plain:  # in the same rounds: the clock is another one when another figure is timed
        contenders[PLAIN] = plain.bind(*problem["inputs"][:2], torch.empty_like(problem["outputs"][0]))
    times = bench.time_all(contenders, args.rounds, args.repeats, flush, random.Random(args.seed))
    work = {PLAIN: dict(problem, flops=2 * case.get("m", 0) * case.get("n", 0) * case.get("k", 0))}
    result["figures"] = {name: bench.figures(time, work.get(name, problem)) for name, time in times.items()}
    shown = " | ".join(f"{name} {value['tflops']:.0f}" for name, value in result["figures"].items())
    print(f"{figure} {what}: {shown} {result['chosen']} {result['skipped'] or ''}", flush=True)
    return result, good


def child(args):
    import torch

    import bench
    import heddle_gpu

    with open(os.path.join(args.folder, "stage.json"), encoding="utf-8") as file:
        staged = json.load(file)
    flush = torch.empty(args.flush_mb << 20, dtype=torch.uint8, device="cuda")
    report = {"environment": bench.environment(args.commit), "rounds": args.rounds, "repeats": args.repeats}
    report["flush_mb"], report["figures"], good = args.flush_mb, {}, True
    torch.manual_seed(args.seed)
    for figure in args.only:
        table = staged["mappings"] if figure == "mappings" else staged["figures"].get(figure, {})
        kernels = {name: heddle_gpu.Kernel(os.path.join(args.folder, at)) for name, at in table.items()}
        at = staged["figures"].get("gemm", {}).get("tasks") if figure in ("gated", "rowsum") else None
        plain = ByName(heddle_gpu.Kernel(os.path.join(args.folder, at)), NAMES["gemm"]) if at else None
        results = report["figures"][figure] = []
        for what, case in cases(figure):
            result, right = run_case(figure, what, case, kernels, plain, args, flush)
            results.append(result)
            good &= right
            with open(args.out, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
            torch.cuda.empty_cache()
    return 0 if good else 1


def warm_triton(figures):
    """Compiles every configuration of the peers in a process of its own, all at a time."""
    import triton_peers

    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_peers.py")
    names = [KERNEL.get(figure, figure) for figure in figures if figure != "mappings"]
    jobs = [
        subprocess.Popen([sys.executable, here, name, str(i)], stderr=subprocess.DEVNULL)
        for name in names
        for i in range(triton_peers.COUNTS[name])
    ]
    for job in jobs:
        job.wait()


def parent(args):
    """One process for all figures; where it dies, the figure is given up and another process does the others."""
    if not args.cold:
        warm_triton(args.only)
    left, report, failed = list(args.only), None, False
    while left:
        part = args.out + ".part"
        command = [sys.executable, os.path.abspath(__file__), args.folder, "--child", "--out", part]
        command += ["--commit", args.commit, "--rounds", str(args.rounds), "--repeats", str(args.repeats)]
        command += ["--seed", str(args.seed), "--flush-mb", str(args.flush_mb)]
        command += ["--fa3", os.path.abspath(args.fa3)] if args.fa3 else []
        code = subprocess.run([*command, "--only", *left], check=False).returncode
        failed |= code != 0
        done = {}
        if os.path.exists(part):
            with open(part, encoding="utf-8") as file:
                found = json.load(file)
            os.remove(part)
            done = found["figures"]
            if report:
                report["figures"].update(done)
            else:
                report = found
            with open(args.out, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
        if code in (0, 1) and len(done) == len(left):
            break
        dead = left[max(0, len(done) - 1)]
        print(f"{dead}: the process ended with exit code {code}", flush=True)
        left = left[left.index(dead) + 1 :]
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--commit", default="")
    parser.add_argument("--fa3", default="")
    parser.add_argument("--only", nargs="*", default=[*NAMES, "mappings"])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flush-mb", type=int, default=128)
    parser.add_argument("--cold", action="store_true", help="do not compile Triton's kernels at a time beforehand")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    return child(args) if args.child else parent(args)


if __name__ == "__main__":
    sys.exit(main())
