# The documented commands. `make` builds the tools, `make run` compiles and simulates the first example, `make test`
# runs every test.
# Options: JOBS=n (default 2), BUILD=dir (default build), PREFIX=dir for `make install` (default install),
# CMAKE_ARGS=... (for example -DMLIR_DIR=/opt/llvm-22/lib/cmake/mlir; -DCMAKE_UNITY_BUILD=OFF compiles each file by
# itself: slower from nothing, faster behind an edit, and it shows includes that are missing).
BUILD ?= build
JOBS ?= 2
PREFIX ?= install
CMAKE_ARGS ?=
HEDDLE := $(BUILD)/bin/heddle

.PHONY: build run test wheel install check-layers check-docs format clean help
.DEFAULT_GOAL := build

build:
	@utils/configure.sh $(BUILD) tools $(CMAKE_ARGS)
	@cmake --build $(BUILD) -j $(JOBS) --target heddle-tools

# The main job, on the CPU: the GEMM example to CUDA, then a small instance in the simulator against its sequential
# meaning.
run:
	@utils/configure.sh $(BUILD) tools $(CMAKE_ARGS)
	@cmake --build $(BUILD) -j $(JOBS) --target heddle heddle-check
	$(HEDDLE) compile examples/01_gemm.mlir --target=sm_90a -o out/
	$(HEDDLE) run examples/01_gemm.mlir --device=sim --dims M=256,N=256,K=192

test:
	@utils/configure.sh $(BUILD) tests $(CMAKE_ARGS)
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error

# The Python package with the compiler inside: build/wheel/heddle-*.whl (python/README.md).
wheel:
	@utils/configure.sh $(BUILD) tools $(CMAKE_ARGS)
	@cmake --build $(BUILD) -j $(JOBS) --target wheel

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

check-layers:
	@python3 utils/check_layers.py

check-docs:
	@python3 utils/check_doc_paths.py
	@python3 utils/check_file_size.py

format:
	@python3 utils/format.py

clean:
	rm -rf $(BUILD) out

help:
	@sed -n '1,5p' Makefile && echo "targets: build run test wheel install check-layers check-docs format clean"
