#!/usr/bin/env python3
"""Compares a machine file with calibration samples, fits its formulas, and states their errors.

    python3 utils/fit_machine.py machines/h100.json [SAMPLES.json ...]  tables: file, measured, error; proposed formulas
    python3 utils/fit_machine.py --check machines/h100.json [...]  exit 1 when an op's error exceeds the one it states
    python3 utils/fit_machine.py --write-errors machines/h100.json [...] states errors in the file, formulas untouched
    python3 utils/fit_machine.py --apply OUT.json machines/h100.json [...] writes the file with measured formulas to OUT
        --accept: where held-out points are further off than cross-validation says, states their error, and says so
        --loaded: with the rates of the elementwise units and of shared memory beside a running wgmma, not alone
    python3 utils/fit_machine.py --report machines/h100.json [...]       table for docs/Calibration.md

Without samples named: all of machines/samples/*.json whose file name starts with the machine's name. None: --check
passes. An op states errors as `"error": {"hold": 5, "latency": 20}`: percent of the measured cycles, but at least one
cycle, since formulas are integers. Only samples taken under the conditions that the file means count (STATED).
Held out: of each op and metric one point of three (formula_fit.split), by a hash of its parameters. Fits, the choice of
formulas and the stated errors use the other points only; --check compares with all, and the table says how far off the
held-out ones are. A stated error is that of cross-validation (what a formula fitted without a point says about it), or,
for a formula that was not fitted to samples, its own on the points not held out; rounded up to 5 %. So a held-out point
can fail the check, and so can every sample of a later run.
Applied: a fitted formula replaces the file's where its cross-validated error is clearly smaller (CLEARLY).
No dependencies; deterministic.
"""

import argparse
import glob
import json
import math
import os
import sys

from formula_fit import TEMPLATES, UserError, best, evaluate, relative, split

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METRICS = ("issue", "hold", "latency")
CLEARLY = (0.8, 0.03)  # at most this factor of the file's error, and smaller by at least this much
UNVALIDATED = 0.1  # error assumed of a fit to a single measurement

# op -> metric -> conditions under which a sample measures what the file states: value, or a tuple of allowed values.
# None: the parameter is absent. Units are whole-SM, so hold is the rate with the unit saturated: 4 warp groups, several
# TMA rings of four threads (one issues a load each 191 cycles). Integer additions are not alu_half: ptxas mixes two
# pipes.
FULL = {"groups": 4, "beside": None}
STATED = {
    "wgmma": {"hold": {"beside": None}, "latency": {}, "issue": {"net": 1}},
    "exp": {"hold": FULL, "latency": {}},
    "sfu": {"hold": FULL, "latency": {}},
    "alu": {"hold": {**FULL, "how": ("fma", "add", "mul")}, "latency": {}},
    "alu_half": {"hold": {**FULL, "how": ("max", "min", "sel", "cmpsel", "imad", "lop")}, "latency": {}},
    "cvt": {"hold": {**FULL, "how": "cvt"}, "latency": {"how": "cvt"}},
    "reduce": {"hold": FULL, "latency": {}},
    "reduce_minmax": {"hold": FULL, "latency": {}},
    "smem_read": {"hold": {**FULL, "how": ("ld128", "ldmatrix")}, "latency": {}},
    "smem_write": {"hold": {**FULL, "how": ("st128", "stmatrix")}},
    "tma_load": {
        "hold": {"from": "l2", "ctas": 1, "how": "load_rate4"},
        "latency": {"from": "dram"},
        "issue": {"net": 1},
    },
    "tma_store": {"hold": {"ctas": 1}, "latency": {"how": "store_latency"}, "issue": {"net": 1}},
    "tma_reduce": {"hold": {"ctas": 1}, "latency": {}, "issue": {"net": 1}},
    "global_load": {"hold": {"from": "l2", "ctas": 132, "groups": 4}, "latency": {"from": "dram"}},
    "thread_copy": {
        "hold": {"from": "l2", "ctas": 132, "groups": 4},
        "latency": {"from": "dram"},
        "issue": {},
    },
    "global_store": {"hold": {"ctas": 132, "groups": (None, 1)}},
    "transfer": {"latency": {"how": tuple(f"mbar_warp_{r}" for r in (4, 8, 16, 24, 32, 48, 64))}},
    "mbarrier": {"latency": {"how": "mbar_warp"}},
    "named_barrier": {"latency": {"how": "named"}},
}

