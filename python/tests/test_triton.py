"""heddle.triton against a stand-in for Triton and one for the driver: no GPU, no Triton."""

import os
import subprocess
import sys
import types
import unittest
from unittest import mock

import common
import heddle
from common_triton import NAMES, OPTIONS, PRODUCT, SIGNATURE, Tensor, TestCase, compile_as_triton

# isort: split
from heddle.triton import _hook, _jobs, _launcher, _simulator
from triton.backends.nvidia.compiler import CUDABackend
from triton.backends.nvidia.driver import CudaDriver
from triton.runtime.autotuner import Autotuner
from triton.runtime.driver import driver as drivers

REFUSED = """module {
  tt.func public @k(%p: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %0 = tt.atomic_rmw max, acq_rel, gpu, %p, %one : (!tt.ptr<i32>, i32) -> i32
    tt.return // no tt.dot
  }
}
"""


class Launches(TestCase):
    def test_the_faster_version_stays(self):
        # The GPU behind the host: five of each decide, the first of which do not count, and the next is Triton's while
        # the last event is not through. The host behind the GPU: 16 of each, and a difference that is more than noise.
        for times, busy, counts in (
            ("1 2", True, (14, 6)),
            ("2 1", True, (5, 15)),
            ("0.009 0.0095", True, (14, 6)),
            ("0.009 0.0095", False, (16, 24)),
            ("0.009 0.012", False, (24, 16)),
        ):
            environment = {"FAKE_CUDA_TIMES": times, **({"FAKE_CUDA_BUSY": "1"} if busy else {})}
            with mock.patch.dict(os.environ, environment):
                launcher = self.launcher()
                before = self.counts()
                for _ in range(20 if busy else 40):
                    self.launch(launcher)
                after = self.counts()
            mine, theirs = after[0] - before[0], after[1] - before[1]
            self.assertEqual((mine, theirs), counts, (times, busy))
            self.assertEqual(launcher.launches, {"heddle": mine, "triton": theirs})

    def test_each_size_has_a_trial(self):
        launcher = self.launcher()
        for a in (0x10000, 0x18000):
            for M in (70, 64):
                self.launch(launcher, a=a, M=M)
        self.assertEqual(len(launcher.trials), 2)
        self.assertEqual(len(launcher.entries), 4)

    def test_memory_is_bounded(self):
        launcher = self.launcher()
        with mock.patch.object(_launcher, "REMEMBERED", 3):
            for M in range(60, 70):
                self.launch(launcher, M=M)
                self.launch(launcher, M=M, sa=50)
                for remembered in (launcher.entries, launcher.trials, launcher.refusals):
                    self.assertLessEqual(len(remembered), 3)

    def test_capturing(self):
        launcher = self.launcher()
        capturing = mock.patch.dict(os.environ, {"FAKE_CUDA_CAPTURING": "1"})
        with capturing:
            for _ in range(12):
                self.launch(launcher)
        self.assertEqual(self.counts(), (0, 12))  # nothing is known
        for _ in range(6):
            self.launch(launcher)
        before = self.counts()
        with capturing:
            self.launch(launcher)
        self.assertEqual(self.counts(), (before[0] + 1, before[1]))

    def test_only(self):
        with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "only"}):
            launcher = self.launcher()
            self.launch(launcher)
            self.assertEqual(self.counts(), (1, 0))
            with self.assertRaisesRegex(heddle.Error, "HEDDLE_TRITON=only: view 'a'.* a stride that is a multiple of"):
                self.launch(launcher, sa=50)
        self.assertIn("stream 5", self.launches()[0])
        self.assertIn("product 6,1,1", self.launches()[0])

    def test_hooks(self):
        seen = []
        with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "only"}):
            self.launch(
                self.launcher(), hooks=(lambda m: seen.append(("enter", m)), lambda m: seen.append(("leave", m)))
            )
        self.assertEqual(seen, [("enter", "metadata"), ("leave", "metadata")])

    def test_left_to_triton(self):
        for change, reason in [
            ({"sa": 50}, "expected a stride that is a multiple of 16 bytes, got 100"),
            ({"a": 0x10008}, "multiple of 16 bytes, got remainder 8"),
            ({"sc": 104}, "since stores write 16 bytes at a time; got 180 of 208 bytes"),
            ({"c": 0x10010}, "'c' is stored to and shares memory with 'a'"),
            ({"c": 0x20040}, "'c' is stored to and shares memory with 'b'"),
            ({"grid": (6, 2, 1)}, "the grid has more dimensions"),
            ({"M": 1 << 40, "c": 1 << 60}, "expected a 32-bit value"),
        ]:
            launcher = self.launcher()
            before = self.counts()
            self.launch(launcher, **change)
            self.launch(launcher, **change)
            self.assertEqual((self.counts()[0], self.counts()[1] - before[1]), (before[0], 2), reason)
            self.assertRegex(launcher.why_not(), reason)

    def test_not_a_tensor(self):
        launcher = self.launcher()
        launcher(6, 1, 1, 5, None, None, None, None, None, *["pointer"] * 3, 70, 90, 41, 48, 96, 96, 64)
        self.assertEqual(self.counts(), (0, 1))
        self.assertRegex(launcher.why_not(), "AttributeError")

    def test_no_gpu_of_this_kind(self):
        for change, reason in [
            ({"FAKE_CUDA_CAPABILITY": "8.0"}, "compute capability 9.0, got 8.0"),
            ({"HEDDLE_LIBCUDA": "/nowhere.so"}, "expected the CUDA driver library"),
        ]:
            with mock.patch.dict(os.environ, change):
                launcher = self.launcher()
                self.launch(launcher)
                self.launch(launcher)
            self.assertRegex(launcher.why_not(), reason)
            common.use_fake_gpu(self)
        self.assertEqual(self.counts(), (0, 4))

    def test_attributes_of_the_stock_launcher(self):
        self.assertIs(self.launcher().launch_pdl, False)


