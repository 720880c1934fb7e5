"""Compilations of TTIR, each once a process and in threads of their own (the work is done by child processes).

Texts that are equal, as those of configurations that differ in num_warps or num_stages alone, are one job. Refusals are
remembered on disk as kernels are.
"""

import concurrent.futures
import os
import threading

from .. import _cache, _driver
from .._kernel import compile as compile_program
from .._manifest import Error

_lock = threading.Lock()
_jobs = {}
_pool = None


class Refused(Exception):
    """Why a kernel or a launch is left to Triton."""


class Job:
    """A compilation: `kernel` or `reason` when it is done."""

    def __init__(self, ttir, needs_image):
        self.ttir, self.kernel, self.reason = ttir, None, None
        self.future = _pool.submit(self._run, needs_image)

    def _run(self, needs_image):
        key = None
        try:
            key = _cache.key_of("refused", self.ttir, _driver.version_digest())
            refused = _cache.get(key, ".txt")
            if refused is not None:
                self.reason = refused.decode()
                return
            kernel = compile_program(self.ttir)
            if needs_image:
                kernel.cubin()
            self.kernel = kernel
        except (_driver.UserError, _driver.Infeasible, _driver.LimitReached) as error:
            self.reason = str(error)
            _cache.put(key, ".txt", self.reason.encode())
        except Error as error:
            self.reason = str(error)
        except Exception as error:  # whatever it is, the user's program goes on with Triton's kernel
            self.reason = f"{type(error).__name__}: {error}"

    def done(self):
        return self.future.done()

    def wait(self, seconds=None):
        """Waits until it is done, or so long; whether it is done."""
        return not concurrent.futures.wait([self.future], seconds).not_done


def start(ttir, needs_image=True):
    """The job of a text, begun now if it was not before."""
    global _pool
    with _lock:
        if _pool is None:
            workers = max(2, min(16, os.cpu_count() or 2))
            _pool = concurrent.futures.ThreadPoolExecutor(workers, thread_name_prefix="heddle")
        if ttir not in _jobs:
            _jobs[ttir] = Job(ttir, needs_image)
        return _jobs[ttir]
