class JITFunction:
    def run(self, *args, **kwargs):
        return args, kwargs
