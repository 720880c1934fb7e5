#!/usr/bin/env python3
"""Mutated inputs through the whole compiler: no crash, no hang, no report of a sanitizer, always an exit code of the
user's with a message.

    python3 utils/fuzz.py --build build-asan --programs 10000 --sched 10000 --machines 2000 --manifests 1000
        --triton 5000 --plans 5000 --arrays 2000 --caches 1000 --tunes 200 [--seed N] [--jobs N] [--keep DIR]
    python3 utils/fuzz.py --build build-asan --again DIR/program-17-...        one kept case again, with its output

What:     seeds (examples, test programs, instances, machine files, Triton kernels, .npy files; and what the build
          writes: manifests, plans, solved problems, tuned plans) are mutated: numbers, tokens, lines, parts of other
          seeds, values of JSON trees. Each goes to one of the tools' commands in a process of its own, of ten seconds
          of processor time.
Failure:  death by a signal, too much time or memory, an exit code that is not 0, 1, 2, 3, 5 or 6 (4 is an error of
          ours), an error without a message, a message of a sanitizer or of an assertion. Each is kept with its command;
          one line says how many have the same last words.
Where:    the build of `cmake --preset asan` for the sanitizers, any other build for the rest. A case depends
          on the seed and its number alone.
Exit:     0 none failed, 1 otherwise.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CPU_SECONDS = 10  # of a case; four times that in a build with sanitizers
NUMBERS = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "100",
    "127",
    "128",
    "129",
    "192",
    "255",
    "256",
    "257",
    "512",
    "1000",
    "1024",
    "4096",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "0.5",
    "1e300",
    "-0.0",
    "0x7FC00000",
]
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@!#^]?[A-Za-z_][\w.$]*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|->|\s+|.', re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$")
BAD_WORDS = re.compile(
    r"(Sanitizer|runtime error:|Assertion|LLVM ERROR|terminate called|PLEASE submit a bug|internal error)[^\n]*"
)
KINDS = re.compile(
    r"error:|infeasible|limit reached|unknown|heddle: |Unknown|wrong result|not legal"
    r"|rejected|elements unwritten|nothing proved",
    re.I,
)


# ---------------------------------------------------------------------- mutation


class Text:
    """Mutations of text as tokens and lines; `others` are texts to take parts of."""

    def __init__(self, rng, others):
        self.rng, self.others = rng, others

    def number(self, tokens):
        places = [i for i, t in enumerate(tokens) if NUMBER.match(t)]
        if places:
            i = self.rng.choice(places)
            tokens[i] = self.new_number(tokens[i])

    def new_number(self, old):
        if self.rng.random() < 0.5 or "." in old or "e" in old:
            return self.rng.choice(NUMBERS)
        return str(
            self.rng.choice(
                [int(old) + 1, int(old) - 1, int(old) * 2, int(old) // 2, -int(old), int(old) + 8, int(old) * 3]
            )
        )

    def number_everywhere(self, tokens):
        """Keeps what depends on each other: every 64 becomes 48, in types such as 64x64xf16 too."""
        text = "".join(tokens)
        numbers = sorted(set(re.findall(r"(?<![\w.])\d+(?=\b|x)|(?<=x)\d+(?=x)", text)))
        if numbers:
            old = self.rng.choice(numbers)
            text = re.sub(r"(?<![\d.])" + old + r"(?![\d.])", self.new_number(old), text)
        tokens[:] = TOKEN.findall(text)

    def token(self, tokens):
        """A token becomes another of its sort, from this text or another one."""
        i = self.rng.randrange(len(tokens))
        pool = tokens if self.rng.random() < 0.6 else TOKEN.findall(self.rng.choice(self.others))
        same = [t for t in pool if t[:1] == tokens[i][:1] or (t[:1].isalpha() and tokens[i][:1].isalpha())]
        tokens[i] = self.rng.choice(same or pool or ["x"])

    def delete(self, tokens):
        i = self.rng.randrange(len(tokens))
        del tokens[i : i + self.rng.choice([1, 1, 1, 2, 5])]

    def repeat(self, tokens):
        i = self.rng.randrange(len(tokens))
        tokens[i:i] = tokens[i : i + self.rng.choice([1, 1, 3])] * self.rng.choice([1, 1, 1, 40])

    def swap(self, tokens):
        i, j = self.rng.randrange(len(tokens)), self.rng.randrange(len(tokens))
        tokens[i], tokens[j] = tokens[j], tokens[i]

    def lines(self, tokens):
        lines = "".join(tokens).split("\n")
        i, j = sorted((self.rng.randrange(len(lines)), self.rng.randrange(len(lines))))
        how = self.rng.randrange(5)
        if how == 0:
            del lines[i]
        elif how == 1:
            lines.insert(j, lines[i])
        elif how == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif how == 3:
            part = lines[i:j]
            self.rng.shuffle(part)
            lines[i:j] = part
        else:
            other = self.rng.choice(self.others).split("\n")
            k = self.rng.randrange(len(other))
            lines[i:i] = other[k : k + self.rng.choice([1, 1, 3, 10])]
        tokens[:] = TOKEN.findall("\n".join(lines))

    def characters(self, tokens):
        text = "".join(tokens)
        i = self.rng.randrange(len(text) + 1)
        how = self.rng.randrange(3)
        if how == 0:
            text = text[:i]
        else:
            text = (
                text[:i]
                + self.rng.choice(['"', "\\", "\0", "\xff", "\n", "{", "}", "<", "?", "x", " ", "\u20ac"])
                + text[i + how - 1 :]
            )
        tokens[:] = TOKEN.findall(text)

    def mutate(self, text):
        """Half the texts keep their shape (numbers, or one line, differ); the other half loses it."""
        tokens = TOKEN.findall(text)
        if self.rng.random() < 0.5:
            ways = [self.number] * 3 + [self.number_everywhere] * 6 + [self.lines] * 2
            count = self.rng.choice([1, 1, 2])
        else:
            ways = [self.number] * 4 + [self.number_everywhere] * 4 + [self.token] * 5 + [self.lines] * 4
            ways += [self.delete, self.repeat, self.swap, self.delete, self.characters]
            count = min(8, 1 + int(self.rng.expovariate(0.8)))
        for _ in range(count):
            if tokens:
                self.rng.choice(ways)(tokens)
        return "".join(tokens)


def places(tree, path=()):
    """Every (container, key) of a JSON tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from places(value, path + (key,))


