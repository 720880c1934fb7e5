"""What a case.json asks: inputs, float64 reference, peers, work. Needs PyTorch.

A problem is a dict of callables, the same for every kind, so that bench.py knows no kind:
    tolerances   [bound on the relative error by norm] one per output
    inputs       [tensor] fresh random ones, in the order of the manifest's input views
    outputs      [tensor] unwritten
    added        {index of an output that the kernel adds to: it starts from zero}, optional
    reference()  [float64 tensor] one per output, or None where only some are checked; may check a sample
    peers        {name: callable that runs it once}
    flops, bytes work of one run;  scalars  what the kernel is called with
Kinds and keys: docs/Benchmarks.md.
"""

import math

import torch

from manifest import UserError

DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "i8": torch.int8,
    "u8": torch.uint8,
    "i32": torch.int32,
    "i64": torch.int64,
}
# Bound on ||out - ref|| / ||ref|| by output type: rounding of inputs, of intermediates and of the output.
TOLERANCE = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-3, "e4m3": 4e-2, "e5m2": 8e-2}
LOG2E = 1.4426950408889634


def random(shape, elem, pitch=None):
    """Standard normal values; `pitch` (elements) pads the rows of the last dimension."""
    if pitch is not None and pitch < shape[-1]:
        raise UserError(f"expected a pitch of at least {shape[-1]}, got {pitch}")
    full = list(shape[:-1]) + [pitch or shape[-1]]
    values = torch.randn(full, device="cuda", dtype=torch.float32).to(DTYPES[elem])
    return values[..., : shape[-1]]


def unwritten(shape, elem):
    return torch.empty(shape, device="cuda", dtype=DTYPES[elem])


def gemm(case):
    """C[m,n] = A * B; `a`: 'mk' or 'km', `b`: 'nk' or 'kn' (storage, row-major); with `batch`, views of rank 3."""
    m, n, k, batch = case["m"], case["n"], case["k"], case.get("batch")
    lead = (batch,) if batch else ()
    elem, out_elem = case.get("dtype", "f16"), case.get("out_dtype", case.get("dtype", "f16"))
    a_order, b_order = case.get("a", "mk"), case.get("b", "nk")
    if a_order not in ("mk", "km") or b_order not in ("nk", "kn"):
        raise UserError(f"gemm: expected a = mk or km and b = nk or kn, got {a_order} and {b_order}")
    a = random(lead + ((m, k) if a_order == "mk" else (k, m)), elem)
    b = random(lead + ((n, k) if b_order == "nk" else (k, n)), elem)
    left, right = a if a_order == "mk" else a.mT, b.mT if b_order == "nk" else b
    c, peer_out = unwritten(lead + (m, n), out_elem), unwritten(lead + (m, n), out_elem)

    def reference():
        return [left.double() @ right.double()]

    peers = {}
    if elem in ("e4m3", "e5m2"):
        one = torch.ones((), device="cuda")
        peers["cublas"] = lambda: torch._scaled_mm(
            left, right, one, one, out_dtype=DTYPES[out_elem], use_fast_accum=True, out=peer_out
        )
    elif elem == out_elem:
        peers["cublas"] = lambda: torch.matmul(left, right, out=peer_out)
    if elem in ("f16", "bf16") and elem == out_elem and m * n * k >= 1 << 30:
        import cublaslt

        peers["cublaslt-best"] = cublaslt.best(left, right, peer_out)
    size = a.element_size() * (a.numel() + b.numel()) + c.element_size() * c.numel()
    return dict(
        inputs=[a, b],
        outputs=[c],
        reference=reference,
        peers=peers,
        flops=2 * m * n * k * (batch or 1),
        bytes=size,
        out_elem=out_elem,
    )


