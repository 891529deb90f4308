//===- EmitProfiled.cpp - Kernels that record, and their runs -------------===//
#include "driver/EmitProfiled.h"

#include "backend/Interface.h"
#include "backend/ProfileTable.h"
#include "dialect/hopper/Hopper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace tkc;

void tkc::setProfiled(mlir::ModuleOp module, bool isProfiled) {
  module.walk([&](hopper::KernelOp kernel) {
    if (isProfiled)
      kernel->setAttr(backend::profiledAttrName, mlir::UnitAttr::get(kernel.getContext()));
    else
      kernel->removeAttr(backend::profiledAttrName);
  });
}

mlir::LogicalResult tkc::emitProfiled(mlir::ModuleOp module, EmitOptions emit, std::string &cuda,
                                      std::string &table) {
  std::string text;
  raw_string_ostream textStream(text), cudaStream(cuda), tableStream(table);
  EmitOptions unnamed = emit;
  unnamed.headerName = "kernel.h";
  if (failed(emitCuda(module, unnamed, textStream)))
    return mlir::failure();
  emit.profileBuild = xxh3_64bits(text);
  LineTable lines;
  if (failed(emitCuda(module, emit, cudaStream, &lines)))
    return mlir::failure();
  std::string cudaName = (sys::path::stem(emit.headerName) + ".cu").str();
  printProfileTable(lines, cuda, emit, cudaName, tableStream);
  return mlir::success();
}

Expected<TracedRun> tkc::readRunOf(mlir::ModuleOp module, const EmitOptions &emit, StringRef path) {
  auto refuse = [&](const Twine &why) {
    return createStringError("cannot use '" + path + "': " + why);
  };
  Expected<std::unique_ptr<MemoryBuffer>> file = readRunFile(path);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  Expected<uint64_t> build = profile::readBuild(bytes);
  if (!build)
    return refuse(toString(build.takeError()));
  for (ProfileDetail detail : {ProfileDetail::Sampled, ProfileDetail::Waits, ProfileDetail::All}) {
    EmitOptions profiled = emit;
    profiled.profileDetail = detail;
    std::string cuda, text;
    setProfiled(module, true);
    mlir::LogicalResult emitted = emitProfiled(module, profiled, cuda, text);
    setProfiled(module, false);
    if (failed(emitted))
      return refuse("its kernels cannot be profiled");
    Expected<profile::Table> table = profile::parseTable(text);
    if (!table)
      return table.takeError();
    if (table->build != *build)
      continue;
    auto kept = std::make_unique<profile::Table>(std::move(*table));
    Expected<profile::Run> run = profile::readRun(bytes, *kept, profile::MissingRecords::Allow);
    if (!run)
      return refuse(toString(run.takeError()));
    return TracedRun{std::move(kept), std::move(*run)};
  }
  return refuse("it is of another build, " + utohexstr(*build, /*LowerCase=*/true) + ", than '" +
                emit.sourceName +
                "'; name the source, the options and the tkc that the profiled kernel was compiled "
                "with");
}
