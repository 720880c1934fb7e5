"""Arithmetic on what the calibration kernels report: no GPU, no torch."""
import statistics


def elapsed(cta, groups):
    """Cycles from the first start to the last end of these warp groups."""
    return max(cta[g][1] for g in groups) - min(cta[g][0] for g in groups)


def summary(values):
    middle = statistics.median(values)
    return {"cycles": round(middle, 3), "min": round(min(values), 3),
            "spread": round((max(values) - min(values)) / middle, 4) if middle else 0.0, "repeats": len(values)}


def slopes(run, low, high, repeats):
    """Cycles per trip from two trip counts; run(trips) yields the cycles of each CTA."""
    values = []
    run(low)  # warm the instruction cache and the clock
    for _ in range(repeats):
        a, b = run(low), run(high)
        values += [(y - x) / (high - low) for x, y in zip(a, b)] if len(a) <= 8 else \
            [(statistics.median(b) - statistics.median(a)) / (high - low)]
    return values
