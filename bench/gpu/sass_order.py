#!/usr/bin/env python3
"""Whether ptxas kept the order of a kernel: the loops of kernel.cu that hold products beside those of its cubin.

    python3 bench/gpu/sass_order.py DIR... [--nvdisasm PATH]        each DIR holds kernel.cu and kernel.cubin

What runs is what ptxas made of the emitted order. Three facts are read from the disassembly (CUDA binary utilities,
nvdisasm) of every loop that holds wgmma products:
  order        the sequence of products (shape, instructions) and of waits for them, by depth, is the one emitted;
               an error otherwise.
  window       how much arithmetic stands between the instructions of one group of products, whose issue it may delay.
  exponentials how many of them run on the other side of a product or wait than where they were emitted.
The last two are reported and no error: nothing pins arithmetic that does not depend on a wait, and kernels in which
everything was pinned were not faster (bench/results/2026-11-22-h100-attention-order.json).
Algorithm: a loop of the cubin is what stands between the target of a backward branch and the branch; sequences are
compared up to rotation, since ptxas may begin a loop elsewhere.
Exit code: 0 all as emitted, 1 defects, 77 skipped (no nvdisasm).
"""

import argparse
import collections
import glob
import math
import os
import re
import shutil
import subprocess
import sys

PRODUCT = re.compile(r"hd::wgmma(?:SS|RS)<(\d+),")
PRODUCT_OPCODE = re.compile(r"[HQI]GMMA\b")
REPEAT = re.compile(r"for \(int \w+ = 0; \w+ < (\d+); \+\+\w+\)")
# Instructions that wait for an operand's unit or take issue slots of a product: what counts as arithmetic here.
ARITHMETIC = re.compile(
    r"(FFMA|FADD|FMUL|FMNMX|FSEL|FSETP|MUFU|SHFL|F2FP?|HADD2|HMUL2|HFMA2|HMNMX2|I2FP?"
    r"|LDG|STG|LDS|STS|LDSM|STSM|RED|ATOM)"
    r"\b"
)

Event = collections.namedtuple("Event", "text exponentials")  # and the exponentials before it


def find_nvdisasm():
    """nvdisasm on PATH, or that of the PyPI package nvidia-cuda-nvdisasm; None where there is none."""
    places = [shutil.which("nvdisasm")]
    for folder in sys.path:
        places += sorted(glob.glob(os.path.join(folder, "nvidia", "*", "bin", "nvdisasm")))
    return next((place for place in places if place), None)


def emitted_loops(text):
    """[[Event]] of each innermost loop over a kernel's iterations in kernel.cu that holds products, in order."""
    group = collections.Counter()  # instructions by columns, since the last commit
    loops, stack, repeats = [], [], []  # stack: [indent, events, exponentials after the last, holds a loop]
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith(("//", "#pragma")):
            continue
        indent = len(line) - len(line.lstrip())
        while stack and stripped.startswith("}") and indent <= stack[-1][0]:
            _, events, pending, nested = stack.pop()
            if any(event.text.startswith("products") for event in events) and not nested:
                loops.append(close(events, pending))
        while repeats and indent <= repeats[-1][0]:
            repeats.pop()
        unrolled = REPEAT.match(stripped)
        if unrolled:
            repeats.append((indent, int(unrolled.group(1))))
        elif re.match(r"for \(.*\{$", stripped):
            for outer in stack:
                outer[3] = True
            stack.append([indent, [], 0, False])
        elif stack:
            times = math.prod(n for _, n in repeats)
            product = PRODUCT.match(stripped)
            wait = re.match(r"hd::wgmmaWait<(\d+)>", stripped)
            stack[-1][2] += stripped.split("//")[0].count("hd::ex2(") * times
            if product:
                group[product.group(1)] += times
            elif wait or stripped.startswith("hd::wgmmaCommit"):
                stack[-1][1].append(Event("wait " + wait.group(1) if wait else shape_of(group), stack[-1][2]))
                stack[-1][2] = 0
                group.clear()
    return loops


def shape_of(group):
    return "products " + " + ".join(f"{n} x n{columns}" for columns, n in sorted(group.items()))


def close(events, pending):
    """The exponentials after the last event come before the first one of the next iteration."""
    return [Event(events[0].text, events[0].exponentials + pending), *events[1:]]


def instructions(listing):
    """[(label or None, opcode text, operands)] of nvdisasm's text, in order of addresses."""
    label = None
    for line in listing.splitlines():
        match = re.match(r"(\.L_x_\d+):", line)
        if match:
            yield match.group(1), None, None
        match = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([\w.]+)\s*(.*?)\s*;", line)
        if match:
            yield label, match.group(1), match.group(2)


