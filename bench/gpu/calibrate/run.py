"""Calibration: measures on one Hopper GPU what machines/h100.json states. One command, no network:

    python3 bench/gpu/calibrate/run.py --cubins out/calibrate --out $OUT [--seconds 90] [--only NAME] [--commit HASH]

Cubins come from build.sh (no GPU needed; --build runs it first). Writes OUT/h100-DATE.json (h200-... on an H200):
    {device, date, driver, commit, clock_mhz, seconds, samples: [{op, params, metric, cycles, min, spread, repeats,
    method, bench, overlap}]}
`overlap`: of a benchmark of two sides, the fraction of the time in which both ran; the rates are of that time only;
`starves`: the
other side made no progress in it, and has no sample.
--dry-run takes made-up times from fake.py instead of a GPU (no torch), and requires each kernel to be in the cubins.
`cycles` is the median over repeats (and CTAs), `metric` one of hold, latency, issue; `params` are those of the op's
formula in the machine file, plus conditions (`beside`, `groups`, `ctas`, `from`, `how`) that tell samples of the same
op apart. A benchmark that fails is reported and listed under "failed"; the others go on. Exit code 1 when none
succeeded.
"""

import argparse
import ctypes
import datetime
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import cases  # noqa: E402
from fake import FakeDevice  # noqa: E402

if "--dry-run" not in sys.argv and __name__ == "__main__":
    import torch
    from heddle_gpu import ATTRIBUTE_MAX_DYNAMIC_SMEM, DriverError, driver, encode
    from manifest import TensorMapSpec

SMEM = 200 * 1024
SLOTS = 16  # 8 warp groups, start and end
SMS = 132


