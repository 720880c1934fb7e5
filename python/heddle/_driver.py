"""The compiler as a child process: finds the program `heddle`, runs it, turns its exit codes into exceptions.

The program is $HEDDLE_BINARY, or the one inside the package, or the `heddle` on PATH. Errors carry the compiler's own
text, which names a place of the program that was compiled.
"""

import difflib
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from ._manifest import Error, UserError


class Infeasible(Error):
    """No schedule or no allocation within the limits, which the text names."""


class LimitReached(Error):
    """Time or memory ran out before an answer."""


class InternalError(Error):
    """A defect of Heddle's."""


class WrongResult(Error):
    """What ran differs from the sequential meaning of the program."""


class NothingProved(Error):
    """What ran does not differ from the meaning, but with these inputs most of it could not have."""


class Unavailable(Error):
    """Something that the machine lacks: the compiler's program, nvcc or NVRTC, a GPU, its driver."""


EXIT_CODES = {1: UserError, 2: Infeasible, 3: LimitReached, 4: InternalError, 5: WrongResult, 6: NothingProved}


@functools.lru_cache(maxsize=None)
def _find(named):
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "heddle")
    for path in (named, inside, shutil.which("heddle")):
        if path and os.access(path, os.X_OK):
            return os.path.abspath(path)  # the program runs in another directory
        if path and path is named:
            raise Unavailable(f"HEDDLE_BINARY: expected a program, got '{named}'")
    raise Unavailable("expected the compiler's program in the package, on PATH or as HEDDLE_BINARY, got none")


def binary():
    """The path of the compiler's program."""
    return _find(os.environ.get("HEDDLE_BINARY"))


def resources():
    """The directory of device headers, machine files and examples."""
    root = os.environ.get("HEDDLE_ROOT")
    if root:
        return os.path.abspath(root)
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(binary()))), "share", "heddle")


@functools.lru_cache(maxsize=None)
def _digest_of(path, root):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        digest.update(file.read())
    for folder, folders, files in os.walk(os.path.join(root, "device"), followlinks=True):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def version_digest():
    """Changes whenever the compiler or the headers of its kernels change: part of every cache key."""
    return _digest_of(binary(), resources())


def arguments(options):
    """Command-line options of keyword arguments: groups=2, dims={"M": 64}, no_chains=True, input=["A=a.npy"]."""
    result = []
    for name, value in sorted(options.items()):
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            result.append(option)
        elif isinstance(value, dict):
            if value:
                result.append(option + "=" + ",".join(f"{k}={_text(v)}" for k, v in value.items()))
        elif isinstance(value, (list, tuple)):
            result.extend(f"{option}={_text(v)}" for v in value)
        else:
            result.append(f"{option}={_text(value)}")
    return result


def options_of(command):
    """The names of the options of `heddle COMMAND`, as keywords."""
    listed = execute([command, "--help-hidden"])
    return sorted({name.replace("-", "_") for name in re.findall(r"^ +--?([A-Za-z][\w-]*)", listed, re.MULTILINE)})


def check_options(command, options):
    """Refuses keyword arguments that are no options of `heddle COMMAND`: asked where it failed, for better words."""
    names = options_of(command)
    for name in options:
        if name.replace("-", "_") not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
            hint = f" (is '{near[0]}' meant?)" if near else ""
            raise UserError(f"expected an option of heddle {command}, got the keyword '{name}'{hint}")


def check_dims(text, dims):
    """Refuses sizes of dimensions that no view of a program has: asked where its compilation failed, which is said of
    the sizes that are missing first."""
    lists = re.findall(r"tile\.dims\s*=\s*\[([^\]]*)\]", text)
    names = sorted({name for names in lists for name in re.findall(r'"([^"]*)"', names)})
    for name in dims if names and isinstance(dims, dict) else ():
        if name not in names and "." not in name:  # X.0: a dimension without a name
            raise UserError(f"dims: expected a dimension of the program ({', '.join(names)}), got '{name}'")


def _text(value):
    return repr(float(value)) if isinstance(value, float) else str(value)  # NumPy's have another repr


def execute(args, cwd=None):
    """Runs heddle; its standard output. Raises what its exit code says, with its standard error as text."""
    environment = dict(os.environ, HEDDLE_PROGRESS="off")
    if environment.get("HEDDLE_ROOT"):
        environment["HEDDLE_ROOT"] = resources()
    try:
        done = subprocess.run([binary(), *args], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"the compiler's program does not run: {error}") from None
    if done.returncode == 0:
        return done.stdout
    text = done.stderr.strip() or done.stdout.strip()
    kind = EXIT_CODES.get(done.returncode)
    if kind is None:
        raise InternalError(f"heddle ended with code {done.returncode}: {text}")
    error = kind(text)
    error.output = done.stdout
    raise error


class Workspace:
    """A temporary directory that holds a program under a name that errors show."""

    def __init__(self, text, name):
        self._temporary = tempfile.TemporaryDirectory(prefix="heddle-")
        self.directory = self._temporary.name
        self.program = name
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def path(self, name):
        return os.path.join(self.directory, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._temporary.cleanup()


def main():
    """The console script `heddle`: the program itself."""
    try:
        path = binary()
    except Error as error:
        sys.exit(f"error: {error}")
    os.execv(path, [path, *sys.argv[1:]])
