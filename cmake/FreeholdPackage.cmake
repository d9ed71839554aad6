# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the library for others: the targets of find_package(Freehold), pkg-config files, libraries and headers. All of it is
# the install component `runtime`.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Freehold)

set_target_properties(freehold_shared PROPERTIES EXPORT_NAME freehold)
target_include_directories(freehold_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(freehold_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Inlined code may take the heads at their constant place; the archive's malloc comes in even where the program itself calls none;
# the program's libraries use its heap.
target_compile_definitions(freehold_static INTERFACE $<INSTALL_INTERFACE:FREEHOLD_STATIC=1>)
target_link_options(freehold_static INTERFACE $<INSTALL_INTERFACE:LINKER:-u,malloc>
  "$<INSTALL_INTERFACE:LINKER:--export-dynamic-symbol=fh_*>")

install(TARGETS freehold_static freehold_shared EXPORT FreeholdTargets COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/freehold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/fh_heap.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT runtime)
install(EXPORT FreeholdTargets NAMESPACE Freehold:: DESTINATION ${package} COMPONENT runtime)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FreeholdConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/FreeholdConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/FreeholdConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/FreeholdConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/FreeholdConfigVersion.cmake
  DESTINATION ${package} COMPONENT runtime)

# Relative to their own place, so that an installed tree may be moved.
file(RELATIVE_PATH FREEHOLD_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(name freehold freehold-static)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
endforeach()
# auto: the mode of what is linked, as Freehold::globals_auto.
foreach(mode ${FREEHOLD_GLOBALS_MODES} auto)
  foreach(kind freehold-tsrm freehold-tsrm-dso)
    string(REPLACE freehold-tsrm freehold-tsrm-${mode} name ${kind})
    set(library ${mode})
    set(chosen "")
    if(mode STREQUAL auto)
      set(chosen " -DFREEHOLD_GLOBALS_AUTO=1")
      set(library static)
      if(kind STREQUAL freehold-tsrm-dso)
        set(library gs)
      endif()
    endif()
    string(TOUPPER ${library} switch)
    set(switch "-DFREEHOLD_GLOBALS_${switch}=1${chosen}")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${kind}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
  endforeach()
endforeach()
