#!/usr/bin/env python3
"""File sizes: a source file above 600 lines is a warning, above 1000 an error unless it is listed with a reason.

    python3 utils/check_file_size.py [--root DIR] [--warn N] [--fail N]

Exit code: 0 no file above the limit, 1 otherwise.
"""

import argparse
import os
import sys

TOPS = ("bench", "cmake", "device", "include", "lib", "runtime", "test", "tools", "unittests", "utils")
SUFFIXES = (".h", ".cpp", ".td", ".py", ".cu", ".cuh", ".cmake", ".sh")
# path -> why it may be longer.
ALLOWED = {}


def sizes(root):
    """(path, lines) of every source file, in path order."""
    for top in TOPS:
        for directory, subdirectories, files in sorted(os.walk(os.path.join(root, top))):
            subdirectories.sort()
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    path = os.path.join(directory, name)
                    with open(path, encoding="utf-8", errors="replace") as text:
                        yield os.path.relpath(path, root), sum(1 for _ in text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--warn", type=int, default=600)
    parser.add_argument("--fail", type=int, default=1000)
    args = parser.parse_args()
    failed = count = 0
    for path, lines in sizes(os.path.normpath(args.root)):
        count += 1
        if lines > args.fail and path not in ALLOWED:
            print(f"{path}: error: expected at most {args.fail} lines, got {lines}", file=sys.stderr)
            failed += 1
        elif lines > args.warn and path not in ALLOWED:
            print(f"{path}: warning: expected at most {args.warn} lines, got {lines}", file=sys.stderr)
    if not failed:
        print(f"sizes: {count} files within {args.fail} lines")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
