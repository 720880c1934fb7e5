"""What fuzz.py mutates: for each kind of input its seeds, and the command of a case."""

import glob
import os
import re
import shutil
import struct
import subprocess
import sys

from fuzz_mutations import Text, mutate_json, mutate_mapping

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


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
    wrong_codes = ()  # exit codes of the user's that are failures here

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
        programs = ("unittests/Fuzz/programs/*.mlir", "examples/*.mlir", "examples/chains/*.mlir")
        self.good = [read(path) for path in self.glob(*programs)]
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
        scheduler = rng.choice(["heuristic", "heuristic", "random", "exact"])
        fast = ["--time-limit=2", f"--resolution={rng.choice([4, 8, 16])}", f"--scheduler={scheduler}"]
        fast += rng.choice(
            [
                [],
                [],
                ["--fixed-groups"],
                ["--free-groups"],
                [f"--schedule-seed={rng.randrange(9)}"] if scheduler == "random" else [],
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


class Tasks(Kind):
    """Task programs, interpreted without a mapping, or converted with one."""

    name, suffix = "task", ".mlir"
    folders = (
        "examples/tasks/*.mlir",
        "test/Simulator/Task/Inputs/*.mlir",
        "test/Conversion/TaskToTile/Inputs/*.mlir",
        "test/Tools/Inputs/external/tasks.mlir",
    )

    def make_seeds(self):
        self.good = [read(path) for path in self.glob(*self.folders)]
        return self.good + [
            part for path in self.glob("test/Dialect/Task/*.mlir") for part in read(path).split("// -----")
        ]

    def make(self, rng):
        return Text(rng, self.seeds).mutate(rng.choice(rng.choice([self.good, self.good, self.seeds])))

    def command(self, rng, path):
        entry = rng.choice(["differ", "sums", "pieces", "unwritten", "matmul", "clear"])
        mapping = "--mapping=" + rng.choice(self.glob("examples/tasks/*.map"))
        return rng.choice(
            [
                [self.tool("heddle"), "compile", path, mapping, "--emit=" + rng.choice(["events", "program"])],
                [self.tool("heddle"), "run", path, "--simulation-limit=5"],
                [self.tool("heddle"), "run", path, "--simulation-limit=5", "--kernel=" + entry],
                [self.tool("heddle-opt"), path, "-o", "/dev/null"],
            ]
        )


class Mappings(Kind):
    """Mappings of the task programs in examples/tasks: a result is equal to the program's meaning, or the mapping is
    refused."""

    name, suffix, wrong_codes = "mapping", ".map", (5,)

    def make_seeds(self):
        return [read(path) for path in self.glob("examples/tasks/*.map")]

    def make(self, rng):
        """The first line of a case names its program."""
        path = rng.choice(self.glob("examples/tasks/*.map"))
        program = os.path.basename(path).split("_")[0] + ".mlir"
        text = mutate_mapping(rng, read(path), read(os.path.join(ROOT, "examples/tasks", program)))
        if rng.random() < 0.15:
            text = Text(rng, self.seeds).mutate(text)
        return f"// {program}\n" + text

    def command(self, rng, path):
        program = os.path.join(ROOT, "examples/tasks", read(path).split()[1])
        if rng.random() < 0.2:
            return [self.tool("heddle"), "compile", program, "--mapping=" + path, "--emit=events"]
        command = [self.tool("heddle"), "run", program, "--mapping=" + path, "--device=sim", "--simulation-limit=8"]
        return command + ["--scheduler=heuristic", "--resolution=8", "--time-limit=2"]


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
