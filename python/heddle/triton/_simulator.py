"""HEDDLE_DEVICE=sim: launches of Triton kernels without a GPU.

A stand-in for Triton's driver says that a Hopper GPU is there; Triton's front end makes TTIR as for it, the stages
after that are left out, and a launch is a run of `heddle run --device=sim`: the kernel as Heddle compiled it, compared
on the way with the kernel as Triton wrote it (addresses, masks and results). Tensors are PyTorch's on the CPU, or
NumPy's arrays. TRITON_INTERPRET=1, Triton's own interpreter, stands beside it and is not touched.
"""

import functools
import re
import sys

from .. import _sim, _tensors
from .._manifest import ELEM_BYTES, Error, UserError, View
from . import _jobs, _launcher


class Array:
    """A NumPy array as Triton sees tensors."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape
        self.__array_interface__ = array.__array_interface__

    def data_ptr(self):
        return self.__array_interface__["data"][0]

    def untyped_storage(self):
        """The memory that the array is a part of, which is as far as a kernel may reach."""
        owner = self.array
        while hasattr(owner.base, "__array_interface__"):
            owner = owner.base
        return Storage(owner)


class Storage:
    def __init__(self, owner):
        self.owner = owner

    def data_ptr(self):
        return self.owner.__array_interface__["data"][0]

    def nbytes(self):
        return self.owner.nbytes


def _adapted(value):
    """An argument as Triton takes it: NumPy's arrays as tensors, its numbers as Python's."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, tuple):
        members = [_adapted(member) for member in value]
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    if numpy is None or not isinstance(value, (numpy.ndarray, numpy.generic)):
        return value
    return Array(value) if isinstance(value, numpy.ndarray) else value.item()


class Utils:
    """What Triton asks of a device before a launch."""

    def get_device_properties(self, _device):
        return {"max_shared_mem": 232448, "multiprocessor_count": 2, "max_num_regs": 65536, "warpSize": 32}

    def load_binary(self, *_):
        return 0, 0, 0, 0, 1024


class Driver:
    """Stands in for triton.backends.nvidia.driver.CudaDriver."""

    def __init__(self):
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget("cuda", 90, 32)
        self.utils, self.launcher_cls = Utils(), Launcher

    @staticmethod
    def is_active():
        return True

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, _device=None):
        return 0

    def get_device_capability(self, _device=None):
        return 9, 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        """Nothing is timed: the autotuner takes its first configuration."""
        return lambda call, quantiles=None, **_: [1.0] * len(quantiles or [1.0])

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass


class Launcher:
    """A launch: a run in the simulator, and what the kernel stored is written to the tensors."""

    def __init__(self, src, metadata):
        self.signature, note = src.signature, getattr(metadata, "heddle", {})
        if note.get("reason") or not note.get("ttir"):
            raise Error(f"HEDDLE_DEVICE=sim: {note.get('reason') or 'the kernel has no TTIR'}")
        self.text = note["ttir"]
        job = _jobs.start(self.text, note["fused"], needs_image=False)
        job.wait()
        if job.reason:
            raise Error(f"HEDDLE_DEVICE=sim: {job.reason}")
        self.kernel, self.job = job.kernel, job
        self.reason, self.refusals, self.trials = None, {}, {}
        self.launches = {"heddle": 0, "triton": 0}

    def __call__(self, x, y, z, _stream, _function, _metadata, _launch_metadata, _enter, _leave, *args):
        grid = (x, y, z)
        if 0 in grid:
            return
        args = [_adapted(value) for value in args]
        kernel, one_tensor = self.kernel, ()
        try:
            try:
                views, _ = _launcher.bind(kernel, self.signature, args, grid)
            except _launcher.Aliased as aliased:
                one_tensor = aliased.one_tensor
                job = _jobs.start(self.text, self.job.fused, needs_image=False, one_tensor=one_tensor)
                job.wait()
                if job.reason:
                    raise _jobs.Refused(job.reason) from None
                kernel = job.kernel
                views, _ = _launcher.bind(kernel, self.signature, args, grid)
        except _jobs.Refused as refused:
            raise Error(f"HEDDLE_DEVICE=sim: {refused}") from None
        for view in kernel.launch["views"]:
            if view.get("memory"):
                raise Error(f"HEDDLE_DEVICE=sim: '{view['of']}' has addresses, which the simulator's memory has not")
        scalars, pointers, names = {}, {}, kernel.launch["arguments"]
        elements = {view["argument"]: view["name"] for view in kernel.launch["views"]}
        stored_to = {view["argument"] for view in kernel.launch["views"] if view["stored"]}
        for number, (name, (position, part)) in enumerate(zip(names, _launcher.arguments_of(self.signature))):
            value = _launcher.value_at(args, position)
            if part is not None:
                scalars[name] = int(getattr(value, part[0])[part[1]])
            elif isinstance(value, (int, float)):
                scalars[name] = int(value) if isinstance(value, bool) else value
            elif number in elements:
                holds = hasattr(value, "block_shape") or hasattr(getattr(value, "base", None), "data_ptr")
                tensor = value.base if holds else value  # of a descriptor, or of triton.reinterpret
                whole, place = _tensors.view_of(tensor)
                if place != "cpu":
                    raise Error(f"HEDDLE_DEVICE=sim: '{name}' is on a GPU")
                if not whole.writable and number in stored_to:
                    raise UserError(f"argument '{name}': expected a tensor that may be written, got a read-only one")
                elem = views[elements[number]].elem  # another size than the tensor's where the kernel casts the pointer
                count = _tensors.extent(whole) * ELEM_BYTES[whole.elem] // ELEM_BYTES[elem]
                pointers[name] = View(whole.address, (count,), (1,), elem)
        stored = {
            view["name"]: (views[view["name"]], names[view["argument"]])
            for view in kernel.launch["views"]
            if view["stored"]
        }
        self.launches["heddle"] += 1
        _sim.run_triton(self.text, stored, pointers, scalars, grid, _launcher.UNBOUNDED, one_tensor)


def replace_stages(stages):
    """Keeps `ttir`; which says what a launch asks for; the stages after it give nothing."""

    make_ttir = stages["ttir"]

    def ttir(module, metadata):
        result = make_ttir(module, metadata)
        metadata["name"] = re.search(r"tt\.func public @\"?([^\s\"(]+)", str(result)).group(1)
        metadata.update(shared=0, tmem_size=0, global_scratch_size=0, global_scratch_align=1)
        metadata.update(profile_scratch_size=0, profile_scratch_align=1, tensordesc_meta=[])
        return result

    for name in stages:
        stages[name] = ttir if name == "ttir" else lambda *_, empty=b"" if name == "cubin" else "": empty


def install():
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction

    driver.set_active(Driver())
    run = JITFunction.run

    @functools.wraps(run)
    def adapted(self, *args, **kwargs):
        args = [_adapted(value) for value in args]
        return run(self, *args, **{name: _adapted(value) for name, value in kwargs.items()})

    JITFunction.run = adapted
