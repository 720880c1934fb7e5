"""What tests of heddle.triton share: a stand-in for Triton and one for the driver. No GPU, no Triton."""

import collections
import os
import sys
import types

import common

sys.path.insert(0, os.path.join(common.HERE, "stand_in"))
import heddle.triton  # noqa: E402, F401
from heddle.triton import _jobs  # noqa: E402
from triton.backends.nvidia.compiler import CUDABackend  # noqa: E402
from triton.backends.nvidia.driver import CudaDriver, CudaLauncher  # noqa: E402

with open(os.path.join(common.ROOT, "test/Triton/product.mlir"), encoding="utf-8") as _file:
    PRODUCT = _file.read()
NAMES = ("a", "b", "c", "M", "N", "K", "sa", "sb", "sc", "BLOCK")
SIGNATURE = dict(zip(NAMES, ["*fp16"] * 3 + ["i32"] * 6 + ["constexpr"]))
OPTIONS = {"num_ctas": 1, "enable_fp_fusion": True, "launch_pdl": False, "num_warps": 4, "num_stages": 3}
class Tensor:
    """What a launcher asks of a tensor. The stand-in driver never reads the memory."""

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


def compile_as_triton(ttir=PRODUCT, **options):
    """What triton.compile does with the stages: the metadata, as it comes back from the cache."""
    stages, metadata = {}, {}
    CUDABackend().add_stages(stages, types.SimpleNamespace(**{**OPTIONS, **options}), "triton")
    module = ttir
    for stage in stages.values():
        module = stage(module, metadata)
    assert module == b"triton"
    return collections.namedtuple("Metadata", sorted(metadata))(**metadata)


class TestCase(common.TestCase):
    def setUp(self):
        super().setUp()
        common.use_fake_gpu(self)
        CudaLauncher.launches.clear()
        _jobs._jobs.clear()

    def launcher(self, metadata=None, signature=None):
        metadata = metadata or compile_as_triton()
        launcher = CudaDriver().launcher_cls(types.SimpleNamespace(signature=signature or SIGNATURE), metadata)
        if getattr(launcher, "job", None) is not None:
            self.assertTrue(launcher.job.wait(60))
        return launcher

    def launch(self, launcher, grid=(6, 1, 1), a=0x10000, b=0x20000, c=0x30000, hooks=(None, None), **changed):
        sizes = {"M": 70, "N": 90, "K": 41, "sa": 48, "sb": 96, "sc": 96, **changed}
        tensors = [Tensor(address) for address in (a, b, c)]
        launcher(*grid, 5, None, None, "metadata", *hooks, *tensors, *sizes.values(), 64)

    def counts(self):
        return len(self.launches()), len(CudaLauncher.launches)
