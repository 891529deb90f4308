//===- RunPlan.cpp - Which kernels run, and on what -----------------------===//
#include "driver/RunPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::run;

/// The kernels that were asked for.
static Expected<std::vector<Signature>> chooseKernels(const RunOptions &options,
                                                      std::vector<Signature> all) {
  if (options.kernels.empty())
    return all;
  std::vector<Signature> chosen;
  for (const std::string &name : options.kernels) {
    auto found = find_if(all, [&](const Signature &s) { return s.name == name; });
    if (found == all.end()) {
      auto names = map_range(all, [](const Signature &s) { return s.name; });
      return createStringError("there is no kernel '" + name + "' in '" + options.source.input +
                               "'; it has " + join(names, ", "));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

static Expected<Scalar> parseScalar(const Argument &argument, StringRef text) {
  Scalar scalar = {};
  double number = 0;
  bool isNumber = !text.getAsDouble(number);
  switch (*argument.scalar) {
  case ScalarKind::F32:
    scalar.f32 = float(number);
    if (isNumber)
      return scalar;
    break;
  case ScalarKind::I32:
    if (!text.getAsInteger(10, scalar.i32))
      return scalar;
    break;
  case ScalarKind::Bool:
    scalar.boolean = text == "true" || text == "1";
    if (is_contained({"true", "false", "0", "1"}, text))
      return scalar;
    break;
  }
  static constexpr StringLiteral kinds[] = {"a float", "an int", "true or false"};
  return createStringError("'" + text + "' is no value for " + argument.name + ", which is " +
                           kinds[int(*argument.scalar)]);
}

/// The scalars of a kernel by --set, and defaults for the others. Names that were used
/// are added to `used`.
static Expected<std::vector<Scalar>>
chooseScalars(const RunOptions &options, const Signature &signature, std::vector<StringRef> &used) {
  std::vector<Scalar> scalars;
  for (const Argument &argument : signature.arguments) {
    if (!argument.scalar)
      continue;
    StringRef text = *argument.scalar == ScalarKind::F32 ? "0.125" : "1";
    for (StringRef assignment : options.scalars)
      if (auto [name, value] = assignment.split('='); name == argument.name) {
        used.push_back(name);
        text = value;
      }
    Expected<Scalar> scalar = parseScalar(argument, text);
    if (!scalar)
      return scalar.takeError();
    scalars.push_back(*scalar);
  }
  return scalars;
}

static Error checkScalarNames(const RunOptions &options, ArrayRef<StringRef> used) {
  for (StringRef assignment : options.scalars)
    if (StringRef name = assignment.split('=').first; !is_contained(used, name))
      return createStringError("no kernel that runs has a scalar '" + name + "'");
  return Error::success();
}

static Expected<std::vector<Shape>> chooseShapes(const RunOptions &options,
                                                 const Signature &signature) {
  if (options.shapes.empty())
    return defaultShapes(signature);
  std::vector<Shape> shapes;
  for (const std::string &text : options.shapes) {
    Expected<Shape> shape = parseShape(signature, text);
    if (!shape)
      return createStringError("the shape '" + text + "' does not fit " + signature.name + ": " +
                               toString(shape.takeError()));
    shapes.push_back(*shape);
  }
  return shapes;
}

Error tkc::makeRunPlan(const RunOptions &options, std::vector<Signature> all, RunPlan &plan) {
  Expected<std::vector<Signature>> chosen = chooseKernels(options, std::move(all));
  if (!chosen)
    return chosen.takeError();
  std::vector<StringRef> used;
  for (Signature &signature : *chosen) {
    Expected<std::vector<Scalar>> scalars = chooseScalars(options, signature, used);
    if (!scalars)
      return scalars.takeError();
    Expected<std::vector<Shape>> shapes = chooseShapes(options, signature);
    if (!shapes)
      return shapes.takeError();
    Subject &subject = plan.subjects.emplace_back();
    subject.signature = std::move(signature);
    subject.number = unsigned(plan.subjects.size() - 1);
    subject.scalars = *scalars;
    for (const Shape &shape : *shapes)
      if (options.seed)
        plan.trials.push_back({&subject, shape, *options.seed});
      else
        for (uint64_t seed = 0; seed < options.seeds; ++seed)
          plan.trials.push_back({&subject, shape, seed});
  }
  return checkScalarNames(options, used);
}
