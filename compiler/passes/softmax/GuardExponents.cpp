//===- GuardExponents.cpp - Multiply-adds for exponents that allow it -----===//
//
// exp2((x - v) * c) takes one instruction less as exp2(fma(x, c, -v * c)), but that
// is wrong by 2^-24 |v c| of itself (Exponents.h). One vote of the warp tells whether a
// row has a reference for which that would show. Then the difference is formed in
// place, before the exponentials, and their reference is zero:
//
//     level = v * c
//     if (any_row(!(|level| < 4096))) { x = x - v;  level = 0 }
//     p = exp2(fma(x, c, -level))
//
// References are what softmax measures scores from, and so they are small, but where
// a mask has put a number like -1e30 in all of a row: the branch is hardly ever taken.
// The exponentials stand outside of it, among the instructions that follow, and it
// takes no registers, for x ends in p.
//
// Where v moves only in a branch on another vote (tk-conditional-rescale), that vote
// asks for this as well, and the branch has the difference: the iterations that do not
// take it have a comparison for each row more, and no branch.
//
// The multiply-add is taken where
//
// - the exponentials, or factors of them, are rounded to 16 bits or fewer, and summed at
//   most beside that (getLargestReference);
// - x is a tile of floats in registers that nothing else reads from there on: elsewhere it
//   would outlive the exponentials;
// - each thread computes at least 16 exponentials for a vote, which takes about eight
//   instructions;
// - they stand in a loop, or beside one, as the first step of a pipelined loop does;
// - there are eight registers to spare beside the level: a branch makes all of x exist at
//   once, and ptxas can start fewer of the exponentials early, where there are few.
//
// Everywhere else the difference comes first, without a vote.
//
// No vote is needed where each row is divided by its own sum: the rounding of v * c is
// the same in all of the row, and cancels; the rounding of the multiply-add stays. Only
// numbers from 2^30 on have to be kept from becoming infinite. There any other element of
// a row is at least 64 below the largest one, for that is how floats are spaced, so a
// power of two will do for c, with which products are exact. With a constant c:
//
//     k = |v * c| < 2^30 ? c : (the power of two before c)
//     p = exp2(fma(x, k, -v * k))
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/TileRegisters.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/softmax/Exponents.h"
#include "passes/tile/MapBodies.h"
#include "target/HopperModel.h"

namespace tkc {
#define GEN_PASS_DEF_GUARDEXPONENTS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// The only exponential of a map, measured from what a column vector has for its row.
struct Measured {
  Operation *map, *power;
  ScaledDifference difference;
  Value tile, vector;
  float bound; ///< of the vector's scaled elements
};

/// Exponentials of one block that are measured alike, in order.
struct Group {
  SmallVector<Measured> members;

