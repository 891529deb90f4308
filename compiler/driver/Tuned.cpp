//===- Tuned.cpp - Measurements of tkc tune for a source's kernels --------===//
//
// The database (tools/python/src/tkc/tuner/database.py) is text from outside: an entry that is
// read of it is checked here, and what becomes C++ in frontend/Instances.cpp.
//
//===----------------------------------------------------------------------===//
#include "driver/Tuned.h"

#include "dialect/tk/Tk.h"
#include "dialect/tk/TkChoiceOp.h"
#include "driver/Options.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tkc;

static constexpr int64_t databaseFormat = 3;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

// Found by the mappers of llvm/Support/JSON.h.
namespace tkc {
static bool fromJSON(const json::Value &value, TunedInstance &instance, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("function", instance.function) &&
         map.map("efficiency", instance.efficiency);
}

static bool fromJSON(const json::Value &value, TunedShape &shape, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("chosen", shape.chosen) || !map.map("ms", shape.ms) ||
      !map.map("default_ms", shape.defaultMs))
    return false;
  const json::Object *arguments = value.getAsObject()->getObject("arguments");
  if (!arguments)
    return path.field("arguments").report("expected an object"), false;
  for (const auto &[name, argument] : *arguments) {
    const json::Value *extents = &argument; // or {"extents": [...], "range": [...]}
    if (const json::Object *filled = argument.getAsObject())
      extents = filled->get("extents");
    std::vector<int64_t> read;
    if (!extents || extents->getAsNumber()) // a scalar
      continue;
    if (!fromJSON(*extents, read, path.field("arguments").field(name)))
      return false;
    shape.extents.push_back({name.str(), std::move(read)});
  }
  sort(shape.extents);
  return true;
}

static bool fromJSON(const json::Value &value, TunedEntry &entry, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("kernel", entry.kernel) && map.map("source", entry.source) &&
         map.map("source_hash", entry.sourceHash) && map.map("tkc", entry.version) &&
         map.map("device", entry.device) && map.map("sms", entry.sms) &&
         map.map("date", entry.date) && map.map("instances", entry.instances) &&
         map.map("kept", entry.kept) && map.map("shapes", entry.shapes);
}
} // namespace tkc

/// The variants that its numbers refer to are there.
static bool isWhole(const TunedEntry &entry) {
  auto isInstance = [&](uint64_t number) { return number < entry.instances.size(); };
  TunedFunction all{entry.kernel, {}};
  for (const TunedInstance &instance : entry.instances)
    all.instances.push_back(instance.function);
  return !spellTuned(all).empty() && !entry.kept.empty() && all_of(entry.kept, isInstance) &&
         all_of(entry.shapes,
                [&](const TunedShape &shape) { return is_contained(entry.kept, shape.chosen); }) &&
         all_of(entry.instances, [](const TunedInstance &instance) {
           return instance.efficiency > 0 && instance.efficiency <= 10000;
         });
}

Expected<TunedSource> TunedSource::read(StringRef path, StringRef sourceName) {
  auto refuse = [&](const Twine &why) {
    return createStringError("cannot use '" + path + "': " + why + "; measure again with tkc tune");
  };
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  Expected<json::Value> text = json::parse((*file)->getBuffer());
  if (!text)
    return refuse("it is no database of tkc tune: " + toString(text.takeError()));
  const json::Object *record = text->getAsObject();
  if (!record || record->getString("what") != "tkc tune")
    return refuse("it is no database of tkc tune");
  if (std::optional<int64_t> format = record->getInteger("format"); format != databaseFormat)
    return refuse("it has format " + (format ? Twine(*format) : Twine("unknown")) +
                  " when this tkc reads " + Twine(databaseFormat));
  TunedSource tuned;
  tuned.path = path.str();
  tuned.sourceName = sourceName.str();
  std::vector<TunedEntry> all;
  json::Path::Root root("the database");
  const json::Value *entries = record->get("entries");
  if (!entries || !fromJSON(*entries, all, root))
    return refuse("it is damaged" + (entries ? ": " + toString(root.getError()) : ""));
  for (TunedEntry &entry : all) {
    if (entry.source != sourceName)
      continue;
    if (!isWhole(entry))
      return refuse("it is damaged: what it says of " + entry.kernel + " is not whole");
    tuned.entries.push_back(std::move(entry));
  }
  if (tuned.entries.empty())
    tuned.warnings.push_back("'" + tuned.path + "' has no measurements of " + tuned.sourceName +
                             "; nothing is tuned");
  return tuned;
}

