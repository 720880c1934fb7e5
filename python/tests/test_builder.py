"""heddle.builder: what it prints is a program that the compiler accepts; what is wrong is refused with the place."""

import unittest

import common
import heddle
from heddle import _driver
from heddle.builder import (
    Program, absf, bf16, cdiv, cos, dot, e4m3, erf, exp, exp2, f16, f32, f64, i1, i8, i16, i32, i64, index, log, log2,
    maximum, minimum, rsqrt, select, sin, sqrt, tanh, tanh_approx,
)  # fmt: skip


def gemm(elem=f16, rows=128, columns=128, depth=64):
    p = Program("gemm")
    A, B = p.view("A", elem, ["M", "K"]), p.view("B", elem, ["N", "K"])
    C = p.view("C", f32, ["M", "N"])
    p.default_dims(M=64, N=64, K=64)
    p.grid(cdiv(A.dim(0), rows), cdiv(B.dim(0), columns), raster=8)
    m, n = p.program_id(0) * rows, p.program_id(1) * columns
    acc = p.loop(
        0,
        A.dim(1),
        depth,
        p.zeros((rows, columns)),
        lambda k, sum: dot(A.load((m, k), (rows, depth)), B.load((n, k), (columns, depth)).T, sum),
    )
    C.store(acc, (m, n))
    return p


def tiles(elem=f32, shape=(64, 64)):
    """A program with one view, and a tile of it."""
    p = Program("tiles")
    X = p.view("X", elem, [f"d{i}" for i in range(len(shape))])
    p.grid(1)
    return p, X, X.load((0,) * len(shape), shape)


class Text(common.TestCase):
    def accepted(self, program):
        with _driver.Workspace(program.text(), "program.mlir") as workspace:
            _driver.execute(["compile", workspace.program, "--emit=tile"], cwd=workspace.directory)

    def test_product(self):
        for elem in (f16, bf16, e4m3):
            self.accepted(gemm(elem))
        self.assertIn("optimal", heddle.compile(gemm()).log)
        self.assertNotIn("loc(", gemm().text())

    def test_element_wise(self):
        p, X, x = tiles()
        for function in (exp, exp2, log, log2, sqrt, rsqrt, tanh, tanh_approx, erf, sin, cos, absf):
            x = function(x)
        row, column = x.max(1), x.sum(0)
        x = maximum(x, row[:, None]) + minimum(column[None, :] * 2, 1)
        x = select((x < 3.0) & (x >= -1), -x, x / 2 - 1 / (x + 5))
        x = select(row[:, None] > column[None, :], x, float("-inf"))
        X.store(x.min(1).broadcast(1, 64), (0, 0))
        self.accepted(p)

    def test_integers(self):
        p, X, x = tiles()
        positions = p.iota(64) + p.iota(64, start=3) // 2 % 5
        index_value = X.dim(0) // 3 % 7 + p.program_id(0)
        mask = (positions < index_value.to(i32)) | (positions == 7)
        X.store(select(mask[:, None], x, 0) + positions.to(f32)[None, :] + mask.to(i8).to(i32).to(f32)[:, None], (0, 0))
        self.accepted(p)

    def test_types(self):
        p, X, x = tiles()
        for elem in (f16, bf16, f32, i32, f32, i16, i64, i32, f32):
            x = x.to(elem)
        for elem, value in ((f16, float("inf")), (bf16, float("nan")), (f32, float("-inf")), (i1, 1), (i64, -5)):
            p.constant(value, elem, (64,))
            p.constant(value, elem)
        p.constant(float("inf"), f64)
        p.constant(common.Double(0.5), f32)
        p.constant(common.Flag(True), i1)
        X.store(x.to(f64).to(f32), (0, 0))
        self.accepted(p)

    def test_memory(self):
        p = Program("memory")
        E, L = p.view("E", f16, ["rows", ("columns", 64)]), p.view("L", i32, ["n"])
        Y, Z = p.view("Y", f32, ["b", "m", "h", "d"]), p.view("Z", f32, ["b", "m", "h", "d"])
        scale = p.scalar("scale", f32, 0.5)
        p.scalar("n", index)
        p.groups(1)
        p.grid(2, L.dim(0))
        ids = L.load(p.program_id(1) * 64, (64,))
        tile = E.gather((0, 0), ids, (64, 64)).to(f32) * scale + L.element(0).to(f32)
        other = Y.load((0, 0, 0, 0), (64, 64), dims=(1, 3))
        Z.store(tile[0:32, :] + other[32:64, 0:64], (0, 0, 1, 0), dims=(1, 3), add=True)
        self.accepted(p)

    def test_names(self):
        """Arguments may be called like values of the text."""
        p = Program("names")
        X, Y = p.view("v1", f32, ["M"]), p.view("c1", f32, ["M"])
        p.grid(cdiv(X.dim(0), 64))
        at = p.program_id(0) * 64
        Y.store(X.load(at, (64,)) * p.scalar("c0", f32, 2) + p.scalar("v2", f32, 1) + 3, at)
        self.accepted(p)

    def test_control(self):
        p, X, x = tiles()
        many = p.branch(X.dim(0) > 64, lambda: x + 1, lambda: x - 1)
        p.branch(X.dim(0) > 128, lambda: X.store(many, (64, 0)))
        count, x = p.loop_while(
            [p.constant(0, index), many], lambda n, t: n < X.dim(1), lambda n, t: (n + 64, t + X.load((0, n), (64, 64)))
        )
        p.loop(0, count, 64, [], lambda i: X.store(x, (0, i)))
        first, second = p.loop(0, 4, 1, [x, x + 1], lambda i, a, b: (b, a))
        X.store(first + second, (0, 0))
        self.accepted(p)


