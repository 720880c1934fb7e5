# The documented commands. `make` builds, `make run` compiles and simulates the first example, `make test` runs every test.
# Options: JOBS=n (default 2), BUILD=dir (default build).
BUILD ?= build
JOBS ?= 2
HEDDLE := $(BUILD)/bin/heddle

.PHONY: build packages configure run test check-layers check-docs format clean help
.DEFAULT_GOAL := build

packages:
	@utils/install_packages.sh

configure: packages
	@test -f $(BUILD)/build.ninja || cmake --preset default -B $(BUILD)

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

# The main job, on the CPU: the GEMM example to CUDA, then a small instance in the simulator against its sequential meaning.
run: build
	$(HEDDLE) compile examples/01_gemm.mlir --target=sm_90a -o out/
	$(HEDDLE) run examples/01_gemm.mlir --device=sim --dims M=256,N=256,K=192

test: build
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error

check-layers:
	@python3 utils/check_layers.py

check-docs:
	@python3 utils/check_doc_paths.py
	@python3 utils/check_file_size.py

format:
	clang-format -i $$(git ls-files '*.h' '*.cpp' ':!device')

clean:
	rm -rf $(BUILD) out

help:
	@sed -n '1,2p' Makefile && echo "targets: build run test check-layers check-docs format clean"
