"""Compiles the task programs of examples/tasks by their mappings, and the tile programs of examples/ beside them, for
the figures of docs/TaskFigures.md.

    python3 bench/gpu/stage_tasks.py OUT [--heddle build/bin/heddle] [--extra FILE]

Runs where Heddle is built (no GPU); carry OUT to the GPU machine and run time_tasks.py there. A tile program has the
tile sizes of the mapping beside it. The ten mappings of bench/explore_mappings.py come along. OUT/stage.json names what
is staged: figures {name: {contender: folder}} and mappings {what is said of it: folder}. --extra: a JSON file {figure:
{contender: [arguments of heddle compile]}} of others to time.
"""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import explore_mappings  # noqa: E402


def task(program, mapping):
    return [f"examples/tasks/{program}.mlir", f"--mapping=examples/tasks/{mapping}.map"]


def tile(program, *options):
    return [f"examples/{program}.mlir", *options]


FIGURES = {
    "gemm": {"tasks": task("gemm", "gemm_persistent_h100"), "tile": tile("01_gemm")},
    "batched": {"tasks": task("batched", "batched_h100"), "tile": tile("09_gemm_batched", "--param=BN=256")},
    "gated": {
        "tasks": task("gated", "gated_h100"),
        "tasks, two tiles in flight": task("gated", "gated_turns_h100"),
        "tile": tile("22_gemm_gated"),
    },
    "rowsum": {
        "tasks": task("rowsum", "rowsum_h100"),
        "tasks, sums shared": task("rowshare", "rowshare_h100"),
        "tile": tile("06_rowsum", "--param=BN=256"),
    },
    "attention": {
        "tasks": task("attention", "attention_h100"),
        "tasks, two pins": task("attention", "attention_pinned_h100"),
        "tasks, loop rewritten": task("attention", "attention_fa3_h100"),
        "tile": tile("02_attention"),
    },
}


def stage(heddle, arguments, folder):
    """An error, or None."""
    command = [os.path.abspath(heddle), "compile", *arguments, "--no-cache", "--emit=cubin", "-o", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    bad = [line for line in done.stderr.splitlines() if "C75" in line or "error" in line]
    if done.returncode or bad:
        return (bad or done.stderr.splitlines() or ["failed"])[0]
    for name in os.listdir(folder):  # the GPU machine uses these two
        if name not in ("kernel.cubin", "kernel.json"):
            os.remove(os.path.join(folder, name))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build/bin/heddle"))
    parser.add_argument("--extra", help="further contenders, JSON")
    args = parser.parse_args()
    figures = {figure: dict(contenders) for figure, contenders in FIGURES.items()}
    if args.extra:
        with open(args.extra, encoding="utf-8") as file:
            for figure, contenders in json.load(file).items():
                figures.setdefault(figure, {}).update(contenders)
    out = os.path.abspath(args.out)
    os.makedirs(out, exist_ok=True)
    staged, failed = {"figures": {figure: {} for figure in figures}, "mappings": {}}, 0

    def add(table, name, arguments, folder):
        nonlocal failed
        error = stage(args.heddle, arguments, os.path.join(out, folder))
        if error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
        else:
            table[name] = folder

    for figure, contenders in figures.items():
        for index, (name, arguments) in enumerate(contenders.items()):
            add(staged["figures"][figure], name, arguments, f"{figure}-{index}")
    with open(explore_mappings.BASE, encoding="utf-8") as file:
        base = file.read()
    for index, (what, changes) in enumerate(explore_mappings.MAPPINGS):
        mapping = os.path.join(out, f"mapping-{index}.map")
        with open(mapping, "w", encoding="utf-8") as file:
            file.write(explore_mappings.changed(base, changes))
        add(staged["mappings"], what, [explore_mappings.PROGRAM, f"--mapping={mapping}"], f"mapping-{index}")
    with open(os.path.join(out, "stage.json"), "w", encoding="utf-8") as file:
        json.dump(staged, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
