#!/usr/bin/env python3
"""Damages the emitted CUDA text of kernels in one place at a time and asks whether the emulator notices.

    python3 utils/cuda_mutants.py --heddle build/bin/heddle [--count 1000] [--seed 1] [--jobs 2] [--json results.json]

A mutant changes one line: it drops a fence, wait, barrier, arrival, commit or copy, or changes an address, an offset, a
slot, a parity, a count (arrivals, bytes, groups left pending, threads) or a field of a descriptor. Each is emulated at
every size of its program until a run fails; it is noticed when the compiler rejects the text, the emulator reports a
fault or a deadlock, or the result differs. Survivors are listed. A mutant of which every thread executes, at every
size, the same instructions with the same operands as the undamaged text (an equal trace) is no damage, such as the slot
number of a loop with one trip: it is counted apart and another one is drawn. `--count 0` takes all. Exit code: 0 at
least --least percent noticed, 1 fewer.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")

# name, program, compile options, sizes: several trips around the rings and a ragged end; one trip.
SUBJECTS = [
    ("gemm", "01_gemm.mlir", ["--scheduler=heuristic"], ["M=136,N=200,K=584", "M=100,N=72,K=40"]),
    ("gemm-bf16", "15_gemm_bf16.mlir", ["--scheduler=heuristic"], ["M=136,N=200,K=584", "M=100,N=72,K=40"]),
    ("gemm-tt", "12_gemm_tt.mlir", ["--scheduler=heuristic"], ["M=136,N=200,K=584", "M=100,N=72,K=40"]),
    ("rowsum", "06_rowsum.mlir", ["--scheduler=heuristic"], ["M=136,N=72,K=712", "M=100,N=72,K=40"]),
    ("attention", "02_attention.mlir", ["--scheduler=heuristic"], ["B=1,H=1,S=200,T=680", "B=1,H=1,S=100,T=40"]),
    ("causal", "08_attention_causal.mlir", ["--scheduler=heuristic"], ["B=1,H=1,S=600", "B=1,H=1,S=100"]),
    (
        "rows",
        "../test/Programs/gather_operand.mlir",
        ["--scheduler=heuristic"],
        ["T=14,K=584,M=200", "T=14,K=40,M=100"],
    ),
    (
        "hand-over",
        "02_attention.mlir",
        ["--scheduler=random", "--free-groups", "--schedule-seed=4"],
        ["B=1,H=1,S=200,T=680", "B=1,H=1,S=100,T=40"],
    ),
    (
        "backward",
        "20_attention_backward_d64.mlir",
        ["--scheduler=random", "--schedule-seed=1"],
        ["B=1,H=1,S=330,T=200", "B=1,H=1,S=40,T=100"],
    ),
]

DROPPED = {
    "wait": r"hd::(?:mbarrierWait|wgmmaWait|tmaWaitRead|tmaWait)\b",
    "fence": r"hd::(?:fenceProxyAsync|wgmmaFence|mbarrierFenceInit)\b",
    "barrier": r"hd::(?:barrierSync|ctaSync|warpSync)\b",
    "arrival": r"hd::(?:mbarrierArriveIf|mbarrierArrive|mbarrierExpectTx|mbarrierInit|copiesArrive)\b",
    "commit": r"hd::(?:wgmmaCommit|tmaCommit)\b",
    "copy": r"hd::(?:tmaLoad|tmaStore|tmaStoreAdd|copyAsync)\b",
}


def splice(line, match, group, text):
    return line[: match.start(group)] + text + line[match.end(group) :]


def numbers(value, deltas):
    return [str(value + d) for d in deltas if value + d >= 0]


def mutants_of_line(line, depths):
    """Yields (kind, new line)."""
    code = line.split("//")[0]
    if not code.strip() or code.lstrip().startswith("#"):
        return
    for kind, pattern in DROPPED.items():
        if re.match(r"\s*" + pattern, code):
            yield "dropped " + kind, re.sub(r"\S.*", ";", code)
    # Counts.
    for m in re.finditer(r"hd::(wgmmaWait|tmaWaitRead|tmaWait)<(\d)>", code):
        if int(m[2]) < 7:  # fewer would only wait longer
            yield "count of pending groups", splice(code, m, 2, str(int(m[2]) + 1))
    for m in re.finditer(r"hd::mbarrierExpectTx\(.*, (\d+)\);", code):
        for n in numbers(int(m[1]), [-16, 16, int(m[1])]):
            yield "count of bytes", splice(code, m, 1, n)
    for m in re.finditer(r"hd::mbarrierInit\(.*, (\d+)\);", code):
        for n in numbers(int(m[1]), [-1, 1]):
            yield "count of arrivals", splice(code, m, 1, n)
    for m in re.finditer(r"hd::barrierSync\([^,]*, (\d+)\);", code):
        for n in numbers(int(m[1]), [-32, 32]):
            yield "count of threads", splice(code, m, 1, n)
    # Parities.
    for m in re.finditer(r"hd::mbarrierWait\((.*), ([^,]+)\);", code):
        yield "parity", splice(code, m, 2, f"(({m[2]}) ^ 1)")
    for m in re.finditer(r"(turn\d*|\([^()]*\)) & 1\b", code):
        yield "parity", splice(code, m, 1, f"({m[1]} + 1)")
    # Slots.
    for m in re.finditer(r"(\d+) \* (slot\d*)", code):
        yield "slot", splice(code, m, 2, f"({m[2]} + 1)")
        yield "slot", splice(code, m, 2, "0")
    for m in re.finditer(r"(?:slot\d* = .*|8 \* \(.*) & (\d+)\)?", code):
        yield "slot", splice(code, m, 1, str(int(m[1]) // 2))
    for m in re.finditer(r"const bool \w+ = \w+ == (\d+);", code):
        yield "slot", splice(code, m, 1, str(int(m[1]) + 1))
    for m in re.finditer(r"(slot|turn)\d* = .*<uint32_t>\((\d+)\)\)", code):
        for n in numbers(int(m[2]), [-1, 1]):
            if n != "0":
                yield "slot", splice(code, m, 2, n)
    for m in re.finditer(r"(kBar_\w+)(?! \+ 8)[,)]", code):
        if depths.get(m[1], 1) > 1:
            yield "slot", splice(code, m, 1, m[1] + " + 8")
    # Addresses and offsets.
    for m in re.finditer(r"constexpr uint32_t k(?:Smem|Bar)_\w+ = (\d+);", code):
        for n in numbers(int(m[1]), [-1024, 8, 1024]):
            yield "address", splice(code, m, 1, n)
    for m in re.finditer(r"hd::(?:tmaLoad|tmaStore|tmaStoreAdd)\((.*)\);", code):
        arguments = m[1].split(", ")
        first = next(i for i, a in enumerate(arguments) if a.startswith("&"))
        for i in range(first + (2 if "tmaLoad" in code else 2), len(arguments)):
            changed = arguments[:i] + [arguments[i] + " + 8"] + arguments[i + 1 :]
            yield "coordinate", splice(code, m, 1, ", ".join(changed))
        shared = 0 if "tmaLoad" in code else first + 1
        changed = arguments[:shared] + [arguments[shared] + " + 1024"] + arguments[shared + 1 :]
        yield "address", splice(code, m, 1, ", ".join(changed))
    for m in re.finditer(r"hd::(?:stShared|ldShared<[^>]*>)\((.*?)(, [^,()]*(?:\[[^\]]*\])?)?\)", code):
        yield "address", splice(code, m, 1, m[1] + " + 16")
    for m in re.finditer(r"\(at\d* \^ \((\d+) \*", code):
        yield "offset", splice(code, m, 1, str(int(m[1]) * 2))
    for m in re.finditer(r"hd::swizzle<(\d+)>", code):
        yield "swizzle", splice(code, m, 1, "64" if m[1] == "128" else "128")
    for m in re.finditer(r"program\d \* (\d+)", code):
        yield "offset", splice(code, m, 1, str(int(m[1]) // 2))
    for m in re.finditer(r"\bp\d*\[(\d+) \* r\]", code):
        yield "offset", splice(code, m, 1, str(int(m[1]) + 1))
    # Descriptors.
    for m in re.finditer(r"hd::desc(?:K|MN)<(\d+)>\((.*)\);", code):
        yield "descriptor", splice(code, m, 1, "64" if m[1] == "128" else "128")
        yield "descriptor", splice(code, m, 2, m[2].replace(",", " + 1024,", 1) if "," in m[2] else m[2] + " + 1024")
    for m in re.finditer(r"hd::descMN<\d+>\(.*, (\d+)\);", code):
        yield "descriptor", splice(code, m, 1, str(int(m[1]) * 2))
    for m in re.finditer(r"hd::descK<(\d+)>\((.*)\);", code):
        yield "descriptor", code[: m.start()] + f"hd::descriptor<{m[1]}>({m[2]}, 16, {4 * int(m[1])});"
    for m in re.finditer(r"hd::descAdvance\(\w+, [^()]*?(\d+) \*", code):
        yield "descriptor", splice(code, m, 1, str(int(m[1]) * 2))
    for m in re.finditer(r"hd::wgmmaSS<.*?(descA\d*).*?(descB\d*)", code):
        yield "descriptor", splice(code, m, 1, m[2])
    for m in re.finditer(r"hd::wgmma\w\w<.*, (j > 0|1|0)\);", code):
        yield "accumulate", splice(code, m, 1, "0" if m[1] == "1" else "1")


def mutants_of(text):
    depths = {m[1]: int(m[2]) for m in re.finditer(r"uint32_t (kBar_\w+) = \d+; // (\d+) x", text)}
    lines = text.split("\n")
    for i, line in enumerate(lines):
        for kind, changed in mutants_of_line(line, depths):
            if changed.strip() != line.split("//")[0].strip():
                yield (
                    {"kind": kind, "line": i + 1, "before": line.strip(), "after": changed.strip()},
                    "\n".join(lines[:i] + [changed] + lines[i + 1 :]),
                )


def run(command, limit=300):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit)


def why(result):
    """The first line of what an emulated run objects to, without its numbers."""
    text = re.sub(r"(?m)^heddle: .*; \d+ s\n", "", result.stderr).strip()  # without its notes of progress
    first = "\n".join(text.split("\n")[:2]) if "deadlock" in text else text.split("\n")[0]
    if "rejects the emitted text" in text:
        return "compiler"
    if "wrong result" in text:
        return "wrong result"
    if "deadlock" in text:
        return "deadlock"
    if "time limit" in text:
        return "time limit"
    if " of ring " in first:
        return "ring not given back"
    first = re.sub(r"^.*kernel\.cu:(\d+: )?", "", first)
    return re.sub(r"\d+", "N", re.sub(r", in thread.*", "", first))[:100] or f"exit {result.returncode}"


def traces(result):
    return re.findall(r"trace ([0-9a-f]+)", result.stdout)


def judge(job):
    heddle, program, options, sizes, sound, mutant, text, directory = job
    handle, path = tempfile.mkstemp(suffix=".cu", dir=directory)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    inert = True
    try:
        for size in sizes:
            result = run(
                [heddle, "run", program, "--device=emulate", "--cuda=" + path, "--emulation-limit=20", "--dims", size]
                + options
            )
            if result.returncode != 0:
                return dict(mutant, noticed=why(result), size=size)
            inert &= traces(result) == sound[size]
    except subprocess.TimeoutExpired:
        return dict(mutant, noticed="hang", size=size)
    finally:
        os.remove(path)
    return dict(mutant, noticed=None, inert=inert)


def replay(heddle, program, flags, directory):
    """Options that give the same kernel again without another search."""
    if "--scheduler=heuristic" in flags:
        return flags
    made = run([heddle, "compile", program, "--emit=plan"] + flags)
    if made.returncode != 0:
        sys.exit(f"{program}: {made.stderr}")
    os.makedirs(directory, exist_ok=True)
    plan = os.path.join(directory, "plan")
    with open(plan, "w", encoding="utf-8") as file:
        file.write(made.stdout)
    return ["--plan=" + plan]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=float, default=95.0)
    parser.add_argument("--only", help="subjects, comma separated")
    parser.add_argument("--json", help="write every mutant with its verdict to this file")
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    subjects = [s for s in SUBJECTS if not options.only or s[0] in options.only.split(",")]
    with tempfile.TemporaryDirectory() as directory:
        pools = []
        for name, file, flags, sizes in subjects:
            program = os.path.join(EXAMPLES, file)
            flags = replay(options.heddle, program, flags, os.path.join(directory, name))
            emitted = run([options.heddle, "compile", program, "--emit=cuda"] + flags)
            if emitted.returncode != 0:
                sys.exit(f"{name}: {emitted.stderr}")
            sound = {}
            for size in sizes:
                result = run([options.heddle, "run", program, "--device=emulate", "--dims", size] + flags)
                if result.returncode != 0:
                    sys.exit(f"{name} at {size}, undamaged: {result.stderr}")
                sound[size] = traces(result)
            pool = [
                (options.heddle, program, flags, sizes, sound, dict(mutant, subject=name), text, directory)
                for mutant, text in mutants_of(emitted.stdout)
            ]
            chosen.shuffle(pool)
            pools.append(pool)
            print(f"{name}: {len(pool)} mutants possible", flush=True)

        def draw(count):  # in turn, so that every kernel has its share
            jobs = []
            while any(pools) and (count < 0 or len(jobs) < count):
                for pool in pools:
                    if pool and (count < 0 or len(jobs) < count):
                        jobs.append(pool.pop())
            return jobs

        results, inert = [], 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
            jobs = draw(options.count or -1)
            while jobs:
                for result in executor.map(judge, jobs):
                    if result.pop("inert", False):
                        inert += 1
                        continue
                    results.append(result)
                    if len(results) % 100 == 0:
                        print(
                            f"{len(results)} judged, {sum(r['noticed'] is not None for r in results)} noticed",
                            flush=True,
                        )
                jobs = draw(options.count - len(results)) if options.count else []
    table = collections.defaultdict(lambda: [0, 0])
    for result in results:
        for key in (("subject", result["subject"]), ("kind", result["kind"])):
            table[key][0] += 1
            table[key][1] += result["noticed"] is not None
    for (what, name), (count, noticed) in sorted(table.items()):
        print(f"{what} {name}: {noticed} of {count}")
    for reason, count in collections.Counter(r["noticed"] for r in results if r["noticed"]).most_common():
        print(f"noticed by: {reason}: {count}")
    survivors = [r for r in results if r["noticed"] is None]
    for r in survivors:
        print(f"survivor: {r['subject']}:{r['line']}: {r['kind']}: {r['before']}  ->  {r['after']}")
    share = 100.0 * (len(results) - len(survivors)) / max(len(results), 1)
    print(
        f"{len(results) - len(survivors)} of {len(results)} noticed, {share:.1f} %; "
        f"{inert} more change nothing that runs"
    )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(
                {
                    "count": len(results),
                    "noticed": len(results) - len(survivors),
                    "inert": inert,
                    "seed": options.seed,
                    "mutants": results,
                },
                file,
                indent=1,
            )
            file.write("\n")
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
