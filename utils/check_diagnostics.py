#!/usr/bin/env python3
"""Every diagnostic of the readers of text has a test: each string literal of words in the files below occurs in a test.

    python3 utils/check_diagnostics.py [--root DIR] [--list]

A message is put together from literals ("expected ", " of node '"); those with a space and a letter are looked for,
unescaped and without surrounding blanks and quotes, in unittests/ and test/. --list prints every literal with the
number of test files that contain it. Exit code: 0 all found, 1 otherwise (FILE:LINE: error: expected a test that
contains ..., got none).
"""

import argparse
import os
import re
import sys

READERS = [
    "lib/Scheduling/Problem/Parse.cpp",
    "lib/Scheduling/Problem/Problem.cpp",
    "lib/Machine/Machine.cpp",
    "lib/Machine/Formula.cpp",
    "lib/Support/Error.cpp",
    "lib/Support/Files.cpp",
    "lib/Scheduling/Export/StraightLine.cpp",
    "lib/Scheduling/Cost/FreeGroups.cpp",
    "lib/Scheduling/Cost/Normalise.cpp",
    "tools/heddle-sched/heddle-sched.cpp",
    "tools/heddle-sched/Commands.cpp",
    "tools/heddle-sched/Options.cpp",
]
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# What makes a line part of a diagnostic; literals of the lines that continue it count too.
STARTS = re.compile(r"\b(userError|Error\(ErrorKind|fail|range|uniqueNames|word|number|find|add)\(")


def unescape(text):
    return text.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "\n")


def literals(path):
    """(line, text) of every literal of words in a statement that makes a diagnostic."""
    inside = False
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            code = line.split("//")[0] if '"' not in line.split("//")[0][-1:] else line
            if STARTS.search(code):
                inside = True
            if inside:
                for match in STRING.finditer(code):
                    text = unescape(match.group(1)).strip(" '\"\n():,")
                    if " " in text and re.search("[a-z]{2}", text):
                        yield number, text
            if code.rstrip().endswith((";", "{", "}")):
                inside = False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--list", action="store_true", help="every literal with its tests")
    args = parser.parse_args()
    tests = {}
    for room in ("unittests", "test"):
        for folder, _, names in sorted(os.walk(os.path.join(args.root, room))):
            for name in sorted(names):
                if name.endswith((".cpp", ".h", ".test", ".sched", ".mlir")):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
                        tests[name] = re.sub(r'"\s*"', "", unescape(f.read()))
    missing = total = 0
    for file in READERS:
        for number, text in literals(os.path.join(args.root, file)):
            total += 1
            found = sum(text in content for content in tests.values())
            if args.list:
                print(f"{file}:{number}: {found}: {text}")
            if not found:
                missing += 1
                print(f"{file}:{number}: error: expected a test that contains '{text}', got none")
    print(f"diagnostics: {total - missing} of {total} messages occur in tests")
    return missing > 0


if __name__ == "__main__":
    sys.exit(main())
