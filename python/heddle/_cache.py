"""Files that outlive the process, by key: $HEDDLE_CACHE, else heddle in $XDG_CACHE_HOME or ~/.cache, as the compiler's
own cache. HEDDLE_CACHE without a value: none. A cache that cannot be read or written is no error: what it would have
held is made again.
"""

import hashlib
import os
import tempfile

FOLDER = "python"


def directory():
    """The cache's directory, or None."""
    given = os.environ.get("HEDDLE_CACHE")
    if given is not None:
        return os.path.join(given, FOLDER) if given else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "heddle", FOLDER)


def key_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        text = part.encode() if isinstance(part, str) else part
        digest.update(str(len(text)).encode() + b":" + text)
    return digest.hexdigest()


def get(key, suffix):
    """The bytes kept under a key, or None."""
    folder = directory()
    if folder is None:
        return None
    try:
        with open(os.path.join(folder, key + suffix), "rb") as file:
            return file.read()
    except OSError:
        return None


def put(key, suffix, data):
    """Keeps bytes under a key; readers see all of them or none."""
    folder = directory()
    if folder is None:
        return
    try:
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, os.path.join(folder, key + suffix))
    except OSError:
        pass