class Compilation(TestCase):
    def test_note(self):
        note = compile_as_triton().heddle
        self.assertEqual(note["ttir"], PRODUCT)
        self.assertIsNone(note["reason"])

    def test_names_that_cplusplus_keeps(self):
        """As Inductor names its kernels, after operators: two underscores in a row."""
        for name, want in (("fused__to_copy_mm", "fused_to_copy_mm"), ("_X", "kernel_X"), ("_k_", "_k_"), ("__", "_")):
            metadata = compile_as_triton(PRODUCT.replace("@product(", f"@{name}("))
            launcher = self.launcher(metadata)
            self.launch(launcher)
            self.assertIsNone(launcher.reason)
            self.assertEqual(launcher.kernel.name, want)

    def test_products_and_sums_apart(self):
        log = os.path.join(os.path.dirname(common.fake_nvcc()), "nvcc.log")
        metadata = compile_as_triton(enable_fp_fusion=False)
        self.launcher(metadata)
        compile_as_triton()
        self.assertEqual(sorted(fused for _, fused, _ in _jobs._jobs), [False, True])
        for job in _jobs._jobs.values():
            job.wait()
        commands = common.log_of(log)  # of all tests so far: another one may have begun the same compilation
        self.assertTrue(any("-fmad=false" in line for line in commands), commands)
        self.assertTrue(any("-fmad=true" in line for line in commands), commands)

    def test_a_child_process(self):
        """After a fork the threads are gone, and what they were doing is begun again."""
        compile_as_triton()
        self.assertTrue(_jobs._jobs)
        child = os.fork()
        if child == 0:
            os._exit(0 if not _jobs._jobs and _jobs.start(PRODUCT).wait(60) else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_equal_texts_compile_once(self):
        compile_as_triton(num_warps=4)
        compile_as_triton(num_warps=8)
        self.assertEqual(len(_jobs._jobs), 1)

    def test_refusals(self):
        for ttir, options, reason in [
            (PRODUCT, {"num_ctas": 2}, "clusters are Triton's"),
            (PRODUCT, {"launch_pdl": True}, "launch_pdl is set"),
            (REFUSED.replace("// no tt.dot", ""), {}, "no product"),
        ]:
            metadata = compile_as_triton(ttir, **options)
            self.assertRegex(metadata.heddle["reason"], reason)
            launcher = self.launcher(metadata)
            self.launch(launcher)
            with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "only"}):
                with self.assertRaisesRegex(
                    heddle.Error, f"HEDDLE_TRITON=only: .*{'atomic' if 'atomic' in ttir else reason}"
                ):
                    compile_as_triton(ttir, **options)
        self.assertEqual(self.counts(), (0, 3))

    def test_refused_by_the_compiler(self):
        for _ in range(2):  # the second time from the cache
            launcher = self.launcher(compile_as_triton(REFUSED))
            self.launch(launcher)
            self.assertRegex(launcher.why_not(), r"4:10: error: of atomic operations only additions")
            self.assertIsNone(launcher.note["reason"])  # Triton's cache keeps the note, another Heddle may take it
            _jobs._jobs.clear()
        self.assertEqual(self.counts(), (0, 2))

    def test_no_compiler_of_cuda(self):
        with mock.patch.dict(os.environ, {"HEDDLE_NVCC": "", "HEDDLE_NVRTC": ""}):
            launcher = self.launcher()
            self.launch(launcher)
        self.assertRegex(launcher.why_not(), "got neither")

    def test_no_compiler(self):
        with mock.patch.dict(os.environ, {"HEDDLE_BINARY": "/nowhere/heddle"}):
            launcher = self.launcher()
            self.launch(launcher)
        self.assertRegex(launcher.why_not(), "expected a program, got '/nowhere/heddle'")

    def test_read_only_cache(self):
        with mock.patch.dict(os.environ, {"HEDDLE_CACHE": "/proc/nowhere", "HEDDLE_TRITON": "only"}):
            self.launch(self.launcher())
        self.assertEqual(self.counts(), (1, 0))

    def test_arguments(self):
        for change in ({"a": None}, {"BLOCK": "i32"}):
            launcher = self.launcher(signature={**SIGNATURE, **change})
            self.launch(launcher)
            self.assertRegex(launcher.why_not(), "of kind None are Triton's|expected 9 arguments of the TTIR, got 10")

    def test_tuples(self):
        signature = {"pair": ("*fp16", ("*fp16", "constexpr")), **{name: SIGNATURE[name] for name in NAMES[2:]}}
        with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "only"}):
            launcher = self.launcher(signature=signature)
            a, b, c = (Tensor(address) for address in (0x10000, 0x20000, 0x30000))
            for first in (a, Tensor(0x40000), a):  # another address is another launch
                launcher(6, 1, 1, 5, None, None, "metadata", None, None, (first, (b, 1)), c, 70, 90, 41, 48, 96, 96, 64)
        self.assertEqual((launcher.launches["heddle"], len(launcher.entries)), (3, 2))

    def test_descriptors(self):
        places = _launcher.arguments_of({"d": "tensordesc<fp16[64, 32]>", "n": "i32", "B": "constexpr"})
        parts = [None, ("shape", 0), ("shape", 1), ("strides", 0), ("strides", 1), None]
        self.assertEqual(places, [((0,), part) for part in parts[:-1]] + [((1,), None)])

    def test_hash(self):
        mine = CUDABackend().hash()
        with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "off"}):
            self.assertEqual(CUDABackend().hash(), "12.8-90")
            stages = {}
            CUDABackend().add_stages(stages, types.SimpleNamespace(**OPTIONS), "triton")
            self.assertEqual(stages["ttir"]("text", {}), "text")
        self.assertNotEqual(mine, "12.8-90")
        with mock.patch.dict(os.environ, {"HEDDLE_TRITON": "only"}):
            self.assertNotEqual(CUDABackend().hash(), mine)

    def test_installed_once(self):
        wrapped = CUDABackend.add_stages
        _hook.install()
        self.assertIs(CUDABackend.add_stages, wrapped)

    def test_autotuner_compiles_first(self):
        compiled = []

        class Function:
            def run(self, **kwargs):
                compiled.append(kwargs)
                return types.SimpleNamespace(metadata=compile_as_triton())

        config = types.SimpleNamespace(all_kwargs=lambda: {"BLOCK": 64}, pre_hook=None)
        self.assertEqual(Autotuner(Function(), [config]).prune_configs({"grid": (1,)}), [config])
        self.assertEqual(compiled, [{"grid": (1,), "BLOCK": 64, "warmup": True}])
        self.assertTrue(all(job.done() for job in _jobs._jobs.values()))

    def test_autotuner_times_what_is_decided(self):
        launcher = self.launcher()
        decided = []

        class Function:
            @staticmethod
            def run(**_):
                decided.append([trial.decided for trial in launcher.trials.values()])
                self.launch(launcher)

        drivers.set_active(CudaDriver())
        self.addCleanup(drivers.set_active, None)
        tuner = Autotuner(Function(), [])
        with mock.patch.dict(os.environ, {"FAKE_CUDA_BUSY": "1"}):
            for _ in range(2):
                tuner._bench(config=types.SimpleNamespace(all_kwargs=dict))
        # Ten of the trial, one while its last event is not through, then what is timed; and twice the second time.
        self.assertEqual(len(decided), 14)
        self.assertEqual(decided[-1], [True])

    def test_inductor_times_what_is_decided(self):
        """Also where Heddle's compilation has not ended when Inductor begins to time."""
        launcher, timed = self.launcher(), []
        job, launcher.job = launcher.job, mock.Mock(reason=None, kernel=launcher.job.kernel, done=lambda: ended)
        ended = False

        def wait():
            nonlocal ended
            ended = True

        launcher.job.wait = wait

        class Mixin:
            def do_bench(self, call, *tensors, out=None):
                call()
                timed.append((next(iter(launcher.trials.values())).decided, tensors, out))
                return 1.0

        drivers.set_active(CudaDriver())
        self.addCleanup(drivers.set_active, None)
        process = types.SimpleNamespace(GPUDeviceBenchmarkMixin=Mixin)
        torch = types.SimpleNamespace(_inductor=types.SimpleNamespace(autotune_process=process))
        modules = {"torch": torch, "torch._inductor": torch._inductor, "torch._inductor.autotune_process": process}
        busy = {"FAKE_CUDA_TIMES": "1 2", "FAKE_CUDA_BUSY": "1"}
        with mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, busy):
            for _ in range(2):  # the second time nothing is wrapped again
                _hook.install_in_inductor()
            self.assertEqual(Mixin().do_bench(lambda: self.launch(launcher), "a", out="b"), 1.0)
        self.assertEqual(timed, [(True, ("a",), "b")])
        self.assertTrue(job.done())

    def test_autotuner_prefers_tritons_choice_where_times_are_close(self):
        def chosen(**measured):
            others = []
            for times in measured.values():
                others.append(_hook.Times([times[0]] * 3, times[1], others))
            named = dict(zip(measured, others))
            return min(named, key=named.get)

        self.assertEqual(chosen(wide=(14.2, 14.8), narrow=(13.9, 15.5), lone=(15.1, None)), "wide")
        self.assertEqual(chosen(wide=(14.2, 14.8), narrow=(13.0, 15.5)), "narrow")
        self.assertEqual(chosen(fails=(float("inf"), None), works=(9.0, None)), "works")
        self.assertEqual(chosen(lone=(14.0, None), mine=(13.9, 15.0)), "lone")

    def test_autotuner_remembers_tritons_times(self):
        launcher = self.launcher()
        drivers.set_active(CudaDriver())
        self.addCleanup(drivers.set_active, None)
        tuner = Autotuner(types.SimpleNamespace(run=lambda **_: self.launch(launcher)), [])
        config = types.SimpleNamespace(all_kwargs=dict)
        with mock.patch.dict(os.environ, {"FAKE_CUDA_BUSY": "1"}):
            for result, kind in (([2.0, 1.0, 3.0], _hook.Times), (2.0, float)):
                tuner.do_bench = lambda call, quantiles, result=result: call() or result
                times = tuner._bench(config=config)
                self.assertIs(type(times), kind)
                self.assertEqual(times, result)
        trial = next(iter(launcher.trials.values()))
        self.assertEqual(tuner.heddle_times[0].alone, trial.times["triton"] / 1000)

    def test_without_products(self):
        with open(os.path.join(common.ROOT, "test/Triton/statistics.mlir"), encoding="utf-8") as file:
            self.assertIsNone(compile_as_triton(file.read()).heddle["reason"])
        rows = [(True, True, True), (False, True, True), (True, False, True), (False, False, False)]
        for products, kind, faster in rows:
            trial = _launcher.Trial(products)
            trial.known[kind][0].extend([20.0] * 6)
            trial.known[kind][1].extend([10.0] * 6)
            self.assertEqual(trial._is_faster(), faster)


