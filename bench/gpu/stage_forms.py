#!/usr/bin/env python3
"""Compiles forms of attention forward that mean the same work: a change that a user would take for harmless should not
change the speed.

    python3 bench/gpu/stage_forms.py OUT [--examples 02_attention ...] [--heddle build/bin/heddle]    # where nvcc is
    python3 bench/gpu/time_forms.py OUT --out forms.json                                               # on the GPU

Forms: the exponent's argument by a product and a difference (as the example has it) or by one fused operation; the
       scale multiplied into Q before the loop; blocks of 64, 96, 128 and 176 keys; the rows' maximum as a further
       output; a bias for each key. All but the block sizes are edits of the example's text, made here.
Output: OUT/<example>-<form>/ with kernel.cubin and kernel.json; OUT/forms.json names them with their registers, spills
       and seconds of compilation.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build import diagnose, resources  # noqa: E402


def edited(text, *edits):
    """`text` with each (old, new) replaced; an old text that does not stand there exactly once is an error."""
    for old, new in edits:
        if text.count(old) != 1:
            raise SystemExit(f"expected '{old}' once in the example, got it {text.count(old)} times")
        text = text.replace(old, new)
    return text


def line(text, name):
    """The line that defines the value `name`."""
    return re.search(rf"^ *%{name} = .*\n", text, re.MULTILINE).group(0)


def fused(text):
    ms2 = line(text, "ms2")
    wide = re.search(r"-> (tensor<\S+>)", ms2).group(1)
    narrow = re.search(r": (tensor<\S+>) ->", ms2).group(1)
    return edited(
        text,
        (ms2, f"    %mneg = arith.negf %ms : {narrow}\n" + ms2.replace("%ms axis", "%mneg axis")),
        (line(text, "scaled"), ""),
        (line(text, "x"), f"    %x = math.fma %sm, %scale2, %ms2 : {wide}\n"),
    )


def scale_in_q(text):
    q = line(text, "q")
    tile = re.search(r"-> (tensor<\S+>)", q).group(1)
    one = re.search(r": (tensor<\S+>) ->", line(text, "ms2")).group(1)
    scaled_q = (
        f"  %scaleh = arith.truncf %scale : f32 to f16\n  %scaleq = tensor.splat %scaleh : {tile}\n"
        f"  %q = arith.mulf %q0, %scaleq : {tile}\n"
    )
    ones = f"  %scale1 = arith.constant dense<1.0> : {one}\n"
    return edited(
        text,
        (q, q.replace("%q =", "%q0 =") + scaled_q),
        (line(text, "scaled"), ""),
        ("arith.subf %scaled,", "arith.subf %sm,"),
        (line(text, "scale2"), ""),
        (line(text, "scale1"), ones),
    )


def second_output(text):
    lse = re.search(r"^( *)%LSE: .*\n", text, re.MULTILINE).group(0)
    store = re.search(r"^ *tile.store %lse, .*\n", text, re.MULTILINE).group(0)
    return edited(
        text,
        (lse, lse + lse.replace("LSE", "M")),
        (store, store + store.replace("%lse", "%mnat").replace("LSE", "M")),
    )


def key_bias(text):
    lse = re.search(r"^( *)%LSE: .*\n", text, re.MULTILINE).group(0)
    bias = lse.replace("LSE", "bias").replace('"B", "H", "S"', '"T"').replace("?x?x?xf32", "?xf32")
    s = line(text, "s")
    cols = re.search(r"-> (tensor<(\d+)x\d+xi1>)|: tensor<(\d+)xi1> ->", line(text, "in2")).group(3)
    wide = re.findall(r"tensor<\S+?>", s)[-1]
    load = (
        f'    %bj = tile.load %bias[%j] {{tile.sizes = ["BN"]}} : !tile.view<?xf32> -> tensor<{cols}xf32>\n'
        f"    %bj2 = tile.broadcast %bj axis 0 : tensor<{cols}xf32> -> {wide}\n"
        f"    %s = arith.addf %s0, %bj2 : {wide}\n"
    )
    return edited(text, (lse, lse + bias), (s, s.replace("%s =", "%s0 =") + load))


FORMS = {
    "plain": (None, []),
    "fused": (fused, []),
    "scale-in-q": (scale_in_q, []),
    "keys-64": (None, ["--param=BN=64"]),
    "keys-96": (None, ["--param=BN=96"]),
    "keys-128": (None, ["--param=BN=128"]),
    "keys-176": (None, ["--param=BN=176"]),
    "second-output": (second_output, []),
    "key-bias": (key_bias, []),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--examples", nargs="+", default=["02_attention", "16_attention_d64"])
    parser.add_argument("--heddle", default="build/bin/heddle")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    staged, failed = [], 0
    for example in args.examples:
        with open(f"examples/{example}.mlir", encoding="utf-8") as file:
            text = file.read()
        for form, (edit, options) in FORMS.items():
            folder = os.path.join(args.out, f"{example}-{form}")
            os.makedirs(folder, exist_ok=True)
            source = os.path.join(folder, "program.mlir")
            with open(source, "w", encoding="utf-8") as file:
                file.write(edit(text) if edit else text)
            began = time.process_time() + os.times().children_user
            run = subprocess.run(
                [args.heddle, "compile", source, "-o", folder, "--emit=cubin", *options],
                capture_output=True,
                text=True,
                check=False,
            )
            seconds = time.process_time() + os.times().children_user - began
            if run.returncode:
                print(f"{example} {form}: {(run.stderr.splitlines() or ['failed'])[0]}", file=sys.stderr)
                failed += 1
                continue
            for extra in os.listdir(folder):
                if extra not in ("kernel.cubin", "kernel.json", "program.mlir"):
                    os.remove(os.path.join(folder, extra))
            staged.append(
                {"example": example, "form": form, "folder": os.path.basename(folder), "seconds": round(seconds, 2)}
                | resources(run.stderr)
                | {"defects": diagnose(run.stderr)}
            )
            print(staged[-1], flush=True)
    with open(os.path.join(args.out, "forms.json"), "w", encoding="utf-8") as file:
        json.dump(staged, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