# --loaded: what the elementwise units and the shared-memory port do while a warp group streams wgmma m64n128k16 from
# shared memory. Two warp groups share the rest.
BESIDE = {"groups": 2, "beside": "wgmma"}
LOADED = {
    **STATED,
    **{
        op: {"hold": {**STATED[op]["hold"], **BESIDE}}
        for op in ("exp", "sfu", "alu", "alu_half", "cvt", "reduce", "reduce_minmax", "smem_read", "smem_write")
    },
}

LOADED["alu"]["hold"]["how"] = ("fma1", "fma2")  # at full rate FP32 arithmetic stops wgmma instead
LOADED["alu_half"]["hold"]["how"] = (
    "max",
    "min",
    "sel",
    "imad",
    "lop",
)  # a compare writes no register and hardly slows


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
                raise UserError(
                    f"{path}: sample {i}: expected op, metric (issue, hold, latency), params and cycles, "
                    f"got {json.dumps(sample)[:120]}"
                )
            out.append(sample)
    return out


def counts(sample, conditions=STATED):
    """Does this sample measure what the machine file states?"""
    wanted = conditions.get(sample["op"], {}).get(sample["metric"])
    if wanted is None or sample["cycles"] <= 0:
        return False
    for key, value in wanted.items():
        got = sample["params"].get(key)
        if got not in value if isinstance(value, tuple) else got != value:
            return False
    return True


def grouped(samples, conditions=STATED):
    groups = {}
    for sample in samples:
        if counts(sample, conditions):
            groups.setdefault((sample["op"], sample["metric"]), []).append(sample)
    return dict(sorted(groups.items()))


# ---- comparison ---------------------------------------------------------------------------------------------------
def compare(op, metric, samples, replace=None):
    """[(sample, file's cycles, relative error)]"""
    out = []
    for sample in samples:
        stated = cost(op, sample["params"], replace)[metric]
        out.append((sample, stated, abs(stated - sample["cycles"]) / sample["cycles"]))
    return out


def worst(op, metric, samples, replace=None):
    """Largest relative error, where being one cycle off is none."""
    return max([relative(v, s["cycles"]) for s, v, _ in compare(op, metric, samples, replace)], default=0.0)


def propose(op, key, samples, replace=None):
    """(formula, cross-validated error or None), or None without templates. `samples`: those not held out; `replace`:
    formulas that `hold` in a template refers to instead of the file's."""
    if key not in TEMPLATES or not samples:
        return None
    points = []
    for s in samples:
        known = dict(s["params"])
        if key[1] == "latency":
            known["hold"] = cost(op, s["params"], replace)["hold"]
        points.append((known, s["cycles"]))
    return best(TEMPLATES[key], points)


def study(machine, samples, conditions=STATED):
    """{(op, metric): {fitted_on, held_out, file, proposal, cv, own, applied, error, held_error}} for every op of the
    file.

    `file` and `own`: errors of the file's and of the proposed formula on the points fitted on; `applied`: is the
    proposal clearly better; `error`: what is to be stated in percent; `held_error`: of the formula taken, on held-out
    points."""
    out = {}
    groups = grouped(samples, conditions)
    for name, op in sorted(machine["ops"].items()):
        taken = {}
        for metric in ("hold", "issue", "latency"):
            if (name, metric) not in groups:
                continue
            inner, outer = split(groups[name, metric])
            mine = worst(op, metric, inner, taken)
            row = {"fitted_on": len(inner), "held_out": len(outer), "file": worst(op, metric, inner), "applied": False}
            found = propose(op, (name, metric), inner, taken)
            error = mine
            if found:
                row.update(proposal=found[0], cv=found[1], own=worst(op, metric, inner, {**taken, metric: found[0]}))
                expected = max(row["own"], UNVALIDATED if found[1] is None else found[1])
                if expected <= CLEARLY[0] * mine and expected <= mine - CLEARLY[1] and found[0] != op[metric]:
                    row["applied"], error, taken[metric] = True, expected, found[0]
            row["error"] = max(5, 5 * math.ceil(20 * error - 1e-9))
            row["formula"] = taken.get(metric, op[metric])
            row["held_error"] = worst(op, metric, outer, taken) if outer else None
            out[name, metric] = row
    return out


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
                out.append(
                    f"{name} {metric} ({where}): the file says {stated}, measured {sample['cycles']:g}: "
                    f"{error * 100:.0f} %, stated error {allowed} %"
                )
    return out


