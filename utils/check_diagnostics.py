#!/usr/bin/env python3
"""Every diagnostic has a negative test: the words of each message in lib/, runtime/ and tools/ occur in a test.

    python3 utils/check_diagnostics.py [--root DIR] [--list]

A message is put together from literals ("expected ", " of node '") in one statement that makes a diagnostic (STARTS).
Literals with a space and a word are looked for, unescaped and without surrounding blanks, quotes and ", got", in the
texts of unittests/ and test/. Of the readers of text (READERS) each literal has to occur in a test; elsewhere the
longest literal of the message, which tells it from others. --list prints every message with the number of test files
that contain it.

Errors of the kind Internal are left out: they report faults of ours, which no input causes. Others that no input causes
are named in EXEMPT, with the reason; an entry that nothing needs is an error, too.
Exit code: 0 all found, 1 otherwise (FILE:LINE: error: expected a test that contains ..., got none).
"""

import argparse
import os
import re
import sys

ROOMS = ("lib", "runtime", "tools")
READERS = (
    "lib/Scheduling/Problem/Lines.cpp",
    "lib/Scheduling/Problem/Lines.h",
    "lib/Scheduling/Problem/Parse.cpp",
    "lib/Scheduling/Problem/ParseSchedule.cpp",
    "lib/Scheduling/Problem/Problem.cpp",
    "lib/Machine/Machine.cpp",
    "lib/Machine/ReadMachine.cpp",
    "lib/Machine/Formula.cpp",
    "lib/Support/Error.cpp",
    "lib/Support/Files.cpp",
    "lib/Scheduling/Export/StraightLine.cpp",
    "lib/Scheduling/Cost/FreeGroups.cpp",
    "lib/Scheduling/Cost/Normalise.cpp",
    "tools/heddle-sched/heddle-sched.cpp",
    "tools/heddle-sched/Commands.cpp",
    "tools/heddle-sched/Options.cpp",
)
STARTS = re.compile(
    r"\b(userError|Error\(ErrorKind|emitError|emitOpError|emitErrorOf|emitWarning|fail|error|fault|reject|refuse"
    r"|complain|useError|diagnosed)\("
)
READER_STARTS = re.compile(r"\b(userError|Error\(ErrorKind|fail|range|uniqueNames|word|number|find|add)\(")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# File and words of a message: why no test causes it.
MODULO = "ModuloExpand's fail() puts 'internal error' in front"
OURS = "only a fault of ours causes it"
SYSTEM = "needs a system without memory, temporary files or our own installation"
LAYOUTS = "layouts are made and verified before; only a hand-written hw kernel could have such ones"
VERIFIED = "verifiers refuse the input before"
EVEN = "only what groups divide evenly offers a division (lib/Analysis/PartitionRules.cpp)"
SCALARS = "every scalar type that the verifiers let through has a C++ type"
EXEMPT = {
    ("lib/Conversion/TileToWarp/ModuloExpand.cpp", "a value of the prologue is used before it is defined"): MODULO,
    ("lib/Conversion/TileToWarp/ModuloExpand.cpp", "no first value of a carried version"): MODULO,
    ("lib/Conversion/TileToWarp/ModuloExpand.cpp", "the order uses a value before it is defined"): MODULO,
    ("lib/Conversion/TileToWarp/ModuloExpand.cpp", "a value of the epilogue is used before it is defined"): MODULO,
    (
        "tools/heddle/Triton.cpp",
        "wrong result: the kernel as written differs from what the conversion rewrote it to",
    ): OURS,
    ("lib/Scheduling/Solver/Certify.cpp", "the checker's formula at interval"): OURS,
    ("lib/Simulator/Functional/Bindings.cpp", "expected one tile.grid, got none"): VERIFIED,
    ("lib/Simulator/Functional/Evaluate.cpp", "has a result type that the simulator cannot hold"): VERIFIED,
    ("lib/Simulator/Functional/Meaning.cpp", "expected no write to the padding of its rows, got one"): OURS,
    (
        "lib/Target/CUDA/Prepare/Arrays.cpp",
        "expected a register operand that keeps its value until the dot has been waited for",
    ): OURS,
    ("lib/Target/CUDA/Statements.cpp", "expected results that are tiles or scalars"): VERIFIED,
    ("lib/Target/CUDA/SharedTiles.cpp", "expected registers that pair up in shared memory, got layout"): LAYOUTS,
    (
        "lib/Target/CUDA/RegisterTiles.cpp",
        "expected a scalar constant of type f32, f16, bf16, i1, i32, i64 or index",
    ): SCALARS,
    ("lib/Target/CUDA/RegisterTiles.cpp", "expected a scalar of type f32, f16, bf16, i1, i32, i64 or index"): SCALARS,
    ("lib/Target/CUDA/RegisterTiles.cpp", "expected operands in the result's layout"): LAYOUTS,
    ("lib/Target/CUDA/Exchange.cpp", "expected one layout, got that of"): LAYOUTS,
    ("lib/Target/CUDA/Exchange.cpp", "expected positions along dimension"): LAYOUTS,
    ("lib/Target/CUDA/RegisterTiles.cpp", "expected a layout that holds what the source's holds"): LAYOUTS,
    (
        "lib/Target/CUDA/Exchange.cpp",
        "expected a tile that is converted through shared memory to have sizes that are powers of",
    ): LAYOUTS,
    ("lib/Target/CUDA/RegisterTiles.cpp", "expected an op on register tiles or scalars"): OURS,
    ("lib/Simulator/Timing/WarpOps.cpp", "at the read by @"): OURS,
    ("lib/Transforms/SubtileParts.cpp", "expected a tile size divisible by"): EVEN,
    ("runtime/emulation/Fibers.cpp", "no memory for the threads' stacks"): SYSTEM,
    ("runtime/emulation/Memory.cpp", "no address space for tensors"): SYSTEM,
    ("runtime/emulation/Memory.cpp", "no memory for tensor"): SYSTEM,
    ("runtime/tools/heddle-emulate.cpp", "cannot load the kernel"): SYSTEM,
    ("runtime/tools/heddle-emulate.cpp", "expected a kernel built for emulation in"): SYSTEM,
    ("tools/heddle/Emulate.cpp", "cannot create a temporary directory"): SYSTEM,
    ("tools/heddle/Emulate.cpp", "--device=emulate: expected heddle-emulate in"): SYSTEM,
    ("tools/heddle/Verify.cpp", "expected heddle-check in"): SYSTEM,
    ("tools/heddle/Gpu.cpp", "cannot create a temporary directory"): SYSTEM,
    (
        "tools/heddle/Triton.cpp",
        "wrong result: the converted kernel differs from the Triton kernel in float64",
    ): OURS,
}


