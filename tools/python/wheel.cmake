# wheel.cmake - What the wheel has beside Python: the compiler, its runtime, the emulator and the examples.
#
# The compiler is taken from TKC_BUILD, or from build/ of the checkout where it was built; else it is built here, which takes
# LLVM 19 and some minutes. It is linked statically and has to be, to run on any Linux.
set(TKC_BUILD "$ENV{TKC_BUILD}" CACHE PATH "a build folder of tkc, which has bin/tkc and lib/libtkemulator.a")
if(NOT TKC_BUILD AND EXISTS ${checkout}/build/bin/tkc AND EXISTS ${checkout}/build/lib/libtkemulator.a)
  set(TKC_BUILD ${checkout}/build)
endif()
if(NOT TKC_BUILD)
  include(ExternalProject)
  set(TKC_BUILD ${CMAKE_CURRENT_BINARY_DIR}/tkc)
  ExternalProject_Add(tkc-compiler
    SOURCE_DIR ${checkout}
    BINARY_DIR ${TKC_BUILD}
    CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release
    BUILD_COMMAND ${CMAKE_COMMAND} --build ${TKC_BUILD} --target tkc tkemulator language-pch
    INSTALL_COMMAND "")
endif()
message(STATUS "tkc and its emulator come from ${TKC_BUILD}")

install(PROGRAMS ${TKC_BUILD}/bin/tkc DESTINATION tkc/data/bin COMPONENT wheel)
install(FILES ${TKC_BUILD}/lib/libtkemulator.a DESTINATION tkc/data/lib COMPONENT wheel)
install(FILES ${TKC_BUILD}/lib/tkc/language.pch ${TKC_BUILD}/lib/tkc/language.pch.hash DESTINATION tkc/data/lib/tkc COMPONENT wheel OPTIONAL)
# Neither has a use for its symbols' names of the build, and they are most of their bytes.
install(CODE "
  set(data \"\${CMAKE_INSTALL_PREFIX}/tkc/data\")
  execute_process(COMMAND \"${CMAKE_STRIP}\" \"\${data}/bin/tkc\")
  execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug \"\${data}/lib/libtkemulator.a\")" COMPONENT wheel)
install(DIRECTORY ${checkout}/runtime/ DESTINATION tkc/data/share/tkc/runtime COMPONENT wheel
  FILES_MATCHING PATTERN "*.h" PATTERN "*.flags")
install(DIRECTORY ${checkout}/dsl-examples/ DESTINATION tkc/data/share/tkc/examples COMPONENT wheel
  FILES_MATCHING PATTERN "*.tk" PATTERN "apps" EXCLUDE)
