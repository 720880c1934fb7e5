# Installs Heddle, so that it works without the checkout and can be moved: `cmake --install build --prefix DIR`
# (the target heddle-tools must be built). Components:
#   Scheduling  the scheduling core, which another project uses without MLIR:
#               cmake --install build --component Scheduling --prefix DIR
#               find_package(Heddle COMPONENTS Scheduling), then link Heddle::HeddleScheduling   (examples/embed)
#   Compiler    the compiler: tools, device library, examples, and its libraries for find_package(Heddle COMPONENTS
#               Compiler), then link Heddle::HeddlePipelines   (examples/embed-compiler)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(core HeddleSupport HeddleMachine HeddleProblem HeddleCertificate HeddleScheduling)
install(TARGETS ${core} heddle-sched heddle-check EXPORT HeddleTargets COMPONENT Scheduling
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Scheduling
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Scheduling)
foreach(room Support Machine Scheduling Certificate)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle
    COMPONENT Scheduling FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle COMPONENT Scheduling
  FILES_MATCHING PATTERN "*.json" PATTERN samples EXCLUDE)
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle COMPONENT Scheduling)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeddleConfig.cmake.in ${CMAKE_BINARY_DIR}/HeddleConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/HeddleConfig.cmake ${CMAKE_BINARY_DIR}/HeddleConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle COMPONENT Scheduling)

set(tools heddle-sched heddle-check heddle-launch)
if(HEDDLE_ENABLE_MLIR)
  list(APPEND tools heddle heddle-opt heddle-emulate)
  install(TARGETS heddle heddle-opt heddle-launch heddle-emulate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT
    Compiler)
  set(compiler HeddleLayout HeddleTuning HeddleTileDialect HeddleWarpDialect HeddleHWDialect HeddleTaskDialect
    HeddleBuilder HeddleAnalysis HeddleTransforms HeddleTileToWarp HeddleWarpToHW HeddleTarget HeddleTargetCUDA
    HeddleSimulatorFunctional HeddleMachineCode HeddleWarpSimulator HeddlePipelines HeddleAddress HeddleTritonDialect
    HeddleTritonToTile HeddleTaskToTile HeddleSimulatorTriton HeddleSimulatorTask)
  install(TARGETS ${compiler} EXPORT HeddleCompilerTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Compiler)
  install(EXPORT HeddleCompilerTargets NAMESPACE Heddle:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle
    COMPONENT Compiler)
  foreach(room Address Analysis Builder Conversion Dialect Layout Pipelines Simulator Target Transforms Tuning)
    foreach(root ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}) # the second has what TableGen made
      install(DIRECTORY ${root}/include/heddle/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle
        COMPONENT Compiler OPTIONAL FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td"
        PATTERN CMakeFiles EXCLUDE)
    endforeach()
  endforeach()
  list(APPEND tools ${compiler})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/device/ DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/device COMPONENT Compiler
    PATTERN test EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle COMPONENT Compiler
    PATTERN __pycache__ EXCLUDE)
endif()
# Everything that is installed, without the tests.
add_custom_target(heddle-tools DEPENDS ${tools})
