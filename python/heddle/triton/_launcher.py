"""Launches of Triton's kernels: Heddle's version where it can run, and where it is the faster one.

A launch's parameters (tensor maps, sizes, strides) are computed from the arguments by launch.json and the manifest
(docs/Triton.md), once for each combination of addresses, numbers and grid; later launches find them by that key. What
cannot be launched is left to Triton with a reason: sizes of zero, strides that the copy engine does not take, memory
that a stored argument shares with another one.

The trial: for each combination of numbers and grid, the first launches alternate between Triton's kernel and Heddle's,
with events around them. Each is a launch that the user asked for, so nothing runs twice. When all events are through,
the version with the shorter least time stays; until then Triton's runs. Nothing waits for the GPU, and nothing is timed
while a graph is captured. Before the autotuner times a configuration, the trial is made of launches of the tuner's own
(`settle`), one after the other.
"""

import ctypes
import dataclasses
import re
import threading

from .. import _cuda
from .._manifest import ELEM_BYTES, Error, UserError, View, evaluate
from . import _jobs

UNBOUNDED = 1 << 30  # the size of a dimension that the kernel does not bound
ROUNDS = 4  # times of each version, without its first
MOST = 16  # launches of each version
HOST = 2.0  # microseconds
REMEMBERED = 4096  # launches of a kernel

TRITON_ELEM = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "fp8e4nv": "e4m3", "fp8e5": "e5m2"}


class Aliased(_jobs.Refused):
    """One tensor stands for several arguments, of which one is stored to: `one_tensor` as a job takes it."""

    def __init__(self, reason, one_tensor):
        super().__init__(reason)
        self.one_tensor = one_tensor


def wrap(launcher_cls):
    """A class of launchers that tries Heddle's kernels first."""
    if getattr(launcher_cls, "heddle", False):
        return launcher_cls

    def make(src, metadata, *args, **kwargs):
        base = launcher_cls(src, metadata, *args, **kwargs)
        note = getattr(metadata, "heddle", None)
        if not isinstance(note, dict):
            return base
        try:
            return Launcher(base, src.signature, note)
        except Exception:  # never in the way of the user's program
            return base

    make.heddle = True
    return make


def _leaves(signature):
    """(where it stands in a call, what the signature says of it) for each argument, and each member of one that is a
    tuple: a position, and behind it the positions in tuples."""

    def walk(place, kind):
        if isinstance(kind, (tuple, list)):
            for number, member in enumerate(kind):
                yield from walk((*place, number), member)
        else:
            yield place, kind

    for position, kind in enumerate(signature.values()):
        yield from walk((position,), kind)


def value_at(args, place):
    """The argument, or member of a tuple, that stands there."""
    for position in place:
        args = args[position]
    return args


def arguments_of(signature):
    """For each argument of the TTIR function: (where it stands in a call, None for the value itself, or which part of a
    descriptor)."""
    result = []
    for position, kind in _leaves(signature):
        if not isinstance(kind, str):
            raise _jobs.Refused(f"arguments of kind {kind!r} are Triton's")
        if kind == "constexpr":
            continue
        result.append((position, None))
        if kind.startswith("tensordesc"):
            shape = re.search(r"\[([^\]]*)\]", kind).group(1)
            rank = shape.count(",") + 1
            result += [(position, ("shape", d)) for d in range(rank)]
            result += [(position, ("strides", d)) for d in range(rank)]
    return result


def _key_function(signature):
    """(a function (gx, gy, gz, arguments) -> all that a launch depends on, how many of it are no addresses, which
    come first). One expression: it runs every launch."""
    addresses, numbers, count = [], ["x", "y", "z"], 3
    for place, kind in _leaves(signature):
        if kind == "constexpr":
            continue
        value = "a" + "".join(f"[{position}]" for position in place)
        if kind.startswith("*"):
            addresses.append(f"{value}.data_ptr()")
        elif kind.startswith("tensordesc"):
            addresses.append(f"{value}.base.data_ptr()")
            numbers.append(f"*{value}.shape, *{value}.strides")
            count += 2 * (re.search(r"\[([^\]]*)\]", kind).group(1).count(",") + 1)
        else:
            numbers.append(value)
            count += 1
    return eval(f"lambda x, y, z, a: ({', '.join([*numbers, *addresses])},)"), count


