"""cuDNN's attention forward of 8-bit floats, by its frontend (the package nvidia-cudnn-frontend, which is carried as a
wheel where nothing can be fetched).

    run, output = attention(q, k, v, causal, scale)    # e4m3 (batch, heads, rows, dim), contiguous; output: e4m3

Factors of tensors are one; the greatest scores and results are computed, as cuDNN always does. ImportError without the
package; cudnn.cudnnGraphNotSupportedError for shapes that cuDNN lacks.
"""

import torch


def attention(q, k, v, causal, scale):
    import cudnn

    float8, float32 = cudnn.data_type.FP8_E4M3, cudnn.data_type.FLOAT
    handle = cudnn.create_handle()
    graph = cudnn.pygraph(
        io_data_type=float8, intermediate_data_type=float32, compute_data_type=float32, handle=handle
    )
    numbers, held = {}, {}

    def tensor(name, data):
        data = data.view(torch.uint8)
        numbers[name] = graph.tensor(name=name, dim=list(q.shape), stride=list(q.stride()), data_type=float8)
        held[name] = data
        return numbers[name]

    def number(name):
        numbers[name] = graph.tensor(name=name, dim=[1] * 4, stride=[1] * 4, data_type=float32)
        held[name] = torch.ones(1, device="cuda")
        return numbers[name]

    results = graph.sdpa_fp8(
        q=tensor("q", q),
        k=tensor("k", k),
        v=tensor("v", v),
        **{name: number(name) for name in ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")},
        is_inference=False,
        attn_scale=scale,
        use_causal_mask=causal,
        name="attention",
    )
    for name, result in zip(("o", "stats", "most_s", "most_o"), results):
        numbers[name] = result
        result.set_output(True)
        if name == "o":
            result.set_dim(list(q.shape)).set_stride(list(q.stride()))
            held[name] = torch.empty(q.shape, dtype=torch.uint8, device="cuda")
        elif name == "stats":
            result.set_data_type(float32)
            held[name] = torch.empty(*q.shape[:3], 1, device="cuda")
        else:
            result.set_dim([1] * 4).set_stride([1] * 4).set_data_type(float32)
            held[name] = torch.empty(1, device="cuda")
    graph.validate()
    graph.build_operation_graph()
    graph.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    graph.check_support()
    graph.build_plans()
    workspace = torch.empty(max(1, graph.get_workspace_size()), dtype=torch.uint8, device="cuda")
    addresses = {numbers[name]: data.data_ptr() for name, data in held.items()}

    def run():
        cudnn.set_stream(handle=handle, stream=torch.cuda.current_stream().cuda_stream)
        graph.execute(addresses, workspace.data_ptr(), handle=handle)

    run.held = held
    return run, held["o"].view(torch.float8_e4m3fn)
