//===- HandOvers.cpp - Tiles that one warpgroup hands to another ----------===//
//
// In a loop of two warpgroups, one writes the weights of its keys to a shared tile, and the other
// multiplies by them:
//
//     if (w == 0) { p = weights of the first page }
//     if (w == 1) { o += p * values }
//
// A barrier of all warpgroups between the two would hold up the one that writes. It need only say
// that it has written, and the other one waits for that: bar.arrive and bar.sync of one named
// barrier, at which both count. Before p is overwritten, who read it says so the same way, unless
// the writer knows it already, because the reader has handed over something else since.
//
// A warpgroup's knowledge of the others is followed in program order over two iterations, as a
// clock for each of them. The first access whose predecessor in another warpgroup is not known gets
// a hand-over, as late after what it waits for as the writer's branch goes on; then all is followed
// again.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/HandOvers.h"

#include "analysis/hazards/SharedPlaces.h"
#include "analysis/protocol/BarrierRoles.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/WarpgroupPrograms.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// An access of some warpgroups to shared memory that threads write in the loop.
struct Use {
  Operation *op;
  SharedPlace place;
  bool isWrite;
  SmallVector<int64_t, 2> warpgroups;
};

/// One warpgroup says that it is past a use, and another one waits for that before a use of its
/// own.
struct HandOver {
  int64_t from, to;
  unsigned after, before; ///< uses
  bool isNext;            ///< `before` is the next iteration's
};

class Planner {
public:
  Planner(scf::ForOp loop, RoleOp role) : loop(loop), role(role), places(role) { collectUses(); }

