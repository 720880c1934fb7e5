"""heddle.compile and Kernel: errors, cache, runs in the simulator, launches on the stand-in driver."""

import ctypes
import fractions
import glob
import os
import pathlib
import typing
import unittest
from unittest import mock

import common
import heddle
from heddle import _cache, _cuda, _driver, _kernel, _nvrtc

COPY = """tile.kernel @copy(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                  %Y: !tile.view<?x64xf16> {tile.name = "Y", tile.dims = ["M", "D"]},
                  %s: f32 {tile.name = "s", tile.default = 1.0 : f32}) {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %m = tile.dim %X, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %m, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %i = arith.muli %p, %c64 : index
  %t = tile.load %X[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %w = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
  %ss = tensor.splat %s : tensor<64x64xf32>
  %x = arith.mulf %w, %ss : tensor<64x64xf32>
  %h = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %h, %Y[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  tile.return
}
"""


WHOLE = COPY.replace("%s: f32", "%s: i32").replace("= 1.0 : f32", "= 1 : i32").replace(
    "  %ss = tensor.splat %s", "  %sf = arith.sitofp %s : i32 to f32\n  %ss = tensor.splat %sf"
)


def arrays(rows=70):
    return heddle.HostArray((rows, 64), "f16", lambda i, j: (i * 7 + j) % 32), heddle.HostArray((rows, 64), "f16", -1)


class Device(typing.NamedTuple):
    type: str


class FakeTensor:
    """What is asked of a tensor of PyTorch's; nothing stands at its address."""

    def __init__(self, address, shape, strides=None, dtype="torch.float16", device="cuda"):
        self.address, self.shape, self.dtype, self.device = address, shape, dtype, Device(device)
        self.strides = strides or (shape[1], 1)

    def data_ptr(self):
        return self.address

    def stride(self):
        return self.strides


