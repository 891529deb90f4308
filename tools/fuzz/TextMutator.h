//===- TextMutator.h - Changes to program text that keep some sense -------===//
#ifndef TKC_FUZZ_TEXTMUTATOR_H
#define TKC_FUZZ_TEXTMUTATOR_H

#include "llvm/ADT/StringRef.h"

#include <random>
#include <string>

namespace tkc::fuzz {

/// `text` with one to four random changes of tokens and lines: one taken out, doubled, moved, or
/// replaced by another of the same text.
std::string mutate(llvm::StringRef text, std::minstd_rand &random);

/// `text` with lines or tokens of `other` in it.
std::string crossOver(llvm::StringRef text, llvm::StringRef other, std::minstd_rand &random);

} // namespace tkc::fuzz

#endif // TKC_FUZZ_TEXTMUTATOR_H
