"""kernel.json: parsing, expressions, shape checks and tensor-map arithmetic, without CUDA or PyTorch.

What:     Manifest.parse checks the text; bind() checks a caller's views against it and yields the grid and
          the parameter values. _cuda.py turns them into a launch.
Contract: docs/Manifest.md, which runtime/lib/ParseManifest.cpp and BindManifest.cpp implement as well.
Errors:   UserError, lower-case, "expected X, got Y".
"""

import dataclasses
import json
import math
import numbers
import struct

ELEM_BYTES = {
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "f64": 8,
    "e4m3": 1,
    "e5m2": 1,
    "i8": 1,
    "u8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "tf32": 4,
}
OPS = ("add", "sub", "mul", "ceildiv", "floordiv", "mod", "min", "max")


class Error(Exception):
    """What the package raises; subclasses say whose fault it is."""


class UserError(Error):
    """Bad input of the caller, not a defect of ours."""


@dataclasses.dataclass
class View:
    """A tensor as the launcher sees it: address, sizes and strides (in elements)."""

    address: int
    shape: tuple
    strides: tuple
    elem: str
    writable: bool = True


def read_text(path, expected):
    """The text of a file. `expected`: the beginning of the error where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise UserError(f"{expected}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{expected}: not a text of UTF-8") from None
    except ValueError as error:  # no path
        raise UserError(f"{expected}: {error}") from None


def number_of(value):
    """`value` as a number of Python's, or None where it is no number. One of NumPy's is one, and so is an array or a
    tensor without dimensions."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    return value if isinstance(value, numbers.Real) else None


def scalar_value(scalar, value):
    """The value for a scalar of a manifest, as int or float."""
    where, given = f"scalar '{scalar['name']}'", number_of(value)
    if given is None:
        raise UserError(f"{where}: expected a number, got {type(value).__name__}")
    if scalar["type"] != "f32":
        if not isinstance(given, numbers.Integral) and (not math.isfinite(given) or given != int(given)):
            raise UserError(f"{where}: expected a whole number for {scalar['type']}, got {given}")
        return int(given)
    try:
        struct.pack("<f", float(given))
    except OverflowError:
        raise UserError(f"{where}: expected a number that f32 can hold, got {given}") from None
    return float(given)


# What a field of a manifest is, wherever it stands; fields that are not here are checked where they are read.
_TYPES = {
    **dict.fromkeys(("version", "block", "smem", "rank", "swizzle", "l2"), int),
    "aligned": bool,
    **dict.fromkeys(("kernel", "chain", "source", "mark", "name", "elem", "access", "kind", "view", "type"), str),
    **dict.fromkeys(("grid", "params", "cluster", "shape", "box", "dims", "workspaces", "launches", "multiples"), list),
}
_WORDS = {int: "an integer", bool: "true or false", str: "a string", list: "an array"}


def _fields(obj, where, required, optional=()):
    if not isinstance(obj, dict):
        raise UserError(f"{where}: expected an object, got {json.dumps(obj)}")
    for key in required:
        if key not in obj:
            raise UserError(f"{where}: expected the key '{key}'")
    for key in obj:
        if key not in required and key not in optional:
            raise UserError(f"{where}: unknown key '{key}'")
    for key, value in obj.items():
        kind = _TYPES.get(key, object)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise UserError(f"{where}, {key}: expected {_WORDS[kind]}, got {json.dumps(value)}")


