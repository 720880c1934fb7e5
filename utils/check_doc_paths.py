#!/usr/bin/env python3
"""Dead paths in the documentation: every repository path that README, CONTRIBUTING, CHANGELOG or docs/ names exists.

    python3 utils/check_doc_paths.py [--root DIR]

A path is text in `backquotes`, a Markdown link target, or a word in a code block that starts with a directory of the
repository (lib/..., docs/...). Paths with placeholders (<x>, *, {a,b},
CAPITALS.mlir) and outputs of the build (build/, out/) are left alone. Exit code: 0 clean, 1 dead paths.
"""

import argparse
import os
import re
import sys

TOPS = (
    "bench",
    "cmake",
    "device",
    "docs",
    "examples",
    "include",
    "lib",
    "machines",
    "runtime",
    "test",
    "tools",
    "unittests",
    "utils",
    ".ci",
)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
WORD = re.compile(r"(?<![\w./-])((?:%s)/[\w./-]+)" % "|".join(re.escape(t) for t in TOPS))
PLACEHOLDER = re.compile(r"[<>*{}$\[\]]|\.\.\.|(?:^|/)[A-Z]+(?:\.\w+)?$")


def candidates(line, in_code):
    """(text, relative to the document?) of everything in `line` that reads as a path."""
    for target in LINK.findall(line):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            yield target.split("#")[0], True
    spans = [line] if in_code or line.startswith("    ") else SPAN.findall(line)
    for span in spans:
        for word in WORD.finditer(span):
            if span[word.end() : word.end() + 1] not in ("*", "<", "{"):  # a pattern, not a path
                yield word.group(1).rstrip("."), False  # a full stop after the path is none of it


def documents(root):
    found = [n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if os.path.exists(os.path.join(root, n))]
    for directory, subdirectories, files in sorted(os.walk(os.path.join(root, "docs"))):
        subdirectories.sort()
        found += [os.path.relpath(os.path.join(directory, n), root) for n in sorted(files) if n.endswith(".md")]
    return found


def check(root):
    """Violations as text lines, and how many paths were looked at."""
    violations, count = [], 0
    for document in documents(root):
        in_code = False
        with open(os.path.join(root, document), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                if line.lstrip().startswith("```"):
                    in_code = not in_code
                    continue
                for path, relative in candidates(line, in_code):
                    if not path or (
                        not relative and PLACEHOLDER.search(path) and not os.path.exists(os.path.join(root, path))
                    ):
                        continue
                    count += 1
                    base = os.path.join(root, os.path.dirname(document)) if relative else root
                    if not any(os.path.exists(os.path.join(base, p)) for p in (path, path + ".h", path + ".cpp")):
                        violations.append(f"{document}:{number}: error: expected an existing path, got {path}")
    return violations, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    violations, count = check(os.path.normpath(args.root))
    for violation in violations:
        print(violation, file=sys.stderr)
    if violations:
        return 1
    print(f"documents: {count} paths exist")
    return 0


if __name__ == "__main__":
    sys.exit(main())