class Device:
    """The loaded cubins, an output buffer, and the clock arithmetic of common.cuh's protocol."""

    def __init__(self, cubins):
        torch.cuda.init()
        self.out = torch.zeros(SMS * SLOTS, dtype=torch.int64, device="cuda")
        self.functions, self.modules = {}, []
        for name in ("wgmma", "arith", "smem", "barrier", "tma"):
            with open(os.path.join(cubins, name + ".cubin"), "rb") as file:
                image = file.read()
            module = ctypes.c_void_p()
            driver()("cuModuleLoadData", ctypes.byref(module), image)
            self.modules.append(module)
        self.data = self.flusher = None

    def function(self, name):
        if name not in self.functions:
            function = ctypes.c_void_p()
            for module in self.modules:
                if driver().lib.cuModuleGetFunction(ctypes.byref(function), module, name.encode()) == 0:
                    break
            else:
                raise DriverError(f"expected a kernel '{name}' in the cubins, got none")
            driver()("cuFuncSetAttribute", function, ATTRIBUTE_MAX_DYNAMIC_SMEM, SMEM)
            self.functions[name] = function
        return self.functions[name]

    def memory(self):
        """1 GiB of zeros that TMA and global kernels walk."""
        if self.data is None:
            self.data = torch.zeros(1 << 30, dtype=torch.uint8, device="cuda")
            self.flusher = torch.zeros(1 << 28, dtype=torch.uint8, device="cuda")
        return self.data

    def flush(self):
        """Leaves none of memory() in the L2."""
        self.memory()
        self.flusher.add_(1)

    def launch(self, name, ctas, threads, values):
        """Runs the kernel; values are ints (i32), floats (f32), ("ptr", n) or ("map", storage, address)."""
        keep, pointers = [ctypes.c_uint64(self.out.data_ptr())], []
        for value in values:
            if isinstance(value, tuple) and value[0] == "map":
                keep.append(value)
                continue
            keep.append(
                ctypes.c_float(value)
                if isinstance(value, float)
                else ctypes.c_uint64(value[1])
                if isinstance(value, tuple)
                else ctypes.c_int32(value)
            )
        for cell in keep:
            pointers.append(cell[2] if isinstance(cell, tuple) else ctypes.addressof(cell))
        params = (ctypes.c_void_p * len(pointers))(*pointers)
        driver()(
            "cuLaunchKernel",
            self.function(name),
            ctas,
            1,
            1,
            threads,
            1,
            1,
            SMEM,
            ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
            params,
            None,
        )
        torch.cuda.synchronize()
        rows = self.out[: ctas * SLOTS].tolist()
        return [[(rows[c * SLOTS + 2 * g], rows[c * SLOTS + 2 * g + 1]) for g in range(8)] for c in range(ctas)]

    def tensor_map(self, rows, elem):
        """[all rows][128 bytes] of memory(), boxes of `rows` rows, 128-byte swizzle."""
        width = 64 if elem == "f16" else 32
        spec = TensorMapSpec(
            elem, self.memory().data_ptr(), [width, (1 << 30) // 128], [128], [width, rows], 128, 128, "zero"
        )
        storage, address = encode(spec)
        return ("map", storage, address)


def smi():
    """[driver version, SM clock of now in MHz] or less."""
    try:
        got = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version,clocks.sm", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return []
    return [f.strip() for f in got.stdout.strip().split(",")] if got.returncode == 0 else []


def head(args):
    commit = args.commit
    if not commit:
        got = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        commit = got.stdout.strip() or "unknown"
    fields = smi()
    return {
        "device": "none: dry run" if args.dry_run else torch.cuda.get_device_name(0),
        "date": datetime.date.today().isoformat(),
        "driver": fields[0] if fields else "unknown",
        "commit": commit,
        "clock_mhz": int(fields[1]) if len(fields) > 1 and fields[1].isdigit() else 0,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cubins", default="out/calibrate")
    parser.add_argument("--out", default=os.environ.get("OUT", "."))
    parser.add_argument("--name", default="", help="file name without .json (default h100-DATE or h200-DATE)")
    parser.add_argument("--seconds", type=float, default=90, help="benchmarks that would start later are skipped")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="run only benchmarks whose name contains this")
    parser.add_argument("--commit", default="")
    parser.add_argument("--dry-run", action="store_true", help="no GPU: times are made up")
    parser.add_argument("--build", action="store_true", help="compile the cubins first")
    args = parser.parse_args()
    if args.build:
        subprocess.run(["sh", os.path.join(HERE, "build.sh"), args.cubins], check=True)
    start = time.monotonic()
    result = head(args)
    device = FakeDevice(args.cubins, 1.7, 1.1) if args.dry_run else Device(args.cubins)
    samples, failed = [], []
    result["samples"], result["failed"] = samples, failed
    path = os.path.join(
        args.out, (args.name or f"{'h200' if 'H200' in result['device'] else 'h100'}-{result['date']}") + ".json"
    )

    def write():  # after every benchmark: a hang later on costs only what follows
        result["seconds"] = round(time.monotonic() - start, 1)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")

    for bench in cases.benches():
        if args.only not in bench.name:
            continue
        if time.monotonic() - start > args.seconds:
            failed.append({"bench": bench.name, "why": "time limit reached"})
            continue
        try:
            got = bench.run(device, args.repeats)
        except Exception as error:  # one failing benchmark must not take the others along
            failed.append({"bench": bench.name, "why": f"{type(error).__name__}: {error}"})
            print(f"FAILED {bench.name}: {error}", flush=True)
            if "700" in str(error) or "illegal" in str(error):
                failed.append({"bench": "*", "why": "the CUDA context is lost; the rest was not run"})
                break
            continue
        for sample in got:
            sample["bench"] = bench.name
            samples.append(sample)
            words = " ".join(f"{k}={v}" for k, v in sample["params"].items())
            share = f" overlap={sample['overlap']}" if "overlap" in sample else ""
            share += f" starves {sample['starves']}" if "starves" in sample else ""
            print(f"{sample['op']:14s} {sample['metric']:8s} {sample['cycles']:10.2f}  {words}{share}", flush=True)
        write()
    fields = smi()  # at the end: at the start the GPU idles
    if len(fields) > 1 and fields[1].isdigit():
        result["clock_mhz"] = int(fields[1])
    write()
    print(f"{len(samples)} samples, {len(failed)} failed, {time.monotonic() - start:.1f} s: {path}")
    return 0 if samples else 1


if __name__ == "__main__":
    sys.exit(main())
