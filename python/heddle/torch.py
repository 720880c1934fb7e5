"""Heddle's kernels as operators of PyTorch.

    from heddle.torch import attention, grouped_matmul, linear, matmul, custom_op

    o = attention(q, k, v, causal=True)                    # forward and backward, with autograd
    y = matmul(x, w.T, bias=b, activation="gelu")          # an epilogue in the kernel, with autograd
    y = linear(x, w, b, activation="gelu")                 # the same for x of any rank, and under torch.autocast
    z = grouped_matmul(x, experts, ends)                   # rows of x up to ends[g] by experts[g], with autograd
    scale_rows = custom_op("mine::scale_rows", "scale_rows.mlir")   # any tile program; scale_rows(x, s) -> y

They are operators of torch.library with fake functions, so torch.compile traces them without breaks. On tensors of the
CPU they run in the simulator where HEDDLE_DEVICE=sim says so. Kernels are compiled at the first use of each element
type, head dimension, mask, operand order and epilogue.

A call that nothing traces or wraps goes past the dispatcher (_operators.py). A differentiable operator
(`heddle::matmul`, `heddle::attention`) is composite: traced, it leaves operators without gradients in the graph
(`heddle::product`, `heddle::attention_forward`), whose calls cost the host little.
"""

import functools
import math

import torch
from torch import Tensor

from . import programs
from ._attention import attention  # noqa: F401 (an operator of this module)
from ._kernel import compile as compile_program
from ._kernel import remember
from ._manifest import UserError
from ._operators import (
    DTYPES,
    Bound,
    aligned,
    define,
    define_composite,
    direct,
    elem_of,
    fits,
    is_differentiated,
    is_plain,
    multiprocessors,
    new_output,
    raw_stream,
)

# Any program


def custom_op(name, program, **options):
    """A tile program (text, file or heddle.builder.Program) as the operator `name` ("namespace::name").

    Its arguments are the views that the program reads, in order, then its scalars by name; it returns the views that
    the program only writes, whose sizes have to be named as sizes of what it reads are. Views that it adds to, or reads
    and writes, are arguments that change. No autograd: torch.library.register_autograd adds it.
    """
    kernel = compile_program(program, **options)
    views = kernel.manifest.views
    inputs = [view for view in views if view["access"] != "out"]
    outputs = [view for view in views if view["access"] == "out"]
    known = {dim for view in inputs for dim in view.get("shape", []) if isinstance(dim, str)}
    for view in outputs:
        for dim in view.get("shape", [None] * view["rank"]):
            if dim is None or (isinstance(dim, str) and dim not in known):
                raise UserError(f"view '{view['name']}': expected sizes that an argument has as well, got '{dim}'")
    mutated = [view["name"] for view in inputs if view["access"] == "inout"]
    kinds = {"f32": "float", "i32": "int", "index": "int"}
    parameters = [
        f"Tensor{'(a' + str(i) + '!)' if v['name'] in mutated else ''} {v['name']}" for i, v in enumerate(inputs)
    ]
    parameters += [f"{kinds[scalar['type']]} {scalar['name']}" for scalar in kernel.manifest.scalars]
    returns = ", ".join(["Tensor"] * len(outputs))
    schema = f"({', '.join(parameters)}) -> {returns if len(outputs) == 1 else f'({returns})'}"

    def allocate(tensors):
        sizes = {}
        for view, tensor in zip(inputs, tensors):
            sizes.update((dim, n) for dim, n in zip(view.get("shape", []), tensor.shape) if isinstance(dim, str))
        shapes = [[sizes.get(dim, dim) for dim in view["shape"]] for view in outputs]
        return [new_output(tensors[0], shape, DTYPES[view["elem"]]) for shape, view in zip(shapes, outputs)]

    def results(made):
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    def run(*args):
        tensors, scalars = args[: len(inputs)], args[len(inputs) :]
        made = allocate(tensors)
        given, results_of = iter(tensors), iter(made)
        ordered = [next(results_of) if view["access"] == "out" else next(given) for view in views]
        kernel(*ordered, **dict(zip((scalar["name"] for scalar in kernel.manifest.scalars), scalars)))
        return results(made)

    def fake(*args):
        return results(allocate(args[: len(inputs)]))

    operator = torch.library.custom_op(name, run, mutates_args=mutated, schema=schema)
    operator.register_fake(fake)
    return operator


