#!/usr/bin/env python3
"""Checks and times compiled kernels beside their peers, in one process on one card.

    python3 bench/gpu/bench.py out/gemm out/attention --commit $(git rev-parse HEAD) --out results.json

Each directory holds kernel.json, kernel.cubin (or kernel.cu, compiled here) and case.json: one case or a list.
Check:   fresh random inputs, outputs poisoned with NaN, float64 reference; relative error by norm and worst element.
Timing:  contenders take turns in an order that is drawn anew in every round; L2 is flushed before every run; event
         time of single runs, median. A kernel that fails its check is not timed.
Process: one for each directory, with a time limit: a kernel that hangs or faults takes only its own with it.
Output:  JSON (docs/Benchmarks.md) and a table. Exit code 1 when a check failed or a kernel could not run.
"""

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build  # noqa: E402
import heddle_gpu  # noqa: E402
import problems  # noqa: E402
from manifest import UserError  # noqa: E402


def poison(tensor):
    """All bits one: NaN in every float type."""
    tensor.view(torch.uint8).fill_(0xFF)


def compare(out, want, tolerance):
    """Error of one output, absolute where all of `want` is zero. NaN in `want` means: not checked, but still expected
    to be written."""
    got = out.double()
    unwritten = int(torch.isnan(got).sum())
    known = ~torch.isnan(want)
    difference, scale = (got - want)[known], want[known]
    norm = float(scale.norm())
    error = float(difference.norm()) / norm if norm else float(difference.norm())
    rms = norm / max(1, scale.numel()) ** 0.5
    weight = scale.abs() + rms if norm else 1.0
    worst = float((difference.abs() / weight).max()) if scale.numel() else 0.0
    ok = unwritten == 0 and error <= tolerance and worst <= 20 * tolerance
    return {
        "ok": ok,
        "relative_error": error,
        "worst_element": worst,
        "nan": unwritten,
        "tolerance": tolerance,
        "checked": int(known.sum()),
        "elements": out.numel(),
    }


def reset(problem):
    """Outputs as a kernel must find them: poisoned, or zero where it adds."""
    for i, out in enumerate(problem["outputs"]):
        out.zero_() if i in problem.get("added", ()) else poison(out)


def check(kernel, problem):
    reset(problem)
    launch = kernel.bind(*problem["inputs"], *problem["outputs"], **scalars_of(kernel, problem))
    launch()
    torch.cuda.synchronize()
    wanted = problem["reference"]()
    results = [compare(*each) for each in zip(problem["outputs"], wanted, problem["tolerances"])]
    # A second run must give the same bits: a race shows as a difference. (The order of additions in memory is free.)
    first = [out.clone() for out in problem["outputs"]]
    reset(problem)
    launch()
    torch.cuda.synchronize()
    same = all(
        torch.equal(a.view(torch.uint8), b.view(torch.uint8)) or i in problem.get("added", ())
        for i, (a, b) in enumerate(zip(first, problem["outputs"]))
    )
    return launch, {"ok": all(r["ok"] for r in results), "outputs": results, "repeats_bitwise": same}


def scalars_of(kernel, problem):
    names = [s["name"] for s in kernel.manifest.scalars]
    missing = [n for n in names if n not in problem["scalars"]]
    if missing:
        raise UserError(f"case: expected a value for scalar '{missing[0]}' (key 'scalars')")
    return {n: problem["scalars"][n] for n in names}


def time_all(contenders, rounds, repeats, flush, draw):
    """{name: [ms]}: every round runs each contender `repeats` times, in an order that `draw` (random.Random) draws: a
    contender that always follows the same one finds the clock that it leaves (with rotated orders the kernel that came
    behind the slowest peer ran 1.06 times as fast as its copy)."""
    names = list(contenders)
    times = {name: [] for name in names}
    for _ in range(5):
        for name in names:
            contenders[name]()
    torch.cuda.synchronize()
    for _ in range(rounds):
        pending = []
        for name in draw.sample(names, len(names)):
            for _ in range(repeats):
                flush.zero_()
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                contenders[name]()
                end.record()
                pending.append((name, start, end))
        torch.cuda.synchronize()
        for name, start, end in pending:
            times[name].append(start.elapsed_time(end))
    return times


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def figures(times, problem):
    ms = median(times)
    return {
        "ms_median": ms,
        "ms_min": min(times),
        "ms_max": max(times),
        "runs": len(times),
        "tflops": problem["flops"] / ms * 1e-9,
        "gbytes_per_s": problem["bytes"] / ms * 1e-6,
    }


def run_case(kernel, name, case, args, flush):
    problem = problems.make(case)
    result = {"kernel": name, "case": case}
    launch, result["check"] = check(kernel, problem)
    if not result["check"]["ok"] or args.check_only or case.get("check_only"):
        return result
    contenders = {"heddle": launch}
    skipped = {}
    baseline = os.path.join(args.baseline, name) if args.baseline else ""
    if os.path.isdir(baseline):
        contenders["baseline"] = heddle_gpu.Kernel(baseline).bind(
            *problem["inputs"], *problem["outputs"], **scalars_of(kernel, problem)
        )
    for peer, run in problem["peers"].items():
        try:
            run()
            torch.cuda.synchronize()
            contenders[peer] = run
        except Exception as error:  # noqa: BLE001 (a peer that refuses a shape must not end the run)
            skipped[peer] = str(error).splitlines()[0]
    times = time_all(contenders, args.rounds, args.repeats, flush, random.Random(len(contenders)))
    result["figures"] = {n: figures(t, problem) for n, t in times.items()}
    result["ratio"] = {n: median(times[n]) / median(times["heddle"]) for n in times if n != "heddle"}
    result["peers_skipped"] = skipped
    return result