class Explain(TestCase):
    def compiled(self, metadata, launcher):
        src = types.SimpleNamespace(constants={(9,): 64}, fn=types.SimpleNamespace(arg_names=NAMES))
        return types.SimpleNamespace(metadata=metadata, src=src, name="product", asm={"ttir": PRODUCT}, _run=launcher)

    def test_schedule_of_a_renamed_kernel(self):
        metadata = compile_as_triton(PRODUCT.replace("@product(", "@fused__product("))
        compiled = self.compiled(metadata, self.launcher(metadata))
        compiled.asm["ttir"] = PRODUCT.replace("@product(", "@fused__product(")
        text = heddle.triton.explain(compiled, schedule=True)
        self.assertIn("initiation interval", text)
        self.assertNotIn("error:", text)

    def test_text(self):
        metadata = compile_as_triton()
        launcher = self.launcher(metadata)
        for _ in range(36):
            self.launch(launcher)
        self.launch(launcher, sa=50)
        compiled = self.compiled(metadata, launcher)
        function = types.SimpleNamespace(fn=types.SimpleNamespace(device_caches={0: ({"key": compiled}, {})}))
        text = heddle.triton.explain(function, schedule=True)
        for part in (
            "product (BLOCK=64",
            "Heddle's: loop 0: initiation interval",
            "launches: 20 by Heddle, 17 by Triton",
            "left to Triton with (6, 1, 1, 70, 90, 41, 50",
            "timed with (6, 1, 1, 70, 90, 41, 48, 96, 96): triton 2000.0 us, heddle 1000.0 us; Heddle's stays",
            "load of tensor<64x32xf16>: box of view 'a'",
        ):
            self.assertIn(part, text)

    def test_others(self):
        empty = types.SimpleNamespace(device_caches={})
        self.assertIn("nothing is compiled yet", heddle.triton.explain(empty))
        plain = self.compiled(types.SimpleNamespace(), None)
        self.assertIn("compiled before heddle.triton was imported", heddle.triton.explain(plain))
        with self.assertRaisesRegex(heddle.Error, "expected a @triton.jit function or a compiled kernel, got int"):
            heddle.triton.explain(3)