  LogicalResult run() {
    const int64_t most = hopper::namedBarriers - hopper::firstHandOverBarrier;
    while (std::optional<HandOver> missing = follow()) {
      if (int64_t(handOvers.size()) == most)
        return refuse(*missing, most);
      handOvers.push_back(*missing);
    }
    for (auto [number, handOver] : llvm::enumerate(handOvers))
      build(handOver, hopper::firstHandOverBarrier + number);
    return success();
  }

private:
  void collectUses() {
    DenseSet<Value> written;
    loop.walk([&](Operation *op) {
      for (const SharedUse &use : getSharedUses(op))
        if (use.isWrittenByThreads() && !isa<Exchange>(op))
          written.insert(BarrierRoles::getRing(use.tile));
    });
    loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (const SharedUse &use : getSharedUses(op)) {
        if (!written.contains(BarrierRoles::getRing(use.tile)))
          continue;
        Use &known = uses.emplace_back();
        known.op = op;
        known.place = places.getPlace(use.tile);
        known.isWrite = use.access == Access::Write;
        for (int64_t warpgroup = 0; warpgroup < int64_t(role.getWarpgroups()); ++warpgroup)
          if (comesTo(op, role, warpgroup))
            known.warpgroups.push_back(warpgroup);
      }
    });
  }

  /// Columns that are not constants are each warpgroup's own, and may be another one's.
  bool mayMeetInColumns(const Use &a, const Use &b) const {
    return !a.place.firstCol.isConstant() || !b.place.firstCol.isConstant() ||
           places.mayMeetInColumns(a.place, b.place);
  }

  /// True if one of the uses writes what the other one, of another warpgroup, touches.
  bool conflict(const Use &a, const Use &b) const {
    return (a.isWrite || b.isWrite) && places.mayCross(a.place, b.place) && mayMeetInColumns(a, b);
  }

  /// The block of a use's branch on the index, or the loop's body.
  Block *getBranch(const Use &use) {
    for (Operation *op = use.op; op->getBlock() != loop.getBody(); op = op->getParentOp())
      if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
          branch && takesThen(branch, role, 0))
        return op->getBlock();
    return loop.getBody();
  }

  /// Follows two iterations. The first hand-over that is missing, if there is one.
  std::optional<HandOver> follow() {
    const int64_t count = role.getWarpgroups(), size = uses.size();
    // Of each warpgroup, up to which use it knows that each other one has come.
    SmallVector<SmallVector<int64_t>> known(count, SmallVector<int64_t>(count, -1));
    // Of each hand-over, what the one that comes first knew then.
    SmallVector<SmallVector<int64_t>> said(handOvers.size());
    for (int64_t time = 0; time < 2 * size; ++time) {
      const unsigned number = time % size;
      const int64_t iteration = time / size;
      for (auto [index, handOver] : llvm::enumerate(handOvers))
        if (handOver.before == number && (!handOver.isNext || iteration > 0))
          for (auto [knows, heard] : llvm::zip(known[handOver.to], said[index]))
            knows = std::max(knows, heard);
      for (int64_t warpgroup : uses[number].warpgroups)
        for (int64_t before = time - 1; before >= std::max<int64_t>(0, time - size); --before) {
          const Use &earlier = uses[before % size];
          if (!conflict(earlier, uses[number]))
            continue;
          for (int64_t other : earlier.warpgroups)
            if (other != warpgroup && known[warpgroup][other] < before)
              return HandOver{other, warpgroup, getLast(before % size, other, number, warpgroup),
                              number, before / size != iteration};
        }
      for (auto [index, handOver] : llvm::enumerate(handOvers))
        if (handOver.after == number) {
          said[index] = known[handOver.from];
          said[index][handOver.from] = time;
        }
    }
    return std::nullopt;
  }

  /// The last use of the writer's branch that the reader's branch waits for.
  unsigned getLast(unsigned after, int64_t from, unsigned before, int64_t to) {
    unsigned last = after;
    for (unsigned next = after + 1; next < uses.size() && next != before; ++next) {
      if (getBranch(uses[next]) != getBranch(uses[after]) ||
          !llvm::is_contained(uses[next].warpgroups, from))
        continue;
      for (unsigned reader = 0; reader < uses.size(); ++reader)
        if (getBranch(uses[reader]) == getBranch(uses[before]) &&
            llvm::is_contained(uses[reader].warpgroups, to) && conflict(uses[next], uses[reader]))
          last = next;
    }
    return last;
  }

  /// The names of what `from` has written, or read, in its branch up to the hand-over.
  std::string describe(const HandOver &handOver, bool isWritten) {
    SmallVector<std::string> names;
    for (unsigned number = 0; number <= handOver.after; ++number) {
      const Use &use = uses[number];
      auto ring = use.place.ring.getDefiningOp<AllocRingOp>();
      if (use.isWrite != isWritten || getBranch(use) != getBranch(uses[handOver.after]) || !ring ||
          !llvm::is_contained(use.warpgroups, handOver.from) ||
          llvm::is_contained(names, ring.getName()))
        continue;
      names.push_back(ring.getName().str());
    }
    std::string text;
    for (auto [index, name] : llvm::enumerate(names))
      text += (index == 0 ? "" : index + 1 == names.size() ? " and " : ", ") + name;
    return text;
  }

  /// The rings that `to` writes and MMAs of `from` read: a signal says of all of them that they
  /// have, as follow() counts on.
  SmallVector<Value> listRead(const HandOver &handOver) {
    SmallVector<Value> rings;
    for (const Use &use : uses)
      for (const Use &write : uses)
        if (isa<WgmmaOp>(use.op) && write.isWrite && conflict(use, write) &&
            llvm::is_contained(use.warpgroups, handOver.from) &&
            llvm::is_contained(write.warpgroups, handOver.to) &&
            !llvm::is_contained(rings, use.place.ring))
          rings.push_back(use.place.ring);
    return rings;
  }

  /// True if an MMA of the block stands before `place`, and no commit after it.
  static bool isInGroup(Block &block, Block::iterator place) {
    while (place != block.begin()) {
      --place;
      if (isa<WgmmaOp, CommitWgmmaOp>(*place))
        return isa<WgmmaOp>(*place);
    }
    return false;
  }

  /// After the MMAs of a use's group, or after the use, and before the branch of others in it. For
  /// the next iteration's use there is one signal before the first tile, and the last one is waited
  /// for after the last.
  void build(const HandOver &handOver, int64_t barrier) {
    const Use &after = uses[handOver.after], &before = uses[handOver.before];
    const std::string tiles = describe(handOver, after.isWrite);
    const std::string event = after.isWrite ? "written" : "read";
    const std::string means = tiles + (StringRef(tiles).contains(' ') ? " are " : " is ") + event;
    const SmallVector<Value> read = listRead(handOver);
    OpBuilder builder(after.op);
    auto signal = [&](Location loc, ValueRange rings, const Twine &reason) {
      builder.create<SignalWarpgroupOp>(loc, rings, barrier, handOver.from, handOver.to, means,
                                        reason.str());
    };
    auto await = [&](Location loc, const Twine &reason) {
      // The group of MMAs that have started before it ends here.
      if (isInGroup(*builder.getInsertionBlock(), builder.getInsertionPoint()))
        builder.create<CommitWgmmaOp>(loc);
      builder.create<AwaitWarpgroupOp>(loc, barrier, handOver.from, handOver.to, reason.str());
    };
    Operation *place = leaveControl(after.op);
    if (isa<WgmmaOp>(place))
      while (!isa<CommitWgmmaOp>(place) && place->getNextNode())
        place = place->getNextNode();
    builder.setInsertionPointAfter(place);
    Location loc = getUnnamedLoc(after.op->getLoc());
    inWarpgroup(builder, loc, after.warpgroups.size(), handOver.from, [&] {
      signal(loc, read,
             "the other consumer may " + Twine(after.isWrite ? "read " : "overwrite ") + tiles);
    });
    builder.setInsertionPoint(leaveControl(before.op));
    loc = getUnnamedLoc(before.op->getLoc());
    inWarpgroup(builder, loc, before.warpgroups.size(), handOver.to,
                [&] { await(loc, "the other consumer has " + event + " " + tiles); });
    if (!handOver.isNext)
      return;
    loc = getUnnamedLoc(role.getLoc());
    builder.setInsertionPointToStart(&role.getBody().front());
    inWarpgroup(builder, loc, role.getWarpgroups(), handOver.from, [&] {
      signal(loc, read, "nobody reads " + tiles + " before the first iteration");
    });
    builder.setInsertionPointToEnd(&role.getBody().front());
    inWarpgroup(builder, loc, role.getWarpgroups(), handOver.to,
                [&] { await(loc, "the last signal has to be waited for, too"); });
  }

  /// Out of loops and branches, up to the branch that says which warpgroup it is.
  Operation *leaveControl(Operation *op) {
    while (op->getBlock() != loop.getBody()) {
      auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
      if (branch && takesThen(branch, role, 0))
        break;
      op = op->getParentOp();
    }
    return op;
  }

  /// In a branch of its own, if several warpgroups come here.
  void inWarpgroup(OpBuilder &builder, Location loc, int64_t comers, int64_t warpgroup,
                   llvm::function_ref<void()> create) {
    if (comers == 1)
      return create();
    Value number = builder.create<arith::ConstantIntOp>(loc, warpgroup, 32);
    Value isMeant = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                  role.getBody().getArgument(0), number);
    auto branch = builder.create<scf::IfOp>(loc, isMeant, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenYield());
    create();
  }

  LogicalResult refuse(const HandOver &missing, int64_t most) {
    InFlightDiagnostic diagnostic =
        uses[missing.before].op->emitError()
        << "warpgroups hand shared tiles over to each other more than " << most
        << " times in an iteration of this loop; a block has no more named barriers";
    diagnostic.attachNote(uses[missing.after].op->getLoc()) << "this is handed over once more";
    diagnostic.attachNote(loop.getLoc())
        << "let all warpgroups write parts, 'store(tile, {w, 0}, x)', and read them in a loop of "
        << "their own";
    return diagnostic;
  }

  scf::ForOp loop;
  RoleOp role;
  SharedPlaces places;
  SmallVector<Use> uses;
  SmallVector<HandOver> handOvers;
};
} // namespace

LogicalResult tkc::insertHandOvers(scf::ForOp loop, RoleOp role) {
  return Planner(loop, role).run();
}
