"""Builds the wheel: the package, the program `heddle` linked statically, and its device headers, machines and examples.

    python3 python/backend.py DIRECTORY            what `make wheel` runs
    pip wheel --no-build-isolation ./python        the same (PEP 517); needs nothing beside Python

The program comes from $HEDDLE_WHEEL_BINARY, else build/bin/heddle-static (`ninja -C build heddle-static`). The wheel's
platform is the glibc that the program asks for. Equal contents give equal bytes.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SHARED = {"device/include": ".h", "machines": ".json", "examples": ""}  # how names of files end
METADATA = """Metadata-Version: 2.1
Name: heddle
Version: {version}
Summary: {summary}
License: Apache-2.0
Requires-Python: >=3.9
"""


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def version():
    return re.search(r'__version__ = "([^"]+)"', _read(os.path.join(HERE, "heddle/__init__.py")).decode()).group(1)


def program():
    path = os.environ.get("HEDDLE_WHEEL_BINARY") or os.path.join(ROOT, "build", "bin", "heddle-static")
    if not os.path.exists(path):
        raise SystemExit(f"error: expected the program '{path}', got none: ninja -C build heddle-static")
    return path


def platform_tag(path):
    """manylinux_X_Y of the newest version of glibc that a name of the program asks for."""
    names = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
    versions = {tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", names)}
    return "manylinux_%d_%d_%s" % (*max(versions), os.uname().machine)


def files(binary):
    """(name in the wheel, contents, executable)."""
    for folder, folders, names in os.walk(os.path.join(HERE, "heddle")):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".py"):
                yield os.path.relpath(path, HERE), _read(path), False
    for shared, ending in SHARED.items():
        for folder, folders, names in os.walk(os.path.join(ROOT, shared)):
            folders[:] = sorted(name for name in folders if name not in ("samples", "__pycache__"))
            for name in sorted(names):
                if name.endswith(ending):
                    path = os.path.join(folder, name)
                    yield "heddle/share/heddle/" + os.path.relpath(path, ROOT), _read(path), False
    yield "heddle/bin/heddle", _read(binary), True


def information(binary):
    """The files of the dist-info directory, without RECORD."""
    summary = re.search(r'description = "([^"]+)"', _read(os.path.join(HERE, "pyproject.toml")).decode()).group(1)
    folder = f"heddle-{version()}.dist-info"
    tag = f"py3-none-{platform_tag(binary)}"
    wheel = f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag}\n"
    yield f"{folder}/METADATA", METADATA.format(version=version(), summary=summary).encode(), False
    yield f"{folder}/WHEEL", wheel.encode(), False
    yield f"{folder}/entry_points.txt", b"[console_scripts]\nheddle = heddle._driver:main\n", False


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    binary = program()
    name = f"heddle-{version()}-py3-none-{platform_tag(binary)}.whl"
    os.makedirs(wheel_directory, exist_ok=True)
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(path, data, executable):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)

        for path, data, executable in [*files(binary), *information(binary)]:
            add(path, data, executable)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
        path = f"heddle-{version()}.dist-info/RECORD"
        add(path, "\n".join([*record, f"{path},,"]).encode() + b"\n", False)
    return name


if __name__ == "__main__":
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
