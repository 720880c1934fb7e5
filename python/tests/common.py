"""What the tests share: a cache of their own, stand-ins for nvcc and for the CUDA driver, programs."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXAMPLES = os.path.join(ROOT, "examples")

# Takes the name that ties a cubin to its text over from the text, as compiling it would.
NVCC = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/nvcc.log"
while [ $# -gt 0 ]; do
  case "$1" in
    -o) out=$2; shift ;;
    *.cu) text=$1 ;;
  esac
  shift
done
{ printf '\\177ELF'; grep -o 'heddle_text_[0-9a-f]*' "$text" | head -1; } > "$out"
"""

_folder = tempfile.TemporaryDirectory(prefix="heddle-tests-")


def fake_nvcc():
    path = os.path.join(_folder.name, "nvcc")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(NVCC)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def fake_libcuda():
    """The stand-in for the driver, or a skip where there is no C compiler."""
    path = os.path.join(_folder.name, "libcuda.so.1")
    if not os.path.exists(path):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise unittest.SkipTest("no C compiler for the stand-in driver")
        source = os.path.join(HERE, "fake_libcuda.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", path, source], check=True)
    return path


def log_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


class Double(float):
    """A number as NumPy's of 64 bits are: with another repr than Python's, and without dimensions."""

    shape = ()

    def __repr__(self):
        return f"np.float64({self.item()})"

    def item(self):
        return float(self)


class Flag:
    """A number that is none of Python's, as NumPy's of one bit are."""

    shape = ()

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


def read_only(array):
    """Makes what is seen of a HostArray as NumPy's arrays after setflags(write=False)."""
    interface = array.__array_interface__
    array.__array_interface__ = dict(interface, data=(interface["data"][0], True))
    return array


class OnGpu:
    """Memory of the CPU that says it is a GPU's: the stand-in driver never reads it."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, dict(array.__array_interface__, version=3)


class TestCase(unittest.TestCase):
    """Environment variables of `environment` hold during a test, and a cache of its own."""

    environment = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cuda_log = os.path.join(self.folder, "cuda.log")
        values = {"HEDDLE_CACHE": os.path.join(self.folder, "cache"), "FAKE_CUDA_LOG": self.cuda_log}
        patch = mock.patch.dict(os.environ, {**values, **self.environment})
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("HEDDLE_DEVICE", "HEDDLE_TRITON"):
            if name not in self.environment:
                os.environ.pop(name, None)

    def launches(self):
        return [line for line in log_of(self.cuda_log) if line.startswith("launch")]


def use_fake_gpu(test):
    """For a TestCase's setUp: kernels compile by the stand-in nvcc and launch on the stand-in driver."""
    from heddle import _cuda

    os.environ.update(HEDDLE_NVCC=fake_nvcc(), HEDDLE_LIBCUDA=fake_libcuda())
    _cuda._driver = None
    _cuda.attribute.cache_clear()
    test.addCleanup(setattr, _cuda, "_driver", None)
