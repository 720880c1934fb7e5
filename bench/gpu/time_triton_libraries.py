"""Times Triton kernels of two libraries, unmodified, through heddle.triton and through Triton alone, in one process.

    python3 bench/gpu/time_triton_libraries.py --out FILE [--flaggems FLAGGEMS/src]
                                               [--prefill VLLM/vllm/v1/attention/ops/triton_prefill_attention.py]
                                               [--only TEXT ...] [--rounds N]

FlagGems: `mm`, `addmm` and `bmm` with their own tuner; vLLM: attention of prompts of different lengths
(`context_attention_fwd`), whose imports of vLLM are replaced by what they bring (nothing of vLLM runs but this file).
Method, output and needs: time_tutorials.py. Nothing is compiled ahead.
Exit code: 0; 1 where a case failed or an error is above 0.01.
"""

import argparse
import importlib
import json
import os
import re
import sys
import tempfile
import time
import traceback
import types

import time_tutorials as tutorials
import torch
import triton

ELEMENTS = {"f16": torch.float16, "bf16": torch.bfloat16}


def normal(*shape, seed, elem="f16"):
    return tutorials.normal(*shape, seed=seed).to(ELEMENTS[elem])


class Gems:
    """One of FlagGems' products."""

    def __init__(self, name, *sizes):
        self.name, self.sizes = name, sizes
        self.title = f"FlagGems {name} {'x'.join(map(str, sizes))}"

    def setup(self):
        *batch, m, n, k = self.sizes
        return normal(*batch, m, k, seed=1), normal(*batch, k, n, seed=2), normal(n, seed=3)

    def call(self, module, data):
        a, b, bias = data
        return [module.addmm(bias, a, b) if self.name == "addmm" else getattr(module, self.name)(a, b)]

    def reference(self, data):
        a, b, bias = (tensor.double() for tensor in data)
        return [a @ b + bias if self.name == "addmm" else a @ b]


class Prefill:
    """Causal attention of eight sequences of 128 to 4096 positions, 32 heads of queries and 8 of keys."""

    lengths, heads, keys = (4096, 2048, 3000, 128, 512, 1024, 777, 4000), 32, 8

    def __init__(self, dim):
        self.dim, self.title = dim, f"vLLM prefill dim {dim}"

    def setup(self):
        total = sum(self.lengths)
        q, k, v = (normal(total, h, self.dim, seed=s) for s, h in ((1, self.heads), (2, self.keys), (3, self.keys)))
        lengths = torch.tensor(self.lengths, dtype=torch.int32, device="cuda")
        return q, k, v, torch.empty_like(q), (lengths.cumsum(0) - lengths).int(), lengths

    def call(self, module, data):
        q, k, v, out, starts, lengths = data
        module.context_attention_fwd(q, k, v, out, starts, lengths, max(self.lengths), is_causal=True)
        return [out[:, :2]]

    def reference(self, data):
        q, k, v = (tensor[:, :2] if i == 0 else tensor[:, :1] for i, tensor in enumerate(data[:3]))
        parts = []
        for start, length in zip(data[4].tolist(), self.lengths):
            one = [t[start : start + length].double().transpose(0, 1) for t in (q, k, v)]
            one[1:] = [t.expand(2, -1, -1) for t in one[1:]]
            parts.append(torch.nn.functional.scaled_dot_product_attention(*one, is_causal=True).transpose(0, 1))
        return [torch.cat(parts)]


def load_flaggems(source):
    """The package anew, so that its tuners and their caches are of this load alone."""
    os.environ["FLAGGEMS_ENABLE_DISK_CACHE"] = "0"
    for name in [name for name in sys.modules if name.split(".")[0] == "flag_gems"]:
        del sys.modules[name]
    if source not in sys.path:
        sys.path.insert(0, source)
    package = importlib.import_module("flag_gems")
    entries = sys.modules["flag_gems.utils.libentry"]
    if (entries.major_version, entries.minor_version) > (3, 5):
        entries.minor_version = 5  # it hands constants to a launcher by this number, and later ones take them as well
    return package


def load_prefill(path):
    platform = types.SimpleNamespace(is_cuda_alike=lambda: True, has_device_capability=lambda *_: True)
    brought = types.ModuleType("brought_by_vllm")
    brought.__dict__.update(tl=triton.language, triton=triton, current_platform=platform, RCP_LN2=1.4426950408889634)
    sys.modules["brought_by_vllm"] = brought
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^from vllm\.\S+ import", "from brought_by_vllm import", file.read(), flags=re.MULTILINE)
    copy = os.path.join(tempfile.mkdtemp(), "prefill.py")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(f"prefill_{id(copy)}", copy)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--flaggems")
    parser.add_argument("--prefill")
    parser.add_argument("--only", nargs="*", default=[""], help="cases whose titles contain one of these texts")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    os.environ["HEDDLE_PROGRESS"] = "off"
    import heddle.triton  # noqa: F401

    lists = []
    if args.flaggems:
        gems = [Gems("mm", n, n, n) for n in (1024, 4096)] + [Gems("addmm", 4096, 4096, 4096)]
        lists.append((lambda: load_flaggems(args.flaggems), gems + [Gems("bmm", 16, 1024, 1024, 1024)]))
    if args.prefill:
        lists.append((lambda: load_prefill(args.prefill), [Prefill(128), Prefill(64)]))
    results, bad = {}, 0
    for load, cases in lists:
        modules = {}
        for case in (case for case in cases if any(text in case.title for text in args.only)):
            try:
                for name, mode in tutorials.BACKENDS.items():
                    os.environ["HEDDLE_TRITON"] = mode
                    modules[name] = modules.get(name) or load()
                entry = tutorials.time_case(case, modules, args.rounds)
                bad += max(entry["errors"].values()) > tutorials.WORST
                print(f"{case.title}: {entry['microseconds']} us, {entry['ratio']}, {entry['errors']}", flush=True)
            except Exception as error:
                traceback.print_exc()
                entry, bad = {"failed": repr(error)}, bad + 1
            results[case.title] = entry
    with open(args.out, "w", encoding="utf-8") as file:
        environment = {
            "device": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "triton": triton.__version__,
            "date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        }
        json.dump({"environment": environment, "cases": results, "refused": tutorials.refusals()}, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