def mutate_json(rng, text, others):
    """A JSON text with values, keys and formulas changed; now and then as plain text."""
    if rng.random() < 0.15:
        return Text(rng, others).mutate(text)
    tree = json.loads(text)
    for _ in range(min(6, 1 + int(rng.expovariate(0.8)))):
        all_places = list(places(tree))
        if not all_places:
            break
        at, key = rng.choice(all_places)
        old, how = at[key], rng.random()
        if how < 0.15:
            del at[key]
        elif how < 0.25:
            other, k = rng.choice(list(places(json.loads(rng.choice(others)))) or [(at, key)])
            at[key] = other[k]
        elif how < 0.35 and isinstance(at, dict):
            at[rng.choice(["", "x", "name", "a\n", str(key) + "x", "\u00e4"])] = old
        elif isinstance(old, str):
            at[key] = rng.choice(
                [
                    Text(rng, [old]).mutate(old) if old else "x",
                    "",
                    "n",
                    "x" * 300,
                    5,
                    None,
                    "max(n, 1) + m",
                    "(" * 500,
                    "1/0",
                    "\u20ac",
                ]
            )
        elif isinstance(old, (int, float)) and not isinstance(old, bool):
            at[key] = rng.choice(
                [
                    0,
                    1,
                    -1,
                    2,
                    1.5,
                    1e300,
                    -1e300,
                    2**31,
                    2**31 - 1,
                    2**32 + 1,
                    2**53,
                    2**63 - 1,
                    2**63,
                    -(2**63),
                    2**64,
                    "1",
                    None,
                    [old],
                    old * 2,
                    -old,
                ]
            )
        else:
            at[key] = rng.choice([None, [], {}, 0, "x", True, [old], [old, old]])
    out = json.dumps(tree, indent=rng.choice([None, 2]))
    return out.replace("1e+300", rng.choice(["1e300", "1e999", "NaN"]))


