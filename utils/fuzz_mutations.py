"""Mutations of text and of JSON trees, for fuzz.py."""

import json
import re

NUMBERS = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "100",
    "127",
    "128",
    "129",
    "192",
    "255",
    "256",
    "257",
    "512",
    "1000",
    "1024",
    "4096",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "0.5",
    "1e300",
    "-0.0",
    "0x7FC00000",
]
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@!#^]?[A-Za-z_][\w.$]*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|->|\s+|.', re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$")


class Text:
    """Mutations of text as tokens and lines; `others` are texts to take parts of."""

    def __init__(self, rng, others):
        self.rng, self.others = rng, others

    def number(self, tokens):
        places = [i for i, t in enumerate(tokens) if NUMBER.match(t)]
        if places:
            i = self.rng.choice(places)
            tokens[i] = self.new_number(tokens[i])

    def new_number(self, old):
        if self.rng.random() < 0.5 or "." in old or "e" in old:
            return self.rng.choice(NUMBERS)
        return str(
            self.rng.choice(
                [int(old) + 1, int(old) - 1, int(old) * 2, int(old) // 2, -int(old), int(old) + 8, int(old) * 3]
            )
        )

    def number_everywhere(self, tokens):
        """Keeps what depends on each other: every 64 becomes 48, in types such as 64x64xf16 too."""
        text = "".join(tokens)
        numbers = sorted(set(re.findall(r"(?<![\w.])\d+(?=\b|x)|(?<=x)\d+(?=x)", text)))
        if numbers:
            old = self.rng.choice(numbers)
            text = re.sub(r"(?<![\d.])" + old + r"(?![\d.])", self.new_number(old), text)
        tokens[:] = TOKEN.findall(text)

    def token(self, tokens):
        """A token becomes another of its sort, from this text or another one."""
        i = self.rng.randrange(len(tokens))
        pool = tokens if self.rng.random() < 0.6 else TOKEN.findall(self.rng.choice(self.others))
        same = [t for t in pool if t[:1] == tokens[i][:1] or (t[:1].isalpha() and tokens[i][:1].isalpha())]
        tokens[i] = self.rng.choice(same or pool or ["x"])

    def delete(self, tokens):
        i = self.rng.randrange(len(tokens))
        del tokens[i : i + self.rng.choice([1, 1, 1, 2, 5])]

    def repeat(self, tokens):
        i = self.rng.randrange(len(tokens))
        tokens[i:i] = tokens[i : i + self.rng.choice([1, 1, 3])] * self.rng.choice([1, 1, 1, 40])

    def swap(self, tokens):
        i, j = self.rng.randrange(len(tokens)), self.rng.randrange(len(tokens))
        tokens[i], tokens[j] = tokens[j], tokens[i]

    def lines(self, tokens):
        lines = "".join(tokens).split("\n")
        i, j = sorted((self.rng.randrange(len(lines)), self.rng.randrange(len(lines))))
        how = self.rng.randrange(5)
        if how == 0:
            del lines[i]
        elif how == 1:
            lines.insert(j, lines[i])
        elif how == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif how == 3:
            part = lines[i:j]
            self.rng.shuffle(part)
            lines[i:j] = part
        else:
            other = self.rng.choice(self.others).split("\n")
            k = self.rng.randrange(len(other))
            lines[i:i] = other[k : k + self.rng.choice([1, 1, 3, 10])]
        tokens[:] = TOKEN.findall("\n".join(lines))

    def characters(self, tokens):
        text = "".join(tokens)
        i = self.rng.randrange(len(text) + 1)
        how = self.rng.randrange(3)
        if how == 0:
            text = text[:i]
        else:
            text = (
                text[:i]
                + self.rng.choice(['"', "\\", "\0", "\xff", "\n", "{", "}", "<", "?", "x", " ", "\u20ac"])
                + text[i + how - 1 :]
            )
        tokens[:] = TOKEN.findall(text)

    def mutate(self, text):
        """Half the texts keep their shape (numbers, or one line, differ); the other half loses it."""
        tokens = TOKEN.findall(text)
        if self.rng.random() < 0.5:
            ways = [self.number] * 3 + [self.number_everywhere] * 6 + [self.lines] * 2
            count = self.rng.choice([1, 1, 2])
        else:
            ways = [self.number] * 4 + [self.number_everywhere] * 4 + [self.token] * 5 + [self.lines] * 4
            ways += [self.delete, self.repeat, self.swap, self.delete, self.characters]
            count = min(8, 1 + int(self.rng.expovariate(0.8)))
        for _ in range(count):
            if tokens:
                self.rng.choice(ways)(tokens)
        return "".join(tokens)


def places(tree, path=()):
    """Every (container, key) of a JSON tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from places(value, path + (key,))


def mutate_json(rng, text, others):
    """A JSON text with values, keys and formulas changed; now and then as plain text."""
    if rng.random() < 0.15:
        return Text(rng, others).mutate(text)
    tree = json.loads(text)
    for _ in range(min(6, 1 + int(rng.expovariate(0.8)))):
        all_places = list(places(tree))
        if not all_places:
            break
        at, key = rng.choice(all_places)
        old, how = at[key], rng.random()
        if how < 0.15:
            del at[key]
        elif how < 0.25:
            other, k = rng.choice(list(places(json.loads(rng.choice(others)))) or [(at, key)])
            at[key] = other[k]
        elif how < 0.35 and isinstance(at, dict):
            at[rng.choice(["", "x", "name", "a\n", str(key) + "x", "\u00e4"])] = old
        elif isinstance(old, str):
            at[key] = rng.choice(
                [
                    Text(rng, [old]).mutate(old) if old else "x",
                    "",
                    "n",
                    "x" * 300,
                    5,
                    None,
                    "max(n, 1) + m",
                    "(" * 500,
                    "1/0",
                    "\u20ac",
                ]
            )
        elif isinstance(old, (int, float)) and not isinstance(old, bool):
            at[key] = rng.choice(
                [
                    0,
                    1,
                    -1,
                    2,
                    1.5,
                    1e300,
                    -1e300,
                    2**31,
                    2**31 - 1,
                    2**32 + 1,
                    2**53,
                    2**63 - 1,
                    2**63,
                    -(2**63),
                    2**64,
                    "1",
                    None,
                    [old],
                    old * 2,
                    -old,
                ]
            )
        else:
            at[key] = rng.choice([None, [], {}, 0, "x", True, [old], [old, old]])
    out = json.dumps(tree, indent=rng.choice([None, 2]))
    return out.replace("1e+300", rng.choice(["1e300", "1e999", "NaN"]))


def mutate_mapping(rng, text, program):
    """Other decisions of a mapping, most of which have the right form: `program` says what there is to choose."""
    levels = ["HOST", "BLOCK", "WARPGROUP", "WARP", "THREAD"]
    memories = ["GLOBAL", "SHARED", "REGISTER", "NONE"]
    tunables = {name: re.findall(r"\d+", list_) for name, list_ in re.findall(r'"(\w+)" = \d+ in \[([^]]*)\]', program)}
    variants = re.findall(r"task\.variant @(\w+) ", program)
    instances = re.findall(r"^  (\w+) = ", text, re.M)
    numbered = r"pipeline = \d+|raster = \d+|stage = \d+"
    limits = [20000, 60000, 120000, 232448]

    def replace_one(pattern, new):
        places = list(re.finditer(pattern, text))
        if not places:
            return text
        at = rng.choice(places)
        return text[: at.start(1)] + new(at) + text[at.end(1) :]

    for _ in range(rng.choice([1, 1, 2, 3])):
        text = rng.choice(
            [
                lambda: replace_one(
                    r"\b(?:%s) = (\d+)" % "|".join(tunables or ["none"]),
                    lambda at: rng.choice(tunables[at.group(0).split()[0]] + NUMBERS[:20]),
                ),
                lambda: replace_one(r'"(GLOBAL|SHARED|REGISTER|NONE)"', lambda at: rng.choice(memories)),
                lambda: replace_one(r'proc = "(\w+)"', lambda at: rng.choice(levels)),
                lambda: replace_one(r'variant = "(\w+)"', lambda at: rng.choice(variants)),
                lambda: replace_one(r"pipeline = (\d+)", lambda at: str(rng.randrange(1, 7))),
                lambda: replace_one(r"raster = (\d+)", lambda at: str(rng.choice([1, 2, 4, 8, 16]))),
                lambda: replace_one(r"stage = (\d+)", lambda at: str(rng.randrange(4))),
                lambda: replace_one(r'calls = \["(\w+)"', lambda at: rng.choice(instances)),
                lambda: replace_one(rf"(, (?:entry|warpspecialize|persistent|{numbered}))", lambda at: ""),
                lambda: replace_one(r"(\{)variant", lambda at: "{persistent, "),
                lambda: replace_one(r"(\{)variant", lambda at: f"{{smem = {rng.choice(limits)}, "),
                lambda: replace_one(r"(, mems = \[[^]]*\])", lambda at: ""),
            ]
        )()
    return text
