"""Views and memory of heddle.triton's launches: what may share memory, and what a launch has to know of it."""

import ctypes
import itertools
import os
import random
import types
from operator import mul
from unittest import mock

import common
import heddle
from common_triton import Tensor, TestCase, compile_as_triton

# isort: split
from heddle import _tensors
from heddle.triton import _jobs, _launcher


class Memory(TestCase):
    def test_addresses_in_memory(self):
        """What tables have addresses of is memory from address zero on, whatever it shares with arguments."""
        with open(os.path.join(common.ROOT, "test/Triton/grouped.mlir"), encoding="utf-8") as file:
            launcher = self.launcher(
                compile_as_triton(file.read()),
                signature={
                    **{name: "*i64" for name in ("a_at", "b_at", "c_at")},
                    **{name: "*i32" for name in ("sizes", "pitches")},
                    "groups": "i32",
                },
            )
        args = [Tensor(0x100000 * n) for n in range(1, 6)] + [2]
        views, scalars = _launcher.bind(launcher.job.kernel, launcher.signature, args, (3, 1, 1))
        memory = [name for name, view in views.items() if view.address == 0 and view.strides == (1,)]
        self.assertEqual(sorted(memory), ["a_at_memory", "b_at_memory", "c_at_memory"])
        self.assertEqual(views["a_at"].address, 0x100000)

    def test_positions_of_elements_have_32_bits(self):
        """What is loaded element by element has to be known to be small enough."""
        sizes = dict.fromkeys(("Cc", "Hh", "W", "OH", "OW", "KC"), "i32")
        kinds = {"x": "*fp16", "w": "*fp16", "o": "*fp32"} | sizes
        with open(os.path.join(common.ROOT, "test/Triton/convolution_by_rows.mlir"), encoding="utf-8") as file:
            launcher = self.launcher(compile_as_triton(file.read()), signature=kinds)
        place = 1 << 40
        for size, refused in ((300, False), (1 << 30, False), ((1 << 30) + 1, True), (None, True)):
            held = Tensor(place)
            if size is not None:
                storage = types.SimpleNamespace(data_ptr=lambda: place, nbytes=lambda size=size: 2 * size)
                held.untyped_storage = lambda storage=storage: storage
            args = [held, Tensor(0x100000), Tensor(1 << 50), 5, 9, 11, 9, 11, 20]
            args = launcher.job.kernel, launcher.signature, args, (2, 2, 1)
            if refused:
                with self.assertRaisesRegex(_jobs.Refused, "'x' is not known to have at most 1073741824 elements"):
                    _launcher.bind(*args)
            else:
                self.assertEqual(_launcher.bind(*args)[0]["x"].shape, (_launcher.UNBOUNDED,))

    def test_dimensions_without_a_bound(self):
        """What the kernel does not bound ends at UNBOUNDED: a longer tensor is left to Triton."""
        place = 1 << 40
        for elements, stride, refused in ((1 << 30, 1, False), ((1 << 30) + 1, 1, True), (1 << 34, 64, False)):
            held = Tensor(place)
            storage = types.SimpleNamespace(data_ptr=lambda: place, nbytes=lambda elements=elements: 4 * elements)
            held.untyped_storage = lambda storage=storage: storage
            view = {"of": "x", "sizes": [None]}
            args = view, _launcher.View(place, (_launcher.UNBOUNDED,), (stride,), "f32"), held
            if refused:
                with self.assertRaisesRegex(_jobs.Refused, "'x' is not known to have at most 1073741824 elements"):
                    _launcher._check_positions(*args)
            else:
                _launcher._check_positions(*args)

    def test_views_outside_of_their_tensor(self):
        """What lies behind its tensor shares no memory: masks keep all of it out."""
        place = 1 << 40
        held = Tensor(place)
        held.untyped_storage = lambda: types.SimpleNamespace(data_ptr=lambda: place, nbytes=lambda: 400)
        launch = {
            "views": [{"name": n, "argument": i, "of": n} for i, n in enumerate(("x", "y"))],
            "arguments": ["x", "y"],
        }
        for begin, shares in ((place, True), (place + 400, False)):
            views = {
                "x": _launcher.View(begin, (_launcher.UNBOUNDED,), (1,), "f32"),
                "y": _launcher.View(place + 200 if shares else place + 4000, (64,), (1,), "f32"),
            }
            kinds = {0: "*fp32", 1: "*fp32"}
            args = launch, views, {0: held, 1: Tensor(views["y"].address)}, [launch["views"][1]], kinds
            if shares:
                with self.assertRaisesRegex(_jobs.Refused, "'y' is stored to and shares memory with 'x'"):
                    _launcher._check_aliases(*args)
            else:
                _launcher._check_aliases(*args)

    def test_what_accesses_reach(self):
        """Elements that a stride sets apart have a dimension of neighbours beside, of which one is reached; what masks
        exclude as a whole reaches nothing; what `triton.reinterpret` gives has the memory of its tensor."""
        place = 1 << 40
        held = types.SimpleNamespace(base=Tensor(place), data_ptr=lambda: place)
        held.base.untyped_storage = lambda: types.SimpleNamespace(data_ptr=lambda: place, nbytes=lambda: 160)
        self.assertEqual(_launcher._storage(held), (place, place + 160))
        for spans, size, shares in ((None, 20, True), ([None, 1], 20, False), (None, 0, False)):
            views = [{"name": n, "argument": i, "of": n} for i, n in enumerate("ab")]
            if spans:
                views = [view | {"spans": spans} for view in views]
            args = (
                {"views": views, "arguments": ["a", "b"]},
                {
                    n: _launcher.View(place + 80 * i, (size, _launcher.UNBOUNDED), (1, 1), "f32")
                    for i, n in enumerate("ab")
                },
                {0: held, 1: held},
                [views[0]],
                {0: "*fp32", 1: "*fp32"},
            )
            if shares:
                with self.assertRaisesRegex(_jobs.Refused, "'a' is stored to and shares memory with 'b'"):
                    _launcher._check_aliases(*args)
            else:
                _launcher._check_aliases(*args)

    def test_one_tensor_as_two_arguments(self):
        """What changes a tensor in place runs as the kernel of one argument; what shares parts is left to Triton."""
        with open(os.path.join(common.ROOT, "test/Triton/one_tensor.mlir"), encoding="utf-8") as file:
            text = file.read()
        kinds = {"x": "*fp32", "y": "*fp32", "c": "*fp32", "s": "*fp32", "N": "i32"}
        with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "only"}):
            launcher = self.launcher(compile_as_triton(text), signature=kinds)
            x, c, s = 1 << 40, 1 << 41, 3 << 40
            for y, reason in ((x, None), (1 << 42, None), (x + 64, "'y' is stored to and shares memory with 'x'")):
                args = [*map(Tensor, (x, y, c, s)), 4]
                before = self.counts()[0]
                if reason:
                    with self.assertRaisesRegex(heddle.Error, reason):
                        launcher(4, 1, 1, 5, None, None, None, None, None, *args)
                else:
                    launcher(4, 1, 1, 5, None, None, None, None, None, *args)
                self.assertEqual(self.counts()[0] - before, 0 if reason else 1)

    def test_views_that_may_meet(self):
        """Parts of one matrix do not meet, which is exact for equal strides."""
        drawn = random.Random(1)
        for _ in range(300):
            strides = drawn.choice([(1,), (20, 1), (60, 20, 1), (7, 1), (3, 2)])
            shapes = [tuple(drawn.randint(1, 4) for _ in strides) for _ in range(2)]
            one, other = (_launcher.View(2 * drawn.randint(100, 160), shape, strides, "f16") for shape in shapes)
            mine, theirs = (
                {view.address + 2 * sum(map(mul, at, strides)) for at in itertools.product(*map(range, view.shape))}
                for view in (one, other)
            )
            self.assertEqual(_launcher._may_meet(one, other), bool(mine & theirs), (one, other))

    def test_windows_that_overlap(self):
        """Iterations that load and store windows have to move them by their length at least."""
        for declared, shape, strides, extents, moves, overlaps in (
            ([None, "K"], (1 << 30, 7), (3, 1), [1, 8], [True, False], True),
            ([None, "K"], (1 << 30, 3), (3, 1), [1, 8], [True, False], False),
            ([None, "K"], (1 << 30, 7), (3, 1), [1, 8], [False, False], False),
            ([None, None], (1 << 30, 1 << 30), (31, 1), [1, 32], [True, False], True),
            (["M", "N"], (64, 100), (100, 1), [16, 32], [False, True], False),
            (["M", "N"], (64, 100), (99, 1), [16, 32], [False, True], True),
            (["M", "N"], (1, 100), (0, 1), [16, 32], [True, True], False),
        ):
            view = {"sizes": declared, "extents": extents, "moves": moves}
            bound = _launcher.View(0, shape, strides, "f32")
            self.assertEqual(_launcher._may_overlap(view, bound), overlaps, (declared, strides))

    def test_bits_of_nan(self):
        """NaN that the simulator gives back in other bits was not written; where it is a number now, that was."""
        kind = ctypes.c_uint16 * 3
        held = kind(0x7E01, 0x3C00, 0x7E01)
        view = _launcher.View(ctypes.addressof(held), (3,), (1,), "f16")
        _tensors.update(view, bytes(kind(0x7E00, 0x7E00, 0x4000)), (view.address, bytes(held)), whole=False)
        self.assertEqual(list(held), [0x7E01, 0x7E00, 0x4000])
