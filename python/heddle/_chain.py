"""Several kernels as one: what heddle.compile gives for a program with a tile.chain.

    chain = heddle.compile("attention_backward.mlir")      # or heddle.load("out"), what `heddle compile` wrote
    chain(Q, K, V, O, dO, LSE, dQ, dK, dV, scale=0.125)    # tensors in the order of chain.views, scalars by name

Workspaces are parts of one allocation, which is made once for each device and stream, and kept: runs of one stream
follow one another, those of different streams have workspaces of their own.
"""

import dataclasses
import os

from . import _sim, _tensors
from ._kernel import Kernel, current_stream, form_of, known, placed, remember
from ._manifest import ChainManifest, UserError, View, read_text

WORKSPACE_ALIGNMENT = 256  # bytes, as cuMemAlloc aligns


class Form:
    """What calls of a chain have in common whose tensors differ in their addresses alone. bytes: of all workspaces."""

    __slots__ = ("_apart", "_cleared", "_known", "_parts", "_offsets", "_views", "bytes")

    def __init__(self, kernels, manifest, views, scalars):
        workspaces, launches = manifest.bind(views, scalars)
        self.bytes, self._offsets, self._cleared, self._known, self._apart = 0, [], [], {}, {}
        self._views = list(views.values())
        known = dict(views)
        for workspace in workspaces:
            self._offsets.append(self.bytes)
            if workspace.zeroed:
                self._cleared.append((self.bytes, workspace.bytes))
            self.bytes += -(-workspace.bytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
            known[workspace.name] = View(0, workspace.shape, workspace.strides, workspace.elem)
        self.bytes = max(self.bytes, WORKSPACE_ALIGNMENT)
        numbers = {name: number for number, name in enumerate(known)}
        self._parts = []
        for launch in launches:
            kernel = kernels[launch.kernel]
            given = {name: known[launch.views[name]] for name in kernel.views}
            places = [numbers[launch.views[name]] for name in kernel.views]
            self._parts.append((kernel.form(given, launch.scalars), places))

    def check(self, declared, addresses):
        """Refuses tensors at addresses where what is written is not theirs alone. declared: the manifest's views."""
        if addresses not in self._apart:
            views = [dataclasses.replace(view, address=address) for view, address in zip(self._views, addresses)]
            _tensors.check_written(declared, views)
            remember(self._apart, addresses, True)

    def at(self, addresses):
        """What to call with a stream, one after the other, for tensors at these addresses, in the order of views, and
        the workspaces behind them: a tuple."""
        calls = self._known.get(addresses)
        return calls or remember(self._known, addresses, self._made(addresses))

    def _made(self, addresses):
        from . import _cuda

        *given, workspace = addresses
        given += [workspace + offset for offset in self._offsets]
        calls = [_cuda.Clear(workspace + offset, size) for offset, size in self._cleared]
        return calls + [form.at(tuple([given[place] for place in places])) for form, places in self._parts]


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
        self._workspaces, self._forms = {}, {}

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
        object with `data_ptr()`, a multiple of 256, for the workspaces, in place of memory that is kept here."""
        form, addresses = self.bound(tensors, scalars)
        if form is None:
            return
        stream = current_stream() if stream is None else stream
        # As long as launches are enqueued.
        taken = self._memory(stream, form.bytes) if allocate is None else allocate(form.bytes)
        for call in form.at((*addresses, taken.data_ptr())):
            call(stream)

    def bound(self, tensors, scalars):
        """(the Form of a call, addresses of its tensors); (None, None) where the simulator ran it."""
        key, form, addresses = known(self._forms, tensors, scalars)
        if form is not None:
            form.check(self.manifest.views, addresses)
            return form, addresses
        views, places, scalars = placed(self.manifest, tensors, scalars)
        _tensors.check_written(self.manifest.views, list(views.values()))
        if _sim.asked(places, self.text):
            self.manifest.bind(views, scalars)
            _sim.run_program(self.text, self._name, self.manifest, self.options, views, scalars)
            return None, None
        form = Form(self.kernels, self.manifest, views, scalars)
        if key is not None:
            remember(self._forms, form_of(tensors, scalars), form)
        return form, [view.address for view in views.values()]

    def _memory(self, stream, size):
        from . import _cuda

        key = _cuda.ensure_context(), stream
        if key not in self._workspaces or self._workspaces[key].size != size:
            self._workspaces[key] = _cuda.Memory(size)  # that of sizes that are no longer asked for goes
        return self._workspaces[key]


def load(directory):
    """The Kernel or Chain that `heddle compile PROGRAM -o DIRECTORY` wrote."""
    if not isinstance(directory, (str, os.PathLike)):
        raise UserError(f"expected a directory that heddle compile wrote, got {type(directory).__name__}")
    path = os.path.join(directory, "chain.json")
    if not os.path.exists(path):
        return _load_kernel(directory)
    manifest = ChainManifest.load(path)
    names = dict.fromkeys(launch["kernel"] for launch in manifest.launches)
    return Chain(None, None, {}, manifest, {name: _load_kernel(os.path.join(directory, name)) for name in names})


def _load_kernel(directory):
    files = {"log": ""}
    for file in ("kernel.cu", "kernel.json"):
        files[file] = read_text(os.path.join(directory, file), f"expected {file} in '{directory}'")
    return Kernel(None, None, {}, files)
