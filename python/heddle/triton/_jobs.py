"""Compilations of TTIR, each once a process and in threads of their own (the work is done by child processes).

Texts that are equal, as those of configurations that differ in num_warps or num_stages alone, are one job. Refusals are
remembered on disk as kernels are. The threads are daemons: a program that ends does not wait for them.
"""

import os
import threading

from .. import _cache, _driver
from .._kernel import compile as compile_program
from .._manifest import Error

_lock = threading.Lock()
_jobs = {}
_free = threading.Semaphore(max(2, min(16, os.cpu_count() or 2)))


def _after_fork():
    """A child has none of the threads."""
    global _lock, _free
    _lock, _free = threading.Lock(), threading.Semaphore(2)
    _jobs.clear()


os.register_at_fork(after_in_child=_after_fork)


class Refused(Exception):
    """Why a kernel or a launch is left to Triton."""


class Job:
    """A compilation: `kernel` or `reason` when it is done. `fused`: products and sums may be rounded once.
    `one_tensor`: pairs of arguments' names of which the second stands for the first."""

    def __init__(self, ttir, fused, needs_image, one_tensor):
        self.ttir, self.fused, self.one_tensor = ttir, fused, one_tensor
        self.kernel, self.reason = None, None
        self._done = threading.Event()
        threading.Thread(target=self._run, args=(needs_image,), name="heddle", daemon=True).start()

    def _run(self, needs_image):
        with _free:
            try:
                self._compile(needs_image)
            finally:
                self._done.set()

    def _compile(self, needs_image):
        key = None
        try:
            key = _cache.key_of("refused", self.ttir, repr(self.one_tensor), _driver.version_digest())
            refused = _cache.get(key, ".txt")
            if refused is not None:
                self.reason = refused.decode()
                return
            kernel = compile_program(self.ttir, one_tensor=dict(self.one_tensor))
            kernel.fused = self.fused
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
        return self._done.is_set()

    def wait(self, seconds=None):
        """Waits until it is done, or so long; whether it is done."""
        return self._done.wait(seconds)


def start(ttir, fused=True, needs_image=True, one_tensor=()):
    """The job of a text, begun now if it was not before."""
    key = ttir, fused, one_tensor
    with _lock:
        if key not in _jobs:
            _jobs[key] = Job(ttir, fused, needs_image, one_tensor)
        return _jobs[key]
