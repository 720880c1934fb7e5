"""Ready tile programs, by element type, shape of heads, mask and operand order, written with heddle.builder.

matmul               C = activation(A * B + bias), either operand stored in either order
grouped_matmul       C = A * B[g] for the rows of A that are group g's; where groups end stands in memory
attention_forward    O, and the natural logarithm of the sums of exponentials LSE; online softmax over blocks of keys
attention_backward   dQ, dK and dV as a chain: statistics of rows, one pass over blocks of queries for each block of
                     keys, and the scale and rounding of dQ

Tensors of attention are (batch, head, position, dim), in any order of strides but with dim contiguous.
"""

import functools
import math

from ._manifest import UserError
from .builder import Chain, Program, cdiv, dot, erf, exp, exp2, log, maximum, minimum, select, tanh

LOG2E = 1 / math.log(2)


def _gelu(x):
    return x * 0.5 * (erf(x * math.sqrt(0.5)) + 1)


def _gelu_tanh(x):
    return x * 0.5 * (tanh((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)) + 1)


ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: maximum(x, 0),
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "silu": lambda x: x / (exp(-x) + 1),
}


def matmul(
    elem="f16",
    out=None,
    a_rows=True,
    b_rows=True,
    bias=None,
    activation=None,
    tile=(128, 256, 64),
    batch=False,
    saving=False,
):
    """a_rows: A is stored M x K (else K x M); b_rows: B is stored K x N (else N x K). bias: the element type of a
    vector over the columns, or None. batch: every tensor but the bias has a leading dimension more. saving: what stands
    before the activation is stored as well, in Z."""
    if activation not in ACTIVATIONS:
        raise UserError(f"expected an activation ({', '.join(map(str, ACTIVATIONS))}), got '{activation}'")
    rows, columns, depth = tile
    lead = ["Z"] if batch else []
    p = Program("matmul")
    A = p.view("A", elem, lead + (["M", "K"] if a_rows else ["K", "M"]))
    B = p.view("B", elem, lead + (["K", "N"] if b_rows else ["N", "K"]))
    vector = p.view("bias", bias, ["N"]) if bias else None
    C = p.view("C", out or elem, [*lead, "M", "N"])
    Z = p.view("Z", out or elem, [*lead, "M", "N"]) if saving else None
    M, N, K = C.dim(len(lead)), C.dim(len(lead) + 1), A.dim(len(lead) + a_rows)
    z = (p.program_id(2),) if batch else ()
    p.grid(cdiv(M, rows), cdiv(N, columns), *((C.dim(0),) if batch else ()), raster=8)
    m, n = p.program_id(0) * rows, p.program_id(1) * columns

    def step(k, sum):
        a = A.load((*z, m, k), (rows, depth)) if a_rows else A.load((*z, k, m), (depth, rows)).T
        b = B.load((*z, k, n), (depth, columns)) if b_rows else B.load((*z, n, k), (columns, depth)).T
        return dot(a, b, sum)

    x = p.loop(0, K, depth, p.zeros((rows, columns)), step)
    if vector:
        x = x + vector.load(n, (columns,)).to("f32")[None, :]
    if saving:
        Z.store(x.to(out or elem), (*z, m, n))
    C.store(ACTIVATIONS[activation](x).to(out or elem), (*z, m, n))
    return p


def grouped_matmul(elem="f16", b_rows=True, tile=(128, 256, 64)):
    """Rows of A and C are packed one group after the other; ends[g] is the row behind group g's last. b_rows: each
    matrix of B is stored K x N (else N x K). One program a multiprocessor: each walks over the groups and takes the
    tiles whose numbers, counted through all groups, are its own."""
    rows, columns, depth = tile
    p = Program("grouped_matmul")
    A = p.view("A", elem, ["T", "K"])
    B = p.view("B", elem, ["G", "K", "N"] if b_rows else ["G", "N", "K"])
    ends = p.view("ends", "i32", ["G"])
    C = p.view("C", elem, ["T", "N"])
    T, N, K, G = C.dim(0), C.dim(1), A.dim(1), ends.dim(0)
    across = cdiv(N, columns)
    # Each group may end in a tile that is not full.
    p.grid(minimum(p.multiprocessors(), (cdiv(T, rows) + G) * across))
    own, stride = p.program_id(0), p.num_programs(0)

    def group(g, first, begin):
        end = maximum(ends.element(g), begin.to("i32")).to("index")
        down = cdiv(end - begin, rows)
        count = down * across

        def product(t):
            m, n = begin + t % down * rows, t // down * columns

            def step(k, sum):
                a = A.load((m, k), (rows, depth))
                b = B.load((g, k, n), (depth, columns)) if b_rows else B.load((g, n, k), (columns, depth)).T
                return dot(a, b, sum)

            c = p.loop(0, K, depth, p.zeros((rows, columns)), step)
            C.store(c.to(elem), (m, n), below=(end, N))

        p.loop(first, count, stride, [], product, independent=True)
        # Of the next group's tiles ours begin at first - count, rounded up to one that is ours.
        left = select(count > first, count - first, p.constant(0, "index"))
        return first + cdiv(left, stride) * stride - count, end

    p.loop(0, G, 1, [own, p.constant(0, "index")], group, independent=True)
    return p


