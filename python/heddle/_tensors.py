"""Tensors of any library as views: address, sizes, strides, element type, and where they are.

Taken are PyTorch's tensors, NumPy's arrays, and whatever has __array_interface__ (memory of the CPU) or
__cuda_array_interface__ (of a GPU). Memory of the CPU is copied to and from .npy files for the simulator. An array of
16-bit (8-bit) unsigned numbers may stand for bf16 (for 8-bit floats), bit by bit.
"""

import ast
import ctypes
import dataclasses
import itertools
import math
import struct

from ._manifest import ELEM_BYTES, UserError, View

TORCH = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "bool": "u8",
}
ARRAY = {
    "f2": "f16",
    "f4": "f32",
    "f8": "f64",
    "i1": "i8",
    "u1": "u8",
    "b1": "u8",
    "i2": "i16",
    "u2": "u16",
    "i4": "i32",
    "i8": "i64",
}
# How an element type is written to a file: docs/Manifest.md, "Tensors in files".
FILE = {
    "f16": "<f2",
    "bf16": "<u2",
    "u16": "<u2",
    "f32": "<f4",
    "f64": "<f8",
    "e4m3": "|u1",
    "e5m2": "|u1",
    "i8": "|i1",
    "u8": "|u1",
    "i16": "<i2",
    "i32": "<i4",
    "i64": "<i8",
}
STAND_IN = {"u16": ("bf16", "f16"), "u8": ("e4m3", "e5m2", "i8")}
BYTES = dict(ELEM_BYTES, u16=2)


def is_tensor(value):
    return (
        hasattr(value, "data_ptr")
        or hasattr(value, "__array_interface__")
        or hasattr(value, "__cuda_array_interface__")
    )


def view_of(value):
    """(View, "cuda" or "cpu") of a tensor."""
    if hasattr(value, "data_ptr") and hasattr(value, "stride"):
        elem = TORCH.get(str(value.dtype).rpartition(".")[2])
        if elem is None:
            raise UserError(f"expected a supported element type, got {value.dtype}")
        if value.device.type not in ("cuda", "cpu"):
            raise UserError(f"expected a tensor on a GPU or the CPU, got one on {value.device}")
        return View(value.data_ptr(), tuple(value.shape), tuple(value.stride()), elem), value.device.type
    for attribute, place in (("__cuda_array_interface__", "cuda"), ("__array_interface__", "cpu")):
        interface = getattr(value, attribute, None)
        if interface is not None:
            return _of_interface(value, interface), place
    raise UserError(f"expected a tensor (PyTorch, NumPy or an array interface), got {type(value).__name__}")