def environment(commit):
    props = torch.cuda.get_device_properties(0)
    driver = ""
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            driver = file.readline().split("  ")[1].strip()
    except (OSError, IndexError):
        pass
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": commit,
        "device": props.name,
        "multiprocessors": props.multi_processor_count,
        "driver": driver,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }


def summary(result):
    case = " ".join(f"{k}={v}" for k, v in result["case"].items() if not isinstance(v, (dict, list)))
    if "error" in result:
        return f"{result['kernel']:24} {case}: error: {result['error']}"
    outs = result["check"]["outputs"]
    text = (
        f"{result['kernel']:24} {case}: {'ok' if result['check']['ok'] else 'WRONG'} "
        f"error {max(o['relative_error'] for o in outs):.2e} worst {max(o['worst_element'] for o in outs):.2e}"
    )
    if not result["check"]["ok"]:
        text += f" nan {sum(o['nan'] for o in outs)}"
    if not result["check"]["repeats_bitwise"]:
        text += " (second run differs)"
    for name, f in result.get("figures", {}).items():
        text += f" | {name} {f['tflops']:.0f} TFLOPS {f['ms_median'] * 1e3:.1f} us"
    for name, ratio in result.get("ratio", {}).items():
        text += f" | x{ratio:.3f} of {name}"
    return text


def run_directory(directory, args, flush, results):
    """Appends one result per case of `directory`; False when something failed."""
    name = os.path.basename(os.path.normpath(directory))
    cases, good = [{}], True
    try:
        with open(os.path.join(directory, "case.json"), encoding="utf-8") as file:
            cases = json.load(file)
        cases = cases if isinstance(cases, list) else [cases]
        cubin, source = os.path.join(directory, "kernel.cubin"), os.path.join(directory, "kernel.cu")
        resources = {}
        if os.path.exists(source):
            folder = tempfile.mkdtemp(prefix="heddle-bench-")
            cubin = os.path.join(folder, "kernel.cubin")
            resources = build.build(source, cubin, args.allow_slow)
        kernel = heddle_gpu.Kernel(directory, cubin=os.path.abspath(cubin))
    except (UserError, OSError, json.JSONDecodeError, build.BuildError, heddle_gpu.DriverError) as error:
        results.append({"kernel": name, "case": cases[0], "error": str(error)})
        print(summary(results[-1]), flush=True)
        return False
    for case in cases:
        fault = False
        try:
            result = run_case(kernel, name, case, args, flush)
            good &= result["check"]["ok"]
        except (UserError, torch.OutOfMemoryError) as error:
            result, good = {"kernel": name, "case": case, "error": str(error)}, False
        except (RuntimeError, heddle_gpu.DriverError) as error:  # the context is lost
            result, good, fault = {"kernel": name, "case": case, "error": str(error).splitlines()[0]}, False, True
        result["resources"] = resources
        results.append(result)
        print(summary(result), flush=True)
        if fault:
            return False
        torch.cuda.empty_cache()
    return good


def write(report, path):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)


def child(args):
    """One directory in this process."""
    torch.manual_seed(args.seed)
    flush = torch.empty(args.flush_mb << 20, dtype=torch.uint8, device="cuda")
    report = {
        "environment": environment(args.commit),
        "seed": args.seed,
        "rounds": args.rounds,
        "repeats": args.repeats,
        "flush_mb": args.flush_mb,
        "results": [],
    }
    good = run_directory(args.directories[0], args, flush, report["results"])
    write(report, args.out)
    return 0 if good else 1


def parent(args, argv):
    """A process for each directory: a kernel that hangs or faults takes only its own with it."""
    options = [a for a in argv if a not in args.directories]
    report, failed = {"results": []}, False
    for directory in args.directories:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            command = [
                sys.executable,
                os.path.abspath(__file__),
                directory,
                *options,
                "--child",
                "--out",
                path,
                "--seed",
                str(args.seed),
            ]
            error = None
            try:
                code = subprocess.run(command, timeout=args.timeout, check=False).returncode
            except subprocess.TimeoutExpired:
                code, error = 1, f"expected to end within {args.timeout} s, got no end (a deadlock, or too many cases)"
            failed |= code != 0
            if error is None and os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    part = json.load(file)
                part["results"] = report["results"] + part["results"]
                report = part
            else:
                error = error or f"expected a report, got exit code {code}"
                name = os.path.basename(os.path.normpath(directory))
                report["results"].append({"kernel": name, "case": {}, "error": error})
                print(summary(report["results"][-1]), flush=True)
        write(report, args.out)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--commit", default="", help="recorded in the result")
    parser.add_argument("--out", help="JSON file")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3, help="runs of one contender in a row")
    parser.add_argument("--flush-mb", type=int, default=128)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"), help="default: fresh")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one directory")
    parser.add_argument("--check-only", action="store_true")
    parser.add_argument(
        "--baseline",
        default="",
        metavar="DIR",
        help="DIR/NAME of each directory NAME, the same program compiled otherwise, is timed as a peer",
    )
    parser.add_argument("--allow-slow", action="store_true", help="accept kernels that spill or serialise")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    return child(args) if args.child else parent(args, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