# ---------------------------------------------------------------------- kinds of input


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def split_tests(path):
    """The programs of a test file, without its comments."""
    for part in read(path).split("// -----"):
        text = "\n".join(line for line in part.split("\n") if not line.lstrip().startswith("//"))
        if ".kernel" in text or "tt.func" in text:
            yield text


class Kind:
    """`name`, the file name of its input, and seeds; `command` gives the command of one case."""

    suffix = ""
    encoding = "utf-8"

    def __init__(self, build, work):
        self.bin, self.work = os.path.join(build, "bin"), work
        self.seeds = self.make_seeds()
        if not self.seeds:
            sys.exit(f"error: expected seeds for {self.name}, got none")

    def make(self, rng):
        return Text(rng, self.seeds).mutate(rng.choice(self.seeds))

    def tool(self, name):
        return os.path.join(self.bin, name)

    def glob(self, *patterns):
        return sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))


class Programs(Kind):
    name, suffix = "program", ".mlir"

    def make_seeds(self):
        self.good = [read(path) for path in self.glob("unittests/Fuzz/programs/*.mlir", "examples/*.mlir")]
        self.small = self.good[: len(self.glob("unittests/Fuzz/programs/*.mlir"))]
        return [
            text
            for path in self.glob("examples/*.mlir", "test/**/*.mlir")
            for text in split_tests(path)
            if len(text) < 20000
        ] + self.small

    def make(self, rng):
        return Text(rng, self.seeds).mutate(rng.choice(rng.choice([self.small, self.small, self.good, self.seeds])))

    def command(self, rng, path):
        fast = [
            "--time-limit=2",
            f"--resolution={rng.choice([4, 8, 16])}",
            f"--scheduler={rng.choice(['heuristic', 'heuristic', 'random', 'exact'])}",
        ]
        fast += rng.choice(
            [
                [],
                [],
                ["--fixed-groups"],
                ["--free-groups"],
                [f"--schedule-seed={rng.randrange(9)}"],
                ["--mode=sequential"],
                ["--depth=1"],
            ]
        )
        what = rng.choice(
            [
                "tile",
                "problem",
                "schedule",
                "warp",
                "hw",
                "cuda",
                "cuda",
                "cuda",
                "run",
                "run",
                "run",
                "verify",
                "explain",
                "schedule-svg",
            ]
        )
        if what == "run":
            return [self.tool("heddle"), "run", path, "--device=sim", "--simulation-limit=5"] + fast
        if what == "verify":
            return [self.tool("heddle"), "verify", path, "--simulation-limit=5"] + fast
        if what == "explain":
            return [self.tool("heddle"), "explain", path] + fast
        if what == "schedule-svg":
            return [self.tool("heddle"), "schedule", path, "--svg=/dev/null"] + fast
        return [self.tool("heddle"), "compile", path, "--emit=" + what] + fast


