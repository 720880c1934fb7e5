#!/usr/bin/env python3
"""Random plans in the simulator (or the emulator, or on the GPU): of products tiles, groups, tiles in flight, clusters,
order, tile source and split; with --decisions instead what a plan's kernel may say beside them (rows read again, parts
of epilogues, slices, orders, ...), of attention, products with epilogues and the programs that are given. Each must
give what the program means, or be refused with a reason.

    python3 utils/random_plans.py [--heddle build/bin/heddle] [--count 100] [--seed 1] [--device sim] [--jobs 1]
                                  [--decisions [PROGRAM.mlir ...]]

Sizes are ragged now and then, down to none of the contraction. Of what is refused the last line counts how often each
reason was given. Exit code: 0 none wrong, 1 otherwise (then each is named with its command).
"""

import argparse
import collections
import concurrent.futures
import random
import re
import subprocess
import sys
import tempfile

# Program, its parameters with choices, names of its sizes of rows, of columns, of the contraction; others as they are.
PROGRAMS = [
    ("01_gemm", {"BM": [64, 128, 192], "BN": [64, 128, 192], "BK": [32, 64]}, "M", "N", "K"),
    ("01_gemm", {"BM": [64, 128, 192], "BN": [96, 128, 256], "BK": [64, 128]}, "M", "N", "K"),
    ("07_gemm_f32_out", {}, "M", "N", "K"),
    ("09_gemm_batched", {}, "M", "N", "K"),
    ("13_gemm_64x128x64", {}, "M", "N", "K"),
    ("14_gemm_128x128x128", {}, "M", "N", "K"),
    ("22_gemm_gated", {}, "M", "N", "K"),
]
REFUSED = (1, 2, 3)
ATTENTION = {"B": [1, 2], "H": [1, 2, 3], "S": [1, 64, 129, 200, 300]}
KEYS = {"T": [1, 128, 200, 333]}
# Programs with sizes to choose from, for --decisions.
DECIDED = {
    "examples/02_attention.mlir": ATTENTION | KEYS,
    "examples/03_gemm_bias_relu.mlir": {"M": [1, 200, 400], "N": [8, 136, 256], "K": [0, 64, 328]},
    "examples/06_rowsum.mlir": {"M": [1, 200, 400], "N": [8, 136, 256], "K": [0, 64, 328]},
    "examples/08_attention_causal.mlir": ATTENTION,
    "examples/16_attention_d64.mlir": ATTENTION | KEYS,
    "examples/18_attention_causal_d64.mlir": ATTENTION,
    "examples/19_attention_backward.mlir": {"S": [1, 129, 200], "T": [1, 129, 200]},
    "examples/21_attention_backward_causal_d64.mlir": {"S": [1, 129, 200, 300]},
    "examples/23_gemm_bias_gelu_residual.mlir": {"M": [1, 200, 400], "N": [8, 136, 256], "K": [0, 64, 328]},
    "examples/24_gemm_fp8_scaled.mlir": {"M": [1, 200, 400], "N": [16, 144, 256], "K": [0, 64, 336]},
    "test/Programs/Attention/key_bias.mlir": {},
    "test/Programs/Attention/queries_scaled.mlir": {},
    "test/Programs/Attention/tile_bias_heads.mlir": {},
    "test/Programs/gemm_gelu_erf.mlir": {},
    "test/Programs/gemm_i8_scaled.mlir": {},
    "test/Programs/layernorm_before_product.mlir": {},
    "test/Programs/rows_beside_products.mlir": {},
    "test/Programs/windows_of_memory.mlir": {},
}
FLAGS = ("once", "defer", "stage_outer", "reread", "overlap", "ends", "slices", "slices_behind", "drains", "recompute")
FLAGS += ("turned_stores", "one_code", "persistent", "warp_specialize", "store_warp", "matrix_stores", "skip_ones")
FLAGS += ("start_sums",)
NUMBERS = {"ascending": [0, 1, 2, 8], "descending": [0, 1, 8, "[2, 4]"], "resolution": [0, 40, 192]}
NUMBERS |= {"parts": [32, 64, "[32, 1]", "[64, 1]", "[32, 4]"], "groups": [1, 2, 3], "tiles": [1, 2]}
NUMBERS |= {"depth": [1, 2, 3], "spare": [8, 24], "raster": [1, 3]}


