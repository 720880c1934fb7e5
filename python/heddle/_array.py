"""HostArray: numbers in the memory of the CPU, for the simulator where neither NumPy nor PyTorch is installed."""

import ctypes
import itertools
import math
import random
import struct

from ._manifest import UserError

FORMATS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "u8": "B", "i16": "h", "i32": "i", "i64": "q", "bf16": "H"}
TYPESTR = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "i8": "|i1", "u8": "|u1", "i16": "<i2", "i32": "<i4", "i64": "<i8"}


class HostArray:
    """A dense array. `values`: a number for all elements, a function of the index, or None for zeros.

    a = HostArray((64, 32), "f16", lambda i, j: i - j);  a[3, 2];  a[3, 2] = 0.5;  a.values()
    """

    def __init__(self, shape, elem="f32", values=None):
        if elem not in FORMATS:
            raise UserError(f"expected an element type ({', '.join(FORMATS)}), got '{elem}'")
        self.shape, self.elem = tuple(shape), elem
        self._size = struct.calcsize(FORMATS[elem])
        count = math.prod(self.shape)
        self._memory = ctypes.create_string_buffer(count * self._size + 64)
        self._at = -(-ctypes.addressof(self._memory) // 64) * 64 - ctypes.addressof(self._memory)
        self.__array_interface__ = {
            "shape": self.shape,
            "typestr": TYPESTR.get(elem, "<u2"),
            "data": (ctypes.addressof(self._memory) + self._at, False),
            "version": 3,
        }
        if values is not None:
            for index in itertools.product(*map(range, self.shape)):
                self[index] = values(*index) if callable(values) else values

    @classmethod
    def normal(cls, shape, elem="f32", seed=0):
        """Normal random numbers."""
        source = random.Random(seed)
        return cls(shape, elem, lambda *_: source.gauss(0, 1))

    def _offset(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if len(index) != len(self.shape) or any(not 0 <= i < n for i, n in zip(index, self.shape)):
            raise IndexError(f"expected an index inside of {self.shape}, got {index}")
        position = 0
        for i, n in zip(index, self.shape):
            position = position * n + i
        return self._at + position * self._size

    def __getitem__(self, index):
        (value,) = struct.unpack_from("<" + FORMATS[self.elem], self._memory, self._offset(index))
        if self.elem == "bf16":
            (value,) = struct.unpack("<f", struct.pack("<I", value << 16))
        return value

    def __setitem__(self, index, value):
        if self.elem == "bf16":
            (bits,) = struct.unpack("<I", struct.pack("<f", value))
            value = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        struct.pack_into("<" + FORMATS[self.elem], self._memory, self._offset(index), value)

    def values(self):
        """All elements in row-major order."""
        return [self[index] for index in itertools.product(*map(range, self.shape))]
