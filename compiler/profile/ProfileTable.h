//===- ProfileTable.h - The table that tkc --profile has written ----------===//
//
// backend/ProfileTable.h writes it; this reads it again, in another process and
// without the source.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PROFILE_PROFILETABLE_H
#define TKC_PROFILE_PROFILETABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tkc::profile {

/// The meaning of a record of one number.
struct Point {
  int id = 0;        // as records have it
  int statement = 0; // as the line table has it
  std::string name, kind, role;
  int line = 0;     // of the CUDA
  std::string code; // that line
  std::string barrier, reason;
  std::string sourceFile, sourceText;
  int sourceLine = 0, sourceColumn = 0;
  std::vector<std::string> indices; // of a tile, if one begins here
};

/// A thread that writes records.
struct StreamFacts {
  std::string role;
  int warpgroup = 0; // of the block
};

struct KernelTable {
  std::string name;
  std::vector<StreamFacts> streams;
  std::map<int, Point> points; // by id
};

struct Table {
  uint64_t build = 0;
  std::string source, cuda;
  std::vector<KernelTable> kernels;
};

/// The error says what is wrong with the text.
llvm::Expected<Table> parseTable(llvm::StringRef text);

} // namespace tkc::profile

#endif // TKC_PROFILE_PROFILETABLE_H
