"""kernel.json for these scripts: the Python package's own reader (python/heddle/_manifest.py), which is not installed
here but stands in the same repository."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from heddle._manifest import ChainManifest, Manifest, TensorMapSpec, UserError, View  # noqa: E402

__all__ = ["ChainManifest", "Manifest", "TensorMapSpec", "UserError", "View"]
