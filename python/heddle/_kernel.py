"""heddle.compile: a tile program, or a Triton kernel's TTIR, to a Kernel that can be called.

    kernel = heddle.compile("gemm.mlir")            # or the text itself, or a program of heddle.builder
    kernel(A, B, C, alpha=0.5)                      # tensors in the order of kernel.views, scalars by name

What the compiler made is kept by program, options and compiler (_cache.py), the cubin beside it.
"""

import dataclasses
import json
import os
import sys
import zipfile
from io import BytesIO

from . import _cache, _driver, _nvrtc, _sim, _tensors
from ._manifest import Manifest, UserError, read_text, scalar_value

FILES = ("kernel.cu", "kernel.json", "launch.json", "chain.json")
# Options of `heddle compile` that `heddle run` and `heddle explain` do not know.
COMPILING_ONLY = ("certificate", "no_locations")
# So many forms of calls (sizes, strides, element types, scalars) are remembered, and so many launches of each.
REMEMBERED = 4096


def known(forms, tensors, scalars):
    """(key, Form, addresses) of a call of PyTorch's tensors, of a form that was there before; Form and addresses are
    None where it was not, and the key is where it can have none."""
    try:
        key = form_of(tensors, scalars)
        form = forms.get(key)
    except (AttributeError, TypeError):
        return None, None, None
    return key, form, None if form is None else tuple([t.data_ptr() for t in tensors])


def remember(known, key, value):
    """Puts it into a dictionary that does not grow without bound."""
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = value
    return value


class Form:
    """What calls have in common whose tensors differ in their addresses alone: sizes, strides, element types and
    scalars are checked and evaluated once."""

    __slots__ = ("function", "launches", "like", "manifest", "owners", "scalars", "views")

    def __init__(self, function, manifest, views, scalars):
        self.function, self.manifest, self.scalars = function, manifest, scalars
        self.views = [views[view["name"]] for view in manifest.views]
        numbers = {view["name"]: i for i, view in enumerate(manifest.views)}
        mapped = ("tensormap", "pointer")
        self.owners = [numbers[p["view"]] if p["kind"] in mapped else None for p in manifest.params]
        self.launches, self.like = {}, None

    def at(self, addresses):
        """The launch for tensors at these addresses, a tuple in the order of views."""
        launch = self.launches.get(addresses)
        return launch or remember(self.launches, addresses, self._made(addresses))

    def views_at(self, addresses):
        return [dataclasses.replace(view, address=address) for view, address in zip(self.views, addresses)]

    def _made(self, addresses):
        if self.like is not None and not any(address % 16 for address in addresses):
            return self.like.moved(addresses)  # tensor maps are moved, not made
        from . import _cuda

        views = {v["name"]: view for v, view in zip(self.manifest.views, self.views_at(addresses))}
        bound = self.manifest.bind(views, self.scalars, self.function.sms())
        launch = _cuda.Launch(self.function, bound, self.owners)
        if not launch.empty:
            self.like = launch
        return launch


