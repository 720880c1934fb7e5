"""kernel.json: expressions, checks, tensor maps; no GPU."""

import copy
import ctypes
import json
import struct
import unittest

from heddle import _tensors
from heddle._manifest import Manifest, UserError, View, evaluate, tensor_map

GEMM = {
    "version": 1,
    "kernel": "gemm",
    "block": 384,
    "smem": 1024,
    "grid": [{"op": "ceildiv", "a": {"dim": ["A", 0]}, "b": {"const": 128}}, {"const": 1}, {"const": 1}],
    "views": [
        {"name": "A", "elem": "f16", "rank": 2, "access": "in", "shape": ["M", "K"]},
        {"name": "C", "elem": "f16", "rank": 2, "access": "out", "shape": ["M", None]},
    ],
    "scalars": [{"name": "alpha", "type": "f32"}],
    "params": [
        {"kind": "tensormap", "view": "A", "box": [128, 64], "swizzle": 128},
        {"kind": "pointer", "view": "C"},
        {"kind": "size", "view": "A", "dim": 0},
        {"kind": "stride", "view": "C", "dim": 0},
        {"kind": "scalar", "name": "alpha", "type": "f32"},
        {"kind": "expr", "value": {"op": "mul", "a": {"symbol": "K"}, "b": {"const": 2}}},
    ],
}
A = View(4096, (300, 512), (520, 1), "f16")
C = View(8192, (300, 64), (64, 1), "f16")
ENV = {"dims": {"A": (300, 512)}, "strides": {"A": (520, 1)}, "symbols": {"M": 300}, "args": {"n": 7}, "sms": 132}


def op(name, a, b):
    return {"op": name, "a": {"const": a}, "b": {"const": b}}


class Images(unittest.TestCase):
    def test_another_text(self):
        manifest = Manifest(dict(GEMM, mark="heddle_text_17"))
        manifest.check_image(b"ELF heddle_text_17", "kernel.cubin")
        with self.assertRaisesRegex(UserError, "expected a cubin of the kernel.cu that kernel.json belongs to"):
            manifest.check_image(b"ELF heddle_text_18", "kernel.cubin")
        Manifest(GEMM).check_image(b"any", "kernel.cubin")


class Expressions(unittest.TestCase):
    def test_operations(self):
        want = {"add": 13, "sub": 7, "mul": 30, "ceildiv": 4, "floordiv": 3, "mod": 1, "min": 3, "max": 10}
        for name, value in want.items():
            self.assertEqual(evaluate(op(name, 10, 3), ENV), value)

    def test_leaves(self):
        self.assertEqual(evaluate({"dim": ["A", 1]}, ENV), 512)
        self.assertEqual(evaluate({"stride": ["A", 0]}, ENV), 520)
        self.assertEqual(evaluate({"symbol": "M"}, ENV), 300)
        self.assertEqual(evaluate({"arg": "n"}, ENV), 7)
        self.assertEqual(evaluate({"sms": True}, ENV), 132)

    def test_choice(self):
        choice = dict(op("choose", 1, 2), then={"const": 5}, **{"else": {"const": 6}})
        self.assertEqual(evaluate(choice, ENV), 5)
        self.assertEqual(evaluate(dict(choice, a={"const": 2}), ENV), 6)

    def test_errors(self):
        for expr, text in [
            (op("mod", 1, 0), "positive divisor, got 0"),
            (op("pow", 1, 2), "got 'pow'"),
            ({"dim": ["B", 0]}, "no dimension 0 of view 'B'"),
            ({"symbol": "Q"}, "unknown symbol"),
            ({"arg": "q"}, "unknown argument"),
            (3, "expected an object"),
            ({"op": "add"}, "key 'a'"),
        ]:
            with self.assertRaisesRegex(UserError, text):
                evaluate(expr, ENV)


