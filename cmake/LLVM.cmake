# The one place that pins LLVM. Debian: libmlir-22-dev llvm-22-dev mlir-22-tools. Elsewhere:
# -DMLIR_DIR=PREFIX/lib/cmake/mlir.
set(HEDDLE_LLVM_MAJOR 22)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-${HEDDLE_LLVM_MAJOR}/lib/cmake/mlir)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
if(NOT LLVM_VERSION_MAJOR EQUAL HEDDLE_LLVM_MAJOR)
  message(FATAL_ERROR "expected LLVM ${HEDDLE_LLVM_MAJOR}, got ${LLVM_PACKAGE_VERSION}")
endif()
foreach(library MLIR LLVM)
  if(NOT TARGET ${library})
    message(FATAL_ERROR "expected the shared library ${library} in ${LLVM_LIBRARY_DIR}, got none (LLVM's options: "
      "LLVM_LINK_LLVM_DYLIB, MLIR_LINK_MLIR_DYLIB)")
  endif()
endforeach()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