class Compile(common.TestCase):
    def test_files_and_texts(self):
        path = os.path.join(common.EXAMPLES, "01_gemm.mlir")
        kernel = heddle.compile(path)
        self.assertEqual((kernel.name, kernel.views), ("gemm", ["A", "B", "C"]))
        self.assertIn("optimal", kernel.log)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(heddle.compile(file.read()).manifest.params, kernel.manifest.params)
        self.assertIn("initiation interval", kernel.explain())

    def test_options(self):
        narrow = heddle.compile(os.path.join(common.EXAMPLES, "01_gemm.mlir"), param={"BM": 64}, persistent="off")
        self.assertEqual(narrow.manifest.params[0]["box"][0], 64)

    def test_errors(self):
        for program, options, kind, text in [
            (COPY.replace("tile.return", "tile.nothing"), {}, heddle.UserError, "program.mlir:17:3: error: .*unknown"),
            ("missing.mlir", {}, heddle.UserError, "expected a program's text or file, got 'missing.mlir'"),
            (COPY, {"colour": "red"}, heddle.UserError, "an option of heddle compile, got the keyword 'colour'$"),
            (COPY, {"goups": 2}, heddle.UserError, "got the keyword 'goups' \\(is 'groups' meant\\?\\)"),
            (COPY, {"groups": 9}, heddle.UserError, "--groups: expected 0 to 3, got 9"),
            (COPY, {"o": "x"}, heddle.UserError, "an option other than 'o'"),
            (COPY, {"machine": "none"}, heddle.UserError, "none"),
            (None, {}, heddle.UserError, "expected a program's text or file, or a program of heddle.builder, got None"),
            (5, {}, heddle.UserError, "or a program of heddle.builder, got int"),
            ("a\0b", {}, heddle.UserError, "expected a program's text or file, got 'a\0b': embedded null"),
            (COPY, {"help": True}, heddle.UserError, "expected options with which a kernel is compiled, got help"),
            (COPY, {"version": True}, heddle.UserError, "with which a kernel is compiled, got version"),
            (COPY, {"plan": {"copy": {}}}, heddle.UserError, "plan: expected the path of a plan file, or of a chain"),
            (COPY, {"dims": {"Q": 1}}, heddle.UserError, "dims: expected a dimension .* \\(D, M\\), got 'Q'"),
        ]:
            with self.assertRaisesRegex(kind, text):
                heddle.compile(program, **options)
        path = os.path.join(self.folder, "binary.mlir")
        with open(path, "wb") as file:
            file.write(bytes(range(200)))
        with self.assertRaisesRegex(heddle.UserError, "binary.mlir': not a text of UTF-8"):
            heddle.compile(path)

    def test_paths(self):
        """Names of files count from here, though the compiler runs elsewhere, and so they do in the simulator."""
        folder = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, folder)
        program = os.path.join(common.EXAMPLES, "01_gemm.mlir")
        plan = _driver.execute(["compile", program, "--emit=plan"])
        with open("gemm.plan", "w", encoding="utf-8") as file:
            file.write(plan)
        for given in ("gemm.plan", "gemm.plan", pathlib.Path("gemm.plan")):  # the second time from the cache
            self.assertEqual(heddle.compile(program, plan=given).options["plan"], os.path.abspath("gemm.plan"))
        for directory in ("first", "second"):  # the cache holds no certificates
            heddle.compile(program, certificate=directory)
            self.assertTrue(os.path.exists(os.path.join(directory, "certificate.txt")))

    def test_no_program(self):
        with mock.patch.dict(os.environ, {"HEDDLE_BINARY": "/nowhere/heddle"}):
            with self.assertRaisesRegex(heddle.Unavailable, "expected a program, got '/nowhere/heddle'"):
                heddle.compile(COPY)

    def test_relative_program(self):
        path, root = os.path.relpath(_driver.binary()), os.path.relpath(_driver.resources())
        with mock.patch.dict(os.environ, {"HEDDLE_BINARY": path, "HEDDLE_ROOT": root}):
            self.assertEqual(_driver.binary(), os.path.abspath(path))
            self.assertIn("--machine", _driver.execute(["compile", "--help"], cwd=self.folder))

    def test_exit_codes(self):
        for code, kind in [*_driver.EXIT_CODES.items(), (9, heddle.InternalError)]:
            path = os.path.join(self.folder, "heddle")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho because >&2\nexit {code}\n")
            os.chmod(path, 0o755)
            with mock.patch.dict(os.environ, {"HEDDLE_BINARY": path}):
                with self.assertRaisesRegex(kind, "because"):
                    _driver.execute([])


class Cache(common.TestCase):
    def test_second_time(self):
        first = heddle.compile(COPY)
        with mock.patch.object(_driver, "execute", side_effect=AssertionError):
            self.assertEqual(heddle.compile(COPY).cuda, first.cuda)
            with self.assertRaises(AssertionError):
                heddle.compile(COPY, groups=1)

    def test_damaged(self):
        heddle.compile(COPY)
        for name in os.listdir(_cache.directory()):
            with open(os.path.join(_cache.directory(), name), "wb") as file:
                file.write(b"damaged")
        self.assertEqual(heddle.compile(COPY).name, "copy")

    def test_none_and_read_only(self):
        for value in ("", "/proc/nowhere"):
            with mock.patch.dict(os.environ, {"HEDDLE_CACHE": value}):
                self.assertEqual(heddle.compile(COPY).name, "copy")

    def test_default_place(self):
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "/x"}):
            del os.environ["HEDDLE_CACHE"]
            self.assertEqual(_cache.directory(), "/x/heddle/python")


