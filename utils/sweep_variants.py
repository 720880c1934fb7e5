#!/usr/bin/env python3
"""Examples changed as a user would change them: other tiles, head dimensions and types, one more operation. Each must
compile in about the time of the example, or be refused with a reason that names what binds.

    python3 utils/sweep_variants.py [--heddle build/bin/heddle] [--filter REGEX] [--seconds 3] [--timeout 60] [--cubins]
                                    [--keep DIR] [--out FILE.json] [PROGRAM.mlir ...]

Without programs: examples and test/Programs, 1,400 variants in all (nine minutes; 40 with --cubins, which also names
spills and products that ptxas serialised). Named are those that take more than --seconds, crash, end with an internal
error or run into --timeout, and with --filter, which is matched against PROGRAM:VARIANT, all; then it is counted how
often each reason was given. --keep writes the texts of what has no kernel or takes too long. One process runs at a
time; the seconds are of the processor, without the cache of solved problems. Exit code: 0; 1 where a variant crashed,
ended with an internal error or ran into the timeout.
"""

import argparse
import collections
import glob
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
ROWS, COLUMNS, DEPTHS = [64, 128, 192, 256], [64, 96, 128, 160, 192, 224, 256], [32, 64, 128]
HEADS = [32, 64, 96, 128, 256]
PARAM = re.compile(r'(tile\.param "(\w+)" = (\d+) in )\[[^\]]*\]')
STORE = re.compile(r"^( *)tile\.store %(\w+), %(\w+)\[([^\]]*)\] : tensor<([\dx]+)x(\w+)>, (!tile\.view<[^>]*>)$", re.M)


def tiles(text):
    """(name, text) with every choice of sizes near the example's own: one parameter changed, or both of a product."""
    given = {name: int(value) for _, name, value in PARAM.findall(text)}
    choices = {"BM": ROWS, "BN": COLUMNS, "BK": DEPTHS}
    names = [name for name in given if name in choices]
    for values in itertools.product(*(choices[name] for name in names)):
        changed = [n for n, v in zip(names, values) if v != given[n]]
        if not changed or ("BK" in changed and len(changed) > 1):
            continue
        out = text
        for name, value in zip(names, values):
            out = re.sub(rf'tile\.param "{name}" = \d+ in \[[^\]]*\]', f'tile.param "{name}" = {given[name]} in '
                         f"[{', '.join(str(v) for v in sorted({value, given[name]}))}]", out)
        chosen = ",".join(f"{n}={v}" for n, v in zip(names, values) if n in changed)
        yield chosen, out, [f"--param={chosen}"]


def heads(text):
    """Attention with other head dimensions, where the own one is no other size of the text."""
    match = re.search(r"!tile\.view<\?x\?x\?x(\d+)x", text)
    if not match or match.group(1) in {value for _, _, value in PARAM.findall(text)}:
        return
    own = match.group(1)
    if not any(name == "BM" for _, name, _ in PARAM.findall(text)) and f"{own}x{own}x" in text:
        return
    for size in HEADS:
        if size != int(own):
            out = re.sub(rf"(?<=[<x]){own}(?=x)", str(size), text)
            yield f"D={size}", re.sub(rf"(?<=, ){own}(?=\])", str(size), out), []


def types(text):
    """Operands of other types."""
    if re.search(r"xf16>", text):
        yield "bf16", re.sub(r"(?<![\w])f16\b|(?<=x)f16\b", "bf16", text), []
    if "tile.dot" in text and "exp2" not in text and re.search(r"xf16>", text):
        yield "fp8", re.sub(r"(?<=x)f16\b", "f8E4M3FN", text), []
    if re.search(r"xbf16>", text):
        yield "f16", re.sub(r"(?<![\w])bf16\b|(?<=x)bf16\b", "f16", text), []
    store = roundedStore(text)
    if store:
        _, line, wide, shape, narrow = store
        out = text.replace(line.group(0), line.group(0).replace(f"%{line.group(2)},", f"%{wide},")
                           .replace(f"x{narrow}>", "xf32>"))
        view = line.group(3)
        out = "\n".join(re.sub(rf"(!tile\.view<[?\dx]*)x{narrow}>", r"\1xf32>", each)
                        if re.search(rf"%{view}\b", each) else each for each in out.split("\n"))
        yield "f32-out", out, []


def roundedStore(text):
    """The last store of a rounded tile: (definition, store, value before rounding, shape, type)."""
    for line in reversed(list(STORE.finditer(text))):
        made = re.search(rf"^ *%{line.group(2)} = arith\.truncf %(\w+) : tensor<([\dx]+)xf32> to .*$", text, re.M)
        if made:
            return made, line, made.group(1), made.group(2), line.group(6)
    return None


