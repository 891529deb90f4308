//===- PrecompiledLanguage.h - The language header, parsed at build time --===//
#ifndef TKC_FRONTEND_PRECOMPILEDLANGUAGE_H
#define TKC_FRONTEND_PRECOMPILEDLANGUAGE_H

#include "frontend/InputFiles.h"

#include <string>

namespace tkc {

/// The precompiled header (PCH) of Clang that stands for tk.h of `languageFolder`:
/// lib/tkc/language.pch beside the program's folder, if that folder's headers are byte for byte
/// what it was made of, by this version of Clang with these flags; empty otherwise. The headers
/// become inputs of the run.
std::string findPrecompiledLanguage(const std::string &languageFolder, InputFiles &inputs);

/// Writes the PCH of the language folder to `output`, and a hash of the headers beside it.
/// False after an error, which was reported. The build calls it; tkc itself writes no PCH.
bool precompileLanguage(const std::string &output);

} // namespace tkc

#endif // TKC_FRONTEND_PRECOMPILEDLANGUAGE_H
