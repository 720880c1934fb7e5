"""Programs and views of heddle.builder: arguments, grid, loops, memory, and the text."""

import re

from . import builder
from ._manifest import UserError
from .builder import Expr, _fit, _is_within, _known, _number, _own, _shape, _type, _where


def argument_value(name):
    """The argument's value in the text; those of the program itself are c0, c1, ... and v1, v2, ..."""
    return f"%{name}.arg" if re.fullmatch(r"[cv]\d+", name) else f"%{name}"


def _list(value, what):
    """`value`, which is a list, a tuple or a range."""
    if not isinstance(value, (list, tuple, range)):
        raise UserError(f"expected a list of {what}, got {value!r}")
    return value


def _dimension(dim, where):
    """(name, size) of a dimension that is given as a name or (name, size). A size of None is known at the launch."""
    name, size = dim if isinstance(dim, tuple) and len(dim) == 2 else (dim, None)
    if not isinstance(name, str):
        raise UserError(f"{where}: expected a name of a dimension, or (name, size) with a fixed size, got {dim!r}")
    return name, None if size is None else _shape(size, where)[0]


class View:
    """A tensor in global memory: an argument of the kernel."""

    def __init__(self, program, name, elem, dims):
        self.program, self.name, self.elem = program, name, elem
        if not 1 <= len(_list(dims, f"dimensions of view '{name}'")) <= 5:
            raise UserError(f"view '{name}': expected 1 to 5 dimensions, got {len(dims)}")
        named = [_dimension(dim, f"view '{name}'") for dim in dims]
        self.dims, self.sizes = [name for name, _ in named], [size for _, size in named]

    @property
    def type(self):
        return f"!tile.view<{'x'.join('?' if size is None else str(size) for size in self.sizes)}x{self.elem}>"

    def _at(self, at):
        at = at if isinstance(at, (tuple, list)) else (at,)
        if len(at) != len(self.dims):
            raise UserError(f"view '{self.name}': expected {len(self.dims)} coordinates, got {len(at)}")
        return "[" + ", ".join(_fit(c, "index", (), self.program).name for c in at) + "]"

    def _attributes(self, shape, dims, **others):
        if len(shape) > len(self.dims):
            raise UserError(f"view '{self.name}': expected a tile of rank {len(self.dims)} at most, got {len(shape)}")
        parts = [f'{name} = "{value}"' for name, value in others.items() if value]
        if dims is not None:
            _list(dims, f"dimensions of view '{self.name}'")
            parts.append(f"dims = array<i64: {', '.join(map(str, dims))}>")
        return " {" + ", ".join(parts) + "}" if parts else ""

    def dim(self, dimension):
        """The size of a dimension."""
        if not _is_within(dimension, 0, len(self.dims)):
            raise UserError(f"view '{self.name}': expected a dimension from 0 to {len(self.dims) - 1}, got {dimension}")
        return self.program._emit(f"tile.dim {argument_value(self.name)}, {dimension} : {self.type}", "index", ())

    def load(self, at, shape, dims=None):
        """The tile of `shape` with its corner at `at`; zero outside of the view. `dims`: the view's dimensions that the
        tile has (default: the last ones)."""
        shape = _shape(shape, f"load from view '{self.name}'")
        where, extra = self._at(at), self._attributes(shape, dims)
        text = f"tile.load {argument_value(self.name)}{where}{extra} : {self.type} -> {_type(self.elem, shape)}"
        return self.program._emit(text, self.elem, shape)

    def gather(self, at, rows, shape, dims=None):
        """The tile whose row r is at the first coordinate plus rows[r]."""
        shape = _shape(shape, f"gather from view '{self.name}'")
        where, extra = self._at(at), self._attributes(shape, dims)
        _own(rows, self.program)
        text = f"tile.gather {argument_value(self.name)}{where} rows {rows.name}{extra} : {self.type}, {rows.type} -> "
        return self.program._emit(text + _type(self.elem, shape), self.elem, shape)

    def element(self, at):
        """The element at `at`, as a scalar."""
        return self.program._emit(
            f"tile.element {argument_value(self.name)}{self._at(at)} : {self.type} -> {self.elem}", self.elem, ()
        )

    def store(self, tile, at, dims=None, add=False, below=None, rows=None):
        """Writes a tile, or adds it to memory; what is outside of the view is dropped. `below`: a coordinate for each
        dimension of the tile, from which on elements are dropped as well (where the rows of a group end). `rows`: row r
        goes to the first coordinate plus rows[r]."""
        if not isinstance(tile, Expr) or tile.elem != self.elem:
            got = tile.elem if isinstance(tile, Expr) else type(tile).__name__
            raise UserError(f"view '{self.name}': expected a tile of {self.elem} to store, got {got} (use .to())")
        for value in (tile,) if rows is None else (tile, rows):
            _own(value, self.program)
        where, extra = self._at(at), self._attributes(tile.shape, dims, kind="add" if add else None)
        if below is not None:
            if len(_list(below, f"ends of the tile for view '{self.name}'")) != len(tile.shape):
                raise UserError(f"view '{self.name}': expected {len(tile.shape)} ends of the tile, got {len(below)}")
            where += " below [" + ", ".join(_fit(end, "index", (), self.program).name for end in below) + "]"
        into = f"{argument_value(self.name)}{where}" + (f" rows {rows.name}" if rows is not None else "") + extra
        types = [tile.type, self.type] + ([rows.type] if rows is not None else [])
        self.program._line(f"tile.store {tile.name}, {into} : {', '.join(types)}")


