"""Tile programs from Python: the text that the compiler reads, with the same rules as the C++ builder.

    p = Program("gemm")
    A, B = p.view("A", f16, ["M", "K"]), p.view("B", f16, ["N", "K"])
    C = p.view("C", f16, ["M", "N"])
    p.grid(cdiv(A.dim(0), 128), cdiv(B.dim(0), 256), raster=8)
    m, n = p.program_id(0) * 128, p.program_id(1) * 256
    acc = p.loop(0, A.dim(1), 64, p.zeros((128, 256)),
                 lambda k, sum: dot(A.load((m, k), (128, 64)), B.load((n, k), (256, 64)).T, sum))
    C.store(acc.to(f16), (m, n))
    kernel = heddle.compile(p)           # p.text() is the program

Chain (_chain_program.py) launches programs one after another.

Rules: an Expr is a scalar or a tile. Where a tile meets a scalar, the scalar is repeated over the tile; where a tile of
rank 1 with a None in its index (row[:, None], column[None, :]) meets a tile of rank 2, it is repeated along the None;
where an Expr meets a number, the number takes the Expr's type. Indices are unsigned, other integers signed.
Errors: UserError where the builder sees them, at the line of the call; what only the compiler sees, it reports with the
file and line of the Python call that made the operation.
"""

import math
import numbers
import operator
import os
import struct
import sys

from ._manifest import UserError, number_of

FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8}
INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
f16, bf16, f32, f64 = "f16", "bf16", "f32", "f64"
e4m3, e5m2 = "f8E4M3FN", "f8E5M2"
i1, i8, i16, i32, i64, index = "i1", "i8", "i16", "i32", "i64", "index"

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_HERE = os.path.dirname(os.path.abspath(__file__))


def _shape(shape, of):
    """Sizes of `of`, a number or several, as numbers of at least 1."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    for size in sizes:
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise UserError(f"{of}: expected sizes that are whole numbers, got {size!r}")
        if operator.index(size) < 1:
            raise UserError(f"{of}: expected a positive size, got {operator.index(size)}")
    return tuple(map(operator.index, sizes))


def _type(elem, shape):
    return f"tensor<{'x'.join(map(str, shape))}x{elem}>" if shape else elem


def _where():
    """The place of the nearest caller outside of the package, as a location of the text."""
    frame = sys._getframe(1)
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _HERE:
        frame = frame.f_back
    if frame is None:
        return ""
    name = frame.f_code.co_filename.replace("\\", "/").replace('"', "'")
    return f' loc("{name}":{frame.f_lineno}:1)'


def _number(value, elem):
    """A constant's text: exact, whatever its type."""
    given, value = value, number_of(value)
    if value is None:
        raise UserError(f"expected a number or a value of the program for {elem}, got {given!r}")
    if elem in INTEGERS:
        if not math.isfinite(value) or int(value) != value:
            raise UserError(f"expected a whole number for {elem}, got {value}")
        return ("true" if value else "false") if elem == "i1" else str(int(value))
    value = float(value)
    if value != value or value in (float("inf"), float("-inf")):
        if elem not in ("f16", "bf16", "f32", "f64"):
            raise UserError(f"expected a finite number for {elem}, got {value}")
        bits = struct.unpack(">Q", struct.pack(">d", value))[0]
        if elem in ("f32", "bf16"):
            bits = struct.unpack(">I", struct.pack(">f", value))[0]
        if elem == "f16":
            bits = struct.unpack(">H", struct.pack(">e", value))[0]
        return f"0x{bits >> 16 if elem == 'bf16' else bits:0{FLOATS[elem] // 4}X}"
    mantissa, _, exponent = f"{value:.17e}".partition("e")
    return f"{mantissa}e{exponent}"


