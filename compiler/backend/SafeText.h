//===- SafeText.h - Text from outside, as data in emitted code ------------===//
//
// Names of files, lines of the source and attributes of hand-written IR are not
// made by the compiler: each of them may hold a line break that ends a comment, a
// quote that ends a string, or a character that makes a line look like another one.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_SAFETEXT_H
#define TKC_BACKEND_SAFETEXT_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace tkc::backend {

/// `text` as a part of one line: bytes that are not printable are written like '\012', byte by
/// byte.
std::string escaped(llvm::StringRef text);

/// A line comment's text, which must not draw the next line into the comment.
std::string closedComment(llvm::StringRef text);

/// A string literal.
std::string quoted(llvm::StringRef text);

/// The text after #include for this file; none if #include cannot spell it.
std::optional<std::string> includable(llvm::StringRef path);

/// Whether it can stand for a C function as it is.
bool isIdentifier(llvm::StringRef name);

/// Whether it is a function's name, with its template arguments if it has some: "ns::gemm<64,
/// 128>".
bool isInstanceName(llvm::StringRef name);

} // namespace tkc::backend

#endif // TKC_BACKEND_SAFETEXT_H
