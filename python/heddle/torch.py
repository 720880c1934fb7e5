"""Heddle's kernels as operators of PyTorch.

    from heddle.torch import attention, grouped_matmul, matmul, custom_op

    o = attention(q, k, v, causal=True)                    # forward and backward, with autograd
    y = matmul(x, w.T, bias=b, activation="gelu")          # an epilogue in the kernel, with autograd
    z = grouped_matmul(x, experts, ends)                   # rows of x up to ends[g] by experts[g], with autograd
    scale_rows = custom_op("mine::scale_rows", "scale_rows.mlir")   # any tile program; scale_rows(x, s) -> y

They are torch.library custom operators with fake functions, so torch.compile traces them without breaks. On tensors of
the CPU they run in the simulator where HEDDLE_DEVICE=sim says so. Kernels are compiled at the first use of each element
type, head dimension, mask, operand order and epilogue.
"""

import functools
import math
from typing import Optional, Tuple

import torch
from torch import Tensor

from . import programs
from ._kernel import REMEMBERED, current_stream
from ._kernel import compile as compile_program
from ._manifest import UserError
from ._tensors import TORCH

DTYPES = {
    elem: getattr(torch, name) for name, elem in TORCH.items() if hasattr(torch, name) and name not in ("bool", "uint8")
}
DTYPES["u8"] = torch.uint8


def _elem(tensor):
    return TORCH.get(str(tensor.dtype).rpartition(".")[2])


@functools.lru_cache(maxsize=4096)
def _fits(shape, strides, size):
    """Last stride 1, other strides multiples of 16 bytes."""
    outer = [stride for stride, n in zip(strides[:-1], shape[:-1]) if n > 1]
    return (strides[-1] == 1 or shape[-1] == 1) and all(stride * size % 16 == 0 and stride > 0 for stride in outer)


def _aligned(tensor):
    """The tensor as the copy engine takes it, or a copy of it that is so."""
    size = tensor.element_size()
    if _fits(tensor.shape, tensor.stride(), size) and tensor.data_ptr() % 16 == 0:
        return tensor
    if tensor.shape[-1] * size % 16 == 0:
        return tensor.clone(memory_format=torch.contiguous_format)
    return _padded(tensor)


