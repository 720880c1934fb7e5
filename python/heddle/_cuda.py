"""The CUDA driver through ctypes: loads cubins, encodes tensor maps, launches. No CUDA toolkit, no PyTorch needed.

The library is $HEDDLE_LIBCUDA, else libcuda.so.1; tests put a stand-in there. Launches go to the current context, which
PyTorch or the caller made; where there is none, to the first device's primary context.
"""

import ctypes
import functools
import math
import os
import struct
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

    def data_ptr(self):
        return self.address

    def __del__(self):
        if _driver is not None:
            _driver.lib.cuMemFree_v2(ctypes.c_uint64(self.address))


class Clear:
    """Zeroes for so many bytes: clear(stream) enqueues them. As Launch, it converts everything once."""

    __slots__ = ("arguments", "call")

    def __init__(self, address, size):
        self.call = driver().lib.cuMemsetD8Async
        self.arguments = ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size)

    def __call__(self, stream):
        code = self.call(*self.arguments, ctypes.c_void_p(stream))
        if code:
            driver().check("cuMemsetD8Async", code)


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


PACKED = {"pointer": "Q", "i32": "i", "f32": "f"}
MAP_BYTES, MAP_ALIGNMENT = 128, 64


class Launch:
    """A function with its parameters: launch(stream) enqueues one run. Everything that ctypes converts is converted
    once, so that a launch costs one foreign call. `owners`: for each parameter the number of the view whose address it
    has, or None; with them, moved() gives the same launch for tensors of equal sizes elsewhere."""

    __slots__ = ("arguments", "block", "call", "counters", "empty", "function", "owners", "places", "shape")

    def __init__(self, function, launch, owners=()):
        self.function, self.owners = function, owners
        self.empty = 0 in launch.grid
        self.shape = (*launch.grid, launch.block, 1, 1, launch.smem)
        # Where each parameter stands in one block of memory: (offset, whether it is a map), None for a counter.
        self.places, size = [], 0
        for kind, _ in launch.values:
            width = MAP_ALIGNMENT if kind == "tensormap" else 8
            size = -(-size // width) * width
            self.places.append(None if kind == "counter" else (size, kind == "tensormap"))
            size += MAP_BYTES if kind == "tensormap" else 8
        self._hold(size)
        at = self._begin()
        for place, (kind, value) in zip(self.places, launch.values):
            if kind == "tensormap":
                _, encoded = encode(value)
                ctypes.memmove(at + place[0], encoded, MAP_BYTES)
            elif place is not None:
                struct.pack_into(PACKED[kind], self.block, at + place[0] - ctypes.addressof(self.block), value)

    def _hold(self, size):
        self.block = ctypes.create_string_buffer(size + MAP_ALIGNMENT)
        self.call = driver().lib.cuLaunchKernelEx
        self.arguments = {}  # by stream, so that threads do not meet
        self.counters = []  # what holds their addresses, one a stream

    def _begin(self):
        return -(-ctypes.addressof(self.block) // MAP_ALIGNMENT) * MAP_ALIGNMENT

    def moved(self, addresses):
        """The launch with views at other addresses, all multiples of 16, in the order of views."""
        launch = Launch.__new__(Launch)
        launch.function, launch.owners, launch.empty, launch.shape = self.function, self.owners, self.empty, self.shape
        launch.places = self.places
        size = len(self.block) - MAP_ALIGNMENT
        launch._hold(size)
        at = launch._begin()
        ctypes.memmove(at, self._begin(), size)
        inside = at - ctypes.addressof(launch.block)
        for place, owner in zip(self.places, self.owners):
            if owner is None:
                continue
            offset, is_map = place
            if not is_map:
                struct.pack_into("Q", launch.block, inside + offset, addresses[owner])
                continue
            to, address = ctypes.c_void_p(at + offset), ctypes.c_void_p(addresses[owner])
            driver()("cuTensorMapReplaceAddress", to, address)
        return launch

    def _made(self, stream):
        at = self._begin()
        if None in self.places:
            storage = ctypes.c_uint64(counter(self.function.device, stream))
            self.counters.append(storage)
        params = [ctypes.addressof(storage) if place is None else at + place[0] for place in self.places]
        params = (ctypes.c_void_p * max(1, len(params)))(*params)
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