class Expr:
    """A scalar (empty shape) or a tile. `spread` is the axis along which a tile of rank 1 repeats where it meets a tile
    of rank 2."""

    __slots__ = ("program", "name", "elem", "shape", "spread")
    __hash__ = object.__hash__

    def __init__(self, program, name, elem, shape, spread=None):
        self.program, self.name, self.elem, self.shape, self.spread = program, name, elem, tuple(shape), spread

    @property
    def type(self):
        return _type(self.elem, self.shape)

    def __repr__(self):
        return f"<{self.type} {self.name}>"

    def __bool__(self):
        raise UserError("a value of the program is not known in Python: use select() or Program.branch()")

    def __iter__(self):
        raise UserError("a tile has no elements in Python")

    def __add__(self, other):
        return _binary("add", self, other)

    def __radd__(self, other):
        return _binary("add", other, self)

    def __sub__(self, other):
        return _binary("sub", self, other)

    def __rsub__(self, other):
        return _binary("sub", other, self)

    def __mul__(self, other):
        return _binary("mul", self, other)

    def __rmul__(self, other):
        return _binary("mul", other, self)

    def __truediv__(self, other):
        return _binary("div", self, other, floats=True)

    def __rtruediv__(self, other):
        return _binary("div", other, self, floats=True)

    def __floordiv__(self, other):
        return _binary("div", self, other, floats=False)

    def __rfloordiv__(self, other):
        return _binary("div", other, self, floats=False)

    def __mod__(self, other):
        return _binary("rem", self, other, floats=False)

    def __and__(self, other):
        return _binary("and", self, other, floats=False)

    def __or__(self, other):
        return _binary("or", self, other, floats=False)

    def __neg__(self):
        return _binary("sub", 0, self)

    def __lt__(self, other):
        return _compare("<", self, other)

    def __le__(self, other):
        return _compare("<=", self, other)

    def __gt__(self, other):
        return _compare(">", self, other)

    def __ge__(self, other):
        return _compare(">=", self, other)

    def __eq__(self, other):
        return _compare("==", self, other)

    def __ne__(self, other):
        return _compare("!=", self, other)

    def __getitem__(self, key):
        """x[:, None] and x[None, :] of a tile of rank 1; x[a:b, c:d], a part of a tile."""
        whole = slice(None)
        if len(self.shape) == 1 and key in ((whole, None), (None, whole)):
            return Expr(self.program, self.name, self.elem, self.shape, spread=key.index(None))
        key = key if isinstance(key, tuple) else (key,)
        if len(key) != len(self.shape) or not all(isinstance(part, slice) for part in key):
            raise UserError(f"expected {len(self.shape)} slices, or one slice and None for a tile of rank 1, got {key}")
        parts = [part.indices(size) for part, size in zip(key, self.shape)]
        if any(step != 1 or stop <= start for start, stop, step in parts):
            raise UserError("expected slices of step 1 that are not empty")
        starts, sizes = [p[0] for p in parts], [p[1] - p[0] for p in parts]
        ones = [1] * len(sizes)
        text = f"tensor.extract_slice {self.name}{starts} {sizes} {ones} : {self.type} to {_type(self.elem, sizes)}"
        return self.program._emit(text, self.elem, sizes)

    @property
    def T(self):
        if len(self.shape) != 2:
            raise UserError(f"expected a tile of rank 2 to transpose, got {self.type}")
        shape = self.shape[::-1]
        return self.program._emit(
            f"tile.transpose {self.name} : {self.type} -> {_type(self.elem, shape)}", self.elem, shape
        )

    def to(self, elem):
        """Converts the element type: float to float, float to or from signed integer, index to or from integer."""
        _known(elem)
        if elem == self.elem:
            return self
        from_float, to_float = self.elem in FLOATS, elem in FLOATS
        if from_float and to_float:
            if FLOATS[self.elem] == FLOATS[elem]:
                return self.to("f32").to(elem)
            op = "extf" if FLOATS[self.elem] < FLOATS[elem] else "truncf"
        elif from_float:
            op = "fptosi"
        elif to_float:
            if self.elem == "index":
                return self.to("i32").to(elem)
            op = "uitofp" if self.elem == "i1" else "sitofp"
        elif "index" in (self.elem, elem):
            op = "index_cast"
        elif INTEGERS[self.elem] > INTEGERS[elem]:
            op = "trunci"
        else:
            op = "extui" if self.elem == "i1" else "extsi"
        text = f"arith.{op} {self.name} : {self.type} to {_type(elem, self.shape)}"
        return self.program._emit(text, elem, self.shape, self.spread)

    def _reduce(self, kind, axis):
        if not _is_within(axis, -len(self.shape), len(self.shape)):
            raise UserError(f"expected an axis of {self.type}, got {axis}")
        axis %= len(self.shape)
        shape = self.shape[:axis] + self.shape[axis + 1 :]
        if not shape:
            raise UserError(f"expected a tile of rank 2 or more to reduce, got {self.type}")
        text = f'tile.reduce "{kind}" {self.name} axis {axis} : {self.type} -> {_type(self.elem, shape)}'
        return self.program._emit(text, self.elem, shape)

    def sum(self, axis):
        return self._reduce("add", axis)

    def prod(self, axis):
        return self._reduce("mul", axis)

    def max(self, axis):
        return self._reduce("max", axis)

    def min(self, axis):
        return self._reduce("min", axis)

    def broadcast(self, axis, extent):
        """Repeats the tile along a new dimension."""
        if not _is_within(axis, 0, len(self.shape) + 1) or not self.shape:
            raise UserError(f"expected an axis from 0 to {len(self.shape)} of a tile, got {axis} and {self.type}")
        shape = (*self.shape[:axis], *_shape(extent, "broadcast"), *self.shape[axis:])
        text = f"tile.broadcast {self.name} axis {axis} : {self.type} -> {_type(self.elem, shape)}"
        return self.program._emit(text, self.elem, shape)


