"""What sass_order.py says of short listings: order kept, order changed, arithmetic in a window, moved exponentials."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import sass_order  # noqa: E402

KERNEL = """
  for (int it = 1; it < trips; ++it) {
    hd::wgmmaFence();
    #pragma unroll
    for (int j = 0; j < 2; ++j)
      hd::wgmmaSS<128, hd::f16, hd::f16, 0, 0, 0>(s, a, b, j > 0);
    hd::wgmmaCommit();
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      x[r] = x[r] * scale;
      x[r] = hd::ex2(x[r]); // of the tile before
    }
    hd::wgmmaWait<0>();
  }
"""
FIRST = "HGMMA.64x128x16.F32 R24, gdesc[UR8], RZ, !UPT"
LAST = "HGMMA.64x128x16.F32 R24, gdesc[UR8], R24, gsb0"
WAIT = "WARPGROUP.DEPBAR.LE gsb0, 0x0"
EXP = "MUFU.EX2 R1, R2"
BACK = "@P0 BRA `(.L_x_1)"


def listing(*lines):
    return ".L_x_1:\n" + "\n".join(f"        /*{i:04x}*/    {line} ;" for i, line in enumerate(lines)) + "\n"


def judge(*lines):
    text = listing(*lines)
    straight = sass_order.events_of(list(sass_order.instructions(text)))[0]
    return sass_order.compare(sass_order.emitted_loops(KERNEL), sass_order.compiled_loops(text), straight)


class SassOrder(unittest.TestCase):
    def test_order_is_kept(self):
        self.assertEqual(judge(FIRST, LAST, EXP, EXP, WAIT, BACK), ([], []))

    def test_loop_may_begin_elsewhere(self):
        self.assertEqual(judge(EXP, EXP, WAIT, FIRST, LAST, BACK), ([], []))

    def test_unrolled_loop(self):
        self.assertEqual(judge(FIRST, LAST, EXP, EXP, WAIT)[0], [])

    def test_moved_exponentials(self):
        self.assertEqual(
            judge(FIRST, LAST, WAIT, EXP, EXP, BACK),
            ([], ["loop 0: 2 of 2 exponentials moved over a product or a wait"]),
        )

    def test_arithmetic_in_a_window(self):
        notes = judge(FIRST, "FADD R1, R2, R3", LAST, EXP, EXP, WAIT, BACK)[1]
        self.assertEqual(notes, ["loop 0: arithmetic inside a product's window: 1 FADD"])

    def test_serialised_products(self):
        defects = judge(LAST, WAIT, LAST, EXP, EXP, WAIT, BACK)[0]
        self.assertEqual(len(defects), 1)
        self.assertIn("expected products 2 x n128, wait 0 in this order, got products 1 x n128, wait 0", defects[0])


if __name__ == "__main__":
    unittest.main()