class Instances(Kind):
    name, suffix = "sched", ".sched"

    def make_seeds(self):
        files = self.glob(
            "bench/sched/literature/*.sched",
            "bench/sched/*.sched",
            "test/Scheduling/*.sched",
            "unittests/Fuzz/corpus/*.problem",
        )
        return [text for text in map(read, files) if len(text) < 12000]

    def command(self, rng, path):
        sched, limit = self.tool("heddle-sched"), "--time-limit=2"
        return rng.choice(
            [
                [sched, "solve", path, limit],
                [sched, "solve", path, limit, "--json"],
                [sched, "solve", path, limit, "--mode=modulo"],
                [sched, "solve", path, limit, "--mode=paper"],
                [sched, "heuristic", path],
                [sched, "random", path, f"--seed={rng.randrange(99)}"],
                [sched, "bounds", path],
                [sched, "rewrite", path],
                [sched, "rewrite", path, "--normalise=100", "--streaming"],
                [sched, "explain", path, limit],
                [sched, "draw", path, limit],
                [sched, "draw", path, "--graph", limit],
                [
                    sched,
                    "export",
                    path,
                    "--format=" + rng.choice(["smt2", "opb", "lp"]),
                    "--max-stages=2",
                    "--normalise=20",
                    "-o",
                    "/dev/null",
                ],
                [self.tool("heddle"), "schedule", path, limit, "--svg=/dev/null"],
                [sched, "solve", path, limit, "--free-groups=" + os.path.join(ROOT, "machines/toy.json")],
                [self.tool("heddle-check"), path, rng.choice(self.solutions())],
            ]
        )

    def solutions(self):
        """Solutions of seeds: the problem that they are checked against is another one."""
        made = os.path.join(self.work, "solution")
        if not os.path.exists(made):
            toy = os.path.join(ROOT, "bench/sched/twill_figure2.sched")
            subprocess.run([self.tool("heddle-sched"), "solve", toy, "-o", made], stdout=subprocess.DEVNULL, check=True)
        return [made]


class Machines(Kind):
    name, suffix = "machine", ".json"

    def make_seeds(self):
        return [read(path) for path in self.glob("machines/*.json")]

    def make(self, rng):
        return mutate_json(rng, rng.choice(self.seeds), self.seeds)

    def command(self, rng, path):
        program = os.path.join(
            ROOT, "examples", rng.choice(["01_gemm.mlir", "06_rowsum.mlir", "13_gemm_64x128x64.mlir"])
        )
        fast = [
            "--machine=" + path,
            "--time-limit=2",
            "--resolution=8",
            "--scheduler=" + rng.choice(["heuristic", "exact"]),
        ]
        return rng.choice(
            [
                [self.tool("heddle"), "compile", program, "--emit=" + rng.choice(["problem", "schedule", "cuda"])]
                + fast,
                [self.tool("heddle"), "run", program, "--device=sim", "--simulation-limit=5"] + fast,
                [
                    self.tool("heddle-sched"),
                    "solve",
                    os.path.join(ROOT, "bench/sched/gemm_h100.sched"),
                    "--free-groups=" + path,
                    "--time-limit=2",
                ],
            ]
        )


class Manifests(Kind):
    name, suffix = "manifest", "/kernel.json"

    def make_seeds(self):
        library = os.path.join(self.work, "driver.so")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-w", os.path.join(ROOT, "test/Tools/Inputs/fake-cuda.c"), "-o", library],
            check=True,
        )
        seeds = []
        for name in ("01_gemm", "04_gemm_scaled_a", "06_rowsum", "09_gemm_batched"):
            out = os.path.join(self.work, name)
            subprocess.run(
                [
                    self.tool("heddle"),
                    "compile",
                    os.path.join(ROOT, "examples", name + ".mlir"),
                    "--scheduler=heuristic",
                    "-o",
                    out,
                ],
                stdout=subprocess.DEVNULL,
                check=True,
            )
            seeds.append(read(os.path.join(out, "kernel.json")))
        return seeds + [read(path) for path in self.glob("device/test/*reference.json")]

    def make(self, rng):
        return mutate_json(rng, rng.choice(self.seeds), self.seeds)

    def command(self, rng, path):
        with open(os.path.join(os.path.dirname(path), "kernel.cubin"), "w", encoding="utf-8") as cubin:
            cubin.write("".join(re.findall(r"heddle_text_\w+", "".join(self.seeds))))
        found = re.findall(
            r'"name":\s*"(\w+)".{0,80}?"rank":\s*(\d)|"rank":\s*(\d)[^{}]{0,80}?"name":\s*"(\w+)"', read(path), re.S
        )
        ranks = {before[0] or before[3]: int(before[1] or before[2]) for before in found}
        options = []
        for name, rank in ranks.items():
            size = (
                rng.choice(["1", "8x8x8", "0x4", "2147483648x2147483648", "-1x2", "4x"])
                if rng.random() < 0.1
                else "x".join(["64"] * rank)
            )
            options += ["--view", f"{name}={size}"]
        return [
            self.tool("heddle-launch"),
            os.path.dirname(path),
            "--library",
            os.path.join(self.work, "driver.so"),
            "--scalar",
            "alpha=2",
        ] + options


