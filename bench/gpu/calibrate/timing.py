"""Arithmetic on what the calibration kernels report: no GPU, no torch."""

import statistics


def elapsed(cta, groups):
    """Cycles from the first start to the last end of these warp groups."""
    return max(cta[g][1] for g in groups) - min(cta[g][0] for g in groups)


def summary(values):
    middle = statistics.median(values)
    return {
        "cycles": round(middle, 3),
        "min": round(min(values), 3),
        "spread": round((max(values) - min(values)) / middle, 4) if middle else 0.0,
        "repeats": len(values),
    }


def slopes(run, low, high, repeats):
    """Cycles per trip from two trip counts; run(trips) yields the cycles of each CTA."""
    values = []
    run(low)  # warm the instruction cache and the clock
    for _ in range(repeats):
        a, b = run(low), run(high)
        values += (
            [(y - x) / (high - low) for x, y in zip(a, b)]
            if len(a) <= 8
            else [(statistics.median(b) - statistics.median(a)) / (high - low)]
        )
    return values


def overlap(spans):
    """Fraction of the time from the first start to the last end in which both sides run; spans = ((start, end), (start,
    end))."""
    both = min(e for _, e in spans) - max(s for s, _ in spans)
    return max(0, both) / max(1, max(e for _, e in spans) - min(s for s, _ in spans))


def beside(spans, trips, alone):
    """Cycles per trip of each side while the other runs. What a side did outside the overlap, it did at its rate
    alone."""
    both = max(0, min(e for _, e in spans) - max(s for s, _ in spans))
    costs = []
    for (start, end), count, rate in zip(spans, trips, alone):
        inside = count - (end - start - both) / rate
        costs.append(both / inside if inside > 0.02 * count else None)
    return costs


def mixture(run, alone, repeats, target=80000, wanted=0.97, tries=6):
    """((values of side 0, values of side 1), overlap): cycles per trip, a value a repeat. run(trips) -> spans of both
    sides.

    The trip counts start from the rates alone (cycles per trip), for about `target` cycles each, and are scaled by the
    rates seen beside each other until both run `wanted` of the time together; the best counts tried are used. A side
    that makes no progress while the other runs has no rate: its list is empty."""
    rates, best = list(alone), None
    for _ in range(tries):
        trips = [max(8, round(target / rate)) for rate in rates]
        spans = run(trips)
        share = overlap(spans)
        if best is None or share > best[0]:
            best = (share, trips)
        if share >= wanted:
            break
        costs = beside(spans, trips, alone)
        # A starved side: fewer trips of it, so that the other's end is not far from its own.
        rates = [cost if cost else 4 * rate for cost, rate in zip(costs, rates)]
    values, shares = ([], []), []
    for _ in range(repeats):
        spans = run(best[1])
        shares.append(overlap(spans))
        for side, cost in enumerate(beside(spans, best[1], alone)):
            if cost is not None:
                values[side].append(cost)
    return values, statistics.median(shares)
