//===- RemarkOptions.cpp - Which remarks are shown ------------------------===//
//
// As Clang spells it: -Rtk-pass=REGEX shows what the passes that the expression
// finds have done, -Rtk-missed=REGEX what they nearly did, and why not. Without an
// expression it is all of them. Options that do not begin with tk- are for Clang.
//
//===----------------------------------------------------------------------===//
#include "driver/CommandLine.h"

#include <CLI/CLI.hpp>

#include <regex>

using namespace tkc;

static const std::vector<std::string> passes = {
#define TKC_REMARK_PASS(name, flag, meaning) flag,
#include "remarks/Remarks.def"
};

/// The help of -R: one line for each pass.
static std::string describeRemarks() {
  std::string text = "tk-pass=REGEX reports optimisations that a pass made, tk-missed=REGEX\n"
                     "those that it nearly made, and why not. The report has all. Passes are\n";
#define TKC_REMARK_PASS(name, flag, meaning) text += "  " flag "\n      " meaning "\n";
#include "remarks/Remarks.def"
  text.pop_back();
  return text;
}

/// Adds the passes that an expression finds. Throws if it is none, or finds no pass.
static void findPasses(const std::string &wish, const std::string &expression,
                       std::set<std::string> &found) {
  bool isAny = false;
  try {
    std::regex regex(expression);
    for (const std::string &pass : passes)
      if (std::regex_search(pass, regex)) {
        found.insert(pass);
        isAny = true;
      }
  } catch (const std::regex_error &) {
    throw CLI::ValidationError("-R", "'" + expression + "' in '" + wish +
                                         "' is not a regular expression");
  }
  if (!isAny)
    throw CLI::ValidationError("-R", "'" + expression + "' in '" + wish + "' finds no pass");
}

static void chooseRemarks(const std::string &wish, Options &options) {
  const size_t equals = wish.find('=');
  const std::string name = wish.substr(0, equals);
  const std::string expression = equals == std::string::npos ? "" : wish.substr(equals + 1);
  if (name == "tk-pass")
    findPasses(wish, expression, options.doneRemarks);
  else if (name == "tk-missed")
    findPasses(wish, expression, options.missedRemarks);
  else if (name.rfind("tk-", 0) == 0)
    throw CLI::ValidationError("-R", "there are no remarks '" + name +
                                         "', there are tk-pass and tk-missed");
  else
    options.clangArguments.push_back("-R" + wish);
}

void tkc::addRemarkOptions(CLI::App &app, Options &options) {
  app.add_option_function<std::vector<std::string>>(
         "-R",
         [&options](const std::vector<std::string> &wishes) {
           for (const std::string &wish : wishes)
             chooseRemarks(wish, options);
         },
         describeRemarks())
      ->type_name("REMARKS[=REGEX]")
      ->allow_extra_args(false)
      ->group("Diagnostics");
}