FAST = ["--time-limit=2", "--resolution=8", "--scheduler=heuristic"]


class Triton(Kind):
    name, suffix = "triton", ".ttir"

    def make_seeds(self):
        self.kernels = [text for path in self.glob("test/Triton/*.mlir") for text in split_tests(path)]
        return self.kernels + [
            part.partition("\n")[2]
            for path in self.glob("test/Triton/refusals.test")
            for part in re.split(r"^#--- ", read(path), flags=re.M)[1:]
        ]

    def make(self, rng):
        return Text(rng, self.seeds).mutate(rng.choice(rng.choice([self.kernels, self.seeds])))

    def command(self, rng, path):
        heddle, what = self.tool("heddle"), rng.choice(["explain", "tile", "warp", "cuda", "cuda", "run", "run"])
        if what == "run":
            return [heddle, "run", path, "--device=sim", "--grid=2", "--simulation-limit=5", *FAST]
        if what == "explain":
            return [heddle, "explain", path, *FAST]
        return [heddle, "compile", path, "--emit=" + what, *FAST]


class Plans(Kind):
    name, suffix = "plan", ".plan"
    programs = ("01_gemm", "04_gemm_scaled_a", "06_rowsum", "13_gemm_64x128x64", "16_attention_d64")

    def make_seeds(self):
        seeds = []
        for name in self.programs:
            out = os.path.join(self.work, name + ".plan")
            with open(out, "w", encoding="utf-8") as file:
                command = [self.tool("heddle"), "compile", self.example(name), "--emit=plan", "--scheduler=heuristic"]
                subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, check=True)
            seeds.append(read(out))
        return seeds

    @staticmethod
    def example(name):
        return os.path.join(ROOT, "examples", name + ".mlir")

    def make(self, rng):
        rng.chosen = rng.randrange(len(self.seeds))
        return Text(rng, self.seeds).mutate(self.seeds[rng.chosen])

    def command(self, rng, path):
        parameters = Text(rng, ["BM=128,BN=256,BK=64"]).mutate("BM=128,BN=256,BK=64").replace("\0", "")
        program = self.example(rng.choice(self.programs) if rng.random() < 0.1 else self.programs[rng.chosen])
        what = [f"--param={parameters}"] if rng.random() < 0.2 else ["--plan=" + path]
        return rng.choice(
            [
                [self.tool("heddle"), "compile", program, "--emit=cuda", *what, *FAST[:2]],
                [self.tool("heddle"), "compile", program, "--emit=plan", *what, *FAST],
                [self.tool("heddle"), "explain", program, *what, *FAST],
            ]
        )