class Errors(common.TestCase):
    def test_builder(self):
        p, X, x = tiles()
        row = x.max(1)
        half = x.to(f16)
        foreign = tiles()[2]
        for call, text in [
            (lambda: x + foreign, "expected a value of program '.*', got one of '.*'"),
            (lambda: X.store(foreign, (0, 0)), "expected a value of program"),
            (lambda: x + half, "one element type, got f32 and f16 \\(use .to"),
            (lambda: x + row, "expected tiles of one shape, got tensor<64x64xf32> and tensor<64xf32>"),
            (lambda: x + x[0:32, 0:64], "expected tiles of one shape"),
            (lambda: x // 2, "expected / for f32"),
            (lambda: p.iota(4) / 2, "expected // for i32"),
            (lambda: x % 2, "no rem of f32"),
            (lambda: x & x, "no and of f32"),
            (lambda: p.iota(64) + 0.5, "expected a whole number for i32, got 0.5"),
            (lambda: bool(row), "not known in Python"),
            (lambda: list(row), "no elements in Python"),
            (lambda: row.T, "expected a tile of rank 2 to transpose, got tensor<64xf32>"),
            (lambda: row.sum(0), "expected a tile of rank 2 or more"),
            (lambda: x.sum(2), "expected an axis of tensor<64x64xf32>, got 2"),
            (lambda: x.broadcast(3, 4), "expected an axis from 0 to 2"),
            (lambda: x[3], "expected 2 slices"),
            (lambda: x[0:64:2, :], "slices of step 1"),
            (lambda: x.to("f12"), "expected an element type .*, got 'f12'"),
            (lambda: p.constant(float("nan"), e4m3), "expected a finite number"),
            (lambda: exp(p.iota(4)), "exp: expected floats of a program"),
            (lambda: cdiv(3, 4), "got numbers alone"),
            (lambda: select(x, x, x), "expected a condition"),
            (lambda: select(x < 1, 1, 2), "got numbers alone"),
            (lambda: dot(half, half, row), "dot: expected tiles of rank 2"),
            (lambda: dot(half, half[0:32, :], x), "dot: expected MxK, KxN and MxN"),
            (lambda: X.load((0,), (64, 64)), "view 'X': expected 2 coordinates, got 1"),
            (lambda: X.load((0, 0), (1, 64, 64)), "view 'X': expected a tile of rank 2 at most, got 3"),
            (lambda: X.load((0, 0), (-8, 8)), "load from view 'X': expected a positive size, got -8"),
            (lambda: X.load((0, 0), (8, 0)), "load from view 'X': expected a positive size, got 0"),
            (lambda: X.load((0, 0), (8, 2.0)), "load from view 'X': expected sizes that are whole numbers, got 2.0"),
            (lambda: X.load((0, 0), (8, X.dim(0))), "expected sizes that are whole numbers, got <index %v"),
            (lambda: X.gather((0, 0), p.iota(8), (8, -8)), "gather from view 'X': expected a positive size, got -8"),
            (lambda: p.zeros((8, -8)), "constant: expected a positive size, got -8"),
            (lambda: p.iota(-8), "iota: expected a positive size, got -8"),
            (lambda: p.iota((8, 8)), "iota: expected one size, got 2"),
            (lambda: row.broadcast(0, -8), "broadcast: expected a positive size, got -8"),
            (lambda: p.view("Y", f32, [("m", -8)]), "view 'Y': expected a positive size, got -8"),
            (lambda: p.view("Y", f32, [5, 64]), "view 'Y': expected a name of a dimension, or .*, got 5"),
            (lambda: p.view("Y", f32, [("m",)]), "or \\(name, size\\) with a fixed size, got \\('m',\\)"),
            (lambda: p.view("Y", f32, None), "expected a list of dimensions of view 'Y', got None"),
            (lambda: p.view("Y", f32, "MN"), "expected a list of dimensions of view 'Y', got 'MN'"),
            (lambda: p.view("Y", None, ["m"]), "expected an element type .*, got 'None'"),
            (lambda: p.view(5, f32, ["m"]), "expected a new name for an argument, got '5'"),
            (lambda: X.load((0, 0), (8, 8), dims=0), "expected a list of dimensions of view 'X', got 0"),
            (lambda: X.store(x, (0, 0), below=4), "expected a list of ends of the tile for view 'X', got 4"),
            (lambda: X.gather((0, 0), 5, (8, 8)), "expected a value of program 'tiles', got 5"),
            (lambda: X.dim("m"), "view 'X': expected a dimension from 0 to 1, got m"),
            (lambda: p.program_id("x"), "expected a dimension of the grid from 0 to 2, got x"),
            (lambda: x.sum(None), "expected an axis of tensor<64x64xf32>, got None"),
            (lambda: row.broadcast("a", 8), "expected an axis from 0 to 1 of a tile, got a"),
            (lambda: x + None, "expected a number or a value of the program for f32, got None"),
            (lambda: p.iota(64) + float("inf"), "expected a whole number for i32, got inf"),
            (lambda: Program("k").grid("a"), "expected a number or a value of the program for index, got 'a'"),
            (lambda: p.scalar("s", f32, "1"), "expected a number or a value of the program for f32, got '1'"),
            (lambda: p.branch(1, lambda: None), "expected a condition \\(a scalar i1\\), got 1"),
            (lambda: p.branch(x < 1, lambda: None), "expected a condition \\(a scalar i1\\), got <tensor<64x64xi1>"),
            (lambda: p.loop(0, 1, 1, 5, lambda i, t: t), "expected values of the program, got 5"),
            (lambda: Program(5), "expected a name of a kernel, got '5'"),
            (lambda: p.view("Y", f32, []), "view 'Y': expected 1 to 5 dimensions, got 0"),
            (lambda: p.program_id(-1), "expected a dimension of the grid from 0 to 2, got -1"),
            (lambda: p.num_programs(3), "expected a dimension of the grid from 0 to 2, got 3"),
            (lambda: X.dim(2), "view 'X': expected a dimension from 0 to 1, got 2"),
            (lambda: X.store(half, (0, 0)), "view 'X': expected a tile of f32 to store, got f16"),
            (lambda: X.store(1.0, (0, 0)), "expected a tile of f32 to store, got float"),
            (lambda: X.store(x, (0, 0), below=(4,)), "view 'X': expected 2 ends of the tile, got 1"),
            (lambda: X.load((p.iota(4), 0), (64, 64)), "one element type, got index and i32"),
            (lambda: p.view("X", f32, ["m"]), "expected a new name for an argument, got 'X'"),
            (lambda: p.scalar("s", f16), "scalar 's': expected f32, i32 or index, got 'f16'"),
            (lambda: p.grid(1), "expected one grid"),
            (lambda: Program("1"), "expected a name of a kernel, got '1'"),
            (lambda: Program("k").text(), "program 'k': expected a grid"),
            (lambda: p.loop(0, 1, 1, x, lambda i, t: row), "expected the loop's body to give"),
            (lambda: p.loop(0, 1, 1, x, lambda i, t: 3), "expected values of the program, got 3"),
            (lambda: p.loop_while(x, lambda t: True, lambda t: t), "expected a condition \\(a scalar i1\\), got True"),
        ]:
            with self.assertRaisesRegex(heddle.UserError, text):
                call()

    def test_branches(self):
        for otherwise, text in ((lambda: y, "expected both arms to give"), (None, "expected the other arm")):
            p, X, x = tiles()
            y = x.to(f16)
            with self.assertRaisesRegex(heddle.UserError, text):
                p.branch(X.dim(0) > 1, lambda: x, otherwise)

    def test_compiler(self):
        """What the compiler refuses, it refuses at the line of Python."""
        p, X, x = tiles(shape=(64, 64))
        X.store(dot(x.to(i8), x.T, x), (0, 0))
        with self.assertRaisesRegex(heddle.Error, r"test_builder.py:\d+:1: error: "):
            heddle.compile(p)


class Run(common.TestCase):
    environment = {"HEDDLE_DEVICE": "sim"}

    def test_product(self):
        a = heddle.HostArray((70, 72), "f16", lambda i, k: (i + 3 * k) % 5 - 2)
        b = heddle.HostArray((40, 72), "f16", lambda j, k: (2 * j + k) % 7 - 3)
        c = heddle.HostArray((70, 40), "f32", -1)
        heddle.compile(gemm(rows=64, columns=64))(a, b, c)
        for i, j in ((0, 0), (69, 39), (64, 3), (33, 21)):
            self.assertEqual(c[i, j], sum(a[i, k] * b[j, k] for k in range(72)))

    def test_part_of_a_view(self):
        p = Program("part")
        x, y = p.view("x", f32, ["N"]), p.view("y", f32, ["N"])
        p.grid(1)
        y.store(x.load(0, (128,)), 0)
        a, b = heddle.HostArray((300,), "f32", lambda i: i), heddle.HostArray((300,), "f32", 7)
        heddle.compile(p)(a, b)
        self.assertEqual((b[0], b[127], b[128], b[299]), (0, 127, 7, 7))


if __name__ == "__main__":
    unittest.main()