class Simulator(common.TestCase):
    environment = {"HEDDLE_DEVICE": "sim"}

    def test_run(self):
        x, y = arrays()
        heddle.compile(COPY)(x, y, s=2.0)
        self.assertEqual(y.values(), [2 * value for value in x.values()])

    def test_default_scalar_and_bits(self):
        x, y = arrays()
        bits = heddle.HostArray(x.shape, "i16")
        bits.__array_interface__ = dict(x.__array_interface__, typestr="<u2")
        heddle.compile(COPY)(bits, y, s=1.0)
        self.assertEqual(y.values(), x.values())

    def test_numbers(self):
        kernel, whole = heddle.compile(COPY), heddle.compile(WHOLE)
        for compiled, given, factor in [
            (kernel, common.Double(0.5), 0.5),
            (kernel, 2, 2),
            (kernel, True, 1),
            (kernel, common.Flag(True), 1),
            (kernel, fractions.Fraction(1, 4), 0.25),
            (whole, 3, 3),
            (whole, 3.0, 3),
            (whole, common.Double(-2), -2),
            (whole, common.Flag(True), 1),
        ]:
            x, y = arrays()
            compiled(x, y, s=given)
            self.assertEqual(y.values(), [factor * value for value in x.values()], given)

    def test_wrong_numbers(self):
        kernel, whole, (x, y) = heddle.compile(COPY), heddle.compile(WHOLE), arrays()
        for compiled, given, text in [
            (kernel, "x", "expected a number, got str"),
            (kernel, None, "expected a number, got NoneType"),
            (kernel, x, "expected a number, got HostArray"),
            (kernel, 1j, "expected a number, got complex"),
            (kernel, 1e300, "expected a number that f32 can hold, got 1e\\+300"),
            (kernel, 10**400, "expected a number that f32 can hold, got 1000"),
            (whole, "3", "expected a number, got str"),
            (whole, 3.5, "expected a whole number for i32, got 3.5"),
            (whole, float("nan"), "expected a whole number for i32, got nan"),
            (whole, 2**31, "expected a 32-bit value, got 2147483648"),
        ]:
            with self.assertRaisesRegex(heddle.UserError, "scalar 's': " + text):
                compiled(x, y, s=given)

    def test_options(self):
        """What the simulator's run and `heddle explain` do not know is kept from them."""
        x, y = arrays()
        path = os.path.join(self.folder, "proof")
        kernel = heddle.compile(COPY, no_locations=True, certificate=path, time_limit=common.Double(60))
        kernel(x, y, s=1.0)
        kernel.explain()
        self.assertEqual(y.values(), x.values())
        ours = {"o", "emit", *_kernel.COMPILING_ONLY}
        self.assertEqual(set(_driver.options_of("compile")) - set(_driver.options_of("run")) - ours, set())
        self.assertEqual(set(_driver.options_of("compile")) - set(_driver.options_of("explain")) - ours, {"dims"})

    def test_errors(self):
        kernel, (x, y) = heddle.compile(COPY), arrays()
        for tensors, scalars, text in [
            ((x,), {}, "expected 2 tensors \\(X, Y\\), got 1"),
            ((x, y), {"t": 1}, "expected one of the scalars s, got 't'"),
            ((x, y), {}, "expected a value for scalar 's'"),
            ((x, heddle.HostArray((71, 64), "f16")), {"s": 1}, "view 'Y', dimension 0: expected size 70, got 71"),
            ((x, heddle.HostArray((70, 64), "f32")), {"s": 1}, "expected elements of type f16, got f32"),
            ((x, 3), {"s": 1}, "expected a tensor .*, got int"),
        ]:
            with self.assertRaisesRegex(heddle.UserError, text):
                kernel(*tensors, **scalars)

    def test_written(self):
        """What is written has each element once, in memory of its own."""
        kernel, (x, y) = heddle.compile(COPY), arrays()
        row, shifted = heddle.HostArray((1, 64), "f16"), heddle.HostArray((140, 64), "f16")
        row.__array_interface__ = dict(row.__array_interface__, shape=(70, 64), strides=(0, 2))
        part = heddle.HostArray((70, 64), "f16")
        begin = shifted.__array_interface__["data"][0]
        part.__array_interface__ = dict(part.__array_interface__, data=(begin + 64 * 64 * 2, False))
        head = heddle.HostArray((70, 64), "f16")
        head.__array_interface__ = dict(head.__array_interface__, data=(begin, False))
        for tensors, text in [
            ((x, row), "view 'Y', dimension 0: expected distinct elements .* 70 that are one \\(stride 0\\)"),
            ((x, x), "view 'Y': expected a tensor of its own, since it is written, got memory of view 'X'"),
            ((head, part), "view 'Y': expected a tensor of its own"),
        ]:
            with self.assertRaisesRegex(heddle.UserError, text):
                kernel(*tensors, s=1.0)
        with self.assertRaisesRegex(heddle.UserError, "view 'Y': expected a tensor that may be written, got a read-on"):
            kernel(x, common.read_only(arrays()[1]), s=1.0)
        kernel(common.read_only(arrays()[0]), y, s=1.0)
        kernel(row, y, s=1.0)  # what is read may be one row many times
        self.assertEqual(y.values(), [0.0] * (70 * 64))
        part.__array_interface__ = dict(part.__array_interface__, data=(begin + 70 * 64 * 2, False))
        kernel(head, part, s=1.0)

    def test_unknown_device(self):
        with mock.patch.dict(os.environ, {"HEDDLE_DEVICE": "tpu"}):
            with self.assertRaisesRegex(heddle.UserError, "expected gpu or sim, got 'tpu'"):
                heddle.compile(COPY)(*arrays(), s=1.0)