class Kernel:
    """A compiled kernel.

    cuda      the CUDA text
    manifest  what a launcher needs to know (docs/Manifest.md)
    views     names of the tensors, in the order of a call
    launch    a Triton kernel's launch.json (docs/Triton.md), else None
    log       what the compiler said: intervals, bounds, status of each loop
    fused     whether nvcc or NVRTC may round a product and a sum once (True); set it before the first launch
    """

    def __init__(self, text, name, options, files):
        self.text, self.options = text, options
        self._name = name
        self.cuda, self.log = files["kernel.cu"], files["log"]
        self.manifest = Manifest.parse(files["kernel.json"])
        self.launch = json.loads(files["launch.json"]) if "launch.json" in files else None
        self.views = [view["name"] for view in self.manifest.views]
        self._functions, self._forms, self._image = {}, {}, None
        self.fused = True

    @property
    def name(self):
        return self.manifest.kernel

    def __repr__(self):
        return f"<heddle.Kernel {self.name}({', '.join(self.views)})>"

    def cubin(self):
        """The machine code, by nvcc or NVRTC; raises Unavailable where there is neither."""
        if self._image is None:
            key = _cache.key_of("cubin", self.cuda, str(self.fused), _driver.version_digest())
            image = _cache.get(key, ".cubin")
            if image is None or self.manifest.mark.encode() not in image:
                include = os.path.join(_driver.resources(), "device", "include")
                image, self.cubin_log = _nvrtc.compile_cubin(self.cuda, include, self.fused)
                _cache.put(key, ".cubin", image)
            self.manifest.check_image(image, "cubin")
            self._image = image
        return self._image

    def function(self):
        """The kernel, loaded into the current context."""
        from . import _cuda

        device = _cuda.ensure_context()
        if device not in self._functions:
            self._functions[device] = _cuda.Function(self.cubin(), self.manifest)
        return self._functions[device]

    def explain(self):
        """What `heddle explain` says: why the schedule is what it is, and what would have to change."""
        if self.text is None:
            raise UserError(f"expected a kernel that was compiled here, got '{self.name}', which was loaded")
        with _driver.Workspace(self.text, self._name) as workspace:
            known = {k: v for k, v in self.options.items() if k != "dims"}
            return _driver.execute(["explain", workspace.program, *_driver.arguments(known)], cwd=workspace.directory)

    def __call__(self, *tensors, stream=None, **scalars):
        """Enqueues a run on `stream` (default: PyTorch's current one, else the default one). Tensors of the CPU run in
        the simulator if HEDDLE_DEVICE=sim says so."""
        form, addresses = self.bound(tensors, scalars)
        if form is not None:
            form.at(addresses)(current_stream() if stream is None else stream)

    def bound(self, tensors, scalars):
        """(the Form of a call, addresses of its tensors); (None, None) where the simulator ran it."""
        key, form, addresses = known(self._forms, tensors, scalars)
        if form is not None:
            if addresses not in form.launches:
                _tensors.check_written(self.manifest.views, form.views_at(addresses))
            return form, addresses
        if self.launch is not None:
            raise UserError("a Triton kernel is launched by Triton: import heddle.triton")
        views, places, scalars = placed(self.manifest, tensors, scalars)
        _tensors.check_written(self.manifest.views, list(views.values()))
        if _sim.asked(places, self.text):
            if 0 not in self.manifest.bind(views, scalars, 2).grid:
                _sim.run_program(self.text, self._name, self.manifest, self.options, views, scalars)
            return None, None
        form = self.form(views, scalars)
        addresses = tuple([view.address for view in views.values()])
        form.at(addresses)  # nothing that is wrong is remembered
        if key is not None:
            remember(self._forms, form_of(tensors, scalars), form)
        return form, addresses

    def form(self, views, scalars):
        """The Form of views of the GPU, by name in the order of `self.views`, at whatever addresses."""
        function = self.function()
        sizes = (function.device, *[(v.shape, v.strides, v.elem) for v in views.values()], *scalars.items())
        form = self._forms.get(sizes)
        return form or remember(self._forms, sizes, Form(function, self.manifest, views, dict(scalars)))


def form_of(tensors, scalars):
    """All that a call with PyTorch's tensors depends on but their addresses."""
    return (*[(t.shape, t.stride(), t.dtype, t.device) for t in tensors], *scalars.items())


def placed(manifest, tensors, scalars):
    """({view: View}, {view: "cuda" or "cpu"}, {scalar: number of Python's}) of a call."""
    names = [view["name"] for view in manifest.views]
    if len(tensors) != len(names):
        raise UserError(f"expected {len(names)} tensors ({', '.join(names)}), got {len(tensors)}")
    known = {scalar["name"]: scalar for scalar in manifest.scalars}
    for name in scalars:
        if name not in known:
            expected = "one of the scalars " + ", ".join(known) if known else "no scalars"
            raise UserError(f"expected {expected}, got '{name}'")
    numbers = {name: scalar_value(known[name], value) for name, value in scalars.items()}
    views, places = {}, {}
    for declared, tensor in zip(manifest.views, tensors):
        view, places[declared["name"]] = _tensors.view_of(tensor)
        views[declared["name"]] = _tensors.as_element(view, declared["elem"])
    return views, places, numbers


