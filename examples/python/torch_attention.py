"""Heddle's attention and matrix product as operators of PyTorch, with autograd; needs torch.

HEDDLE_DEVICE=sim python examples/python/torch_attention.py     in Heddle's simulator, without a GPU
python examples/python/torch_attention.py                       on a Hopper GPU
"""

import os

import torch

from heddle.torch import attention, matmul


def main():
    simulated = os.environ.get("HEDDLE_DEVICE") == "sim"
    device, positions = ("cpu", 130) if simulated else ("cuda", 2048)
    heads, dim = 2, 64
    x = torch.randn(positions, heads * dim, device=device).half().requires_grad_()
    weight = (torch.randn(3 * heads * dim, heads * dim, device=device) / 8).half().requires_grad_()
    bias = torch.randn(3 * heads * dim, device=device).half()

    def forward(product, attend):
        qkv = product(x, weight, bias).view(1, positions, 3, heads, dim).permute(2, 0, 3, 1, 4)
        return attend(*qkv)

    ours = forward(lambda x, w, b: matmul(x, w.T, b), lambda q, k, v: attention(q, k, v, causal=True))
    sdpa = torch.nn.functional.scaled_dot_product_attention
    theirs = forward(torch.nn.functional.linear, lambda q, k, v: sdpa(q, k, v, is_causal=True))
    gradient = torch.randn_like(ours)
    for name, a, b in [
        ("output", ours, theirs),
        *zip(
            ("gradient of x", "gradient of the weight"),
            torch.autograd.grad(ours, (x, weight), gradient),
            torch.autograd.grad(theirs, (x, weight), gradient),
        ),
    ]:
        error = ((a.double() - b.double()).norm() / b.double().norm()).item()
        assert error < 5e-3, (name, error)
        print(f"{name}: relative difference from PyTorch {error:.1e}")


if __name__ == "__main__":
    main()