class Gpu(common.TestCase):
    def setUp(self):
        super().setUp()
        common.use_fake_gpu(self)
        x, y = arrays()
        self.x, self.y = common.OnGpu(x), common.OnGpu(y)

    def test_launch(self):
        kernel = heddle.compile(COPY)
        for _ in range(3):
            kernel(self.x, self.y, s=1.0, stream=7)
        block, smem = kernel.manifest.block, kernel.manifest.smem
        self.assertEqual(self.launches(), [f"launch copy 2,1,1 block {block} smem {smem} stream 7"] * 3)
        maps = [line for line in common.log_of(self.cuda_log) if line.startswith("map")]
        self.assertEqual(len(maps), sum(p["kind"] == "tensormap" for p in kernel.manifest.params))

    def test_tensors_elsewhere(self):
        """Equal sizes at another address: the maps are moved. Another size: they are made."""
        kernel = heddle.compile(COPY)
        maps = sum(p["kind"] == "tensormap" for p in kernel.manifest.params)
        x, y = arrays()
        kernel(self.x, self.y, s=1.0)
        kernel(common.OnGpu(x), common.OnGpu(y), s=1.0)
        kernel(common.OnGpu(x), common.OnGpu(y), s=2.0)
        log = [line.split()[0] for line in common.log_of(self.cuda_log)]
        self.assertEqual(log, ["map"] * maps + ["launch"] + ["moved"] * maps + ["launch"] + ["map"] * maps + ["launch"])
        first, second = list(next(iter(kernel._forms.values())).launches.values())
        for place, owner in zip(first.places, first.owners):
            at = [launch._begin() - ctypes.addressof(launch.block) + place[0] for launch in (first, second)]
            one, other = (launch.block[i : i + 8] for launch, i in zip((first, second), at))
            self.assertEqual(one == other, owner is None or place[1])  # maps are the stand-in's, all the same

    def test_forms(self):
        """Calls with PyTorch's tensors are known by sizes, strides, types and devices; new addresses are checked."""
        kernel = heddle.compile(os.path.join(common.EXAMPLES, "01_gemm.mlir"))
        a, b, c = (FakeTensor(i << 20, shape) for i, shape in ((1, (128, 64)), (2, (256, 64)), (3, (128, 256))))
        for _ in range(2):
            kernel(a, b, c)
        log = [line.split()[0] for line in common.log_of(self.cuda_log)]
        self.assertEqual(log, ["map"] * 3 + ["launch"] * 2)
        form = kernel._forms[_kernel.form_of((a, b, c), {})]
        with mock.patch.object(_kernel.Form, "_made", side_effect=AssertionError):
            kernel(a, b, c)
        kernel(FakeTensor(4 << 20, (128, 64)), b, c)
        self.assertEqual(len(form.launches), 2)
        self.assertEqual([line.split()[0] for line in common.log_of(self.cuda_log)][6:], ["moved"] * 3 + ["launch"])
        for wrong, text in [
            (FakeTensor(8, (128, 64)), "view 'A': expected an address that is a multiple of 16 bytes, got remainder 8"),
            (FakeTensor(1 << 20, (128, 72)), "view 'B', dimension 1: expected size 72, got 64"),
            (FakeTensor(1 << 20, (128, 64), (68, 1)), "a stride that is a multiple of 16 bytes, got 136 bytes"),
            (FakeTensor(1 << 20, (128, 64), dtype="torch.float32"), "view 'A': expected elements of type f16, got f32"),
            (FakeTensor(1 << 20, (128, 64), device="cpu"), "view 'A': expected a tensor on a GPU, got one on the CPU"),
        ]:
            with self.assertRaisesRegex(heddle.UserError, text):
                kernel(wrong, b, c)
        with self.assertRaisesRegex(heddle.UserError, "view 'C': expected a tensor of its own"):
            kernel(a, b, FakeTensor(1 << 20, (128, 256)))
        with mock.patch.object(_kernel, "REMEMBERED", 1):
            kernel(FakeTensor(5 << 20, (128, 64)), b, c)
        self.assertEqual(len(form.launches), 1)

    def test_forms_by_number(self):
        """A tensor without dimensions stands for the number that it has at the call."""
        kernel, number = heddle.compile(COPY), common.Flag(1.0)
        x, y = FakeTensor(1 << 20, (70, 64)), FakeTensor(2 << 20, (70, 64))
        for number.value in (1.0, 2.0):
            kernel(x, y, s=number)
        self.assertEqual([form.scalars["s"] for form in kernel._forms.values()][::2], [1.0, 2.0])
        self.assertIn(_kernel.form_of((x, y), {"s": 2.0}), kernel._forms)

    def test_cubin_is_kept(self):
        log = os.path.join(os.path.dirname(common.fake_nvcc()), "nvcc.log")
        before = len(common.log_of(log))
        heddle.compile(COPY).cubin()
        heddle.compile(COPY).cubin()
        self.assertEqual(len(common.log_of(log)), before + 1)

    def test_clusters(self):
        program = os.path.join(common.EXAMPLES, "01_gemm.mlir")
        kernel = heddle.compile(program, cluster=4, param={"BM": 64, "BN": 64})
        a, b, c = (common.OnGpu(heddle.HostArray(shape, "f16")) for shape in ((1024, 64), (1024, 64), (1024, 1024)))
        kernel(a, b, c)  # 256 tiles on as many multiprocessors as 32 clusters fill
        self.assertIn("launch gemm 128,1,1 ", self.launches()[-1])
        with mock.patch.dict(os.environ, {"FAKE_CUDA_CLUSTERS": "0"}):
            with self.assertRaisesRegex(heddle.Unavailable, "a cluster of 4 blocks with [0-9]+ bytes"):
                a, c = (common.OnGpu(heddle.HostArray(shape, "f16")) for shape in ((512, 64), (512, 1024)))
                kernel(a, b, c)

    def test_counter(self):
        """Launches on one stream count programs in one place, those on another elsewhere."""
        program = os.path.join(common.EXAMPLES, "01_gemm.mlir")
        kernel = heddle.compile(program, tile_source="counter")
        a, b, c = (common.OnGpu(heddle.HostArray(shape, "f16")) for shape in ((256, 64), (256, 64), (256, 256)))
        for stream in (7, 7, 8):
            kernel(a, b, c, stream=stream)
        self.assertEqual(len(self.launches()), 3)
        (form,) = kernel._forms.values()
        (launch,) = form.launches.values()
        counters = [counter.value for counter in launch.counters]
        self.assertEqual(len(set(counters)), 2)

    def test_empty(self):
        x, y = (common.OnGpu(heddle.HostArray((0, 64), "f16")) for _ in range(2))
        heddle.compile(COPY)(x, y, s=1.0)
        self.assertEqual(self.launches(), [])

    def test_errors(self):
        kernel = heddle.compile(COPY)
        with self.assertRaisesRegex(heddle.UserError, "view 'Y': expected a tensor on a GPU, got one on the CPU"):
            kernel(self.x, self.y.array, s=1.0)
        for change, kind, text in [
            ({"FAKE_CUDA_CAPABILITY": "8.0"}, heddle.Unavailable, "compute capability 9.0, got 8.0"),
            ({"HEDDLE_LIBCUDA": "/nowhere.so"}, heddle.Unavailable, "expected the CUDA driver library"),
            ({"HEDDLE_NVCC": "", "HEDDLE_NVRTC": ""}, heddle.Unavailable, "got neither"),
            ({"HEDDLE_NVCC": "/bin/false"}, heddle.InternalError, "nvcc rejects the kernel's text"),
            ({"HEDDLE_NVCC": "", "HEDDLE_NVRTC": "/nowhere.so"}, heddle.Unavailable, "NVRTC does not load"),
        ]:
            with mock.patch.dict(os.environ, {**change, "HEDDLE_CACHE": ""}):
                _cuda._driver = None
                _cuda.attribute.cache_clear()
                with self.assertRaisesRegex(kind, text):
                    heddle.compile(COPY)(self.x, self.y, s=1.0)

    def test_another_cubin(self):
        kernel = heddle.compile(COPY)
        key = _cache.key_of("cubin", kernel.cuda, _driver.version_digest())
        _cache.put(key, ".cubin", b"\x7fELF another")
        self.assertIn(kernel.manifest.mark.encode(), kernel.cubin())


