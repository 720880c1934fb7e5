"""Chains of heddle.builder: programs that launch other programs one after another."""

from . import builder
from ._manifest import UserError
from ._program import Program, View, _list, argument_value
from .builder import Expr, _fit, _known


class Workspace(View):
    """Memory of one run of a chain."""

    def __init__(self, program, name, elem, sizes):
        dims = [(str(i), None if isinstance(size, Expr) else size) for i, size in enumerate(sizes)]
        super().__init__(program, name, elem, dims)
        self.given = sizes

    def dim(self, dimension):
        size = self.given[dimension]
        return size if isinstance(size, Expr) else self.program.constant(size, "index")


class Chain(Program):
    """Builds a chain of kernels.

        c = Chain("quadrupled")
        x, y = c.view("x", f32, ["N"]), c.view("y", f32, ["N"])
        half = c.workspace("half", f32, [x.dim(0)])
        c.launch(doubled, x, half)           # doubled: a Program with two views
        c.launch(doubled, half, y)
        chain = heddle.compile(c)
    """

    operation = "chain"

    def __init__(self, name):
        super().__init__(name)
        self._kernels = {}
        self._has_grid = True  # it needs none

    def workspace(self, name, elem, sizes, zeroed=False):
        """A tensor that lasts for one run: each size a number or a value of the chain. What no launch has written is
        undefined, or with `zeroed` zero at the start of every run."""
        _known(elem)
        self._take(name)
        view = Workspace(self, name, elem, list(_list(sizes, f"sizes of workspace '{name}'")))
        given = ", ".join(size.name for size in view.given if isinstance(size, Expr))
        mark = " zeroed" if zeroed else ""
        self._line(f'{argument_value(name)} = tile.workspace "{name}"{mark} [{given}] : {view.type}')
        return view

    def launch(self, kernel, *arguments):
        """Runs a Program after the launches before, with a view or a number of the chain for each of its arguments."""
        if not isinstance(kernel, Program):
            raise UserError(f"expected a Program to launch, got {kernel!r}")
        if self._kernels.setdefault(kernel.name, kernel) is not kernel:
            raise UserError(f"expected one program '{kernel.name}', got two")
        if len(arguments) != len(kernel.types):
            raise UserError(f"expected {len(kernel.types)} arguments of '{kernel.name}', got {len(arguments)}")
        names, types = [], []
        for argument, wanted in zip(arguments, kernel.types):
            if isinstance(argument, View):
                names.append(argument_value(argument.name))
                types.append(argument.type)
                continue
            if wanted.startswith("!"):
                raise UserError(f"launch of '{kernel.name}': expected a view, got {argument!r}")
            value = _fit(argument, wanted, (), self)
            names.append(value.name)
            types.append(value.type)
        self._line(f"tile.launch @{kernel.name}({', '.join(names)})" + (f" : {', '.join(types)}" if types else ""))

    def text(self, locations=False):
        return "\n".join(kernel.text(locations) for kernel in self._kernels.values()) + "\n" + super().text(locations)


builder.Chain, builder.Workspace = Chain, Workspace
