# TkcAddLibrary.cmake - Tile programs as libraries of a CMake project
#
#   tkc_add_library(<target> [STATIC|SHARED|OBJECT]
#       SOURCES <a.tk> [<b.tk> ...]
#       [INSTANTIATE <instance> ...]                     # 'gemm<64, 128>'
#       [BACKEND GPU|EMULATOR|REFERENCE]                 # default ${TKC_BACKEND}, else GPU
#       [DEFINITIONS <NAME[=VALUE]> ...] [INCLUDE_DIRECTORIES <dir> ...]
#       [TUNED <file.json>]
#       [OPTIONS <tkc option> ...] [CUDA_OPTIONS <nvcc option> ...] [WERROR]
#       [OUTPUT_DIRECTORY <dir>] [EMITTED <variable>])
#
# docs/builds.md explains it. Of each source one custom command makes a stamp, beside it the .cu and the .h. The
# library depends on the stamps as a whole, so that nothing is compiled after a tkc that failed; it is compiled
# anew only where the bytes of a .cu or .h changed. With the .cu as the command's output, Make would run tkc
# again and again after a change that leaves the .cu as it was.

include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# The functions run in other folders' scope.
set(TKC_CMAKE_DIRECTORY ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "where tkc's CMake files are")

# What each backend compiles with lies in the runtime, where tkc itself reads it.
function(_tkc_flags result file)
  get_target_property(runtime tkc::runtime TKC_RUNTIME_DIRECTORY)
  file(STRINGS ${runtime}/${file} text)
  separate_arguments(flags UNIX_COMMAND "${text}")
  list(FILTER flags EXCLUDE REGEX "^-(Wl,|g|O|std=)") # the linker's, and those that the project chooses
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

function(_tkc_fail target message)
  message(FATAL_ERROR "tkc_add_library(${target}): ${message}")
endfunction()

# The sources, absolute, in `result`.
function(_tkc_find_sources target result)
  set(found)
  set(names)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    if(IS_DIRECTORY ${path})
      _tkc_fail(${target} "the source '${source}' is a folder; name its .tk files")
    elseif(NOT EXISTS ${path})
      get_source_file_property(generated ${path} GENERATED)
      if(NOT generated)
        _tkc_fail(${target} "there is no source '${source}' (looked for ${path})")
      endif()
    endif()
    if(path IN_LIST found)
      _tkc_fail(${target} "the source '${source}' is listed twice")
    endif()
    cmake_path(GET path STEM LAST_ONLY name)
    if(name IN_LIST names)
      _tkc_fail(${target} "two sources are called '${name}', so both would write ${name}.cu and ${name}.h; \
make a library of each, or give one another name")
    endif()
    list(APPEND found ${path})
    list(APPEND names ${name})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The instances that belong to one source. With a single source tkc says what is wrong with them.
function(_tkc_choose_instances target result source sources instances)
  set(chosen)
  list(LENGTH sources count)
  foreach(instance IN LISTS instances)
    string(REGEX MATCH "^[A-Za-z_0-9:]+" name "${instance}")
    set(owners)
    if(count GREATER 1)
      foreach(candidate IN LISTS sources)
        if(EXISTS ${candidate})
          file(READ ${candidate} text)
          if(text MATCHES "kernel[ \t\r\n]+${name}[ \t\r\n]*\\(")
            list(APPEND owners ${candidate})
          endif()
        endif()
      endforeach()
      if(NOT owners)
        _tkc_fail(${target} "no source defines a kernel '${name}' for INSTANTIATE '${instance}'; if it is in a \
file that a source includes, make a library of that source alone")
      endif()
    endif()
    if(count EQUAL 1 OR source IN_LIST owners)
      list(APPEND chosen --instantiate "${instance}")
    endif()
  endforeach()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

