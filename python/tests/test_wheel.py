"""The wheel: built, installed into a fresh virtual environment without an index, and used outside of the checkout."""

import importlib.util
import os
import subprocess
import sys
import zipfile

import common

sys.path.insert(0, os.path.dirname(common.HERE))
import backend  # noqa: E402

CODE = """
import heddle, os
assert not os.environ.get("HEDDLE_BINARY")
kernel = heddle.compile(os.path.join(os.path.dirname(heddle.binary()), "../share/heddle/examples/01_gemm.mlir"))
print(heddle.__file__, kernel)
"""


class Wheel(common.TestCase):
    def setUp(self):
        super().setUp()
        os.environ["HEDDLE_WHEEL_BINARY"] = os.environ.pop("HEDDLE_BINARY", "") or backend.program()
        os.environ.pop("PYTHONPATH", None)
        self.wheels = os.path.join(self.folder, "wheels")
        self.wheel = os.path.join(self.wheels, backend.build_wheel(self.wheels))

    def run_there(self, python, *args, **environment):
        done = subprocess.run(
            [python, *args],
            cwd=self.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_unpacked(self):
        """What an installer does, by hand: for machines without pip."""
        site = os.path.join(self.folder, "site")
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(site)
            names = archive.namelist()
            self.assertTrue(archive.getinfo("heddle/bin/heddle").external_attr >> 16 & 0o111)
            record = archive.read(f"heddle-{backend.version()}.dist-info/RECORD").decode().splitlines()
        self.assertEqual([line.split(",")[0] for line in record], names)
        for path in ("tasks/gemm_h100.map", "python/gemm.py", "embed/main.cpp", "embed-compiler/CMakeLists.txt"):
            self.assertIn("heddle/share/heddle/examples/" + path, names)
        os.chmod(os.path.join(site, "heddle/bin/heddle"), 0o755)
        self.assertIn(site, self.run_there(sys.executable, "-c", CODE, PYTHONPATH=site))
        with open(self.wheel, "rb") as file:
            first = file.read()
        backend.build_wheel(self.wheels)
        with open(self.wheel, "rb") as file:
            self.assertEqual(file.read(), first)

    def test_installed(self):
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("this Python makes no virtual environments with pip")
        environment = os.path.join(self.folder, "venv")
        self.run_there(sys.executable, "-m", "venv", environment)
        python = os.path.join(environment, "bin", "python")
        self.run_there(python, "-m", "pip", "install", "-q", "--no-index", self.wheel)
        self.assertIn(environment, self.run_there(python, "-c", CODE))
        self.assertIn("heddle", self.run_there(os.path.join(environment, "bin", "heddle"), "--version"))
        share = os.path.join(
            os.path.dirname(self.run_there(python, "-c", "import heddle; print(heddle.binary())")), ".."
        )
        example = os.path.join(share, "share/heddle/examples/python/gemm.py")
        self.assertIn("simulated: equal", self.run_there(python, example, HEDDLE_DEVICE="sim"))

    def test_no_program(self):
        os.environ["HEDDLE_WHEEL_BINARY"] = "/nowhere/heddle"
        with self.assertRaisesRegex(SystemExit, "expected the program '/nowhere/heddle', got none"):
            backend.build_wheel(self.wheels)