class Names(unittest.TestCase):
    def test_arguments(self):
        args = _driver.arguments(
            {"groups": 2, "no_chains": True, "plan": None, "dims": {"M": 1, "N": 2}, "input": ["a"]}
        )
        self.assertEqual(args, ["--dims=M=1,N=2", "--groups=2", "--input=a", "--no-chains"])

    def test_calling_a_triton_kernel(self):
        kernel = _kernel.Kernel.__new__(_kernel.Kernel)
        kernel.launch, kernel._forms = {}, {}
        with self.assertRaisesRegex(heddle.UserError, "launched by Triton"):
            kernel()


def nvrtc():
    """A library on this machine, or None: a toolkit's as well."""
    found = [
        path
        for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda")
        for folder in ("lib64", "lib")
        for path in sorted(glob.glob(os.path.join(home or "", folder, "libnvrtc.so*")))
    ]
    return _nvrtc.find_nvrtc() or next(iter(found), None)


class Nvrtc(unittest.TestCase):
    @unittest.skipUnless(nvrtc(), "no NVRTC")
    def test_device_library(self):
        text = """#include "heddle_device/all.h"
        extern "C" __global__ void copy(const hd::u32x4 *p, hd::u32x4 *q) {
          *q = hd::streamGlobalIf<hd::u32x4>(p, true);
        }
        """
        include = os.path.join(_driver.resources(), "device", "include")
        with mock.patch.dict(os.environ, HEDDLE_NVCC="", HEDDLE_NVRTC=nvrtc()):
            image, log = _nvrtc.compile_cubin(text, include)
        self.assertIn(b"copy", image)
        self.assertIn("nvrtc", log)


if __name__ == "__main__":
    unittest.main()
