#!/usr/bin/env python3
"""Mutated inputs through the whole compiler: no crash, no hang, no report of a sanitizer, always an exit code of the
user's with a message.

    python3 utils/fuzz.py --build build-asan --programs 10000 --tasks 3000 --mappings 3000 --sched 10000
        --machines 2000 --manifests 1000 --triton 5000 --plans 5000 --arrays 2000 --caches 1000 --tunes 200
        [--seed N] [--jobs N] [--keep DIR]
    python3 utils/fuzz.py --build build-asan --again DIR/program-17-...        one kept case again, with its output

What:     seeds (examples, test programs, instances, machine files, Triton kernels, .npy files; and what the build
          writes: manifests, plans, solved problems, tuned plans) are mutated: numbers, tokens, lines, parts of other
          seeds, values of JSON trees. Each goes to one of the tools' commands in a process of its own, of ten seconds
          of processor time.
Failure:  death by a signal, too much time or memory, an exit code that is not 0, 1, 2, 3, 5 or 6 (4 is an error of
          ours), an error without a message, a message of a sanitizer or of an assertion. Each is kept with its command;
          one line says how many have the same last words.
Files:    fuzz_inputs.py has the seeds and commands of each kind of input, fuzz_mutations.py the mutations.
Where:    the build of `cmake --preset asan` for the sanitizers, any other build for the rest. A case depends
          on the seed and its number alone.
Exit:     0 none failed, 1 otherwise.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

from fuzz_inputs import (
    ROOT,
    Arrays,
    Caches,
    Instances,
    Machines,
    Manifests,
    Mappings,
    Plans,
    Programs,
    Tasks,
    Triton,
    Tunes,
    read,
)

CPU_SECONDS = 10  # of a case; four times that in a build with sanitizers
BAD_WORDS = re.compile(
    r"(Sanitizer|runtime error:|Assertion|LLVM ERROR|terminate called|PLEASE submit a bug|internal error)[^\n]*"
)
KINDS = re.compile(
    r"error:|infeasible|limit reached|unknown|heddle: |Unknown|wrong result|not legal"
    r"|rejected|elements unwritten|nothing proved",
    re.I,
)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


# Set for this process, so that the commands which make the seeds have it, too.
os.environ.update(
    HEDDLE_PROGRESS="off",
    # MLIR is not instrumented: what it allocates from an arena that we poisoned is no error. Leaks are
    # no concern of a tool that ends.
    ASAN_OPTIONS="allow_user_poisoning=0:detect_leaks=0:hard_rss_limit_mb=4096:allocator_may_return_null=0:"
    "detect_container_overflow=0:"
    "handle_abort=1:symbolize=0",
    UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1",
)


def judge(kind, command, code, out, err):
    """What is wrong with the end of one run, in words; empty when nothing is."""
    words = BAD_WORDS.search(err) or BAD_WORDS.search(out[-2000:])
    if words:
        at = re.search(r"[\w/.]*/(\w+\.(?:cpp|h|inc)):\d+", err) if "runtime error" in words.group(0) else None
        return (at.group(0) + " " if at else "") + words.group(0)[:160]
    if code is None or code in (-24, -9):
        return "hangs: more than %d s" % CPU_SECONDS
    if code < 0:
        return f"dies by signal {-code}"
    if code not in (0, 1, 2, 3, 5, 6) or code in kind.wrong_codes:
        return f"exit code {code}"
    if code and not KINDS.search(err) and not (code in (1, 2, 3, 5) and KINDS.search(out)):
        return f"exit code {code} without a message"
    return ""


def run_case(kind, seed, number, keep):
    """One case; the failure in words, or empty."""
    rng = random.Random(f"{seed}/{kind.name}/{number}")
    text = kind.make(rng)
    folder = os.path.join(kind.work, f"{kind.name}-{number}")
    path = os.path.join(folder, "in" + kind.suffix) if not kind.suffix.startswith("/") else folder + kind.suffix
    os.makedirs(folder)
    errors = "surrogateescape" if kind.encoding == "utf-8" else "replace"
    with open(path, "w", encoding=kind.encoding, errors=errors, newline="") as f:
        f.write(text)
    command = kind.command(rng, path)
    out, err, code = execute(command, folder)
    wrong = judge(kind, command, code, out, err)
    if wrong and keep:
        target = os.path.join(keep, f"{kind.name}-{number}")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target)
        with open(os.path.join(target, "command"), "w", encoding="utf-8") as f:
            f.write(shlex.join(word.replace(folder, target) for word in command) + "\n# " + wrong + "\n" + err[-6000:])
    shutil.rmtree(folder)
    return wrong, code


def execute(command, folder):
    with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
        try:
            code = subprocess.run(
                command,
                stdout=out,
                stderr=err,
                stdin=subprocess.DEVNULL,
                preexec_fn=limits,
                timeout=CPU_SECONDS * 12,
            ).returncode
        except subprocess.TimeoutExpired:
            code = None
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 20).decode("utf-8", "replace"))
    return texts[0], texts[1], code


def main():
    global CPU_SECONDS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    kinds = {
        "programs": Programs,
        "tasks": Tasks,
        "mappings": Mappings,
        "sched": Instances,
        "machines": Machines,
        "manifests": Manifests,
        "triton": Triton,
        "plans": Plans,
        "arrays": Arrays,
        "caches": Caches,
        "tunes": Tunes,
    }
    for name in kinds:
        parser.add_argument("--" + name, type=int, default=0, metavar="N")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each kind")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="directory for the inputs that fail")
    parser.add_argument("--again", help="run a kept case")
    args = parser.parse_args()
    if args.again:
        command = shlex.split(read(os.path.join(args.again, "command")).split("\n")[0])
        return subprocess.run(command, preexec_fn=limits, check=False).returncode
    with open(os.path.join(args.build, "bin/heddle-sched"), "rb") as tool:
        if b"__asan_init" in tool.read():
            CPU_SECONDS *= 4
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    failures = 0
    with (
        tempfile.TemporaryDirectory(prefix="heddle-fuzz") as work,
        concurrent.futures.ThreadPoolExecutor(args.jobs) as pool,
    ):
        for name, make in kinds.items():
            count = getattr(args, name)
            if not count:
                continue
            kind = make(args.build, work)
            codes, reasons = collections.Counter(), collections.defaultdict(list)
            numbers = range(args.first, args.first + count)
            for number, (wrong, code) in zip(
                numbers, pool.map(lambda n: run_case(kind, args.seed, n, args.keep), numbers)
            ):
                codes[code] += 1
                if wrong:
                    reasons[re.sub(r"0x[0-9a-f]+|==\d+==|\d{4,}", "N", wrong)].append(number)
                    print(f"{kind.name} {number}: error: {wrong}", flush=True)
            print(
                f"{kind.name}: {count} inputs; exit codes "
                + ", ".join(f"{c}: {n}" for c, n in sorted(codes.items(), key=str))
                + f"; {sum(map(len, reasons.values()))} failures of {len(reasons)} sorts",
                flush=True,
            )
            for reason, cases in sorted(reasons.items(), key=lambda item: -len(item[1])):
                print(f"  {len(cases)} x {reason} (case {cases[0]})", flush=True)
            failures += sum(map(len, reasons.values()))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
