"""Times the first compilation of Triton's tutorials: by Triton to a cubin, and by Heddle from the same TTIR to a cubin.

    python3 bench/time_triton_compile.py TUTORIALS --out FILE [--heddle build/bin/heddle] [--most N] [--repeat N]
                                         [--only TEXT ...] [--keep FOLDER]

TUTORIALS is the folder python/tutorials of Triton's repository. Needs Triton; neither a GPU nor PyTorch. Times are
seconds of the processor (of this process and its children, which do the work of ptxas, nvcc and NVRTC), medians of
`--repeat`; all caches are empty. Of each kernel at most `--most` tiles of its list, those whose TTIR differs; --keep
writes their TTIR.
FILE: {"environment": ..., "columns": [...], "rows": [...], "median_ratio": {"nvcc" | "nvrtc": ...}, "total_ratio":
...}; a ratio is Heddle's seconds with that tool over Triton's; the median is that of the tutorials' medians. Kernels
that Heddle refuses have the reason instead of numbers.
"""

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import types
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "bench", "gpu")]


class Dtype:
    """An element type, as Triton's specialisation and its descriptors look at it."""

    def __init__(self, name, itemsize):
        self.name, self.itemsize = name, itemsize

    def __str__(self):
        return f"torch.{self.name}"


F16, F32, I32, I64 = Dtype("float16", 2), Dtype("float32", 4), Dtype("int32", 4), Dtype("int64", 8)


class Tensor:
    """A tensor that nothing reads."""

    def __init__(self, dtype, *shape):
        self.dtype, self.shape = dtype, shape

    def data_ptr(self):
        return 1 << 20

    def element_size(self):
        return self.dtype.itemsize


def descriptor(dtype, shape, block):
    from triton.tools.tensor_descriptor import TensorDescriptor

    return TensorDescriptor(Tensor(dtype, *shape), list(shape), [shape[1], 1], list(block))


def stand_ins():
    """A driver of compute capability 9.0 and a PyTorch where there are none."""
    sys.modules.setdefault("pytest", types.ModuleType("pytest"))
    try:
        import torch  # noqa: F401
    except ImportError:
        torch = mock.MagicMock()
        torch.__spec__ = None
        torch.cuda.get_device_properties.return_value.multi_processor_count = 132
        torch.cuda.get_device_capability.return_value = (9, 0)
        torch.autograd.Function = type("Function", (), {"apply": None})
        sys.modules["torch"] = torch
    from triton.backends.compiler import GPUTarget
    from triton.runtime.driver import driver

    active = mock.MagicMock()
    active.get_current_target.return_value = GPUTarget("cuda", 90, 32)
    active.get_current_device.return_value = 0
    active.get_current_stream.return_value = 0
    driver.set_active(active)


