"""What check_family.py draws: sizes with the shortest contractions, groups that hold all rows; and that every member of
the family is a program of the repository. No GPU, no PyTorch.

Run: python3 bench/gpu/tests/test_check_family.py
"""

import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import check_family  # noqa: E402
from stage_family import MEMBERS  # noqa: E402


class CheckFamily(unittest.TestCase):
    def test_shapes(self):
        shapes = check_family.shapes(60, 3000, random.Random(1))
        self.assertEqual(len(shapes), 60)
        self.assertTrue({0, 1} <= {k for _, _, k in shapes})
        self.assertTrue(all(1 <= x <= 3000 for m, n, k in shapes for x in (m, n, max(k, 1))))
        self.assertEqual(check_family.shapes(2, 16, random.Random(1)), [(1, 1, 1), (1, 1, 0)])

    def test_groups_hold_all_rows(self):
        for groups in range(1, 13):
            sizes = check_family.split(100, groups, random.Random(groups))
            self.assertEqual((len(sizes), sum(sizes), min(sizes) >= 0), (groups, 100, True))

    def test_members_are_programs(self):
        for name in MEMBERS:
            self.assertTrue(os.path.exists(os.path.join(HERE, "..", "..", "..", name + ".mlir")), name)


if __name__ == "__main__":
    unittest.main()
