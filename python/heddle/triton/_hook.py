"""Where Triton's compiler and launcher meet Heddle.

Compilation: CUDABackend.add_stages is wrapped, so that the stage `ttir` hands its text to a job (_jobs.py) and the
stage `cubin` notes in the kernel's metadata, under `heddle`, the text or the reason why it is not tried. All of
Triton's stages run as before. CUDABackend.hash tells apart kernels that were cached without the note. Launches: the
driver's launcher class is wrapped (_launcher.py), which finds the note again, also in a kernel from Triton's cache. The
wrappers are the same for Triton 3.6 to 3.9.

The autotuner's configurations are all compiled before the first is timed, by Heddle's jobs in parallel, and each is
decided between the versions before it is timed, so that the times it compares are those of the better kernel of each.
Where these are close, the configuration is chosen that Triton's own kernels would have: what is tuned for one problem
is used for others (Times). Inductor times the configurations of its templates itself: there, too, each is decided
before (install_in_inductor).
"""

import functools
import time

from .. import _sim
from .._manifest import Error
from . import _jobs, _launcher

# What Triton's cache key says of the note's form; the mode, which decides what is tried, stands behind it.
FORM = "heddle-1"
# Configurations that take at most this much more time than the best are taken to be as good.
CLOSE = 1.04
# A kernel may take this much longer to compile than Triton alone takes; then Heddle goes on in the background.
PATIENCE = 0.1


def install():
    from triton.backends.nvidia import compiler, driver
    from triton.runtime import autotuner

    backend = compiler.CUDABackend
    if getattr(backend, "heddle", None):
        return
    for owner, name in (
        (backend, "add_stages"),
        (driver, "CudaDriver"),
        (autotuner.Autotuner, "prune_configs"),
        (autotuner.Autotuner, "_bench"),
    ):
        getattr(owner, name)  # an AttributeError before anything is replaced
    _wrap(backend, "hash", _hash)
    backend.heddle = FORM
    _wrap(backend, "add_stages", _add_stages)
    _wrap(autotuner.Autotuner, "prune_configs", _prune_configs)
    _wrap(autotuner.Autotuner, "_bench", _bench)
    if _sim.chosen():
        from . import _simulator

        _simulator.install()
    else:
        _wrap(driver.CudaDriver, "__init__", _driver_init)
        from triton.runtime.driver import driver as drivers

        active = vars(drivers).get("_active") or vars(drivers).get("_default")
        if active is not None and hasattr(active, "launcher_cls"):
            active.launcher_cls = _launcher.wrap(active.launcher_cls)


def install_in_inductor():
    from torch._inductor import autotune_process

    timed = getattr(autotune_process, "GPUDeviceBenchmarkMixin", None)
    if hasattr(timed, "do_bench") and not hasattr(timed, "heddle"):
        _wrap(timed, "do_bench", _bench_in_inductor)
        timed.heddle = FORM


def _wrap(owner, name, wrapper):
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(*args, **kwargs):
        return wrapper(original, *args, **kwargs)

    setattr(owner, name, wrapped)


def _hash(original, self):
    if _mode() == "off":
        return original(self)
    return f"{original(self)}-{FORM}-{'sim' if _sim.chosen() else _mode()}"


def _driver_init(original, self, *args, **kwargs):
    original(self, *args, **kwargs)
    self.launcher_cls = _launcher.wrap(self.launcher_cls)


def unsuited(options):
    """Why kernels with these options are Triton's, or None."""
    if getattr(options, "num_ctas", 1) > 1:
        return "num_ctas: clusters are Triton's"
    for name in ("launch_cooperative_grid", "launch_pdl", "instrumentation_mode"):
        if getattr(options, name, None):
            return f"{name} is set"
    return None