def attention(case):
    """O = softmax(scale Q K^T) V; views [heads, rows, dim] (rank 3, batch folded in) or [batch, heads, rows, dim]."""
    b, h, rows, dim = case.get("batch", 1), case["heads"], case["rows"], case["dim"]
    keys, causal, elem = case.get("keys", rows), case.get("causal", False), case.get("dtype", "f16")
    scale = case.get("scale", 1.0 / math.sqrt(dim))
    lead = (b * h,) if case.get("rank", 3) == 3 else (b, h)
    q, k, v = random(lead + (rows, dim), elem), random(lead + (keys, dim), elem), random(lead + (keys, dim), elem)
    o = unwritten(lead + (rows, dim), elem)
    outputs = [o] + ([unwritten(lead + (rows,), "f32")] if case.get("lse") else [])
    q4, k4, v4 = (x.reshape(b, h, -1, dim) for x in (q, k, v))

    def reference():
        # In blocks of rows; a sample of the heads when all would be more than 2 Tflop in float64.
        flat = [x.reshape(b * h, -1, dim) for x in (q, k, v)]
        want = torch.full((b * h, rows, dim), float("nan"), device="cuda", dtype=torch.float64)
        want_lse = torch.full((b * h, rows), float("nan"), device="cuda", dtype=torch.float64)
        cost = 4.0 * rows * keys * dim
        count = max(1, min(b * h, int(2e12 / cost)))
        heads = torch.randperm(b * h)[:count].tolist()
        for head in heads:
            kk, vv = flat[1][head].double(), flat[2][head].double()
            for at in range(0, rows, 2048):
                s = flat[0][head, at : at + 2048].double() @ kk.T * scale
                if causal:
                    row = torch.arange(at, at + s.shape[0], device="cuda")[:, None] + keys - rows
                    s.masked_fill_(torch.arange(keys, device="cuda")[None, :] > row, float("-inf"))
                want[head, at : at + 2048] = torch.softmax(s, -1) @ vv
                want_lse[head, at : at + 2048] = torch.logsumexp(s, -1)
        return [want.reshape(o.shape), want_lse.reshape(o.shape[:-1])][: len(outputs)]

    from torch.nn.attention import SDPBackend, sdpa_kernel

    def sdpa(backend):
        def run():
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q4, k4, v4, is_causal=causal, scale=scale)

        return run

    peers = {"cudnn": sdpa(SDPBackend.CUDNN_ATTENTION), "flash2": sdpa(SDPBackend.FLASH_ATTENTION)}
    flops = 4 * b * h * rows * keys * dim // (2 if causal else 1)
    size = q.element_size() * (q.numel() + k.numel() + v.numel() + o.numel())
    return dict(
        inputs=[q, k, v],
        outputs=outputs,
        reference=reference,
        peers=peers,
        flops=flops,
        bytes=size,
        out_elem=elem,
        tolerances=[case.get("tolerance", 2e-3), 1e-4],
        scalars={"scale": scale, "scale_log2": scale * LOG2E},
    )


def attention_backward(case):
    """Gradients of O = softmax(scale Q K^T) V; views [batch, heads, rows, dim]: Q, K, V, dO, LSE, Delta; dQ (f32, added
    to), dK, dV.

    The peers' runs include what this kernel's callers do besides (Delta, clearing and rounding dQ)."""
    b, h, rows, dim = case.get("batch", 1), case["heads"], case["rows"], case["dim"]
    keys, causal, elem = case.get("keys", rows), case.get("causal", False), case.get("dtype", "f16")
    scale = case.get("scale", 1.0 / math.sqrt(dim))
    q, do = random((b, h, rows, dim), elem), random((b, h, rows, dim), elem)
    k, v = random((b, h, keys, dim), elem), random((b, h, keys, dim), elem)
    lse, delta = unwritten((b, h, rows), "f32"), unwritten((b, h, rows), "f32")
    outputs = [unwritten(q.shape, "f32"), unwritten(k.shape, elem), unwritten(v.shape, elem)]

    def blocks(head):
        """(rows, weights, dO, O) in float64, in blocks of rows."""
        at_head = [x.reshape(b * h, -1, dim)[head].double() for x in (q, k, v, do)]
        for at in range(0, rows, 2048):
            s = at_head[0][at : at + 2048] @ at_head[1].T * scale
            if causal:
                row = torch.arange(at, at + s.shape[0], device="cuda")[:, None] + keys - rows
                s.masked_fill_(torch.arange(keys, device="cuda")[None, :] > row, float("-inf"))
            p = torch.softmax(s, -1)
            yield slice(at, at + s.shape[0]), s, p, at_head[3][at : at + 2048], p @ at_head[2]

    for head in range(b * h):
        for where, s, _, g, o in blocks(head):
            lse.reshape(b * h, rows)[head, where] = torch.logsumexp(s, -1).float()
            delta.reshape(b * h, rows)[head, where] = (g * o).sum(-1).float()

    def reference():
        wanted = [
            torch.full((b * h,) + tuple(x.shape[2:]), float("nan"), device="cuda", dtype=torch.float64) for x in outputs
        ]
        count = max(1, min(b * h, int(1e12 / (10.0 * rows * keys * dim))))
        for head in torch.randperm(b * h)[:count].tolist():
            qq, kk, vv = (x.reshape(b * h, -1, dim)[head].double() for x in (q, k, v))
            wanted[1][head], wanted[2][head] = 0, 0
            for where, _, p, g, o in blocks(head):
                ds = p * (g @ vv.T - (g * o).sum(-1, keepdim=True)) * scale
                wanted[0][head, where] = ds @ kk
                wanted[1][head] += ds.T @ qq[where]
                wanted[2][head] += p.T @ g
        return [x.reshape(out.shape) for x, out in zip(wanted, outputs)]

    from torch.nn.attention import SDPBackend, sdpa_kernel

    def backward(backend):
        leaves = [x.detach().clone().requires_grad_() for x in (q, k, v)]
        kept = []

        def run():
            if not kept:
                with sdpa_kernel(backend):
                    kept.append(
                        torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal, scale=scale)
                    )
            return torch.autograd.grad(kept[0], leaves, do, retain_graph=True)

        return run

    peers = {"cudnn": backward(SDPBackend.CUDNN_ATTENTION), "flash2": backward(SDPBackend.FLASH_ATTENTION)}
    inputs = [q, k, v, do, lse, delta]
    return dict(
        inputs=inputs,
        outputs=outputs,
        added={0},
        reference=reference,
        peers=peers,
        out_elem=elem,
        flops=10 * b * h * rows * keys * dim // (2 if causal else 1),
        bytes=sum(x.element_size() * x.numel() for x in inputs + outputs),
        tolerances=[case.get("tolerance", 2e-3)] * 3,
        scalars={"scale": scale},
    )


