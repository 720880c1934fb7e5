"""heddle.torch in the simulator; left out where PyTorch is not installed."""

import unittest
from unittest import mock

import common

try:
    import torch
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    from torch._subclasses import FakeTensorMode
    from torch.autograd import forward_ad
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed") from None

import heddle
import heddle.torch
from heddle.builder import Program, cdiv, f16, f32


def error(got, want):
    return ((got.double() - want.double()).norm() / want.double().norm()).item()


class TestCase(common.TestCase):
    environment = {"HEDDLE_DEVICE": "sim"}

    def setUp(self):
        super().setUp()
        torch.manual_seed(0)


class Matmul(TestCase):
    def check(self, dtype, activation, reference):
        a, w, b = (torch.randn(*shape).to(dtype).requires_grad_() for shape in ((70, 50), (90, 50), (90,)))
        want = [t.detach().double().requires_grad_() for t in (a, w, b)]
        y = heddle.torch.matmul(a, w.T, b, activation)
        r = reference(want[0] @ want[1].T + want[2])
        gradient = torch.randn(70, 90).to(dtype)
        y.backward(gradient)
        r.backward(gradient.double())
        for got, wanted in [(y, r), *((t.grad, s.grad) for t, s in zip((a, w, b), want))]:
            self.assertLess(error(got, wanted), 1e-3 if dtype == torch.float16 else 5e-3)

    def test_epilogues(self):
        gelu = torch.nn.functional.gelu
        self.check(torch.float16, None, lambda z: z)
        self.check(torch.bfloat16, "relu", torch.relu)
        self.check(torch.float16, "gelu", gelu)
        self.check(torch.float16, "gelu_tanh", lambda z: gelu(z, approximate="tanh"))
        self.check(torch.float16, "silu", torch.nn.functional.silu)

    def test_orders_and_batches(self):
        for a, b in (
            (torch.randn(64, 40), torch.randn(40, 72)),
            (torch.randn(40, 64).T, torch.randn(40, 72)),
            (torch.randn(33, 20)[:, ::2], torch.randn(10, 7)),
            (torch.randn(2, 33, 24), torch.randn(2, 24, 16)),
        ):
            a, b = a.half(), b.half()
            self.assertLess(error(heddle.torch.matmul(a, b), a.double() @ b.double()), 1e-3)
        self.assertEqual(heddle.torch.matmul(a[0, :0], b[0]).shape, (0, 16))
        # The gradient of what no row uses, and products that sum nothing.
        a, b, bias = torch.randn(0, 24).half(), torch.randn(24, 16).half(), torch.randn(16).half()
        b.requires_grad_()
        heddle.torch.matmul(a, b).sum().backward()
        self.assertTrue(torch.equal(b.grad, torch.zeros(24, 16).half()))
        for activation in (None, "relu", "gelu", "gelu_tanh", "silu"):
            got = heddle.torch.linear(torch.randn(5, 0).half(), torch.randn(16, 0).half(), bias, activation)
            self.assertEqual(got.shape, (5, 16))
            if activation in (None, "relu"):
                self.assertTrue(torch.equal(got, (torch.relu(bias) if activation else bias).expand(5, 16)))

    def test_operator(self):
        x, w = torch.randn(16, 24).half(), torch.randn(24, 16).half()
        torch.library.opcheck(torch.ops.heddle.product.default, (x, w, None, None))
        torch.library.opcheck(torch.ops.heddle.product_saving.default, (x, w, None, "gelu"), atol=2e-2, rtol=2e-2)
        x.requires_grad_()
        torch.library.opcheck(torch.ops.heddle.matmul.default, (x, w, None, None))
        torch.library.opcheck(torch.ops.heddle.matmul.default, (x, w, None, "gelu"), atol=2e-2, rtol=2e-2)

    def test_a_compiled_model_saves_what_stands_before_the_activation(self):
        x, w = torch.randn(16, 24).half().requires_grad_(), torch.randn(24, 16).half().requires_grad_()
        called = []

        def compiler(graph, _):
            called.append([str(node.target) for node in graph.graph.nodes])
            return make_boxed_func(graph.forward)

        backend = aot_autograd(fw_compiler=compiler, bw_compiler=compiler)
        for plain in (True, False):
            call = lambda a, b: heddle.torch.matmul(a, b, activation="silu")  # noqa: E731
            y = (call if plain else torch.compile(call, backend=backend, fullgraph=True))(x, w)
            gradient = torch.autograd.grad(y.float().sum(), (x, w))
            want = torch.autograd.grad(torch.nn.functional.silu(x.double() @ w.double()).sum(), (x, w))
            for got, wanted in zip(gradient, want):
                self.assertLess(error(got, wanted.double()), 2e-3)
        forward, backward = ([target for target in targets if "heddle" in target] for targets in called)
        self.assertEqual(forward, ["heddle.product_saving.default"])  # no operator that looks for gradients again
        self.assertEqual(backward, ["heddle.product.default"] * 2)

    def test_gradients_are_stored_as_operands_are(self):
        """A parameter's gradient of other strides would be copied when it is added."""
        x, w, grad = torch.randn(40, 24).half(), torch.randn(32, 24).half(), torch.randn(40, 32).half()
        for a, b in ((x, w.T), (x.T.contiguous().T, w.T.contiguous())):
            a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
            got = torch.autograd.grad(heddle.torch.matmul(a, b), (a, b), grad)
            for gradient, operand, want in zip(got, (a, b), (grad @ b.T, a.T @ grad)):
                self.assertEqual(gradient.stride(), operand.stride())
                self.assertLess(error(gradient, want), 1e-3)

    def test_gradients_of_gradients(self):
        """What was saved before an activation has no history: it is computed again where gradients need theirs."""
        inputs = torch.randn(16, 24).half(), torch.randn(24, 16).half()

        def penalty(a, b, function):
            (gradient,) = torch.autograd.grad(function(a, b).double().sin().sum(), a, create_graph=True)
            return torch.autograd.grad(gradient.double().square().sum(), (a, b))

        a, b = (t.clone().requires_grad_() for t in inputs)
        c, d = (t.double().requires_grad_() for t in inputs)
        got = penalty(a, b, lambda a, b: heddle.torch.matmul(a, b, activation="gelu"))
        for gradient, want in zip(got, penalty(c, d, lambda a, b: torch.nn.functional.gelu(a @ b))):
            self.assertLess(error(gradient, want), 2e-2)

    def test_calls_past_the_dispatcher(self):
        a, b = torch.randn(16, 24).half(), torch.randn(24, 16).half()
        with mock.patch.object(heddle.torch, "_matmul", side_effect=AssertionError):
            self.assertFalse(heddle.torch.matmul(a, b).requires_grad)
            a.requires_grad_()
            self.assertTrue(heddle.torch.matmul(a, b).requires_grad)
            with torch.no_grad():
                self.assertFalse(heddle.torch.matmul(a, b).requires_grad)
            with forward_ad.dual_level():
                with self.assertRaisesRegex(NotImplementedError, "forward mode AD"):
                    heddle.torch.matmul(forward_ad.make_dual(a.detach(), torch.ones_like(a)), b)
        for is_called in (torch.device("cpu"), FakeTensorMode()):
            with mock.patch.object(heddle.torch, "_matmul") as operator, is_called:
                heddle.torch.matmul(a, b)
            operator.assert_called_once()