def evaluate(expr, env):
    """Value of an expression tree. `env`: dict with 'dims', 'strides' ({view: tuple}), 'symbols', 'args', 'sms'."""
    if not isinstance(expr, dict):
        raise UserError(f"expression: expected an object, got {json.dumps(expr)}")
    if "const" in expr:
        return int(expr["const"])
    if "dim" in expr or "stride" in expr:
        table = env["dims"] if "dim" in expr else env["strides"]
        view, dim = expr.get("dim") or expr.get("stride")
        if view not in table or not 0 <= dim < len(table[view]):
            raise UserError(f"expression: no dimension {dim} of view '{view}'")
        return int(table[view][dim])
    if "symbol" in expr:
        if expr["symbol"] not in env["symbols"]:
            raise UserError(f"expression: unknown symbol '{expr['symbol']}'")
        return int(env["symbols"][expr["symbol"]])
    if "arg" in expr:
        if expr["arg"] not in env["args"]:
            raise UserError(f"expression: unknown argument '{expr['arg']}'")
        return int(env["args"][expr["arg"]])
    if "sms" in expr:
        return int(env["sms"])
    choice = ("then", "else") if expr.get("op") == "choose" else ()  # launch.json of a Triton kernel has it
    _fields(expr, "expression", ("op", "a", "b", *choice))
    op, a, b = expr["op"], evaluate(expr["a"], env), evaluate(expr["b"], env)
    if choice:
        return evaluate(expr["then" if a < b else "else"], env)
    if op in ("ceildiv", "floordiv", "mod") and b <= 0:
        raise UserError(f"expression: expected a positive divisor, got {b}")
    if op == "add":
        return a + b
    if op == "sub":
        return a - b
    if op == "mul":
        return a * b
    if op == "ceildiv":
        return -(-a // b)
    if op == "floordiv":
        return a // b
    if op == "mod":
        return a % b
    if op == "min":
        return min(a, b)
    if op == "max":
        return max(a, b)
    raise UserError(f"expression: expected one of {' '.join(OPS)}, got '{op}'")


@dataclasses.dataclass
class TensorMapSpec:
    """Arguments of cuTensorMapEncodeTiled, innermost first; strides in bytes, without the innermost."""

    elem: str
    address: int
    dims: list
    strides: list
    box: list
    swizzle: int
    l2: int
    oob: str

    def on_zeros(self, address):
        """A map of a tensor without elements, which the driver does not take, as one of a single zero at `address`."""
        ones, strides = [1] * len(self.dims), [16] * len(self.strides)
        return dataclasses.replace(self, address=address, dims=ones, strides=strides)


@dataclasses.dataclass
class Launch:
    grid: tuple
    block: int
    smem: int
    values: list  # ("tensormap", TensorMapSpec) | ("pointer", int) | ("i32", int) | ("f32", float) | ("counter", None)


def _parsed(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"manifest: not JSON: {error}") from None


def _check_views(views):
    """{name: view}."""
    names = {}
    for v in views:
        _fields(v, "view", ("name", "elem", "rank", "access"), ("shape", "aligned", "multiples"))
        if v["elem"] not in ELEM_BYTES:
            raise UserError(f"view '{v['name']}': unknown element type '{v['elem']}'")
        if v["access"] not in ("in", "out", "inout"):
            raise UserError(f"view '{v['name']}': expected access in, out or inout, got '{v['access']}'")
        if "shape" in v and len(v["shape"]) != v["rank"]:
            raise UserError(f"view '{v['name']}': expected {v['rank']} shape entries, got {len(v['shape'])}")
        multiples = v.get("multiples", [1] * v["rank"])
        if len(multiples) != v["rank"] or any(type(n) is not int or n < 1 for n in multiples):
            raise UserError(f"view '{v['name']}': expected {v['rank']} positive multiples, got {multiples}")
        names[v["name"]] = v
    return names


def _check_promises(declared, view):
    """What the kernel takes for granted of a view's memory."""
    name, size = declared["name"], ELEM_BYTES[view.elem]
    for d, divisor in enumerate(declared.get("multiples", [])):
        if view.shape[d] % divisor:
            raise UserError(
                f"view '{name}', dimension {d}: expected a size that is a multiple of {divisor}, got {view.shape[d]}"
            )
    if not declared.get("aligned") or 0 in view.shape:  # no element of an empty tensor has an address
        return
    _check_address(name, view)
    for d, stride in enumerate(view.strides[:-1]):
        if stride * size % 16:
            raise _stride_error(name, d, stride * size)


def _check_address(name, view):
    if view.address % 16:
        raise UserError(
            f"view '{name}': expected an address that is a multiple of 16 bytes, got remainder {view.address % 16}"
        )


def _stride_error(name, d, bytes_apart):
    return UserError(
        f"view '{name}', dimension {d}: expected a stride that is a multiple of 16 bytes, got {bytes_apart} bytes"
    )


def _environment(manifest, views, scalars, sms):
    """What expressions are evaluated with, after `views` ({name: View}) and `scalars` ({name: number}) were checked."""
    symbols = {}
    for v in manifest.views:
        name = v["name"]
        if name not in views:
            raise UserError(f"expected a tensor for view '{name}'")
        t = views[name]
        if len(t.shape) != v["rank"]:
            raise UserError(f"view '{name}': expected rank {v['rank']}, got {len(t.shape)}")
        if t.elem != v["elem"]:
            raise UserError(f"view '{name}': expected elements of type {v['elem']}, got {t.elem}")
        if t.shape[-1] > 1 and t.strides[-1] != 1:
            raise UserError(f"view '{name}', dimension {v['rank'] - 1}: expected stride 1, got {t.strides[-1]}")
        for d, want in enumerate(v.get("shape", [])):
            if isinstance(want, str):
                want = symbols.setdefault(want, t.shape[d])
            if want is not None and want != t.shape[d]:
                raise UserError(f"view '{name}', dimension {d}: expected size {want}, got {t.shape[d]}")
        _check_promises(v, t)
    for s in manifest.scalars:
        if s["name"] not in scalars:
            raise UserError(f"expected a value for scalar '{s['name']}'")
    return {
        "dims": {n: t.shape for n, t in views.items()},
        "strides": {n: t.strides for n, t in views.items()},
        "symbols": symbols,
        "args": scalars,
        "sms": sms,
    }


class _Document:
    """What is read from a JSON text, by a constructor that checks it."""

    @classmethod
    def parse(cls, text):
        return cls(_parsed(text))

    @classmethod
    def load(cls, path):
        return cls.parse(read_text(path, f"expected a manifest in '{path}'"))


class Manifest(_Document):
    """A checked kernel.json. `views` and `scalars` are lists of its objects, in order."""

    def __init__(self, data):
        _fields(
            data,
            "manifest",
            ("version", "kernel", "block", "smem", "grid", "views", "params"),
            ("cluster", "scalars", "source", "mark"),
        )
        if data["version"] != 1:
            raise UserError(f"manifest: expected version 1, got {data['version']}")
        self.kernel, self.block, self.smem = data["kernel"], data["block"], data["smem"]
        self.mark = data.get("mark", "")
        self.cluster = tuple(data.get("cluster", (1, 1, 1)))
        self.grid, self.params = data["grid"], data["params"]
        self.views, self.scalars = data["views"], data.get("scalars", [])
        if len(self.grid) != 3:
            raise UserError(f"manifest: expected 3 grid expressions, got {len(self.grid)}")
        if not 1 <= self.block <= 1024:
            raise UserError(f"manifest: expected a block of 1 to 1024 threads, got {self.block}")
        names = _check_views(self.views)
        if not isinstance(self.scalars, list):
            raise UserError(f"manifest, scalars: expected an array, got {json.dumps(self.scalars)}")
        for i, s in enumerate(self.scalars):
            _fields(s, f"scalar {i}", ("name", "type"))
        scalars = {s["name"]: s for s in self.scalars}
        for i, p in enumerate(self.params):
            self._check_param(f"parameter {i}", p, names, scalars)

    def check_image(self, image, path):
        """Refuses a cubin that was not compiled from the text that the manifest belongs to."""
        if self.mark.encode() not in image:
            raise UserError(
                f"{path}: expected a cubin of the kernel.cu that kernel.json belongs to (it holds '{self.mark}'), "
                "got another: compile kernel.cu"
            )

    @staticmethod
    def _check_param(where, p, views, scalars):
        kinds = {
            "tensormap": (("kind", "view", "box", "swizzle"), ("dims", "elem", "l2", "oob")),
            "pointer": (("kind", "view"), ()),
            "size": (("kind", "view", "dim"), ()),
            "stride": (("kind", "view", "dim"), ()),
            "scalar": (("kind", "name", "type"), ()),
            "expr": (("kind", "value"), ()),
            "counter": (("kind",), ()),
        }
        if not isinstance(p, dict) or p.get("kind") not in kinds:
            kind = p.get("kind") if isinstance(p, dict) else p
            raise UserError(f"{where}: expected the kind {', '.join(kinds)}, got {json.dumps(kind)}")
        _fields(p, where, *kinds[p["kind"]])
        if "view" in p and p["view"] not in views:
            raise UserError(f"{where}: unknown view '{p['view']}'")
        if "dim" in p and not 0 <= p["dim"] < views[p["view"]]["rank"]:
            raise UserError(f"{where}: view '{p['view']}' has no dimension {p['dim']}")
        if p["kind"] == "scalar":
            if p["name"] not in scalars:
                raise UserError(f"{where}: unknown scalar '{p['name']}'")
            if p["type"] not in ("f32", "i32", "index"):
                raise UserError(f"{where}: expected type f32, i32 or index, got '{p['type']}'")
        if p["kind"] == "tensormap" and p["swizzle"] not in (0, 32, 64, 128):
            raise UserError(f"{where}: expected a swizzle of 0, 32, 64 or 128, got {p['swizzle']}")

    def bind(self, views, scalars, sms):
        """Checks `views` ({name: View}) and `scalars` ({name: number}) and computes the launch."""
        env = _environment(self, views, scalars, sms)
        grid = tuple(evaluate(e, env) for e in self.grid)
        for axis, (g, c) in enumerate(zip(grid, self.cluster)):
            if g < 0 or g % c:
                raise UserError(f"grid axis {axis}: expected a multiple of the cluster's {c}, got {g}")
        if 0 in grid:
            return Launch(grid, self.block, self.smem, [])
        return Launch(grid, self.block, self.smem, [self._value(p, views, scalars, env) for p in self.params])

    def _value(self, p, views, scalars, env):
        kind = p["kind"]
        if kind == "tensormap":
            view = views[p["view"]]
            if any(v["name"] == p["view"] and v["access"] != "in" for v in self.views):
                check_row_ends(p, view)
            return "tensormap", tensor_map(p, view)
        if kind == "counter":
            return "counter", None
        if kind == "pointer":
            return "pointer", views[p["view"]].address
        if kind == "scalar" and p["type"] == "f32":
            return "f32", float(scalars[p["name"]])
        if kind == "scalar":
            value, what = int(scalars[p["name"]]), f"scalar '{p['name']}'"
        elif kind == "expr":
            value, what = evaluate(p["value"], env), "expression parameter"
        else:
            t = views[p["view"]]
            value = (t.shape if kind == "size" else t.strides)[p["dim"]]
            what = f"view '{p['view']}', dimension {p['dim']}: {kind}"
        if not -(2**31) <= value < 2**31:
            raise UserError(f"{what}: expected a 32-bit value, got {value}")
        return "i32", value


@dataclasses.dataclass
class Workspace:
    """A tensor that a chain's launcher allocates."""

    name: str
    elem: str
    shape: tuple
    strides: tuple
    bytes: int
    zeroed: bool


@dataclasses.dataclass
class ChainLaunch:
    kernel: str
    views: dict  # {view of the kernel: view or workspace of the chain}
    scalars: dict  # {scalar of the kernel: number}


def _uses_sms(expr):
    return isinstance(expr, dict) and ("sms" in expr or any(_uses_sms(part) for part in expr.values()))


class ChainManifest(_Document):
    """A checked chain.json. `views`, `scalars`, `workspaces` and `launches` are lists of its objects, in order."""

    def __init__(self, data):
        _fields(data, "chain", ("version", "chain", "views", "launches"), ("scalars", "workspaces", "source"))
        if data["version"] != 1:
            raise UserError(f"chain: expected version 1, got {data['version']}")
        self.chain, self.views, self.scalars = data["chain"], data["views"], data.get("scalars", [])
        self.workspaces, self.launches = data.get("workspaces", []), data["launches"]
        _check_views(self.views)
        for w in self.workspaces:
            _fields(w, "workspace", ("name", "elem", "shape", "zeroed"))
            where = f"workspace '{w['name']}'"
            if w["elem"] not in ELEM_BYTES:
                raise UserError(f"{where}: unknown element type '{w['elem']}'")
            if not w["shape"]:
                raise UserError(f"{where}: expected at least one size, got none")
            if not isinstance(w["zeroed"], bool):
                raise UserError(f"{where}, zeroed: expected true or false, got {json.dumps(w['zeroed'])}")
            if any(_uses_sms(size) for size in w["shape"]):
                raise UserError(f"{where}, shape: expected an expression without 'sms' in a chain")
        known = {v["name"] for v in self.views} | {w["name"] for w in self.workspaces}
        for i, launch in enumerate(self.launches):
            _fields(launch, f"launch {i}", ("kernel", "views"), ("scalars",))
            if not launch["kernel"].isidentifier():
                raise UserError(f"launch {i}: expected the name of a kernel, got '{launch['kernel']}'")
            for name, view in launch["views"].items():
                if view not in known:
                    raise UserError(
                        f"launch {i}, view '{name}': expected a view or a workspace of the chain, got '{view}'"
                    )

    def bind(self, views, scalars):
        """Checks `views` and `scalars` as a kernel's; ([Workspace], [ChainLaunch])."""
        env = _environment(self, views, scalars, None)
        workspaces = [self._workspace(w, env) for w in self.workspaces]
        launches = []
        for launch in self.launches:
            values = {}
            for name, value in launch.get("scalars", {}).items():
                if "const" in value:  # of an f32 perhaps
                    values[name] = value["const"]
                elif "arg" in value and value["arg"] in scalars:
                    values[name] = scalars[value["arg"]]
                else:
                    values[name] = evaluate(value, env)
            launches.append(ChainLaunch(launch["kernel"], launch["views"], values))
        return workspaces, launches

    @staticmethod
    def _workspace(w, env):
        shape, size = tuple(evaluate(e, env) for e in w["shape"]), ELEM_BYTES[w["elem"]]
        for d, extent in enumerate(shape):
            if not 0 <= extent < 2**31:
                raise UserError(f"workspace '{w['name']}', dimension {d}: expected 0 to 2147483647, got {extent}")
        strides, pitch = [1], -(-shape[-1] * size // 16) * 16 // size
        for extent in shape[-2::-1]:
            strides.insert(0, pitch)
            pitch *= max(extent, 1)
        return Workspace(w["name"], w["elem"], shape, tuple(strides), max(16, pitch * size), w["zeroed"])


def check_row_ends(p, view):
    """Refuses a view that is stored by tensor map where that would write elements behind its rows.

    The copy engine writes up to the next multiple of 16 bytes of a row, zeros behind its end (measured on an H100).
    That may be nobody's only where rows are not longer.
    """
    size = ELEM_BYTES[p.get("elem", view.elem)]
    row = view.shape[-1] * size
    if len(view.shape) < 2 or row % 16 == 0 or 0 in view.shape:
        return
    pitches = [s * size for s, extent in zip(view.strides[:-1], view.shape) if extent > 1] or [view.strides[-2] * size]
    if min(pitches) > -(-row // 16) * 16:
        raise UserError(
            f"view '{p['view']}', dimension {len(view.shape) - 1}: expected a size that is a multiple of 16 bytes, or "
            f"rows that end with it, since stores write 16 bytes at a time; got {row} of {min(pitches)} bytes"
        )


def tensor_map(p, view):
    """The encode arguments of a tensormap parameter for a view; checks what the driver would refuse."""
    name, elem = p["view"], p.get("elem", view.elem)
    size = ELEM_BYTES[elem]
    entries = p.get("dims", [{"dim": d} for d in range(len(view.shape))])
    box = p["box"]
    if not 1 <= len(entries) <= 5 or len(box) != len(entries):
        raise UserError(
            f"tensor map of '{name}': expected 1 to 5 dims and as many box entries, got {len(entries)} and {len(box)}"
        )
    _check_address(name, view)
    dims, strides, is_empty = [], [], 0 in view.shape  # no element of an empty tensor has an address
    for position, (entry, extent) in enumerate(zip(entries, box)):
        d = entry["dim"]
        chunk = entry.get("chunk", entry.get("chunks"))
        if chunk is not None and view.shape[d] % chunk:
            raise UserError(
                f"view '{name}', dimension {d}: expected a size that is a multiple of {chunk}, got {view.shape[d]}"
            )
        stride = 1 if d == len(view.shape) - 1 else view.strides[d]
        if "chunks" in entry:
            dims.append(view.shape[d] // chunk)
            stride *= chunk
        else:
            dims.append(chunk if chunk is not None else view.shape[d])
        if not 1 <= extent <= 256:
            raise UserError(f"tensor map of '{name}', box entry {position}: expected 1 to 256, got {extent}")
        last = position == len(entries) - 1
        if is_empty and not last:
            stride = 16 // size
        if not last and (stride * size) % 16:
            raise _stride_error(name, d, stride * size)
        if last and stride != 1:
            raise UserError(f"tensor map of '{name}': expected the last entry to have stride 1, got {stride}")
        if not last and not 0 <= stride * size < 2**40:
            if dims[-1] > 1:
                raise UserError(
                    f"view '{name}', dimension {d}: expected a stride of 0 to 2^40 bytes, got {stride * size}"
                )
            stride = 16 // size  # never used: the dimension has one entry
        strides.append(stride * size)
    row = box[-1] * size
    if row % 16 or (p["swizzle"] and row > p["swizzle"]):
        raise UserError(
            f"tensor map of '{name}': expected a box row that is a multiple of 16 bytes"
            + (f" and at most {p['swizzle']}" if p["swizzle"] else "")
            + f", got {row}"
        )
    return TensorMapSpec(
        elem, view.address, dims[::-1], strides[-2::-1], box[::-1], p["swizzle"], p.get("l2", 128), p.get("oob", "zero")
    )
