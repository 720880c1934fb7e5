"""Unit tests of build.py's reading of ptxas; no nvcc needed."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from build import diagnose, resources  # noqa: E402

CLEAN = """ptxas info    : Function properties for gemm
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers"""


class Diagnose(unittest.TestCase):
    def test_clean(self):
        self.assertEqual(diagnose(CLEAN), [])
        self.assertEqual(resources(CLEAN), {"registers": 168, "stack": 0})

    def test_defects(self):
        self.assertEqual(
            diagnose(CLEAN.replace("0 bytes spill stores", "8 bytes spill stores")),
            ["expected no spills, got 8 bytes stored and 0 loaded"],
        )
        for line in (
            "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized",
            "kernel.cu(102): warning #68-D: integer conversion resulted in a change of sign",
            "ptxas info : setmaxnreg ignored to maintain minimum register requirement.",
        ):
            self.assertEqual(diagnose(CLEAN + "\n" + line), [line])


if __name__ == "__main__":
    unittest.main()
