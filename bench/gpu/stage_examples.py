"""Compiles examples to kernel directories with the cases that issue "one road" asks for.

    python3 bench/gpu/stage_examples.py OUT [--only NAME...] [--heddle build/bin/heddle] [--speed]
        [heddle options after --]

Runs where Heddle is built (no GPU needed); carry OUT to the GPU machine and run bench.py on its directories.
"""

import argparse
import json
import os
import subprocess
import sys

ODD = [
    (1, 8, 8),
    (64, 64, 64),
    (127, 136, 72),
    (128, 256, 64),
    (129, 264, 56),
    (200, 1000, 40),
    (256, 256, 8),
    (300, 520, 200),
    (500, 504, 1016),
    (512, 512, 512),
    (640, 768, 320),
    (777, 1544, 96),
    (1000, 1544, 200),
    (1024, 1024, 1024),
    (1280, 264, 2048),
    (1, 4096, 4096),
    (2048, 8, 512),
    (33, 4104, 136),
    (4096, 128, 64),
    (1536, 2560, 448),
    (2304, 1280, 3272),
    (129, 257 * 8, 1000),
    (8, 16, 24),
    (4097, 1032, 160),
]


def tile_of(name):
    """Rows and columns of the tile of an example's program."""
    rows = {"13": 64, "16": 192, "17": 192, "18": 192}.get(name[:2], 128)
    return rows, 128 if name[:2] in ("05", "06", "07", "09", "13", "14", "17", "22", "23", "26") else 256


def gemms(shapes, check_only=True, **keys):
    return [{"kind": "gemm", "m": m, "n": n, "k": k, "check_only": check_only, **keys} for m, n, k in shapes]


def attentions(dim, causal):
    keys = {"kind": "attention", "dim": dim, "causal": causal, "lse": True, "rank": 4}
    odd = [
        dict(keys, batch=b, heads=h, rows=s, keys=t, check_only=True)
        for b, h, s, t in [
            (1, 2, 128, 128),
            (2, 3, 200, 200),
            (1, 1, 1, 1),
            (1, 4, 384, 384),
            (2, 2, 1000, 1000),
            (1, 2, 77, 77),
        ]
    ]
    if not causal:
        odd += [
            dict(keys, batch=1, heads=2, rows=300, keys=520, check_only=True),
            dict(keys, batch=1, heads=3, rows=64, keys=1111, check_only=True),
        ]
    return odd


def expression(inputs, outputs, **keys):
    return [{"kind": "generic", "inputs": inputs, "outputs": outputs, "check_only": True, **keys}]


def tensor(*shape, elem="f16"):
    return {"shape": list(shape), "elem": elem}


def result(shape, reference, elem="f16"):
    return {"shape": list(shape), "elem": elem, "reference": reference}


def backwards(dim, causal=False):
    """Attention's gradients by expressions: what is added in memory, statistics as inputs, sizes that divide by no
    tile."""
    cases = []
    for b, h, s, t in [
        (1, 2, 128, 128),
        (2, 3, 200, 200),
        (1, 1, 1, 3),
        (1, 4, 384, 384),
        (2, 2, 1000, 1000),
        (1, 2, 77, 77),
        (1, 2, 300, 520),
        (1, 3, 64, 1111),
        (1, 2, 1111, 65),
    ]:
        if causal and s != t:
            continue
        scores = (
            "(scale * Q @ K.mT"
            + (" + torch.full((Q.shape[2], Q.shape[2]), -math.inf, device=Q.device).triu(1)" if causal else "")
            + ")"
        )
        weights = f"torch.softmax({scores}, -1)"
        grad = f"(lambda P: scale * P * (dO @ V.mT - (P @ V * dO).sum(-1, keepdim=True)))({weights})"
        cases += expression(
            {
                "Q": tensor(b, h, s, dim),
                "K": tensor(b, h, t, dim),
                "V": tensor(b, h, t, dim),
                "dO": tensor(b, h, s, dim),
                "LSE": {"value": f"torch.logsumexp({scores}, -1)", "elem": "f32"},
                "Delta": {"value": f"({weights} @ V * dO).sum(-1)", "elem": "f32"},
            },
            {
                "dQ": dict(result((b, h, s, dim), grad + " @ K", "f32"), added=True),
                "dK": result((b, h, t, dim), grad + ".mT @ Q"),
                "dV": result((b, h, t, dim), weights + ".mT @ dO"),
            },
            scalars={"scale": dim**-0.5},
            tolerance=2e-3,
        )
    return cases


