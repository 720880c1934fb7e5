"""lit configuration: where the tools are, and which features a test may require.

Substitutions: %examples (the examples directory), %heddle_src (the repository root), %heddle_bin (the built tools),
%heddle_lib (the build directory).
Features: nvcc, cc (on PATH), solver (a solver for exported instances), tool-<name> for each Heddle tool that is built (REQUIRES: tool-heddle).
"""

import os
import shutil

import lit.formats

config.name = "Heddle"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test", ".sched"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py.in"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_binary, "test")

bin_dir = os.path.join(config.heddle_binary, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools, os.environ.get("PATH", "")])
config.environment["HEDDLE_PROGRESS"] = "off"  # lines that depend on the time
config.environment["HEDDLE_CACHE"] = ""  # every test solves anew; those of the cache name a directory of their own
config.environment["HEDDLE_SOURCE_DIR"] = config.heddle_source
config.substitutions.append(("%examples", os.path.join(config.heddle_source, "examples")))
config.substitutions.append(("%heddle_src", config.heddle_source))
config.substitutions.append(("%heddle_bin", bin_dir))
config.substitutions.append(("%heddle_lib", config.heddle_binary))

for tool in ("heddle", "heddle-opt", "heddle-sched", "heddle-check"):
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add("tool-" + tool)
for program in ("nvcc", "cc"):
    if shutil.which(program):
        config.available_features.add(program)
if any(shutil.which(solver) for solver in ("z3", "cvc5", "yices-smt2", "clasp", "minisat+")):
    config.available_features.add("solver")  # one that reads exported scheduling instances
if "tool-heddle-opt" not in config.available_features:  # the core alone: no test of the compiler applies
    config.excludes += [
        "Analysis",
        "Conversion",
        "Dialect",
        "Examples",
        "Programs",
        "Simulator",
        "Target",
        "Transforms",
    ]
