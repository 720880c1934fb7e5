"""The CUDA driver through ctypes: loads cubins, encodes tensor maps, launches. No CUDA toolkit, no PyTorch needed.

The library is $HEDDLE_LIBCUDA, else libcuda.so.1; tests put a stand-in there. Launches go to the current context, which
PyTorch or the caller made; where there is none, to the first device's primary context.
"""

import ctypes
import functools
import math
import os
import threading

from ._driver import Unavailable
from ._manifest import Error

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
FUNCTION_LOCAL_BYTES, FUNCTION_MAX_DYNAMIC_SMEM = 3, 8
DEVICE_SMS, DEVICE_MAJOR, DEVICE_MINOR = 16, 75, 76


class DriverError(Error):
    """The CUDA driver refused, or a kernel failed."""


class _Driver:
    def __init__(self):
        name = os.environ.get("HEDDLE_LIBCUDA") or "libcuda.so.1"
        try:
            self.lib = ctypes.CDLL(name)
        except OSError as error:
            raise Unavailable(f"expected the CUDA driver library, got none: {error}") from None
        self("cuInit", 0)

    def __call__(self, name, *args):
        self.check(name, getattr(self.lib, name)(*args))

    def check(self, name, code):
        if code:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorString(code, ctypes.byref(text))
            raise DriverError(f"{name}: error {code}: {(text.value or b'unknown').decode()}")


_made = threading.Lock()
_driver = None


def driver():
    """The driver; Unavailable where there is none."""
    global _driver
    if _driver is None:
        with _made:
            if _driver is None:
                _driver = _Driver()
    return _driver


def ensure_context():
    """Makes a context current where none is; the device's number."""
    current, device = ctypes.c_void_p(), ctypes.c_int()
    cuda = driver()
    cuda("cuCtxGetCurrent", ctypes.byref(current))
    if not current.value:
        cuda("cuDeviceGet", ctypes.byref(device), 0)
        cuda("cuDevicePrimaryCtxRetain", ctypes.byref(current), device)
        cuda("cuCtxSetCurrent", current)
    cuda("cuCtxGetDevice", ctypes.byref(device))
    return device.value


@functools.lru_cache(maxsize=None)
def attribute(device, which):
    value = ctypes.c_int()
    driver()("cuDeviceGetAttribute", ctypes.byref(value), which, device)
    return value.value


def capability(device):
    return attribute(device, DEVICE_MAJOR), attribute(device, DEVICE_MINOR)


