"""The calibration benchmarks: which kernel, which trip counts, and which op and metric of the machine file each yields."""
import dataclasses
import typing
from collections.abc import Callable

from timing import elapsed, slopes, summary


@dataclasses.dataclass
class Bench:
    name: str
    run: Callable[[typing.Any, int], list]


NS = (8, 16, 32, 64, 96, 128, 192, 256)
TILE = 64 * 128  # elements of a 64x128 tile
TENSOR_STEPS = 4


def _sample(op, metric, params, values, method, scale=1.0):
    return {"op": op, "metric": metric, "params": params, **summary([v * scale for v in values]), "method": method}


def _simple(device, kernel, threads, low, high, repeats, extra=(), ctas=1, groups=None):
    """Cycles per trip of a kernel (out, trips, *extra)."""
    groups = groups or range(threads // 128 or 1)
    return slopes(lambda trips: [elapsed(c, groups) for c in device.launch(kernel, ctas, threads, [trips, *extra])],
                  low, high, repeats)


def _wgmma(n, source):
    def run(device, repeats):
        def params(k):
            return {"m": 64, "n": n, "k": k, "bytes": 2, "a_reg": int(source == "rs")}
        out = []
        for groups in (1, 2):
            v = _simple(device, f"stream_{source}_n{n}", 128 * groups, 32, 160, repeats)
            out.append(_sample("wgmma", "hold", {**params(16), "groups": groups}, v,
                               f"{groups} warp group(s), 4 per group, one in flight", 1 / (4 * groups)))
        for steps in (1, 4, 8):
            v = _simple(device, f"drain{steps}_{source}_n{n}", 128, 32, 160, repeats)
            out.append(_sample("wgmma", "latency", params(16 * steps), v, f"{steps} instructions, commit, wait 0"))
        v = _simple(device, f"issue_{source}_n{n}", 128, 32, 160, repeats)
        out.append(_sample("wgmma", "issue", params(64), v, "first of 4 instructions to the end of commit, drained before"))
        return out
    return Bench(f"wgmma_{source}_n{n}", run)


# kernel -> (op of the machine file, its params, instructions of the chain per machine-op)
ARITH = {
    "exp": ("exp", {"elems": TILE}), "sfu": ("sfu", {"elems": TILE}), "fma": ("alu", {"elems": TILE}),
    "add": ("alu", {"elems": TILE}), "max": ("alu_half", {"elems": TILE}), "cvt": ("cvt", {"elems": TILE}),
    "rowmax": ("reduce_minmax", {"elems": TILE, "axis": 1}), "rowsum": ("reduce", {"elems": TILE, "axis": 1}),
}


def _beside(device, kernel, groups, extra, repeats):
    """(cycles per trip of `groups` warp groups, wgmma cycles) while both run: each side measured with the other longer."""
    threads, others = 128 * (groups + 1), range(1, groups + 1)
    trip = max(1.0, slopes(lambda t: [elapsed(c, others) for c in device.launch(kernel, 1, threads, [t, 1, *extra])],
                           32, 96, 1)[0])
    def side(mine, covered_by):
        def go(trips):
            # the other side runs at least three times as long as this one would alone
            if mine == "op":
                values = [trips, int(3 * trips * trip / 260) + 64]
            else:
                values = [int(3 * trips * 260 / trip) + 64, trips]
            cta = device.launch(kernel, 1, threads, [*values, *extra])[0]
            inner, outer = (others, [0]) if mine == "op" else ([0], others)
            if max(cta[g][1] for g in inner) > min(cta[g][1] for g in outer):
                raise RuntimeError(f"the {covered_by} side ended first")
            return [elapsed(cta, inner)]
        return go
    op = slopes(side("op", "tensor"), 64, 192, repeats)
    tensor = slopes(side("tensor", "op"), 64, 192, repeats)
    return op, tensor


def _arith(kernel, op, params):
    def run(device, repeats):
        out = []
        ab = (0.5, -1.0)
        for groups in (1, 2, 4):
            v = _simple(device, f"cal_{kernel}", 128 * groups, 64, 256, repeats, (0, *ab))
            out.append(_sample(op, "hold", {**params, "groups": groups, "how": kernel}, v,
                               f"{groups} warp group(s), a 64x128 tile each", 1 / groups))
        for groups in (1, 2):
            v, t = _beside(device, f"cal_{kernel}_tensor", groups, ab, repeats)
            where = {"groups": groups, "how": kernel, "beside": "wgmma"}
            out.append(_sample(op, "hold", {**params, **where}, v, "while a warp group streams m64n128k16 SS", 1 / groups))
            out.append(_sample("wgmma", "hold", {"m": 64, "n": 128, "k": 16, "bytes": 2, "a_reg": 0, "groups": 1,
                                                 "beside": f"{kernel} x{groups}"}, t, "while others compute", 1 / TENSOR_STEPS))
        return out
    return Bench(f"arith_{kernel}", run)


def _chains():
    names = {"exp": "exp", "sfu": "sfu", "fma": "alu", "add": "alu", "max": "alu_half", "cvt": "cvt", "shfl": "shfl"}
    def bench(kernel, op):
        def run(device, repeats):
            v = _simple(device, f"chain_{kernel}", 128, 16, 64, repeats, (0, 0.5, -1.0))
            return [_sample(op, "latency", {"elems": 256 if kernel == "cvt" else 128, "how": kernel}, v,
                            "chain of dependent instructions, 4 warps", 1 / 64)]
        return Bench(f"chain_{kernel}", run)
    def reduction(kernel, op):
        def run(device, repeats):
            v = _simple(device, f"cal_{kernel}_dep", 128, 64, 256, repeats, (0, 0.5, -1.0))
            return [_sample(op, "latency", {"elems": TILE, "axis": 1, "how": kernel}, v, "each tile starts from the result")]
        return Bench(f"chain_{kernel}", run)
    return [bench(k, op) for k, op in names.items()] + [reduction("rowmax", "reduce_minmax"), reduction("rowsum", "reduce")]


def _smem(kernel, op):
    def run(device, repeats):
        out = []
        for groups in (1, 2, 4):
            v = _simple(device, f"cal_{kernel}", 128 * groups, 64, 256, repeats, (0,))
            out.append(_sample(op, "hold", {"bytes": 16384, "groups": groups, "how": kernel}, v,
                               f"{groups} warp group(s), a 16 KB tile each", 1 / groups))
        v, t = _beside(device, f"cal_{kernel}_tensor", 1, (), repeats)
        out.append(_sample(op, "hold", {"bytes": 16384, "groups": 1, "how": kernel, "beside": "wgmma"}, v,
                           "while a warp group streams m64n128k16 SS"))
        out.append(_sample("wgmma", "hold", {"m": 64, "n": 128, "k": 16, "bytes": 2, "a_reg": 0, "groups": 1,
                                             "beside": kernel}, t, "while others move shared memory", 1 / TENSOR_STEPS))
        return out
    return Bench(f"smem_{kernel}", run)


def _smem_chain(kernel, op, size):
    def run(device, repeats):
        v = _simple(device, f"chain_{kernel}", 128, 16, 64, repeats)
        return [_sample(op, "latency", {"bytes": size, "how": kernel}, v, "chain of dependent accesses", 1 / 16)]
    return Bench(f"smem_chain_{kernel}", run)


def _barriers():
    out = []
    def bench(kernel, op, params, threads, scale):
        def run(device, repeats):
            v = _simple(device, f"cal_{kernel}", threads, 64, 256, repeats)
            return [_sample(op, "latency", {**params, "how": kernel}, v,
                            "half of a ping-pong between two warp groups" if threads == 256 else
                            "128 threads arrive and wait", scale)]
        return Bench(f"barrier_{kernel}", run)
    for style, op in (("mbar_warp", "mbarrier"), ("mbar_all", "mbarrier"), ("named", "named_barrier")):
        out.append(bench(style, op, {}, 256, 0.5))
        for regs in ("4", "16", "32", "64", "32_fence", "64_fence"):
            out.append(bench(f"{style}_{regs}", "transfer", {"bytes": int(regs.split("_")[0]) * 512}, 256, 0.5))
    out.append(bench("mbar_self", "mbarrier", {}, 128, 1.0))
    out.append(bench("named_self", "named_barrier", {}, 128, 1.0))
    return out


def _tma(kernel, op, metric, rows, source, ctas, elem="f16", scale=1.0):
    """source: l2 (each CTA revisits 128 KB), dram (fresh memory, flushed before every launch)."""
    def run(device, repeats):
        size = rows * 128
        ring = max(2, min(8, 196608 // size - 1))
        span = max(4, 131072 // size) if source == "l2" else 1 << 13
        low, high = (16, 48) if source == "dram" else (32, 160)
        if ctas == 1 or source == "l2":
            limit = span
        else:
            limit = span = 64  # 132 CTAs x 64 boxes: fresh, and within the gigabyte
        high = min(high, limit) if source == "dram" else high
        tensor = device.tensor_map(rows, elem)
        def go(trips):
            if source == "dram":
                device.flush()
            return [elapsed(c, [0]) for c in device.launch(kernel, ctas, 32, [trips, rows, span, ring, tensor])]
        v = slopes(go, low, high, repeats)
        return [_sample(op, metric, {"bytes": size, "from": source, "ctas": ctas, "how": kernel[4:]}, v,
                        "one box at a time" if metric == "latency" else "boxes in flight", scale)]
    return Bench(f"{kernel[4:]}_{rows * 128}_{source}_x{ctas}", run)


def _global(kernel, op, metric, source, ctas):
    def run(device, repeats):
        span = 8 if source == "l2" else 256
        address = ("ptr", device.memory().data_ptr())
        def go(trips):
            if source == "dram":
                device.flush()
            return [elapsed(c, [0]) for c in device.launch(kernel, ctas, 128, [trips, 0, span, 0, address])]
        v = slopes(go, 32, 160, repeats)
        size = 2048 if metric == "latency" else 16384
        return [_sample(op, metric, {"bytes": size, "from": source, "ctas": ctas, "how": kernel[4:]}, v, "16 bytes a thread")]
    return Bench(f"{kernel[4:]}_{source}_x{ctas}", run)


def benches():
    out = [_wgmma(n, source) for source in ("ss", "rs") for n in NS]
    out += [_arith(k, op, params) for k, (op, params) in ARITH.items()]
    out += _chains()
    for kernel in ("ld32", "ld128", "ldmatrix"):
        out.append(_smem(kernel, "smem_read"))
    for kernel in ("st32", "st128", "stmatrix"):
        out.append(_smem(kernel, "smem_write"))
    out += [_smem_chain("ld32", "smem_read", 512), _smem_chain("ld128", "smem_read", 2048),
            _smem_chain("stld", "smem_write", 512)]
    out += _barriers()
    for rows in (64, 128, 256):
        for source in ("l2", "dram"):
            out.append(_tma("cal_load_latency", "tma_load", "latency", rows, source, 1))
            for ctas in (1, 132):
                out.append(_tma("cal_load_rate", "tma_load", "hold", rows, source, ctas))
        if rows < 256:
            out.append(_tma("cal_load_issue", "tma_load", "issue", rows, "l2", 1, scale=1 / 4))
        out.append(_tma("cal_store_latency", "tma_store", "latency", rows, "l2", 1))
        out.append(_tma("cal_store_read_latency", "tma_store", "latency", rows, "l2", 1))
        out.append(_tma("cal_reduce_latency", "tma_reduce", "latency", rows, "l2", 1, "f32"))
        for ctas in (1, 132):
            out.append(_tma("cal_store_rate", "tma_store", "hold", rows, "l2", ctas))
            out.append(_tma("cal_reduce_rate", "tma_reduce", "hold", rows, "l2", ctas, "f32"))
    for source in ("l2", "dram"):
        out.append(_global("cal_global_latency", "global_load", "latency", source, 1))
        for ctas in (1, 132):
            out.append(_global("cal_global_rate", "global_load", "hold", source, ctas))
    for ctas in (1, 132):
        out.append(_global("cal_global_store", "global_store", "hold", "l2", ctas))
    return out