@functools.lru_cache(maxsize=4096)
def tile_for(rows, columns, multiprocessors):
    """The tile of a product whose turns over the multiprocessors take least. A turn costs the elements of a tile, and
    where there are several, some tiles cost more for each element, as measured on an H100 with contractions of 768 to
    8192 (bench/results/2026-11-23-h100-torch-products.json); of equal ones the first."""
    costs = {(128, 128, 64): 1.0, (192, 128, 64): 1.0, (128, 256, 64): 1.05, (64, 128, 64): 1.2}

    def time(tile):
        turns = -(-(-(-rows // tile[0]) * -(-columns // tile[1])) // multiprocessors)
        return turns * tile[0] * tile[1] * (costs[tile] if turns > 1 else 1)

    return min(costs, key=time)


@functools.lru_cache(maxsize=4096)
def attention_rows(dim, causal, rows, heads, multiprocessors):
    """Queries of a program of attention forward, of `rows` queries of each of so many heads. Programs of 192 queries
    read less of keys and values for each query, but take turns that last longer. What a row of one costs, as measured
    on an H100 (bench/results/2026-11-24-h100-attention-landed.json; 128 queries with heads of 64, full:
    2026-11-23-h100-attention-tiles.json). Causal programs differ in length, so that turns say little of them: there the
    lengths that were measured decide."""
    if causal:
        return 192 if dim <= 64 and rows >= 4096 else 128
    costs = {128: 1.15, 192: 1.0} if dim <= 64 else {128: 1.0, 192: 0.97}

    def time(tile):
        return -(-(-(-rows // tile) * heads) // multiprocessors) * tile * costs[tile]

    return min(costs, key=time)


def _heads(p, name, elem, position, dim):
    return p.view(name, elem, ["B", "H", position, ("D", dim)])


def attention_forward(elem="f16", dim=128, causal=False, rows=128, keys=128):
    """`scale` is the scale of the scores times log2(e). With `causal` there are as many keys as queries."""
    p = Program("attention_causal" if causal else "attention")
    T = "S" if causal else "T"
    Q, K, V = _heads(p, "Q", elem, "S", dim), _heads(p, "K", elem, T, dim), _heads(p, "V", elem, T, dim)
    O, LSE = _heads(p, "O", elem, "S", dim), p.view("LSE", "f32", ["B", "H", "S"])
    scale = p.scalar("scale", "f32")
    p.grid(cdiv(Q.dim(2), rows), Q.dim(1), Q.dim(0))
    m0, h, b = p.program_id(0) * rows, p.program_id(1), p.program_id(2)
    q = Q.load((b, h, m0, 0), (rows, dim))
    row = (p.iota(rows) + m0.to("i32"))[:, None]
    end = minimum(m0 + rows, Q.dim(2)) if causal else K.dim(2)

    def step(j, m, l, acc):
        scores = dot(q, K.load((b, h, j, 0), (keys, dim)).T, p.zeros((rows, keys)))
        column = (p.iota(keys) + j.to("i32"))[None, :]
        # A query sees the keys up to its own position, and none past the end.
        seen = column <= row if causal else column < end.to("i32")
        scores = select(seen, scores, float("-inf"))
        largest = maximum(m, scores.max(1))
        shift = largest * scale
        weights = exp2(scores * scale - shift[:, None])
        alpha = exp2(m * scale - shift)
        acc = dot(weights.to(elem), V.load((b, h, j, 0), (keys, dim)), acc * alpha[:, None])
        return largest, l * alpha + weights.sum(1), acc

    init = [p.full((rows,), float("-inf")), p.zeros((rows,)), p.zeros((rows, dim))]
    m, l, acc = p.loop(0, end, keys, init, step)
    O.store((acc / l[:, None]).to(elem), (b, h, m0, 0))
    LSE.store(m * scale * math.log(2) + log(l), (b, h, m0))
    return p


def row_statistics(elem="f16", dim=128, rows=128):
    """Of each row: Delta, the sum of dO * O, and LSE2, the logarithm to base 2 of the sum of exponentials."""
    p = Program("row_statistics")
    O, dO, LSE = _heads(p, "O", elem, "S", dim), _heads(p, "dO", elem, "S", dim), p.view("LSE", "f32", ["B", "H", "S"])
    Delta, LSE2 = p.view("Delta", "f32", ["B", "H", "S"]), p.view("LSE2", "f32", ["B", "H", "S"])
    p.grid(cdiv(O.dim(2), rows), O.dim(1), O.dim(0))
    at = (p.program_id(2), p.program_id(1), p.program_id(0) * rows)
    o, do = O.load((*at, 0), (rows, dim)), dO.load((*at, 0), (rows, dim))
    Delta.store((o.to("f32") * do.to("f32")).sum(1), at)
    LSE2.store(LSE.load(at, (rows,)) * LOG2E, at)
    return p


def attention_gradients(elem="f16", dim=128, causal=False, keys=128):
    """dK and dV of a block of keys, and its part of dQ / scale, which is added to memory. `scale` is that of the
    scores."""
    p = Program("attention_gradients")
    rows = 128 if dim <= 64 else 64
    T = "S" if causal else "T"
    Q, K, V = _heads(p, "Q", elem, "S", dim), _heads(p, "K", elem, T, dim), _heads(p, "V", elem, T, dim)
    dO, LSE2 = _heads(p, "dO", elem, "S", dim), p.view("LSE2", "f32", ["B", "H", "S"])
    Delta = p.view("Delta", "f32", ["B", "H", "S"])
    dQ, dK, dV = _heads(p, "dQ", "f32", "S", dim), _heads(p, "dK", elem, T, dim), _heads(p, "dV", elem, T, dim)
    scale = p.scalar("scale", "f32")
    p.plan(overlap=False, store_warp=True, matrix_stores=dim > 64)  # as examples/chains/attention_backward*.mlir
    p.grid(cdiv(K.dim(2), keys), Q.dim(1), Q.dim(0))
    n0, h, b = p.program_id(0) * keys, p.program_id(1), p.program_id(2)
    k, v = K.load((b, h, n0, 0), (keys, dim)), V.load((b, h, n0, 0), (keys, dim))
    row = p.iota(keys) + n0.to("i32")
    inside = row < K.dim(2).to("i32")

    def step(i, dk, dv):
        q = Q.load((b, h, i, 0), (rows, dim))
        scores = dot(k, q.T, p.zeros((keys, rows)))
        do = dO.load((b, h, i, 0), (rows, dim))
        gradient = dot(v, do.T, p.zeros((keys, rows)))
        lse, delta = LSE2.load((b, h, i), (rows,)), Delta.load((b, h, i), (rows,))
        seen = row[:, None] <= (p.iota(rows) + i.to("i32"))[None, :] if causal else inside[:, None]
        weights = exp2(select(seen, scores, float("-inf")) * (scale * LOG2E) - lse[None, :])
        ds = (weights * (gradient - delta[None, :])).to(elem)
        dv = dot(weights.to(elem), do, dv)
        # The side of 128 is the rows, which two warp groups divide. Stored while the product for dK runs.
        dq = dot(ds.T, k, p.zeros((rows, dim))) if rows > dim else dot(k.T, ds, p.zeros((dim, rows)))
        dk = dot(ds, q, dk)
        dQ.store(dq if rows > dim else dq.T, (b, h, i, 0), add=True)
        return dk, dv

    zero = p.zeros((keys, dim))
    dk, dv = p.loop(n0 if causal else 0, Q.dim(2), rows, [zero, zero], step)
    dK.store((dk * scale).to(elem), (b, h, n0, 0))
    dV.store(dv.to(elem), (b, h, n0, 0))
    return p


def scaled(elem="f16", dim=128, rows=64):
    """Rows of f32 times `scale`, rounded."""
    p = Program("scaled")
    X, Y = _heads(p, "X", "f32", "S", dim), _heads(p, "Y", elem, "S", dim)
    scale = p.scalar("scale", "f32")
    p.grid(cdiv(X.dim(2), rows), X.dim(1), X.dim(0))
    at = (p.program_id(2), p.program_id(1), p.program_id(0) * rows, 0)
    Y.store((X.load(at, (rows, dim)) * scale).to(elem), at)
    return p


def attention_backward(elem="f16", dim=128, causal=False):
    """A chain: from Q, K, V, O, dO and LSE to dQ, dK and dV."""
    c = Chain("attention_backward")
    T = "S" if causal else "T"
    Q, K, V = _heads(c, "Q", elem, "S", dim), _heads(c, "K", elem, T, dim), _heads(c, "V", elem, T, dim)
    O, dO, LSE = _heads(c, "O", elem, "S", dim), _heads(c, "dO", elem, "S", dim), c.view("LSE", "f32", ["B", "H", "S"])
    dQ, dK, dV = _heads(c, "dQ", elem, "S", dim), _heads(c, "dK", elem, T, dim), _heads(c, "dV", elem, T, dim)
    scale = c.scalar("scale", "f32")
    rows = [Q.dim(0), Q.dim(1), Q.dim(2)]
    Delta, LSE2 = c.workspace("Delta", "f32", rows), c.workspace("LSE2", "f32", rows)
    sums = c.workspace("sums", "f32", [*rows, dim], zeroed=True)
    c.launch(row_statistics(elem, dim), O, dO, LSE, Delta, LSE2)
    c.launch(attention_gradients(elem, dim, causal), Q, K, V, dO, LSE2, Delta, sums, dK, dV, scale)
    c.launch(scaled(elem, dim), sums, dQ, scale)
    return c