def _is_within(number, begin, end):
    """Is it a whole number from `begin` to before `end`?"""
    return isinstance(number, numbers.Integral) and begin <= number < end


def _known(elem):
    if not isinstance(elem, str) or (elem not in FLOATS and elem not in INTEGERS):
        raise UserError(f"expected an element type ({', '.join([*FLOATS, *INTEGERS])}), got '{elem}'")


def _owner(*operands):
    for operand in operands:
        if isinstance(operand, Expr):
            return operand.program
    raise UserError("expected at least one value of a program, got numbers alone")


def _own(value, program):
    """`value`, which is one of the program."""
    if not isinstance(value, Expr):
        raise UserError(f"expected a value of program '{program.name}', got {value!r}")
    if value.program is not program:
        raise UserError(f"expected a value of program '{program.name}', got one of '{value.program.name}'")
    return value


def _fit(value, elem, shape, program):
    """An operand as a value of the type that it meets."""
    if not isinstance(value, Expr):
        return program.constant(value, elem, shape)
    _own(value, program)
    if value.elem != elem:
        raise UserError(f"expected operands of one element type, got {elem} and {value.elem} (use .to())")
    if value.shape == tuple(shape) and value.spread is None:
        return value
    if not value.shape:
        return program._emit(f"tensor.splat {value.name} : {_type(elem, shape)}", elem, shape)
    if value.spread is not None and len(shape) == 2 and value.shape == (shape[1 - value.spread],):
        return value.broadcast(value.spread, shape[value.spread])
    raise UserError(f"expected tiles of one shape, got {_type(elem, shape)} and {value.type} (x[:, None] repeats x)")


def _together(*operands):
    """Operands of one type, that of the tile among them."""
    exprs = [operand for operand in operands if isinstance(operand, Expr)]
    program = _owner(*operands)
    shape = max((e.shape for e in exprs if e.spread is None), key=len, default=None)
    spread = [e for e in exprs if e.spread is not None]
    if spread and (shape is None or len(shape) < 2):
        sizes = {e.spread: e.shape[0] for e in spread}
        if len(sizes) < 2:  # one vector with another one, or with scalars: it stays one
            fitted = [Expr(program, e.name, e.elem, e.shape) if isinstance(e, Expr) else e for e in operands]
            return _together(*fitted), spread[0].spread
        shape = (sizes[1], sizes[0])
    return [_fit(operand, exprs[0].elem, shape, program) for operand in operands], None


def _joined(emit, *operands):
    fitted, spread = _together(*operands)
    if spread is not None:
        fitted = fitted[0]
    result = emit(fitted)
    return Expr(result.program, result.name, result.elem, result.shape, spread)