def _padded(tensor):
    """A copy whose rows begin at multiples of 16 bytes."""
    step = 16 // tensor.element_size()
    width = -(-tensor.shape[-1] // step) * step
    copy = tensor.new_empty((*tensor.shape[:-1], width))[..., : tensor.shape[-1]]
    return copy.copy_(tensor)


def _new(like, shape, dtype=None):
    """An output whose rows the copy engine takes."""
    dtype = dtype or like.dtype
    step = 16 // dtype.itemsize
    width = -(-shape[-1] // step) * step
    if width == shape[-1]:
        return like.new_empty(shape, dtype=dtype)
    return like.new_empty((*shape[:-1], width), dtype=dtype)[..., : shape[-1]]


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
        return [
            _new(tensors[0], [sizes.get(dim, dim) for dim in view["shape"]], DTYPES[view["elem"]]) for view in outputs
        ]

    def results(made):
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    def run(*args):
        tensors, scalars = args[: len(inputs)], args[len(inputs) :]
        made = allocate(tensors)
        given, new = iter(tensors), iter(made)
        ordered = [next(new) if view["access"] == "out" else next(given) for view in views]
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


@functools.lru_cache(maxsize=None)
def _multiprocessors(device):
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 2


def _is_stored_by_rows(matrix):
    return matrix.stride(-1) == 1 or matrix.shape[-1] == 1


def _stored(matrix):
    """(the matrix as it is stored, whether by rows)."""
    if _is_stored_by_rows(matrix):
        return _aligned(matrix), True
    if _is_stored_by_rows(matrix.transpose(-1, -2)):
        return _aligned(matrix.transpose(-1, -2)), False
    return _aligned(matrix.clone(memory_format=torch.contiguous_format)), True


def _product_shape(a, b):
    if a.dim() not in (2, 3) or a.dim() != b.dim() or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise UserError(
            f"matmul: expected (M, K) and (K, N), or batches of them, got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    if a.dtype != b.dtype or a.dtype not in (torch.float16, torch.bfloat16):
        raise UserError(f"matmul: expected two matrices of float16 or of bfloat16, got {a.dtype} and {b.dtype}")
    return (*a.shape[:-1], b.shape[-1])


class _Product:
    """What products of one form have in common, whatever the addresses: the kernel, and its launches so far."""

    def __init__(self, a, b, bias, activation, saving):
        self.shape = _product_shape(a, b)
        self.is_empty = 0 in self.shape
        if self.is_empty:
            return
        if a.shape[-1] == 0:
            raise UserError("matmul: expected a contracted dimension of at least 1, got 0")
        rows, columns, batch = self.shape[-2], self.shape[-1], self.shape[0] if len(self.shape) == 3 else 1
        count = _multiprocessors(a.device)
        tile = programs.tile_for(rows, columns * batch, count)
        # Where programs take several turns, the loads of the next run beside the stores of the last.
        turns = -(-rows // tile[0]) * -(-columns // tile[1]) / count
        (stored_a, a_rows), (stored_b, b_rows) = _stored(a), _stored(b)
        vector = None if bias is None else _elem(bias)
        form = _elem(a), a_rows, b_rows, vector, activation, len(self.shape) == 3, tile, saving
        self.kernel = _matmul_kernel(*form, persistent=turns > 1 and len(self.shape) == 2)
        self.launches = {}
        # Nothing has to be copied where addresses are multiples of 16 bytes.
        size = a.element_size()
        self.fits = self.shape[-1] * size % 16 == 0 and all(
            _fits(t.shape, t.stride(), size)
            for t in (a if a_rows else a.transpose(-1, -2), b if b_rows else b.transpose(-1, -2))
        )

    def run(self, a, b, bias, made):
        at = (a.data_ptr(), b.data_ptr(), *[t.data_ptr() for t in made], 0 if bias is None else bias.data_ptr())
        launch = self.launches.get(at)
        if launch is None:
            others = () if bias is None else (_aligned(bias),)
            launch = self.kernel.bound((_stored(a)[0], _stored(b)[0], *others, *made), {})
            if self.fits and launch is not None and all(address % 16 == 0 for address in at):
                if len(self.launches) >= REMEMBERED:
                    self.launches.clear()
                self.launches[at] = launch
        if launch is not None:
            launch(current_stream())


_products = {}


def _run_matmul(a, b, bias, activation, saving=False):
    """The product; with `saving` also what stands before the activation."""
    form = a.shape, a.stride(), a.dtype, b.shape, b.stride(), b.dtype, a.device, activation, saving
    if bias is not None:
        form += bias.shape, bias.stride(), bias.dtype
    product = _products.get(form)
    if product is None:
        if len(_products) >= REMEMBERED:
            _products.clear()
        product = _products[form] = _Product(a, b, bias, activation, saving)
    made = [_new(a, product.shape) for _ in range(1 + saving)]
    if not product.is_empty:
        product.run(a, b, bias, made)
    return tuple(made) if saving else made[0]


@torch.library.custom_op("heddle::matmul", mutates_args=())
def _matmul(a: Tensor, b: Tensor, bias: Optional[Tensor], activation: Optional[str]) -> Tensor:
    return _run_matmul(a, b, bias, activation)


@_matmul.register_fake
def _(a, b, bias, activation):
    return _new(a, _product_shape(a, b))


@torch.library.custom_op("heddle::matmul_saving", mutates_args=())
def _matmul_saving(a: Tensor, b: Tensor, bias: Optional[Tensor], activation: str) -> Tuple[Tensor, Tensor]:
    return _run_matmul(a, b, bias, activation, saving=True)


@_matmul_saving.register_fake
def _(a, b, bias, activation):
    return _new(a, _product_shape(a, b)), _new(a, _product_shape(a, b))


# The gradient of what stands before an activation, from that of what stands behind it.
GRADIENTS = {
    "relu": lambda grad, z: torch.ops.aten.threshold_backward(grad, z, 0),
    "gelu": torch.ops.aten.gelu_backward,
    "gelu_tanh": lambda grad, z: torch.ops.aten.gelu_backward(grad, z, approximate="tanh"),
    "silu": torch.ops.aten.silu_backward,
}


def _needs_saving(activation):
    """Where the activation is not zero, relu's result is what stands before it."""
    return activation not in (None, "relu")


def _matmul_setup(ctx, inputs, output):
    a, b, bias, ctx.activation = inputs
    z = output[1] if isinstance(output, tuple) else output if ctx.activation == "relu" else None
    if isinstance(output, tuple):
        ctx.mark_non_differentiable(z)
    ctx.save_for_backward(a, b, bias, z)


def _matmul_backward(ctx, grad, *_, product=None):
    a, b, bias, z = ctx.saved_tensors
    product = product or _matmul
    if ctx.activation is not None:
        z = product(a, b, bias, None) if z is None else z
        grad = GRADIENTS[ctx.activation](grad, z)
    grad_a = product(grad, b.transpose(-1, -2), None, None) if ctx.needs_input_grad[0] else None
    grad_b = product(a.transpose(-1, -2), grad, None, None) if ctx.needs_input_grad[1] else None
    grad_bias = None
    if bias is not None and ctx.needs_input_grad[2]:
        grad_bias = grad.sum(tuple(range(grad.dim() - 1))).to(bias.dtype)  # PyTorch adds in float32
    return grad_a, grad_b, grad_bias, None


_matmul.register_autograd(_matmul_backward, setup_context=_matmul_setup)
_matmul_saving.register_autograd(_matmul_backward, setup_context=_matmul_setup)


def _is_plain(*tensors):
    """Nothing traces or wraps the call: the operator's dispatch, most of what a short call costs, can be left out."""
    if torch.compiler.is_compiling():
        return False
    try:
        wrapped = (
            torch._C._len_torch_dispatch_stack()
            or torch._C._len_torch_function_stack()
            or torch._C._functorch.peek_interpreter_stack() is not None
        )
    except AttributeError:  # another PyTorch: the operator is always right
        return False
    return not wrapped and all(t is None or type(t) in (Tensor, torch.nn.Parameter) for t in tensors)


class _Matmul(torch.autograd.Function):
    """What the operators do, called directly."""

    @staticmethod
    def forward(ctx, a, b, bias, activation):
        saving = _needs_saving(activation) and any(ctx.needs_input_grad)
        output = _run_matmul(a, b, bias, activation, saving)
        ctx.activation = activation
        ctx.save_for_backward(a, b, bias, output[1] if saving else output if activation == "relu" else None)
        return output[0] if saving else output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return _matmul_backward(ctx, grad, product=_run_matmul)


def matmul(a, b, bias=None, activation=None):
    """activation(a @ b + bias) of float16 or bfloat16 matrices, (M, K) and (K, N), or batches of them (Z, M, K) and
    (Z, K, N). Transposed operands are not copied. bias: a vector of N elements; activation: None, "relu", "gelu",
    "gelu_tanh" or "silu". Sums are those of float32."""
    if activation not in programs.ACTIVATIONS:
        raise UserError(
            f"matmul: expected an activation ({', '.join(map(str, programs.ACTIVATIONS))}), got '{activation}'"
        )
    if _is_plain(a, b, bias):
        return _Matmul.apply(a, b, bias, activation)
    if _needs_saving(activation) and torch.is_grad_enabled() and any(
        t is not None and t.requires_grad for t in (a, b, bias)
    ):
        return _matmul_saving(a, b, bias, activation)[0]
    return _matmul(a, b, bias, activation)


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
    c = _new(a, _grouped_shape(a, b, ends))
    if c.numel() == 0:
        return c
    a = _aligned(a if a.stride(-1) == 1 else a.contiguous())
    b, b_rows = _stored(b)
    tile = programs.tile_for(-(-c.shape[0] // b.shape[0]), c.shape[1] * b.shape[0], _multiprocessors(c.device))
    _grouped_kernel(_elem(a), b_rows, tile)(a, b, ends.contiguous(), c)
    return c


@_grouped_matmul.register_fake
def _(a, b, ends):
    return _new(a, _grouped_shape(a, b, ends))


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


# Attention


@functools.lru_cache(maxsize=None)
def _attention_forward_kernel(elem, dim, causal, rows):
    return compile_program(programs.attention_forward(elem, dim, causal, rows))


@functools.lru_cache(maxsize=None)
def _attention_backward_chain(elem, dim, causal):
    return compile_program(programs.attention_backward(elem, dim, causal))


def _check_attention(q, k, v, causal):
    if q.dim() != 4 or k.shape != v.shape or q.shape[:2] != k.shape[:2] or q.shape[3] != k.shape[3]:
        shapes = ", ".join(str(tuple(t.shape)) for t in (q, k, v))
        raise UserError(f"attention: expected (batch, head, position, dim) three times, got {shapes}")
    if q.dtype not in (torch.float16, torch.bfloat16) or k.dtype != q.dtype or v.dtype != q.dtype:
        raise UserError(f"attention: expected float16 or bfloat16 three times, got {q.dtype}, {k.dtype}, {v.dtype}")
    if q.shape[3] not in (64, 128):
        raise UserError(f"attention: expected heads of 64 or 128 elements, got {q.shape[3]}")
    if causal and q.shape[2] != k.shape[2]:
        raise UserError(f"attention: expected as many keys as queries with causal, got {k.shape[2]} and {q.shape[2]}")
    if 0 in q.shape or 0 in k.shape:
        raise UserError("attention: expected sizes of at least 1, got 0")


def _output_like(q):
    """An output in the order in which q is stored: heads beside each other, or one after the other."""
    z, h, n, d = q.shape
    if q.stride(1) < q.stride(2):
        return q.new_empty((z, n, h, d)).transpose(1, 2)
    return q.new_empty((z, h, n, d))


def _workspace(device, size):
    """Memory of PyTorch's, so that graphs and other streams see whose it is."""
    return torch.empty(size, dtype=torch.uint8, device=device)


def _run_forward(q, k, v, causal, scale):
    _check_attention(q, k, v, causal)
    o = _output_like(q)
    lse = q.new_empty(q.shape[:3], dtype=torch.float32)
    rows = programs.attention_rows(q.shape[3], causal, q.shape[2], q.shape[0] * q.shape[1], _multiprocessors(q.device))
    kernel = _attention_forward_kernel(_elem(q), q.shape[3], causal, rows)
    kernel(_aligned(q), _aligned(k), _aligned(v), o, lse, scale=scale * programs.LOG2E)
    return o, lse


@torch.library.custom_op("heddle::attention_forward", mutates_args=())
def _attention_forward(q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float) -> Tuple[Tensor, Tensor]:
    return _run_forward(q, k, v, causal, scale)


@_attention_forward.register_fake
def _(q, k, v, causal, scale):
    _check_attention(q, k, v, causal)
    return _output_like(q), q.new_empty(q.shape[:3], dtype=torch.float32)


def _run_backward(do, q, k, v, o, lse, causal, scale):
    made = [torch.empty_like(t, memory_format=torch.contiguous_format) for t in (q, k, v)]
    chain = _attention_backward_chain(_elem(q), q.shape[3], causal)
    tensors = [*map(_aligned, (q, k, v, o, do)), lse]
    chain(*tensors, *made, allocate=functools.partial(_workspace, q.device), scale=scale)
    return tuple(made)


@torch.library.custom_op("heddle::attention_backward", mutates_args=())
def _attention_backward(
    do: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor, causal: bool, scale: float
) -> Tuple[Tensor, Tensor, Tensor]:
    return _run_backward(do, q, k, v, o, lse, causal, scale)


@_attention_backward.register_fake
def _(do, q, k, v, o, lse, causal, scale):
    return tuple(torch.empty_like(t, memory_format=torch.contiguous_format) for t in (q, k, v))


def _attention_setup(ctx, inputs, output):
    q, k, v, ctx.causal, ctx.scale = inputs
    ctx.save_for_backward(q, k, v, *output)
    ctx.mark_non_differentiable(output[1])


def _attention_gradients(ctx, do, _dlse):
    q, k, v, o, lse = ctx.saved_tensors
    return (*_attention_backward(do, q, k, v, o, lse, ctx.causal, ctx.scale), None, None)


_attention_forward.register_autograd(_attention_gradients, setup_context=_attention_setup)


class _Attention(torch.autograd.Function):
    """What the operators do, called directly."""

    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        output = _run_forward(q, k, v, causal, scale)
        ctx.causal, ctx.scale = causal, scale
        ctx.save_for_backward(q, k, v, *output)
        return output[0]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, do):
        return (*_run_backward(do, *ctx.saved_tensors, ctx.causal, ctx.scale), None, None)


def attention(q, k, v, causal=False, scale=None):
    """softmax(q k^T * scale) v for tensors (batch, head, position, dim) of float16 or bfloat16 with dim 64 or 128, in
    any order of strides with dim contiguous; scale is 1 / sqrt(dim) if not given. With `causal` a query sees the keys
    up to its own position."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if _is_plain(q, k, v):
        return _Attention.apply(q, k, v, causal, scale)
    return _attention_forward(q, k, v, causal, scale)[0]
