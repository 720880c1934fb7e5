"""The fastest of the algorithms that cublasLt's heuristic proposes: the bar for GEMM.

PyTorch runs the first proposal; the best of eight is 5 to 17 % faster on some shapes. ctypes, no build.
Limits: 16-bit inputs and outputs of one type, f32 accumulation, no epilogue.
"""

import ctypes

import torch

CUDA_R = {torch.float16: 2, torch.bfloat16: 14}
CUDA_R_32F, COMPUTE_32F = 0, 68
DESC_TRANSA, DESC_TRANSB, PREF_WORKSPACE = 3, 4, 1
LAYOUT_BATCH, LAYOUT_STRIDE = 5, 6
PROPOSALS, WORKSPACE = 8, 64 << 20


class Heuristic(ctypes.Structure):
    _fields_ = [
        ("algo", ctypes.c_uint64 * 8),
        ("workspace", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    ]


def _library():
    torch.cuda.current_blas_handle()  # makes PyTorch load its copy
    for name in ("libcublasLt.so.13", "libcublasLt.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise RuntimeError("expected libcublasLt.so.13 or .12, got neither")


def _call(lib, name, *args):
    code = getattr(lib, name)(*args)
    if code:
        raise RuntimeError(f"{name}: status {code}")


def best(left, right, out):
    """A callable that computes out = left @ right, matrices or contiguous batches of them, with the fastest proposal;
    chosen at its first call."""
    state = {}

    def prepare():
        lib, handle = _library(), ctypes.c_void_p()
        _call(lib, "cublasLtCreate", ctypes.byref(handle))
        m, k = left.shape[-2:]
        n = right.shape[-1]
        # Column-major: out^T (n x m) = right^T (n x k) * left^T (k x m).
        x_transposed = right.stride(-2) == 1 and right.stride(-1) != 1  # stored [n][k]
        y_transposed = left.stride(-2) == 1 and left.stride(-1) != 1  # stored [k][m]
        desc, layouts, pref = ctypes.c_void_p(), [], ctypes.c_void_p()
        _call(lib, "cublasLtMatmulDescCreate", ctypes.byref(desc), COMPUTE_32F, CUDA_R_32F)
        for attribute, flag in ((DESC_TRANSA, x_transposed), (DESC_TRANSB, y_transposed)):
            value = ctypes.c_int32(1 if flag else 0)
            _call(lib, "cublasLtMatmulDescSetAttribute", desc, attribute, ctypes.byref(value), ctypes.c_size_t(4))
        kind, size32, size64 = CUDA_R[out.dtype], ctypes.c_size_t(4), ctypes.c_size_t(8)
        for tensor, rows, cols, ld in (
            (right, k, n, right.stride(-1)) if x_transposed else (right, n, k, right.stride(-2)),
            (left, m, k, left.stride(-1)) if y_transposed else (left, k, m, left.stride(-2)),
            (out, n, m, out.stride(-2)),
        ):
            layout = ctypes.c_void_p()
            _call(
                lib,
                "cublasLtMatrixLayoutCreate",
                ctypes.byref(layout),
                kind,
                ctypes.c_uint64(rows),
                ctypes.c_uint64(cols),
                ctypes.c_int64(ld),
            )
            if tensor.dim() == 3:
                count, stride = ctypes.c_int32(tensor.shape[0]), ctypes.c_int64(tensor.stride(0))
                _call(lib, "cublasLtMatrixLayoutSetAttribute", layout, LAYOUT_BATCH, ctypes.byref(count), size32)
                _call(lib, "cublasLtMatrixLayoutSetAttribute", layout, LAYOUT_STRIDE, ctypes.byref(stride), size64)
            layouts.append(layout)
        _call(lib, "cublasLtMatmulPreferenceCreate", ctypes.byref(pref))
        size = ctypes.c_size_t(WORKSPACE)
        _call(lib, "cublasLtMatmulPreferenceSetAttribute", pref, PREF_WORKSPACE, ctypes.byref(size), ctypes.c_size_t(8))
        found, count = (Heuristic * PROPOSALS)(), ctypes.c_int()
        _call(
            lib,
            "cublasLtMatmulAlgoGetHeuristic",
            handle,
            desc,
            layouts[0],
            layouts[1],
            layouts[2],
            layouts[2],
            pref,
            PROPOSALS,
            found,
            ctypes.byref(count),
        )
        workspace = torch.empty(WORKSPACE, dtype=torch.uint8, device="cuda")
        one, zero = ctypes.c_float(1), ctypes.c_float(0)

        def run(algo):
            pointer = ctypes.c_void_p
            _call(
                lib,
                "cublasLtMatmul",
                handle,
                desc,
                ctypes.byref(one),
                pointer(right.data_ptr()),
                layouts[0],
                pointer(left.data_ptr()),
                layouts[1],
                ctypes.byref(zero),
                pointer(out.data_ptr()),
                layouts[2],
                pointer(out.data_ptr()),
                layouts[2],
                ctypes.byref(algo),
                pointer(workspace.data_ptr()),
                ctypes.c_size_t(WORKSPACE),
                pointer(torch.cuda.current_stream().cuda_stream),
            )

        flush = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
        ranked = []
        for i in range(count.value):
            times = []
            for _ in range(8):
                flush.zero_()
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                run(found[i].algo)
                end.record()
                torch.cuda.synchronize()
                times.append(start.elapsed_time(end))
            ranked.append((sorted(times)[3], i))
        if not ranked:
            raise RuntimeError("cublasLt proposes no algorithm")
        state["algo"], state["run"], state["keep"] = found[min(ranked)[1]].algo, run, found

    def call():
        if not state:
            prepare()
        state["run"](state["algo"])

    return call
