class CUDABackend:
    class target:
        arch = 90

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda module, metadata: module
        stages["ttgir"] = stages["llir"] = stages["ptx"] = lambda module, metadata: "text"

        def cubin(module, metadata):
            metadata["name"] = "product"
            return b"triton"

        stages["cubin"] = cubin

    def hash(self):
        return "12.8-90"