def percent(value):
    return "-" if value is None else f"{100 * value:.0f}"


def table(machine, samples):
    print(
        "| op | metric | fitted on | held out | file's error, max % | proposed formula | its error, max % "
        "| cross-validated, max % "
        "| taken over |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for (name, metric), row in study(machine, samples).items():
        proposal = f"`{row['proposal']}`" if "proposal" in row else "-"
        print(
            f"| {name} | {metric} | {row['fitted_on']} | {row['held_out']} | {percent(row['file'])} | {proposal} | "
            f"{percent(row.get('own'))} | {percent(row.get('cv'))} | {'yes' if row['applied'] else 'no'} |"
        )
    print("\n| op | metric | parameters | file | measured | error % |\n|---|---|---|---|---|---|")
    for (name, metric), group in grouped(samples).items():
        if name in machine["ops"]:
            for sample, stated, error in compare(machine["ops"][name], metric, group):
                where = ", ".join(f"{k} {v}" for k, v in sample["params"].items())
                print(f"| {name} | {metric} | {where} | {stated} | {sample['cycles']:g} | {100 * error:.0f} |")


def report(machine, samples):
    """Rows of docs/Calibration.md: the formulas in the file, on points fitted on and held out."""
    print(
        "| op | metric | formula | fitted on | error there, max % | held out | error there, max % | stated % |\n"
        + "|---" * 8
        + "|"
    )
    for (name, metric), group in grouped(samples).items():
        op = machine["ops"].get(name)
        if op:
            inner, outer = split(group)
            there = percent(worst(op, metric, outer)) if outer else "-"
            print(
                f"| {name} | {metric} | `{op[metric]}` | {len(inner)} | {percent(worst(op, metric, inner))} "
                f"| {len(outer)} "
                f"| {there} "
                f"| {op.get('error', {}).get(metric, '-')} |"
            )


# ---- writing ------------------------------------------------------------------------------------------------------
def rewrite(text, edit):
    """`text` of a machine file, line by line: edit(op, key, line) -> the lines that replace it. Layout and order
    stay."""
    out, current, inside = [], None, False
    for line in text.split("\n"):
        stripped = line.strip()
        inside = inside or stripped.startswith('"ops"')
        if inside and line.startswith('    "') and stripped.endswith("{"):
            current = stripped.split('"')[1]
        key = stripped.split('"')[1] if inside and stripped.startswith('"') and current else None
        out += edit(current, key, line) if key else [line]
    return "\n".join(out)


def stated(text, errors, formulas=None, notes=None):
    """`text` with errors {op: {metric: percent}}, formulas {op: {metric: formula}} and notes {op: what to put before
    the source}."""

    def edit(op, key, line):
        indent = line[: len(line) - len(line.lstrip())]
        if op in errors and key == "error":
            return []
        if key in (formulas or {}).get(op, {}):
            return [f'{indent}"{key}": {json.dumps(formulas[op][key])}{"," if line.rstrip().endswith(",") else ""}']
        if op in errors and key == "source":
            if (notes or {}).get(op):
                old = json.loads("{" + line.strip().rstrip(",") + "}")["source"]
                end = "," if line.rstrip().endswith(",") else ""
                line = f'{indent}"source": {json.dumps(notes[op] + "; else: " + old, ensure_ascii=False)}{end}'
            return [f'{indent}"error": {json.dumps(errors[op])},', line]
        return [line]

    return rewrite(text, edit)


def ordered(values):
    return {metric: values[metric] for metric in METRICS if metric in values}


def write_errors(path, machine, samples):
    """Puts `"error": {...}` before each op's source: of the file's formulas on all samples, rounded up to 5 %. For
    formulas that no sample was used for; those taken from a fit get theirs from apply()."""
    errors = {}
    for (name, metric), group in grouped(samples).items():
        if name in machine["ops"]:
            error = worst(machine["ops"][name], metric, group)
            errors.setdefault(name, {})[metric] = max(5, 5 * math.ceil(20 * error - 1e-9))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(stated(text, {k: ordered(v) for k, v in errors.items()}))


def apply(path, target, machine, samples, names, conditions=STATED, accept=False):
    """Writes `target`: the file with clearly better formulas, their errors, and the samples as their source. `accept`:
    the error on held-out points is stated where it is the larger one; without, --check reports those points."""
    errors, formulas, notes = {}, {}, {}
    for (name, metric), row in study(machine, samples, conditions).items():
        found = max(5, 5 * math.ceil(20 * (row["held_error"] or 0) - 1e-9))
        if found > row["error"]:
            print(
                f"{name} {metric} `{row['formula']}`: expected an error of {row['error']} %, "
                f"held-out points are {found} % off"
            )
            if accept:
                row["error"] = found
                if not row["applied"]:
                    notes.setdefault(name, []).append(
                        f"{metric} not fitted, held-out points {percent(row['held_error'])} % off"
                    )
        errors.setdefault(name, {})[metric] = row["error"]
        if row["applied"]:
            formulas.setdefault(name, {})[metric] = row["proposal"]
            held = (
                f", {row['held_out']} held out: {percent(row['held_error'])} %"
                if row["held_out"]
                else ", none held out"
            )
            cv = "" if row["cv"] is None else f", cross-validated error {percent(row['cv'])} %"
            notes.setdefault(name, []).append(f"{metric} fitted on {row['fitted_on']} samples{cv}{held}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    files = ", ".join(names) + (" (beside a running wgmma)" if conditions is LOADED else "")
    text = stated(
        text,
        {k: ordered(v) for k, v in errors.items()},
        formulas,
        {k: f"{files}: {'; '.join(v)}" for k, v in notes.items()},
    )
    json.loads(text)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machine")
    parser.add_argument("samples", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write-errors", action="store_true")
    parser.add_argument("--apply", metavar="OUT", help="write the file with measured formulas to OUT")
    parser.add_argument(
        "--accept", action="store_true", help="with --apply: state the error of held-out points if larger"
    )
    parser.add_argument("--loaded", action="store_true", help="with --apply: rates beside a running wgmma")
    parser.add_argument("--report", action="store_true", help="the formulas of the file on fitted and held-out points")
    args = parser.parse_args(argv)
    try:
        machine = load(args.machine)
        paths = args.samples or sorted(
            glob.glob(os.path.join(ROOT, "machines", "samples", machine["name"] + "-*.json"))
        )
        samples = load_samples(paths)
        if args.write_errors:
            write_errors(args.machine, machine, samples)
        elif args.apply:
            apply(
                args.machine,
                args.apply,
                machine,
                samples,
                ["machines/samples/" + os.path.basename(p) for p in paths],
                LOADED if args.loaded else STATED,
                args.accept,
            )
        elif args.report:
            report(machine, samples)
        elif args.check:
            found = check(machine, samples)
            for message in found:
                print(f"{args.machine}: error: {message}")
            checked = [
                (key, s)
                for key, group in grouped(samples).items()
                for s in group
                if key[1] in machine["ops"].get(key[0], {}).get("error", {})
            ]
            held = sum(
                len(split(group)[1])
                for key, group in grouped(samples).items()
                if key[1] in machine["ops"].get(key[0], {}).get("error", {})
            )
            print(
                f"{len(paths)} sample files, {len(checked)} samples with a stated error, "
                f"{held} of them held out of fits, "
                f"{len(found)} beyond it"
            )
            return 1 if found else 0
        else:
            table(machine, samples)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
