//===- ProtocolScalars.h - Scalars and choices of an explored run ---------===//
//
// The protocol of a kernel depends on numbers that are known only at launch:
// how often a loop runs, whether a branch is taken. A run of the exploration
// chooses them. Two roles that compute the same number must see the same choice,
// though each has its own copy of the ops; so a number nobody knows is an
// expression, interned by its structure, and the choice belongs to the
// expression.
//
// Everything that follows from a choice is computed, not chosen: a loop's bound
// is chosen before the conditions that compare with it, so `j + 1 < n` agrees
// with the number of iterations.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLSCALARS_H
#define TKC_ANALYSIS_PROTOCOLSCALARS_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <array>
#include <deque>
#include <unordered_map>

namespace tkc::protocol {

/// The choices of one run, and the way to the next: a depth-first walk over the tree of all
/// choices. A choice that an earlier one makes unnecessary is never asked for.
class Choices {
public:
  /// One of 0 .. count - 1.
  unsigned choose(unsigned count);
  /// Begins the run with the same choices again.
  void restart() { position = 0; }
  /// Goes on to the next run; false after the last one.
  bool advance();

private:
  struct Digit {
    unsigned value, count;
  };
  mlir::SmallVector<Digit> digits;
  size_t position = 0;
};

/// A number, or the name of an expression whose value is not known.
struct Scalar {
  bool isKnown = false;
  int64_t number = 0;
  bool operator==(const Scalar &other) const = default;
};

/// The values that one agent knows of its own: loop counters, iteration arguments, results of
/// branches.
struct Environment {
  llvm::DenseMap<mlir::Value, Scalar> values;
  /// Changes with every iteration: values from registers are different ones then.
  uint64_t place = 0;
  /// Whose values these are: a vote is that of a warp's own rows.
  unsigned agent = 0;
};

class Scalars {
public:
  explicit Scalars(hopper::KernelOp kernel);

  /// Forgets what was chosen.
  void beginRun(Choices &choices);

  Scalar evaluate(mlir::Value value, const Environment &environment);
  bool decide(mlir::Value condition, const Environment &environment);
  int64_t getTripCount(mlir::scf::ForOp loop, const Environment &environment);
  /// Of a block, in the grid of `op`, which has its extents as operands.
  int64_t getTileCount(mlir::Operation *op, mlir::ValueRange extents,
                       const Environment &environment);
  Scalar getTileIndex(mlir::ValueRange extents, int64_t tile, unsigned dim,
                      const Environment &environment);
  Scalar getCounter(mlir::scf::ForOp loop, int64_t iteration, const Environment &environment);

  /// True if the number of iterations is a choice.
  bool isChosen(mlir::scf::ForOp loop);

private:
  using Key = mlir::SmallVector<uint64_t, 8>;
  struct HashKey {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };

  /// The expression with this structure.
  Scalar intern(const Key &key);
  static void append(Key &key, const Scalar &scalar);
  using Operands = mlir::SmallVector<Scalar, 3>;
  /// The result of an operation on these operands, evaluated lately: most evaluations repeat one.
  struct Evaluated {
    Operands operands;
    Scalar result;
  };
  /// The part of a value that is the same in all runs, found once.
  struct Form {
    enum Kind { Constant, Argument, Registers, Vote, Conversion, TileShare, TileAt, Operation };
    Kind kind = Operation;
    Scalar constant;
    Key head; ///< of an Operation: its name, attributes and the number of the result
    bool isCommutative = false;
    bool isBound = false; ///< of a loop: a run chooses its number
    std::array<Evaluated, 4> evaluated = {};
    unsigned oldest = 0; ///< of `evaluated`
  };
  Form &getForm(mlir::Value value);
  Form findForm(mlir::Value value);

  Scalar evaluateOp(mlir::OpResult result, Form &form, const Environment &environment);
  /// The result of an operation on these operands: a number, or the name of the expression.
  Scalar apply(mlir::OpResult result, const Form &form, llvm::ArrayRef<Scalar> operands);
  /// The number that this run gives to a loop bound.
  Scalar chooseNumber(mlir::Value value, const Scalar &expression, const Environment &environment);
  bool chooseTruth(mlir::Value condition, const Scalar &expression);

  /// The structure of a value as it stands in the program: equal for all tiles and iterations.
  uint64_t getFamily(mlir::Value value);
  /// True if the value differs between tiles or iterations.
  bool isVarying(mlir::Value value);

  struct Family {
    unsigned first = 0, second = 0; ///< choices for the even and the odd instances
    unsigned instances = 0;
  };

  std::unordered_map<Key, Scalar, HashKey> table;
  llvm::DenseMap<mlir::Value, Form *> forms;
  std::deque<Form> ownedForms;
  int64_t expressions = 0;
  llvm::DenseMap<mlir::Value, uint64_t> families;
  llvm::DenseMap<mlir::Value, bool> varying;
  /// Families of loop bounds: with which step and from which number they count.
  struct Bound {
    int64_t step, base;
    bool isPositive; ///< provably at least one iteration
  };
  llvm::DenseMap<uint64_t, Bound> bounds;
  mlir::SmallVector<int64_t> tripCounts; ///< ascending, from 0

  Choices *choices = nullptr;
  llvm::DenseMap<int64_t, int64_t> numbers; ///< of this run: expression -> number
  llvm::DenseMap<uint64_t, Family> chosen;  ///< of this run
  int64_t tiles = 0;                        ///< of this run; the most of all tile loops
};

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLSCALARS_H