def cases(folder):
    """(title, JIT function, arguments, constants) of each kernel and tile, by kernel."""
    import time_tutorials as tutorials

    modules = {}

    def kernel(tutorial, name):
        if tutorial not in modules:
            modules[tutorial] = tutorials.load(folder, tutorial)
        return getattr(modules[tutorial], name)

    def tiles(tutorial, name, arguments, **constants):
        """Of an autotuned kernel; `arguments` may depend on the tile's constants."""
        tuner = kernel(tutorial, name)
        for config in tuner.configs:
            asked = {**constants, **config.all_kwargs()}
            shown = "x".join(str(v) for k, v in config.kwargs.items() if k.startswith("BLOCK"))
            given = arguments(asked) if callable(arguments) else arguments
            yield f"{tutorial[:2]} {name} {shown}", tuner.fn, given, asked

    half, n = (lambda *shape: Tensor(F16, *shape)), 4096
    product = (*(half(n, n) for _ in range(3)), n, n, n, n, 1, n, 1, n, 1)
    yield list(tiles("03-matrix-multiplication", "matmul_kernel", product, ACTIVATION=""))
    norm = kernel("05-layer-norm", "_layer_norm_fwd_fused")
    rows = (half(), half(), half(), half(), Tensor(F32), Tensor(F32))
    yield [
        (f"05 {columns}", norm, (*rows, columns, columns, 1e-5), dict(BLOCK_SIZE=columns, num_warps=8))
        for columns in (1024, 4096)
    ]
    for dim in (64, 128):
        for stage in (3, 1):
            flat = (4 * 32 * 1024, dim)

            def attention(asked, flat=flat):
                blocks = [asked["BLOCK_M"], asked["BLOCK_N"], asked["BLOCK_N"], asked["BLOCK_M"]]
                return (0.1, Tensor(F32), 4, 32, *(descriptor(F16, flat, (b, flat[1])) for b in blocks), 1024)

            more = dict(HEAD_DIM=dim, FP8_OUTPUT=False, STAGE=stage, warp_specialize=False, IS_HOPPER=True)
            listed = list(tiles("06-fused-attention", "_attn_fwd", attention, **more))
            fitting = [c for c in listed if c[3]["BLOCK_N"] <= min(dim, c[3]["BLOCK_M"] if stage == 3 else dim)]
            mask = " causal" if stage == 3 else ""
            yield [(f"{title} d{dim}{mask}", *rest) for title, *rest in fitting]
    blocks = dict(BLOCK_M1=32, BLOCK_N1=128, BLOCK_M2=128, BLOCK_N2=32, BLK_SLICE_FACTOR=2, num_warps=4, num_stages=5)
    for dim in (64, 128):
        strides = (32 * 1024 * dim, 1024 * dim, dim, 1, 32, 1024)
        tensors = (*(half() for _ in range(3)), 0.1, *(half() for _ in range(4)), Tensor(F32), Tensor(F32))
        bwd = kernel("06-fused-attention", "_attn_bwd")
        yield [(f"06 _attn_bwd d{dim} causal", bwd, (*tensors, *strides), dict(blocks, HEAD_DIM=dim, CAUSAL=True))]
    table = (Tensor(I64), Tensor(I64), Tensor(I64), Tensor(I32), Tensor(I32), 4)
    yield list(tiles("08-grouped-gemm", "grouped_matmul_kernel", table))
    yield list(tiles("08-grouped-gemm", "grouped_matmul_tma_kernel", table, FP8=False, NUM_SM=132))
    tutorial = "09-persistent-matmul"
    yield list(tiles(tutorial, "matmul_kernel", product))
    yield list(tiles(tutorial, "matmul_kernel_persistent", product, NUM_SMS=132))

    def described(asked):
        m, n_, k = (asked[f"BLOCK_SIZE_{d}"] for d in "MNK")
        out = n_ // 2 if asked.get("EPILOGUE_SUBTILE") else n_
        return (*(descriptor(F16, (n, n), b) for b in ((m, k), (n_, k), (m, out))), n, n, n)

    yield list(tiles(tutorial, "matmul_kernel_tma", described, FP8_OUTPUT=False, WARP_SPECIALIZE=False))
    more = dict(FP8_OUTPUT=False, WARP_SPECIALIZE=False, NUM_SMS=132)
    yield list(tiles(tutorial, "matmul_kernel_tma_persistent", described, **more))


def processor_seconds():
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def timed(work):
    begun = processor_seconds()
    result = work()
    return processor_seconds() - begun, result


def by_triton(function, arguments, constants):
    """(seconds, TTIR) with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        function.device_caches.clear()
        return timed(lambda: function.warmup(*arguments, grid=(1,), **constants).asm["ttir"])


def by_heddle(heddle, text, name):
    """(seconds of the compiler, CUDA text) or (None, the reason of a refusal)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".ttir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [heddle, "compile", path, "-o", os.path.join(folder, "out"), "--no-cache"]
        seconds, done = timed(lambda: subprocess.run(command, capture_output=True, text=True, check=False))
        if done.returncode:
            return None, done.stderr.strip().split("\n")[0]
        with open(os.path.join(folder, "out", "kernel.cu"), encoding="utf-8") as file:
            return seconds, file.read()