class Rows(unittest.TestCase):
    def test_elements_that_are_one_of_memory(self):
        self.assertFalse(_tensors.overlaps(View(0, (4, 8), (8, 1), "f32")))
        self.assertFalse(_tensors.overlaps(View(0, (8, 4), (1, 8), "f32")))
        self.assertFalse(_tensors.overlaps(View(0, (1, 8), (0, 1), "f32")))
        self.assertTrue(_tensors.overlaps(View(0, (4, 9), (8, 1), "f32")))
        self.assertTrue(_tensors.overlaps(View(0, (4, 8), (0, 1), "f32")))

    def updated(self, offset, shape, strides, elements, whole):
        """Memory of six elements, 0 to 5, the four in the middle a tensor, after an update of a view of it."""
        buffer = (ctypes.c_int32 * 6)(*range(6))
        begin = ctypes.addressof(buffer) + 4
        view = View(begin + 4 * offset, shape, strides, "i32")
        data = struct.pack(f"<{len(elements)}i", *elements)
        _tensors.update(view, data, (begin, ctypes.string_at(begin, 16)), whole)
        return list(buffer)

    def test_only_the_tensor_is_written(self):
        self.assertEqual(self.updated(-1, (6,), (1,), [9, 9, 9, 9, 9, 9], True), [0, 9, 9, 9, 9, 5])

    def test_older_values_stay_behind(self):
        # rows of two, each beginning with the second element of the one before, which changes in one of them alone
        self.assertEqual(self.updated(0, (3, 2), (1, 1), [1, 7, 2, 3, 3, 8], False), [0, 1, 7, 3, 8, 5])


class Binding(unittest.TestCase):
    def bind(self, data=GEMM, a=A, c=C, **scalars):
        return Manifest.parse(json.dumps(data)).bind({"A": a, "C": c}, scalars or {"alpha": 2}, 132)

    def test_launch(self):
        launch = self.bind()
        self.assertEqual(launch.grid, (3, 1, 1))
        kinds = [k for k, _ in launch.values]
        self.assertEqual(kinds, ["tensormap", "pointer", "i32", "i32", "f32", "i32"])
        self.assertEqual([v for _, v in launch.values[1:]], [8192, 300, 64, 2.0, 1024])
        spec = launch.values[0][1]
        self.assertEqual((spec.dims, spec.strides, spec.box), ([512, 300], [1040], [64, 128]))

    def test_counter(self):
        data = copy.deepcopy(GEMM)
        data["params"].append({"kind": "counter"})
        self.assertEqual(self.bind(data).values[-1], ("counter", None))
        data["params"][-1]["view"] = "C"
        with self.assertRaisesRegex(UserError, "view"):
            self.bind(data)

    def test_empty_grid(self):
        launch = self.bind(a=View(0, (0, 512), (512, 1), "f16"), c=View(0, (0, 64), (64, 1), "f16"))
        self.assertEqual((launch.grid, launch.values), ((0, 1, 1), []))

    def test_view_errors(self):
        for a, text in [
            (View(4096, (300,), (1,), "f16"), "view 'A': expected rank 2, got 1"),
            (View(4096, (300, 512), (520, 1), "bf16"), "expected elements of type f16, got bf16"),
            (View(4096, (300, 512), (1, 300), "f16"), "dimension 1: expected stride 1, got 300"),
            (View(4104, (300, 512), (520, 1), "f16"), "multiple of 16 bytes, got remainder 8"),
            (
                View(4096, (300, 512), (516, 1), "f16"),
                "view 'A', dimension 0: expected a stride that is a multiple of 16 bytes, got 1032 bytes",
            ),
            (View(4096, (301, 512), (520, 1), "f16"), "view 'C', dimension 0: expected size 301, got 300"),
        ]:
            with self.assertRaisesRegex(UserError, text):
                self.bind(a=a)
        with self.assertRaisesRegex(UserError, "scalar 'alpha'"):
            self.bind(beta=1)
        stored = {"kind": "tensormap", "view": "C", "box": [64, 64], "swizzle": 128}
        data = {**copy.deepcopy(GEMM), "params": [*GEMM["params"], stored]}
        with self.assertRaisesRegex(UserError, "view 'C', dimension 1: expected .* got 120 of 256 bytes"):
            self.bind(data, c=View(8192, (300, 60), (128, 1), "f16"))
        self.bind(data, c=View(8192, (300, 60), (64, 1), "f16"))
        with self.assertRaisesRegex(UserError, "32-bit value, got 4294967296"):
            self.bind(c=View(8192, (300, 64), (2**32, 1), "f16"))

    def test_promised_memory(self):
        data = copy.deepcopy(GEMM)
        stored = next(v for v in data["views"] if v["name"] == "C")
        stored.update(elem="f32", aligned=True, multiples=[1, 8])
        self.bind(data, c=View(8192, (300, 64), (64, 1), "f32"))
        for c, text in [
            (View(8200, (300, 64), (64, 1), "f32"), "view 'C': expected an address that is a multiple of 16 bytes"),
            (View(8192, (300, 64), (66, 1), "f32"), "view 'C', dimension 0: expected a stride .* got 264 bytes"),
            (View(8192, (300, 60), (64, 1), "f32"), "view 'C', dimension 1: expected a size .* of 8, got 60"),
        ]:
            with self.assertRaisesRegex(UserError, text):
                self.bind(data, c=c)
        stored["multiples"] = [8]
        with self.assertRaisesRegex(UserError, "view 'C': expected 2 positive multiples"):
            self.bind(data)

    def test_manifest_errors(self):
        def changed(path, value):
            data = copy.deepcopy(GEMM)
            at = data
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            return data

        for path, value, text in [
            (["version"], 2, "expected version 1, got 2"),
            (["colour"], 1, "unknown key 'colour'"),
            (["block"], 2048, "1 to 1024 threads, got 2048"),
            (["grid"], [], "3 grid expressions"),
            (["block"], "128", 'manifest, block: expected an integer, got "128"'),
            (["smem"], True, "manifest, smem: expected an integer, got true"),
            (["grid"], 3, "manifest, grid: expected an array, got 3"),
            (["kernel"], 7, "manifest, kernel: expected a string, got 7"),
            (["views", 0, "aligned"], 16, "view, aligned: expected true or false, got 16"),
            (["params", 0, "box"], "x", 'parameter 0, box: expected an array, got "x"'),
            (["scalars"], [{}], "scalar 0: expected the key 'name'"),
            (["views", 0, "elem"], "f12", "unknown element type 'f12'"),
            (["views", 0, "access"], "rw", "got 'rw'"),
            (["views", 0, "rank"], 3, "3 shape entries"),
            (["params", 1, "view"], "Z", "unknown view 'Z'"),
            (["params", 0, "swizzle"], 16, "got 16"),
            (["params", 2, "dim"], 5, "no dimension 5"),
            (["params", 1, "kind"], "ptr", 'got "ptr"'),
            (["params", 4, "name"], "beta", "unknown scalar 'beta'"),
            (["params", 4, "type"], "f64", "got 'f64'"),
        ]:
            with self.assertRaisesRegex(UserError, text):
                Manifest(changed(path, value))
        with self.assertRaisesRegex(UserError, "not JSON"):
            Manifest.parse("{")
        with self.assertRaisesRegex(UserError, "expected a multiple of the cluster's 2, got 3"):
            self.bind(changed(["cluster"], [2, 1, 1]))


