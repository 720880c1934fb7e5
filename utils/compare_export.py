#!/usr/bin/env python3
"""Compares heddle-sched with other solvers on exported instances.

Random small instances that exercise every condition (seeded, the same on every machine), and the files given. For each
and for a few intervals: `heddle-sched solve` restricted to that interval, and every solver found on the exported text
(SMT-LIB, OPB, LP). Solvers: z3, cvc5, yices-smt2 (smt2); clasp, minisat+ (opb); highspy of Python (lp). Those not
installed are left out.

    compare_export.py [--bin DIR] [--count N] [--seed N] [--json OUT] [FILE.sched ...]

Exit status: 0 all agree, 1 a difference, 77 no solver found.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

LIMIT = 120  # seconds a solver may take
SOLVERS = {  # name -> (format, command)
    "z3": ("smt2", ["z3", "FILE"]),
    "cvc5": ("smt2", ["cvc5", "FILE"]),
    "yices": ("smt2", ["yices-smt2", "FILE"]),
    "clasp": ("opb", ["clasp", "--verbose=0", "FILE"]),
    "minisat+": ("opb", ["minisat+", "-v0", "FILE"]),
}


def random_instance(seed):
    """The text of a small instance; every attribute of the format occurs in some of them."""
    r = random.Random(seed)
    below = r.randrange
    groups = below(4)
    lines = [
        f"problem random{seed}",
        "unit A 1",
        f"unit B {1 + below(2)}",
        f"memory m {2 + below(6)}{' ring' if below(2) else ''}",
    ]
    wide = below(2)
    lines.append(
        f"registers granule=2 min=2 overhead={int(below(3) == 0)}"
        + (f" file={32 * (6 + below(12))}" if below(3) == 0 else "")
        + (" consumer_copies" if below(3) == 0 else "")
    )
    for g in range(groups):
        limit = f" regs={4 + below(8)}" if below(2) else ""
        lines.append(f"group g{g} warps={1 + wide}{limit}" + (" variable" if g == 2 else ""))
    count = 2 + below(5)
    for v in range(count):
        node = f"node n{v} latency={below(4)}"
        if below(3) == 0:
            node += f" issue={1 + below(2)}"
        node += " async" if below(3) == 0 else ""
        node += " variable" if groups == 3 and below(4) == 0 else ""
        node += f" regs={below(4)}"
        if below(4) == 0:
            node += f" live={1 + below(3)}"
        for _ in range(below(3)):
            node += f" use={'AB'[below(2)]}:{below(2)}:{1 + below(3)}"
        node += f" mem=m:{1 + below(2)}" if below(2) else ""
        node += " staging=m:1" if below(4) == 0 else ""
        node += f" start={below(4)}" if below(10) == 0 else ""
        node += f" stage={below(2)}" if below(12) == 0 else ""
        node += f" depth={1 + below(2)}" if below(10) == 0 else ""
        lines.append(node)
    for _ in range(count - 1 + below(4)):
        a, b = below(count), below(count)
        edge = f"edge n{a} -> n{b} delay={below(4)} distance={1 + below(2) if a >= b else int(below(3) == 0)}"
        edge += " transfer=never" if below(5) == 0 else f" transfer={below(3)}"
        edge += f" hold={below(4)}" if below(4) == 0 else ""
        edge += (" blocking" if below(5) == 0 else "") + (" order" if below(6) == 0 else "")
        lines.append(edge)
    return "\n".join(lines) + "\n"


def ours(tool, path, ii, stages):
    """Whether heddle-sched finds a schedule of exactly this interval; None at a limit."""
    got = subprocess.run(
        [
            tool,
            "solve",
            path,
            "--json",
            "--no-lexicographic",
            f"--min-ii={ii}",
            f"--max-ii={ii}",
            f"--max-stages={stages}",
        ],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    status = json.loads(got.stdout)["status"]
    return {"optimal": True, "infeasible": False}.get(status)


def theirs(name, path):
    """The answer of a solver on an exported file; None when it gave none."""
    if name == "highs":
        import highspy

        h = highspy.Highs()
        h.setOptionValue("output_flag", False)
        h.setOptionValue("time_limit", float(LIMIT))
        h.readModel(path)
        h.run()
        return {highspy.HighsModelStatus.kOptimal: True, highspy.HighsModelStatus.kInfeasible: False}.get(
            h.getModelStatus()
        )
    command = [path if word == "FILE" else word for word in SOLVERS[name][1]]
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False).stdout.lower()
    except subprocess.TimeoutExpired:
        return None
    if "unsat" in text:
        return False
    return True if "sat" in text or "optimum" in text else None


def find_solvers():
    found = [name for name, (_, command) in SOLVERS.items() if shutil.which(command[0])]
    try:
        import highspy  # noqa: F401

        found.append("highs")
    except ImportError:
        pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--bin", default=os.path.join(here, "../build/bin"), help="directory of heddle-sched")
    parser.add_argument("--count", type=int, default=20, help="random instances")
    parser.add_argument("--seed", type=int, default=0, help="of the first random instance")
    parser.add_argument("--json", help="write the figures there")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    tool = os.path.join(args.bin, "heddle-sched")
    solvers = find_solvers()
    if not solvers:
        print("no solver found: " + ", ".join(SOLVERS) + ", highspy")
        return 77
    figures = {name: {"sat": 0, "unsat": 0, "none": 0, "differ": 0} for name in solvers}
    instances = queries = bad = 0
    with tempfile.TemporaryDirectory() as work:
        jobs = [(path, None) for path in args.files]
        jobs += [
            (os.path.join(work, f"random{seed}.sched"), seed) for seed in range(args.seed, args.seed + 4 * args.count)
        ]
        drawn = 0
        for path, seed in jobs:
            if seed is not None:
                if drawn == args.count:
                    break
                with open(path, "w", encoding="utf-8") as f:
                    f.write(random_instance(seed))
            bounds = subprocess.run([tool, "bounds", path], capture_output=True, text=True, check=False)
            if bounds.stderr:  # not a valid instance (no group can run a node, a cycle of distance zero)
                continue
            drawn += seed is not None
            instances += 1
            numbers = [line.split()[0] for line in bounds.stdout.splitlines()]
            least = max([int(x) for x in numbers if x != "infeasible"] or [1])
            for ii in sorted({max(1, least - 1), least, least + 2, least + 5}):
                queries += 1
                expected = ours(tool, path, ii, 2)
                for name in solvers:
                    kind = SOLVERS[name][0] if name in SOLVERS else "lp"
                    text = os.path.join(work, "query." + kind)
                    subprocess.run(
                        [tool, "export", path, f"--format={kind}", f"--ii={ii}", "--max-stages=2", "-o", text],
                        check=True,
                    )
                    got = theirs(name, text)
                    figures[name]["none" if got is None else "sat" if got else "unsat"] += 1
                    if None not in (got, expected) and got != expected:
                        figures[name]["differ"] += 1
                        bad += 1
                        print(
                            f"{os.path.basename(path)}, interval {ii}: heddle-sched says {expected}, {name} says {got}"
                        )
    print(f"{instances} instances, {queries} queries, {bad} differences")
    for name, row in figures.items():
        print(
            f"  {name}: {row['sat']} satisfiable, {row['unsat']} unsatisfiable, {row['none']} without an answer, "
            f"{row['differ']} differ"
        )
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(
                {"instances": instances, "queries": queries, "first_seed": args.seed, "solvers": figures}, f, indent=1
            )
            f.write("\n")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
