#!/usr/bin/env python3
"""The documentation stands alone: every path that README, CONTRIBUTING, CHANGELOG or docs/ names exists in the
repository, and no tracked file cites material that is not part of it (UNPUBLISHED below).

    python3 utils/check_doc_paths.py [--root DIR]

A path is text in `backquotes`, a Markdown link target, or a word in a code block that starts with a directory of the
repository (lib/..., docs/...). Paths with placeholders (<x>, *, {a,b},
CAPITALS.mlir) and outputs of the build (build/, out/) are left alone. Exit code: 0 clean, 1 violations.
"""

import argparse
import os
import re
import subprocess
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
# Notes that the authors had beside the repository: what a reader cannot open is no source. Written with classes of one
# character, so that this file is no citation itself.
UNPUBLISHED = re.compile(
    r"hopper[_]guide|solver[_ ]study|study[ ]points?|solver[_]limits|speed[_]findings|next[_]floors|DESIGN[.]md"
    r"|[.]{2}/shared/|/work/[s]hared|house[.]md|design[ ]notes|seeds[/]0"
)
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


def citations(root):
    """Lines of tracked text that cite what is not in the repository (none outside a checkout), and the files read."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
    found, count = [], 0
    for name in filter(None, listed.stdout.split("\0")):
        try:
            with open(os.path.join(root, name), encoding="utf-8") as text:
                lines = text.readlines()
        except (UnicodeDecodeError, OSError):  # no text, or just removed
            continue
        count += 1
        for number, line in enumerate(lines, 1):
            cited = UNPUBLISHED.search(line)
            if cited:
                found.append(f"{name}:{number}: error: expected a source that a reader can open, got '{cited.group()}'")
    return found, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    root = os.path.normpath(args.root)
    violations, count = check(root)
    cited, files = citations(root)
    violations += cited
    for violation in violations:
        print(violation, file=sys.stderr)
    if violations:
        return 1
    print(f"documents: {count} paths exist; {files} files cite nothing outside the repository")
    return 0


if __name__ == "__main__":
    sys.exit(main())
