# Helpers; every target states its direct dependencies.

# Adds each directory that exists: rooms appear with their first file.
function(heddle_add_subdirectories)
  foreach(dir ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/CMakeLists.txt)
      add_subdirectory(${dir})
    endif()
  endforeach()
endfunction()

# How everything that includes MLIR is compiled. -fpch-preprocess: ccache needs it to see through the precompiled
# header.
set(HEDDLE_MLIR_FLAGS -fno-rtti -fno-exceptions -Wall -Wno-unused-parameter)
if(HEDDLE_CCACHE)
  list(APPEND HEDDLE_MLIR_FLAGS -fpch-preprocess)
endif()

# heddle_add_core_library(Name SOURCES... LINK deps...): a library that knows no MLIR.
function(heddle_add_core_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS) # a room whose first file is not written yet
    file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
    set(ARG_UNPARSED_ARGUMENTS ${CMAKE_BINARY_DIR}/empty.cpp)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -O2 -Wall -Wextra)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# heddle_add_mlir_library(Name SOURCES... LINK deps... DEPENDS tablegen...): a library of the compiler.
# They share one precompiled header: parsing MLIR's headers is most of the cold build.
function(heddle_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS) # a room whose first file is not written yet
    file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
    set(ARG_UNPARSED_ARGUMENTS ${CMAKE_BINARY_DIR}/empty.cpp)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${HEDDLE_MLIR_FLAGS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT TARGET HeddlePCH)
    file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
    add_library(HeddlePCH STATIC ${CMAKE_BINARY_DIR}/pch.cpp)
    target_compile_options(HeddlePCH PRIVATE ${HEDDLE_MLIR_FLAGS})
    target_precompile_headers(HeddlePCH PRIVATE
      <mlir/IR/Builders.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/BuiltinOps.h> <mlir/IR/OpImplementation.h>
      <mlir/IR/IRMapping.h> <mlir/IR/PatternMatch.h> <mlir/IR/DialectImplementation.h>
      <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/SideEffectInterfaces.h>
      <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Pass/Pass.h>)
  endif()
  target_precompile_headers(${name} REUSE_FROM HeddlePCH)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# heddle_use_fast_allocator(target): mimalloc instead of the C library's allocator, where there is one: queries to
# solvers are made of small vectors, and attention takes 0.78 to 0.94 of the time to compile. Sanitizers bring their
# own.
find_library(HEDDLE_MIMALLOC mimalloc)
function(heddle_use_fast_allocator target)
  if(HEDDLE_MIMALLOC AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    # None of its symbols is named, and it must come before the C library.
    target_link_options(${target} BEFORE PRIVATE LINKER:--push-state,--no-as-needed,${HEDDLE_MIMALLOC},--pop-state)
  endif()
endfunction()

# heddle_add_tool(name SOURCES... LINK deps...): a thin driver.
function(heddle_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # Options belong to subcommands, which are constructed before them: in the order of the files.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  if(ARG_MLIR)
    target_compile_options(${name} PRIVATE ${HEDDLE_MLIR_FLAGS})
    target_precompile_headers(${name} REUSE_FROM HeddlePCH)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
    heddle_use_fast_allocator(${name})
  else()
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
  endif()
endfunction()

# heddle_add_dialect(Tile tile): TableGen of include/heddle/Dialect/Tile/TileOps.td.
macro(heddle_add_dialect Name prefix)
  set(LLVM_TARGET_DEFINITIONS ${Name}Ops.td)
  mlir_tablegen(${Name}Dialect.h.inc -gen-dialect-decls -dialect=${prefix})
  mlir_tablegen(${Name}Dialect.cpp.inc -gen-dialect-defs -dialect=${prefix})
  mlir_tablegen(${Name}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${Name}Ops.cpp.inc -gen-op-defs)
  mlir_tablegen(${Name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${prefix})
  mlir_tablegen(${Name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${prefix})
  mlir_tablegen(${Name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${prefix})
  mlir_tablegen(${Name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${prefix})
  mlir_tablegen(${Name}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${Name}Enums.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(Heddle${Name}IncGen)
endmacro()

# heddle_add_unittest(Name SOURCES... [MLIR] [LONG] LINK libs...): a GoogleTest program, registered with ctest under
# its name. LONG: begins first, so that it does not run alone at the end. MLIR: compiled like the compiler's libraries
# (no RTTI, shared header) and linked to MLIR.
function(heddle_add_unittest name)
  cmake_parse_arguments(ARG "MLIR;LONG" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  heddle_use_fast_allocator(${name})
  if(ARG_MLIR)
    target_compile_options(${name} PRIVATE ${HEDDLE_MLIR_FLAGS})
    target_precompile_headers(${name} REUSE_FROM HeddlePCH)
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  endif()
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(ARG_LONG)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
  set_property(GLOBAL APPEND PROPERTY HEDDLE_UNITTESTS ${name})
endfunction()
