#!/usr/bin/env python3
"""Markdown table of the timed kernels in bench/results/*.json: python3 utils/bench_table.py FILE.json ..."""

import json
import sys

SIZES = ("batch", "heads", "rows", "m", "n", "k", "dim")


def rows(path):
    with open(path, encoding="utf-8") as text:
        data = json.load(text)
    for result in data["results"]:
        figures = result.get("figures")
        if not figures:
            continue
        case = result["case"]
        size = ", ".join(f"{key} {case[key]}" for key in SIZES if key in case) + (
            ", causal" if case.get("causal") else ""
        )
        ours = figures["heddle"]
        peers = "; ".join(
            f"{name} {figures[name]['tflops']:.0f} ({ratio:.2f})" for name, ratio in result["ratio"].items()
        )
        yield f"| {case.get('kind', result['kernel'])} | {size} | {ours['tflops']:.0f} | {peers} |"


def main():
    print("| kernel | sizes | Heddle, TFLOPS | others, TFLOPS (their time / ours) |\n|---|---|---|---|")
    for path in sys.argv[1:]:
        for row in rows(path):
            print(row)


if __name__ == "__main__":
    main()
