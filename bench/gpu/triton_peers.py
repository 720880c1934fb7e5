"""Triton kernels to time ours beside: product, batched, gated, with row sums, attention forward and backward.

    product(A, B, C), batched(A, B, C), gated(A, B, G, C), rowsum(A, B, C, R), attention(Q, K, V, O, LSE),
    attention_backward(Q, K, V, O, dO, LSE, dQ, dK, dV)

Each gives a list of (configuration, callable that launches it once) on the tensors; the fastest is the peer. Operands
come through tensor descriptors (the TMA), programs in bands of 8 rows for L2. `python3 triton_peers.py NAME I` compiles
one configuration of one kernel into Triton's cache, on small tensors, so that many can be compiled at a time.
"""

import math
import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

# rows, columns, step of K; warps; stages
PRODUCT = [(128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 4), (128, 128, 64, 4, 4)]
GATED = [(128, 128, 64, 8, 3), (128, 128, 64, 8, 4), (128, 64, 64, 4, 4)]
ROWSUM = [(128, 256, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 4)]
ATTENTION = [(128, 128, 8, 2), (128, 128, 8, 3), (128, 64, 4, 3), (128, 64, 8, 3)]
# rows of queries, of keys; warps; stages
BACKWARD = [(64, 128, 8, 2), (64, 128, 8, 1), (64, 64, 4, 2), (32, 128, 4, 2), (128, 128, 8, 1)]


@triton.jit
def tile_of(program, m, n, BM: tl.constexpr, BN: tl.constexpr):
    """Row and column of tiles of a program: bands of 8 rows of tiles."""
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    band = 8 * columns
    first = program // band * 8
    height = tl.minimum(rows - first, 8)
    return first + program % band % height, program % band // height


