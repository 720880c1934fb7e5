"""Chains of kernels: chain.json, runs in the simulator, launches on the stand-in driver, loading."""

import copy
import os
import subprocess
import unittest

import common
import heddle
from heddle import _driver
from heddle._manifest import ChainManifest, UserError, View
from heddle.builder import Chain, Program, cdiv, f32

PROGRAM = os.path.join(common.ROOT, "test", "Tools", "Inputs", "chain.mlir")

CHAIN = {
    "version": 1,
    "chain": "both",
    "views": [
        {"name": "x", "elem": "f16", "rank": 2, "access": "in", "shape": ["M", "N"]},
        {"name": "y", "elem": "f32", "rank": 1, "access": "out", "shape": ["M"]},
    ],
    "scalars": [{"name": "s", "type": "f32"}, {"name": "parts", "type": "index"}],
    "workspaces": [
        {
            "name": "w",
            "elem": "f16",
            "zeroed": True,
            "shape": [{"arg": "parts"}, {"dim": ["x", 0]}, {"op": "ceildiv", "a": {"symbol": "N"}, "b": {"const": 2}}],
        }
    ],
    "launches": [
        {"kernel": "first", "views": {"a": "x", "b": "w"}, "scalars": {"f": {"arg": "s"}, "g": {"const": 0.5}}},
        {
            "kernel": "second",
            "views": {"a": "w", "b": "y"},
            "scalars": {"n": {"op": "add", "a": {"arg": "parts"}, "b": {"const": 1}}},
        },
    ],
}
VIEWS = {"x": View(4096, (3, 7), (8, 1), "f16"), "y": View(8192, (3,), (1,), "f32")}


def arrays(n=300):
    return (
        heddle.HostArray((n,), "f32", lambda i: i % 5),
        heddle.HostArray((n,), "f32", -1),
        heddle.HostArray((128,), "f32", 0),
    )


class Manifests(unittest.TestCase):
    def test_bind(self):
        workspaces, launches = ChainManifest(CHAIN).bind(VIEWS, {"s": 0.25, "parts": 2})
        (w,) = workspaces
        self.assertEqual((w.shape, w.strides, w.bytes, w.zeroed), ((2, 3, 4), (24, 8, 1), 96, True))
        self.assertEqual([launch.scalars for launch in launches], [{"f": 0.25, "g": 0.5}, {"n": 3}])
        self.assertEqual(launches[0].views, {"a": "x", "b": "w"})

    def test_errors(self):
        for change, text in [
            (lambda c: c.update(version=2), "expected version 1, got 2"),
            (lambda c: c.update(new=1), "chain: unknown key 'new'"),
            (lambda c: c["workspaces"][0].update(zeroed=1), "zeroed: expected true or false, got 1"),
            (lambda c: c["workspaces"][0].update(elem="f12"), "workspace 'w': unknown element type 'f12'"),
            (lambda c: c["workspaces"][0].update(shape=[]), "expected at least one size"),
            (lambda c: c["workspaces"][0].update(shape=[{"sms": True}]), "without 'sms'"),
            (lambda c: c["launches"][0].update(kernel="../first"), "expected the name of a kernel, got '../first'"),
            (lambda c: c["launches"][1]["views"].update(b="z"), "launch 1, view 'b': expected a view or a workspace"),
        ]:
            changed = copy.deepcopy(CHAIN)
            change(changed)
            with self.assertRaisesRegex(UserError, text):
                ChainManifest(changed)
        with self.assertRaisesRegex(UserError, "workspace 'w', dimension 0: expected 0 to 2147483647, got -1"):
            ChainManifest(CHAIN).bind(VIEWS, {"s": 1, "parts": -1})
        with self.assertRaisesRegex(UserError, "not JSON"):
            ChainManifest.parse("{")