class Arrays(common.TestCase):
    def test_a_kernel_reaches_what_the_array_is_a_part_of(self):
        def array(address, size, base):
            interface = {"data": (address, False), "shape": (size // 4,), "typestr": "<f4"}
            return types.SimpleNamespace(
                __array_interface__=interface, base=base, nbytes=size, dtype="float32", shape=interface["shape"]
            )

        whole = array(0x1000, 64, None)
        part = _simulator.Array(array(0x1010, 16, array(0x1008, 32, whole)))
        self.assertEqual(_launcher._storage(part), (0x1000, 0x1040))
        view = heddle._manifest.View(part.data_ptr(), (_launcher.UNBOUNDED,), (1,), "f32")
        self.assertEqual(_launcher._span(view, part), (0x1010, 0x1040))
        before = heddle._manifest.View(part.data_ptr() - 0x20, (_launcher.UNBOUNDED,), (1,), "f32")
        self.assertEqual(_launcher._span(before, part), (0x1000, 0x1040))


    def test_numbers_of_numpy(self):
        """They reach Triton as Python's numbers, and arrays as tensors."""

        class Generic(common.Flag):
            pass

        numpy = types.SimpleNamespace(generic=Generic, ndarray=heddle.HostArray)
        array = heddle.HostArray((4,))
        array.dtype = "float32"
        with mock.patch.dict(sys.modules, numpy=numpy):
            self.assertEqual(_simulator._adapted(Generic(0.5)), 0.5)
            self.assertIsInstance(_simulator._adapted(array), _simulator.Array)
            number, (member,) = _simulator._adapted((Generic(0.5), (array,)))
            self.assertEqual(number, 0.5)
            self.assertIsInstance(member, _simulator.Array)
            self.assertEqual(_simulator._adapted(3), 3)
        with mock.patch.dict(sys.modules, numpy=None):
            self.assertIs(_simulator._adapted(array), array)

    def test_read_only(self):
        launcher = _simulator.Launcher(types.SimpleNamespace(signature=SIGNATURE), compile_as_triton())
        tensors = [heddle.HostArray(shape, elem) for shape, elem in (((70, 48), "f16"), ((41, 96), "f16"))]
        tensors.append(common.read_only(heddle.HostArray((70, 96), "f16")))
        for tensor in tensors:
            tensor.data_ptr = lambda tensor=tensor: tensor.__array_interface__["data"][0]
        with self.assertRaisesRegex(heddle.UserError, "argument 'c': expected a tensor that may be written, got a"):
            launcher(6, 1, 1, 0, None, None, None, None, None, *tensors, 70, 90, 41, 48, 96, 96, 64)


class Import(unittest.TestCase):
    def python(self, code, **environment):
        path = os.pathsep.join([os.path.join(common.HERE, "stand_in"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, **environment}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def test_version(self):
        old = "import triton; triton.__version__ = '3.5.1'; import heddle.triton; print(heddle.triton.state())"
        self.assertRegex(self.python(old), "heddle.triton does nothing: expected Triton 3.6 or newer, got 3.5.1")

    def test_unknown_triton(self):
        code = (
            "import triton.backends.nvidia.compiler as c; del c.CUDABackend.hash; import heddle.triton; "
            "print(heddle.triton.state())"
        )
        self.assertRegex(self.python(code), "is not as expected .*hash")

    def test_modes(self):
        code = "import heddle.triton; print(heddle.triton.state())"
        self.assertEqual(self.python(code).strip(), "installed")
        self.assertEqual(self.python(code, HEDDLE_TRITON="off").strip(), "HEDDLE_TRITON is off")
        self.assertIn("expected off, auto or only, got 'on'", self.python(code, HEDDLE_TRITON="on"))


if __name__ == "__main__":
    unittest.main()
