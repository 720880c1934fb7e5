"""A device layer without a GPU: tests and `run.py --dry-run` exercise the driver with it."""

import os


class FakeDevice:
    """A trip of any kernel takes 300 cycles, a wgmma group of 4 takes 260; beside each other a trip takes `slow` times
    as long and the group `slow_tensor` times. With `cubins` (a folder) a kernel must be named in one of them."""

    def __init__(self, cubins=None, slow=1.0, slow_tensor=1.0):
        self.slow, self.slow_tensor, self.names, self.launches = slow, slow_tensor, None, 0
        if cubins:
            self.names = set()
            for name in sorted(os.listdir(cubins)):
                if name.endswith(".cubin"):
                    with open(os.path.join(cubins, name), "rb") as file:
                        self.names |= set(file.read().split(b"\0"))

    def memory(self):
        return self

    def data_ptr(self):
        return 16

    def flush(self):
        pass

    def tensor_map(self, rows, elem):
        return ("map", None, 0)

    def launch(self, name, ctas, threads, values):
        if self.names is not None and name.encode() not in self.names:
            raise RuntimeError(f"expected a kernel '{name}' in the cubins, got none")
        self.launches += 1
        if name == "cal_clock_gap":
            return [[(0, 20 * values[0])] * 8]
        if "_tensor" not in name:
            return [[(7, 7 + 90 + 300 * values[0])] * 8 for _ in range(ctas)]
        work = [300.0 * values[0], 260.0 * values[1]]  # cycles alone: until one side ends, both progress slowly
        pace = (self.slow, self.slow_tensor)
        first = min(w * p for w, p in zip(work, pace))
        ends = [first + max(0.0, w - first / p) for w, p in zip(work, pace)]
        return [[(0, int(40 + ends[1]))] + [(0, int(40 + ends[0]))] * 7]