  const Measured &first() const { return members.front(); }
  /// The values that a repair changes: the tiles and, last, the level.
  SmallVector<Value> getValues(Value level) const {
    SmallVector<Value> values =
        llvm::map_to_vector(members, [](const Measured &member) { return member.tile; });
    values.push_back(level);
    return values;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Exponents that can be repaired
//===----------------------------------------------------------------------===//

static std::optional<Measured> findMeasured(MapOp map) {
  SmallVector<math::Exp2Op> powers(map.getBody().front().getOps<math::Exp2Op>());
  if (powers.size() != 1 || map.getNumResults() != 1 ||
      !isa<FragmentType>(map.getResult(0).getType()))
    return std::nullopt;
  std::optional<ScaledDifference> difference = readScaledDifference(powers[0].getOperand(), map);
  if (!difference || !difference->scale || !difference->element.getType().isF32())
    return std::nullopt;
  Value vector = getOperandOf(difference->reference, map);
  auto type = vector ? dyn_cast<FragmentVectorType>(vector.getType()) : FragmentVectorType();
  Value tile = getOperandOf(difference->element, map);
  std::optional<float> bound = getLargestReference(map);
  if (!type || type.getOrientation() != tk::Orientation::Column || !tile ||
      !isa<FragmentType>(tile.getType()) || !bound || !difference->element.hasOneUse() ||
      !difference->reference.hasOneUse())
    return std::nullopt;
  return Measured{map, powers[0], *difference, tile, vector, *bound};
}

/// True if the map alone reads its tile from `place` on, in the block where the tile is made: it
/// may be changed in place.
static bool isLastReader(Measured measured, Operation *place) {
  Block *block = place->getBlock();
  return measured.tile.getParentBlock() == block &&
         llvm::count(measured.map->getOperands(), measured.tile) == 1 &&
         llvm::all_of(measured.tile.getUsers(), [&](Operation *user) {
           Operation *inBlock = block->findAncestorOpInBlock(*user);
           return user == measured.map || (inBlock && inBlock->isBeforeInBlock(place));
         });
}

/// The exponentials of a block by reference, scale and bound, if their tiles are there before the
/// first of them.
static SmallVector<Group> findGroups(Block &block, const DominanceInfo &dominance) {
  SmallVector<Group> groups;
  for (MapOp map : block.getOps<MapOp>()) {
    std::optional<Measured> measured = findMeasured(map);
    if (!measured)
      continue;
    auto joins = [&](const Group &group) {
      const Measured &first = group.first();
      return first.vector == measured->vector && first.bound == measured->bound &&
             first.difference.scale == measured->difference.scale &&
             llvm::none_of(group.members,
                           [&](const Measured &other) { return other.tile == measured->tile; }) &&
             dominance.properlyDominates(measured->tile, first.map) &&
             isLastReader(*measured, first.map);
    };
    if (auto *group = llvm::find_if(groups, joins); group != groups.end())
      group->members.push_back(*measured);
    else if (isLastReader(*measured, map))
      groups.push_back({{*measured}});
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// The repair
//===----------------------------------------------------------------------===//

/// The references as products.
static Value createLevel(OpBuilder &builder, const Group &group, Value vector) {
  Location loc = getNamedLoc("level", group.first().map->getLoc());
  return builder
      .create<MapOp>(loc, vector.getType(), vector, /*coordinates=*/false,
                     [&](OpBuilder &body, Location, ValueRange elements) {
                       Value product = body.create<arith::MulFOp>(getUnnamedLoc(loc), elements[0],
                                                                  group.first().difference.scale);
                       body.create<tk::YieldOp>(getUnnamedLoc(loc), product);
                     })
      .getResult(0);
}

/// Whether the level of a row is so large that its rounding would show; in the body of a vote.
static Value isCoarse(OpBuilder &body, Location loc, Value level, float bound) {
  Value size = body.create<math::AbsFOp>(loc, level);
  Value limit = body.create<arith::ConstantOp>(loc, body.getF32FloatAttr(bound));
  Value isNear = body.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, size, limit);
  Value yes = body.create<arith::ConstantOp>(loc, body.getBoolAttr(true));
  return body.create<arith::XOrIOp>(loc, isNear, yes);
}

/// x - v
static Value createDifference(OpBuilder &builder, const Group &group, Measured member) {
  Location loc = getUnnamedLoc(group.first().map->getLoc());
  auto map =
      builder.create<MapOp>(getNamedLoc(getSourceName(member.tile), loc), member.tile.getType(),
                            ValueRange{member.tile, group.first().vector}, /*coordinates=*/false,
                            [&](OpBuilder &body, Location, ValueRange elements) {
                              Value difference =
                                  body.create<arith::SubFOp>(loc, elements[0], elements[1]);
                              body.create<tk::YieldOp>(loc, difference);
                            });
  return map.getResult(0);
}

/// if (a row is coarse) { x - v and 0 } else { x and v * c }
static scf::IfOp createRepair(OpBuilder &builder, const Group &group) {
  Location loc = getUnnamedLoc(group.first().map->getLoc());
  Value level = createLevel(builder, group, group.first().vector);
  Value coarse = builder.create<AnyRowOp>(
      getNamedLoc("coarse", loc), level, [&](OpBuilder &body, Location, ValueRange elements) {
        body.create<tk::YieldOp>(loc, isCoarse(body, loc, elements[0], group.first().bound));
      });
  SmallVector<Value> unchanged = group.getValues(level);
  auto repair = builder.create<scf::IfOp>(loc, TypeRange(ValueRange(unchanged)), coarse,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
  repair->setAttr(becauseAttrName,
                  builder.getStringAttr("the rounding of so large a level, as a mask's, would "
                                        "show: form the differences first"));
  OpBuilder inThen = OpBuilder::atBlockEnd(repair.thenBlock());
  SmallVector<Value> changed;
  for (const Measured &member : group.members)
    changed.push_back(createDifference(inThen, group, member));
  Value zero = inThen.create<arith::ConstantOp>(loc, inThen.getF32FloatAttr(0.0f));
  changed.push_back(inThen.create<FillOp>(level.getLoc(), level.getType(), zero));
  inThen.create<scf::YieldOp>(loc, changed);
  OpBuilder::atBlockEnd(repair.elseBlock()).create<scf::YieldOp>(loc, unchanged);
  return repair;
}

/// Makes the exponents fma(x, c, -level) of the repaired tiles and, last, the level.
static void contract(const Group &group, ValueRange repaired) {
  for (auto [measured, tile] : llvm::zip(group.members, repaired)) {
    Measured member = measured;
    for (OpOperand &input : member.map->getOpOperands())
      if (input.get() == member.tile)
        input.set(tile);
      else if (input.get() == member.vector)
        input.set(repaired.back());
    OpBuilder builder(member.power);
    Location loc = getUnnamedLoc(member.map->getLoc());
    member.difference.reference.setLoc(repaired.back().getLoc());
    Value negative = builder.create<arith::NegFOp>(loc, member.difference.reference);
    member.power->setOperand(0, builder.create<math::FmaOp>(loc, member.difference.element,
                                                            member.difference.scale, negative));
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*member.power->getBlock())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
}

//===----------------------------------------------------------------------===//
// In a branch that is there already
//===----------------------------------------------------------------------===//

/// The branch in which the reference moves, if its vote may ask for coarse references as well: all
/// that this needs is before it. Votes may always be true.
static scf::IfOp findMove(const Group &group, const DominanceInfo &dominance) {
  auto result = dyn_cast<OpResult>(group.first().vector);
  auto branch = result ? dyn_cast<scf::IfOp>(result.getOwner()) : scf::IfOp();
  if (!branch || branch->getBlock() != group.first().map->getBlock())
    return {};
  auto vote = branch.getCondition().getDefiningOp<AnyRowOp>();
  Value unmoved = branch.elseYield().getOperand(result.getResultNumber());
  bool isThere = vote && vote->getBlock() == branch->getBlock() &&
                 dominance.properlyDominates(unmoved, vote) &&
                 dominance.properlyDominates(group.first().difference.scale, vote) &&
                 llvm::all_of(group.members, [&](const Measured &member) {
                   return dominance.properlyDominates(member.tile, branch) &&
                          isLastReader(member, branch->getNextNode());
                 });
  return isThere ? branch : scf::IfOp();
}

/// Makes the branch's vote true for coarse levels, too.
static void askForCoarse(scf::IfOp branch, Value level, float bound) {
  auto vote = branch.getCondition().getDefiningOp<AnyRowOp>();
  OpBuilder builder(vote);
  SmallVector<Value> inputs(vote.getInputs());
  inputs.push_back(level);
  auto both = builder.create<AnyRowOp>(
      vote.getLoc(), inputs, [&](OpBuilder &body, Location, ValueRange elements) {
        Location loc = getUnnamedLoc(vote.getLoc());
        Block &old = vote.getBody().front();
        IRMapping mapping;
        mapping.map(old.getArguments(), elements.drop_back());
        for (Operation &op : old.without_terminator())
          body.clone(op, mapping);
        Value asked = mapping.lookupOrDefault(old.getTerminator()->getOperand(0));
        Value coarse = isCoarse(body, loc, elements.back(), bound);
        body.create<tk::YieldOp>(loc, body.create<arith::OrIOp>(loc, asked, coarse).getResult());
      });
  vote.replaceAllUsesWith(both.getResult());
  vote.erase();
}

/// Repairs at the end of the branch, which gives the tiles and the level as well then.
static void guardInMove(Group group, scf::IfOp branch) {
  unsigned place = cast<OpResult>(group.first().vector).getResultNumber();
  OpBuilder builder(branch.getCondition().getDefiningOp());
  Value unmoved = createLevel(builder, group, branch.elseYield().getOperand(place));
  askForCoarse(branch, unmoved, group.first().bound);

  Group moved = group;
  for (Measured &member : moved.members)
    member.vector = branch.thenYield().getOperand(place);
  builder.setInsertionPoint(branch.thenYield());
  scf::IfOp repair = createRepair(builder, moved);
  unsigned before = branch.getNumResults();
  branch.thenYield()->insertOperands(before, repair.getResults());
  branch.elseYield()->insertOperands(before, group.getValues(unmoved));
  SmallVector<Type> types(ValueRange(branch.thenYield().getOperands()).getTypes());
  builder.setInsertionPoint(branch);
  auto wider = builder.create<scf::IfOp>(branch.getLoc(), types, branch.getCondition());
  wider->setAttrs(branch->getAttrs());
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.getElseRegion().takeBody(branch.getElseRegion());
  contract(group, wider.getResults().drop_front(before));
  branch.replaceAllUsesWith(wider.getResults().take_front(before));
  branch.erase();
}

//===----------------------------------------------------------------------===//
// Without a vote
//===----------------------------------------------------------------------===//

/// The constant by which a map scales the only difference that it takes an exponential of, if the
/// exponentials are divided by their sums and measured from the largest element, or another one.
static std::optional<float> getScaleOfQuotient(MapOp map, const ScaledDifference &difference) {
  FloatAttr scale;
  Value tile = getOperandOf(difference.element, map);
  Value vector = getOperandOf(difference.reference, map);
  auto extreme = vector ? vector.getDefiningOp<ReduceRowsOp>() : ReduceRowsOp();
  if (!difference.scale || !matchPattern(difference.scale, m_Constant(&scale)) || !extreme ||
      extreme.getSource() != tile || extreme.getInit() || extreme.getPartial() ||
      !isa<FragmentType>(tile.getType()))
    return std::nullopt;
  float factor = scale.getValue().convertToFloat();
  auto combine = factor > 0 ? tk::Combine::Max : tk::Combine::Min;
  if (!(std::abs(factor) >= 0.5f && std::abs(factor) <= 2.0f) || extreme.getCombine() != combine ||
      !isQuotientOfRows(map))
    return std::nullopt;
  return factor;
}

/// Makes the exponent of a map a multiply-add if what that rounds cancels.
static void contractQuotient(MapOp map) {
  SmallVector<math::Exp2Op> powers(map.getBody().front().getOps<math::Exp2Op>());
  if (powers.size() != 1)
    return;
  std::optional<ScaledDifference> difference = readScaledDifference(powers[0].getOperand(), map);
  std::optional<float> scale =
      difference ? getScaleOfQuotient(map, *difference) : std::optional<float>();
  if (!scale)
    return;
  OpBuilder builder(powers[0]);
  Location loc = getUnnamedLoc(map.getLoc());
  auto number = [&](float value) -> Value {
    return builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(value));
  };
  float power = std::copysign(std::exp2(std::floor(std::log2(std::abs(*scale)))), *scale);
  Value level = builder.create<arith::MulFOp>(loc, difference->reference, difference->scale);
  Value size = builder.create<math::AbsFOp>(loc, level);
  Value isNear =
      builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, size, number(0x1p30f));
  Value factor = builder.create<arith::SelectOp>(getNamedLoc("factor", loc), isNear,
                                                 difference->scale, number(power));
  difference->scale = factor;
  powers[0]->setOperand(0, createContracted(builder, loc, *difference));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*powers[0]->getBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// True for the body of a loop, and for code beside one.
static bool isWorthGuarding(Block &block) {
  return isa<scf::ForOp>(block.getParentOp()) || !block.getOps<scf::ForOp>().empty();
}

/// How many exponentials a thread computes for a vote.
static int64_t countExponentials(const Group &group) {
  int64_t count = 0;
  for (Measured member : group.members)
    count += TileRegisters::getRegisters(member.tile.getType(), 1);
  return count;
}

/// Whether there are registers for a level, and some more.
static bool hasRoom(const Group &group) {
  Operation *map = group.first().map;
  auto role = map->getParentOfType<RoleOp>();
  if (!role)
    return false;
  int64_t needed = TileRegisters(role).getPressure(map).registers +
                   TileRegisters::getRegisters(group.first().vector.getType(), 1) + guardHeadroom;
  return needed <= getMaxTileRegisters(role);
}

namespace {
struct GuardExponents : tkc::impl::GuardExponentsBase<GuardExponents> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      SmallVector<Block *> blocks;
      kernel.walk([&](Block *block) {
        if (isWorthGuarding(*block))
          blocks.push_back(block);
      });
      for (Block *block : blocks) {
        for (MapOp map : block->getOps<MapOp>())
          contractQuotient(map);
        guardBlock(*block);
      }
    });
  }

  /// A group at a time: what a branch gives changes with each.
  static void guardBlock(Block &block) {
    DominanceInfo dominance;
    while (true) {
      SmallVector<Group> groups = findGroups(block, dominance);
      auto *group = llvm::find_if(groups, [](const Group &group) {
        return countExponentials(group) >= fewestGuardedExponentials && hasRoom(group);
      });
      if (group == groups.end())
        return;
      if (scf::IfOp branch = findMove(*group, dominance)) {
        guardInMove(*group, branch);
      } else {
        OpBuilder builder(group->first().map);
        contract(*group, createRepair(builder, *group).getResults());
      }
    }
  }
};
} // namespace
