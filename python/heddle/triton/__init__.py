"""Triton kernels through Heddle: import this module, and @triton.jit kernels compile for Hopper as Heddle does it.

    import heddle.triton

Triton compiles every kernel as before; beside it, Heddle compiles the same TTIR. The first launches of a kernel on
given sizes alternate between the two and are timed; the faster one stays. Where Heddle refuses a kernel or a launch,
Triton's runs, and explain() says why. Nothing of Triton's cache, text or metadata is replaced.

HEDDLE_TRITON   auto (default); only: always Heddle's kernel, an error where there is none; off: nothing is installed
HEDDLE_DEVICE   sim: launches run in Heddle's simulator on tensors of the CPU (PyTorch's or NumPy's); needs no GPU
"""

import os
import warnings

from .._manifest import UserError
from ._explain import explain

__all__ = ["explain", "mode", "state", "use_in_inductor"]

OLDEST, NEWEST = (3, 6), (3, 9)
_state = "not installed"


def mode():
    """The value of HEDDLE_TRITON: off, auto or only."""
    value = os.environ.get("HEDDLE_TRITON") or "auto"
    if value not in ("off", "auto", "only"):
        raise UserError(f"HEDDLE_TRITON: expected off, auto or only, got '{value}'")
    return value


def state():
    """Whether Triton's kernels go through Heddle, and if not, why not."""
    return _state


def use_in_inductor():
    """Lets the Triton kernels that torch.compile writes go through Heddle as well: they are compiled in this process,
    where heddle.triton is, and launched by Triton's launcher. What max_autotune times of a template's configuration is
    the better version of it. Call it before torch.compile."""
    from torch._inductor import config

    for name, value in (("compile_threads", 1), ("use_static_cuda_launcher", False)):
        if hasattr(config, name):
            setattr(config, name, value)
    if _state == "installed":
        from . import _hook

        _hook.install_in_inductor()


def _install():
    if mode() == "off":
        return "HEDDLE_TRITON is off"
    import triton

    version = tuple(int(part) for part in triton.__version__.split(".")[:2] if part.isdigit())
    if version < OLDEST:
        return f"expected Triton {OLDEST[0]}.{OLDEST[1]} or newer, got {triton.__version__}"
    from . import _hook

    try:
        _hook.install()
    except (ImportError, AttributeError) as error:
        return f"Triton {triton.__version__} is not as expected (known: up to {NEWEST[0]}.{NEWEST[1]}): {error}"
    return "installed"


_state = _install()
if _state not in ("installed", "HEDDLE_TRITON is off"):
    warnings.warn(f"heddle.triton does nothing: {_state}", stacklevel=2)