class Arrays(Kind):
    """.npy files: a magic, a version, the length of the header, the header, which is a Python dictionary, the data."""

    name, suffix, encoding = "array", ".npy", "latin-1"

    def make_seeds(self):
        return [
            self.file(f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}", bytes(size))
            for descr in ("<f2", "<f2", "<f2", "<f4", "|i1")
            for order, shape, size in (
                ("False", "(64, 64)", 8192),
                ("True", "(64, 64)", 16384),
                ("False", "(64,)", 128),
            )
        ]

    @staticmethod
    def file(header, data, version=1):
        text = header.encode("latin-1", "replace") + b"\n"
        length = struct.pack("<H" if version == 1 else "<I", len(text) % (1 << 16 if version == 1 else 1 << 32))
        return (b"\x93NUMPY" + bytes([version % 256, 0]) + length + text + data).decode("latin-1")

    def make(self, rng):
        seed = rng.choice(self.seeds)
        header, data = seed[10:].split("\n", 1)
        if rng.random() < 0.6:
            mutated = Text(rng, [s[10:].split("\n", 1)[0] for s in self.seeds]).mutate(header)
            return self.file(mutated, data.encode("latin-1"), rng.choice([1, 1, 1, 2, 3, 255]))
        out = list(seed)
        for _ in range(rng.randrange(1, 6)):
            if out:
                out[rng.randrange(min(len(out), 90))] = chr(rng.randrange(256))
        return "".join(out[: rng.choice([len(out), len(out), rng.randrange(len(out) + 1)])])

    def command(self, rng, path):
        program = os.path.join(ROOT, "examples", rng.choice(["13_gemm_64x128x64", "06_rowsum"]) + ".mlir")
        dims = ["--dims=M=64,N=64,K=64"] if rng.random() < 0.5 else []
        run = [self.tool("heddle"), "run", program, "--device=sim", "--simulation-limit=5", "--input=A=" + path]
        return run + dims + FAST


class Caches(Kind):
    """Solved problems and tuned plans on disk, damaged: they are taken or left, never trusted."""

    name, suffix = "cache", "/cache"

    def make_seeds(self):
        self.commands, self.files = [], []
        gemm = os.path.join(ROOT, "examples/13_gemm_64x128x64.mlir")
        tuned = os.path.join(ROOT, "test/Transforms/Inputs/parameters.mlir")
        sizes = [tuned, "--kernel=follow", "--dims=M=500,N=4096"]
        for name, prepare, command in (
            ("solved", ["compile", gemm, "--emit=schedule"], ["compile", gemm, "--emit=cuda"]),
            ("tuned", ["tune", *sizes, "--device=none"], ["compile", *sizes, "--emit=cuda"]),
        ):
            directory = os.path.join(self.work, name)
            subprocess.run(
                [self.tool("heddle"), *prepare],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(os.environ, HEDDLE_CACHE=directory),
                check=True,
            )
            for at, _, files in sorted(os.walk(directory)):
                for file in sorted(files):
                    self.files.append(os.path.relpath(os.path.join(at, file), directory))
                    self.commands.append((directory, command))
        return [read(os.path.join(directory, file)) for (directory, _), file in zip(self.commands, self.files)]

    def make(self, rng):
        return Text(rng, self.seeds).mutate(rng.choice(self.seeds))

    def command(self, rng, path):
        chosen = rng.randrange(len(self.files))
        directory, command = self.commands[chosen]
        made = path + "-of-case"
        shutil.copytree(directory, made)
        shutil.copy(path, os.path.join(made, self.files[chosen]))
        return ["env", "HEDDLE_CACHE=" + made, self.tool("heddle"), *command]


class Tunes(Kind):
    """Candidates that are given: what a plan says of the kernel, one a line."""

    name, suffix = "tune", ".plans"

    def make_seeds(self):
        return [
            "{groups = 2}\n{groups = 1, depth = 3}\n",
            "{parameters = {BM = 128, BN = 128, BK = 64}, persistent = true}\n",
            "{raster = 4, tiles = 1, registers = [240, 240]}\n{smem = 114688}\n",
        ]

    def command(self, rng, path):
        sizes = Text(rng, ["M=512,N=512,K=512"]).mutate("M=512,N=512,K=512").replace("\0", "")
        program = os.path.join(ROOT, "examples", rng.choice(["01_gemm", "06_rowsum"]) + ".mlir")
        dims = "--dims=" + (sizes if rng.random() < 0.3 else "M=512,N=512,K=512")
        return [self.tool("heddle"), "tune", program, dims, "--device=none", "--plans=" + path, "--no-cache", *FAST[:2]]


# ---------------------------------------------------------------------- running


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


ENVIRONMENT = dict(
    os.environ,
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
    if code not in (0, 1, 2, 3, 5, 6):
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
                env=ENVIRONMENT,
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
        return subprocess.run(command, env=ENVIRONMENT, preexec_fn=limits, check=False).returncode
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
