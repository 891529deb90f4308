//===- main.cpp - tkc -----------------------------------------------------===//
#include "driver/Compile.h"
#include "driver/Options.h"

int main(int argc, char **argv) {
  auto parsed = tkc::parseCommandLine(argc, argv);
  if (auto *status = std::get_if<int>(&parsed))
    return *status;
  return tkc::compile(std::get<tkc::Options>(parsed));
}