def cubin_seconds(text, include):
    """{tool: seconds} of the tools that are there."""
    from heddle import _nvrtc

    result = {}
    for tool, found in (("nvcc", _nvrtc.find_nvcc()), ("nvrtc", _nvrtc.find_nvrtc())):
        if not found:
            continue
        with mock.patch.dict(os.environ, {"HEDDLE_NVCC": "", "HEDDLE_NVRTC": "", f"HEDDLE_{tool.upper()}": found}):
            result[tool] = timed(lambda: _nvrtc.compile_cubin(text, include))[0]
    return result


def differing(group, most):
    """At most `most` of a kernel's tiles, spread over its list, whose constants (and so their TTIR) differ."""
    by_constants = {}
    for case in group:
        key = tuple((k, v) for k, v in sorted(case[3].items()) if k not in ("num_warps", "num_stages"))
        by_constants.setdefault(key, case)
    listed = list(by_constants.values())
    count = min(most, len(listed))
    return [listed[i * len(listed) // count] for i in range(count)]


def measure(case, args, include):
    title, function, arguments, constants = case
    triton = [by_triton(function, arguments, constants) for _ in range(args.repeat)]
    text = triton[0][1]
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
        with open(os.path.join(args.keep, title.replace(" ", "_") + ".ttir"), "w", encoding="utf-8") as file:
            file.write(text)
    heddle = [by_heddle(args.heddle, text, "kernel") for _ in range(args.repeat)]
    if heddle[0][0] is None:
        return [title, heddle[0][1]]
    tools = [cubin_seconds(heddle[0][1], include) for _ in range(args.repeat)]
    row = [title, statistics.median(t for t, _ in triton), statistics.median(h for h, _ in heddle)]
    row += [statistics.median(t[tool] for t in tools) if tool in tools[0] else None for tool in ("nvcc", "nvrtc")]
    return [row[0], *(value and round(value, 3) for value in row[1:])]


def ratios(rows, column):
    """(median of the tutorials' medians, ratio of the sums)."""
    known = [row for row in rows if len(row) > 2 and row[column]]
    if not known:
        return None, None
    by_tutorial = {}
    for row in known:
        by_tutorial.setdefault(row[0][:2], []).append((row[2] + row[column]) / row[1])
    total = sum(row[2] + row[column] for row in known) / sum(row[1] for row in known)
    return round(statistics.median(statistics.median(v) for v in by_tutorial.values()), 3), round(total, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutorials")
    parser.add_argument("--out", required=True)
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--keep")
    args = parser.parse_args()
    os.environ["HEDDLE_PROGRESS"] = "off"
    args.heddle = os.path.abspath(args.heddle)
    include = os.path.join(ROOT, "device", "include")
    gc.disable()  # Triton 3.6 crashes where a collection meets one of its contexts in the middle of the next one
    stand_ins()
    import triton

    chosen = [case for group in cases(args.tutorials) for case in differing(group, args.most)]
    chosen = [case for case in chosen if not args.only or any(text in case[0] for text in args.only)]
    by_triton(*chosen[0][1:])  # what only the first compilation of a process does
    rows = []
    for case in chosen:
        rows.append(measure(case, args, include))
        print(*rows[-1], flush=True)
    tools = {"nvcc": ratios(rows, 3), "nvrtc": ratios(rows, 4)}
    result = {
        "environment": {
            "processors": os.cpu_count(),
            "triton": triton.__version__,
            "date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        },
        "columns": ["kernel", "triton_s", "heddle_s", "nvcc_s", "nvrtc_s"],
        "rows": rows,
        "median_ratio": {tool: both[0] for tool, both in tools.items()},
        "total_ratio": {tool: both[1] for tool, both in tools.items()},
    }
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    print("medians of the tutorials:", result["median_ratio"], "all:", result["total_ratio"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
