#!/usr/bin/env python3
"""The table of passes in docs/Architecture.md (2a) against the code: it has those that lib/Pipelines/PrepareKernel.cpp
runs, in that order, under the names that heddle-opt has for them, each with the file that defines it.

    python3 utils/check_passes.py [--root DIR]

Exit code: 0 equal, 1 not (one line for each difference).
"""

import argparse
import os
import re
import sys

PASSES, ORDER, PAGE = "lib/Pipelines/Passes.cpp", "lib/Pipelines/PrepareKernel.cpp", "docs/Architecture.md"
STEP = re.compile(r'registerStep\(\{?"(heddle-[\w-]+)"(.*?)\);\n(?=  registerStep|  PassRegistration|\n|\})', re.S)
ROW = re.compile(r"^\| `(heddle-[\w-]+)` \| .* \| `([\w/.]+)` \|$", re.M)
CALL = re.compile(r"\b(?!has[A-Z])(\w+)\(copy[,)]")  # a question is no pass


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        return text.read()


def names_of_functions(text):
    """Function that a pass of heddle-opt runs -> the pass's name: the last one of its registration that is called, or
    is passed on."""
    names = {}
    for name, rest in STEP.findall(text):
        words = re.findall(r"surely<(\w+)>|\b(\w+)\(kernel\b|,\s*(\w+)$", rest)
        if words:
            names["".join(words[-1])] = name
    return names


def check(root):
    """Differences as text lines, and how many passes the code runs."""
    names = names_of_functions(read(root, PASSES))
    run = [names.get(function, f"a pass that calls {function}") for function in CALL.findall(read(root, ORDER))]
    rows = ROW.findall(read(root, PAGE))
    functions = {name: function for function, name in names.items()}
    differences = []
    for number, name in enumerate(run):
        got = rows[number][0] if number < len(rows) else "the end of the table"
        if got != name:
            differences.append(f"{PAGE}: error: expected pass {number + 1} of the table to be {name}, got {got}")
            break
    if not differences and len(rows) > len(run):
        differences.append(f"{PAGE}: error: expected {len(run)} passes in the table, got {rows[len(run)][0]} as well")
    for name, path in rows:
        function = functions.get(name)
        if function and not re.search(rf"^\S.*\b{function}\(tile::KernelOp", read(root, path), re.M):
            differences.append(f"{PAGE}: error: expected the file that defines {function} ({name}), got {path}")
    return differences, len(run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    differences, count = check(args.root)
    for difference in differences:
        print(difference, file=sys.stderr)
    if differences:
        return 1
    print(f"passes: {count} as in {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
