"""A matrix product with a bias and a ReLU, written with the Python builder; needs nothing beside heddle.

    HEDDLE_DEVICE=sim python examples/python/gemm.py     in the simulator, on a machine without a GPU
    python examples/python/gemm.py                       compiles only

The text that the builder made is printed: it is what `heddle compile` takes.
"""

import os

import heddle
from heddle.builder import Program, cdiv, dot, f16, f32, maximum


def program(rows=128, columns=128, depth=64):
    p = Program("gemm_bias_relu")
    A, B = p.view("A", f16, ["M", "K"]), p.view("B", f16, ["N", "K"])
    bias, C = p.view("bias", f32, ["N"]), p.view("C", f16, ["M", "N"])
    p.grid(cdiv(A.dim(0), rows), cdiv(B.dim(0), columns), raster=8)
    m, n = p.program_id(0) * rows, p.program_id(1) * columns

    def step(k, sum):
        return dot(A.load((m, k), (rows, depth)), B.load((n, k), (columns, depth)).T, sum)

    acc = p.loop(0, A.dim(1), depth, p.zeros((rows, columns)), step)
    acc = acc + bias.load(n, (columns,))[None, :]
    C.store(maximum(acc, 0).to(f16), (m, n))
    return p


def main():
    p = program()
    print(p.text())
    kernel = heddle.compile(p)
    print(kernel.log)
    if os.environ.get("HEDDLE_DEVICE") != "sim":
        print("compiled; HEDDLE_DEVICE=sim also runs it")
        return
    M, N, K = 136, 144, 80
    A = heddle.HostArray((M, K), "f16", lambda i, k: (i + k) % 5 - 2)
    B = heddle.HostArray((N, K), "f16", lambda j, k: (2 * j + 3 * k) % 7 - 3)
    bias = heddle.HostArray((N,), "f32", lambda j: j % 3 - 1)
    C = heddle.HostArray((M, N), "f16")
    kernel(A, B, bias, C)
    for i, j in ((0, 0), (1, 7), (M - 1, N - 1), (77, 130)):
        want = max(sum(A[i, k] * B[j, k] for k in range(K)) + bias[j], 0)
        assert C[i, j] == want, (i, j, C[i, j], want)
    print("simulated: equal")


if __name__ == "__main__":
    main()