function(tkc_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 tkc "STATIC;SHARED;OBJECT;WERROR" "BACKEND;TUNED;OUTPUT_DIRECTORY;EMITTED"
    "SOURCES;INSTANTIATE;DEFINITIONS;INCLUDE_DIRECTORIES;OPTIONS;CUDA_OPTIONS")
  if(tkc_UNPARSED_ARGUMENTS)
    list(GET tkc_UNPARSED_ARGUMENTS 0 unknown)
    if(unknown MATCHES "\\.tk$")
      _tkc_fail(${target} "'${unknown}' comes before the keyword SOURCES")
    endif()
    _tkc_fail(${target} "there is no argument '${unknown}'")
  endif()
  if(tkc_KEYWORDS_MISSING_VALUES)
    list(JOIN tkc_KEYWORDS_MISSING_VALUES ", " missing)
    _tkc_fail(${target} "nothing follows ${missing}")
  endif()
  if(NOT tkc_SOURCES)
    _tkc_fail(${target} "SOURCES is required, one or more .tk files")
  endif()
  set(type)
  foreach(candidate STATIC SHARED OBJECT)
    if(tkc_${candidate})
      list(APPEND type ${candidate})
    endif()
  endforeach()
  list(LENGTH type types)
  if(types EQUAL 0)
    set(type STATIC)
  elseif(types GREATER 1)
    _tkc_fail(${target} "a library is STATIC, SHARED or OBJECT, not several of them")
  endif()

  if(NOT tkc_BACKEND)
    set(tkc_BACKEND GPU)
    if(TKC_BACKEND)
      set(tkc_BACKEND ${TKC_BACKEND})
    endif()
  endif()
  if(NOT tkc_BACKEND MATCHES "^(GPU|EMULATOR|REFERENCE)$")
    _tkc_fail(${target} "there is no backend '${tkc_BACKEND}'; use GPU, EMULATOR or REFERENCE")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(tkc_BACKEND STREQUAL GPU AND NOT CUDA IN_LIST languages)
    _tkc_fail(${target} "the backend GPU needs the language CUDA; write project(... LANGUAGES CXX CUDA), or choose \
BACKEND EMULATOR or REFERENCE, which need a C++20 compiler alone")
  elseif(NOT tkc_BACKEND STREQUAL GPU AND NOT CXX IN_LIST languages)
    _tkc_fail(${target} "the backend ${tkc_BACKEND} needs the language CXX; write project(... LANGUAGES C CXX)")
  endif()

  _tkc_find_sources(${target} sources ${tkc_SOURCES})
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.tkc)
  if(tkc_OUTPUT_DIRECTORY)
    set(directory ${tkc_OUTPUT_DIRECTORY})
    cmake_path(ABSOLUTE_PATH directory BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
  endif()

  set(arguments)
  foreach(definition IN LISTS tkc_DEFINITIONS)
    list(APPEND arguments -D "${definition}")
  endforeach()
  foreach(folder IN LISTS tkc_INCLUDE_DIRECTORIES)
    cmake_path(ABSOLUTE_PATH folder NORMALIZE)
    list(APPEND arguments -I "${folder}")
  endforeach()
  if(tkc_WERROR)
    list(APPEND arguments --werror)
  endif()
  set(inputs $<TARGET_FILE:tkc::tkc>)
  if(tkc_TUNED)
    cmake_path(ABSOLUTE_PATH tkc_TUNED NORMALIZE)
    if(NOT EXISTS ${tkc_TUNED})
      _tkc_fail(${target} "there is no file '${tkc_TUNED}', which TUNED names")
    endif()
    list(APPEND arguments --tuned "${tkc_TUNED}")
    list(APPEND inputs "${tkc_TUNED}")
  endif()
  list(APPEND arguments ${tkc_OPTIONS})

  set(compiled)
  set(emitted)
  set(stamps)
  set(symbols)
  set(owners)
  set(owner_language c) # of what links the library: C++ where the project has it
  if(CXX IN_LIST languages)
    set(owner_language cpp)
  endif()
  string(MAKE_C_IDENTIFIER ${target} prefix)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM LAST_ONLY name)
    cmake_path(GET source FILENAME file)
    set(header ${directory}/${name}.h)
    set(stamp ${directory}/${name}.stamp)
    set(anchor ${directory}/${name}.anchor.h)
    set(owner ${directory}/${name}.owner.${owner_language})
    _tkc_choose_instances(${target} instances ${source} "${sources}" "${tkc_INSTANTIATE}")
    if(tkc_BACKEND STREQUAL REFERENCE)
      set(text ${directory}/${name}_reference.cpp)
      set(commands COMMAND tkc::tkc ${source} --emit=header -o ${header} ${instances} ${arguments}
                   COMMAND tkc::tkc ${source} --emit=reference -o ${text})
    else()
      set(text ${directory}/${name}.cu)
      set(commands COMMAND tkc::tkc ${source} -o ${text})
    endif()
    add_custom_command(OUTPUT ${stamp}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
      ${commands} -MD -MF ${name}.d -MT ${stamp} ${instances} ${arguments}
      COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DOUTPUT=${owner} -P ${TKC_CMAKE_DIRECTORY}/TkcOwner.cmake
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      BYPRODUCTS ${text} ${header} ${owner}
      DEPENDS ${source} ${inputs}
      DEPFILE ${directory}/${name}.d
      WORKING_DIRECTORY ${directory}
      COMMENT "tkc ${file} for ${target}"
      VERBATIM)

    # The linker takes from an archive what is missing, and of two shared libraries the first, and nobody notices that
    # both have a kernel of the same name. So each kernel has an owner, a symbol that is defined once in a program: in the
    # kernel's object, or, beside a shared library, in whatever links that library. An object of an archive is always
    # linked, because who links the library asks for a symbol of it.
    string(MAKE_C_IDENTIFIER ${name} symbol)
    set(symbol tkc_object_${prefix}_${symbol})
    list(APPEND symbols ${symbol})
    set(include_owner)
    if(NOT type STREQUAL SHARED)
      set(include_owner "#include \"${name}.owner.${owner_language}\"\n")
    endif()
    file(CONFIGURE OUTPUT ${anchor} CONTENT "extern \"C\" {\nextern const char @symbol@;\nconst char @symbol@ = 0;\n}\n@include_owner@"
      @ONLY NEWLINE_STYLE UNIX)
    set_source_files_properties(${text} PROPERTIES GENERATED ON OBJECT_DEPENDS "${stamp};${anchor}")
    set_property(SOURCE ${text} PROPERTY COMPILE_OPTIONS -include ${anchor})
    list(APPEND owners ${owner})
    list(APPEND compiled ${text})
    list(APPEND emitted ${text} ${header})
    list(APPEND stamps ${stamp})
  endforeach()

  add_library(${target} ${type} ${compiled})
  add_custom_target(${target}_tkc DEPENDS ${stamps})
  add_dependencies(${target} ${target}_tkc)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${directory}>)
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:tkc::runtime>)
  if(type STREQUAL STATIC)
    list(TRANSFORM symbols PREPEND "LINKER:--undefined=")
    target_link_options(${target} INTERFACE ${symbols})
  endif()
  if(type STREQUAL SHARED)
    set_source_files_properties(${owners} PROPERTIES GENERATED ON)
    target_sources(${target} INTERFACE "$<BUILD_INTERFACE:${owners}>")
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  get_target_property(runtime tkc::runtime TKC_RUNTIME_DIRECTORY)
  if(tkc_BACKEND STREQUAL GPU)
    set_source_files_properties(${compiled} PROPERTIES LANGUAGE CUDA)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES 90a CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
    target_include_directories(${target} PRIVATE ${runtime}/hopper)
    target_compile_options(${target} PRIVATE ${tkc_CUDA_OPTIONS})
    if(tkc_WERROR)
      target_compile_options(${target} PRIVATE "SHELL:-Xptxas -warn-spills,-Werror")
    endif()
  else()
    set_source_files_properties(${compiled} PROPERTIES LANGUAGE CXX)
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -w $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi> "SHELL:-x c++")
    if(tkc_BACKEND STREQUAL EMULATOR)
      _tkc_flags(flags emulator/kernel.flags)
      # Whether the compiler contracts products and sums depends on the CPU it builds for; here it never does.
      _tkc_flags(rounding emulator/uncontracted.flags)
      target_compile_options(${target} PRIVATE ${flags} ${rounding} -g1)
      target_include_directories(${target} BEFORE PRIVATE ${runtime}/emulator ${runtime}/hopper)
      target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:tkc::emulator>)
    endif()
  endif()
  if(tkc_EMITTED)
    set(${tkc_EMITTED} ${emitted} PARENT_SCOPE)
  endif()
endfunction()

cmake_policy(POP)
