class CudaLauncher:
    launches = []

    def __init__(self, src, metadata):
        self.launch_pdl = False

    def __call__(self, *args):
        CudaLauncher.launches.append(args)


class CudaDriver:
    def __init__(self):
        self.launcher_cls = CudaLauncher

    def get_empty_cache_for_benchmark(self):
        return []

    def clear_cache(self, cache):
        cache.append(0)
