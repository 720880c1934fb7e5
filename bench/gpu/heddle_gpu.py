"""Loads a compiled kernel (kernel.cubin + kernel.json) and launches it on PyTorch tensors.

    kernel = Kernel("out/gemm")               # a directory with kernel.cubin and kernel.json
    kernel(A, B, C, alpha=1.0)                # tensors in the manifest's order, scalars by name
    launch = kernel.bind(A, B, C, alpha=1.0)  # encodes tensor maps once; launch() many times

Talks to libcuda.so.1 through ctypes, in PyTorch's context and on its current stream. Errors: UserError for bad
tensors (manifest.py), DriverError for what the driver refuses.
"""

import ctypes
import os

import torch

from manifest import Manifest, UserError, View  # noqa: F401 (UserError is part of this module's interface)

TORCH_ELEM = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.float8_e4m3fn: "e4m3",
    torch.float8_e5m2: "e5m2",
}
# CUtensorMapDataType; 8-bit floats travel as UINT8.
MAP_TYPE = {
    "u8": 0,
    "i8": 0,
    "e4m3": 0,
    "e5m2": 0,
    "i16": 1,
    "i32": 3,
    "i64": 5,
    "f16": 6,
    "f32": 7,
    "f64": 8,
    "bf16": 9,
    "tf32": 11,
}
MAP_SWIZZLE = {0: 0, 32: 1, 64: 2, 128: 3}
MAP_L2 = {0: 0, 64: 1, 128: 2, 256: 3}
MAP_OOB = {"zero": 0, "nan": 1}
ATTRIBUTE_MAX_DYNAMIC_SMEM = 8


class DriverError(Exception):
    """The CUDA driver refused or a kernel failed."""


class _Driver:
    def __init__(self):
        try:
            self.lib = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise DriverError(f"expected the CUDA driver library libcuda.so.1, got: {error}") from None

    def __call__(self, name, *args):
        code = getattr(self.lib, name)(*args)
        if code:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorString(code, ctypes.byref(text))
            raise DriverError(f"{name}: error {code}: {(text.value or b'unknown').decode()}")


_driver = None


def driver():
    global _driver
    if _driver is None:
        _driver = _Driver()
    return _driver


def view_of(tensor):
    """The launcher's view of a CUDA tensor."""
    if tensor.dtype not in TORCH_ELEM:
        raise UserError(f"expected a supported element type, got {tensor.dtype}")
    if not tensor.is_cuda:
        raise UserError(f"expected a CUDA tensor, got one on {tensor.device}")
    return View(tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), TORCH_ELEM[tensor.dtype])


_empty = None


def encode(spec):
    """A 128-byte CUtensorMap, 64-byte aligned; keeps its storage alive through the returned object."""
    global _empty
    if 0 in spec.dims:
        _empty = torch.zeros(16, dtype=torch.uint8, device="cuda") if _empty is None else _empty
        spec = spec.on_zeros(_empty.data_ptr())
    storage = ctypes.create_string_buffer(192)
    at = -(-ctypes.addressof(storage) // 64) * 64
    rank = len(spec.dims)
    u64 = lambda values: (ctypes.c_uint64 * max(1, len(values)))(*values)
    u32 = lambda values: (ctypes.c_uint32 * len(values))(*values)
    driver()(
        "cuTensorMapEncodeTiled",
        ctypes.c_void_p(at),
        MAP_TYPE[spec.elem],
        ctypes.c_uint32(rank),
        ctypes.c_void_p(spec.address),
        u64(spec.dims),
        u64(spec.strides),
        u32(spec.box),
        u32([1] * rank),
        0,
        MAP_SWIZZLE[spec.swizzle],
        MAP_L2[spec.l2],
        MAP_OOB[spec.oob],
    )
    return storage, at


class Launch:
    """A kernel with its parameters; call it to enqueue one run on the current stream (or the one given)."""

    def __init__(self, function, launch, keep):
        self.function, self.launch, self.keep = function, launch, list(keep)
        pointers = []
        for kind, value in launch.values:
            if kind == "tensormap":
                storage, at = encode(value)
                self.keep.append(storage)
            else:
                cell = {"pointer": ctypes.c_uint64, "i32": ctypes.c_int32, "f32": ctypes.c_float}[kind](value)
                self.keep.append(cell)
                at = ctypes.addressof(cell)
            pointers.append(at)
        self.params = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)

    def __call__(self, stream=None):
        grid = self.launch.grid
        if 0 in grid:
            return
        stream = torch.cuda.current_stream().cuda_stream if stream is None else stream
        driver()(
            "cuLaunchKernel",
            self.function,
            grid[0],
            grid[1],
            grid[2],
            self.launch.block,
            1,
            1,
            self.launch.smem,
            ctypes.c_void_p(stream),
            self.params,
            None,
        )


class Kernel:
    """A loaded cubin and its manifest."""

    def __init__(self, directory, cubin="kernel.cubin", manifest="kernel.json"):
        self.manifest = Manifest.load(os.path.join(directory, manifest))
        with open(os.path.join(directory, cubin), "rb") as file:
            image = file.read()
        self.manifest.check_image(image, os.path.join(directory, cubin))
        torch.cuda.init()
        torch.empty(1, device="cuda")  # makes PyTorch's context current
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        driver()("cuModuleLoadData", ctypes.byref(self.module), image)
        driver()("cuModuleGetFunction", ctypes.byref(self.function), self.module, self.manifest.kernel.encode())
        driver()("cuFuncSetAttribute", self.function, ATTRIBUTE_MAX_DYNAMIC_SMEM, self.manifest.smem)
        self.sms = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count

    def bind(self, *tensors, **scalars):
        names = [v["name"] for v in self.manifest.views]
        if len(tensors) != len(names):
            raise UserError(f"expected {len(names)} tensors ({', '.join(names)}), got {len(tensors)}")
        views = {name: view_of(t) for name, t in zip(names, tensors)}
        return Launch(self.function, self.manifest.bind(views, scalars, self.sms), tensors)

    def __call__(self, *tensors, **scalars):
        self.bind(*tensors, **scalars)()
