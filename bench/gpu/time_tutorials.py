"""Times Triton's tutorials 03, 05, 06, 08 and 09, unmodified and with their autotune lists, through heddle.triton and
through Triton alone, in one process on a GPU.

    python3 bench/gpu/time_tutorials.py TUTORIALS --out FILE [--only TEXT ...] [--rounds N] [--lanes N]

TUTORIALS is the folder python/tutorials of Triton's repository. Needs PyTorch, Triton and the package heddle
(`make wheel`), all importable. Of each case (tutorial and sizes): results of both beside float64 (relative error by
norm), and microseconds a call, medians of rounds: in batches of CUDA graphs, so that the host's time is left out, but
for gradients, which autograd launches. A tutorial is loaded twice, so that both tune on their own. The configurations
that tuning tries are compiled before, by `--lanes` processes, into both caches.
FILE: {"environment": ..., "cases": {case: {"errors", "microseconds", "ratio", "configuration", "refused"}}}; ratio is
Triton's time over Heddle's; a case that fails has "failed" instead.
Exit code: 0; 1 where a case failed or an error is above 0.01.
"""

import argparse
import gc
import importlib.util
import inspect
import json
import math
import os
import statistics
import sys
import tempfile
import time
import traceback
import types

import batches
import torch
import triton

# Text before which a tutorial defines all that is called here; what follows it tests and times.
ENDS = {
    "03-matrix-multiplication": "# Unit Test",
    "05-layer-norm": "def test_layer_norm",
    "06-fused-attention": '@pytest.mark.parametrize("Z"',
    "08-grouped-gemm": "group_m = [1024",
    "09-persistent-matmul": "@contextmanager\n",
}
BACKENDS = {"triton": "off", "heddle": "auto"}  # name -> HEDDLE_TRITON
WORST = 0.01


