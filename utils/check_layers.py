#!/usr/bin/env python3
"""Layer check: which directory may include which. Part of the build; a violation fails it.

    python3 utils/check_layers.py [--root DIR]

The table below is the section Layers of docs/Architecture.md as data. A directory that is not in the table is an error,
so a new one is placed on purpose. Also refused: an MLIR or LLVM header in a core directory, IR and scheduling known by
the same directory outside the bridge, a kernel's name in a string of the compiler (a kernel recognised by name), and
a library that prints.
Exit code: 0 clean, 1 violations (one line each: FILE:LINE: error: expected ..., got ...).
"""

import argparse
import os
import re
import sys

SOLVER = "Scheduling/Solver/Sat.h"  # what formulas ask of a SAT solver, whichever it is
# Directory (longest prefix wins) -> directories of heddle/ it may include besides itself.
CORE = {
    "Support": [],
    "Machine": ["Support"],
    "Layout": ["Support"],
    "Address": ["Support"],
    "Scheduling/Problem": ["Support", "Machine"],
    "Scheduling/Cost": ["Support", "Machine", "Scheduling/Problem"],
    "Scheduling/Stream": ["Support"],
    "Certificate": ["Support", "Scheduling/Problem"],
    SOLVER: ["Support"],
    "Scheduling/Bounds": ["Support", "Scheduling/Problem"],
    "Scheduling/Export": ["Support", "Scheduling/Problem"],
    "Scheduling/Joint": ["Support", "Scheduling/Problem", SOLVER],
    "Scheduling/Modulo": ["Support", "Scheduling/Problem", "Scheduling/Stream", "Scheduling/Bounds", "Certificate"],
    "Scheduling/Modulo/Random.cpp": ["Support", "Scheduling", "Certificate"],  # the exact solver completes schedules
    "Scheduling/Order": ["Support", "Scheduling/Problem", "Scheduling/Modulo", SOLVER, "Certificate"],
    "Scheduling/Solver": [
        "Support",
        "Scheduling/Problem",
        "Scheduling/Bounds",
        "Scheduling/Joint",
        "Scheduling/Modulo",
        "Scheduling/Order",
        SOLVER,
        "Certificate",
    ],
    "Scheduling/Policy": ["Support", "Machine", "Scheduling", "Certificate"],
    "Scheduling": ["Support", "Machine", "Scheduling/Problem", "Scheduling/Stream", "Certificate"],
    "Tuning": ["Support", "Machine", "Certificate"],
    "Simulator/MachineCode": ["Support", "Machine"],
    "runtime": ["Support"],
    "tools/heddle-sched": ["Support", "Machine", "Scheduling/Problem", "Scheduling", "Certificate"],
    "tools/heddle-check": ["Support", "Scheduling/Problem", "Certificate"],
}
INTERFACE = "Target/TargetInterface.h"  # what an architecture answers; its implementations stand beside it
ASSEMBLER = "Target/Hopper/PtxasRules.h"
SYNTAX = "Dialect/Tile/Syntax.h"  # how all levels write kernels and tiles
COMPILER = {
    SYNTAX: [],
    "Dialect/Tile": ["Support", SYNTAX],
    "Dialect/Warp": ["Support", "Machine", "Dialect/Tile"],
    "Dialect/HW": ["Support", "Machine", "Layout", "Dialect/Tile", "Dialect/Warp"],
    "Dialect/Triton": ["Support", SYNTAX],
    "Dialect/Task": ["Support", "Dialect/Tile"],
    "Builder": ["Support", "Dialect/Tile", "Dialect/Task"],
    "Target/TargetInterface.h": ["Support", "Machine", "Layout"],
    "Target": ["Support", "Machine", "Layout", "Dialect", INTERFACE, ASSEMBLER],  # one directory for each target
    "Target/Hopper/PtxasRules.h": ["Dialect"],
    "Target/CUDA": ["Support", "Machine", "Layout", "Dialect", INTERFACE, ASSEMBLER],
    "Analysis": [
        "Support",
        "Machine",
        "Layout",
        "Scheduling/Problem",
        "Scheduling/Cost",
        "Tuning",
        "Dialect",
        INTERFACE,
    ],
    "Transforms": ["Support", "Machine", "Layout", "Scheduling/Problem", "Dialect", "Analysis", INTERFACE],
    "Conversion/TileToWarp": [
        "Support",
        "Machine",
        "Layout",
        "Scheduling/Problem",
        "Scheduling/Stream",
        "Dialect",
        "Analysis",
        INTERFACE,
    ],
    "Conversion/TaskToTile": ["Support", "Machine", "Dialect", "Analysis"],
    "Conversion/TritonToTile": ["Support", "Address", "Dialect", "Analysis"],
    "Conversion/WarpToHW": ["Support", "Machine", "Layout", "Dialect", INTERFACE, ASSEMBLER],
    "Simulator/Functional": ["Support", "Dialect"],
    "Simulator/Timing": [
        "Support",
        "Machine",
        "Layout",
        "Dialect",
        "Analysis",
        "Simulator/Functional",
        "Simulator/MachineCode",
        INTERFACE,
    ],
    "Simulator/Triton": ["Support", "Address", "Dialect", "Conversion/TritonToTile", "Simulator/Functional"],
    "Simulator/Task": ["Support", "Dialect", "Simulator/Functional"],
}
COMPILER["Pipelines"] = [
    "Support",
    "Machine",
    "Layout",
    "Scheduling/Problem",
    "Scheduling",
    "Certificate",
    "Tuning",
    "Dialect",
    "Analysis",
    "Transforms",
    "Conversion",
    "Target",
    "Simulator/Functional",
    "Simulator/Timing",
]
COMPILER["tools"] = [*COMPILER["Pipelines"], "Address", "Simulator", "Pipelines", "Builder", "runtime"]
TABLE = {**CORE, **COMPILER}
# The only directories that may know both IR and Scheduling; Pipelines and tools stand above both.
BRIDGE = {"Analysis", "Transforms", "Conversion/TileToWarp", "Pipelines", "tools"}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
KERNEL_NAME = re.compile(r"gemm|matmul|attention|softmax|layernorm|conv2d", re.IGNORECASE)
PRINTS = re.compile(r"\bllvm::(?:outs|errs|dbgs)\b|\bstd::(?:cout|cerr)\b|(?<!\w)(?:f?printf|f?puts)\(")
SUFFIXES = (".h", ".cpp", ".td", ".inc")


