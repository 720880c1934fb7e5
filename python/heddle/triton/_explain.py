"""heddle.triton.explain: what became of a kernel, configuration by configuration."""

from .. import _driver
from .._manifest import Error

OPTIONS = ("num_warps", "num_stages")


def _compiled(kernel):
    """The compiled kernels of a @triton.jit function (below @autotune and @heuristics), or the one given."""
    while hasattr(kernel, "fn") and not hasattr(kernel, "device_caches"):
        kernel = kernel.fn
    if hasattr(kernel, "device_caches"):
        return [compiled for caches in kernel.device_caches.values() for compiled in caches[0].values()]
    if hasattr(kernel, "metadata"):
        return [kernel]
    raise Error(f"expected a @triton.jit function or a compiled kernel, got {type(kernel).__name__}")


def _constants(compiled):
    constants = getattr(compiled.src, "constants", {})
    names = compiled.src.fn.arg_names if hasattr(compiled.src, "fn") else []
    named = {names[path[0]] if names else str(path): value for path, value in constants.items() if len(path) == 1}
    options = {name: getattr(compiled.metadata, name, None) for name in OPTIONS}
    return ", ".join(f"{name}={value}" for name, value in {**named, **options}.items())


def _status(compiled):
    note = getattr(compiled.metadata, "heddle", None)
    if note is None:
        return ["Triton's: compiled before heddle.triton was imported, or not for compute capability 9.0"]
    launcher = vars(compiled).get("_run")
    if not hasattr(launcher, "launches"):
        return [f"Triton's: {note['reason']}"] if note.get("reason") else ["compiled, not launched yet"]
    lines = []
    if launcher.reason:
        lines.append(f"Triton's: {launcher.reason}")
    elif launcher.job is not None and not launcher.job.done():
        lines.append("Triton's until Heddle's compilation ends, which is under way")
    elif launcher.kernel is not None:
        lines += ["Heddle's: " + line for line in launcher.kernel.log.splitlines() if line.startswith("loop")]
    lines.append(f"launches: {launcher.launches['heddle']} by Heddle, {launcher.launches['triton']} by Triton")
    for numbers, reason in launcher.refusals.items():
        lines.append(f"left to Triton with {numbers}: {reason}")
    for numbers, trial in launcher.trials.items():
        if trial.times is not None:
            times = ", ".join(f"{who} {time:.1f} us" for who, time in trial.times.items())
            lines.append(f"timed with {numbers}: {times}; {'Heddle' if trial.decided else 'Triton'}'s stays")
    return lines


def explain(kernel, schedule=False):
    """What was done with each configuration of a @triton.jit kernel that was compiled so far, as text: which version
    runs, why Heddle refused a kernel or a launch, the times of the trial. With `schedule`, also what `heddle explain`
    says of the accesses and of the schedule."""
    compiled = _compiled(kernel)
    if not compiled:
        return "nothing is compiled yet: launch the kernel first"
    lines = []
    for one in compiled:
        lines.append(f"{one.name} ({_constants(one)})")
        lines += ["  " + line for text in _status(one) for line in text.splitlines()]
        if schedule and "ttir" in one.asm:
            with _driver.Workspace(one.asm["ttir"], "kernel.ttir") as workspace:
                try:
                    text = _driver.execute(["explain", workspace.program], cwd=workspace.directory)
                except Error as error:
                    text = getattr(error, "output", "") + str(error)
            lines += ["    " + line for line in text.splitlines()]
    return "\n".join(lines)