def bind(kernel, signature, args, grid):
    """(views by name, scalars by name) of a launch, from the user's arguments."""
    launch = kernel.launch
    places = arguments_of(signature)
    if len(places) != len(launch["arguments"]):
        raise _jobs.Refused(f"expected {len(launch['arguments'])} arguments of the TTIR, got {len(places)}")
    values, pointers, kinds = {}, {}, dict(_leaves(signature))
    for number, (name, (position, part)) in enumerate(zip(launch["arguments"], places)):
        value = value_at(args, position)
        if part is not None:
            values[name] = int(getattr(value, part[0])[part[1]])
        elif isinstance(value, (int, float)):
            values[name] = value
        else:
            pointers[number] = getattr(value, "base", value) if hasattr(value, "block_shape") else value
    env = {"args": values | dict(zip(launch["grid"], grid)), "dims": {}, "strides": {}, "symbols": {}, "sms": 0}
    views, stored = {}, []
    for view, declared in zip(launch["views"], kernel.manifest.views):
        tensor, elem = pointers.get(view["argument"]), declared["elem"]
        if tensor is None:
            raise _jobs.Refused(f"'{view['of']}' is no tensor")
        if view.get("memory"):  # what the kernel finds by addresses that it loads: from address zero on
            views[view["name"]] = View(0, (UNBOUNDED,), (1,), elem)
            continue
        address = tensor.data_ptr() + evaluate(view["offset"], env) * ELEM_BYTES[elem]
        # None where a mask lets no element through, as of a second block behind all columns.
        shape = tuple(UNBOUNDED if size is None else max(0, evaluate(size, env)) for size in view["sizes"])
        views[view["name"]] = View(address, shape, tuple(evaluate(s, env) for s in view["strides"]), elem)
        if not view.get("window"):
            _check_positions(view, views[view["name"]], tensor)
        if "moves" in view and _may_overlap(view, views[view["name"]]):
            raise _jobs.Refused(f"iterations that load and store '{view['of']}' overlap by its sizes and strides")
        if view["stored"]:
            stored.append(view)
    _check_aliases(launch, views, pointers, stored, {number: kinds[places[number][0]] for number in pointers})
    scalars = {scalar["name"]: values[scalar["name"]] for scalar in launch["scalars"]}
    scalars.update(zip(launch["grid"], grid))
    if any(n > 1 for n in grid[len(launch["grid"]) :]):
        raise _jobs.Refused("the grid has more dimensions than the kernel asks for")
    return views, scalars


def _storage(tensor):
    # triton.reinterpret holds the tensor that it names another type of.
    storage = getattr(tensor, "untyped_storage", getattr(getattr(tensor, "base", None), "untyped_storage", None))
    if storage is None:
        return None
    held = storage()
    return held.data_ptr(), held.data_ptr() + held.nbytes()


def _reached(declared, view):
    """The view without what no access of the kernel reaches of its dimensions without a bound."""
    sizes = zip(view.shape, declared.get("spans", [None] * len(view.shape)))
    return dataclasses.replace(view, shape=tuple(size if span is None else min(size, span) for size, span in sizes))


def _span(view, tensor):
    """The bytes that a view may reach, as (first, behind the last); none where it lies outside of its tensor."""
    if 0 in view.shape:
        return 0, 0
    last = sum((size - 1) * stride for size, stride in zip(view.shape, view.strides))
    first, end = view.address, view.address + (last + 1) * ELEM_BYTES[view.elem]
    storage = _storage(tensor)
    if storage:  # masks keep the rest out
        first, end = max(first, storage[0]), min(end, storage[1])
    return first, end