def generic(case):
    """Inputs and outputs by name; references are .npy files or Python expressions over float64 inputs and torch."""
    tensors = {}
    for name, spec in case["inputs"].items():
        if "file" in spec:
            import numpy

            tensors[name] = torch.from_numpy(numpy.load(spec["file"])).cuda().to(DTYPES[spec["elem"]])
        elif "value" in spec:
            names = {
                "torch": torch,
                "math": math,
                **{n: t.double() for n, t in tensors.items()},
                **case.get("scalars", {}),
            }
            tensors[name] = eval(spec["value"], names).to(DTYPES[spec["elem"]]).contiguous()
        else:
            tensors[name] = random(tuple(spec["shape"]), spec["elem"], spec.get("pitch"))
    outputs = [unwritten(tuple(spec["shape"]), spec["elem"]) for spec in case["outputs"].values()]

    def reference():
        wide = {name: t.double() for name, t in tensors.items()}
        wanted = []
        for spec in case["outputs"].values():
            if "file" in spec:
                import numpy

                wanted.append(torch.from_numpy(numpy.load(spec["file"])).cuda().double())
            else:
                wanted.append(
                    eval(spec["reference"], {"torch": torch, "math": math, **wide, **case.get("scalars", {})})
                )
        return wanted

    def peer(text):
        code = compile(text, "peer", "eval")
        return lambda: eval(code, {"torch": torch, "math": math}, tensors)

    peers = {name: peer(text) for name, text in case.get("peers", {}).items()}
    size = sum(t.element_size() * t.numel() for t in list(tensors.values()) + outputs)
    added = {i for i, spec in enumerate(case["outputs"].values()) if spec.get("added")}
    return dict(
        inputs=list(tensors.values()),
        outputs=outputs,
        added=added,
        reference=reference,
        peers=peers,
        flops=case.get("flops", 0),
        bytes=case.get("bytes", size),
        scalars=case.get("scalars", {}),
        out_elem=next(iter(case["outputs"].values()))["elem"],
    )


KINDS = {"gemm": gemm, "attention": attention, "attention_backward": attention_backward, "generic": generic}


def make(case):
    """The problem of one case; a user error for an unknown kind or a missing key."""
    if case.get("kind") not in KINDS:
        raise UserError(f"case: expected the kind {', '.join(KINDS)}, got '{case.get('kind')}'")
    try:
        problem = KINDS[case["kind"]](case)
    except KeyError as error:
        raise UserError(f"case of kind '{case['kind']}': expected the key {error}") from None
    problem["scalars"] = {**problem.get("scalars", {}), **case.get("scalars", {})}
    tolerance = case.get("tolerance", TOLERANCE.get(problem["out_elem"], 1e-3))
    problem.setdefault("tolerances", [tolerance] * len(problem["outputs"]))
    return problem
