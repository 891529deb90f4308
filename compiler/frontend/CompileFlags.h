//===- CompileFlags.h - Flags with which Clang reads a .tk file -----------===//
#ifndef TKC_FRONTEND_COMPILEFLAGS_H
#define TKC_FRONTEND_COMPILEFLAGS_H

#include <string>
#include <vector>

namespace tkc {

/// The path of the running program.
std::string programPath();

/// The folder of the language header: beside an installed tkc, else in the source tree.
std::string languageFolder();

/// The arguments that make Clang's frontend (-cc1) and its driver alike read the language: C++20,
/// tkc's face of the header in `folder`, and that header included first.
std::vector<std::string> languageFlags(const std::string &folder);

/// The arguments of Clang's frontend (-cc1) with which tkc parses: the language of `folder`, with
/// the precompiled header `pch` in place of its header unless that is empty, and bounds on the
/// parser.
std::vector<std::string> parserFlags(const std::string &folder, const std::string &pch);

/// The arguments with which `clang -fsyntax-only FILE.tk`, or clangd, sees the file as tkc does.
std::vector<std::string> compileFlags();

} // namespace tkc

#endif // TKC_FRONTEND_COMPILEFLAGS_H