class Program:
    """Builds one kernel. Views and scalars may be declared at any time."""

    operation = "kernel"

    def __init__(self, name):
        if not isinstance(name, str) or not name.isidentifier():
            raise UserError(f"expected a name of a kernel, got '{name}'")
        self.name = name
        self.types = []  # of the arguments
        self._arguments, self._attributes, self._names = [], [], set()
        self._constants, self._lines, self._depth, self._count = {}, [], 1, 0
        self._has_grid = False

    # Arguments

    def _take(self, name):
        if not isinstance(name, str) or not name.isidentifier() or name in self._names:
            raise UserError(f"expected a new name for an argument, got '{name}'")
        self._names.add(name)

    def _declare(self, name, kind, attributes):
        self._take(name)
        self.types.append(kind)
        self._arguments.append(f"{argument_value(name)}: {kind} {{{attributes}}}")

    def view(self, name, elem, dims):
        """A tensor: element type and dimensions, each a name or (name, size)."""
        _known(elem)
        view = View(self, name, elem, dims)
        names = ", ".join(f'"{dim}"' for dim in view.dims)
        self._declare(name, view.type, f'tile.name = "{name}", tile.dims = [{names}]')
        return view

    def scalar(self, name, elem, default=None):
        """A scalar argument (f32, i32 or index). The default value is for tools such as `heddle run`: kernel.json has
        none, so that calls of the kernel always give a value."""
        if elem not in ("f32", "i32", "index"):
            raise UserError(f"scalar '{name}': expected f32, i32 or index, got '{elem}'")
        value = "" if default is None else f", tile.default = {_number(default, elem)} : {elem}"
        self._declare(name, elem, f'tile.name = "{name}"{value}')
        return Expr(self, argument_value(name), elem, ())

    def default_dims(self, **sizes):
        """Sizes for tools that are told none."""
        self._attributes.append(f"tile.default_dims = {{{', '.join(f'{n} = {s} : i64' for n, s in sizes.items())}}}")

    def groups(self, count):
        """The number of compute warp groups asked for."""
        self._attributes.append(f"groups = {count} : i64")

    def plan(self, **decisions):
        """Decisions about the kernel (docs/Plan.md): flags and numbers by key."""
        values = [
            f"{key} = {str(value).lower() if isinstance(value, bool) else f'{value} : i64'}"
            for key, value in decisions.items()
        ]
        self._attributes.append(f"plan = {{{', '.join(values)}}}")

    # The grid

    def grid(self, *sizes, raster=0):
        if not 1 <= len(sizes) <= 3 or self._has_grid:
            raise UserError("expected one grid of one to three sizes")
        self._has_grid = True
        names = ", ".join(_fit(size, "index", (), self).name for size in sizes)
        self._line(f"tile.grid {names}" + (f" {{raster = {raster} : i64}}" if raster else ""))

    def _of_grid(self, operation, dimension):
        if not _is_within(dimension, 0, 3):
            raise UserError(f"expected a dimension of the grid from 0 to 2, got {dimension}")
        return self._emit(f"tile.{operation} {dimension}", "index", ())

    def program_id(self, dimension):
        return self._of_grid("program_id", dimension)

    def num_programs(self, dimension):
        return self._of_grid("num_programs", dimension)

    def multiprocessors(self):
        """How many multiprocessors the GPU has."""
        return self._emit("tile.multiprocessors", "index", ())

    # Values

    def constant(self, value, elem, shape=()):
        """A constant scalar or tile; each stands once at the program's beginning."""
        _known(elem)
        shape = _shape(shape, "constant")
        text, kind = _number(value, elem), _type(elem, shape)
        if shape:
            text = f"dense<{text}>"
        key = text if kind == "i1" else f"{text} : {kind}"
        if key not in self._constants:
            self._constants[key] = f"%c{len(self._constants)}"
        return Expr(self, self._constants[key], elem, shape)

    def zeros(self, shape, elem="f32"):
        return self.constant(0, elem, shape)

    def full(self, shape, value, elem="f32"):
        return self.constant(value, elem, shape)

    def iota(self, size, start=0):
        """start, start + 1, ... as a tile of i32."""
        attribute = f" {{start = {start} : i64}}" if start else ""
        shape = _shape(size, "iota")
        if len(shape) != 1:
            raise UserError(f"iota: expected one size, got {len(shape)}")
        return self._emit(f"tile.iota{attribute} : {_type('i32', shape)}", "i32", shape)

    # Control

    def loop(self, begin, end, step, init, body, independent=False):
        """for (i = begin; i < end; i += step) carried = body(i, *carried); what is carried out. `init` is a value or a
        list of values, and so is what `body` gives. `independent`: iterations write different elements."""
        bounds = [_fit(b, "index", (), self).name for b in (begin, end, step)]
        single, init = isinstance(init, Expr), self._values(init)
        counter = self._fresh()
        carried = [Expr(self, self._fresh(), v.elem, v.shape) for v in init]
        head = f"scf.for {counter} = {bounds[0]} to {bounds[1]} step {bounds[2]}"
        if init:
            pairs = ", ".join(f"{c.name} = {v.name}" for c, v in zip(carried, init))
            head += f" iter_args({pairs}) -> ({', '.join(v.type for v in init)})"
        tail = " {tile.independent}" if independent else ""
        return self._region(head, init, single, lambda: body(Expr(self, counter, "index", ()), *carried), tail)

    def branch(self, condition, then, otherwise=None):
        """if (condition) what then() gives, else what otherwise() gives: values of the same types, or none."""
        self._condition(condition)
        mark = len(self._lines)
        self._line("")
        self._depth += 1
        given = self._values(then())
        self._yield(given)
        self._depth -= 1
        if otherwise is not None:
            self._line("} else {")
            self._depth += 1
            other = self._values(otherwise())
            if [v.type for v in other] != [v.type for v in given]:
                raise UserError(f"expected both arms to give {[v.type for v in given]}, got {[v.type for v in other]}")
            self._yield(other)
            self._depth -= 1
        elif given:
            raise UserError("expected the other arm of a branch that gives values")
        head = f"scf.if {condition.name}" + (f" -> ({', '.join(v.type for v in given)})" if given else "") + " {"
        return self._close(mark, head, given, len(given) == 1)

    def loop_while(self, init, more, body):
        """while (more(*carried)) carried = body(*carried); what is carried out."""
        single, init = isinstance(init, Expr), self._values(init)
        types = ", ".join(v.type for v in init)
        before = [Expr(self, self._fresh(), v.elem, v.shape) for v in init]
        after = [Expr(self, self._fresh(), v.elem, v.shape) for v in init]
        pairs = ", ".join(f"{b.name} = {v.name}" for b, v in zip(before, init))
        mark = len(self._lines)
        self._line("")
        self._depth += 1
        condition = self._condition(more(*before))
        self._line(f"scf.condition({condition.name}) {', '.join(b.name for b in before)} : {types}")
        self._depth -= 1
        self._line("} do {")
        self._line(f"^bb0({', '.join(f'{a.name}: {a.type}' for a in after)}):")
        self._depth += 1
        self._yield(self._checked(self._values(body(*after)), init))
        self._depth -= 1
        return self._close(mark, f"scf.while ({pairs}) : ({types}) -> ({types}) {{", init, single)

    # The text

    def _fresh(self):
        self._count += 1
        return f"%v{self._count}"

    def _line(self, text):
        self._lines.append(("  " * self._depth + text, "" if text[:1] in ("", "}", "^") else _where()))

    def _emit(self, text, elem, shape, spread=None):
        name = self._fresh()
        self._line(f"{name} = {text}")
        return Expr(self, name, elem, shape, spread)

    @staticmethod
    def _values(given):
        values = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
        for value in values:
            if not isinstance(value, Expr):
                raise UserError(f"expected values of the program, got {value!r}")
        return values

    def _condition(self, value):
        if not isinstance(value, Expr) or value.type != "i1":
            raise UserError(f"expected a condition (a scalar i1), got {value!r}")
        return _own(value, self)

    @staticmethod
    def _checked(given, init):
        if [v.type for v in given] != [v.type for v in init]:
            raise UserError(f"expected the loop's body to give {[v.type for v in init]}, got {[v.type for v in given]}")
        return given

    def _yield(self, values):
        if values:
            names = ", ".join(v.name for v in values)
            self._line(f"scf.yield {names} : {', '.join(v.type for v in values)}")

    def _region(self, head, init, single, body, tail):
        mark = len(self._lines)
        self._line("")
        self._depth += 1
        self._yield(self._checked(self._values(body()), init))
        self._depth -= 1
        return self._close(mark, head + " {", init, single, tail)

    def _close(self, mark, head, values, single, tail=""):
        """Ends an operation with regions, whose first line stands at `mark`."""
        self._lines.append(("  " * self._depth + "}" + tail, _where()))
        results = [Expr(self, self._fresh(), v.elem, v.shape) for v in values]
        names = ", ".join(r.name for r in results)
        self._lines[mark] = ("  " * self._depth + (f"{names} = " if results else "") + head, "")
        return None if not results else results[0] if single else results

    def text(self, locations=False):
        """The program, as `heddle compile` reads it; with `locations`, errors name the lines of Python."""
        if not self._has_grid:
            raise UserError(f"program '{self.name}': expected a grid")
        attributes = f" attributes {{{', '.join(self._attributes)}}}" if self._attributes else ""
        arguments = (",\n" + " " * (len(self.name) + len(self.operation) + 8)).join(self._arguments)
        constants = [f"  {name} = arith.constant {text}" for text, name in self._constants.items()]
        body = [*constants, *(line + (place if locations else "") for line, place in self._lines), "  tile.return"]
        return f"tile.{self.operation} @{self.name}({arguments}){attributes} {{\n" + "\n".join(body) + "\n}\n"


builder.Program, builder.View = Program, View