def unescape(text):
    return text.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "\n")


def messages(root, name):
    """(line, [literals]) of every statement that makes a diagnostic."""
    begin = STARTS if name not in READERS else READER_STARTS
    inside, ours, words, first = False, False, [], 0
    with open(os.path.join(root, name), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            if line.lstrip().startswith("//"):
                continue
            code = line.split("//")[0] if '"' not in line.split("//")[0][-1:] else line
            if not inside and begin.search(code):
                inside, ours, words, first = True, False, [], number
            if inside:
                ours |= "ErrorKind::Internal" in code
                for match in STRING.finditer(code):
                    for part in re.split(r"\{\d\}", unescape(match.group(1))):
                        text = re.sub(r",? got$", "", part.strip(" '\"\n():,;"))
                        if " " in text and re.search("[a-z]{2}", text):
                            words.append(text)
            if inside and code.rstrip().endswith((";", "{", "}")):
                inside = False
                if words and not ours:
                    yield first, words


def sources(root):
    for room in ROOMS:
        for folder, _, names in sorted(os.walk(os.path.join(root, room))):
            for name in sorted(names):
                if name.endswith((".cpp", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def texts(root):
    """What the test files say; literals that stand beside each other are one text, as a compiler reads them."""
    for room in ("unittests", "test"):
        for folder, _, names in sorted(os.walk(os.path.join(root, room))):
            for name in sorted(names):
                if name.endswith((".cpp", ".h", ".test", ".sched", ".mlir")):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
                        yield re.sub(r'"\s*"', "", re.sub(r"\\([^\w\s])", r"\1", unescape(f.read())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--list", action="store_true", help="every message with its tests")
    args = parser.parse_args()
    root = os.path.normpath(args.root)
    tests = list(texts(root))
    missing = total = 0
    needed = set()
    for name in sources(root):
        for number, literals in messages(root, name):
            total += 1
            counts = [sum(text in content for content in tests) for text in literals]
            if args.list:
                print(f"{name}:{number}: {counts}: {' | '.join(literals)}")
            longest = counts[literals.index(max(literals, key=len))]
            if all(counts) if name in READERS else longest:
                continue
            reason = [key for key in EXEMPT if key[0] == name and key[1] in literals]
            if reason:
                needed.update(reason)
                continue
            missing += 1
            absent = max((text for text, count in zip(literals, counts) if not count), key=len)
            print(f"{name}:{number}: error: expected a test that contains '{absent}', got none")
    for name, text in sorted(set(EXEMPT) - needed):
        missing += 1
        print(f"{name}: error: expected no exemption that nothing needs, got '{text}'")
    print(f"diagnostics: {total - missing} of {total} messages, {len(needed)} of them exempt, occur in tests")
    return missing > 0


if __name__ == "__main__":
    sys.exit(main())
