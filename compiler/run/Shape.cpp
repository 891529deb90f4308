//===- Shape.cpp - The extents that a kernel runs at ----------------------===//
#include "run/Shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tkc::run;

std::vector<int64_t> tkc::run::extentsOf(const Argument &tensor, const Shape &shape) {
  std::vector<int64_t> extents;
  for (const Dimension &dimension : tensor.dimensions)
    extents.push_back(dimension.fixed ? *dimension.fixed
                                      : alignTo(shape[dimension.size], dimension.multiple));
  return extents;
}

std::string tkc::run::toString(const Signature &signature, const Shape &shape) {
  std::vector<std::string> parts;
  for (const Argument &argument : signature.arguments) {
    if (argument.scalar)
      continue;
    std::vector<int64_t> extents = extentsOf(argument, shape);
    parts.push_back(argument.name + "=" +
                    join(map_range(extents, [](int64_t n) { return std::to_string(n); }), "x"));
  }
  return join(parts, ",");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::string tensorNames(const Signature &signature) {
  std::vector<std::string> names;
  for (const Argument &argument : signature.arguments)
    if (!argument.scalar)
      names.push_back(argument.name);
  return join(names, ", ");
}

static Expected<std::vector<int64_t>> parseExtents(StringRef text) {
  std::vector<int64_t> extents;
  for (StringRef part : split(text, 'x')) {
    int64_t &extent = extents.emplace_back();
    if (part.getAsInteger(10, extent) || extent < 0 || extent > INT32_MAX)
      return createStringError("'" + part + "' is not an extent, a number from 0 to 2147483647");
  }
  return extents;
}

namespace {
/// Extents as they become known, and which dimension made them so.
struct Known {
  const Signature &signature;
  std::vector<std::optional<int64_t>> extents;
  std::vector<std::string> from;
  std::vector<int64_t> multiples; // of the dimensions that made them known

  explicit Known(const Signature &signature)
      : signature(signature), extents(signature.sizes.size()), from(extents.size()),
        multiples(extents.size(), 1) {}

  Error set(const Dimension &dimension, int64_t extent) {
    if (dimension.fixed) {
      if (*dimension.fixed == extent)
        return Error::success();
      return createStringError(dimension.name + " is " + Twine(extent) +
                               " when the kernel is compiled for " + Twine(*dimension.fixed));
    }
    std::optional<int64_t> &known = extents[dimension.size];
    // Either may be the other one, rounded up.
    if (known && dimension.multiple > 1 && extent == int64_t(alignTo(*known, dimension.multiple)))
      return Error::success();
    if (known && *known != extent && int64_t(alignTo(extent, multiples[dimension.size])) != *known)
      return createStringError(dimension.name + " is " + Twine(extent) + " but " +
                               from[dimension.size] + " is " + Twine(*known) + ", and " +
                               signature.sizes[dimension.size].walkedBy + " walks both");
    if (dimension.multiple > 1 && extent % dimension.multiple)
      return createStringError(dimension.name + " is " + Twine(extent) +
                               " when it should be a multiple of " + Twine(dimension.multiple) +
                               ", for " + "the tensor is in fragment order");
    known = extent;
    multiples[dimension.size] = dimension.multiple;
    from[dimension.size] = dimension.name;
    return Error::success();
  }
};
} // namespace

static Error parseTensor(Known &known, StringRef text) {
  auto [name, extentText] = text.split('=');
  auto argument = find_if(known.signature.arguments,
                          [&](const Argument &a) { return !a.scalar && a.name == name; });
  if (argument == known.signature.arguments.end())
    return createStringError("there is no tensor '" + name + "'; it has " +
                             tensorNames(known.signature));
  Expected<std::vector<int64_t>> extents = parseExtents(extentText);
  if (!extents)
    return extents.takeError();
  if (extents->size() != argument->dimensions.size())
    return createStringError(name + " has " + Twine(argument->dimensions.size()) +
                             " dimensions, not " + Twine(extents->size()) + " as in '" + text +
                             "'");
  for (auto [dimension, extent] : zip(argument->dimensions, *extents))
    if (Error error = known.set(dimension, extent))
      return error;
  return Error::success();
}

/// The emulator takes about a nanosecond for each multiplication: a larger run never ends.
static Error checkElements(const Argument &tensor, const Shape &shape) {
  constexpr uint64_t most = 1 << 30;
  uint64_t elements = 1;
  for (int64_t extent : extentsOf(tensor, shape))
    elements = SaturatingMultiply(elements, uint64_t(extent));
  if (elements <= most)
    return Error::success();
  return createStringError(tensor.name + " has " + Twine(elements) + " elements when at most " +
                           Twine(most) + " can be emulated");
}

Expected<Shape> tkc::run::parseShape(const Signature &signature, StringRef text) {
  Known known(signature);
  for (StringRef part : split(text, ','))
    if (Error error = parseTensor(known, part.trim()))
      return error;
  Shape shape;
  for (auto [size, extent] : zip(signature.sizes, known.extents)) {
    if (!extent)
      return createStringError("nothing says what " + size.name + " is; give the extents of " +
                               StringRef(size.name).split('.').first + " too");
    shape.push_back(*extent);
  }
  for (const Argument &argument : signature.arguments)
    if (Error error = checkElements(argument, shape))
      return error;
  return shape;
}

//===----------------------------------------------------------------------===//
// The shapes nobody asked for
//===----------------------------------------------------------------------===//

std::vector<Shape> tkc::run::defaultShapes(const Signature &signature) {
  std::vector<Shape> shapes;
  auto add = [&](function_ref<int64_t(const Size &)> extent) {
    Shape shape;
    for (const Size &size : signature.sizes)
      shape.push_back(std::max<int64_t>(1, extent(size)));
    if (!is_contained(shapes, shape))
      shapes.push_back(shape);
  };
  // An extent walked by elements (batches, heads) has no edge of its own: 1 does.
  auto around = [](const Size &size, int64_t by) { return size.tile == 1 ? 1 : size.tile + by; };
  add([](const Size &) { return 1; });
  add([&](const Size &size) { return around(size, -1); });
  add([&](const Size &size) { return around(size, 0); });
  add([&](const Size &size) { return around(size, 1); });
  add([](const Size &size) { return size.tile == 1 ? 2 : 2 * size.tile + 3; });
  for (const Size &one : signature.sizes) {
    if (one.tile == 1)
      continue;
    add([&](const Size &size) { return &size == &one ? 1 : around(size, 1); });
    // A loop that runs as often as its ring has stages begins each time at the same stage.
    for (int64_t tiles : {4, 5, 6})
      add([&](const Size &size) {
        return &size == &one ? (tiles - 1) * size.tile + 1 : around(size, -1);
      });
  }
  return shapes;
}