//===----------------------------------------------------------------------===//
// The measurements that are used
//===----------------------------------------------------------------------===//

std::vector<TunedFunction> TunedSource::select(StringRef sourceHash) {
  std::vector<TunedEntry> used;
  auto leaveOut = [&](const TunedEntry &entry, const Twine &why) {
    warnings.push_back(("'" + path + "' is not used for " + entry.kernel + ": " + why).str());
  };
  for (TunedEntry &entry : entries) {
    if (entry.sourceHash != sourceHash)
      leaveOut(entry, sourceName + " has changed since it was measured on " + entry.date);
    else if (entry.version != versionString())
      leaveOut(entry, "tkc " + entry.version + " was measured, this is " + versionString());
    else if (auto other = find_if(
                 used, [&](const TunedEntry &known) { return known.kernel == entry.kernel; });
             other != used.end())
      leaveOut(entry, "it has measurements of " + other->device + ", which are used, and of " +
                          entry.device + "; choose with tkc tune merge --device");
    else
      used.push_back(std::move(entry));
  }
  entries = std::move(used);
  std::vector<TunedFunction> functions;
  for (const TunedEntry &entry : entries) {
    TunedFunction &function = functions.emplace_back(TunedFunction{entry.kernel, {}});
    for (uint64_t number : entry.kept)
      function.instances.push_back(entry.instances[number].function);
  }
  return functions;
}

/// The table of an entry, for backend/EmitChoice.cpp.
static mlir::DictionaryAttr makeTable(const TunedEntry &entry, StringRef path,
                                      ArrayRef<unsigned> numberInChoice, mlir::Builder builder) {
  SmallVector<mlir::Attribute> rows;
  for (const TunedShape &shape : entry.shapes) {
    SmallVector<mlir::NamedAttribute> extents;
    for (const auto &[name, values] : shape.extents)
      extents.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values)));
    rows.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("extents", builder.getDictionaryAttr(extents)),
         builder.getNamedAttr("choice", builder.getI64IntegerAttr(numberInChoice[shape.chosen])),
         builder.getNamedAttr("ms", builder.getF64FloatAttr(shape.ms)),
         builder.getNamedAttr("default_ms", builder.getF64FloatAttr(shape.defaultMs))}));
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("file", builder.getStringAttr(path)),
       builder.getNamedAttr("device", builder.getStringAttr(entry.device)),
       builder.getNamedAttr("date", builder.getStringAttr(entry.date)),
       builder.getNamedAttr("sms", builder.getI64IntegerAttr(entry.sms)),
       builder.getNamedAttr("rows", builder.getArrayAttr(rows))});
}

static void applyEntry(const TunedEntry &entry, StringRef path, mlir::ModuleOp module) {
  auto choice = module.lookupSymbol<tk::ChoiceOp>(entry.kernel);
  if (!choice) // one instance was kept, the source's own
    return;
  mlir::Builder builder(module.getContext());
  SmallVector<unsigned> numberInChoice(entry.instances.size(), 0);
  auto names = choice.getKernels().getAsRange<mlir::FlatSymbolRefAttr>();
  for (auto [number, name] : enumerate(names)) {
    auto kernel = module.lookupSymbol<tk::KernelOp>(name.getValue());
    auto function = kernel->getAttrOfType<mlir::StringAttr>(tk::functionAttrName);
    auto known = find_if(entry.instances, [&](const TunedInstance &instance) {
      return function && instance.function == function.getValue();
    });
    if (known == entry.instances.end())
      continue;
    numberInChoice[known - entry.instances.begin()] = number;
    kernel->setAttr(tk::efficiencyAttrName, builder.getI64IntegerAttr(known->efficiency));
  }
  choice->setAttr(tk::tunedAttrName, makeTable(entry, path, numberInChoice, builder));
}

void TunedSource::apply(mlir::ModuleOp module) const {
  for (const std::string &warning : warnings)
    mlir::emitWarning(module.getLoc(), warning);
  for (const TunedEntry &entry : entries)
    applyEntry(entry, sys::path::filename(path), module);
}