class TensorMaps(unittest.TestCase):
    def test_chunks(self):
        # heads x rows x 128 in chunks of 64: one copy brings [chunk][row][64].
        view = View(1024, (6, 200, 128), (200 * 128, 128, 1), "f16")
        spec = tensor_map(
            {
                "view": "K",
                "box": [1, 2, 128, 64],
                "swizzle": 128,
                "dims": [{"dim": 0}, {"dim": 2, "chunks": 64}, {"dim": 1}, {"dim": 2, "chunk": 64}],
            },
            view,
        )
        self.assertEqual(spec.dims, [64, 200, 2, 6])
        self.assertEqual(spec.strides, [256, 128, 51200])
        self.assertEqual(spec.box, [64, 128, 2, 1])

    def test_errors(self):
        view = View(1024, (200, 96), (96, 1), "f16")
        base = {"view": "K", "swizzle": 128}
        split = [{"dim": 1, "chunks": 64}, {"dim": 0}, {"dim": 1, "chunk": 64}]
        for extra, text in [
            ({"box": [128, 128]}, "at most 128, got 256"),
            ({"box": [512, 64]}, "1 to 256, got 512"),
            ({"box": [128]}, "as many box entries, got 2 and 1"),
            ({"box": [8, 4]}, "got 8"),
            ({"box": [1, 128, 64], "dims": split}, "dimension 1: expected a size that is a multiple of 64, got 96"),
            ({"box": [64, 64], "dims": [{"dim": 1}, {"dim": 0}]}, "multiple of 16 bytes, got 2"),
        ]:
            with self.assertRaisesRegex(UserError, text):
                tensor_map({**base, **extra}, view)


if __name__ == "__main__":
    unittest.main()
