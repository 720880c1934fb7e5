#!/usr/bin/env python3
"""Tables and pictures of what time_attention.py measured of the kernels of stage_attention_figures.py:
docs/AttentionFigures.md between its marks, docs/attention_{forward,backward,steps}.svg.

    python3 bench/gpu/draw_attention_figures.py bench/results/NAME.json [--docs docs]
"""

from draw_figures import HEAD, given, put, text

PEERS = {"triton": "Triton", "cudnn": "cuDNN", "fa3": "FlashAttention-3"}
SCHEDULES = {"none": "no overlap", "pipeline": "pipeline alone", "joint": "joint (Heddle)"}
STEPS = {
    "one_slot": "one group of warps with 64 queries, one slot, nothing overlaps",
    "slots": "as many slots as fit",
    "none": "two groups share 128 queries",
    "pipeline": "pipeline: modulo scheduling",
    "joint": "joint: warps and registers constrain it",
}
COLOURS = ("#b8b8b8", "#9ecae1", "#4e79a7", "#1b3a5c", "#f2a154", "#9c755f")
# Which of the file's tables each figure shows, and its bars in order.
FORWARD, BACKWARD = "forward d128 full", "backward d128 full"
BARS = {"triton": PEERS["triton"], **SCHEDULES, "cudnn": PEERS["cudnn"], "fa3": PEERS["fa3"]}
FIGURES = {
    "forward": (FORWARD, BARS),
    "backward": (BACKWARD, BARS),
    "steps": (FORWARD, {**STEPS, "fa3": PEERS["fa3"]}),
}


def table_of(speeds, bars):
    lengths = list(speeds)
    rows = ["| | " + " | ".join(lengths) + " |", "|---" * (len(lengths) + 1) + "|"]
    for key, name in bars.items():
        cells = [f"{speeds[length][key]:.0f}" if key in speeds[length] else "" for length in lengths]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def picture_of(speeds, bars):
    """TFLOPS as bars, a group for each length."""
    height, width, left = 220, 26, 40
    most = max(speed for row in speeds.values() for key, speed in row.items() if key in bars)
    group = width * len(bars) + 30
    out = text(4, 12, "TFLOPS")
    for i, (length, row) in enumerate(speeds.items()):
        start = left + i * group
        for j, key in enumerate(bars):
            if key in row:
                tall, x = row[key] / most * height, start + j * width
                colour = COLOURS[j % len(COLOURS)]
                top = 30 + height - tall
                out += f'<rect x="{x}" y="{top:.1f}" width="{width - 3}" height="{tall:.1f}" fill="{colour}"/>\n'
                out += text(x + (width - 3) / 2, round(top - 3, 1), f"{row[key]:.0f}", "middle")
        out += text(start + width * len(bars) / 2, 30 + height + 16, f"{length} rows", "middle", "bold")
    for j, name in enumerate(bars.values()):
        y = 30 + height + 40 + 16 * j
        out += f'<rect x="{left}" y="{y - 9}" width="10" height="10" fill="{COLOURS[j % len(COLOURS)]}"/>\n'
        out += text(left + 16, y, name)
    return HEAD.format(left + group * len(speeds), 30 + height + 40 + 16 * len(bars)) + out + "</svg>\n"


def main():
    docs, results = given(__doc__)
    made = {}
    for figure, (table, bars) in FIGURES.items():
        speeds = results["figures"][table]["tflops"]
        made[figure] = table_of(speeds, bars), picture_of(speeds, bars)
    put(docs, "AttentionFigures.md", "attention", made)


if __name__ == "__main__":
    main()
