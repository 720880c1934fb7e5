#!/usr/bin/env python3
"""Formats the C++ files with clang-format and checks that no tracked text is wider than 120 columns.

    python3 utils/format.py            formats every tracked .h and .cpp in place, then checks columns
    python3 utils/format.py --check    changes nothing: what CI and the test Format run

clang-format has to be version 22 or newer (older ones break lines elsewhere): `clang-format-22`, Debian's package of
that name, or `clang-format` on PATH. Without one only columns are checked, and the last line says so.
Columns are those of the tracked .h, .cpp, .td, .cu, .py, .md, .cmake, .sh and .mlir files, CMakeLists.txt,
Makefile and .ci/run.
Exempt, because breaking the line would change what it means: rows of tables and URLs in Markdown and in comments, and
in test inputs the lines that FileCheck, lit or the diagnostic verifier reads (CHECK, RUN, expected-...).
Exit code: 0 clean, 1 otherwise (FILE:LINE: error: expected at most 120 columns, got N).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

COLUMNS = 120
OLDEST = 22
CODE = (".h", ".cpp")
TEXT = CODE + (".td", ".cu", ".cuh", ".py", ".md", ".cmake", ".sh", ".mlir", "CMakeLists.txt", "Makefile", ".ci/run")
GOLDEN = re.compile(
    r"\b(?:CHECK|[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*)(?:-NEXT|-SAME|-NOT|-DAG|-LABEL|-COUNT-\d+)?:|// expected-"
)
GENERATED = re.compile(r"/wgmma(_n\d+)?\.h$")  # as utils/gen_wgmma.py writes them, which a test compares
URL = re.compile(r"https?://\S+")


def tracked(root):
    """The files of the index that are there, so that a file that was just deleted is none of them."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    return [n for n in names.split("\0") if n.endswith(TEXT) and os.path.isfile(os.path.join(root, n))]


def exempt(name, line):
    if name.endswith(".md") and line.lstrip().startswith("|"):
        return True
    if name.startswith("test/") and GOLDEN.search(line):
        return True
    address = URL.search(line)
    return address is not None and address.start() < COLUMNS < len(line) and not line[address.end() :].strip(" )>.,")


def wide(root, names):
    for name in names:
        with open(os.path.join(root, name), encoding="utf-8", errors="replace") as text:
            for number, line in enumerate(text, 1):
                line = line.rstrip("\n")
                if len(line) > COLUMNS and not exempt(name, line):
                    yield f"{name}:{number}: error: expected at most {COLUMNS} columns, got {len(line)}"


def formatter(given):
    """The first clang-format that is new enough, or None."""
    for name in [given] if given else [f"clang-format-{OLDEST}", "clang-format"]:
        path = shutil.which(name)
        if path:
            words = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            version = re.search(r"version (\d+)", words)
            if version and int(version.group(1)) >= OLDEST:
                return path
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--clang-format", default=os.environ.get("CLANG_FORMAT"), help="the program to use")
    args = parser.parse_args()
    root = os.path.normpath(args.root)
    if not os.path.exists(os.path.join(root, ".git")):
        print("format: nothing checked: expected a git checkout, got none")
        return 0
    names = tracked(root)
    code = [n for n in names if n.endswith(CODE) and not GENERATED.search(n)]
    program = formatter(args.clang_format)
    status = 0
    if program:
        words = ["--dry-run", "-Werror"] if args.check else ["-i"]
        for at in range(0, len(code), 100):
            status |= subprocess.run([program, *words, *code[at : at + 100]], cwd=root).returncode != 0
    violations = list(wide(root, names))
    for violation in violations:
        print(violation, file=sys.stderr)
    done = (
        f"{len(code)} C++ files through {os.path.basename(program)}"
        if program
        else (f"columns only: clang-format {OLDEST} or newer was not found (Debian: clang-format-{OLDEST})")
    )
    print(f"format: {len(names)} files, {len(violations)} lines too wide; {done}")
    return 1 if violations or status else 0


if __name__ == "__main__":
    sys.exit(main())
