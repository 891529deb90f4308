//===- MeasuredExtents.cpp - The table of tkc tune in a launcher ----------===//
#include "backend/MeasuredExtents.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;

using Key = std::pair<unsigned, int64_t>; // argument, dimension

/// One dimension of each kind: extents that must be equal have one, those that are constant none.
static std::vector<MeasuredExtents::Place> findPlaces(const Interface &interface) {
  llvm::EquivalenceClasses<Key> equal;
  std::vector<Key> all, constant;
  for (auto [number, argument] : llvm::enumerate(interface.arguments))
    if (argument.tensor)
      for (auto [dim, extent] : llvm::enumerate(argument.tensor.getShape())) {
        Key key = {unsigned(number), int64_t(dim)};
        equal.insert(key);
        all.push_back(key);
        if (!ShapedType::isDynamic(extent))
          constant.push_back(key);
      }
  for (const Requirement &required : getRequirements(interface)) {
    if (required.kind == Requirement::Kind::SameExtent)
      equal.unionSets({required.a, required.dimA}, {required.b, required.dimB});
    else if (required.kind == Requirement::Kind::Extent)
      constant.push_back({required.a, required.dimA});
  }
  std::vector<MeasuredExtents::Place> places;
  std::vector<Key> leaders;
  for (const Key &key : constant)
    leaders.push_back(equal.getLeaderValue(key));
  for (const Key &key : all) {
    Key leader = equal.getLeaderValue(key);
    if (llvm::is_contained(leaders, leader))
      continue;
    leaders.push_back(leader);
    places.push_back({key.first, key.second});
  }
  return places;
}

/// The extents at the places; none if the row does not say them all.
static std::optional<std::vector<int64_t>> readRow(DictionaryAttr extents,
                                                   const Interface &interface,
                                                   ArrayRef<MeasuredExtents::Place> places) {
  std::vector<int64_t> values;
  for (const MeasuredExtents::Place &place : places) {
    auto of = extents.getAs<DenseI64ArrayAttr>(interface.arguments[place.argument].userName);
    if (!of || of.size() <= place.dim)
      return std::nullopt;
    values.push_back(of[place.dim]);
  }
  return values;
}

std::optional<MeasuredExtents> backend::getMeasuredExtents(tk::ChoiceOp choice,
                                                           const Interface &interface) {
  auto table = choice->getAttrOfType<DictionaryAttr>(tk::tunedAttrName);
  if (!table)
    return std::nullopt;
  MeasuredExtents measured;
  measured.file = table.getAs<StringAttr>("file").str();
  measured.device = table.getAs<StringAttr>("device").str();
  measured.date = table.getAs<StringAttr>("date").str();
  measured.sms = table.getAs<IntegerAttr>("sms").getInt();
  measured.places = findPlaces(interface);
  for (auto row : table.getAs<ArrayAttr>("rows").getAsRange<DictionaryAttr>()) {
    auto extents = readRow(row.getAs<DictionaryAttr>("extents"), interface, measured.places);
    bool isNew = extents && llvm::none_of(measured.rows, [&](const MeasuredExtents::Row &other) {
                   return other.extents == *extents; // scalars may differ
                 });
    if (isNew)
      measured.rows.push_back({*extents, row.getAs<IntegerAttr>("choice").getInt(),
                               row.getAs<FloatAttr>("ms").getValueAsDouble(),
                               row.getAs<FloatAttr>("default_ms").getValueAsDouble()});
  }
  if (measured.places.empty() || measured.rows.empty())
    return std::nullopt;
  return measured;
}