def operations(text):
    """One more operation on what the program stores, or one more output."""
    store = roundedStore(text)
    if not store:
        return
    made, line, wide, shape, narrow = store
    indent, tile = line.group(1), f"tensor<{shape}xf32>"
    rounding = made.group(0)

    def insert(lines, value, source=text):
        new = "".join(f"{indent}{each}\n" for each in lines) + rounding.replace(f"%{wide} ", f"%{value} ")
        return source.replace(rounding, new)

    zero = [f"%oZero = arith.constant dense<0.0> : {tile}"]
    yield "relu", insert(zero + [f"%oRelu = arith.maximumf %{wide}, %oZero : {tile}"], "oRelu"), []
    half = [f"%oHalf = arith.constant dense<0.5> : {tile}"]
    yield "scale", insert(half + [f"%oScaled = arith.mulf %{wide}, %oHalf : {tile}"], "oScaled"), []
    view = line.group(3)
    argument = re.search(rf'%{view}: (!tile\.view<[^>]*>) \{{tile\.name = "\w+", tile\.dims = \[([^\]]*)\]', text)
    if not argument:
        return
    kind, dims = argument.groups()

    def withArgument(name, kind, dims, source):
        new = f'%{name}: {kind} {{tile.name = "{name}", tile.dims = [{dims}]}},\n    '
        return source.replace(argument.group(0), new + argument.group(0))

    last = line.group(4).split(",")[-1].strip()
    width = shape.split("x")[-1]
    if last != "%c0":
        size = '"BN"' if PARAM.search(text) else width
        column = kind.rsplit("x", 2)[-2].split("<")[-1]
        bias = [f"%oBias = tile.load %obias[{last}] {{tile.sizes = [{size}]}} : !tile.view<{column}xf32> -> "
                f"tensor<{width}xf32>",
                f"%oRows = tile.broadcast %oBias axis 0 : tensor<{width}xf32> -> {tile}",
                f"%oSum = arith.addf %{wide}, %oRows : {tile}"]
        yield "bias", withArgument("obias", f"!tile.view<{column}xf32>", dims.split(",")[-1].strip(),
                                   insert(bias, "oSum")), []
    second = line.group(0).replace(f"%{view}[", "%second[")
    if "%second" not in text:
        twice = text.replace(line.group(0), line.group(0) + "\n" + second)
        yield "second", withArgument("second", kind, dims, twice), []


def reasonOf(error):
    """The first error without places and numbers, to count by."""
    lines = [each for each in error.splitlines() if "error:" in each or "limit reached" in each] or error.splitlines()
    first = lines[0] if lines else ""
    return re.sub(r"\d+", "N", re.sub(r"^\S*?:\d+:\d+: ", "", first))[:200]


def run(heddle, text, extra, args, directory):
    source = os.path.join(directory, "variant.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    command = [heddle, "compile", source, "--no-cache", "-o", os.path.join(directory, "out")] + extra
    command += ["--emit=cubin"] if args.cubins else []
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = usage.ru_utime + usage.ru_stime
    row = {}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=args.timeout,
                              env=os.environ | {"HEDDLE_PROGRESS": "off"})
        row["exit"], said = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        row["exit"], said = "timeout", ""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    row["seconds"] = round(usage.ru_utime + usage.ru_stime - before, 2)
    if row["exit"]:
        row["reason"] = reasonOf(said)
        row["said"] = said[:2000]
    elif args.cubins:
        short = re.compile(r"C75\d\d|[1-9]\d* bytes spill stores")
        row["warnings"] = [each[:200] for each in said.splitlines() if short.search(each)]
    return row


def outcome(row):
    if row["exit"] == "timeout":
        return "timeout"
    return {0: "compiled", 1: "refused", 2: "infeasible", 3: "limit", 4: "internal error"}.get(row["exit"], "crashed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=3, help="name variants that take longer")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--cubins", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--out")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    patterns = ["examples/[0-9]*.mlir", "test/Programs/*.mlir", "test/Programs/Attention/*.mlir"]
    programs = args.programs or [f for p in patterns for f in sorted(glob.glob(os.path.join(ROOT, p)))]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for program in programs:
            with open(program, encoding="utf-8") as file:
                text = file.read()
            stem = os.path.splitext(os.path.basename(program))[0]
            variants = [("as-is", text, [])]
            for make in (tiles, heads, types, operations):
                variants += make(text)
            for name, changed, extra in variants:
                if not re.search(args.filter, f"{stem}:{name}"):
                    continue
                row = {"program": stem, "variant": name, **run(args.heddle, changed, extra, args, directory)}
                rows.append(row)
                slow = row["seconds"] > args.seconds and not args.cubins
                bad = outcome(row) in ("timeout", "internal error", "crashed") or row.get("warnings")
                if args.keep and (slow or row["exit"] or row.get("warnings")):
                    os.makedirs(args.keep, exist_ok=True)
                    with open(os.path.join(args.keep, f"{stem}-{name}.mlir".replace(",", "-")), "w",
                              encoding="utf-8") as file:
                        file.write(changed)
                if slow or bad or args.filter:
                    print(f"{row['seconds']:6.2f} s {outcome(row):10} {stem}:{name} {row.get('reason', '')}"
                          f"{row.get('warnings', '')}", flush=True)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    for (what, reason), count in collections.Counter((outcome(r), r.get("reason", "")) for r in rows).most_common():
        print(f"{count:5} {what} {reason}")
    print(f"{len(rows)} variants, {sum(r['seconds'] for r in rows):.0f} s, worst {max(r['seconds'] for r in rows)} s")
    return int(any(outcome(r) in ("timeout", "internal error", "crashed") for r in rows))


if __name__ == "__main__":
    sys.exit(main())