def _add_stages(original, self, stages, options, *args, **kwargs):
    original(self, stages, options, *args, **kwargs)
    if _mode() == "off" or "ttir" not in stages or getattr(getattr(self, "target", None), "arch", 90) != 90:
        return
    if _sim.chosen():
        from . import _simulator

        _simulator.replace_stages(stages)
    note = {"reason": unsuited(options) or "the kernel came as a file"}
    begun = time.monotonic()
    make_ttir, make_cubin = stages["ttir"], stages["cubin"]

    def ttir(module, metadata):
        result = make_ttir(module, metadata)
        if not unsuited(options):
            try:
                note.update(_begin(str(result), getattr(options, "enable_fp_fusion", True)))
            except Exception as error:  # never in the way of the user's program
                note["reason"] = f"{type(error).__name__}: {error}"
        return result

    def cubin(module, metadata):
        result = make_cubin(module, metadata)
        job = note.get("job")
        if job is not None:
            job.wait(None if _mode() == "only" or _sim.chosen() else PATIENCE * (time.monotonic() - begun))
        reason = job.reason if job is not None else note["reason"]
        if _mode() == "only" and reason:
            raise Error(f"HEDDLE_TRITON=only: {reason}")
        # What the compiler says is not kept here: Triton's cache outlives a version of Heddle.
        metadata["heddle"] = {key: note.get(key) for key in ("ttir", "fused", "reason")}
        return result

    stages["ttir"], stages["cubin"] = ttir, cubin


def _mode():
    from . import mode

    return mode()


def _begin(text, fused):
    if _mode() == "auto" and not _sim.chosen() and "tt.dot" not in text and "scf.for" not in text:
        return {"reason": "no product (tl.dot) and no loop: nothing runs ahead of anything, Triton's are as good"}
    job = _jobs.start(text, fused, needs_image=not _sim.chosen())
    return {"ttir": text, "fused": fused, "reason": None, "job": job}


def _prune_configs(original, self, kwargs, *args):
    """Compiles what the autotuner is about to time."""
    pruned = original(self, kwargs, *args)
    self.heddle_times = []
    if kwargs.get("warmup") or _sim.chosen() or _mode() == "off":
        return pruned
    jobs = []
    for config in pruned:
        try:
            chosen = {**self.nargs, **kwargs, **config.all_kwargs()}
            if config.pre_hook is not None:
                config.pre_hook(dict(chosen))
            kernel = self.fn.run(**dict(chosen, warmup=True))
            note = getattr(getattr(kernel, "metadata", None), "heddle", None) or {}
            if note.get("ttir") and not note.get("reason"):
                jobs.append(_jobs.start(note["ttir"], note["fused"]))
        except Exception:  # the autotuner meets it again, and knows what to do
            continue
    for job in jobs:
        job.wait()
    return pruned


class Times(list):
    """What the autotuner measured of a configuration: its milliseconds, the median first. In the order of these, those
    within CLOSE of the best come first, by what Triton's own kernel takes (`alone`). A list of configurations is tuned
    with an empty cache and by a few of a kernel's arguments: tutorial 08 by the number of matrices, not by their sizes,
    and a tile that is 2 % the better one for some sizes took 1.4 times the time for others
    (bench/results/2026-11-24-h100-tutorials.json)."""

    def __init__(self, times, alone, others):
        super().__init__(times)
        self.alone = times[0] if alone is None else alone
        self.others = others  # all of the same tuning, this one among them

    def _rank(self):
        close = self[0] <= CLOSE * min(other[0] for other in self.others)
        return (not close, self.alone if close else self[0])

    def __lt__(self, other):
        return self._rank() < other._rank() if isinstance(other, Times) else list.__lt__(self, other)


def _bench(original, self, *args, **kwargs):
    """Times a configuration, once it is decided which version runs."""
    if _sim.chosen() or _mode() != "auto":
        return original(self, *args, **kwargs)
    measure, alone = self.do_bench, []

    def settled(call, *rest, **named):
        alone.append(_launcher.settle(call, _busy()))
        return measure(call, *rest, **named)

    self.do_bench = settled
    try:
        times = original(self, *args, **kwargs)
    finally:
        self.do_bench = measure
    if type(times) is not list or not times or not alone:
        return times
    others = self.__dict__.setdefault("heddle_times", [])
    others.append(Times(times, alone[-1], others))
    return others[-1]


def _bench_in_inductor(original, self, call, *args, **kwargs):
    """Times a configuration of a template, once it is decided which version runs."""
    if not _sim.chosen() and _mode() == "auto":
        _launcher.settle(call, _busy())
    return original(self, call, *args, **kwargs)


def _busy():
    """Work for the GPU, as the autotuner has it before each launch that it times."""
    from triton.runtime.driver import driver

    cache = driver.active.get_empty_cache_for_benchmark()
    return lambda: driver.active.clear_cache(cache)
