#!/usr/bin/env python3
"""Does `heddle compile` say "optimal" exactly where heddle-check accepts the certificate that it writes, for the
problem that it writes?

usage: check_certificates.py BIN PROGRAM... [-- OPTIONS OF COMPILE]     BIN: the directory of the tools; exit status 1
if any disagrees

A program that does not compile is named with its exit status and counts as neither.
"""

import os
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def check(tools, program, options):
    """What disagrees, in words; and one line about the program."""
    with tempfile.TemporaryDirectory() as directory:
        out, proofs = os.path.join(directory, "out"), os.path.join(directory, "proofs")
        done = run(os.path.join(tools, "heddle"), "compile", program, "-o", out, f"--certificate={proofs}", *options)
        if done.returncode:
            return (
                [],
                f"exit status {done.returncode}: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else ''}",
            )
        words = re.findall(r"^loop \d+: .*, ([a-z ]+); \d+ stages", done.stdout, re.M)
        wrong, lines = [], []
        for i, word in enumerate(words):
            problem = os.path.join(out, f"loop{i or ''}.sched")
            checker = os.path.join(tools, "heddle-check")
            proof = run(checker, problem, proofs if len(words) == 1 else os.path.join(proofs, f"loop{i}"))
            legal = run(checker, problem, problem.replace(".sched", ".solution"))
            if (word == "optimal") != (proof.returncode == 0):
                wrong.append(f"loop {i} is called {word}; certificate: {(proof.stdout + proof.stderr).strip()}")
            if legal.returncode == 1:
                wrong.append(f"loop {i}: {legal.stderr.strip()}")
            lines.append(word + (": " + proof.stdout.strip() if proof.returncode == 0 else ""))
        return wrong, "; ".join(lines) if lines else "no loop"


def main():
    arguments = sys.argv[1:]
    options = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    tools, *programs = arguments[: arguments.index("--")] if "--" in arguments else arguments
    bad = 0
    for program in programs:
        wrong, line = check(tools, program, options)
        print(f"{os.path.basename(program)}: {line}")
        for text in wrong:
            print(f"  DISAGREES: {text}")
        bad += bool(wrong)
    print(f"{len(programs)} programs, {bad} disagree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