def compiled_loops(listing):
    """[([Event], [arithmetic inside a product])] of each innermost loop of the cubin that holds products."""
    stream = list(instructions(listing))
    at = {label: i for i, (label, opcode, _) in enumerate(stream) if opcode is None}
    spans = []
    for i, (_, opcode, operands) in enumerate(stream):
        target = re.search(r"`\((\.L_x_\d+)\)", operands or "")
        if opcode and opcode.startswith("BRA") and target and at.get(target.group(1), i) < i:
            spans.append((at[target.group(1)], i))
    loops = []
    for begin, end in sorted(set(spans)):
        body = stream[begin:end]
        if not holds_product(body):
            continue
        if any((b, e) != (begin, end) and begin <= b and e <= end and holds_product(stream[b:e]) for b, e in spans):
            continue
        loops.append(events_of(body))
    return loops


def holds_product(body):
    return any(opcode and PRODUCT_OPCODE.match(opcode) for _, opcode, _ in body)


def events_of(body):
    events, inside, window = [], [], []
    exponentials, group = 0, collections.Counter()
    for _, opcode, operands in body:
        if not opcode:
            continue
        if PRODUCT_OPCODE.match(opcode):
            group[re.search(r"64x(\d+)x", opcode).group(1)] += 1
            inside += window
            window = []
            if "gsb0" in operands:  # the last one of a committed group
                events.append(Event(shape_of(group), exponentials))
                exponentials = 0
                group.clear()
        elif opcode.startswith("WARPGROUP.DEPBAR"):
            events.append(Event(f"wait {int(operands.split(',')[1], 16)}", exponentials))
            exponentials = 0
        else:
            exponentials += opcode.startswith("MUFU.EX2")
            if group and ARITHMETIC.match(opcode):
                window.append(opcode)
    if events:
        events = close(events, exponentials)
    return events, inside


def rotations(events):
    return [events[i:] + events[:i] for i in range(len(events))]


def texts(events):
    return [event.text for event in events]


def holds(whole, part):
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def compare(emitted, compiled, straight):
    """(defects, notes) of one kernel, as lines of text; `straight`: the events of its whole text in order, where a loop
    of few iterations lies unrolled."""
    defects, notes = [], []
    left = list(compiled)
    for number, loop in enumerate(emitted):
        fits = [
            (sum(abs(a.exponentials - b.exponentials) for a, b in zip(loop, turned)) // 2, k, inside)
            for k, (events, inside) in enumerate(left)
            for turned in rotations(events)
            if texts(turned) == texts(loop)
        ]
        if not fits and holds(texts(straight), texts(loop)):
            continue
        if not fits:
            found = "; ".join(", ".join(texts(events)) for events, _ in left) or "none"
            defects.append(f"loop {number}: expected {', '.join(texts(loop))} in this order, got {found}")
            continue
        moved, k, inside = min(fits)
        left.pop(k)
        if inside:
            counts = collections.Counter(opcode.split(".")[0] for opcode in inside)
            shown = ", ".join(f"{n} {opcode}" for opcode, n in sorted(counts.items()))
            notes.append(f"loop {number}: arithmetic inside a product's window: {shown}")
        total = sum(event.exponentials for event in loop)
        if moved:
            notes.append(f"loop {number}: {moved} of {total} exponentials moved over a product or a wait")
    return defects, notes


def check(directory, nvdisasm):
    """(defects, notes) of the kernel in `directory`."""
    with open(os.path.join(directory, "kernel.cu"), encoding="utf-8") as file:
        emitted = emitted_loops(file.read())
    listing = subprocess.run(
        [nvdisasm, os.path.join(directory, "kernel.cubin")], capture_output=True, text=True, check=True
    ).stdout
    return compare(emitted, compiled_loops(listing), events_of(list(instructions(listing)))[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--nvdisasm", default=find_nvdisasm())
    args = parser.parse_args()
    if not args.nvdisasm:
        print("skipped: expected nvdisasm on PATH or the package nvidia-cuda-nvdisasm, got neither")
        return 77
    bad = False
    for directory in args.directories:
        defects, notes = check(directory, args.nvdisasm)
        bad = bad or bool(defects)
        name = os.path.basename(os.path.normpath(directory))
        for text in defects:
            print(f"{name}: error: {text}")
        for text in notes:
            print(f"{name}: note: {text}")
        if not defects and not notes:
            print(f"{name}: as emitted")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