def _check_positions(view, bound, tensor):
    """Positions along a dimension are 32-bit numbers, and one without a bound ends at UNBOUNDED."""
    storage = _storage(tensor)
    apart = [stride for size, stride in zip(view["sizes"], bound.strides) if size is None and stride > 0]
    if view.get("whole"):
        apart.append(1)
    elif storage is None:
        return
    for stride in apart:
        if storage is None or (storage[1] - bound.address) // (ELEM_BYTES[bound.elem] * stride) > UNBOUNDED:
            raise _jobs.Refused(f"'{view['of']}' is not known to have at most {UNBOUNDED} elements")


def _may_overlap(view, bound):
    """Whether positions that the kernel's order of loads and stores takes for different elements may be one: each step
    has to be longer than all that shorter ones reach (heddle/Address/Overlap.h)."""
    dims = []
    for declared, size, stride, extent, moves in zip(
        view["sizes"], bound.shape, bound.strides, view["extents"], view["moves"]
    ):
        size = None if declared is None else size
        span = size if moves else extent if size is None else min(size, extent)
        dims.append((abs(stride), span is None, moves, span))
    below, moved = 0, False
    for stride, _, moves, span in sorted(dims, key=lambda dim: dim[:3]):
        if span is not None and span <= 1:
            continue
        if (moves or moved) and stride <= below:
            return True
        below += 0 if span is None else (span - 1) * stride
        moved = moved or moves
    return False


