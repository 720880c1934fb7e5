"""Cost formulas of machine files: evaluation, and fits of templates with integer coefficients to measured points.

A template is a formula with coefficients A, B, C, D and a range for each; it is fitted by integer search (steepest
descent in steps and pairs of steps that are powers of two, from several starts) on the sum of fourth powers of relative
errors, so what is fitted is what the file will say, rounding included. Between templates the error of cross-validation
decides; the first in the list is the simplest and wins unless a later one is clearly better. Points are held out by a
hash of their parameters: the same ones in every file and run, and no pattern of a parameter sweep. Deterministic, no
dependencies.
"""

import ast
import functools
import hashlib
import itertools
import re

FUNCTIONS = {"max": max, "min": min, "ceildiv": lambda a, b: -((-a) // b)}
HELD_OUT = 3  # one point of so many is held out
FOLDS = 5


class UserError(Exception):
    """Bad input of the caller, not a defect of ours."""


class _Check(ast.NodeTransformer):
    """Only what lib/Machine/Formula.cpp accepts; `/` rounds down."""

    def __init__(self, formula):
        self.formula = formula

    def generic_visit(self, node):
        bad = UserError(f"expected a formula of + - * / max min ceildiv, got '{self.formula}'")
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Div):
                node.op = ast.FloorDiv()
            elif not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
                raise bad
        elif isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
                raise bad
        elif isinstance(node, ast.Constant):
            if type(node.value) is not int:
                raise bad
        elif isinstance(node, ast.UnaryOp):
            if not isinstance(node.op, ast.USub):
                raise bad
        elif not isinstance(node, (ast.Expression, ast.Name, ast.Load, ast.operator, ast.unaryop)):
            raise bad
        return super().generic_visit(node)


@functools.lru_cache(maxsize=None)
def compiled(formula):
    try:
        tree = ast.parse(formula, mode="eval")
    except SyntaxError:
        raise UserError(f"expected a formula, got '{formula}'") from None
    return compile(ast.fix_missing_locations(_Check(formula).visit(tree)), "<formula>", "eval")


def evaluate(formula, params):
    """A cost formula (docs/MachineModel.md) on integers, as lib/Machine/Formula.cpp does."""
    try:
        names = {"__builtins__": {}, **FUNCTIONS}
        return eval(compiled(str(formula)), names, params)  # noqa: S307: checked syntax tree
    except NameError as error:
        raise UserError(f"unknown name '{error.name}' in the formula '{formula}'") from None
    except ZeroDivisionError:
        raise UserError(f"division by zero in the formula '{formula}'") from None


def relative(stated, measured):
    """Relative error; formulas are integers, so one cycle is none."""
    return 0.0 if abs(stated - measured) <= 1 else abs(stated - measured) / measured


# ---- templates ----------------------------------------------------------------------------------------------------
STEPS = "ceildiv(m, 64) * ceildiv(k * bytes, 32)"
RATE, CYCLES, SMALL = (1, 512), (1, 2000), (0, 100)


def rates(name):
    return [
        (f"ceildiv({name}, A)", (RATE,)),
        (f"A + ceildiv({name}, B)", (SMALL, RATE)),
        (f"max(A, ceildiv({name}, B))", (CYCLES, RATE)),
    ]


PLUS = [("hold + A", (SMALL,))]
CONST = [("A", (CYCLES,))]
AFFINE = [("A + ceildiv(bytes, B)", (CYCLES, RATE))]
TWO_LINES = AFFINE + [("max(A + ceildiv(bytes, B), C + ceildiv(bytes, D))", (CYCLES, RATE, CYCLES, RATE))]
WGMMA_HOLD = f"{STEPS} * max(ceildiv(n, 2), (1 - a_reg) * A * ceildiv(n, 256) + ceildiv(n, B)"
TEMPLATES = {
    ("wgmma", "hold"): [
        (WGMMA_HOLD + ")", (SMALL, (1, 16))),
        (WGMMA_HOLD + ", C * ceildiv(n, 256))", (SMALL, (1, 16), SMALL)),
    ],
    ("wgmma", "latency"): [("hold + A", (SMALL,)), ("hold + A + min(ceildiv(n, B), C)", (SMALL, (1, 16), SMALL))],
    ("wgmma", "issue"): [
        (f"A * {STEPS}", (SMALL,)),
        (f"A + B * {STEPS}", (SMALL, SMALL)),
        (f"max(A + B * ({STEPS} - 1), ({STEPS} - 1) * ceildiv(n, C))", (SMALL, SMALL, (2, 32))),
    ],
    ("tma_load", "hold"): rates("bytes"),
    ("tma_load", "latency"): AFFINE,
    ("tma_load", "issue"): CONST,
    ("tma_store", "latency"): AFFINE,
    ("tma_store", "issue"): CONST,
    ("tma_reduce", "latency"): AFFINE,
    ("tma_reduce", "issue"): CONST,
    ("transfer", "latency"): TWO_LINES,
    ("mbarrier", "latency"): CONST,
    ("named_barrier", "latency"): CONST,
    ("thread_copy", "latency"): AFFINE,
    ("thread_copy", "issue"): AFFINE,
    ("global_load", "latency"): [("A + ceildiv(bytes, 36)", (CYCLES,))],
}
for _op in ("exp", "sfu", "alu", "alu_half", "cvt"):
    TEMPLATES[_op, "hold"] = rates("elems")[:2]
    TEMPLATES[_op, "latency"] = PLUS
for _op in ("reduce", "reduce_minmax"):
    TEMPLATES[_op, "hold"] = [("ceildiv(elems, A)", (RATE,)), ("ceildiv(elems, A) + axis * B", (RATE, SMALL))]
    TEMPLATES[_op, "latency"] = [("hold + axis * A", ((0, 400),))]
for _op in ("smem_read", "smem_write", "tma_store", "tma_reduce", "global_load", "thread_copy", "global_store"):
    TEMPLATES[_op, "hold"] = rates("bytes")
TEMPLATES["smem_read", "latency"] = PLUS


def formula_of(template, values):
    """`template` with its coefficients replaced by numbers."""
    out = template[0]
    for letter, value in zip("ABCD", values):
        out = re.sub(rf"\b{letter}\b", str(value), out)
    return out


def _descend(loss, ranges, start):
    """Steepest descent over integers; each step changes one or two coefficients by powers of two."""
    jumps = [sign << k for k in range(9) for sign in (1, -1)]
    current, best = start, loss(start)
    while True:
        options = []
        for i, j in itertools.combinations_with_replacement(range(len(start)), 2):
            for a in jumps:
                for b in (0,) if i == j else jumps:
                    moved = list(current)
                    moved[i] += a
                    moved[j] += b
                    if all(low <= x <= high for x, (low, high) in zip(moved, ranges)):
                        options.append(tuple(moved))
        found = min(((loss(o), o) for o in options), default=(best, current))
        if found[0] >= best * (1 - 1e-9):
            return best, current
        best, current = found


def fit(template, points):
    """The formula of `template` with the coefficients that fit points [(params, cycles)] best."""
    text, ranges = template
    code = compiled(text)
    space = {"__builtins__": {}, **FUNCTIONS}

    @functools.lru_cache(maxsize=None)
    def loss(values):
        named = dict(zip("ABCD", values))
        return sum((eval(code, space, {**p, **named}) / y - 1) ** 4 for p, y in points)  # noqa: S307

    # Starts: low, middle and high by ratio; of many coefficients only low and high.
    at = (0.25, 0.55, 0.8) if len(ranges) < 3 else (0.3, 0.7)
    starts = itertools.product(
        *[[round((low + 1) * ((high + 1) / (low + 1)) ** f) - 1 + (low > 0) for f in at] for low, high in ranges]
    )
    return formula_of(template, min(_descend(loss, ranges, s) for s in starts)[1])


def cross_validate(template, points):
    """Relative errors [...] on points left out of the fit in turn, or None when there are too few points.

    Measurements of the same parameters are left out together, unless there is but one set of parameters. The cheapest
    and the dearest stay in every fit (from four sets on): what is asked is how well the formula interpolates."""
    keys = [identity(p) for p, _ in points]
    by_cost = sorted(points, key=lambda x: x[1])
    ends = {identity(by_cost[0][0]), identity(by_cost[-1][0])} if len(set(keys)) > 3 else set()
    names = [k for k in dict.fromkeys(keys) if k not in ends]
    fold = list(range(len(points))) if len(set(keys)) == 1 else [-1 if k in ends else names.index(k) for k in keys]
    folds = min(FOLDS, max(fold, default=-1) + 1)
    if folds < 2 or len(set(keys)) - -(-len(names) // folds) < len(template[1]) and len(set(keys)) > 1:
        return None
    errors = []
    for k in range(folds):
        formula = fit(template, [x for i, x in zip(fold, points) if i < 0 or i % folds != k])
        errors += [relative(evaluate(formula, p), y) for i, (p, y) in zip(fold, points) if i >= 0 and i % folds == k]
    return errors


def best(templates, points):
    """(formula, largest cross-validated error or None): the first template unless a later one cuts the typical error by
    30 %, the larger root mean square of the cross-validated errors and of those of the fit."""

    def typical(errors):
        return (sum(e * e for e in errors) / len(errors)) ** 0.5

    chosen = None
    for template in templates:
        if len(points) < len(template[1]):
            continue
        formula, errors = fit(template, points), cross_validate(template, points)
        size = (
            None
            if errors is None
            else max(typical(errors), typical([relative(evaluate(formula, p), y) for p, y in points]))
        )
        if chosen is None or (
            size is not None and (chosen[2] is None or size < 0.7 * chosen[2] and size < chosen[2] - 0.01)
        ):
            chosen = (formula, errors and max(errors), size)
    return chosen and chosen[:2]


# ---- held-out points ----------------------------------------------------------------------------------------------
def identity(params):
    return ", ".join(f"{k} {params[k]}" for k in sorted(params))


def split(samples):
    """(to fit on, held out): samples of the same parameters stay together. The cheapest and the dearest are fitted on,
    so that what is held out lies between; fewer than three points: none held out."""
    cycles = {}
    for s in samples:
        cycles.setdefault(identity(s["params"]), []).append(s["cycles"])
    by_cost = sorted(cycles, key=lambda k: (min(cycles[k]), k))
    ends = (by_cost[0], by_cost[-1])
    keys = sorted(cycles, key=lambda k: hashlib.sha256(k.encode()).hexdigest())
    inner = [k for k in keys if k not in ends]
    out = set(inner[::HELD_OUT])
    order = {k: i for i, k in enumerate(keys)}
    ordered = sorted(
        samples, key=lambda s: order[identity(s["params"])]
    )  # folds of cross-validation are spread as well
    return (
        [s for s in ordered if identity(s["params"]) not in out],
        [s for s in ordered if identity(s["params"]) in out],
    )