class Linear(TestCase):
    def check(self, shape, dtype, activation, call, autocast=False, parameters=None):
        """Against float64: results and gradients, their types and strides."""
        parameters = parameters or dtype
        x = torch.randn(*shape, 24).to(parameters).requires_grad_()
        w, b = (torch.randn(*size).to(parameters).requires_grad_() for size in ((32, 24), (32,)))
        wide = [t.detach().double().requires_grad_() for t in (x, w, b)]
        with torch.autocast("cpu", dtype, enabled=autocast):
            y = call(x, w, b, activation)
        want = torch.nn.functional.linear(*wide)
        want = getattr(torch.nn.functional, activation)(want) if activation else want
        self.assertEqual((y.shape, y.dtype, y.is_contiguous()), (want.shape, dtype, True))
        self.assertFalse(y._is_view())  # which is not to be changed in place
        gradient = torch.randn(want.shape).to(dtype)
        y.backward(gradient)
        want.backward(gradient.double())
        for got, wanted in [(y, want), *((t.grad, s.grad) for t, s in zip((x, w, b), wide))]:
            self.assertLess(error(got, wanted), 2e-3 if dtype == torch.float16 else 2e-2)
        for t in (x, w, b):
            self.assertEqual((t.grad.dtype, t.grad.stride()), (parameters, t.stride()))

    def test_shapes(self):
        for shape, dtype, activation in (
            ((40,), torch.float16, None),
            ((2, 20), torch.float16, "relu"),
            ((2, 3, 4), torch.bfloat16, "gelu"),
            ((), torch.float16, "silu"),
        ):
            self.check(shape, dtype, activation, heddle.torch.linear)

    def test_autocast(self):
        self.check((2, 20), torch.float16, "gelu", heddle.torch.linear, autocast=True, parameters=torch.float32)

    def test_compiled(self):
        compiled = torch.compile(heddle.torch.linear, backend="aot_eager", fullgraph=True)
        self.check((2, 20), torch.float16, "silu", compiled)
        self.check((2, 20), torch.float16, None, compiled, autocast=True, parameters=torch.float32)

    def test_strides(self):
        """Rows that are parts of longer ones, and rows that are no view of one matrix."""
        w = torch.randn(32, 24).half()
        for x in (torch.randn(4, 5, 48).half()[..., :24], torch.randn(5, 4, 24).half().transpose(0, 1)):
            got = heddle.torch.linear(x, w)
            self.assertLess(error(got, x.double() @ w.double().T), 1e-3)
        self.assertEqual(heddle.torch.linear(x[:0], w).shape, (0, 5, 32))

    def test_gradients_of_gradients(self):
        x, w, b = (torch.randn(*shape).half() for shape in ((2, 8, 24), (16, 24), (16,)))

        def penalty(tensors, function):
            tensors = [t.requires_grad_() for t in tensors]
            (gradient,) = torch.autograd.grad(function(*tensors).double().sin().sum(), tensors[0], create_graph=True)
            return torch.autograd.grad(gradient.double().square().sum(), tensors)

        got = penalty([x, w, b], lambda x, w, b: heddle.torch.linear(x, w, b, "gelu"))
        wide = [t.detach().double() for t in (x, w, b)]
        gelu = torch.nn.functional.gelu
        for gradient, want in zip(got, penalty(wide, lambda x, w, b: gelu(torch.nn.functional.linear(x, w, b)))):
            self.assertLess(error(gradient, want), 2e-2)

    def test_errors(self):
        x, w = torch.ones(4, 16).half(), torch.ones(8, 16).half()
        for args, text in (
            ((x, w[:, :8]), "linear: expected \\(..., K\\) and \\(N, K\\), got \\(4, 16\\) and \\(8, 8\\)"),
            ((x, w, None, "tan"), "linear: expected an activation"),
            ((x.float(), w.float()), "float16 or of bfloat16, got torch.float32"),
            ((x, w, torch.ones(9).half()), "view 'bias', dimension 0: expected size 8, got 9"),
        ):
            with self.assertRaisesRegex(heddle.UserError, text):
                heddle.torch.linear(*args)