def _may_meet(one, other):
    """Whether elements of two views may lie on the same bytes. Exact for views of the same positive strides, like parts
    of the columns of one matrix; others may, since their bytes reach over each other."""
    mine, theirs = ELEM_BYTES[one.elem], ELEM_BYTES[other.elem]
    strides = [stride * mine for stride in one.strides]
    if strides != [stride * theirs for stride in other.strides] or min(strides) <= 0:
        return True
    many = 16  # differences of positions that are looked at

    def meet(distance, dims):
        """Whether some positions are so far apart that at `distance` of their origins the elements meet."""
        if not dims:
            return -mine < distance < theirs
        (stride, size, other_size), rest = dims[0], dims[1:]
        least = sum(s * (1 - n) for s, _, n in rest)
        most = sum(s * (n - 1) for s, n, _ in rest)
        first = max(1 - other_size, -((mine - 1 + distance + most) // stride))
        last = min(size - 1, (theirs - 1 - distance - least) // stride)
        return last - first >= many or any(meet(distance + d * stride, rest) for d in range(first, last + 1))

    return meet(one.address - other.address, sorted(zip(strides, one.shape, other.shape), reverse=True))


def _one_tensor(launch, pointers, kinds):
    """Pairs of arguments' names: each pointer with the address of an earlier one of its kind, and that one."""
    first, pairs = {}, []
    for number in sorted(pointers):
        of = first.setdefault((pointers[number].data_ptr(), kinds[number]), number)
        if of != number and kinds[number].startswith("*"):
            pairs.append((launch["arguments"][number], launch["arguments"][of]))
    return tuple(pairs)


def _check_aliases(launch, views, pointers, stored, kinds):
    """kinds: what the signature says of each argument that is a tensor."""
    views = {view["name"]: _reached(view, views[view["name"]]) for view in launch["views"]}
    for written in stored:
        mine = views[written["name"]]
        first, end = _span(mine, pointers[written["argument"]])
        for other in launch["views"]:
            if other["argument"] == written["argument"]:
                continue
            begin, behind = _span(views[other["name"]], pointers[other["argument"]])
            if max(begin, first) >= min(end, behind) or not _may_meet(mine, views[other["name"]]):
                continue
            reason = f"'{written['of']}' is stored to and shares memory with '{other['of']}'"
            pairs = _one_tensor(launch, pointers, kinds)
            names = dict(pairs)
            if names.get(written["of"], written["of"]) == names.get(other["of"], other["of"]):
                raise Aliased(reason, pairs)
            raise _jobs.Refused(reason)


class Trial:
    """Which of the two versions is faster for one combination of numbers and grid.

    A time is that between two events around a launch. It is the kernel's where the GPU still had other work when the
    launch was enqueued; where it waited for the launch, the time is that of the host as well, which says little of a
    short kernel. Decided is by times of the first kind; after MOST launches without enough of them by all, and then
    Heddle's version has to be shorter by HOST. A kernel without products, of which little is to be gained, stays
    Triton's then.
    """

    def __init__(self, products=True):
        self.products = products
        self.decided, self.times = None, None
        self.pending, self.launched = [], [0, 0]  # of Triton's version, of Heddle's
        self.known = ([], []), ([], [])  # microseconds: waited for or not, by version
        self.clean = [0, 0]

    def turn(self, cuda, stream):
        """(whether Heddle's version runs now, events to record around it or None)."""
        if self.decided is not None:
            return self.decided, None
        status = ctypes.c_int()
        cuda("cuStreamIsCapturing", ctypes.c_void_p(stream), ctypes.byref(status))
        if status.value:  # nothing may be asked now; what is known so far decides
            return self._is_faster() or False, None
        self._collect(cuda)
        if min(self.clean) >= ROUNDS or sum(self.launched) >= 2 * MOST:
            if not self.pending:
                self.decided = self._is_faster()
            return self.decided or False, None
        pair = (ctypes.c_void_p(), ctypes.c_void_p())
        for event in pair:
            cuda("cuEventCreate", ctypes.byref(event), 0)
        return self.launched[1] < self.launched[0], pair

    def note(self, cuda, mine, pair):
        """Between the launch and the second event."""
        clean = cuda.lib.cuEventQuery(pair[0]) != 0 and self.launched[mine] > 0  # the first of each is not counted
        self.launched[mine] += 1
        self.clean[mine] += clean
        self.pending.append((mine, clean, pair))

    def _collect(self, cuda):
        elapsed = ctypes.c_float()
        while self.pending and not cuda.lib.cuEventQuery(self.pending[0][2][1]):
            mine, clean, pair = self.pending.pop(0)
            cuda("cuEventElapsedTime", ctypes.byref(elapsed), *pair)
            self.known[clean][mine].append(elapsed.value * 1000)
            for event in pair:
                cuda("cuEventDestroy_v2", event)

    def _is_faster(self):
        """Whether Heddle's version is, as far as is known; None: nothing is."""
        triton, heddle = self.known[True]
        margin = 0
        if min(len(triton), len(heddle)) < ROUNDS:
            triton, heddle = ([*self.known[0][mine], *self.known[1][mine]][1:] for mine in (0, 1))
            margin = HOST
        if not triton or not heddle:
            return None
        self.times = {"triton": min(triton), "heddle": min(heddle)}
        return (self.products or not margin) and self.times["heddle"] <= self.times["triton"] - margin


_timed = 0  # launches of trials, so far
_last = None  # the trial of the last launch that had one
_awaited = None  # the compilation that the last launch was too early for


def settle(call, busy):
    """Runs `call`, which may run any number of times, until its launches are decided. `busy` enqueues other work, so
    that the GPU does not wait for the host. Waits for compilations that are under way. Milliseconds of Triton's
    version, where its launches had a trial."""
    global _awaited, _last
    _awaited = _last = None
    for _ in range(2 * MOST + 2):
        before = _timed
        busy()
        call()
        if _awaited is not None:
            job, _awaited = _awaited, None
            job.wait()
            continue
        if _timed == before:
            break
        _cuda.driver()("cuCtxSynchronize")
    return _last.times["triton"] / 1000 if _last is not None and _last.times else None


class Entry:
    __slots__ = ("launch", "trial")

    def __init__(self, launch, trial):
        self.launch, self.trial = launch, trial


class Launcher:
    """Called as Triton's launcher: (grid x, y, z, stream, function, metadata, launch metadata, enter hook, exit hook,
    *arguments)."""

    def __init__(self, base, signature, note):
        from . import mode

        self.base, self.signature, self.note = base, signature, note
        self.only = mode() == "only"
        self.kernel, self.reason = None, note.get("reason")
        self.products = "tt.dot" in (note.get("ttir") or "")
        self.job = None if self.reason or not note.get("ttir") else _jobs.start(note["ttir"], note["fused"])
        self.key_of = None
        if self.job is not None:
            try:
                arguments_of(signature)
                self.key_of, self.numbers = _key_function(signature)
            except _jobs.Refused as refused:
                self.job, self.reason = None, str(refused)
        if self.only and self.job is not None:
            self.job.wait()
        self.entries, self.trials, self.refusals = {}, {}, {}
        self.launches = {"heddle": 0, "triton": 0}
        self._making = threading.Lock()

    def __getattr__(self, name):  # what readers of Triton's launcher look for
        return getattr(self.__dict__["base"], name)

    def __call__(self, x, y, z, stream, function, metadata, launch_metadata, enter, leave, *args):
        global _last, _timed
        entry, events = None, None
        if self.job is not None:
            try:
                key = self.key_of(x, y, z, args)
                entry = self.entries.get(key) or self._prepare(key, (x, y, z), args)
            except Exception as error:  # never in the way of the user's program
                entry = self._refuse(None, f"{type(error).__name__}: {error}")
        launch = entry.launch if entry is not None else None
        if entry is not None and entry.trial is not None:
            _last = entry.trial
        if launch is not None and entry.trial is not None and not entry.trial.decided:
            mine, events = entry.trial.turn(_cuda.driver(), stream)
            if not mine:
                launch = None
        if events is not None:
            _cuda.driver()("cuEventRecord", events[0], ctypes.c_void_p(stream))
        if launch is None:
            if self.only:
                raise Error(f"HEDDLE_TRITON=only: {self.why_not() or 'the launch was refused'}")
            self.launches["triton"] += 1
            self.base(x, y, z, stream, function, metadata, launch_metadata, enter, leave, *args)
        else:
            self.launches["heddle"] += 1
            if enter is not None:
                enter(launch_metadata)
            launch(stream)
            if leave is not None:
                leave(launch_metadata)
        if events is not None:
            cuda = _cuda.driver()
            entry.trial.note(cuda, launch is not None, events)
            cuda("cuEventRecord", events[1], ctypes.c_void_p(stream))
            _timed += 1

    def why_not(self):
        """The reason why launches are Triton's, if all are."""
        return self.reason or next(iter(self.refusals.values()), None)

    def _refuse(self, key, reason):
        self.refusals[key[: self.numbers] if key else ()] = reason
        entry = Entry(None, None)
        if key is not None:
            self.entries[key] = entry
        return entry

    def _prepare(self, key, grid, args):
        global _awaited
        if not self.job.done():
            _awaited = self.job
            return None
        if self.job.reason:
            self.reason, self.job = self.job.reason, None
            return None
        with self._making:
            for remembered in (self.entries, self.trials, self.refusals):
                if len(remembered) >= REMEMBERED:
                    remembered.clear()
            if self.kernel is None:
                self.kernel = self.job.kernel
            try:
                if len(args) != len(self.signature):
                    raise _jobs.Refused(f"expected {len(self.signature)} arguments, got {len(args)}")
                kernel = self.kernel
                try:
                    views, scalars = bind(kernel, self.signature, args, grid)
                except Aliased as aliased:
                    job = _jobs.start(self.note["ttir"], self.note["fused"], one_tensor=aliased.one_tensor)
                    if self.only:
                        job.wait()
                    if not job.done():
                        _awaited = job
                        return None
                    if job.reason:
                        return self._refuse(key, job.reason)
                    kernel = job.kernel
                    views, scalars = bind(kernel, self.signature, args, grid)
                function = kernel.function()
                launch = _cuda.Launch(function, kernel.manifest.bind(views, scalars, function.sms()))
            except (_jobs.Refused, UserError) as refused:
                return self._refuse(key, str(refused))
            except Error as error:  # no driver, no GPU of this kind: no launch will do
                self.reason, self.job = str(error), None
                return None
            trial = None if self.only else self.trials.setdefault(key[: self.numbers], Trial(self.products))
            entry = self.entries[key] = Entry(launch, trial)
            return entry
