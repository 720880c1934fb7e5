"""Several kernels as one: what heddle.compile gives for a program with a tile.chain.

    chain = heddle.compile("attention_backward.mlir")      # or heddle.load("out"), what `heddle compile` wrote
    chain(Q, K, V, O, dO, LSE, dQ, dK, dV, scale=0.125)    # tensors in the order of chain.views, scalars by name

Workspaces are allocated once for each device, stream and sizes, and kept: runs of one stream follow one another, those
of different streams have workspaces of their own.
"""

import os

from . import _sim
from ._kernel import Kernel, current_stream, placed
from ._manifest import ChainManifest, UserError, View


class Chain:
    """A compiled chain.

    manifest  chain.json (docs/Manifest.md)
    kernels   {name: Kernel}
    views     names of the tensors, in the order of a call
    log       what the compiler said
    """

    def __init__(self, text, name, options, manifest, kernels, log=""):
        self.text, self.options, self._name, self.log = text, options, name, log
        self.manifest, self.kernels = manifest, kernels
        self.views = [view["name"] for view in manifest.views]
        self._workspaces = {}

    @classmethod
    def of_files(cls, text, name, options, files):
        """What `heddle compile` wrote: {path: text}."""
        manifest = ChainManifest.parse(files["chain.json"])
        kernels = {}
        for launch in manifest.launches:
            own = {file: files[f"{launch['kernel']}/{file}"] for file in ("kernel.cu", "kernel.json")}
            options_of = {**options, "kernel": launch["kernel"]}
            kernels.setdefault(launch["kernel"], Kernel(text, name, options_of, {**own, "log": ""}))
        return cls(text, name, options, manifest, kernels, files["log"])

    @property
    def name(self):
        return self.manifest.chain

    def __repr__(self):
        return f"<heddle.Chain {self.name}({', '.join(self.views)})>"

    def __call__(self, *tensors, stream=None, allocate=None, **scalars):
        """Enqueues a run on `stream` (default: PyTorch's current one, else the default one). `allocate(bytes)` gives an
        object with `data_ptr()` for each workspace, in place of memory that is kept here."""
        views, places = placed(self.manifest, tensors, scalars)
        if _sim.asked(places, self.text):
            self.manifest.bind(views, scalars)
            _sim.run_program(self.text, self._name, self.manifest, self.options, views, scalars)
            return
        from . import _cuda

        stream = current_stream() if stream is None else stream
        device = _cuda.ensure_context()
        workspaces, launches = self.manifest.bind(views, scalars)
        taken = []  # as long as launches are enqueued
        for workspace in workspaces:
            if allocate is None:
                address = self._memory((device, stream, workspace.name, workspace.bytes)).address
            else:
                taken.append(allocate(workspace.bytes))
                address = taken[-1].data_ptr()
            views[workspace.name] = View(address, workspace.shape, workspace.strides, workspace.elem)
            if workspace.zeroed:
                _cuda.clear(address, workspace.bytes, stream)
        for launch in launches:
            given = {name: views[view] for name, view in launch.views.items()}
            self.kernels[launch.kernel].enqueue(given, launch.scalars, stream)

    def _memory(self, key):
        from . import _cuda

        if key not in self._workspaces:
            # Sizes that are no longer asked for go.
            for old in [k for k in self._workspaces if k[:3] == key[:3]]:
                del self._workspaces[old]
            self._workspaces[key] = _cuda.Memory(key[-1])
        return self._workspaces[key]


def load(directory):
    """The Kernel or Chain that `heddle compile PROGRAM -o DIRECTORY` wrote."""
    path = os.path.join(os.fspath(directory), "chain.json")
    if not os.path.exists(path):
        return _load_kernel(directory)
    manifest = ChainManifest.load(path)
    names = dict.fromkeys(launch["kernel"] for launch in manifest.launches)
    return Chain(None, None, {}, manifest, {name: _load_kernel(os.path.join(directory, name)) for name in names})


def _load_kernel(directory):
    files = {"log": ""}
    for file in ("kernel.cu", "kernel.json"):
        try:
            with open(os.path.join(directory, file), encoding="utf-8") as text:
                files[file] = text.read()
        except OSError as error:
            raise UserError(f"expected {file} in '{directory}': {error.strerror}") from None
    return Kernel(None, None, {}, files)
