"""Times what heddle.triton costs the host, beside Triton alone: a launch, and a kernel from the disk cache.

    python3 bench/gpu/time_triton_host.py TUTORIALS --out FILE [--launches N] [--rounds N]

Launch: tutorial 03 with one configuration, 256 x 256 x 64, so that the GPU never is the slower side; microseconds of
processor time of a launch, medians of rounds that alternate: Triton alone (HEDDLE_TRITON=off), with heddle.triton as it
is used (auto, decided), and always Heddle's kernel (only). `launcher` is the part behind JITFunction.run, where the two
differ: the launcher called with what that passes to it.
Disk cache: in new processes with what the first has left in both caches, milliseconds until Heddle's kernel of each of
`KERNELS` is there, ready to be launched: from the text to a loaded function.
FILE: {"environment": ..., "launch_us": {...}, "launcher_us": {...}, "from_disk_ms": [...], "ratio": ...}.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import time_tutorials as tutorials
import torch
import triton

MODES = {"triton": "off", "heddle": "auto", "always heddle": "only"}
CONFIGURATION = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8}
TILES = ((64, 64), (128, 64), (128, 128), (128, 256))
KERNELS = [dict(CONFIGURATION, BLOCK_SIZE_M=m, BLOCK_SIZE_N=n) for m, n in TILES]
SIZES = (256, 256, 64)


def kernel_of(folder, tile):
    """(the JIT function of tutorial 03, its arguments, the tile's constants)."""
    module = tutorials.load(folder, "03-matrix-multiplication")
    m, n, k = SIZES
    a, b, c = (torch.randn(*shape, device="cuda").half() for shape in ((m, k), (k, n), (m, n)))
    arguments = (a, b, c, m, n, k, a.stride(0), 1, b.stride(0), 1, c.stride(0), 1)
    return module.matmul_kernel.fn, arguments, dict(tile, ACTIVATION="")


def launch_times(folder, launches, rounds):
    calls, launchers = {}, {}
    for name, mode in MODES.items():
        os.environ["HEDDLE_TRITON"] = mode
        function, arguments, constants = kernel_of(folder, CONFIGURATION)
        grid = (triton.cdiv(SIZES[0], 64) * triton.cdiv(SIZES[1], 64),)
        call = lambda f=function, a=arguments, c=constants, g=grid: f[g](*a, **c)  # noqa: E731
        kernel = call()
        while getattr(getattr(kernel.run, "job", None), "done", lambda: True)() is False:
            time.sleep(0.05)
        for _ in range(100):  # the trial
            call()
        torch.cuda.synchronize()
        values = (*arguments, *constants.values())
        stream = torch.cuda.current_stream().cuda_stream
        # As JITFunction.run calls it, without hooks.
        packed = (grid[0], 1, 1, stream, kernel.function, kernel.packed_metadata, None, None, None, *values)
        calls[name], launchers[name] = call, lambda run=kernel.run, packed=packed: run(*packed)
    result = []
    for contenders in (calls, launchers):
        times = {name: [] for name in contenders}
        for number in range(rounds):
            names = list(contenders)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                os.environ["HEDDLE_TRITON"] = MODES[name]
                run = contenders[name]
                torch.cuda.synchronize()
                begun = time.process_time()
                for _ in range(launches):
                    run()
                times[name].append((time.process_time() - begun) / launches * 1e6)
        result.append({name: round(statistics.median(values), 2) for name, values in times.items()})
    return result


def from_disk(folder):
    """In this process: milliseconds of each kernel until it can be launched."""
    os.environ["HEDDLE_TRITON"] = "auto"
    from heddle.triton import _jobs

    torch.zeros(1, device="cuda")
    times = []
    for tile in KERNELS:
        function, arguments, constants = kernel_of(folder, tile)
        note = function.warmup(*arguments, grid=(1,), **constants).metadata.heddle
        _jobs._jobs.clear()
        begun = time.perf_counter()
        job = _jobs.start(note["ttir"], note["fused"])
        job.wait()
        if job.kernel is None:
            raise RuntimeError(job.reason)
        job.kernel.function()
        times.append(round(1e3 * (time.perf_counter() - begun), 1))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutorials")
    parser.add_argument("--out")
    parser.add_argument("--launches", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--from-disk", action="store_true", help="one new process of those that time the disk cache")
    args = parser.parse_args()
    os.environ["HEDDLE_PROGRESS"] = "off"
    import heddle.triton  # noqa: F401

    if args.from_disk:
        print(json.dumps(from_disk(args.tutorials)))
        return 0
    command = [sys.executable, os.path.abspath(__file__), args.tutorials, "--from-disk"]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(4)]
    first, *later = [json.loads(run.strip().split("\n")[-1]) for run in runs]
    calls, launchers = launch_times(args.tutorials, args.launches, args.rounds)
    result = {
        "environment": {
            "device": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "triton": triton.__version__,
        },
        "launch_us": calls,
        "launcher_us": launchers,
        "ratio": {name: round(value / calls["triton"], 3) for name, value in calls.items()},
        "launcher_ratio": {name: round(value / launchers["triton"], 3) for name, value in launchers.items()},
        "first_process_ms": first,
        "from_disk_ms": [statistics.median(times) for times in zip(*later)],
    }
    print(json.dumps(result, indent=1))
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
