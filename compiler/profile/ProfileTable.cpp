//===- ProfileTable.cpp - The table that tkc --profile has written --------===//
#include "profile/ProfileTable.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tkc::profile;

namespace tkc::profile {

static bool fromJSON(const json::Value &value, Point &point, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("id", point.id) || !map.map("statement", point.statement) ||
      !map.map("name", point.name) || !map.map("kind", point.kind) ||
      !map.map("role", point.role) || !map.map("line", point.line) ||
      !map.map("code", point.code) || !map.mapOptional("barrier", point.barrier) ||
      !map.mapOptional("reason", point.reason) || !map.mapOptional("indices", point.indices))
    return false;
  const json::Value *source = value.getAsObject()->get("source");
  if (!source)
    return true;
  json::ObjectMapper place(*source, path.field("source"));
  return place && place.map("file", point.sourceFile) && place.map("line", point.sourceLine) &&
         place.map("column", point.sourceColumn) && place.mapOptional("text", point.sourceText);
}

static bool fromJSON(const json::Value &value, StreamFacts &stream, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("role", stream.role) && map.map("warpgroup", stream.warpgroup);
}

static bool fromJSON(const json::Value &value, KernelTable &kernel, json::Path path) {
  std::vector<Point> points;
  json::ObjectMapper map(value, path);
  if (!map || !map.map("name", kernel.name) || !map.map("streams", kernel.streams) ||
      !map.map("points", points))
    return false;
  for (Point &point : points) {
    int id = point.id;
    kernel.points.emplace(id, std::move(point));
  }
  return true;
}

static bool fromJSON(const json::Value &value, Table &table, json::Path path) {
  int64_t format = 0;
  std::string build;
  json::ObjectMapper map(value, path);
  if (!map || !map.map("format", format))
    return false;
  if (format != 1) {
    path.field("format").report("is not 1, the only one that this tkc reads");
    return false;
  }
  if (!map.map("build", build) || !map.map("source", table.source) ||
      !map.map("cuda", table.cuda) || !map.map("kernels", table.kernels))
    return false;
  if (StringRef(build).getAsInteger(16, table.build)) {
    path.field("build").report("is no hexadecimal number");
    return false;
  }
  return true;
}

} // namespace tkc::profile

Expected<Table> tkc::profile::parseTable(StringRef text) {
  return json::parse<Table>(text, "table");
}