def _binary(op, a, b, floats=None):
    def emit(fitted):
        x, y = fitted
        is_float = x.elem in FLOATS
        if floats is not None and floats != is_float:
            raise UserError(
                f"expected {'/' if is_float else '//'} for {x.elem}" if op == "div" else f"no {op} of {x.elem}"
            )
        if is_float:
            name = op + "f"
        elif op in ("div", "rem", "max", "min", "ceildiv"):
            name = op + ("ui" if x.elem == "index" else "si")
        else:
            name = op + "i"
        return x.program._emit(f"arith.{name} {x.name}, {y.name} : {x.type}", x.elem, x.shape)

    return _joined(emit, a, b)


def _compare(op, a, b):
    def emit(fitted):
        x, y = fitted
        name = COMPARISONS[op]
        if x.elem in FLOATS:
            text = f"arith.cmpf {'u' if op == '!=' else 'o'}{name}, "
        elif op in ("==", "!="):
            text = f"arith.cmpi {name}, "
        else:
            text = f"arith.cmpi {'u' if x.elem == 'index' else 's'}{name}, "
        return x.program._emit(f"{text}{x.name}, {y.name} : {x.type}", "i1", x.shape)

    return _joined(emit, a, b)


def maximum(a, b):
    return _binary("maximum" if _float(a, b) else "max", a, b)


def minimum(a, b):
    return _binary("minimum" if _float(a, b) else "min", a, b)


def _float(*operands):
    return any(isinstance(operand, Expr) and operand.elem in FLOATS for operand in operands)


def cdiv(a, b):
    """The quotient of integers, rounded up."""
    return _binary("ceildiv", a, b, floats=False)


def select(condition, a, b):
    """condition ? a : b, element by element."""
    if not isinstance(condition, Expr) or condition.elem != "i1":
        raise UserError(f"expected a condition (i1), got {condition}")
    elem = next((v.elem for v in (a, b) if isinstance(v, Expr)), None)
    if elem is None:
        raise UserError("expected at least one value of a program to select, got numbers alone")
    tiles = [v for v in (condition, a, b) if isinstance(v, Expr)]
    shape = max((t.shape for t in tiles if t.spread is None), key=len, default=())
    program = condition.program
    x, y = _fit(a, elem, shape, program), _fit(b, elem, shape, program)
    if condition.shape or condition.spread is not None:
        condition = _fit(condition, "i1", shape, program)
    types = f"{condition.type}, {x.type}" if condition.shape else x.type
    return program._emit(f"arith.select {condition.name}, {x.name}, {y.name} : {types}", elem, shape)


def _unary(op, flags=""):
    def function(x):
        if not isinstance(x, Expr) or x.elem not in FLOATS:
            raise UserError(f"{op}: expected floats of a program, got {x}")
        return x.program._emit(f"math.{op} {x.name}{flags} : {x.type}", x.elem, x.shape, x.spread)

    function.__name__ = op
    return function


exp, exp2, log, log2, sqrt, rsqrt = map(_unary, ("exp", "exp2", "log", "log2", "sqrt", "rsqrt"))
tanh, erf, sin, cos, absf = map(_unary, ("tanh", "erf", "sin", "cos", "absf"))
tanh_approx = _unary("tanh", " fastmath<afn>")  # one instruction, relative error 2^-11


def dot(a, b, acc):
    """acc + a * b."""
    for operand in (a, b, acc):
        if not isinstance(operand, Expr) or len(operand.shape) != 2:
            raise UserError(f"dot: expected tiles of rank 2, got {operand}")
    if a.shape[1] != b.shape[0] or acc.shape != (a.shape[0], b.shape[1]):
        raise UserError(f"dot: expected MxK, KxN and MxN, got {a.type}, {b.type} and {acc.type}")
    text = f"tile.dot {a.name}, {b.name}, {acc.name} : {a.type}, {b.type}, {acc.type}"
    return acc.program._emit(text, acc.elem, acc.shape)


from ._program import Program, View  # noqa: E402, F401 (a file of its own, which needs what stands above)
from ._chain_program import Chain, Workspace  # noqa: E402, F401
