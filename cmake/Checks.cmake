# Checks by machine. `check-layers` is part of every build; the others are tests.
if(HEDDLE_ENABLE_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
else()
  find_package(Python3 COMPONENTS Interpreter)
endif()
if(Python3_FOUND)
  add_custom_target(check-layers ALL
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/check_layers.py
    COMMENT "Checking layers" VERBATIM)
endif()

if(HEDDLE_ENABLE_TESTS)
  foreach(check layers doc_paths file_size diagnostics passes)
    add_test(NAME check_${check} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/check_${check}.py)
  endforeach()
  add_test(NAME Format COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/format.py --check)
  # Machine files against the calibration samples of machines/samples, and the fit on synthetic ones.
  foreach(machine h100)
    add_test(NAME MachineSamples_${machine}
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/fit_machine.py --check
                     ${PROJECT_SOURCE_DIR}/machines/${machine}.json)
  endforeach()
  add_test(NAME Calibration COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/bench/gpu/tests/test_calibrate.py)
  # How ptxas's report and the disassembly of a cubin are read.
  foreach(script build sass_order)
    add_test(NAME Reading_${script}
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/bench/gpu/tests/test_${script}.py)
  endforeach()
  # The emitted CUDA text on the CPU: examples, programs and random schedules of them; damaged text must be noticed.
  # Samples: docs/Emulation.md says how the full sets are run.
  if(TARGET heddle)
    add_test(NAME EmulatedSchedules
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/emulate_schedules.py --heddle
               $<TARGET_FILE:heddle>)
    add_test(NAME EmulatedMutants
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/cuda_mutants.py --heddle $<TARGET_FILE:heddle>
               --count 32
                     --only gemm,rowsum,hand-over,backward --least 85)
    set_tests_properties(EmulatedSchedules EmulatedMutants PROPERTIES PROCESSORS 2 TIMEOUT 900)
  endif()
  # Every example through nvcc: no spills, no serialised wgmma, products and waits in the emitted order (where there is
  # nvdisasm). Left out where there is no nvcc.
  find_program(HEDDLE_NVCC nvcc)
  if(HEDDLE_NVCC AND TARGET heddle)
    add_test(NAME ExampleCubins
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/check_cubins.py --heddle $<TARGET_FILE:heddle>)
    set_tests_properties(ExampleCubins PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 600)
  elseif(NOT HEDDLE_NVCC)
    message(STATUS "nvcc not found: the tests do not compile the examples to cubins")
  endif()
endif()

# Mutated inputs through the tools. `fuzz` is for the build with sanitizers: cmake --preset asan && cmake --build
# --preset asan --target fuzz
if(Python3_FOUND AND TARGET heddle AND TARGET heddle-launch)
  set(fuzz ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/fuzz.py --build ${CMAKE_BINARY_DIR})
  add_custom_target(fuzz
    COMMAND ${fuzz} --programs 200 --tasks 200 --mappings 60 --sched 200 --machines 40 --manifests 40 --triton 200
            --plans 40 --arrays 40 --caches 40 --tunes 10 --keep ${CMAKE_BINARY_DIR}/fuzz
    DEPENDS heddle heddle-opt heddle-sched heddle-check heddle-launch USES_TERMINAL VERBATIM)
  if(HEDDLE_ENABLE_TESTS)
    add_test(NAME Fuzz COMMAND ${fuzz} --programs 100 --tasks 100 --mappings 20 --sched 100 --machines 20
             --manifests 40 --triton 100 --plans 20 --arrays 20 --caches 20 --tunes 4)
    set_tests_properties(Fuzz PROPERTIES PROCESSORS 2 TIMEOUT 600)
  endif()
endif()
