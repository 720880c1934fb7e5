#!/usr/bin/env python3
"""Compares a machine file with calibration samples and fits its coefficients.

    python3 utils/fit_machine.py machines/h100.json [SAMPLES.json ...]    table: file, measured, error; proposed formulas
    python3 utils/fit_machine.py --check machines/h100.json [...]        exit 1 when an op's error exceeds the one it states
    python3 utils/fit_machine.py --write-errors machines/h100.json [...] states the errors of now in the file

Without samples named: all of machines/samples/*.json whose file name starts with the machine's name. None: --check passes.
An op states errors as `"error": {"hold": 5, "latency": 20}`: percent of the measured cycles, but at least one cycle, since
formulas are integers. Fit: least squares of relative errors on the model of each op and metric (MODELS; a maximum of
linear pieces by alternating assignment), K-fold cross-validated; a proposal is a formula with rounded coefficients, and
its error is that of the formula. Only samples taken under the conditions that the file means count (STATED).
No dependencies; deterministic.
"""
import argparse
import ast
import glob
import json
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METRICS = ("issue", "hold", "latency")

# op -> metric -> conditions under which a sample measures what the file states: value, or a tuple of allowed values.
# None: the parameter is absent. Units are whole-SM, so hold is the rate with the unit saturated (4 warp groups, 1 TMA ring).
FULL = {"groups": 4, "beside": None}
STATED = {
    "wgmma": {"hold": {"beside": None}, "latency": {}, "issue": {}},
    "exp": {"hold": FULL, "latency": {}}, "sfu": {"hold": FULL, "latency": {}}, "alu": {"hold": FULL, "latency": {}},
    "alu_half": {"hold": FULL, "latency": {}}, "cvt": {"hold": FULL, "latency": {}},
    "reduce": {"hold": FULL, "latency": {}}, "reduce_minmax": {"hold": FULL, "latency": {}},
    "smem_read": {"hold": {**FULL, "how": ("ld128", "ldmatrix")}, "latency": {}},
    "smem_write": {"hold": {**FULL, "how": ("st128", "stmatrix")}},
    "tma_load": {"hold": {"from": "l2", "ctas": 1}, "latency": {"from": "dram"}, "issue": {}},
    "tma_store": {"hold": {"ctas": 1}, "latency": {"how": "store_latency"}},
    "tma_reduce": {"hold": {"ctas": 1}, "latency": {}},
    "global_load": {"hold": {"from": "l2", "ctas": 132}, "latency": {"from": "dram"}},
    "global_store": {"hold": {"ctas": 132}},
    "transfer": {"latency": {"how": ("mbar_warp_16", "mbar_warp_32", "mbar_warp_64")}},
    "mbarrier": {"latency": {"how": "mbar_warp"}},
    "named_barrier": {"latency": {"how": "named"}},
}


class UserError(Exception):
    """Bad input of the caller, not a defect of ours."""


