"""kernel.cu -> kernel.cubin with nvcc; refuses a kernel that ptxas spilled or serialised.

python3 bench/gpu/build.py DIR...          each DIR holds kernel.cu; --keep-going, --allow-slow
"""

import argparse
import os
import re
import subprocess
import sys

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "device", "include")


class BuildError(Exception):
    """nvcc failed, or the kernel compiled into something that must not be measured."""


def diagnose(log):
    """Defects in what nvcc and `ptxas -v` say: warnings, spills, serialised wgmma, ignored setmaxnreg."""
    defects = [
        line.strip()
        for line in log.splitlines()
        if re.search(r"\(C75\d\d\)|: warning #", line) or ("setmaxnreg" in line and "ignored" in line)
    ]
    for stores, loads in re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log):
        if int(stores) or int(loads):
            defects.append(f"expected no spills, got {stores} bytes stored and {loads} loaded")
    return defects


def resources(log):
    """{'registers': n, 'stack': bytes} of the last kernel in the text of `ptxas -v`."""
    found = {}
    for key, pattern in (("registers", r"Used (\d+) registers"), ("stack", r"(\d+) bytes stack frame")):
        hits = re.findall(pattern, log)
        if hits:
            found[key] = int(hits[-1])
    return found


def build(source, cubin, allow_slow=False):
    """Compiles `source`; returns ptxas's resource figures. Raises BuildError."""
    command = [
        "nvcc",
        "-std=c++17",
        "-O3",
        "-gencode",
        "arch=compute_90a,code=sm_90a",
        "-I",
        INCLUDE,
        "-cubin",
        "-lineinfo",
        "-Xptxas",
        "-v",
        source,
        "-o",
        cubin,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BuildError("expected nvcc on PATH, got none") from None
    log = done.stdout + done.stderr
    if done.returncode:
        raise BuildError(f"{source}: nvcc failed:\n{log}")
    defects = diagnose(log)
    if defects and not allow_slow:
        os.remove(cubin)
        raise BuildError(f"{source}: ptxas: " + "; ".join(defects))
    return {**resources(log), "defects": defects}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--allow-slow", action="store_true", help="keep kernels that spill or serialise")
    args = parser.parse_args()
    failed = 0
    for directory in args.directories:
        try:
            figures = build(
                os.path.join(directory, "kernel.cu"), os.path.join(directory, "kernel.cubin"), args.allow_slow
            )
            print(f"{directory}: {figures}")
        except BuildError as error:
            print(f"error: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
