"""What PyTorch's operators share: operands, allocation, and calls past the dispatcher.

A short call costs what the host does in it, so that everything that depends on sizes, strides, element types and
devices alone is found by these, once (a `Bound`), and launches by addresses. A call that nothing traces or wraps
(`is_plain`) goes straight to them; any other one through an operator (`define`).
"""

import functools

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ._manifest import UserError
from ._tensors import TORCH

DTYPES = {
    elem: getattr(torch, name) for name, elem in TORCH.items() if hasattr(torch, name) and name not in ("bool", "uint8")
}
DTYPES["u8"] = torch.uint8


@functools.lru_cache(maxsize=None)
def multiprocessors(device):
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 2


def elem_of(tensor):
    return TORCH.get(str(tensor.dtype).rpartition(".")[2])


@functools.lru_cache(maxsize=4096)
def fits(shape, strides, size):
    """Last stride 1, other strides multiples of 16 bytes."""
    outer = [stride for stride, n in zip(strides[:-1], shape[:-1]) if n > 1]
    return (strides[-1] == 1 or shape[-1] == 1) and all(stride * size % 16 == 0 and stride > 0 for stride in outer)


def aligned(tensor):
    """The tensor as the copy engine takes it, or a copy of it that is so."""
    size = tensor.element_size()
    if fits(tensor.shape, tensor.stride(), size) and tensor.data_ptr() % 16 == 0:
        return tensor
    if tensor.shape[-1] * size % 16 == 0:
        return tensor.clone(memory_format=torch.contiguous_format)
    return padded(tensor)


def padded(tensor):
    """A copy whose rows begin at multiples of 16 bytes."""
    step = 16 // tensor.element_size()
    width = -(-tensor.shape[-1] // step) * step
    copy = tensor.new_empty((*tensor.shape[:-1], width))[..., : tensor.shape[-1]]
    return copy.copy_(tensor)


def new_output(like, shape, dtype=None):
    """An output whose rows the copy engine takes."""
    dtype = dtype or like.dtype
    step = 16 // dtype.itemsize
    width = -(-shape[-1] // step) * step
    if width == shape[-1]:
        return like.new_empty(shape, dtype=dtype)
    return like.new_empty((*shape[:-1], width), dtype=dtype)[..., : shape[-1]]


def _raw_stream(device):
    return torch.cuda.current_stream(device).cuda_stream


# Each of these has a public equivalent, which takes up to three times as long.
raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", _raw_stream)
current_device = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)
try:
    empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
except AttributeError:
    empty_strided_cuda = None


class Bound:
    """What calls have in common whose operands have the same sizes, strides, element types and devices."""

    def __init__(self, operator, operands):
        devices = {t.device for t in operands if t is not None}
        if len(devices) > 1:
            raise UserError(f"{operator}: expected tensors on one device, got {', '.join(sorted(map(str, devices)))}")
        (self.device,) = devices
        self.index = self.device.index if self.device.type == "cuda" else None
        self.form, self.launches = None, {}  # where nothing is copied: a kernel's Form, its launches by addresses

    def empty(self, shape, strides, dtype):
        """Memory on the current device, which is that of the operands. shape and strides: tuples, no torch.Size."""
        if self.index is not None and empty_strided_cuda is not None:
            return empty_strided_cuda(shape, strides, dtype)
        return torch.empty_strided(shape, strides, dtype=dtype, device=self.device)

    def moved(self, at):
        """The launch at addresses that were not there before; None where the operands have to be looked at."""
        return self.form.at(at) if self.form is not None and is_aligned(at) else None

    def bind(self, kernel, at, tensors, scalars):
        """The launch for tensors that are those at the addresses `at`, or copies of them; None where the simulator ran
        it."""
        form, addresses = kernel.bound(tensors, scalars)
        if form is None:
            return None
        if self.fits and addresses == at:
            self.form, self.launches = form, form.launches
        return form.at(addresses)

    def __call__(self, *operands):
        if self.index is not None and self.index != current_device():
            with torch.cuda.device(self.index):
                return self.run(*operands)
        return self.run(*operands)


def is_aligned(addresses):
    return not any(address % 16 for address in addresses)


PLAIN = (Tensor, torch.nn.Parameter)


def is_plain(a, b, c):
    """Nothing traces or wraps the call: the operator's dispatch, most of what a short call costs, can be left out."""
    if torch.compiler.is_compiling():
        return False
    try:
        wrapped = (
            torch._C._len_torch_dispatch_stack()
            or torch._C._len_torch_function_stack()
            or torch._C._are_functorch_transforms_active()
        )
    except AttributeError:  # another PyTorch: the operator is always right
        return False
    return not wrapped and type(a) in PLAIN and type(b) in PLAIN and (c is None or type(c) in PLAIN)


def is_differentiated(a, b, c):
    if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad or (c is not None and c.requires_grad)):
        return True
    return forward_ad._current_level >= 0  # the function says that it has no such derivative


def direct(function):
    """function.apply without what it does for functorch's transforms, of which there is none in a plain call."""
    return super(torch.autograd.Function, function).apply


_library = torch.library.Library("heddle", "FRAGMENT")


def define(schema, kernel, fake):
    """An operator without gradients: its kernel of the GPU and of the simulator, and its fake function."""
    name = schema.partition("(")[0]
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CUDA", "CPU"):
        _library.impl(name, kernel, key)
    # Autograd has nothing to add, so that the dispatcher can pass it over.
    _library.impl(name, torch.library.fallthrough_kernel, "Autograd")
    torch.library.register_fake(f"heddle::{name}", fake, lib=_library)
    return getattr(torch.ops.heddle, name).default


def define_composite(schema, function):
    """An operator that traces as what `function` calls."""
    name = schema.partition("(")[0]
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, function, "CompositeImplicitAutograd")
    return getattr(torch.ops.heddle, name).default