class Allocations(TestCase):
    def test_sizes_are_tuples(self):
        """PyTorch's short cut for memory of a GPU takes nothing else, torch.Size neither."""
        made = []

        def empty(self, shape, strides, dtype):
            made.append((shape, strides))
            return torch.empty_strided(shape, strides, dtype=dtype, device=self.device)

        with mock.patch.object(heddle.torch.Bound, "empty", empty):
            x, w, b = (torch.randn(*shape).half().requires_grad_() for shape in ((2, 8, 24), (16, 24), (16,)))
            heddle.torch.linear(x, w, b, "gelu").sum().backward()
            heddle.torch.matmul(x, w.T.expand(2, 24, 16)).sum().backward()
            q, k, v = (torch.randn(1, 1, 8, 64).half().requires_grad_() for _ in range(3))
            heddle.torch.attention(q, k, v).sum().backward()
        self.assertEqual(len(made), 2 + 2 + 3 + 2 + 3)
        for sizes in (sizes for pair in made for sizes in pair):
            self.assertIs(type(sizes), tuple)
            self.assertTrue(all(type(size) is int for size in sizes), sizes)


class GroupedMatmul(TestCase):
    def check(self, dtype, transposed):
        ends = torch.tensor([70, 70, 75, 140], dtype=torch.int32)
        a = torch.randn(140, 50).to(dtype).requires_grad_()
        b = torch.randn(4, 90, 50).to(dtype) if transposed else torch.randn(4, 50, 90).to(dtype)
        b.requires_grad_()
        x, y = (t.detach().double().requires_grad_() for t in (a, b))
        c = heddle.torch.grouped_matmul(a, b.transpose(1, 2) if transposed else b, ends)
        begins = [0, *ends.tolist()]
        m = y.transpose(1, 2) if transposed else y
        want = torch.cat([x[begins[g] : begins[g + 1]] @ m[g] for g in range(4)])
        gradient = torch.randn(140, 90).to(dtype)
        c.backward(gradient)
        want.backward(gradient.double())
        for got, wanted in ((c, want), (a.grad, x.grad), (b.grad, y.grad)):
            self.assertLess(error(got, wanted), 1e-3 if dtype == torch.float16 else 5e-3)

    def test_groups(self):
        self.check(torch.float16, False)
        self.check(torch.bfloat16, True)

    def test_operator(self):
        a, b = torch.randn(40, 16).half(), torch.randn(2, 16, 24).half()
        torch.library.opcheck(torch.ops.heddle.grouped_matmul, (a, b, torch.tensor([8, 40], dtype=torch.int32)))

    def test_errors(self):
        a, b, ends = torch.ones(4, 16).half(), torch.ones(2, 16, 8).half(), torch.tensor([2, 4], dtype=torch.int32)
        for args, text in (
            ((a, b, ends[:1]), r"expected \(T, K\), \(G, K, N\) and \(G,\), got"),
            ((a, b.float(), ends), "expected matrices of float16 or of bfloat16"),
            ((a, b, ends.long()), "expected ends of int32, got torch.int64"),
            ((a[:, :0], b[:, :0], ends), "expected sizes of at least 1"),
        ):
            with self.assertRaisesRegex(heddle.UserError, text):
                heddle.torch.grouped_matmul(*args)