def layer_of(path):
    """Key of TABLE that owns `path` ('Scheduling/Problem/Text.h'), or None."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        key = "/".join(parts[:length])
        if key in TABLE:
            return key
    return None


def room_of(file):
    """Path of a repository file below its layer root: lib/Machine/X.cpp -> Machine/X.cpp, or None."""
    for prefix in ("include/heddle/", "lib/"):
        if file.startswith(prefix):
            return file[len(prefix) :]
    return file if file.startswith(("runtime/", "tools/")) else None


def within(layer, allowed):
    return any(layer == a or layer.startswith(a + "/") for a in allowed)


def check_file(root, file, report):
    layer = layer_of(room_of(file))
    if layer is None:
        report(file, 1, f"expected a directory listed in utils/check_layers.py, got {os.path.dirname(file)}")
        return
    known = {}  # "IR", "Scheduling" -> first line
    with open(os.path.join(root, file), encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            match = INCLUDE.match(line)
            if not match:
                code = line.split("//")[0]
                if file.startswith(("lib/", "include/")) and (prints := PRINTS.search(STRING.sub("", code))):
                    report(file, number, f"expected tools to print what libraries return, got {prints.group(0)}")
                for literal in STRING.findall(code) if file.startswith(("lib/", "include/")) else []:
                    if file.endswith((".h", ".cpp")) and KERNEL_NAME.search(literal):
                        report(file, number, f'expected no kernel name in a string of the compiler, got "{literal}"')
                continue
            header = match.group(1)
            if header.startswith(("mlir/", "llvm/", "mlir-c/", "llvm-c/")):
                known.setdefault("IR", number)
                if layer in CORE:
                    report(file, number, f"expected no MLIR or LLVM header in {layer}, got {header}")
                continue
            if ".." in header.split("/"):
                report(file, number, f"expected a path from an include root, got {header}")
                continue
            if header.startswith("heddle_runtime/"):
                target = "runtime"
            elif header.startswith("heddle/"):
                target = layer_of(header[len("heddle/") :])
                if target is None:
                    report(file, number, f"expected a header of a listed directory, got {header}")
                    continue
            else:
                continue
            if target.startswith("Dialect"):
                known.setdefault("IR", number)
            if target.startswith("Scheduling"):
                known.setdefault("Scheduling", number)
            if target != layer and not within(target, TABLE[layer]):
                allowed = ", ".join(sorted(TABLE[layer])) or "nothing else"
                report(file, number, f"expected {layer} to include only itself and {allowed}, got {header}")
    if len(known) == 2 and layer not in BRIDGE:
        report(
            file,
            max(known.values()),
            f"expected IR and Scheduling to meet only in {', '.join(sorted(BRIDGE))}, got both in {layer}",
        )


def check(root):
    """All violations below `root` as text lines, in file order, and how many files were read."""
    violations, count = [], 0
    for top in ("include/heddle", "lib", "runtime", "tools"):
        for directory, subdirectories, files in sorted(os.walk(os.path.join(root, top))):
            subdirectories.sort()
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    file = os.path.relpath(os.path.join(directory, name), root).replace(os.sep, "/")
                    check_file(root, file, lambda f, n, text: violations.append(f"{f}:{n}: error: {text}"))
                    count += 1
    return violations, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    if not os.path.isdir(args.root):
        parser.error(f"expected a directory, got {args.root}")
    violations, count = check(args.root)
    for violation in violations:
        print(violation, file=sys.stderr)
    if violations:
        print(f"{len(violations)} layer violations", file=sys.stderr)
        return 1
    print(f"layers: {count} files clean")
    return 0


if __name__ == "__main__":
    sys.exit(main())