def evaluate(formula, params):
    """A cost formula of a machine file (docs/MachineModel.md) on integers, as lib/Machine/Formula.cpp does."""
    functions = {"max": max, "min": min, "ceildiv": lambda a, b: -((-a) // b)}

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in params:
                raise UserError(f"unknown name '{node.id}' in the formula '{formula}'")
            return params[node.id]
        if isinstance(node, ast.BinOp):
            a, b = value(node.left), value(node.right)
            if isinstance(node.op, ast.Div):
                if b == 0:
                    raise UserError(f"division by zero in the formula '{formula}'")
                return a // b
            for kind, result in ((ast.Add, a + b), (ast.Sub, a - b), (ast.Mult, a * b)):
                if isinstance(node.op, kind):
                    return result
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            return functions[node.func.id](*[value(a) for a in node.args])
        raise UserError(f"expected a formula of + - * / max min ceildiv, got '{formula}'")

    try:
        tree = ast.parse(str(formula), mode="eval")
    except SyntaxError:
        raise UserError(f"expected a formula, got '{formula}'") from None
    return value(tree.body)


def cost(op, params, replace=None):
    """{metric: cycles} of an op entry; `replace` = {metric: formula} stands in for the file's."""
    known = {k: v for k, v in params.items() if isinstance(v, int)}
    for metric in ("hold", "issue", "latency"):
        known[metric] = evaluate((replace or {}).get(metric, op[metric]), known)
    return {metric: known[metric] for metric in METRICS}


def load(path):
    try:
        with open(path, encoding="utf-8") as text:
            return json.load(text)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: expected a JSON file, got: {error}") from None


def load_samples(paths):
    out = []
    for path in paths:
        data = load(path)
        if not isinstance(data, dict) or not isinstance(data.get("samples"), list):
            raise UserError(f"{path}: expected an object with 'samples'")
        for i, sample in enumerate(data["samples"]):
            missing = [k for k in ("op", "metric", "params", "cycles") if k not in sample]
            if missing or sample["metric"] not in METRICS:
                raise UserError(f"{path}: sample {i}: expected op, metric (issue, hold, latency), params and cycles, "
                                f"got {json.dumps(sample)[:120]}")
            out.append(sample)
    return out


def counts(sample):
    """Does this sample measure what the machine file states?"""
    wanted = STATED.get(sample["op"], {}).get(sample["metric"])
    if wanted is None or sample["cycles"] <= 0:
        return False
    for key, value in wanted.items():
        got = sample["params"].get(key)
        if got not in value if isinstance(value, tuple) else got != value:
            return False
    return True


def grouped(samples):
    groups = {}
    for sample in samples:
        if counts(sample):
            groups.setdefault((sample["op"], sample["metric"]), []).append(sample)
    return dict(sorted(groups.items()))


# ---- models -------------------------------------------------------------------------------------------------------
def steps(p):
    return -(-p["m"] // 64) * -(-p["k"] * p["bytes"] // 32)


def rate(name):
    return lambda c: f"ceildiv({name}, {max(1, round(1 / c[0][0]))})" if c[0][0] > 0 else None


def hold_plus(c):
    return f"hold + {round(c[0][0])}"


CONST = [lambda p: 1]
AFFINE_BYTES = [lambda p: 1, lambda p: p["bytes"]]


def affine_bytes(c):
    slope = c[0][1]
    return f"{round(c[0][0])} + ceildiv(bytes, {max(1, round(1 / slope))})" if slope > 1e-6 else f"{round(c[0][0])}"


def wgmma_hold(c):
    """(pieces of SS, piece of RS) in cycles per m64n(32 B); quarter cycles a column are kept."""
    quarter = lambda x: round(4 * x)
    return (f"ceildiv(m, 64) * ceildiv(k * bytes, 32) * max(ceildiv({quarter(c[0][0])} * n, 4), "
            f"(1 - a_reg) * {round(c[1][0])} + ceildiv({quarter(c[1][1])} * n, 4))")


# (op, metric) -> (pieces: lists of features whose linear combinations are maximised over, is `hold` subtracted, formula)
MODELS = {("wgmma", "hold"): ([[lambda p: p["n"] * steps(p)],
                               [lambda p: (1 - p["a_reg"]) * steps(p), lambda p: p["n"] * steps(p)]], False, wgmma_hold),
          ("wgmma", "latency"): ([CONST], True, hold_plus),
          ("wgmma", "issue"): ([[steps]], False,
                               lambda c: f"{round(c[0][0])} * ceildiv(m, 64) * ceildiv(k * bytes, 32)"),
          ("tma_load", "latency"): ([AFFINE_BYTES], False, affine_bytes),
          ("tma_store", "latency"): ([AFFINE_BYTES], False, affine_bytes),
          ("tma_reduce", "latency"): ([AFFINE_BYTES], False, affine_bytes),
          ("tma_load", "issue"): ([CONST], False, lambda c: f"{round(c[0][0])}"),
          ("transfer", "latency"): ([AFFINE_BYTES], False, affine_bytes),
          ("global_load", "latency"): ([CONST], False, lambda c: f"{round(c[0][0])} + ceildiv(bytes, 36)"),
          ("mbarrier", "latency"): ([CONST], False, lambda c: f"{round(c[0][0])}"),
          ("named_barrier", "latency"): ([CONST], False, lambda c: f"{round(c[0][0])}")}
for _op in ("exp", "sfu", "alu", "alu_half", "cvt"):
    MODELS[_op, "hold"] = ([[lambda p: p["elems"]]], False, rate("elems"))
    MODELS[_op, "latency"] = ([CONST], True, hold_plus)
for _op in ("reduce", "reduce_minmax"):
    MODELS[_op, "hold"] = ([[lambda p: p["elems"]]], False, rate("elems"))
    MODELS[_op, "latency"] = ([CONST], True, lambda c: f"hold + axis * {round(c[0][0])}")
for _op in ("smem_read", "smem_write", "tma_load", "tma_store", "tma_reduce", "global_load", "global_store"):
    MODELS[_op, "hold"] = ([[lambda p: p["bytes"]]], False, rate("bytes"))
MODELS["smem_read", "latency"] = ([CONST], True, hold_plus)


def solve(rows, targets):
    """Least squares by the normal equations with pivoting; a column that the data do not determine gets 0."""
    n = len(rows[0])
    a = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * t for r, t in zip(rows, targets))]
         for i in range(n)]
    scale = [max(a[i][i], 1e-300) for i in range(n)]
    pivots = []
    for col in range(n):
        free = [i for i in range(n) if i not in pivots]
        best = max(free, key=lambda i: abs(a[i][col]))
        if abs(a[best][col]) < 1e-9 * scale[col]:
            pivots.append(None)
            continue
        pivots.append(best)
        for i in range(n):
            if i != best:
                factor = a[i][col] / a[best][col]
                a[i] = [x - factor * y for x, y in zip(a[i], a[best])]
    return [0.0 if p is None else a[p][n] / a[p][col] for col, p in enumerate(pivots)]


