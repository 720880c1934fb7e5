"""Every file of examples/python in the simulator, each in a process of its own. Those whose modules are not installed
are left out."""

import importlib.util
import os
import re
import subprocess
import sys

import common

FOLDER = os.path.join(common.EXAMPLES, "python")


class Examples(common.TestCase):
    environment = {"HEDDLE_DEVICE": "sim"}

    def test_examples(self):
        for name in sorted(os.listdir(FOLDER)):
            if not name.endswith(".py"):
                continue
            path = os.path.join(FOLDER, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            stand_in = os.path.join(common.HERE, "stand_in")
            needed = [module for module in ("torch", "triton") if re.search(rf"^import {module}$", text, re.MULTILINE)]
            search = [folder for folder in sys.path if folder != stand_in]
            missing = [m for m in needed if importlib.machinery.PathFinder.find_spec(m, search) is None]
            with self.subTest(name):
                if missing:
                    self.skipTest(f"{', '.join(missing)} not installed")
                environment = dict(os.environ, TRITON_CACHE_DIR=os.path.join(self.folder, "triton"))
                done = subprocess.run(
                    [sys.executable, path], env=environment, capture_output=True, text=True, check=False
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