class Simulator(common.TestCase):
    environment = {"HEDDLE_DEVICE": "sim"}

    def test_run(self):
        chain = heddle.compile(PROGRAM)
        self.assertEqual((chain.name, chain.views), ("fourfold", ["x", "y", "total"]))
        self.assertEqual(list(chain.kernels), ["twice", "folded"])
        self.assertEqual(repr(chain), "<heddle.Chain fourfold(x, y, total)>")
        x, y, total = arrays()
        chain(x, y, total, s=0.5)
        self.assertEqual(y.values(), [4 * value for value in x.values()])
        self.assertEqual(total.values()[0], sum(2 * (i % 5) for i in (0, 128, 256)))
        with self.assertRaisesRegex(UserError, "expected 3 tensors \\(x, y, total\\), got 1"):
            chain(x)
        chain(x, y, total, s=common.Double(0.25))  # adds
        self.assertEqual(total.values()[0], sum(3 * (i % 5) for i in (0, 128, 256)))
        with self.assertRaisesRegex(UserError, "scalar 's': expected a number, got str"):
            chain(x, y, total, s="0.25")
        with self.assertRaisesRegex(UserError, "view 'y': expected a tensor that may be written, got a read-only one"):
            chain(x, common.read_only(y), total, s=0.5)

    def test_plans(self):
        path = os.path.join(self.folder, "twice.plan")
        made = subprocess.run(
            [_driver.binary(), "compile", PROGRAM, "--kernel=twice", "--emit=plan"], check=True, capture_output=True
        )
        with open(path, "wb") as file:
            file.write(made.stdout)
        folder = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, folder)
        heddle.compile(PROGRAM, plan={"twice": "twice.plan"})
        with open(path, "a", encoding="utf-8") as file:
            file.write("\nwrong\n")
        with self.assertRaisesRegex(UserError, "twice.plan:[0-9]+"):
            heddle.compile(PROGRAM, plan={"twice": "twice.plan"})

    def test_loaded(self):
        out = os.path.join(self.folder, "out")
        subprocess.run([_driver.binary(), "compile", PROGRAM, "-o", out], check=True, capture_output=True)
        chain = heddle.load(out)
        self.assertEqual(chain.name, "fourfold")
        with self.assertRaisesRegex(UserError, "no program for the simulator"):
            chain(*arrays(), s=0.5)
        self.assertEqual(heddle.load(os.path.join(out, "twice")).name, "twice")
        with self.assertRaisesRegex(UserError, "which was loaded"):
            heddle.load(os.path.join(out, "twice")).explain()
        with self.assertRaisesRegex(UserError, "expected kernel.cu in"):
            heddle.load(self.folder)
        with self.assertRaisesRegex(UserError, "expected a directory that heddle compile wrote, got int"):
            heddle.load(5)
        for name, folder in (("kernel.json", os.path.join(out, "twice")), ("chain.json", out)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(bytes(range(200)))
            with self.assertRaisesRegex(UserError, f"{name}.*: not a text of UTF-8"):
                heddle.load(folder)


def folded():
    p = Program("folded")
    x, sums, factor = p.view("x", f32, ["N"]), p.view("sums", f32, [("C", 128)]), p.scalar("factor", f32)
    p.grid(cdiv(x.dim(0), 128))
    sums.store(x.load(p.program_id(0) * 128, (128,)) * factor, 0, add=True)
    return p


def twice():
    p = Program("twice")
    x, y = p.view("x", f32, ["N"]), p.view("y", f32, ["N"])
    p.grid(cdiv(x.dim(0), 128))
    i = p.program_id(0) * 128
    y.store(x.load(i, (128,)) * 2, i)
    return p


class Builder(common.TestCase):
    environment = {"HEDDLE_DEVICE": "sim"}

    def build(self):
        c = Chain("fourfold")
        x, y, total = c.view("x", f32, ["N"]), c.view("y", f32, ["N"]), c.view("total", f32, [("C", 128)])
        s = c.scalar("s", f32, 0.5)
        c.default_dims(N=300)
        double, fold = twice(), folded()
        half, sums = c.workspace("half", f32, [x.dim(0)]), c.workspace("sums", f32, [128], zeroed=True)
        c.launch(double, x, half)
        c.launch(double, half, y)
        c.launch(fold, y, sums, s)
        c.launch(fold, sums, total, 1.0)
        return c, half, double

    def test_run(self):
        c, half, _ = self.build()
        self.assertEqual(half.dim(0).type, "index")
        chain = heddle.compile(c)
        x, y, total = arrays()
        chain(x, y, total, s=0.25)
        self.assertEqual(y.values(), [4 * value for value in x.values()])
        self.assertEqual(total.values()[0], sum(i % 5 for i in (0, 128, 256)))
        self.assertIn("no loop to schedule", chain.log)

    def test_errors(self):
        c, half, double = self.build()
        for call, text in [
            (lambda: c.launch(twice(), half, half), "expected one program 'twice', got two"),
            (lambda: c.launch(double, half), "expected 2 arguments of 'twice', got 1"),
            (lambda: c.launch(double, half, 3), "launch of 'twice': expected a view, got 3"),
            (lambda: c.launch(None), "expected a Program to launch, got None"),
            (lambda: c.workspace("w", f32, None), "expected a list of sizes of workspace 'w', got None"),
            (lambda: c.workspace("half", f32, [8]), "expected a new name for an argument, got 'half'"),
        ]:
            with self.assertRaisesRegex(UserError, text):
                call()
        other = Chain("unwritten")
        y = other.view("y", f32, ["N"])
        other.launch(double, other.workspace("w", f32, [y.dim(0)]), y)
        place = "test_chain.py:[0-9]+:1: error: .*expected a launch before that writes 'w'"
        with self.assertRaisesRegex(UserError, place):
            heddle.compile(other)


class Gpu(common.TestCase):
    def setUp(self):
        super().setUp()
        common.use_fake_gpu(self)

    def test_launches(self):
        chain = heddle.compile(PROGRAM)
        given = [common.OnGpu(array) for array in arrays()]
        chain(*given, s=0.5, stream=7)
        log = [line for line in common.log_of(self.cuda_log) if line.split()[0] in ("clear", "launch", "free")]
        self.assertEqual(log[0], "clear 512 stream 7")
        self.assertEqual([line.split()[1] for line in log[1:]], ["twice", "twice", "folded", "folded"])
        self.assertTrue(all(line.endswith("stream 7") for line in log))
        kept = [memory.address for memory in chain._workspaces.values()]
        chain(*given, s=0.5, stream=7)  # the same workspaces
        self.assertEqual([memory.address for memory in chain._workspaces.values()], kept)
        sizes = []

        class Given:  # memory of the caller's
            def __init__(self, size):
                sizes.append(size)

            def data_ptr(self):
                return len(sizes) << 20

        chain(*given, s=0.5, stream=7, allocate=Given)
        self.assertEqual(sizes, [memory.size for memory in chain._workspaces.values()])  # one for all workspaces
        self.assertEqual([memory.address for memory in chain._workspaces.values()], kept)
        other = [common.OnGpu(array) for array in arrays(500)]
        chain(*other, s=0.5, stream=7)  # another size of one of them
        self.assertEqual(len(chain._workspaces), len(kept))
        self.assertIn("free", common.log_of(self.cuda_log))


if __name__ == "__main__":
    unittest.main()