def draw(rng):
    """A program with options, as arguments of `heddle run`."""
    name, parameters, rows, columns, contraction = rng.choice(PROGRAMS)
    arguments = [f"examples/{name}.mlir"]
    chosen = [f"{p}={rng.choice(values)}" for p, values in parameters.items()]
    if chosen:
        arguments.append("--param=" + ",".join(chosen))
    if rng.random() < 0.5:
        arguments.append(f"--groups={rng.randint(1, 3)}")
    if rng.random() < 0.7:
        arguments.append("--persistent=on")
        arguments.append(f"--tiles-in-flight={rng.choice(['1', '2', '2', '3', 'auto'])}")
        arguments.append("--tile-source=" + rng.choice(["stride", "counter", "counter"]))
    if rng.random() < 0.3:
        arguments.append(f"--cluster={rng.choice([2, 2, 4])}")
    if rng.random() < 0.4:
        arguments.append(f"--split-k={rng.choice([2, 3, 5])}")
        arguments.append("--split-sums=" + rng.choice(["ordered", "memory"]))
    if rng.random() < 0.3:
        arguments.append(f"--depth={rng.randint(2, 4)}")
    if rng.random() < 0.5:
        arguments += ["--scheduler=random", f"--schedule-seed={rng.randint(1, 1000)}"]
    size = lambda most: rng.choice([rng.randint(1, most), 64 * rng.randint(1, most // 64)])  # noqa: E731
    depth = rng.choice([0, 8, 64, size(640), size(640), size(640), size(640)]) // 8 * 8
    arguments.append(f"--dims={rows}={size(700)},{columns}={size(700) // 8 * 8 + 8},{contraction}={depth}")
    return arguments


def draw_decisions(rng, programs, folder):
    """A program with a file that decides about its kernel, as arguments of `heddle run`."""
    program = rng.choice(programs)
    decisions = {flag: rng.choice(["true", "true", "false"]) for flag in FLAGS if rng.random() < 0.2}
    decisions |= {key: rng.choice(values) for key, values in NUMBERS.items() if rng.random() < 0.15}
    text = "{kernel = {" + ", ".join(f"{key} = {value}" for key, value in decisions.items()) + "}}"
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".plan", delete=False, encoding="utf-8") as file:
        file.write(text + "\n")
    arguments = [program, f"--plan={file.name}"]
    if rng.random() < 0.3:
        arguments += ["--scheduler=random", f"--schedule-seed={rng.randint(1, 1000)}"]
    sizes = [f"{name}={rng.choice(values)}" for name, values in DECIDED.get(program, {}).items()]
    return arguments + (["--dims=" + ",".join(sizes)] if sizes else []), text


def reason_of(text):
    """The message of a refusal without its place and numbers."""
    line = next((line for line in text.splitlines() if re.search(r"\b(error|infeasible|limit reached)\b", line)), "")
    return re.sub(r"\d+", "N", re.sub(r"^\S+:\d+:\d+: ", "", line))[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--count", type=int, default=100, help="plans that run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", choices=("sim", "emulate", "gpu"), default="sim")
    parser.add_argument("--jobs", type=int, default=1, help="plans that run at the same time")
    parser.add_argument("--show", action="store_true", help="print every command")
    parser.add_argument("--decisions", nargs="*", metavar="PROGRAM.mlir", help="decisions about kernels; of which")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    folder = tempfile.mkdtemp(prefix="plans-")
    right, wrong, refused = 0, 0, collections.Counter()

    def draw_one():
        if args.decisions is None:
            return draw(rng), ""
        return draw_decisions(rng, args.decisions or list(DECIDED), folder)

    def run(drawn):
        plan, text = drawn
        command = [args.heddle, "run", *plan, f"--device={args.device}", "--no-cache"]
        return [*plan, text], command, subprocess.run(command, capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while right + wrong < args.count:
            plans = [draw_one() for _ in range(args.count - right - wrong)]
            for plan, command, done in pool.map(run, plans):
                nothing = done.returncode == 6  # inputs that prove nothing: no element to compare
                if args.show:
                    print(done.returncode, " ".join(plan), flush=True)
                if done.returncode == 0 or nothing:
                    right += 1
                elif done.returncode in REFUSED:
                    refused[reason_of(done.stderr)] += 1
                else:
                    wrong += 1
                    said = done.stdout[-600:] + done.stderr[-600:]
                    print(f"wrong ({done.returncode}): {' '.join(command)} {plan[-1]}\n{said}", flush=True)
    for reason, times in refused.most_common():
        print(f"{times:4} refused: {reason}")
    print(f"{right} right, {wrong} wrong, {sum(refused.values())} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
