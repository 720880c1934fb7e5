"""Times callables in batches: CUDA graphs of many runs, contenders in an order that is drawn anew in every round,
medians over rounds. (The clock that a batch gets depends on the power that the one before it took: in a rotated order
each contender has the same neighbour in every round, which was worth up to 10 % of a product's speed.)

    times = measure({"ours": launch, "peer": run})      # {name: milliseconds}

A batch is long enough that launches from the host do not count (4 ms; 100 ms and more: sustained, the card reaches its
power limit). Runs of a batch follow one another as in a stream: what a kernel leaves in L2 helps the next one, for all
contenders alike.
"""

import math
import random

import torch


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def event():
    return torch.cuda.Event(enable_timing=True)


def once(launch, runs=3):
    """The least of a few single runs, in milliseconds."""
    best = math.inf
    for _ in range(runs):
        start, end = event(), event()
        start.record()
        launch()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end))
    return best


def graph(launch, count, stream):
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        launch()  # allocates what it keeps for the stream
        torch.cuda.synchronize()
        made = torch.cuda.CUDAGraph()
        with torch.cuda.graph(made, stream=stream, capture_error_mode="relaxed"):
            for _ in range(count):
                launch()
    torch.cuda.synchronize()
    return made


def measure(contenders, milliseconds=4.0, rounds=7, most=100, far=2.5):
    """{name: median milliseconds of a run}, without those whose single run takes `far` times as long as the best."""
    first = {}
    for name, launch in contenders.items():
        launch()
        torch.cuda.synchronize()
        first[name] = once(launch)
    stream, batches = torch.cuda.Stream(), {}
    for name, single in first.items():
        if single > far * min(first.values()) + 0.02:
            continue
        count = max(1, min(most, math.ceil(milliseconds / max(single, 1e-3))))
        batches[name] = graph(contenders[name], count, stream), count
        batches[name][0].replay()
    torch.cuda.synchronize()
    names, times, draw = list(batches), {name: [] for name in batches}, random.Random(len(batches))
    for _ in range(rounds):
        pending = []
        draw.shuffle(names)
        for name in names:
            start, end = event(), event()
            start.record()
            batches[name][0].replay()
            end.record()
            pending.append((name, start, end))
        torch.cuda.synchronize()
        for name, start, end in pending:
            times[name].append(start.elapsed_time(end) / batches[name][1])
    return {name: median(values) for name, values in times.items()}
