"""Attention as an operator of PyTorch, forward and backward: `heddle.torch.attention`."""

import functools
import math

import torch
from torch.autograd.function import once_differentiable

from . import programs
from ._kernel import compile as compile_program
from ._kernel import remember
from ._manifest import UserError
from ._operators import (
    Bound,
    aligned,
    define,
    define_composite,
    direct,
    elem_of,
    fits,
    is_aligned,
    is_differentiated,
    is_plain,
    multiprocessors,
    raw_stream,
)


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


def _strides_like(q):
    """Strides of a dense tensor in the order in which q is stored: heads beside each other, or one after the other."""
    z, h, n, d = q.shape
    return (n * h * d, d, h * d, 1) if q.stride(1) < q.stride(2) else (h * n * d, n * d, d, 1)


def _output_like(q):
    return q.new_empty_strided(q.shape, _strides_like(q))


class _AttentionForward(Bound):
    def __init__(self, q, k, v, causal, scale):
        super().__init__("attention", (q, k, v))
        _check_attention(q, k, v, causal)
        z, h, n, d = self.shape = tuple(q.shape)
        self.strides, self.dtype, self.sums = _strides_like(q), q.dtype, ((z, h, n), (h * n, n, 1))
        rows = programs.attention_rows(d, causal, n, z * h, multiprocessors(q.device))
        self.kernel = _attention_forward_kernel(elem_of(q), d, causal, rows)
        self.scale = scale * programs.LOG2E
        self.fits = all(fits(t.shape, t.stride(), t.element_size()) for t in (q, k, v))

    def run(self, q, k, v):
        o, lse = self.empty(self.shape, self.strides, self.dtype), self.empty(*self.sums, torch.float32)
        at = (q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr())
        launch = self.launches.get(at)
        if launch is None:
            launch = self.moved(at)
        if launch is None:
            launch = self.bind(self.kernel, at, (*map(aligned, (q, k, v)), o, lse), {"scale": self.scale})
        if launch is not None:
            launch(raw_stream(self.index))
        return o, lse


_forwards, _backwards = {}, {}


def _run_forward(q, k, v, causal, scale):
    form = (
        *(q.shape, q.stride(), q.dtype, q.device, k.shape, k.stride(), k.dtype, k.device),
        *(v.shape, v.stride(), v.dtype, v.device, causal, scale),
    )
    forward = _forwards.get(form)
    if forward is None:
        forward = remember(_forwards, form, _AttentionForward(q, k, v, causal, scale))
    return forward(q, k, v)


_attention_forward = define(
    "attention_forward(Tensor q, Tensor k, Tensor v, bool causal, float scale) -> (Tensor, Tensor)",
    _run_forward,
    lambda q, k, v, causal, scale: (
        _check_attention(q, k, v, causal) or _output_like(q),
        q.new_empty(q.shape[:3], dtype=torch.float32),
    ),
)


class _AttentionBackward(Bound):
    def __init__(self, do, q, k, v, o, lse, causal, scale):
        super().__init__("attention", (do, q, k, v, o, lse))
        self.chain, self.scale = _attention_backward_chain(elem_of(q), q.shape[3], causal), scale
        self.made = [(tuple(t.shape), _strides_like(t), t.dtype) for t in (q, k, v)]
        self.fits = all(fits(t.shape, t.stride(), t.element_size()) for t in (do, q, k, v, o))

    def run(self, do, q, k, v, o, lse):
        dq, dk, dv = [self.empty(*like) for like in self.made]
        at = (
            *(q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), do.data_ptr(), lse.data_ptr()),
            *(dq.data_ptr(), dk.data_ptr(), dv.data_ptr()),
        )
        form = self.form
        if form is None or not is_aligned(at):
            tensors = (*map(aligned, (q, k, v, o, do)), lse, dq, dk, dv)
            form, moved = self.chain.bound(tensors, {"scale": self.scale})
            if form is None:  # the simulator ran it
                return dq, dk, dv
            if self.fits and tuple(moved) == at:
                self.form = form
            at = tuple(moved)
        # Memory of PyTorch's, so that graphs and other streams see whose it is.
        workspace, stream = self.empty((form.bytes,), (1,), torch.uint8), raw_stream(self.index)
        for call in form.at((*at, workspace.data_ptr())):
            call(stream)
        return dq, dk, dv


def _run_backward(do, q, k, v, o, lse, causal, scale):
    form = (
        *(do.shape, do.stride(), do.dtype, do.device, q.shape, q.stride(), q.dtype, q.device),
        *(k.shape, k.stride(), k.dtype, k.device, v.shape, v.stride(), v.dtype, v.device),
        *(o.shape, o.stride(), o.dtype, o.device, lse.shape, lse.stride(), lse.dtype, lse.device, causal, scale),
    )
    backward = _backwards.get(form)
    if backward is None:
        backward = remember(_backwards, form, _AttentionBackward(do, q, k, v, o, lse, causal, scale))
    return backward(do, q, k, v, o, lse)


_attention_backward = define(
    "attention_backward(Tensor do, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, bool causal, float scale)"
    " -> (Tensor, Tensor, Tensor)",
    _run_backward,
    lambda do, q, k, v, o, lse, causal, scale: (_output_like(q), _output_like(k), _output_like(v)),
)


def _kept(ctx, output, q, k, v, causal, scale):
    """The result, with what its gradients need in `ctx`."""
    ctx.causal, ctx.scale = causal, scale
    ctx.save_for_backward(q, k, v, *output)
    return output[0]


class _Attention(torch.autograd.Function):
    """Attention with its gradients, called directly."""

    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        return _kept(ctx, _run_forward(q, k, v, causal, scale), q, k, v, causal, scale)

    @staticmethod
    def backward(ctx, do):
        if torch.is_grad_enabled():
            return _attention_gradients(ctx, do, *ctx.saved_tensors)
        return (*_run_backward(do, *ctx.saved_tensors, ctx.causal, ctx.scale), None, None)


class _TracedAttention(torch.autograd.Function):
    """The same by operators."""

    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        return _kept(ctx, _attention_forward(q, k, v, causal, scale), q, k, v, causal, scale)

    @staticmethod
    def backward(ctx, do):
        return _attention_gradients(ctx, do, *ctx.saved_tensors)


@once_differentiable
def _attention_gradients(ctx, do, q, k, v, o, lse):
    """Their own gradients are an error, whichever of these tensors has a history."""
    return (*_attention_backward(do, q, k, v, o, lse, ctx.causal, ctx.scale), None, None)


_apply_attention = direct(_Attention)


def _composite_attention(q, k, v, causal, scale):
    if is_differentiated(q, k, v):
        return _TracedAttention.apply(q, k, v, causal, scale)
    return _attention_forward(q, k, v, causal, scale)[0]


_attention = define_composite(
    "attention(Tensor q, Tensor k, Tensor v, bool causal, float scale) -> Tensor", _composite_attention
)


def attention(q, k, v, causal=False, scale=None):
    """softmax(q k^T * scale) v for tensors (batch, head, position, dim) of float16 or bfloat16 with dim 64 or 128, in
    any order of strides with dim contiguous; scale is 1 / sqrt(dim) if not given. With `causal` a query sees the keys
    up to its own position."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if not is_plain(q, k, v):
        return _attention(q, k, v, causal, scale)
    if is_differentiated(q, k, v):
        return _apply_attention(q, k, v, causal, scale)
    return _run_forward(q, k, v, causal, scale)[0]