def predict(pieces, coefs, params):
    return max(sum(c * f(params) for c, f in zip(cs, fs)) for cs, fs in zip(coefs, pieces))


def fit(pieces, points):
    """Coefficients per piece for points (params, cycles); relative errors weigh equally."""
    if len(pieces) == 1:
        weighted = [([f(p) / y for f in pieces[0]], 1.0) for p, y in points]
        return [solve([w[0] for w in weighted], [w[1] for w in weighted])]
    # Start: points where the first feature of piece 0 is largest belong to piece 0; reassign until stable.
    order = sorted(range(len(points)), key=lambda i: -pieces[0][0](points[i][0]))
    best = None
    for cut in range(1, len(order)):
        owner = [0 if i in order[:cut] else 1 for i in range(len(points))]
        for _ in range(20):
            coefs = []
            for piece in range(len(pieces)):
                own = [points[i] for i in range(len(points)) if owner[i] == piece]
                coefs.append(fit([pieces[piece]], own)[0] if own else [0.0] * len(pieces[piece]))
            again = [max(range(len(pieces)), key=lambda k: sum(c * f(p) for c, f in zip(coefs[k], pieces[k])))
                     for p, _ in points]
            if again == owner:
                break
            owner = again
        error = sum((predict(pieces, coefs, p) / y - 1) ** 2 for p, y in points)
        if best is None or error < best[0] - 1e-12:
            best = (error, coefs)
    return best[1]


def cross_validate(pieces, points, folds=5):
    """Largest relative error on points left out, or None when there are too few."""
    folds = min(folds, len(points))
    if folds < 2:
        return None
    worst = 0.0
    for k in range(folds):
        train = [x for i, x in enumerate(points) if i % folds != k]
        coefs = fit(pieces, train)
        worst = max([worst] + [abs(predict(pieces, coefs, p) / y - 1) for i, (p, y) in enumerate(points) if i % folds == k])
    return worst


# ---- comparison ---------------------------------------------------------------------------------------------------
def compare(op, metric, samples, replace=None):
    """[(sample, file's cycles, relative error)]"""
    out = []
    for sample in samples:
        stated = cost(op, sample["params"], replace)[metric]
        out.append((sample, stated, abs(stated - sample["cycles"]) / sample["cycles"]))
    return out


def propose(op, key, samples):
    """(formula, cross-validated error or None) or None when there is no model or the fit makes no sense."""
    if key not in MODELS:
        return None
    pieces, subtract, text = MODELS[key]
    points = []
    for s in samples:
        cycles = s["cycles"] - (cost(op, s["params"])["hold"] if subtract else 0)
        if cycles > 0:
            points.append((s["params"], cycles))
    if not points or (len(pieces) > 1 and len(points) < 4):
        return None
    formula = text(fit(pieces, points))
    return (formula, cross_validate(pieces, points)) if formula else None