def current_stream():
    """The stream of a call that names none."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return 0
    return torch._C._cuda_getCurrentRawStream(torch.cuda.current_device())


def _program_of(program):
    """(text, name to show in errors)."""
    if hasattr(program, "text") and callable(program.text):
        return program.text(locations=True), f"{program.name}.mlir"
    if not _is_path(program):
        kind = type(program).__name__
        raise UserError(f"expected a program's text or file, or a program of heddle.builder, got {kind}")
    text = os.fsdecode(program)
    if "\n" in text:
        return text, "program.ttir" if "tt.func" in text else "program.mlir"
    return read_text(text, f"expected a program's text or file, got '{text}'"), os.path.basename(text)


def compile(program, **options):
    """Compiles a program to a Kernel, or to a Chain where it has a tile.chain. Options are those of `heddle compile`
    with underscores (groups=2, param={"BM": 192}, machine="h200", plan="k.plan", of a chain plan={"name": "k.plan"}).
    Raises UserError, Infeasible, LimitReached or InternalError with the compiler's text, which names a place of the
    program."""
    text, name = _program_of(program)
    for taken in ("o", "emit"):
        if taken in options:
            raise UserError(f"expected an option other than '{taken}', which heddle.compile uses itself")
    plan = options.get("plan")
    if isinstance(plan, dict) and not all(map(_is_path, plan.values())):
        raise UserError(f"plan: expected the path of a plan file, or of a chain {{kernel: path}}, got {plan}")
    # Files that options name decide as much as their names do.
    named = [_contents(value) for _, value in sorted(options.items())]
    args = _driver.arguments(options)
    key = _cache.key_of(text, name, "\0".join(args), *named, _driver.version_digest())
    # The compiler runs in another directory, as the simulator does later.
    options = {k: _absolute(v, k == "certificate") for k, v in options.items()}
    files = None if options.get("certificate") else _unpack(_cache.get(key, ".zip"))  # that directory is to be written
    if files is None:
        with _driver.Workspace(text, name) as workspace:
            command = ["compile", workspace.program, "-o", "out", *_driver.arguments(options)]
            try:
                files = {"log": _driver.execute(command, cwd=workspace.directory)}
            except UserError:
                _driver.check_options("compile", options)
                _driver.check_dims(text, options.get("dims"))
                raise
            for folder, _, names in os.walk(workspace.path("out")):
                for file in names:
                    path = os.path.relpath(os.path.join(folder, file), workspace.path("out"))
                    if file in FILES:
                        files[path] = workspace.read(f"out/{path}")
        if "kernel.json" not in files and "chain.json" not in files:  # --help and its like
            raise UserError(f"expected options with which a kernel is compiled, got {', '.join(options)}")
        _cache.put(key, ".zip", _pack(files))
    options = {k: v for k, v in options.items() if k.replace("-", "_") not in COMPILING_ONLY}
    if "chain.json" in files:
        from ._chain import Chain

        return Chain.of_files(text, name, options, files)
    return Kernel(text, name, options, files)


def _is_path(value):
    return isinstance(value, (str, os.PathLike))


def _absolute(value, is_path=False):
    """A value of an option, with the paths of files in it absolute. is_path: it is a path, whether a file or not."""
    if isinstance(value, dict):  # plans of the kernels of a chain
        return {k: _absolute(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):  # solutions of several loops
        return [_absolute(v) for v in value]
    return os.path.abspath(value) if _is_path(value) and (is_path or os.path.isfile(value)) else value


def _contents(value):
    if isinstance(value, dict):
        return "\0".join(_contents(v) for _, v in sorted(value.items()))
    if isinstance(value, (list, tuple)):
        return "\0".join(map(_contents, value))
    if not _is_path(value) or not os.path.isfile(value):
        return ""
    with open(value, encoding="utf-8", errors="replace") as file:
        return file.read()


def _pack(files):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def _unpack(data):
    try:
        with zipfile.ZipFile(BytesIO(data or b"")) as archive:
            return {name: archive.read(name).decode() for name in archive.namelist()}
    except (zipfile.BadZipFile, UnicodeDecodeError):
        return None