class Attention(TestCase):
    def check(self, dtype, dim, causal, positions=130):
        q, k, v = (torch.randn(1, positions, 2, dim).to(dtype).transpose(1, 2).requires_grad_() for _ in range(3))
        want = [t.detach().double().requires_grad_() for t in (q, k, v)]
        o = heddle.torch.attention(q, k, v, causal)
        stored = (positions * 2 * dim, dim, 2 * dim, 1)
        self.assertEqual(o.stride(), stored)  # as q is
        r = torch.nn.functional.scaled_dot_product_attention(*want, is_causal=causal)
        gradient = torch.randn(1, 2, positions, dim).to(dtype)
        o.backward(gradient)
        r.backward(gradient.double())
        for got, wanted in [(o, r), *((t.grad, s.grad) for t, s in zip((q, k, v), want))]:
            self.assertEqual(got.stride(), stored)
            self.assertLess(error(got, wanted), 1e-3 if dtype == torch.float16 else 8e-3)

    def test_gradients(self):
        self.check(torch.float16, 64, True)
        self.check(torch.bfloat16, 128, False)

    def test_rows_of_a_program(self):
        rows = heddle.programs.attention_rows
        self.assertEqual([rows(128, False, n, 128, 132) for n in (1024, 4096, 8192, 16384)], [128, 128, 192, 192])
        self.assertEqual([rows(64, True, n, 128, 132) for n in (1024, 4096)], [128, 192])
        self.assertEqual(rows(64, False, 2048, 8, 132), 128)  # 192 queries would leave multiprocessors without work
        self.assertEqual(rows(64, False, 4096, 128, 132), 192)
        # Programs of 192 queries of both sizes, in the simulator.
        for elem, dim, causal in (("f16", 64, True), ("f16", 64, False), ("bf16", 128, False)):
            dtype = torch.float16 if elem == "f16" else torch.bfloat16
            q, k, v = (torch.randn(1, 1, 230, dim).to(dtype) for _ in range(3))
            o, lse = torch.empty_like(q), torch.empty(1, 1, 230)
            kernel = heddle._attention._attention_forward_kernel(elem, dim, causal, 192)
            kernel(q, k, v, o, lse, scale=dim**-0.5 * heddle.programs.LOG2E)
            wide = (t.double() for t in (q, k, v))
            wanted = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=causal)
            self.assertLess(error(o, wanted), 1e-3 if elem == "f16" else 8e-3)

    def test_operator(self):
        q, k, v = (torch.randn(1, 1, 70, 64).half() for _ in range(3))
        near = {"atol": 2e-2, "rtol": 2e-2}
        torch.library.opcheck(torch.ops.heddle.attention_forward.default, (q, k, v, True, 0.1), **near)
        o, lse = torch.ops.heddle.attention_forward.default(q, k, v, True, 0.1)
        torch.library.opcheck(torch.ops.heddle.attention_backward.default, (q, q, k, v, o, lse, True, 0.1), **near)
        q, k, v = (t.requires_grad_() for t in (q, k, v))
        torch.library.opcheck(torch.ops.heddle.attention.default, (q, k, v, True, 0.1), **near)

    def test_gradients_of_gradients(self):
        q, k, v = (torch.randn(1, 1, 70, 64).half().requires_grad_() for _ in range(3))
        (gradient,) = torch.autograd.grad(heddle.torch.attention(q, k, v).sum(), q, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "once_differentiable"):
            gradient.sum().backward()

    def test_errors(self):
        q, half = torch.randn(1, 1, 70, 64), torch.randn(1, 1, 70, 64).half()
        for call, text in [
            (
                lambda: heddle.torch.attention(q, half, half),
                "expected float16 or bfloat16 three times, got torch.float32",
            ),
            (lambda: heddle.torch.attention(half, half[:, :, 1:], half[:, :, 1:], True), "as many keys as queries"),
            (lambda: heddle.torch.attention(*[half[..., :32]] * 3), "heads of 64 or 128 elements, got 32"),
            (lambda: heddle.torch.attention(half[0], half, half), "expected \\(batch, head, position, dim\\)"),
            (lambda: heddle.torch.attention(*[half[:, :, :0]] * 3), "sizes of at least 1, got 0"),
            (lambda: heddle.torch.matmul(half[0, 0], half[0, 0]), "expected \\(M, K\\) and \\(K, N\\)"),
            (lambda: heddle.torch.matmul(q[0, 0], q[0, 0].T), "float16 or of bfloat16, got torch.float32"),
            (lambda: heddle.torch.matmul(half[0, 0], half[0, 0].T, None, "tan"), "expected an activation"),
            (lambda: heddle.torch.matmul(half[0, 0], half[0, 0].T.to("meta")), "matmul: .* one device, got cpu, meta"),
            (lambda: heddle.torch.attention(half, half, half.to("meta")), "attention: .* one device, got cpu, meta"),
            (lambda: heddle.torch.matmul(*[half[0, 0].to("meta").T] * 2), "expected \\(M, K\\) and \\(K, N\\)"),
        ]:
            with self.assertRaisesRegex(heddle.UserError, text):
                call()


