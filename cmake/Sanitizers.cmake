# FREEHOLD_SANITIZE=address|undefined|thread|address,undefined: instruments everything of ours (presets asan, tsan).
set(FREEHOLD_SANITIZE "" CACHE STRING "sanitizers for all of Freehold's own code")
if(FREEHOLD_SANITIZE)
  add_compile_options(-fsanitize=${FREEHOLD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FREEHOLD_SANITIZE})
endif()
