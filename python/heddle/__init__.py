"""Heddle: tile programs and Triton kernels to warp-specialised, software-pipelined CUDA kernels for Hopper.

heddle.compile    a program's text, file or builder to a Kernel, or to a Chain of several
heddle.load       what `heddle compile` wrote
heddle.builder    tile programs from Python
heddle.triton     import it, and @triton.jit kernels go through Heddle
heddle.torch      operators for PyTorch
"""

from ._array import HostArray
from ._chain import Chain, load
from ._cuda import DriverError
from ._driver import InternalError, Infeasible, LimitReached, NothingProved, Unavailable, WrongResult, binary
from ._kernel import Kernel, compile
from ._manifest import Error, UserError

__version__ = "0.1.0"
__all__ = [
    "compile",
    "load",
    "Kernel",
    "Chain",
    "HostArray",
    "binary",
    "Error",
    "UserError",
    "Infeasible",
    "LimitReached",
    "InternalError",
    "WrongResult",
    "NothingProved",
    "Unavailable",
    "DriverError",
]