@functools.lru_cache(maxsize=None)
def zeros(device):
    """The address of 16 zero bytes on `device`, kept to the end of the process."""
    memory = ctypes.c_uint64()
    driver()("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(16))
    driver()("cuMemsetD8_v2", memory, ctypes.c_ubyte(0), ctypes.c_size_t(16))
    return memory.value


class Memory:
    """Bytes on the current device, which go with the object."""

    def __init__(self, size):
        memory = ctypes.c_uint64()
        driver()("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
        self.address, self.size = memory.value, size

    def __del__(self):
        if _driver is not None:
            _driver.lib.cuMemFree_v2(ctypes.c_uint64(self.address))


def clear(address, size, stream):
    """Enqueues zeroes for so many bytes."""
    driver()("cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size),
             ctypes.c_void_p(stream))


@functools.lru_cache(maxsize=None)
def counter(device, stream):
    """The address where kernels launched on `stream` count programs: each leaves it zero, and they run one by one."""
    memory = ctypes.c_uint64()
    driver()("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4))
    driver()("cuMemsetD8_v2", memory, ctypes.c_ubyte(0), ctypes.c_size_t(4))
    driver()("cuStreamSynchronize", None)  # streams need not wait for the one of the memset
    return memory.value


def encode(spec):
    """(storage, address) of a CUtensorMap, 64-byte aligned; the storage has to be kept."""
    if 0 in spec.dims:
        spec = spec.on_zeros(zeros(ensure_context()))
    storage = ctypes.create_string_buffer(192)
    at = -(-ctypes.addressof(storage) // 64) * 64
    rank = len(spec.dims)
    driver()(
        "cuTensorMapEncodeTiled",
        ctypes.c_void_p(at),
        MAP_TYPE[spec.elem],
        ctypes.c_uint32(rank),
        ctypes.c_void_p(spec.address),
        (ctypes.c_uint64 * rank)(*spec.dims),
        (ctypes.c_uint64 * max(1, rank - 1))(*spec.strides),
        (ctypes.c_uint32 * rank)(*spec.box),
        (ctypes.c_uint32 * rank)(*[1] * rank),
        0,
        MAP_SWIZZLE[spec.swizzle],
        MAP_L2[spec.l2],
        MAP_OOB[spec.oob],
    )
    return storage, at


class Function:
    """A kernel of a cubin, in the current context. `local_bytes`: stack a thread, which spills are part of."""

    def __init__(self, image, manifest):
        cuda = driver()
        self.device = ensure_context()
        if capability(self.device) != (9, 0):
            major, minor = capability(self.device)
            raise Unavailable(f"expected a GPU of compute capability 9.0, got {major}.{minor}")
        module, self.handle, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        cuda("cuModuleLoadData", ctypes.byref(module), image)
        cuda("cuModuleGetFunction", ctypes.byref(self.handle), module, manifest.kernel.encode())
        cuda("cuFuncSetAttribute", self.handle, FUNCTION_MAX_DYNAMIC_SMEM, manifest.smem)
        cuda("cuFuncGetAttribute", ctypes.byref(value), FUNCTION_LOCAL_BYTES, self.handle)
        self.local_bytes = value.value

        self.launched = manifest.cluster, manifest.block, manifest.smem

    def sms(self):
        """Multiprocessors that the kernel can occupy at once: of one with clusters as many as these fill."""
        cluster, block, smem = self.launched
        blocks, clusters = math.prod(cluster), ctypes.c_int()
        every = attribute(self.device, DEVICE_SMS)
        if blocks == 1:
            return every
        config = _Config(*cluster, block, 1, 1, smem)
        driver()("cuOccupancyMaxActiveClusters", ctypes.byref(clusters), self.handle, ctypes.byref(config))
        if clusters.value < 1:
            raise Unavailable(f"expected a GPU that can run a cluster of {blocks} blocks with {smem} bytes of shared "
                              "memory each, got none")
        return min(clusters.value * blocks, every)


class _Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        *((name, ctypes.c_uint) for name in ("x", "y", "z", "threads", "threads_y", "threads_z", "smem")),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_uint),
    ]


CELL = {"pointer": ctypes.c_uint64, "i32": ctypes.c_int32, "f32": ctypes.c_float}


class Launch:
    """A function with its parameters: launch(stream) enqueues one run. Everything that ctypes converts is converted
    once, so that a launch costs one foreign call. `owners`: for each parameter the view whose address it has, or None;
    with them, moved() gives the same launch for tensors of equal sizes elsewhere."""

    __slots__ = ("arguments", "call", "cells", "counters", "empty", "function", "owners", "shape")

    def __init__(self, function, launch, owners=()):
        self.function, self.owners = function, owners
        self.empty = 0 in launch.grid
        self.shape = (*launch.grid, launch.block, 1, 1, launch.smem)
        cells = []
        for kind, value in launch.values:
            if kind == "tensormap":
                cells.append(encode(value))
            elif kind == "counter":
                cells.append(None)
            else:
                storage = CELL[kind](value)
                cells.append((storage, ctypes.addressof(storage)))
        self._hold(cells)

    def _hold(self, cells):
        self.cells = cells
        self.call = driver().lib.cuLaunchKernelEx
        self.arguments = {}  # by stream, so that threads do not meet
        self.counters = []  # what holds their addresses, one a stream

    def moved(self, addresses):
        """The launch with views at other addresses: {view: address}, multiples of 16."""
        launch = Launch.__new__(Launch)
        launch.function, launch.owners, launch.empty, launch.shape = self.function, self.owners, self.empty, self.shape
        cells = list(self.cells)
        for i, owner in enumerate(self.owners):
            if owner is None:
                continue
            storage, at = cells[i]
            if isinstance(storage, ctypes.c_uint64):
                storage = ctypes.c_uint64(addresses[owner])
                cells[i] = storage, ctypes.addressof(storage)
                continue
            copy = ctypes.create_string_buffer(192)
            to = -(-ctypes.addressof(copy) // 64) * 64
            ctypes.memmove(to, at, 128)
            driver()("cuTensorMapReplaceAddress", ctypes.c_void_p(to), ctypes.c_void_p(addresses[owner]))
            cells[i] = copy, to
        launch._hold(cells)
        return launch

    def _made(self, stream):
        cells = self.cells
        if None in cells:
            storage = ctypes.c_uint64(counter(self.function.device, stream))
            cells = [cell or (storage, ctypes.addressof(storage)) for cell in cells]
            self.counters.append(storage)
        params = (ctypes.c_void_p * max(1, len(cells)))(*[at for _, at in cells])
        return ctypes.byref(_Config(*self.shape, stream)), self.function.handle, params, None

    def __call__(self, stream=0):
        if self.empty:
            return
        arguments = self.arguments.get(stream)
        if arguments is None:
            arguments = self.arguments[stream] = self._made(stream)
        code = self.call(*arguments)
        if code:
            driver().check("cuLaunchKernelEx", code)