def _of_interface(value, interface):
    name = str(getattr(value, "dtype", ""))
    elem = TORCH.get(name) if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else None
    elem = elem or ARRAY.get(interface["typestr"][1:])
    if elem is None or interface["typestr"][0] == ">":
        raise UserError(f"expected a supported element type, got {interface['typestr']}")
    shape, size = tuple(interface["shape"]), BYTES[elem]
    strides = interface.get("strides")
    if strides is None:
        counts = list(itertools.accumulate(reversed(shape[1:]), lambda a, b: a * b, initial=1))
        strides = [size * count for count in reversed(counts)][: len(shape)]
    if any(stride % size for stride in strides):
        raise UserError(f"expected strides of whole elements, got {tuple(strides)} bytes of {size}-byte elements")
    address, read_only = interface["data"]
    return View(address, shape, tuple(stride // size for stride in strides), elem, not read_only)


def as_element(view, wanted):
    """The view, with unsigned numbers read as the bits of `wanted`."""
    if view.elem != wanted and wanted in STAND_IN.get(view.elem, ()):
        return dataclasses.replace(view, elem=wanted)
    return view


def extent(view):
    """Elements from the first to the last, both included; 0 where there are none."""
    if 0 in view.shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(view.shape, view.strides))


def overlaps(view):
    """Whether two elements of the view may be one of memory, by its sizes and strides."""
    reach = 0  # of all dimensions with smaller strides
    for stride, size in sorted((abs(t), n) for n, t in zip(view.shape, view.strides) if n > 1):
        if stride <= reach:
            return True
        reach += (size - 1) * stride
    return False


def _range(view):
    """(first byte, byte behind the last) of the view, whatever the signs of its strides."""
    reach = [(size - 1) * stride for size, stride in zip(view.shape, view.strides)]
    size = BYTES[view.elem]
    first = view.address + size * sum(r for r in reach if r < 0)
    return first, view.address + size * (1 + sum(r for r in reach if r > 0))


def share(one, other):
    """Whether two views certainly have an element in common: they begin with the same one, or lie in common bytes and
    leave none of theirs out."""
    if 0 in one.shape or 0 in other.shape:
        return False
    (begin, end), (first, last) = _range(one), _range(other)
    dense = all(
        high - low == BYTES[view.elem] * math.prod(view.shape)
        for view, low, high in ((one, begin, end), (other, first, last))
    )
    return one.address == other.address or (dense and begin < last and first < end)


def check_written(declared, views):
    """Refuses tensors that a program may not be given. declared: the views of a manifest; views: of the call, in the
    same order. What is written is not read-only, has each element once, and no other view has it: the compiler orders
    accesses of one view alone."""
    for own, view in zip(declared, views):
        if own["access"] == "in":
            continue
        if not view.writable:
            raise UserError(f"view '{own['name']}': expected a tensor that may be written, got a read-only one")
        for d, (size, stride) in enumerate(zip(view.shape, view.strides)):
            if size > 1 and stride == 0:
                raise UserError(
                    f"view '{own['name']}', dimension {d}: expected distinct elements of a tensor that is written, got "
                    f"{size} that are one (stride 0)"
                )
        for other, seen in zip(declared, views):
            if other is not own and share(view, seen):
                raise UserError(
                    f"view '{own['name']}': expected a tensor of its own, since it is written, got memory of view "
                    f"'{other['name']}'"
                )


def npy(elem, shape, data):
    """A .npy file of dense row-major data."""
    sizes = "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"
    header = f"{{'descr': '{FILE[elem]}', 'fortran_order': False, 'shape': {sizes}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def parse_npy(data):
    """(shape, bytes) of a .npy file that heddle wrote: format 1.0, row-major."""
    (length,) = struct.unpack_from("<H", data, 8)
    return ast.literal_eval(data[10 : 10 + length].decode())["shape"], data[10 + length :]


def _rows(view):
    """(address in elements, elements) of each run of contiguous elements, in row-major order."""
    shape, strides = list(view.shape), list(view.strides)
    run = 1
    while shape and (strides[-1] == run or shape[-1] == 1):
        run *= shape.pop()
        strides.pop()
    for index in itertools.product(*(range(size) for size in shape)):
        yield sum(i * stride for i, stride in zip(index, strides)), run


def read(view):
    """The elements of CPU memory as dense row-major bytes."""
    size = BYTES[view.elem]
    if 0 in view.shape:
        return b""
    return b"".join(ctypes.string_at(view.address + at * size, count * size) for at, count in _rows(view))


# Of the formats with NaN: the bits of infinity's exponent, and those behind the sign; NaN lies above the first.
_INFINITE = {"f16": (0x7C00, 2), "bf16": (0x7F80, 2), "f32": (0x7F800000, 4), "f64": (0x7FF << 52, 8)}
_INFINITE |= {"e5m2": (0x7C, 1), "e4m3": (0x7E, 1)}


def _is_nan(elem, *bits):
    """Whether all of these elements are NaN."""
    infinite, size = _INFINITE.get(elem, (0, 0))
    sign = 1 << (8 * size - 1) if size else 0
    return size and all((int.from_bytes(one, "little") & (sign - 1)) > infinite for one in bits)


def update(view, data, memory, whole):
    """Writes `data` to what of the view lies in its tensor. memory: the tensor's address, and its bytes before the run.
    whole: all of it; else the elements that differ from what the tensor held (the simulator writes any NaN as one)."""
    begin, before = memory
    size, done = BYTES[view.elem], 0
    for at, count in _rows(view) if 0 not in view.shape else ():
        start = view.address + at * size - begin
        low, high = max(0, -start), min(count * size, len(before) - start)
        now = data[done : done + count * size]
        done += count * size
        if low >= high or now[low:high] == before[start + low : start + high]:
            continue
        step = high - low if whole else size
        for i in range(low, high, step):
            was = before[start + i : start + i + step]
            if now[i : i + step] != was and not (not whole and _is_nan(view.elem, now[i : i + step], was)):
                ctypes.memmove(begin + start + i, now[i : i + step], step)


def write(view, data):
    """The reverse of read()."""
    size, done = BYTES[view.elem], 0
    if 0 in view.shape:
        return
    for at, count in _rows(view):
        ctypes.memmove(view.address + at * size, data[done : done + count * size], count * size)
        done += count * size