def load(folder, name):
    """The definitions of a tutorial as a new module."""
    with open(os.path.join(folder, name + ".py"), encoding="utf-8") as file:
        text = file.read()
    end = text.find(ENDS[name])
    if end < 0:
        raise ValueError(f"{name}: expected {ENDS[name]!r}, got a tutorial of another version")
    # A profiler that not every installation has; none of what is called here uses it.
    text = text[:end].replace("import triton.profiler as proton", "proton = None")
    path = os.path.join(tempfile.mkdtemp(), name.replace("-", "_") + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(f"tutorial_{name[:2]}_{id(path)}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def normal(*shape, seed):
    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randn(*shape, device="cuda", generator=generator).half()


class Product:
    """C = A * B by `function` of a tutorial; B is stored transposed for descriptors."""

    def __init__(self, tutorial, function, sizes):
        self.tutorial, self.function, self.sizes = tutorial, function, sizes
        self.transposed = "tma" in function or "descriptor" in function
        self.title = f"{tutorial[:2]} {function} {'x'.join(map(str, sizes))}"

    def setup(self):
        m, n, k = self.sizes
        return normal(m, k, seed=1), normal(*((n, k) if self.transposed else (k, n)), seed=2)

    def call(self, module, data):
        more = (False,) if self.transposed else ()  # no warp specialisation by Triton
        return [getattr(module, self.function)(*data, *more)]

    def reference(self, data):
        a, b = data[0].double(), data[1].double()
        return [a @ (b.T if self.transposed else b)]


class LayerNorm:
    tutorial = "05-layer-norm"

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.title = f"05 LayerNorm {rows}x{columns}"

    def setup(self):
        return normal(self.rows, self.columns, seed=1), normal(self.columns, seed=2), normal(self.columns, seed=3)

    def call(self, module, data):
        x, weight, bias = data
        y = torch.empty_like(x)
        mean, scale = torch.empty(self.rows, device="cuda"), torch.empty(self.rows, device="cuda")
        block = triton.next_power_of_2(self.columns)
        warps = min(max(block // 256, 1), 8)
        shapes = (x.stride(0), self.columns, 1e-5)
        module._layer_norm_fwd_fused[(self.rows,)](
            x, y, weight, bias, mean, scale, *shapes, BLOCK_SIZE=block, num_warps=warps, num_ctas=1
        )
        return [y]

    def reference(self, data):
        x, weight, bias = (tensor.double() for tensor in data)
        return [torch.nn.functional.layer_norm(x, (self.columns,), weight, bias)]


class Attention:
    """Batch 4 and 32 heads; backward is timed without the forward pass."""

    tutorial = "06-fused-attention"

    def __init__(self, rows, dim, causal, backward=False):
        self.rows, self.dim, self.causal, self.backward = rows, dim, causal, backward
        self.title = f"06 {'backward' if backward else 'forward'}{' causal' if causal else ''} 4x32x{rows}x{dim}"
        self.passed = {}  # by module: the output whose gradient is asked for

    def setup(self):
        self.passed = {}
        q, k, v, seed = (normal(4, 32, self.rows, self.dim, seed=s) for s in (1, 2, 3, 4))
        return [tensor.requires_grad_(self.backward) for tensor in (q, k, v)] + [seed]

    def call(self, module, data):
        q, k, v, seed = data

        # No warp specialisation, and no other kernels, by Triton: flags of which versions have one or two.
        flags = [False] * (len(inspect.signature(module._attention.forward).parameters) - 6)

        def forward():
            return module._attention.apply(q, k, v, self.causal, self.dim**-0.5, *flags)

        if not self.backward:
            return [forward()[0, 0]]
        if module not in self.passed:
            self.passed[module] = forward()
        for tensor in (q, k, v):
            tensor.grad = None
        self.passed[module].backward(seed, retain_graph=True)
        return [tensor.grad[0, 0] for tensor in (q, k, v)]

    def reference(self, data):
        q, k, v, seed = (tensor[0, 0].detach().double().requires_grad_() for tensor in data)
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        if not self.backward:
            return [out.detach()]
        out.backward(seed.detach())
        return [q.grad, k.grad, v.grad]


class Grouped:
    tutorial = "08-grouped-gemm"

    def __init__(self, sizes, descriptors):
        self.sizes, self.descriptors = sizes, descriptors
        shown = "x".join(map(str, sizes[0])) if len(set(sizes)) == 1 else "the tutorial's sizes"
        self.title = f"08 {'descriptors' if descriptors else 'pointers'} {len(sizes)} of {shown}"

    def setup(self):
        a = [normal(m, k, seed=i) for i, (m, _, k) in enumerate(self.sizes)]
        b = [normal(*((n, k) if self.descriptors else (k, n)), seed=50 + i) for i, (_, n, k) in enumerate(self.sizes)]
        c = [torch.zeros(m, n, device="cuda", dtype=torch.float16) for m, n, _ in self.sizes]
        addresses = [torch.tensor([t.data_ptr() for t in tensors], device="cuda") for tensors in (a, b, c)]
        sizes = torch.tensor([size for group in self.sizes for size in group], device="cuda", dtype=torch.int32)
        pitches = [tensor.stride(0) for group in zip(a, b, c) for tensor in group]
        return a, b, c, [*addresses, sizes, torch.tensor(pitches, device="cuda", dtype=torch.int32)]

    def call(self, module, data):
        *_, c, table = data
        grid = lambda meta: (meta["NUM_SM"],)  # noqa: E731
        if self.descriptors:
            triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))
            module.grouped_matmul_tma_kernel[grid](*table, len(self.sizes), FP8=False, NUM_SM=module.num_sms())
        else:
            module.grouped_matmul_kernel[grid](*table, len(self.sizes))
        return c

    def reference(self, data):
        return [a.double() @ (b.double().T if self.descriptors else b.double()) for a, b in zip(data[0], data[1])]


def all_cases():
    attention = [(rows, dim, causal) for dim in (128, 64) for causal in (True, False) for rows in (1024, 4096)]
    tutorials = tuple((size,) * 3 for size in (1024, 512, 256, 128))
    return [
        *(Product("03-matrix-multiplication", "matmul", (n, n, n)) for n in (512, 1024, 2048, 4096)),
        *(LayerNorm(4096, columns) for columns in (1024, 2048, 4096, 8192)),
        *(Attention(*sizes) for sizes in attention if sizes[2] or sizes[0] == 4096),
        *(Attention(*sizes, backward=True) for sizes in attention if sizes[0] == 4096),
        *(Grouped(s, descriptors) for descriptors in (False, True) for s in (tutorials, ((1024,) * 3,) * 4)),
        *(Product("09-persistent-matmul", f, (8192, 8192, 1024)) for f in ("matmul_persistent", "matmul_tma")),
    ]


def compile_ahead(cases, folder, lane, lanes):
    """Compiles what tuning of `cases` will ask for, each lane a part of each list; launches nothing."""
    from triton.runtime import autotuner, jit

    prune, run = autotuner.Autotuner.prune_configs, jit.JITFunction.run

    def part(self, *args):
        configurations = prune(self, *args)
        return configurations[lane::lanes] or configurations[:1]

    def compile_only(self, *args, config, **meta):
        asked = {**meta, **config.all_kwargs()}
        try:
            if config.pre_hook:
                config.pre_hook({**self.nargs, **asked})
            self.fn.run(*args, **asked)
        except Exception as error:  # a configuration that does not fit
            print(f"lane {lane}: {config}: {error!r}"[:200], file=sys.stderr)
        return [1.0, 1.0, 1.0]

    autotuner.Autotuner.prune_configs = part
    autotuner.Autotuner._bench = compile_only
    jit.JITFunction.run = lambda self, *args, warmup=True, **meta: run(self, *args, warmup=True, **meta)
    import heddle.triton  # noqa: F401
    from heddle.triton import _jobs

    for case in cases:
        for mode in BACKENDS.values():
            os.environ["HEDDLE_TRITON"] = mode
            try:
                case.call(load(folder, case.tutorial), case.setup())
            except Exception as error:
                print(f"lane {lane}: {case.title}: {error!r}"[:200], file=sys.stderr)
    for job in list(_jobs._jobs.values()):
        job.wait(60)


def in_lanes(cases, folder, lanes):
    children = []
    for lane in range(lanes):
        child = os.fork()  # before CUDA is in use here
        if not child:
            try:
                compile_ahead(cases, folder, lane, lanes)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def relative_error(outputs, references):
    pairs = [(out.detach().double(), ref) for out, ref in zip(outputs, references)]
    return max(((out - ref).norm() / ref.norm()).item() for out, ref in pairs)


def measure_launched(runs, rounds):
    """{name: median milliseconds of a run}, each launched from the host: what autograd runs cannot be captured."""
    times = {name: [] for name in runs}
    for number in range(rounds):
        names = list(runs)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            times[name].append(batches.once(runs[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def time_case(case, modules, rounds):
    data = case.setup()
    references, errors, runs = case.reference(data), {}, {}
    for name, mode in BACKENDS.items():
        os.environ["HEDDLE_TRITON"] = mode
        if isinstance(case, Grouped):
            for c in data[2]:
                c.fill_(float("nan"))
        for _ in range(40):  # tunes, and heddle.triton settles for each kernel who runs it
            outputs = case.call(modules[name], data)
        torch.cuda.synchronize()
        errors[name] = relative_error(outputs, references)
        runs[name] = lambda module=modules[name]: case.call(module, data)
    if getattr(case, "backward", False):
        times = measure_launched(runs, rounds)
    else:
        times = batches.measure(runs, rounds=rounds, far=math.inf)
    return {
        "errors": errors,
        "microseconds": {name: round(1e3 * value, 2) for name, value in times.items()},
        "ratio": round(times["triton"] / times["heddle"], 3),
        "configuration": {
            name: {k: str(v.best_config) for k, v in vars(module).items() if hasattr(v, "best_config")}
            for name, module in modules.items()
        },
    }


def refusals():
    """Why Triton's version runs, of each kernel of which it does."""
    from heddle.triton import _launcher

    known = [item for item in gc.get_objects() if type(item) is _launcher.Launcher]
    return sorted({str(item.why_not()) for item in known if item.entries or item.refusals} - {"None"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutorials")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", nargs="*", help="cases whose titles contain one of these texts")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--lanes", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    args = parser.parse_args()
    os.environ["HEDDLE_PROGRESS"] = "off"
    sys.modules.setdefault("pytest", types.ModuleType("pytest"))  # tutorial 06 marks tests, which are cut off
    cases = [case for case in all_cases() if not args.only or any(text in case.title for text in args.only)]
    began = time.monotonic()
    in_lanes(cases, args.tutorials, args.lanes)
    print(f"compiled ahead in {time.monotonic() - began:.0f} s", flush=True)

    import heddle.triton  # noqa: F401

    results, modules, bad = {}, {}, 0
    for case in cases:
        try:
            if case.tutorial not in modules:
                modules[case.tutorial] = {name: load(args.tutorials, case.tutorial) for name in BACKENDS}
            entry = time_case(case, modules[case.tutorial], args.rounds)
            bad += max(entry["errors"].values()) > WORST
            print(f"{case.title}: {entry['microseconds']} us, {entry['ratio']}, errors {entry['errors']}", flush=True)
        except Exception as error:
            traceback.print_exc()
            entry, bad = {"failed": repr(error)}, bad + 1
        results[case.title] = entry
        gc.collect()
    environment = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
    }
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump({"environment": environment, "cases": results, "refused": refusals()}, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
