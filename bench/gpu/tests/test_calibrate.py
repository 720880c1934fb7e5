"""Unit tests of bench/gpu/calibrate and utils/fit_machine.py on synthetic samples; no GPU, no PyTorch.

Run: python3 bench/gpu/tests/test_calibrate.py
"""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "utils"), os.path.join(ROOT, "bench", "gpu", "calibrate")]
import cases  # noqa: E402
import fit_machine as fm  # noqa: E402

H100 = os.path.join(ROOT, "machines", "h100.json")


class FakeDevice:
    """A GPU where a trip of any kernel takes 300 cycles, and a wgmma group of 4 beside it 260."""

    def memory(self):
        return self

    def data_ptr(self):
        return 16

    def flush(self):
        pass

    def tensor_map(self, rows, elem):
        return ("map", None, 0)

    def launch(self, name, ctas, threads, values):
        trip = [(7, 7 + 90 + 300 * values[0])]
        if name.endswith("_tensor"):
            return [[(0, 40 + 260 * values[1])] + trip * 7]
        return [trip * 8 for _ in range(ctas)]


def measured():
    out = []
    for bench in cases.benches():
        out += bench.run(FakeDevice(), 3)
    return out


def exact(machine, wobble=0.0):
    """The samples of a GPU that behaves as the file says, off by at most `wobble`, deterministically."""
    out = []
    for i, sample in enumerate(s for s in measured() if fm.counts(s)):
        cycles = fm.cost(machine["ops"][sample["op"]], sample["params"])[sample["metric"]]
        out.append({**sample, "cycles": cycles * (1 + wobble * (i * 7 % 11 - 5) / 5)})
    return out


class Measure(unittest.TestCase):
    def test_slopes_leave_out_prologue(self):
        by_name = {(s["op"], s["metric"], s["params"].get("how"), s["params"].get("groups")): s for s in measured()}
        self.assertEqual(by_name["exp", "hold", "exp", 4]["cycles"], 75)
        self.assertEqual(by_name["tma_load", "issue", "load_issue", None]["cycles"], 75)
        self.assertEqual(by_name["mbarrier", "latency", "mbar_warp", None]["cycles"], 150)

    def test_names_are_unique(self):
        names = [b.name for b in cases.benches()]
        self.assertEqual(len(names), len(set(names)))

    def test_every_kernel_exists(self):
        text = ""
        folder = os.path.join(ROOT, "bench", "gpu", "calibrate")
        for name in ("arith", "smem", "barrier", "tma", "wgmma"):
            with open(os.path.join(folder, name + ".cu"), encoding="utf-8") as file:
                text += file.read()
        launched = set()
        device = FakeDevice()
        launch = device.launch
        device.launch = lambda name, *rest: (launched.add(name), launch(name, *rest))[1]
        for bench in cases.benches():
            bench.run(device, 1)
        for name in launched:
            base = name.removesuffix("_tensor").removeprefix("cal_").removeprefix("chain_").split("_n")[0]
            stem = base.split("_ss")[0].split("_rs")[0].removesuffix("_fence").rstrip("0123456789").rstrip("_")
            self.assertIn(stem, text, name)

    def test_uncovered_mixture_fails(self):
        class Slow(FakeDevice):
            def launch(self, name, ctas, threads, values):
                return [[(0, values[1])] + [(0, 1000 * values[0])] * 7]
        with self.assertRaisesRegex(RuntimeError, "the tensor side ended first"):
            cases._beside(Slow(), "cal_exp_tensor", 1, (), 1)


