#!/usr/bin/env python3
"""Holds docs/ReadingTheKernel.md true: its listings are lines of the kernels that the compiler prints today.

    python3 utils/check_reading.py --heddle build/bin/heddle [--page docs/ReadingTheKernel.md] [--out DIR]

A listing is a block that begins with ```cuda EXAMPLE. Each of its lines has to stand in that example's kernel.cu, in
the order of the page, apart from white space and comments; `...` skips lines. The table whose last column is "Lines at
most" bounds the length of each kernel; its first column has the numbers of examples, and each example one row. Exit
code: 0 all true, 1 not (one line each: PAGE:LINE: error: ...).
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def bare(line):
    """`line` without its comment and with single spaces."""
    return " ".join(re.sub(r"\s*//.*", "", line).split())


def listings(page):
    """(example, [(line number, text)]) of each listing."""
    found, example = [], None
    for number, line in enumerate(page.splitlines(), 1):
        start = re.match(r"```cuda (\S+)", line)
        if start:
            example, block = start[1], []
        elif example and line.startswith("```"):
            found.append((example, block))
            example = None
        elif example and bare(line) and bare(line) != "...":
            block.append((number, bare(line)))
    return found


def bounds(page):
    """(line number, number of an example, most lines) of each entry of the table of lengths."""
    found, inside = [], False
    for number, line in enumerate(page.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if inside and cells and cells[-1].isdigit():
            found += [(number, example, int(cells[-1])) for example in re.findall(r"\d+", cells[0])]
        inside = bool(cells) and (inside or cells[-1] == "Lines at most")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "ReadingTheKernel.md"))
    parser.add_argument("--out")
    options = parser.parse_args()
    with open(options.page, encoding="utf-8") as file:
        page = file.read()
    kernels, wrong, folder = {}, 0, options.out or tempfile.mkdtemp()

    def kernel(example):
        if example not in kernels:
            out = os.path.join(folder, example)
            os.makedirs(out, exist_ok=True)
            program = os.path.join(ROOT, "examples", example + ".mlir")
            subprocess.run([options.heddle, "compile", program, "-o", out], check=True, capture_output=True)
            with open(os.path.join(out, "kernel.cu"), encoding="utf-8") as file:
                kernels[example] = file.read().splitlines()
        return kernels[example]

    place = {}
    for example, block in listings(page):
        lines = [bare(line) for line in kernel(example)]
        for number, text in block:
            at = next((i for i in range(place.get(example, 0), len(lines)) if lines[i] == text), None)
            if at is None:
                print(f"{options.page}:{number}: error: expected a line of the kernel of {example}, got '{text}'")
                wrong += 1
            else:
                place[example] = at + 1
    examples = {os.path.basename(path).split("_")[0]: os.path.basename(path)[: -len(".mlir")]
                for path in sorted(glob.glob(os.path.join(ROOT, "examples", "[0-9]*.mlir")))}
    table = bounds(page)
    for number, example, most in table:
        if example not in examples:
            print(f"{options.page}:{number}: error: expected the number of an example, got '{example}'")
            wrong += 1
        elif len(kernel(examples[example])) > most:
            print(f"{options.page}:{number}: error: expected at most {most} lines of {examples[example]}, "
                  f"got {len(kernel(examples[example]))}")
            wrong += 1
    for example, name in examples.items():
        rows = sum(example == entry for _, entry, _ in table)
        if rows != 1:
            print(f"{options.page}: error: expected one row with 'Lines at most' for {name}, got {rows}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