class CustomOp(TestCase):
    def test_program(self):
        p = Program("rows")
        X, Y, Z = p.view("X", f16, ["M", "N"]), p.view("Y", f32, ["M", "N"]), p.view("Z", f32, ["M", "N"])
        s = p.scalar("s", f32)
        p.grid(cdiv(X.dim(0), 64), cdiv(X.dim(1), 64))
        at = (p.program_id(0) * 64, p.program_id(1) * 64)
        t = X.load(at, (64, 64)).to(f32) * s
        Y.store(t, at)
        Z.store(t, at, add=True)
        op = heddle.torch.custom_op("heddle_tests::rows", p)
        x, z = torch.randn(70, 64).half(), torch.ones(70, 64)
        y = op(x, z, 2.0)
        self.assertTrue(torch.equal(y, 2 * x.float()))
        self.assertTrue(torch.equal(z, y + 1))
        torch.library.opcheck(torch.ops.heddle_tests.rows.default, (x, z, 2.0))
        traced = torch.compile(lambda a, b: op(a, b, 2.0) + 1, backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(traced(x, torch.ones(70, 64)), y + 1))

    def test_sizes(self):
        p = Program("wide")
        X, Y = p.view("X", f32, ["M", "N"]), p.view("Y", f32, ["M", "P"])
        p.grid(cdiv(Y.dim(1), 64))
        Y.store(X.load((0, 0), (64, 64)), (0, p.program_id(0) * 64))
        with self.assertRaisesRegex(heddle.UserError, "view 'Y': expected sizes that an argument has as well, got 'P'"):
            heddle.torch.custom_op("heddle_tests::wide", p)


if __name__ == "__main__":
    unittest.main()
