# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs at the installation, behind the documents: a relative link to what is not installed becomes its text.
set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${FREEHOLD_DOC_FOLDER}")
file(GLOB_RECURSE documents "${folder}/*.md")
foreach(document ${documents})
  file(READ "${document}" text)
  get_filename_component(here "${document}" DIRECTORY)
  string(REGEX MATCHALL "\\[[^]\n]*\\]\\([^) \n]+\\)" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX MATCH "^\\[(.*)\\]\\(([^#)]*)" found "${link}")
    set(words "${CMAKE_MATCH_1}")
    set(target "${CMAKE_MATCH_2}")
    if(target AND NOT target MATCHES "^[a-z]+:" AND NOT EXISTS "${here}/${target}")
      string(REPLACE "${link}" "${words}" text "${text}")
    endif()
  endforeach()
  file(WRITE "${document}" "${text}")
endforeach()