@triton.jit
def product_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tile_of(tl.program_id(0), m, n, BM, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        left = a.load([row * BM, at])
        right = b.load([column * BN, at])
        total = tl.dot(left, right.T, total)
    c.store([row * BM, column * BN], total.to(tl.float16))


@triton.jit
def batched_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tile_of(tl.program_id(0), m, n, BM, BN)
    z = tl.program_id(1)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        left = a.load([z, row * BM, at]).reshape(BM, BK)
        right = b.load([z, column * BN, at]).reshape(BN, BK)
        total = tl.dot(left, right.T, total)
    c.store([z, row * BM, column * BN], total.to(tl.float16).reshape(1, BM, BN))


@triton.jit
def gated_kernel(a, b, g, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tile_of(tl.program_id(0), m, n, BM, BN)
    up = tl.zeros((BM, BN), dtype=tl.float32)
    gate = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        left = a.load([row * BM, at])
        up = tl.dot(left, b.load([column * BN, at]).T, up)
        gate = tl.dot(left, g.load([column * BN, at]).T, gate)
    silu = gate / (1 + tl.exp(-gate))
    c.store([row * BM, column * BN], (silu * up).to(tl.float16))


@triton.jit
def rowsum_kernel(a, b, c, sums, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tile_of(tl.program_id(0), m, n, BM, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    rows = tl.zeros((BM,), dtype=tl.float32)
    for at in range(0, k, BK):
        left = a.load([row * BM, at])
        right = b.load([column * BN, at])
        total = tl.dot(left, right.T, total)
        rows += tl.sum(left.to(tl.float32), axis=1)
    c.store([row * BM, column * BN], total.to(tl.float16))
    where = row * BM + tl.arange(0, BM)
    tl.store(sums + where, rows, mask=where < m)


@triton.jit
def attention_kernel(q, k, v, o, lse, scale, rows, keys, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1)
    query = q.load([head, block * BM, 0]).reshape(BM, D)
    most = tl.full((BM,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    for at in range(0, keys, BN):
        key = k.load([head, at, 0]).reshape(BN, D)
        scores = tl.dot(query, key.T)
        now = tl.maximum(most, tl.max(scores, 1) * scale)
        p = tl.exp2(scores * scale - now[:, None])
        alpha = tl.exp2(most - now)
        weight = weight * alpha + tl.sum(p, 1)
        total = total * alpha[:, None]
        value = v.load([head, at, 0]).reshape(BN, D)
        total = tl.dot(p.to(tl.float16), value, total)
        most = now
    o.store([head, block * BM, 0], (total / weight[:, None]).to(tl.float16).reshape(1, BM, D))
    where = block * BM + tl.arange(0, BM)
    tl.store(lse + head * rows + where, (most + tl.log2(weight)) * 0.6931471805599453, mask=where < rows)


@triton.jit
def attention_backward_kernel(
    q, k, v, g, lse, delta, dq, dk, dv, scale, rows, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):
    """Five products for each pair of blocks; dQ, of which each program has a part, is added in memory."""
    block, head = tl.program_id(0), tl.program_id(1)
    key = k.load([head, block * BN, 0]).reshape(BN, D)
    value = v.load([head, block * BN, 0]).reshape(BN, D)
    to_key = tl.zeros((BN, D), dtype=tl.float32)
    to_value = tl.zeros((BN, D), dtype=tl.float32)
    columns = tl.arange(0, D)
    for at in range(0, rows, BM):
        query = q.load([head, at, 0]).reshape(BM, D)
        gradient = g.load([head, at, 0]).reshape(BM, D)
        where = head * rows + at + tl.arange(0, BM)
        p = tl.exp2(tl.dot(key, query.T) * (scale * 1.4426950408889634) - tl.load(lse + where)[None, :])
        to_value = tl.dot(p.to(tl.float16), gradient, to_value)
        slope = (p * (tl.dot(value, gradient.T) - tl.load(delta + where)[None, :])).to(tl.float16)
        to_key = tl.dot(slope, query, to_key)
        part = tl.dot(slope.T, key) * scale
        tl.atomic_add(dq + where[:, None] * D + columns[None, :], part, sem="relaxed")
    dk.store([head, block * BN, 0], (to_key * scale).to(tl.float16).reshape(1, BN, D))
    dv.store([head, block * BN, 0], to_value.to(tl.float16).reshape(1, BN, D))


def described(tensor, *block):
    return TensorDescriptor.from_tensor(tensor, list(block))


def _products(kernel, configurations, right, a, c, lead=(), extra=()):
    """Launches of the products: `right` are the operands with a row for each column of `c`."""
    m, k = a.shape[-2:]
    n = c.shape[-1]
    runs = []
    for bm, bn, bk, warps, stages in configurations:
        operands = [described(a, *lead, bm, bk), *(described(x, *lead, bn, bk) for x in right)]
        result = described(c, *lead, bm, bn)
        grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn), a.shape[0] if lead else 1)

        def run(operands=operands, result=result, grid=grid, sizes=(bm, bn, bk), warps=warps, stages=stages):
            kernel[grid](*operands, result, *extra, m, n, k, *sizes, num_warps=warps, num_stages=stages)

        runs.append((f"{bm}x{bn}x{bk}, {warps} warps, {stages} stages", run))
    return runs


def product(a, b, c):
    return _products(product_kernel, PRODUCT, [b], a, c)


def batched(a, b, c):
    return _products(batched_kernel, PRODUCT, [b], a, c, lead=(1,))


def gated(a, b, g, c):
    return _products(gated_kernel, GATED, [b, g], a, c)


def rowsum(a, b, c, sums):
    return _products(rowsum_kernel, ROWSUM, [b], a, c, extra=(sums,))


def attention(q, k, v, o, lse):
    """Whole blocks of keys only: nothing masks those past the end."""
    rows, dim = q.shape[-2:]
    keys = k.shape[-2]
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v, o)]
    runs = []
    for bm, bn, warps, stages in ATTENTION:
        views = [described(x, 1, size, dim) for x, size in zip(flat, (bm, bn, bn, bm))]
        grid = (triton.cdiv(rows, bm), flat[0].shape[0])

        def run(views=views, grid=grid, sizes=(bm, bn, dim), warps=warps, stages=stages):
            scale = math.log2(math.e) / math.sqrt(dim)
            attention_kernel[grid](*views, lse, scale, rows, keys, *sizes, num_warps=warps, num_stages=stages)

        runs.append((f"{bm}x{bn}, {warps} warps, {stages} stages", run))
    return runs


def attention_backward(q, k, v, o, g, lse, dq, dk, dv):
    """Whole blocks only. Row sums, clearing and rounding of dQ are PyTorch's and count."""
    batch, heads, rows, dim = q.shape
    flat = {x: y.reshape(-1, rows, dim) for x, y in zip("qkvgxy", (q, k, v, g, dk, dv))}
    added = torch.empty(q.shape, dtype=torch.float32, device="cuda")
    scale = 1 / math.sqrt(dim)
    runs = []
    for bm, bn, warps, stages in BACKWARD:
        views = [described(flat[x], 1, size, dim) for x, size in zip("qkvg", (bm, bn, bn, bm))]
        results = [described(flat[x], 1, bn, dim) for x in "xy"]
        grid = (triton.cdiv(rows, bn), batch * heads)

        def run(views=views, results=results, grid=grid, sizes=(bm, bn, dim), warps=warps, stages=stages):
            delta = (o * g).sum(-1, dtype=torch.float32)
            binary = lse * math.log2(math.e)
            added.zero_()
            attention_backward_kernel[grid](
                *views, binary, delta, added, *results, scale, rows, *sizes, num_warps=warps, num_stages=stages
            )
            dq.copy_(added)

        runs.append((f"{bm}x{bn}, {warps} warps, {stages} stages", run))
    return runs


def small(name):
    """(configuration, run) of a kernel on small tensors."""

    def made(*shape, dtype=torch.float16):
        return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)

    if name == "attention":
        q, k, v, o = (made(1, 2, 256, 128) for _ in range(4))
        return attention(q, k, v, o, made(1, 2, 256, dtype=torch.float32))
    if name == "attention_backward":
        lse = made(1, 2, 256, dtype=torch.float32)
        q, k, v, o, g, dq, dk, dv = (made(1, 2, 256, 128) for _ in range(8))
        return attention_backward(q, k, v, o, g, lse, dq, dk, dv)
    lead = (2,) if name == "batched" else ()
    a, b, g, c = (made(*lead, 256, 256) for _ in range(4))
    if name == "gated":
        return gated(a, b, g, c)
    if name == "rowsum":
        return rowsum(a, b, c, made(256, dtype=torch.float32))
    return (batched if name == "batched" else product)(a, b, c)


COUNTS = {"product": len(PRODUCT), "batched": len(PRODUCT), "gated": len(GATED), "rowsum": len(ROWSUM)}
COUNTS.update(attention=len(ATTENTION), attention_backward=len(BACKWARD))

if __name__ == "__main__":
    small(sys.argv[1])[int(sys.argv[2])][1]()
    torch.cuda.synchronize()