def check(machine, samples):
    """Messages for every sample off by more than its op states; ops without a stated error are not checked."""
    out = []
    for (name, metric), group in grouped(samples).items():
        op = machine["ops"].get(name)
        allowed = (op or {}).get("error", {}).get(metric)
        if allowed is None:
            continue
        for sample, stated, error in compare(op, metric, group):
            if error * 100 > allowed and abs(stated - sample["cycles"]) > 1:
                where = ", ".join(f"{k} {v}" for k, v in sample["params"].items())
                out.append(f"{name} {metric} ({where}): the file says {stated}, measured {sample['cycles']:g}: "
                           f"{error * 100:.0f} %, stated error {allowed} %")
    return out


def table(machine, samples):
    print("| op | metric | samples | file's error, mean / max % | proposed formula | its error, max % | cross-validated, max % |")
    print("|---|---|---|---|---|---|---|")
    for (name, metric), group in grouped(samples).items():
        op = machine["ops"].get(name)
        if not op:
            continue
        errors = [e for _, _, e in compare(op, metric, group)]
        found = propose(op, (name, metric), group)
        proposal = own = cv = "-"
        if found:
            proposal = f"`{found[0]}`"
            own = f"{100 * max(e for _, _, e in compare(op, metric, group, {metric: found[0]})):.0f}"
            cv = "-" if found[1] is None else f"{100 * found[1]:.0f}"
        print(f"| {name} | {metric} | {len(group)} | {100 * sum(errors) / len(errors):.0f} / {100 * max(errors):.0f} | "
              f"{proposal} | {own} | {cv} |")
    print("\n| op | metric | parameters | file | measured | error % |\n|---|---|---|---|---|---|")
    for (name, metric), group in grouped(samples).items():
        if name in machine["ops"]:
            for sample, stated, error in compare(machine["ops"][name], metric, group):
                where = ", ".join(f"{k} {v}" for k, v in sample["params"].items())
                print(f"| {name} | {metric} | {where} | {stated} | {sample['cycles']:g} | {100 * error:.0f} |")


def write_errors(path, machine, samples):
    """Puts `"error": {...}` before each op's source: the largest error of now, rounded up to 5 %."""
    errors = {}
    for (name, metric), group in grouped(samples).items():
        if name in machine["ops"]:
            worst = max([0.0] + [e for s, v, e in compare(machine["ops"][name], metric, group) if abs(v - s["cycles"]) > 1])
            errors.setdefault(name, {})[metric] = max(5, 5 * math.ceil(20 * worst - 1e-9))
    with open(path, encoding="utf-8") as text:
        lines = text.read().split("\n")
    out, current = [], None
    for line in lines:
        stripped = line.strip()
        if line.startswith('    "') and stripped.endswith("{"):
            current = stripped.split('"')[1]
        if stripped.startswith('"error":') and current in errors:
            continue
        if stripped.startswith('"source":') and current in errors:
            indent = line[:len(line) - len(line.lstrip())]
            out.append(f'{indent}"error": {json.dumps(errors.pop(current))},')
        out.append(line)
    with open(path, "w", encoding="utf-8") as text:
        text.write("\n".join(out))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machine")
    parser.add_argument("samples", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write-errors", action="store_true")
    args = parser.parse_args(argv)
    try:
        machine = load(args.machine)
        paths = args.samples or sorted(glob.glob(os.path.join(ROOT, "machines", "samples", machine["name"] + "-*.json")))
        samples = load_samples(paths)
        if args.write_errors:
            write_errors(args.machine, machine, samples)
        elif args.check:
            found = check(machine, samples)
            for message in found:
                print(f"{args.machine}: error: {message}")
            stated = sum(1 for key, group in grouped(samples).items() for s in group
                         if key[1] in machine["ops"].get(key[0], {}).get("error", {}))
            print(f"{len(paths)} sample files, {stated} samples with a stated error, {len(found)} beyond it")
            return 1 if found else 0
        else:
            table(machine, samples)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
