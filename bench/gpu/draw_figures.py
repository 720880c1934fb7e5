#!/usr/bin/env python3
"""Tables and pictures of what time_candidates.py measured of the kernels of stage_figures.py: docs/Ablation.md between
its marks, docs/ablation_*.svg.

    python3 bench/gpu/draw_figures.py bench/results/2026-11-22-h100-figures.json [--docs docs]
"""

import argparse
import json
import math
import os
import re
import sys

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" font-family="sans-serif" font-size="11">\n'
    '<rect width="100%" height="100%" fill="#fff"/>\n'
)


def text(x, y, words, anchor="start", weight="normal"):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">{words}</text>\n'


def joined(report):
    """Sizes with the speed of each candidate and of cublasLt's best proposal, in TFLOPS."""
    results = []
    for result in report["results"]:
        times, sizes = result["burst_ms"], [int(x) for x in result["size"].split("x")]
        speed = {name: 2e-9 * math.prod(sizes) / ms for name, ms in times.items()}
        found = [{**c, "tflops": speed[c["plan"]]} for c in report["candidates"] if c["plan"] in speed]
        peer = max(speed[name] for name in speed if name.startswith("lt"))
        results.append({"name": " x ".join(map(str, sizes)), "candidates": found, "peer": peer})
    return results


def of_figure(result, figure):
    return [c for c in result["candidates"] if c["figure"] == figure]


def grid_table(results):
    rows = ["| sizes | | D | " + " | ".join(f"P = {p}" for p in dots_of(results)) + " |", None]
    rows[1] = "|---" * (rows[0].count("|") - 1) + "|"
    for result in results:
        cells = {(c["persistent"], c["depth"], c["dots"]): c["tflops"] for c in of_figure(result, "grid")}
        for persistent in (False, True):
            for depth in sorted({d for p, d, _ in cells if p == persistent}):
                found = [cells.get((persistent, depth, p)) for p in dots_of(results)]
                row = [result['name'], "persistent" if persistent else "grid", str(depth)]
                rows.append("| " + " | ".join(row + [f"{f:.0f}" if f else "" for f in found]) + " |")
    return "\n".join(rows)


def dots_of(results):
    return sorted({c["dots"] for r in results for c in of_figure(r, "grid")})


def grid_picture(results):
    """A field for each size and each way of launching: D down, P to the right, darker is faster."""
    dots, out, width = dots_of(results), "", 60
    for i, result in enumerate(results):
        fields = of_figure(result, "grid")
        least, most = min(c["tflops"] for c in fields), max(c["tflops"] for c in fields)
        for j, persistent in enumerate((False, True)):
            left, top = 50 + j * (len(dots) * width + 60), 50 + i * 190
            out += text(left, top - 22, f"{result['name']}, {'persistent' if persistent else 'grid'}", weight="bold")
            for k, p in enumerate(dots):
                out += text(left + k * width + width / 2, top - 6, f"P = {p}", "middle")
            for c in fields:
                if c["persistent"] != persistent:
                    continue
                x, y = left + dots.index(c["dots"]) * width, top + (c["depth"] - 1) * 30
                share = (c["tflops"] - least) / max(1.0, most - least)
                colour = "#" + "".join(f"{round(255 - share * (255 - to)):02x}" for to in (78, 121, 167))
                out += f'<rect x="{x}" y="{y}" width="{width - 2}" height="28" fill="{colour}"/>\n'
                out += text(x + width / 2, y + 18, f"{c['tflops']:.0f}", "middle")
                if c["dots"] == dots[0]:
                    out += text(left - 6, y + 18, f"D = {c['depth']}", "end")
    return HEAD.format(2 * (len(dots) * width + 60) + 20, 50 + 190 * len(results)) + out + "</svg>\n"


def steps_table(results):
    rows = ["| step | " + " | ".join(r["name"] for r in results) + " | what it adds |", None]
    rows[1] = "|---" * (rows[0].count("|") - 1) + "|"
    before = {}
    for c in of_figure(results[0], "steps"):
        now = dict(o.split("=", 1) for o in c["options"].split())
        added = " ".join(f"`{k}={v}`" for k, v in now.items() if before.get(k) != v)
        speeds = [next(f["tflops"] for f in of_figure(r, "steps") if f["step"] == c["step"]) for r in results]
        rows.append(f"| {c['name']} | " + " | ".join(f"{s:.0f}" for s in speeds) + f" | {added} |")
        before = now
    rows.append("| cublasLt's best of 8 | " + " | ".join(f"{r['peer']:.0f}" for r in results) + " | |")
    return "\n".join(rows)


def steps_picture(results):
    out, top = "", 20
    for result in results:
        out += text(10, top, result['name'], weight="bold")
        bars = [(c["name"], c["tflops"], "#4e79a7") for c in of_figure(result, "steps")]
        for words, speed, colour in bars + [("cublasLt's best of 8", result["peer"], "#9c755f")]:
            top += 20
            out += text(310, top, words, "end")
            out += f'<rect x="318" y="{top - 11}" width="{speed / 2:.1f}" height="14" fill="{colour}"/>\n'
            out += text(322 + speed / 2, top, f"{speed:.0f}")
        top += 40
    return HEAD.format(760, top - 10) + out + "</svg>\n"


def put(docs, page, picture_name, figures):
    """Tables between the marks of a page, and pictures beside it; figures: {name: (table, picture)}."""
    page = os.path.join(docs, page)
    with open(page, encoding="utf-8") as file:
        words = file.read()
    for figure, (table, picture) in figures.items():
        begin, end = f"<!-- {figure}: -->", f"<!-- :{figure} -->"
        if begin not in words or end not in words:
            sys.exit(f"{page}: expected the marks {begin} and {end}")
        between = re.escape(begin) + ".*" + re.escape(end)
        made = f"{begin}\n\n{table}\n\n{end}"
        words = re.sub(between, lambda _, made=made: made, words, flags=re.DOTALL)
        with open(os.path.join(docs, f"{picture_name}_{figure}.svg"), "w", encoding="utf-8") as file:
            file.write(picture)
    with open(page, "w", encoding="utf-8") as file:
        file.write(words)


def given(words):
    """The folder of documents and what the file of results holds, of a command that draws: RESULTS [--docs DIR]."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--docs", default="docs")
    args = parser.parse_args()
    with open(args.results, encoding="utf-8") as file:
        return args.docs, json.load(file)


def main():
    docs, results = given(__doc__)
    results = joined(results)
    figures = {"grid": (grid_table, grid_picture), "steps": (steps_table, steps_picture)}
    put(docs, "Ablation.md", "ablation", {name: (t(results), p(results)) for name, (t, p) in figures.items()})


if __name__ == "__main__":
    main()
