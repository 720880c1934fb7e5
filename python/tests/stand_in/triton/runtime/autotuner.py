import functools


class Autotuner:
    def __init__(self, fn, configs):
        self.fn, self.configs, self.nargs = fn, configs, {}

    def prune_configs(self, kwargs):
        return self.configs

    @functools.cached_property
    def do_bench(self):
        return lambda call, quantiles: call()

    def _bench(self, *args, config, **kwargs):
        return self.do_bench(lambda: self.fn.run(*args, **kwargs, **config.all_kwargs()), quantiles=(0.5,))
