"""The calibration benchmarks: which kernel, which trip counts, and which op and metric of the machine file each
yields."""

import dataclasses
import typing
from collections.abc import Callable

from timing import elapsed, mixture, slopes, summary


@dataclasses.dataclass
class Bench:
    name: str
    run: Callable[[typing.Any, int], list]


NS = (8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256)
TILE = 64 * 128  # elements of a 64x128 tile
TENSOR_STEPS = 4


def _sample(op, metric, params, values, method, scale=1.0, **more):
    return {
        "op": op,
        "metric": metric,
        "params": params,
        **summary([v * scale for v in values]),
        "method": method,
        **more,
    }


def _simple(device, kernel, threads, low, high, repeats, extra=(), ctas=1, groups=None):
    """Cycles per trip of a kernel (out, trips, *extra)."""
    groups = groups or range(threads // 128 or 1)
    return slopes(
        lambda trips: [elapsed(c, groups) for c in device.launch(kernel, ctas, threads, [trips, *extra])],
        low,
        high,
        repeats,
    )


def _gap(device, repeats):
    """Cycles between two reads of the clock with nothing in between; measured once per device."""
    if not hasattr(device, "clock_gap"):
        device.clock_gap = summary(_simple(device, "cal_clock_gap", 128, 32, 160, repeats))["cycles"]
    return device.clock_gap


def _wgmma(n, source):
    def run(device, repeats):
        def params(k):
            return {"m": 64, "n": n, "k": k, "bytes": 2, "a_reg": int(source == "rs")}

        out = []
        for groups in (1, 2):
            v = _simple(device, f"stream_{source}_n{n}", 128 * groups, 32, 160, repeats)
            out.append(
                _sample(
                    "wgmma",
                    "hold",
                    {**params(16), "groups": groups},
                    v,
                    f"{groups} warp group(s), 4 per group, one in flight",
                    1 / (4 * groups),
                )
            )
        for steps in (1, 4, 8):
            v = _simple(device, f"drain{steps}_{source}_n{n}", 128, 32, 160, repeats)
            out.append(_sample("wgmma", "latency", params(16 * steps), v, f"{steps} instructions, commit, wait 0"))
            v = _simple(device, f"issue{steps}_{source}_n{n}", 128, 32, 160, repeats)
            gap = _gap(device, repeats)
            out.append(
                _sample(
                    "wgmma",
                    "issue",
                    {**params(16 * steps), "net": 1},
                    [x - gap for x in v],
                    f"first of {steps} instructions to the end of commit, drained before, less the clock reads",
                )
            )
        return out

    return Bench(f"wgmma_{source}_n{n}", run)


def _wgmma_other(n, form):
    """N-major B (bt) and e4m3 (f8: A from shared memory, f8rs: from registers)."""

    def run(device, repeats):
        size = 2 if form == "bt" else 1
        params = {"m": 64, "n": n, "bytes": size, "a_reg": int(form == "f8rs"), "how": form}
        v = _simple(device, f"stream_{form}_n{n}", 128, 32, 160, repeats)
        w = _simple(device, f"drain4_{form}_n{n}", 128, 32, 160, repeats)
        return [
            _sample("wgmma", "hold", {**params, "k": 32 // size, "groups": 1}, v, "4 per group, one in flight", 1 / 4),
            _sample("wgmma", "latency", {**params, "k": 128 // size}, w, "4 instructions, commit, wait 0"),
        ]

    return Bench(f"wgmma_{form}_n{n}", run)


# kernel -> (op of the machine file, its params, other numbers of registers, machine ops an element)
ARITH = {
    "exp": ("exp", {}, (16, 24, 32, 48), 1),
    "ex2": ("sfu", {}, (), 1),
    "sfu": ("sfu", {}, (16, 32), 1),
    "fma": ("alu", {}, (16, 32), 1),
    "add": ("alu", {}, (), 1),
    "mul": ("alu", {}, (), 1),
    "fma1": ("alu", {}, (), 1),
    "fma2": ("alu", {}, (), 1),
    "fma3": ("alu", {}, (), 1),
    "max": ("alu_half", {}, (16, 32), 1),
    "min": ("alu_half", {}, (), 1),
    "sel": ("alu_half", {}, (), 1),
    "cmpsel": ("alu_half", {}, (), 2),
    "iadd": ("alu_half", {}, (), 1),
    "imad": ("alu_half", {}, (), 1),
    "lop": ("alu_half", {}, (), 1),
    "cvt": ("cvt", {}, (16, 32), 1),
    "cvt8": ("cvt", {}, (), 1),
    "widen": ("cvt", {}, (), 1),
    "shfl": ("shfl", {}, (), 1),
    "rowmax": ("reduce_minmax", {"axis": 1}, (16, 24, 32, 48), 1),
    "rowsum": ("reduce", {"axis": 1}, (16, 24, 32, 48), 1),
}


def _beside(device, kernel, groups, extra, repeats):
    """((cycles per trip of `groups` warp groups, of 4 wgmma), fraction of the time in which both ran)."""
    threads, others = 128 * (groups + 1), range(1, groups + 1)

    def run(trips):
        cta = device.launch(kernel, 1, threads, [*trips, *extra])[0]
        return (min(cta[g][0] for g in others), max(cta[g][1] for g in others)), cta[0]

    op = slopes(lambda t: [elapsed(run([t, 1])[:1], [0])], 32, 96, 2)
    tensor = slopes(lambda t: [elapsed(run([1, t])[1:], [0])], 32, 96, 2)
    return mixture(run, [max(1.0, min(op)), max(1.0, min(tensor))], repeats)


def _mixed(device, kernel, op, params, groups, extra, repeats, per_op=1.0):
    """Both sides of `kernel` beside wgmma m64n128k16 (A from registers when the kernel's name says rs)."""
    a_reg = int(kernel.endswith("_rs"))
    name = "wgmma" if not a_reg else "wgmma_rs"
    (mine, tensor), share = _beside(device, kernel, groups, extra, repeats)
    both = {"overlap": round(share, 3)}
    out = []
    if mine:
        starves = {} if tensor else {"starves": "wgmma"}
        out.append(
            _sample(
                op,
                "hold",
                {**params, "groups": groups, "beside": name},
                mine,
                "while a warp group streams m64n128k16",
                1 / (groups * per_op),
                **both,
                **starves,
            )
        )
    if tensor:
        starves = {} if mine else {"starves": f"{params['how']} x{groups}"}
        out.append(
            _sample(
                "wgmma",
                "hold",
                {
                    "m": 64,
                    "n": 128,
                    "k": 16,
                    "bytes": 2,
                    "a_reg": a_reg,
                    "groups": 1,
                    "beside": f"{params['how']} x{groups}",
                },
                tensor,
                "while others run",
                1 / TENSOR_STEPS,
                **both,
                **starves,
            )
        )
    return out


def _arith(kernel, op, params, sizes, per_op):
    def run(device, repeats):
        out = []
        ab = (0.5, -1.0)
        params_of = lambda regs: {"elems": 128 * regs, **params, "how": kernel}
        for groups in (1, 2, 4):
            v = _simple(device, f"cal_{kernel}", 128 * groups, 64, 256, repeats, (0, *ab))
            out.append(
                _sample(
                    op,
                    "hold",
                    {**params_of(64), "groups": groups},
                    v,
                    f"{groups} warp group(s), a 64x128 tile each",
                    1 / (groups * per_op),
                )
            )
        for regs in sizes:
            v = _simple(device, f"cal_{kernel}_{regs}", 512, 64, 256, repeats, (0, *ab))
            out.append(
                _sample(
                    op,
                    "hold",
                    {**params_of(regs), "groups": 4},
                    v,
                    f"4 warp groups, 64x{2 * regs} tiles",
                    1 / (64 // regs * 4 * per_op),
                )
            )
        for kind, groups in (("", 1), ("", 2), ("_rs", 1)):
            out += _mixed(device, f"cal_{kernel}_tensor{kind}", op, params_of(64), groups, ab, repeats, per_op)
        return out

    return Bench(f"arith_{kernel}", run)


def _chains():
    names = {
        "exp": "exp",
        "ex2": "sfu",
        "sfu": "sfu",
        "fma": "alu",
        "add": "alu",
        "mul": "alu",
        "max": "alu_half",
        "sel": "alu_half",
        "iadd": "alu_half",
        "imad": "alu_half",
        "cvt": "cvt",
        "widen": "cvt",
        "shfl": "shfl",
    }

    def bench(kernel, op):
        def run(device, repeats):
            v = _simple(device, f"chain_{kernel}", 128, 16, 64, repeats, (0, 0.5, -1.0))
            return [
                _sample(
                    op,
                    "latency",
                    {"elems": 256 if kernel == "cvt" else 128, "how": kernel},
                    v,
                    "chain of dependent instructions, 4 warps",
                    1 / 64,
                )
            ]

        return Bench(f"chain_{kernel}", run)

    def reduction(kernel, op):
        def run(device, repeats):
            out = []
            for regs in (16, 24, 32, 48, 64):
                name = f"cal_{kernel}_dep" + (f"_{regs}" if regs < 64 else "")
                v = _simple(device, name, 128, 64, 256, repeats, (0, 0.5, -1.0))
                out.append(
                    _sample(
                        op,
                        "latency",
                        {"elems": 128 * regs, "axis": 1, "how": kernel},
                        v,
                        "each tile starts from the result",
                        1 / (64 // regs),
                    )
                )
            return out

        return Bench(f"chain_{kernel}", run)

    return [bench(k, op) for k, op in names.items()] + [
        reduction("rowmax", "reduce_minmax"),
        reduction("rowsum", "reduce"),
    ]


def _smem(kernel, op):
    def run(device, repeats):
        out = []
        params = {"bytes": 16384, "how": kernel}
        for groups in (1, 2, 4):
            v = _simple(device, f"cal_{kernel}", 128 * groups, 64, 256, repeats, (0,))
            out.append(
                _sample(
                    op,
                    "hold",
                    {**params, "groups": groups},
                    v,
                    f"{groups} warp group(s), a 16 KB tile each",
                    1 / groups,
                )
            )
        for kind, groups in (("", 1), ("", 2), ("_rs", 1)):
            out += _mixed(device, f"cal_{kernel}_tensor{kind}", op, params, groups, (), repeats)
        return out

    return Bench(f"smem_{kernel}", run)


def _smem_chain(kernel, op, size):
    def run(device, repeats):
        v = _simple(device, f"chain_{kernel}", 128, 16, 64, repeats)
        return [_sample(op, "latency", {"bytes": size, "how": kernel}, v, "chain of dependent accesses", 1 / 16)]

    return Bench(f"smem_chain_{kernel}", run)


def _barriers():
    out = []

    def bench(kernel, op, params, threads, scale, how=None):
        def run(device, repeats):
            v = _simple(device, f"cal_{kernel}", threads, 64, 256, repeats)
            return [
                _sample(
                    op,
                    "latency",
                    {**params, "how": how or kernel},
                    v,
                    "half of a ping-pong of warp groups"
                    if scale < 1
                    else "one thread"
                    if threads == 32
                    else f"{threads} threads arrive and wait",
                    scale,
                )
            ]

        return Bench(f"barrier_{how or kernel}", run)

    for style, op in (("mbar_warp", "mbarrier"), ("mbar_all", "mbarrier"), ("named", "named_barrier")):
        out.append(bench(style, op, {}, 256, 0.5))
        for regs in ("4", "8", "16", "24", "32", "48", "64", "16_fence", "32_fence", "64_fence"):
            out.append(bench(f"{style}_{regs}", "transfer", {"bytes": int(regs.split("_")[0]) * 512}, 256, 0.5))
    for regs in ("16", "32", "64", "16_fence", "32_fence"):
        out.append(bench(f"matrix_{regs}", "transfer", {"bytes": int(regs.split("_")[0]) * 512}, 256, 0.5))
    out.append(bench("mbar_pass", "mbarrier", {}, 32, 1.0))
    out.append(bench("mbar_expect", "mbarrier", {}, 32, 1.0))
    out.append(bench("mbar_fan", "mbarrier", {}, 384, 0.5))
    out.append(bench("named_fan", "named_barrier", {}, 384, 0.5))
    out.append(bench("mbar_self", "mbarrier", {}, 128, 1.0))
    out.append(bench("named_self", "named_barrier", {}, 128, 1.0))
    for threads in (256, 384, 512):
        out.append(bench("named_sync", "named_barrier", {}, threads, 1.0, f"named_sync_{threads}"))
    return out


def _tma(kernel, op, metric, rows, source, ctas, elem="f16", scale=1.0):
    """source: l2 (each CTA revisits 128 KB), shared (all CTAs the same 128 KB), dram (fresh memory, flushed before
    every launch)."""

    def run(device, repeats):
        size, warps = rows * 128, int(kernel[-1]) if kernel[-1].isdigit() else 1
        ring = max(1, min(8, (196608 // size - 1) // warps))
        low, high = 32, 160
        if source != "dram":
            span = max(4, 131072 // size) * (-1 if source == "shared" else 1)
        elif ctas == 1:
            span = 1 << 13  # fresh boxes, 256 MB of the gigabyte
            low, high, repeats = 64, 320, 2 * repeats
        else:
            span = 64  # 132 CTAs x 64 boxes: fresh, within the gigabyte
            low, high = 16, 48
        tensor = device.tensor_map(rows, elem)

        def go(trips):
            if source == "dram":
                device.flush()
            cta = device.launch(kernel, ctas, 32 * warps, [trips, rows, span, ring, tensor])
            return [elapsed(c, range(warps)) for c in cta]

        v = slopes(go, low, high, repeats)
        params = {"bytes": size, "from": source, "ctas": ctas, "how": kernel[4:]}
        if metric == "issue":
            gap = _gap(device, repeats)
            return [
                _sample(
                    op, metric, {**params, "net": 1}, [x - gap for x in v], "4 in a row, less the clock reads", scale
                )
            ]
        return [
            _sample(
                op, metric, params, v, "one box at a time" if metric == "latency" else "boxes in flight", scale / warps
            )
        ]

    return Bench(f"{kernel[4:]}_{rows * 128}_{source}_x{ctas}", run)


def _global(kernel, op, metric, source, ctas, vectors=8, groups=1):
    def run(device, repeats):
        span = 8 if source == "l2" else 256
        address = ("ptr", device.memory().data_ptr())
        name = kernel if vectors == 8 else f"{kernel}_{vectors}"

        def go(trips):
            if source == "dram":
                device.flush()
            return [
                elapsed(c, range(groups)) for c in device.launch(name, ctas, 128 * groups, [trips, 0, span, 0, address])
            ]

        v = slopes(go, 32 // groups, 160 // groups, repeats)
        size = 2048 if kernel == "cal_global_latency" else 2048 * vectors
        return [
            _sample(
                op,
                metric,
                {"bytes": size, "from": source, "ctas": ctas, "groups": groups, "how": kernel[4:]},
                v,
                "16 bytes a thread",
                1 / groups,
            )
        ]

    return Bench(f"{kernel[4:]}_{vectors}_{source}_x{ctas}_g{groups}", run)


def benches():
    out = [_wgmma(n, source) for source in ("ss", "rs") for n in NS]
    out += [_wgmma_other(n, form) for form in ("bt", "f8", "f8rs") for n in (64, 128, 256)]
    out += [_arith(k, *rest) for k, rest in ARITH.items()]
    out += _chains()
    for kernel in ("ld32", "ld128", "ldmatrix"):
        out.append(_smem(kernel, "smem_read"))
    for kernel in ("st32", "st128", "stmatrix"):
        out.append(_smem(kernel, "smem_write"))
    out += [
        _smem_chain("ld32", "smem_read", 512),
        _smem_chain("ld128", "smem_read", 2048),
        _smem_chain("stld", "smem_write", 512),
    ]
    out += _barriers()
    for rows in (8, 16, 32, 64, 128, 256):
        for source in ("l2", "dram"):
            out.append(_tma("cal_load_latency", "tma_load", "latency", rows, source, 1))
            for ctas in (1, 132):
                out.append(_tma("cal_load_rate", "tma_load", "hold", rows, source, ctas))
        out.append(_tma("cal_load_rate", "tma_load", "hold", rows, "shared", 132))
        for warps in (2, 4):
            out.append(_tma(f"cal_load_rate{warps}", "tma_load", "hold", rows, "l2", 1))
        if rows < 256:
            out.append(_tma("cal_load_issue", "tma_load", "issue", rows, "l2", 1, scale=1 / 4))
            out.append(_tma("cal_store_issue", "tma_store", "issue", rows, "l2", 1, scale=1 / 4))
            out.append(_tma("cal_reduce_issue", "tma_reduce", "issue", rows, "l2", 1, "f32", scale=1 / 4))
        out.append(_tma("cal_store_latency", "tma_store", "latency", rows, "l2", 1))
        out.append(_tma("cal_store_read_latency", "tma_store", "latency", rows, "l2", 1))
        out.append(_tma("cal_reduce_latency", "tma_reduce", "latency", rows, "l2", 1, "f32"))
        for ctas in (1, 132):
            out.append(_tma("cal_store_rate", "tma_store", "hold", rows, "l2", ctas))
            out.append(_tma("cal_reduce_rate", "tma_reduce", "hold", rows, "l2", ctas, "f32"))
    for source in ("l2", "dram"):
        out.append(_global("cal_global_latency", "global_load", "latency", source, 1))
        for ctas in (1, 132):
            for vectors in (2, 4, 8):
                for groups in (1, 4):
                    out.append(_global("cal_global_rate", "global_load", "hold", source, ctas, vectors, groups))
    for vectors in (2, 4, 8):
        out.append(_global("cal_copy_issue", "thread_copy", "issue", "l2", 1, vectors))
        for source in ("l2", "dram"):
            out.append(_global("cal_copy_latency", "thread_copy", "latency", source, 1, vectors))
            for ctas in (1, 132):
                for groups in (1, 4):
                    out.append(_global("cal_copy_rate", "thread_copy", "hold", source, ctas, vectors, groups))
    for ctas in (1, 132):
        for vectors in (2, 4, 8):
            for groups in (1, 4):
                out.append(_global("cal_global_store", "global_store", "hold", "l2", ctas, vectors, groups))
    return out
