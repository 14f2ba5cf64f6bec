# The few words one needs; the build itself is CMake's (CMakePresets.json).
# What is missing on this machine is installed first, see scripts/bootstrap.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30
BUILD = cmake --build --parallel $(JOBS) --preset
CTEST = ctest --parallel $(JOBS) --preset

.DEFAULT_GOAL := all
.NOTPARALLEL:
.PHONY: all demo test e2e bench torture torture-quick sanitize fuzz install format clean help

help:
	@echo 'make           the libraries and the command, into build/'
	@echo 'make demo      simulate a tablecloth and draw it, into demo/'
	@echo 'make test      build and run the tests'
	@echo 'make e2e       test the installed package from outside'
	@echo 'make bench     run the benchmarks, CSV into bench/results/'
	@echo 'make torture   try to drive cloth through cloth and solids, for hours; torture-quick for minutes'
	@echo 'make sanitize  run the tests under the address and undefined behaviour sanitizers'
	@echo 'make fuzz      run each fuzzer for FUZZ_SECONDS, now $(FUZZ_SECONDS)'
	@echo 'make install   into PREFIX, now $(PREFIX)'
	@echo 'make format    put all sources into the shape of .clang-format'
	@echo 'make clean     remove all builds and the demo'

all: build/build.ninja
	@$(BUILD) release

# CMake runs again by itself when its own files change; only the presets are not among them.
build/build.ninja: CMakePresets.json
	@scripts/bootstrap build
	@cmake --preset release
	@touch $@

# Without ffmpeg the film becomes numbered pictures.
TABLE_VIEW = --obstacle scenes/meshes/table_legs.obj --camera 1.25,1.32,1.9 --target 0,0.62,0 \
    --fov 22

demo: all
	@scripts/bootstrap demo || echo 'Going on without ffmpeg.'
	build/drape run table -o demo
	build/drape render demo -o demo/tablecloth.png $(TABLE_VIEW)
	build/drape render demo -o demo/tablecloth.mp4 $(TABLE_VIEW) --size 640x360 --samples 4
	@echo 'The tablecloth is in demo/:' && ls -1 demo

test: build-tests
	@$(CTEST) release

e2e: build-tests
	@echo 'End to end: install into a fresh prefix, build and run programs against it.'
	@$(CTEST) e2e

.PHONY: build-tests
build-tests:
	@scripts/bootstrap build test
	@cmake --preset release -DDRAPE_BUILD_TESTS=ON
	@$(BUILD) release

bench: all
	build/drape bench -o bench/results

# The short list leaves no file: what is kept are the results of all cases.
COMMIT = $(shell git describe --always --dirty 2>/dev/null || echo unknown)

torture: all
	build/drape bench torture -o bench/results --commit '$(COMMIT)'

torture-quick: all
	build/drape bench torture --quick

sanitize:
	@scripts/bootstrap build test
	@cmake --preset sanitize
	@$(BUILD) sanitize
	@$(CTEST) sanitize

fuzz:
	@scripts/bootstrap build fuzz
	@cmake --preset fuzz
	@$(BUILD) fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

install: all
	cmake --install build --prefix $(PREFIX)

format:
	@scripts/bootstrap format
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-debug build-sanitize build-thread build-clang build-fuzz demo
