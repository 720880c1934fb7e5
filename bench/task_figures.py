#!/usr/bin/env python3
"""Tables and picture of what bench/gpu/time_tasks.py measured: docs/TaskFigures.md and docs/task_figures.svg.

    python3 bench/task_figures.py bench/results/NAME.json
"""

import json
import os
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIGURES = {
    "gemm": ("Product", "M = N = K", "13 a"),
    "batched": ("Batched product, 4 matrices", "M = N = K", "13 b"),
    "gated": ("Gated product: silu(A G^T) * (A B^T)", "M = N = K", "13 c"),
    "rowsum": ("Product and row sums", "M = N = K", "13 d"),
    "attention": ("Attention forward, 16 heads of 128, 16384 queries in all", "positions", "14"),
}
NAMES = {
    "cublas": "cuBLAS",
    "cublaslt-best": "cublasLt, best of 8",
    "triton": "Triton",
    "cudnn": "cuDNN",
    "flash2": "FlashAttention-2 (PyTorch)",
    "fa3": "FlashAttention-3",
    "torch": "PyTorch, several kernels",
}
COLOURS = ["#1f4e79", "#4c9be8", "#9ec9f5", "#54a24b", "#e45756", "#f2a541", "#8e6bb0", "#999999", "#b5651d"]


def timed(results):
    return [r for r in results if "figures" in r]


def tflops(result, name):
    found = result["figures"].get(name)
    return found["tflops"] if found else None


def table(results, first):
    """Rows are sizes, columns contenders."""
    names = list(dict.fromkeys(name for r in results for name in r["figures"]))
    lines = [f"| {first} | " + " | ".join(NAMES.get(n, n) for n in names) + " |", "|" + "---|" * (len(names) + 1)]
    for r in results:
        values = (tflops(r, n) for n in names)
        lines.append(f"| {r['what']} | " + " | ".join("-" if v is None else f"{v:.0f}" for v in values) + " |")
    return "\n".join(lines)


def ratios(figures):
    """What the tile programs, the plain product and the other forms of attention leave to be compared."""
    lines = ["| kernel | " + " | ".join(["beside", "ratio at each size", "least"]) + " |", "|---|---|---|---|"]

    def add(kernel, beside, values):
        values = [v for v in values if v]
        if values:
            text = ", ".join(f"{v:.3f}" for v in values)
            lines.append(f"| {kernel} | {beside} | {text} | {min(values):.3f} |")

    def quotient(a, b):
        return a / b if a and b else None

    for figure, results in figures.items():
        if figure in FIGURES:
            own = [n for n in dict.fromkeys(n for r in results for n in r["figures"]) if n.startswith("tasks")]
            for name in own:
                values = [quotient(tflops(r, name), tflops(r, "tile")) for r in results]
                add(f"{figure}: {name}", "tile program", values)
    plain = {r["what"]: tflops(r, "tasks") for r in figures.get("gemm", [])}
    for figure in ("gated", "rowsum"):
        results = figures.get(figure, [])
        for name in dict.fromkeys(n for r in results for n in r["figures"] if n.startswith("tasks")):
            values = [quotient(tflops(r, name), tflops(r, "plain product") or plain.get(r["what"])) for r in results]
            add(f"{figure}: {name}", "plain product", values)
    forms = ("tasks", "tasks, two pins", "tasks, loop rewritten")
    spread = []
    for r in figures.get("attention", []):
        found = [tflops(r, name) for name in forms if tflops(r, name)]
        spread.append(min(found) / max(found) if len(found) == len(forms) else None)
    add("attention: slowest form", "fastest form", spread)
    return "\n".join(lines)


def picture(figures):
    width, height, left, top = 1180, 210, 60, 40
    shown = [(figure, timed(results)) for figure, results in figures.items() if figure in FIGURES]
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{(height + 60) * len(shown)}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for panel, (figure, results) in enumerate(shown):
        names = list(dict.fromkeys(name for r in results for name in r["figures"]))
        base = top + panel * (height + 60) + height - 30
        most = 800.0
        svg.append(f'<text x="{left}" y="{base - height + 20}" font-weight="bold">{FIGURES[figure][0]}, TFLOPS</text>')
        for mark in range(0, 801, 200):
            y = base - mark / most * (height - 40)
            svg.append(f'<line x1="{left}" y1="{y:.1f}" x2="{width - 240}" y2="{y:.1f}" stroke="#ddd"/>')
            svg.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{mark}</text>')
        span = (width - 240 - left) / len(results)
        bar = span * 0.85 / len(names)
        for i, r in enumerate(results):
            at = left + i * span + span * 0.07
            middle = left + (i + 0.5) * span
            svg.append(f'<text x="{middle:.1f}" y="{base + 14}" text-anchor="middle">{r["what"]}</text>')
            for k, name in enumerate(names):
                value = tflops(r, name) or 0
                tall = value / most * (height - 40)
                svg.append(
                    f'<rect x="{at + k * bar:.1f}" y="{base - tall:.1f}" width="{bar - 1:.1f}" height="{tall:.1f}" '
                    f'fill="{COLOURS[k % len(COLOURS)]}"/>'
                )
        for k, name in enumerate(names):
            y, colour = base - height + 44 + 16 * k, COLOURS[k % len(COLOURS)]
            svg.append(f'<rect x="{width - 225}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
            svg.append(f'<text x="{width - 210}" y="{y}">{NAMES.get(name, name)}</text>')
    return "\n".join(svg) + "\n</svg>\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    env = report["environment"]
    figures = {figure: timed(results) for figure, results in report["figures"].items()}
    checks = [c["ok"] for rs in report["figures"].values() for r in rs for n, c in r["check"].items() if n != "triton"]
    said = f"""Made by `python3 bench/task_figures.py {os.path.relpath(path, ROOT)}` from what
`bench/gpu/time_tasks.py` measured ({env['device']}, {env['date'][:10]}, commit {env['commit']}; PyTorch {env['torch']},
CUDA {env['cuda']}). The method is that of [Benchmarks.md](Benchmarks.md): checked first (here {sum(checks)} of
{len(checks)} checks hold), then all contenders take turns in one process. Figures are TFLOPS of event times of single
runs, medians of {report['rounds'] * report['repeats']}. `tasks` are programs of `examples/tasks` by their mappings,
`tile` the tile programs of `examples/` with the same tile sizes. Of Triton's configurations
(`bench/gpu/triton_peers.py`) the fastest is shown. The problems are those of Figures 13 and 14 of Cypress (Yadav et
al., PLDI 2025)."""
    wrong = [
        f"{figure} {r['what']}: {name}"
        for figure, results in report["figures"].items()
        for r in results
        for name, check in r["check"].items()
        if not check["ok"]
    ]
    if wrong:
        said += " What failed its check was not timed, but for Triton: " + ", ".join(wrong) + "."
    said += " " + report.get("note", "")  # of whoever kept the file
    text = "# Task programs on an H100\n\n" + textwrap.fill(" ".join(said.split()), 119, break_on_hyphens=False)
    text += "\n\n![TFLOPS of every contender](task_figures.svg)\n"
    for figure, (title, first, number) in FIGURES.items():
        if figures.get(figure):
            text += f"\n## {title}\n\nCypress, Figure {number}.\n\n{table(figures[figure], first)}\n"
    text += f"\n## Ratios\n\n{ratios(figures)}\n"
    text += "\nThe ten mappings of one product that were measured with these stand in [Mapping.md](Mapping.md).\n"
    with open(os.path.join(ROOT, "docs/TaskFigures.md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(ROOT, "docs/task_figures.svg"), "w", encoding="utf-8") as file:
        file.write(picture(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