M, N, K = 520, 776, 328
CASES = {
    "01_gemm": gemms(ODD),
    "02_attention": attentions(128, False),
    "03_gemm_bias_relu": expression(
        {"A": tensor(M, K), "B": tensor(N, K), "bias": tensor(N)}, {"C": result((M, N), "torch.relu(A @ B.T + bias)")}
    ),
    "04_gemm_scaled_a": expression(
        {"A": tensor(M, K), "B": tensor(N, K)}, {"C": result((M, N), "(A * 0.5) @ B.T")}, scalars={"scale": 0.5}
    ),
    "05_two_dots_shared_a": expression(
        {"A": tensor(M, K), "B1": tensor(N, K), "B2": tensor(N, K)},
        {"C1": result((M, N), "A @ B1.T"), "C2": result((M, N), "A @ B2.T")},
    ),
    "06_rowsum": expression(
        {"A": tensor(M, K), "B": tensor(N, K)}, {"C": result((M, N), "A @ B.T"), "S": result((M,), "A.sum(1)", "f32")}
    ),
    "07_gemm_f32_out": gemms(ODD[:8], out_dtype="f32"),
    "08_attention_causal": attentions(128, True),
    "09_gemm_batched": gemms([(200, 264, 136), (512, 512, 256)], batch=3),
    "10_gemm_nn": gemms(ODD, b="kn"),
    "11_gemm_tn": gemms([s for s in ODD if s[0] % 8 == 0], a="km", b="kn"),
    "12_gemm_tt": gemms([s for s in ODD if s[0] % 8 == 0], a="km"),
    "13_gemm_64x128x64": gemms(ODD),
    "14_gemm_128x128x128": gemms(ODD),
    "15_gemm_bf16": gemms(ODD, dtype="bf16"),
    "16_attention_d64": attentions(64, False),
    "17_gemm_192x128x64": gemms(ODD),
    "18_attention_causal_d64": attentions(64, True),
    "19_attention_backward": backwards(128),
    "20_attention_backward_d64": backwards(64),
    "21_attention_backward_causal_d64": backwards(64, causal=True),
    "22_gemm_gated": expression(
        {"A": tensor(M, K), "B": tensor(N, K), "G": tensor(N, K)},
        {"C": result((M, N), "torch.nn.functional.silu(A @ G.T) * (A @ B.T)")},
    ),
    "23_gemm_bias_gelu_residual": expression(
        {"A": tensor(M, K), "B": tensor(N, K), "bias": tensor(N), "R": tensor(M, N)},
        {"C": result((M, N), "torch.nn.functional.gelu(A @ B.T + bias, approximate='tanh') + R")},
    ),
    "24_gemm_fp8_scaled": expression(
        {
            "A": tensor(M, 336, elem="e4m3"),
            "B": tensor(N, 336, elem="e4m3"),
            "scaleA": tensor(M, elem="f32"),
            "scaleB": tensor(N, elem="f32"),
        },
        {"C": result((M, N), "scaleA[:, None] * scaleB * (A @ B.T)", "bf16")},
    ),
    "25_gemm_grouped": expression(
        {
            "A": tensor(M, K),
            "B": tensor(5, N, K),
            "sizes": {"value": "torch.tensor([100, 0, 320, 1, 99], device='cuda')", "elem": "i32"},
        },
        {"C": result((M, N), "torch.cat([a @ b.T for a, b in zip(A.split([100, 0, 320, 1, 99]), B)])")},
    ),
    "26_gemm_split_k": expression(
        {"A": tensor(M, K), "B": tensor(N, K)}, {"C": dict(result((M, N), "A @ B.T", "f32"), added=True)}
    ),
}
for name in ("10_gemm_nn", "11_gemm_tn", "12_gemm_tt"):  # the same programs in bf16
    CASES[name + "+bf16"] = [dict(case, dtype="bf16") for case in CASES[name]]
SPEED = {
    "01_gemm": gemms([(8192, 8192, 1024), (8192, 8192, 8192), (4096, 4096, 4096)], check_only=False),
    **{
        name: [
            {
                "kind": "attention",
                "batch": 4,
                "heads": 32,
                "rows": rows,
                "dim": dim,
                "lse": True,
                "rank": 4,
                "causal": causal,
            }
            for rows in (4096, 16384)
        ]
        for name, dim, causal in (
            ("02_attention", 128, False),
            ("08_attention_causal", 128, True),
            ("16_attention_d64", 64, False),
            ("18_attention_causal_d64", 64, True),
        )
    },
    "19_attention_backward": [
        {"kind": "attention_backward", "batch": 4, "heads": 32, "rows": s, "dim": 128} for s in (4096, 16384)
    ],
    "20_attention_backward_d64": [
        {"kind": "attention_backward", "batch": 4, "heads": 32, "rows": s, "dim": 64} for s in (4096, 16384)
    ],
    "21_attention_backward_causal_d64": [
        {"kind": "attention_backward", "batch": 4, "heads": 32, "rows": s, "dim": 64, "causal": True}
        for s in (4096, 16384)
    ],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--speed", action="store_true", help="the cases to time instead of the cases to check")
    parser.add_argument(
        "--suffix", default="", help="appended to the directories' names (to stage variants side by side)"
    )
    args, options = parser.parse_known_args()
    options = [o for o in options if o != "--"]
    table = SPEED if args.speed else CASES
    failed = 0
    for name in args.only or table:
        folder = os.path.join(args.out, name + ("_speed" if args.speed else "") + args.suffix)
        os.makedirs(args.out, exist_ok=True)
        source = f"examples/{name.removesuffix('+bf16')}.mlir"
        if name.endswith("+bf16"):
            with open(source, encoding="utf-8") as file:
                text = file.read().replace("f16", "bf16")
            source = folder + ".mlir"
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run(
            [args.heddle, "compile", source, "-o", folder, "--emit=cubin", *options],
            capture_output=True,
            text=True,
            check=False,
        )
        bad = [line for line in run.stderr.splitlines() if "C75" in line]
        if run.returncode or bad:
            print(f"{name}: {(bad or run.stderr.splitlines() or ['failed'])[-1]}", file=sys.stderr)
            failed += run.returncode != 0
        if run.returncode == 0:
            os.remove(os.path.join(folder, "kernel.cu"))  # the GPU machine uses the cubin
            with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as file:
                json.dump(table[name], file)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