class Fit(unittest.TestCase):
    def setUp(self):
        self.machine = fm.load(H100)
        for op in self.machine["ops"].values():
            op["error"] = {"issue": 10, "hold": 10, "latency": 10}

    def test_formulas_evaluate_as_in_the_compiler(self):
        self.assertEqual(fm.evaluate("-7 / 2", {}), -4)
        self.assertEqual(fm.evaluate("ceildiv(-7, 2) + max(1, n, 3)", {"n": 9}), 6)
        for bad in ("m", "1 +", "n ** 2", "foo(1)", "n / 0"):
            with self.assertRaises(fm.UserError):
                fm.evaluate(bad, {"n": 4})

    def test_agreeing_samples_pass(self):
        self.assertEqual(fm.check(self.machine, exact(self.machine, 0.08)), [])

    def test_disagreeing_sample_fails(self):
        samples = exact(self.machine)
        bad = next(s for s in samples if s["op"] == "exp" and s["metric"] == "hold")
        bad["cycles"] *= 1.3
        found = fm.check(self.machine, samples)
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^exp hold \(elems 8192.*the file says 512, measured 665.6: 23 %, stated error 10 %$")

    def test_no_stated_error_is_not_checked(self):
        del self.machine["ops"]["exp"]["error"]
        samples = [{**s, "cycles": 10 * s["cycles"]} for s in exact(self.machine) if s["op"] == "exp"]
        self.assertEqual(fm.check(self.machine, samples), [])

    def test_fit_recovers_the_formulas(self):
        groups = fm.grouped(exact(self.machine))
        for key, group in groups.items():
            found = fm.propose(self.machine["ops"][key[0]], key, group)
            self.assertIsNotNone(found, key)
            worst = max(e for _, _, e in fm.compare(self.machine["ops"][key[0]], key[1], group, {key[1]: found[0]}))
            # Row reductions and one-term rates are models coarser than the file's formula.
            self.assertLess(worst, 0.12, (key, found))
        formula, cv = fm.propose(self.machine["ops"]["wgmma"], ("wgmma", "hold"), groups["wgmma", "hold"])
        self.assertEqual(formula, "ceildiv(m, 64) * ceildiv(k * bytes, 32) * "
                                  "max(ceildiv(2 * n, 4), (1 - a_reg) * 16 + ceildiv(1 * n, 4))")
        self.assertLess(cv, 0.01)

    def test_cross_validation_sees_a_wrong_model(self):
        points = [({"n": n}, n * n) for n in (8, 16, 32, 64, 128)]
        self.assertGreater(fm.cross_validate([[lambda p: p["n"]]], points), 0.5)
        self.assertLess(fm.cross_validate([[lambda p: p["n"] ** 2]], points), 1e-9)
        self.assertIsNone(fm.cross_validate([fm.CONST], points[:1]))

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            machine, samples = os.path.join(folder, "h100.json"), os.path.join(folder, "s.json")
            with open(H100, encoding="utf-8") as file, open(machine, "w", encoding="utf-8") as copied:
                copied.write(file.read())
            data = [dict(s, cycles=1.5 * s["cycles"]) for s in exact(self.machine)]
            with open(samples, "w", encoding="utf-8") as file:
                json.dump({"samples": data}, file)
            def run(*arguments):
                text = io.StringIO()
                with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                    code = fm.main(list(arguments))
                return code, text.getvalue()
            self.assertEqual(run("--write-errors", machine, samples)[0], 0)
            stated = fm.load(machine)
            self.assertEqual(stated["ops"]["exp"]["error"]["hold"], 35)
            self.assertEqual({k: v for k, v in stated["ops"]["exp"].items() if k != "error"},
                             {k: v for k, v in fm.load(H100)["ops"]["exp"].items() if k != "error"})
            self.assertEqual(run("--check", machine, samples)[0], 0)
            stated["ops"]["exp"]["error"]["hold"] = 10
            with open(machine, "w", encoding="utf-8") as file:
                json.dump(stated, file)
            code, text = run("--check", machine, samples)
            self.assertEqual((code, text.count("error: exp hold")), (1, 1))
            self.assertIn("| exp | hold |", run(machine, samples)[1])
            with open(samples, "w", encoding="utf-8") as file:
                json.dump({"samples": [{"op": "exp"}]}, file)
            self.assertEqual(run("--check", machine, samples)[0], 2)
            self.assertEqual(run(os.path.join(folder, "none.json"))[0], 2)


if __name__ == "__main__":
    unittest.main()
