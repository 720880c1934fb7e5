"""Loads a compiled kernel (kernel.cubin + kernel.json) and launches it on PyTorch tensors.

    kernel = Kernel("out/gemm")               # a directory with kernel.cubin and kernel.json
    kernel(A, B, C, alpha=1.0)                # tensors in the manifest's order, scalars by name
    launch = kernel.bind(A, B, C, alpha=1.0)  # encodes tensor maps once; launch() many times
    kernel = load("out/gemm")                 # the same, or a chain of kernels (chain.json), bound and launched alike

The driver, tensor maps and launches are the Python package's (python/heddle/_cuda.py), in PyTorch's context and on its
current stream. Errors: UserError for bad tensors, DriverError for what the driver refuses.
"""

import os

import torch

from manifest import ChainManifest, Manifest, UserError, View  # noqa: F401 (UserError: part of this interface)

# isort: split
from heddle._cuda import FUNCTION_MAX_DYNAMIC_SMEM as ATTRIBUTE_MAX_DYNAMIC_SMEM  # noqa: F401
from heddle._cuda import DriverError, Function, driver, encode  # noqa: F401
from heddle._cuda import Launch as _Launch
from heddle._tensors import view_of as _view_of


def view_of(tensor):
    """The launcher's view of a CUDA tensor."""
    view, place = _view_of(tensor)
    if place != "cuda":
        raise UserError(f"expected a CUDA tensor, got one on {tensor.device}")
    return view


class Launch(_Launch):
    """A kernel with its parameters; call it to enqueue one run on the current stream (or the one given)."""

    __slots__ = ("tensors",)

    def __call__(self, stream=None):
        super().__call__(torch.cuda.current_stream().cuda_stream if stream is None else stream)


class Kernel:
    """A loaded cubin and its manifest."""

    def __init__(self, directory, cubin="kernel.cubin", manifest="kernel.json"):
        self.manifest = Manifest.load(os.path.join(directory, manifest))
        with open(os.path.join(directory, cubin), "rb") as file:
            image = file.read()
        self.manifest.check_image(image, os.path.join(directory, cubin))
        torch.cuda.init()
        torch.empty(1, device="cuda")  # makes PyTorch's context current
        self.function = Function(image, self.manifest)

    def bind(self, *tensors, **scalars):
        names = [v["name"] for v in self.manifest.views]
        if len(tensors) != len(names):
            raise UserError(f"expected {len(names)} tensors ({', '.join(names)}), got {len(tensors)}")
        views = {name: view_of(t) for name, t in zip(names, tensors)}
        launch = Launch(self.function, self.manifest.bind(views, scalars, self.function.sms()))
        launch.tensors = tensors  # alive as long as the launch
        return launch

    def __call__(self, *tensors, **scalars):
        self.bind(*tensors, **scalars)()

    def views(self):
        return [v["name"] for v in self.manifest.views]


class Chain:
    """Several kernels as one; workspaces belong to what bind() returns."""

    def __init__(self, directory):
        self.manifest = ChainManifest.load(os.path.join(directory, "chain.json"))
        names = dict.fromkeys(launch["kernel"] for launch in self.manifest.launches)
        self.kernels = {name: Kernel(os.path.join(directory, name)) for name in names}

    def views(self):
        return [v["name"] for v in self.manifest.views]

    def bind(self, *tensors, **scalars):
        views = {name: view_of(t) for name, t in zip(self.views(), tensors, strict=True)}
        workspaces, launches = self.manifest.bind(views, scalars)
        zeroed, memory = [], [tensors]
        for w in workspaces:
            memory.append(torch.empty(w.bytes, dtype=torch.uint8, device="cuda"))
            views[w.name] = View(memory[-1].data_ptr(), w.shape, w.strides, w.elem)
            if w.zeroed:
                zeroed.append(memory[-1])
        todo = []
        for launch in launches:
            kernel = self.kernels[launch.kernel]
            given = {name: views[view] for name, view in launch.views.items()}
            bound = kernel.manifest.bind(given, launch.scalars, kernel.function.sms())
            todo.append(Launch(kernel.function, bound))

        def run(memory=memory):  # it lives as long as what uses it
            for space in zeroed:
                space.zero_()
            for launch in todo:
                launch()

        return run


def load(directory):
    """The Kernel or Chain that stands in `directory`."""
    return Chain(directory) if os.path.exists(os.path.join(directory, "chain.json")) else Kernel(directory)
