# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# freehold_globals_layout(ENGINE name RESOURCES name=type... [HEADERS file...] [RESERVE bytes] [OUTPUT file] [TARGET target]
# [LANGUAGE C|CXX]
#                         [FLAGS flag...])
#
# Writes the layout of an engine's thread block (default: ENGINE_layout.h in the build folder, which the target then finds) when
# the project is configured, and again whenever it is. The headers are compiled with FLAGS, as C, or as C++ where the project has
# no C.
function(freehold_globals_layout)
  cmake_parse_arguments(arg "" "TARGET;ENGINE;RESERVE;OUTPUT;LANGUAGE" "RESOURCES;HEADERS;FLAGS" ${ARGN})
  if(NOT arg_ENGINE OR NOT arg_RESOURCES)
    message(FATAL_ERROR "freehold_globals_layout needs ENGINE and RESOURCES")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${arg_ENGINE}_layout.h)
  endif()
  if(NOT arg_RESERVE)
    set(arg_RESERVE 4096)
  endif()
  if(NOT arg_LANGUAGE)
    set(arg_LANGUAGE C)
    if(NOT CMAKE_C_COMPILER)
      set(arg_LANGUAGE CXX)
    endif()
  endif()
  set(includes)
  foreach(header ${arg_HEADERS})
    get_filename_component(header ${header} ABSOLUTE)
    list(APPEND includes --include ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  endforeach()
  execute_process(COMMAND ${FREEHOLD_LAYOUT} --engine ${arg_ENGINE} --cc ${CMAKE_${arg_LANGUAGE}_COMPILER} --reserve ${arg_RESERVE} ${includes}
    -o ${arg_OUTPUT} ${arg_RESOURCES} -- ${arg_FLAGS} RESULT_VARIABLE failed ERROR_VARIABLE errors)
  if(failed)
    message(FATAL_ERROR "freehold_globals_layout: ${errors}")
  endif()
  if(arg_TARGET)
    get_filename_component(folder ${arg_OUTPUT} DIRECTORY)
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
  endif()
endfunction()
