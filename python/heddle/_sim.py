"""Launches in the simulator: tensors of the CPU go to .npy files, `heddle run` executes the program as the compiled
kernel would run (copies and products at their times, races and deadlocks noticed), what it wrote goes back.

Every run also compares the result with the sequential meaning of the program: a difference raises WrongResult. Of
NothingProved nothing is said here: what the kernel computed is written back all the same.
"""

import os

from . import _driver, _tensors
from ._manifest import UserError, View


def _run(workspace, args, written, unbounded=None):
    """The run. written: views by the names of files. Gives (view with the sizes that the run reached, its elements) for
    each. A size of `unbounded` stands for what the run reached."""
    try:
        _driver.execute(["run", workspace.program, "--device=sim", *args], cwd=workspace.directory)
    except _driver.NothingProved:
        pass
    results = []
    for name, view in written.items():
        with open(workspace.path(name), "rb") as file:
            shape, data = _tensors.parse_npy(file.read())
        if any(got != size and size != unbounded for got, size in zip(shape, view.shape)):
            raise _driver.InternalError(f"{name}: expected the sizes {tuple(view.shape)}, got {tuple(shape)}")
        results.append((View(view.address, shape, view.strides, view.elem), data))
    return results


def _save(workspace, name, elem, shape, data):
    with open(workspace.path(name), "wb") as file:
        file.write(_tensors.npy(elem, shape, data))


def run_program(text, name, manifest, options, views, scalars):
    """A tile program on the views of its arguments."""
    args = _driver.arguments(options)
    with _driver.Workspace(text, name) as workspace:
        written, sizes = {}, {}
        for number, declared in enumerate(manifest.views):
            view, file = views[declared["name"]], f"view{number}.npy"
            names = declared.get("shape") or [None] * declared["rank"]
            for d, (dim, size) in enumerate(zip(names, view.shape)):
                if dim is None or isinstance(dim, str):
                    sizes[dim or f"{declared['name']}.{d}"] = size
            # what is only written, too: elements that the program does not write stay
            _save(workspace, file, view.elem, view.shape, _tensors.read(view))
            args.append(f"--input={declared['name']}={file}")
            if declared["access"] != "in":
                args.append(f"--output={declared['name']}=written_{file}")
                written[f"written_{file}"] = view
        args += _driver.arguments({"dims": sizes, "scalars": scalars})
        for view, data in _run(workspace, args, written):
            _tensors.write(view, data)


def run_triton(text, views, pointers, scalars, grid, unbounded, one_tensor=()):
    """A Triton kernel. views: those that are stored to, and the argument whose memory that is, by name in launch.json;
    pointers: argument's name -> View of all memory that it reaches, one dimension. one_tensor: pairs of arguments of
    which the second stands for the first.

    A view may begin before its tensor, its rows may overlap, and several may be one tensor's: an element that a view
    holds as it was before is left alone."""
    args = []
    with _driver.Workspace(text, "kernel.ttir") as workspace:
        written = {}
        for number, (pointer, view) in enumerate(pointers.items()):
            _save(workspace, f"argument{number}.npy", view.elem, view.shape, _tensors.read(view))
            args.append(f"--input={pointer}=argument{number}.npy")
        for number, (view_name, (view, _)) in enumerate(views.items()):
            args.append(f"--output={view_name}=written{number}.npy")
            written[f"written{number}.npy"] = view
        args.append("--grid=" + ",".join(str(n) for n in grid))
        args += _driver.arguments({"scalars": scalars, "one_tensor": dict(one_tensor)})
        memory = {of: (pointers[of].address, _tensors.read(pointers[of])) for _, of in views.values()}
        parts = [of for _, of in views.values()]
        for (view, data), of in zip(_run(workspace, args, written, unbounded), parts):
            _tensors.update(view, data, memory[of], parts.count(of) == 1 and not _tensors.overlaps(view))


def asked(places, text):
    """Are the tensors of a call on the CPU, for the simulator? places: {view: "cuda" or "cpu"}; text: the program."""
    if "cpu" not in places.values():
        return False
    if not chosen():
        name = next(name for name, place in places.items() if place == "cpu")
        raise UserError(
            f"view '{name}': expected a tensor on a GPU, got one on the CPU (HEDDLE_DEVICE=sim runs the kernel in "
            "the simulator)"
        )
    if "cuda" in places.values():
        raise UserError("expected all tensors on the CPU, got some on a GPU")
    if text is None:
        raise UserError("expected tensors on a GPU: what was loaded has no program for the simulator")
    return True


def chosen():
    """Does HEDDLE_DEVICE ask for the simulator?"""
    device = os.environ.get("HEDDLE_DEVICE", "")
    if device not in ("", "gpu", "sim"):
        raise UserError(f"HEDDLE_DEVICE: expected gpu or sim, got '{device}'")
    return device == "sim"
