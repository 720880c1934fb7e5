"""A Triton kernel through Heddle, as its author would write it; needs triton and torch.

    HEDDLE_DEVICE=sim python examples/python/triton_matmul.py     in Heddle's simulator, without a GPU
    python examples/python/triton_matmul.py                       on a Hopper GPU

The import of heddle.triton is all that changes; explain() says what became of the kernel.
"""

import os

import torch
import triton
import triton.language as tl

import heddle.triton


@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * stride_bk + columns[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=depth[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :], acc.to(tl.float16), mask=inside)


def main():
    simulated = os.environ.get("HEDDLE_DEVICE") == "sim"
    device = "cpu" if simulated else "cuda"
    M, N, K = (200, 136, 96) if simulated else (4096, 4096, 4096)
    a, b = torch.randn(M, K, device=device).half(), torch.randn(K, N, device=device).half()
    c = torch.empty(M, N, device=device).half()
    block = {"BLOCK_M": 128, "BLOCK_N": 128 if simulated else 256, "BLOCK_K": 64}
    grid = (triton.cdiv(M, block["BLOCK_M"]), triton.cdiv(N, block["BLOCK_N"]))
    for _ in range(1 if simulated else 20):
        product[grid](a, b, c, M, N, K, a.stride(0), b.stride(0), c.stride(0), **block)
    want = a.double() @ b.double()
    error = ((c.double() - want).norm() / want.norm()).item()
    assert error < 1e-3, error
    print(heddle.triton.explain(product))
    print(f"relative error {error:.1e}: right")


if __name__ == "__main__":
    main()
