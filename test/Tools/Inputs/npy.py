"""Makes and checks .npy files with the standard library alone, the format written down a second time.

npy.py make FILE DESCR SHAPE EXPRESSION [VERSION] [fortran]   values: EXPRESSION of i, the element in row-major order
npy.py check FILE DESCR SHAPE EXPRESSION [TOLERANCE]           the same about a file: exit 1 and the first difference
npy.py set FILE OFFSET TEXT                                    overwrites bytes (TEXT in Python's escapes)
SHAPE: 4x6. DESCR: as in the header, '<f2'.
"""

import ast
import math
import struct
import sys

CODES = {"f2": "e", "f4": "f", "f8": "d", "b1": "?", "V1": "B", "V2": "H"}
CODES.update({"i%d" % (1 << k): c for k, c in enumerate("bhiq")})
CODES.update({"u%d" % (1 << k): c.upper() for k, c in enumerate("bhiq")})


def code(descr):
    return (">" if descr[0] == ">" else "<") + CODES[descr[1:]]


def make(path, descr, shape, expression, version="1", fortran=""):
    sizes = [int(s) for s in shape.split("x")] if shape else []
    values = []
    for at in range(math.prod(sizes)):
        i = at
        if fortran:
            index = []
            for size in sizes:
                index.append(at % size)
                at //= size
            i = 0
            for size, x in zip(sizes, index):
                i = i * size + x
        values.append(eval(expression, {"i": i, "math": math}))
    header = repr({"descr": descr, "fortran_order": bool(fortran), "shape": tuple(sizes)}).encode()
    header += b" " * 7 + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes([int(version), 0]))
        file.write(struct.pack("<H" if version == "1" else "<I", len(header)) + header)
        file.write(struct.pack(code(descr)[0] + str(len(values)) + code(descr)[1], *values))


def check(path, descr, shape, expression, tolerance="0"):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0 and data[9 + length] == 10, length
    header = ast.literal_eval(data[10 : 10 + length].decode())
    sizes = tuple(int(s) for s in shape.split("x"))
    expected = {"descr": descr, "fortran_order": False, "shape": sizes}
    if header != expected:
        sys.exit(f"expected {expected}, got {header}")
    values = struct.unpack(code(descr)[0] + str(math.prod(sizes)) + code(descr)[1], data[10 + length :])
    for i, got in enumerate(values):
        want = eval(expression, {"i": i, "math": math})
        if not abs(got - want) <= float(tolerance):
            sys.exit(f"element {i}: expected {want}, got {got}")


def overwrite(path, offset, text):
    with open(path, "r+b") as file:
        file.seek(int(offset))
        file.write(text.encode().decode("unicode_escape").encode("latin1"))


{"make": make, "check": check, "set": overwrite}[sys.argv[1]](*sys.argv[2:])
