"""CUDA text to a cubin: by NVRTC in a child process where there is one, else by nvcc.

NVRTC takes 0.25 s less than nvcc, which runs four programs for it; kernels differ by a few percent either way. A
compiler that crashes or leaks takes no more than the child with it. HEDDLE_NVCC and HEDDLE_NVRTC name the program and
the library to use, nvcc first if it is named; without a value they rule the tool out. The child is this file: python
_nvrtc.py TEXT CUBIN INCLUDE LIBRARY true|false.
"""

import ctypes
import ctypes.util
import glob
import os
import shutil
import subprocess
import sys
import tempfile

# The device headers include one header of the C library, of which they need these names.
STDINT = b"""#pragma once
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long long uint64_t; typedef unsigned long long uintptr_t; typedef long long intptr_t;
"""


def find_nvcc():
    given = os.environ.get("HEDDLE_NVCC")
    if given is not None:
        return given or None
    found = shutil.which("nvcc")
    if found:
        return found
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home and os.access(os.path.join(home, "bin", "nvcc"), os.X_OK):
            return os.path.join(home, "bin", "nvcc")
    return None


def find_nvrtc():
    """The library: $HEDDLE_NVRTC, one that a Python package brought (PyTorch depends on one), or the system's."""
    given = os.environ.get("HEDDLE_NVRTC")
    if given is not None:
        return given or None
    found = []
    for root in sys.path:
        for pattern in ("nvidia/cuda_nvrtc/lib/libnvrtc.so.*", "nvidia/cu1[0-9]/lib/libnvrtc.so.*"):
            found += [p for p in glob.glob(os.path.join(root, pattern)) if "alt" not in os.path.basename(p)]
    if found:
        return max(found, key=os.path.basename)
    return ctypes.util.find_library("nvrtc")


def compile_cubin(text, include, fused=True):
    """(cubin, log). Raises Unavailable where there is neither compiler, InternalError where it rejects the text."""
    from ._driver import InternalError, Unavailable

    nvrtc = None if os.environ.get("HEDDLE_NVCC") else find_nvrtc()
    nvcc = None if nvrtc else find_nvcc()
    if not nvcc and not nvrtc:
        raise Unavailable(
            "expected nvcc on PATH (or as HEDDLE_NVCC), or NVRTC from the Python package nvidia-cuda-nvrtc "
            "(or as HEDDLE_NVRTC), got neither"
        )
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        source, cubin = os.path.join(folder, "kernel.cu"), os.path.join(folder, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        if nvcc:
            command = [nvcc, "-std=c++17", "-O3", "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-v"]
            command += ["-I", include, f"-fmad={str(fused).lower()}", "-cubin", source, "-o", cubin]
        else:
            command = [
                sys.executable,
                "-S",
                os.path.abspath(__file__),
                source,
                cubin,
                include,
                nvrtc,
                str(fused).lower(),
            ]
        tool = "nvcc" if nvcc else "nvrtc"
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Unavailable(f"{tool} does not run: {error}") from None
        log = f"{tool} ({command[0] if nvcc else nvrtc}):\n{done.stdout}{done.stderr}"
        if done.returncode == 77:
            raise Unavailable(log.strip())
        if done.returncode != 0 or not os.path.exists(cubin):
            raise InternalError(f"{tool} rejects the kernel's text (exit code {done.returncode}): {log.strip()}")
        with open(cubin, "rb") as file:
            return file.read(), log


def child(source, cubin, include, library, fused):
    try:
        nvrtc = ctypes.CDLL(library)
    except OSError as error:
        print(f"NVRTC does not load: {error}")
        return 77
    with open(source, "rb") as file:
        text = file.read()
    program = ctypes.c_void_p()
    headers, names = (ctypes.c_char_p * 1)(STDINT), (ctypes.c_char_p * 1)(b"stdint.h")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 1, headers, names)
    options = [b"--gpu-architecture=sm_90a", b"-std=c++17", b"-default-device", b"--ptxas-options=-v"]
    options += [b"--include-path=" + include.encode(), b"--fmad=" + fused.encode()]
    code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    nvrtc.nvrtcGetProgramLog(program, log)
    print(log.value.decode(errors="replace"))
    if code:
        return 1
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    with open(cubin, "wb") as file:
        file.write(image.raw)
    return 0


if __name__ == "__main__":
    sys.exit(child(*sys.argv[1:]))
