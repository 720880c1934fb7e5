#!/usr/bin/env python3
"""What warp groups of one block do to each other: kinds of arithmetic beside each other and beside products, and
products of two groups. Runs on the GPU machine; CUBINS is what build.sh made.

    python3 bench/gpu/calibrate/together.py --cubins out/calibrate --out together.json

`mixtures`: cycles of a round of each group, a round being a 64 x 128 tile (for products: one m64n128k16).
`queue`: for each group, cycles from a common time to its first issue, its last issue and its end.
"""

import argparse
import ctypes
import itertools
import json
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import heddle_gpu  # noqa: E402

KINDS = ["max", "exp2", "fma", "sums", "narrow", "fma, exp2", "fma, exp2, sums", "stores", "softmax",
         "widen", "reads of 32 bits", "reads of 64 bits", "reads of 128 bits",
         "fma, predicate false"]
CYCLES, SHARED_BYTES, STARTS = 2_000_000, 66_000, [(0, 0), (0, 100), (100, 0), (0, 400), (400, 0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cubins", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    out = torch.zeros(16, dtype=torch.int64, device="cuda")
    driver, module = heddle_gpu.driver(), ctypes.c_void_p()
    with open(os.path.join(args.cubins, "together.cubin"), "rb") as file:
        driver("cuModuleLoadData", ctypes.byref(module), file.read())

    def launch(name, threads, *numbers):
        kernel = ctypes.c_void_p()
        driver("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        driver("cuFuncSetAttribute", kernel, 8, SHARED_BYTES)  # dynamic shared memory
        cells = [ctypes.c_uint64(out.data_ptr())]
        cells += [ctypes.c_float(n) if isinstance(n, float) else ctypes.c_int(n) for n in numbers]
        parameters = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(cell) for cell in cells])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        out.zero_()
        driver("cuLaunchKernel", kernel, 1, 1, 1, threads, 1, 1, SHARED_BYTES, stream, parameters, None)
        torch.cuda.synchronize()
        return out.tolist()

    def mixture(products, *kinds):
        numbers = [KINDS.index(kind) for kind in kinds] + [-1] * (3 - len(kinds))
        rounds = launch("mix", 512, int(products), *numbers, 1e-3, 1e-4, CYCLES)
        cycles = [round(CYCLES / n, 1) if n else None for n in rounds[: 1 + len(kinds)]]
        cycles[0] = cycles[0] and round(cycles[0] / 4, 1)
        return {"products": cycles[0], "kinds": kinds, "cycles": cycles[1:]}

    mixtures = []
    for kind, count, products in itertools.product(KINDS, (1, 2, 3), (False, True)):
        mixtures.append(mixture(products, *[kind] * count))
    for (a, b), products in itertools.product(itertools.combinations(KINDS[:10], 2), (False, True)):
        mixtures.append(mixture(products, a, b))
    queue = []
    for (a, b), starts in itertools.product([(4, 16), (8, 8), (8, 16), (16, 8), (16, 16)], STARTS):
        launch(f"queue_{a}_{b}", 256, *starts)
        times = launch(f"queue_{a}_{b}", 256, *starts)
        queue.append({"products": [a, b], "starts": starts, "times": [times[:3], times[3:6]]})
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "mixtures": mixtures, "queue": queue}, file)
    for row in [*mixtures, *queue]:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
