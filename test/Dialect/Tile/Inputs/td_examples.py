"""Prints the ```mlir examples of a .td file as programs, separated by "// -----"; fails if an operation has none.

usage: td_examples.py OPS.td CLASS_PREFIX      (for example: TileOps.td Tile_)

An example that is not a whole kernel (a task) is wrapped into one. Its first line may say what it takes from around it:
"// given %v: !tile.view<?xf16>, %t: tensor<64xf16>"; tensors become tensor.empty, the rest kernel arguments. In a task
"!task.tensor" is a matrix, "!task.partition" blocks of one, "index" a constant.
"""

import re
import sys


def split_given(text):
    """'%a: tensor<..>, %b: index' -> [('%a', 'tensor<..>'), ('%b', 'index')]"""
    return [tuple(part.strip() for part in item.split(":", 1)) for item in re.split(r",\s*(?=%)", text)]


def wrap(name, block, task):
    if "tile.kernel" in block or "task.task" in block or "tile.chain" in block:
        return block
    given = []
    lines = block.splitlines()
    if lines and lines[0].strip().startswith("// given "):
        given = split_given(lines[0].strip()[len("// given ") :])
        lines = lines[1:]
    if task:
        made = {"index": "{v} = arith.constant 4 : index", "!task.tensor": "{v} = task.make_tensor [64, 64] : f16"}
        made["!task.partition"] = "{v}_of = task.make_tensor [64, 64] : f16\n{v} = task.blocks {v}_of [16, 16]"
        out = [f"task.task @{name}()", f"task.variant @{name}_leaf of @{name} leaf () {{", "task.return", "}"]
        out += [f"task.variant @{name}_inner of @{name} inner () {{"] + [made[t].format(v=v) for v, t in given]
        return "\n".join(out + lines + ["}"])
    arguments = ", ".join(f"{v}: {t}" for v, t in given if not t.startswith("tensor"))
    out = [f"tile.kernel @{name}({arguments}) {{", "%given_one = arith.constant 1 : index", "tile.grid %given_one"]
    out += [f"{v} = tensor.empty() : {t}" for v, t in given if t.startswith("tensor")]
    return "\n".join(out + lines + ["tile.return", "}"])


def main():
    text = open(sys.argv[1]).read()
    pieces = re.split(rf"^def {sys.argv[2]}(\w+)Op : ", text, flags=re.M)
    programs = []
    for name, body in zip(pieces[1::2], pieces[2::2]):
        blocks = re.findall(r"```mlir\n(.*?)```", body, flags=re.S)
        if not blocks:
            sys.exit(f"{sys.argv[1]}: expected an example of {name}, got none")
        programs += [wrap(f"example_{name}_{i}", block, sys.argv[2] == "Task_") for i, block in enumerate(blocks)]
    print("\n// -----\n".join(programs))


main()