# Matrix products


@functools.lru_cache(maxsize=None)
def _matmul_kernel(elem, a_rows, b_rows, bias, activation, batch, tile, saving, persistent):
    program = programs.matmul(elem, None, a_rows, b_rows, bias, activation, tile, batch, saving)
    return compile_program(program, persistent="on" if persistent else "off")


def _is_stored_by_rows(matrix):
    return matrix.stride(-1) == 1 or matrix.shape[-1] == 1


def _stored(matrix):
    """(the matrix as it is stored, whether by rows)."""
    if _is_stored_by_rows(matrix):
        return aligned(matrix), True
    if _is_stored_by_rows(matrix.transpose(-1, -2)):
        return aligned(matrix.transpose(-1, -2)), False
    return aligned(matrix.clone(memory_format=torch.contiguous_format)), True


def _product_shape(a, b):
    if a.dim() not in (2, 3) or a.dim() != b.dim() or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise UserError(
            f"matmul: expected (M, K) and (K, N), or batches of them, got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    if a.dtype != b.dtype or a.dtype not in (torch.float16, torch.bfloat16):
        raise UserError(f"matmul: expected two matrices of float16 or of bfloat16, got {a.dtype} and {b.dtype}")
    return (*a.shape[:-1], b.shape[-1])


# What is meant of an operand: rows of all its dimensions but the last, the transposed matrix (of these rows).
FLIP_A, FLIP_B, ROWS_OF_A, ROWS_OF_B = 1, 2, 4, 8


def _meant(a, b, forms):
    if forms & ROWS_OF_A:
        a = a.flatten(end_dim=-2) if a.dim() > 1 else a[None]
    if forms & ROWS_OF_B:
        b = b.flatten(end_dim=-2) if b.dim() > 1 else b[None]
    return (a.transpose(-1, -2) if forms & FLIP_A else a, b.transpose(-1, -2) if forms & FLIP_B else b)


def _result_shape(a, product, forms):
    """The shape of a product: rows of `a` keep their dimensions."""
    return (*a.shape[:-1], product[-1]) if forms & (ROWS_OF_A | FLIP_A) == ROWS_OF_A else product


class _Product(Bound):
    def __init__(self, a, b, bias, activation, saving, forms):
        super().__init__("matmul", (a, b, bias))
        self.saving, self.forms, self.dtype = saving, forms, a.dtype
        given, (a, b) = (a, b), _meant(a, b, forms)
        self.product = _product_shape(a, b)
        self.shape = _result_shape(given[0], self.product, forms)
        self.is_empty, self.sums_nothing, self.activation = 0 in self.product, a.shape[-1] == 0, activation
        if self.is_empty or self.sums_nothing:
            return
        rows, columns, batch = self.product[-2], self.product[-1], self.product[0] if len(self.product) == 3 else 1
        count = multiprocessors(a.device)
        tile = programs.tile_for(rows, columns * batch, count)
        # Where programs take several turns, the loads of the next run beside the stores of the last.
        turns = -(-rows // tile[0]) * -(-columns // tile[1]) / count
        (stored_a, a_rows), (stored_b, b_rows) = _stored(a), _stored(b)
        vector = None if bias is None else elem_of(bias)
        form = elem_of(a), a_rows, b_rows, vector, activation, len(self.product) == 3, tile, saving
        self.kernel = _matmul_kernel(*form, persistent=turns > 1 and len(self.product) == 2)
        # Nothing has to be copied where addresses are multiples of 16 bytes.
        size = a.element_size()
        self.is_dense = columns * size % 16 == 0
        self.strides = tuple(math.prod(self.shape[d + 1 :]) for d in range(len(self.shape)))
        self.fits = self.is_dense and all(
            fits(t.shape, t.stride(), size)
            for t in (a if a_rows else a.transpose(-1, -2), b if b_rows else b.transpose(-1, -2))
        )
        # Where rows of several dimensions are a copy.
        self.fits = self.fits and all(t.data_ptr() == meant.data_ptr() for t, meant in zip(given, (a, b)))

    def output(self, like):
        if self.is_empty or not self.is_dense:
            return new_output(like, self.shape)
        return self.empty(self.shape, self.strides, self.dtype)

    def run(self, a, b, bias):
        if self.sums_nothing:
            z = new_output(a, self.shape).zero_()
            z = z if bias is None else z + bias
            made = FUNCTIONS[self.activation](z) if self.activation else z
            return (made, z) if self.saving else made
        made = self.output(a)
        at = (a.data_ptr(), b.data_ptr(), made.data_ptr())
        if bias is not None:
            at = (*at[:2], bias.data_ptr(), at[2])
        if self.saving:
            z = self.output(a)
            at = (*at, z.data_ptr())
        launch = self.launches.get(at)
        if launch is None and not self.is_empty:
            launch = self.moved(at) or self._launch(at, a, b, bias, (made, z) if self.saving else (made,))
        if launch is not None:
            launch(raw_stream(self.index))
        return (made, z) if self.saving else made

    def _launch(self, at, a, b, bias, made):
        """None where the simulator ran it."""
        a, b = _meant(a, b, self.forms)
        others = () if bias is None else (aligned(bias),)
        if self.shape != self.product:
            made = [t.view(self.product) for t in made]
        return self.bind(self.kernel, at, (_stored(a)[0], _stored(b)[0], *others, *made), {})


_products = {}


def _run_matmul(a, b, bias=None, activation=None, saving=False, forms=0):
    """The product; with `saving` also what stands before the activation."""
    form = (
        *(a.shape, a.stride(), a.dtype, a.device, b.shape, b.stride(), b.dtype, b.device, activation, saving, forms),
        *(() if bias is None else (bias.shape, bias.stride(), bias.dtype, bias.device)),
    )
    product = _products.get(form)
    if product is None:
        product = remember(_products, form, _Product(a, b, bias, activation, saving, forms))
    return product(a, b, bias)


def _fake_product(a, b, bias, activation):
    return new_output(a, _product_shape(a, b))


_product = define(
    "product(Tensor a, Tensor b, Tensor? bias, str? activation) -> Tensor", _run_matmul, _fake_product
)
_product_saving = define(
    "product_saving(Tensor a, Tensor b, Tensor? bias, str activation) -> (Tensor, Tensor)",
    lambda a, b, bias, activation: _run_matmul(a, b, bias, activation, saving=True),
    lambda a, b, bias, activation: (_fake_product(a, b, bias, activation), _fake_product(a, b, bias, activation)),
)

# Activations of sums of nothing, which no kernel computes.
FUNCTIONS = {
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda z: torch.nn.functional.gelu(z, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}

# The gradient of what stands before an activation, from that of what stands behind it.
GRADIENTS = {
    "relu": lambda grad, z: torch.ops.aten.threshold_backward.default(grad, z, 0),
    "gelu": torch.ops.aten.gelu_backward.default,
    "gelu_tanh": lambda grad, z: torch.ops.aten.gelu_backward.default(grad, z, approximate="tanh"),
    "silu": torch.ops.aten.silu_backward.default,
}


def _needs_saving(activation):
    """Where the activation is not zero, relu's result is what stands before it."""
    return activation not in (None, "relu")


class _Matmul(torch.autograd.Function):
    """The product with its gradients, called directly. forms: 0, or LINEAR."""

    @staticmethod
    def product(a, b, forms):
        return _run_matmul(a, b, forms=forms)

    @staticmethod
    def forward(ctx, a, b, bias, activation, forms):
        ctx.activation, ctx.forms = activation, forms
        if activation is None:
            ctx.save_for_backward(a, b, bias, None)
            return _run_matmul(a, b, bias, None, False, forms)
        saving = _needs_saving(activation)
        output = _run_matmul(a, b, bias, activation, saving, forms)
        ctx.save_for_backward(a, b, bias, output[1] if saving else output)
        return output[0] if saving else output

    @staticmethod
    def backward(ctx, grad):
        return _gradients(ctx, grad, _Matmul.product)


class _TracedMatmul(torch.autograd.Function):
    """The same by operators, of matrices."""

    @staticmethod
    def product(a, b, forms):
        return _product(*_meant(a, b, forms), None, None)

    @staticmethod
    def forward(ctx, a, b, bias, activation):
        ctx.activation, ctx.forms = activation, 0
        if _needs_saving(activation):
            output, z = _product_saving(a, b, bias, activation)
        else:
            output = _product(a, b, bias, activation)
            z = output if activation else None
        ctx.save_for_backward(a, b, bias, z)
        return output

    @staticmethod
    def backward(ctx, grad):
        return _gradients(ctx, grad, _TracedMatmul.product)[:4]


LINEAR = ROWS_OF_A | FLIP_B


def _differentiable_product(a, b, forms):
    product = matmul(*_meant(a, b, forms))
    return product.reshape(_result_shape(a, product.shape, forms))


def _gradients(ctx, grad, product):
    a, b, bias, z = ctx.saved_tensors
    if torch.is_grad_enabled():  # gradients of gradients: what is computed here has its own
        product = _differentiable_product
        if z is not None:
            z = linear(a, b, bias) if ctx.forms else matmul(a, b, bias)
    if ctx.activation is not None:
        grad = GRADIENTS[ctx.activation](grad, z)
    needs, grad_a, grad_b, grad_bias = ctx.needs_input_grad, None, None, None
    # Stored as the operand is: a gradient of other strides is copied when it is added to a parameter's.
    if ctx.forms:
        if needs[0]:
            grad_a = product(grad, b, ROWS_OF_A)
        if needs[1]:
            grad_b = product(grad, a, ROWS_OF_A | FLIP_A | ROWS_OF_B)
    else:
        if needs[0] and _is_stored_by_rows(a):
            grad_a = product(grad, b, FLIP_B)
        elif needs[0]:
            grad_a = product(b, grad, FLIP_B).transpose(-1, -2)
        if needs[1] and _is_stored_by_rows(b):
            grad_b = product(a, grad, FLIP_A)
        elif needs[1]:
            grad_b = product(grad, a, FLIP_A).transpose(-1, -2)
    if bias is not None and needs[2]:
        rows = grad if grad.dim() > 1 else grad[None]
        # PyTorch adds in float32.
        grad_bias = rows.sum(0 if rows.dim() == 2 else tuple(range(rows.dim() - 1)), dtype=bias.dtype)
    return grad_a, grad_b, grad_bias, None, None


_apply_matmul = direct(_Matmul)


def _composite_matmul(a, b, bias, activation):
    if is_differentiated(a, b, bias):
        return _TracedMatmul.apply(a, b, bias, activation)
    return _product(a, b, bias, activation)


_matmul = define_composite(
    "matmul(Tensor a, Tensor b, Tensor? bias, str? activation) -> Tensor", _composite_matmul
)


def matmul(a, b, bias=None, activation=None):
    """activation(a @ b + bias) of float16 or bfloat16 matrices, (M, K) and (K, N), or batches of them (Z, M, K) and
    (Z, K, N). Transposed operands are not copied. bias: a vector of N elements; activation: None, "relu", "gelu",
    "gelu_tanh" or "silu". Sums are those of float32."""
    if activation not in programs.ACTIVATIONS:
        raise _wrong_activation("matmul", activation)
    if not is_plain(a, b, bias):
        return _matmul(a, b, bias, activation)
    if is_differentiated(a, b, bias):
        return _apply_matmul(a, b, bias, activation, 0)
    return _run_matmul(a, b, bias, activation)


def _wrong_activation(operator, activation):
    known = ", ".join(map(str, programs.ACTIVATIONS))
    return UserError(f"{operator}: expected an activation ({known}), got '{activation}'")


def linear(x, weight, bias=None, activation=None):
    """activation(x @ weight^T + bias) as torch.nn.functional.linear: x (..., K), weight (N, K), bias (N,), float16 or
    bfloat16; under torch.autocast of any type, which x and weight are rounded from. activation as of matmul."""
    if activation not in programs.ACTIVATIONS:
        raise _wrong_activation("linear", activation)
    if weight.dim() != 2 or x.dim() < 1 or x.shape[-1] != weight.shape[1]:
        raise UserError(f"linear: expected (..., K) and (N, K), got {tuple(x.shape)} and {tuple(weight.shape)}")
    kind = x.device.type
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
        x, weight = x.to(dtype), weight.to(dtype)
    if is_plain(x, weight, bias):
        if is_differentiated(x, weight, bias):
            return _apply_matmul(x, weight, bias, activation, LINEAR)
        return _run_matmul(x, weight, bias, activation, False, LINEAR)
    rows = _matmul(x.reshape(-1, x.shape[-1]), weight.transpose(0, 1), bias, activation)
    return rows.reshape(*x.shape[:-1], weight.shape[0])


# Products of groups of rows


@functools.lru_cache(maxsize=None)
def _grouped_kernel(elem, b_rows, tile):
    return compile_program(programs.grouped_matmul(elem, b_rows, tile))


def _grouped_shape(a, b, ends):
    if a.dim() != 2 or b.dim() != 3 or ends.shape != b.shape[:1] or a.shape[1] != b.shape[1]:
        shapes = ", ".join(str(tuple(t.shape)) for t in (a, b, ends))
        raise UserError(f"grouped_matmul: expected (T, K), (G, K, N) and (G,), got {shapes}")
    if a.dtype != b.dtype or a.dtype not in (torch.float16, torch.bfloat16):
        raise UserError(f"grouped_matmul: expected matrices of float16 or of bfloat16, got {a.dtype} and {b.dtype}")
    if ends.dtype != torch.int32:
        raise UserError(f"grouped_matmul: expected ends of int32, got {ends.dtype}")
    if 0 in b.shape:
        raise UserError(f"grouped_matmul: expected sizes of at least 1, got {tuple(b.shape)}")
    return a.shape[0], b.shape[2]


@torch.library.custom_op("heddle::grouped_matmul", mutates_args=())
def _grouped_matmul(a: Tensor, b: Tensor, ends: Tensor) -> Tensor:
    c = new_output(a, _grouped_shape(a, b, ends))
    if c.numel() == 0:
        return c
    a = aligned(a if a.stride(-1) == 1 else a.contiguous())
    b, b_rows = _stored(b)
    tile = programs.tile_for(-(-c.shape[0] // b.shape[0]), c.shape[1] * b.shape[0], multiprocessors(c.device))
    _grouped_kernel(elem_of(a), b_rows, tile)(a, b, ends.contiguous(), c)
    return c


@_grouped_matmul.register_fake
def _(a, b, ends):
    return new_output(a, _grouped_shape(a, b, ends))


@torch.library.custom_op("heddle::grouped_matmul_backward", mutates_args=())
def _grouped_matrices(a: Tensor, grad: Tensor, ends: Tensor) -> Tensor:
    """The gradient of the matrices: a product for each group. Waits for the GPU, since the host needs the ends."""
    result, begin = a.new_zeros((ends.shape[0], a.shape[1], grad.shape[1])), 0
    for g, end in enumerate(ends.tolist()):
        if end > begin:
            result[g] = _run_matmul(a[begin:end].T, grad[begin:end], None, None)
            begin = end
    return result


@_grouped_matrices.register_fake
def _(a, grad, ends):
    return a.new_empty((ends.shape[0], a.shape[1], grad.shape[1]))


def _grouped_setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _grouped_backward(ctx, grad):
    a, b, ends = ctx.saved_tensors
    grad_a = _grouped_matmul(grad, b.transpose(1, 2), ends) if ctx.needs_input_grad[0] else None
    grad_b = _grouped_matrices(a, grad, ends) if ctx.needs_input_grad[1] else None
    return grad_a, grad_b, None


_grouped_matmul.register_autograd(_grouped_backward, setup_context=_grouped_setup)


def grouped_matmul(a, b, ends):
    """Rows of `a` (T, K), packed one group after the other, each times its group's matrix of `b` (G, K, N): a mixture
    of experts. ends: (G,) of int32, the row behind each group's last; what they say stays on the GPU. Groups may be
    empty; the last one ends at T. Transposed matrices are not copied. float16 or bfloat16, sums of float32."""
    return _grouped_matmul(a, b, ends)
