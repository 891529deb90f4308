# EmbedAssets.cmake - Files as functions that give their text
#
# cmake -DOUTPUT=assets.cpp "-DASSETS=script=a.js,b.js;style=c.css" -P EmbedAssets.cmake
set(text "#include \"explorer/ExplorerPage.h\"\n\n")
foreach(asset ${ASSETS})
  string(REGEX MATCH "^([a-z]+)=(.*)$" unused "${asset}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
  set(bytes)
  foreach(file ${files})
    file(READ "${file}" more HEX)
    string(APPEND bytes ${more})
  endforeach()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n"
    "llvm::StringRef tkc::explorer::${name}() {\n"
    "  return {reinterpret_cast<const char *>(${name}_bytes), sizeof(${name}_bytes) - 1};\n}\n\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
