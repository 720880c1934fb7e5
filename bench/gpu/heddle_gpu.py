"""Loads a compiled kernel (kernel.cubin + kernel.json) and launches it on PyTorch tensors.

    kernel = Kernel("out/gemm")               # a directory with kernel.cubin and kernel.json
    kernel(A, B, C, alpha=1.0)                # tensors in the manifest's order, scalars by name
    launch = kernel.bind(A, B, C, alpha=1.0)  # encodes tensor maps once; launch() many times

The driver, tensor maps and launches are the Python package's (python/heddle/_cuda.py), in PyTorch's context and on its
current stream. Errors: UserError for bad tensors, DriverError for what the driver refuses.
"""

import os

import torch

from manifest import Manifest, UserError  # noqa: F401 (UserError is part of this module's interface)

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
