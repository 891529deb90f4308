# TkcOwner.cmake - Defines a symbol for each kernel that a header declares
#
#   cmake -DHEADER=<gemm.h> -DOUTPUT=<gemm.owner.cpp> -P TkcOwner.cmake
#
# A program in which two libraries define a kernel of the same name then has two definitions of its owner, which the
# linker refuses. The file is C and C++; it is written only if it changes, so that nothing is compiled for nothing.

file(READ ${HEADER} text)
string(REGEX MATCHALL "\ntk_status [A-Za-z_0-9]+\\(" declarations "${text}")
set(lines)
foreach(declaration IN LISTS declarations)
  string(REGEX REPLACE "\ntk_status ([A-Za-z_0-9]+)\\(" "tkc_owner_of_\\1" symbol "${declaration}")
  string(APPEND lines "extern const char ${symbol};\nconst char ${symbol} = 0;\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#ifdef __cplusplus
extern \"C\" {
#endif
@lines@#ifdef __cplusplus
}
#endif
" @ONLY NEWLINE_STYLE UNIX)
