//===- ProtocolMemory.cpp - Who uses which part of shared memory ----------===//
#include "analysis/protocol/ProtocolMemory.h"

#include "analysis/protocol/BarrierRoles.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;
using namespace tkc::protocol;

SharedCells::SharedCells(KernelOp kernel) {
  unsigned stages = 0, end = 0;
  kernel.walk([&](AllocRingOp ring) {
    RingType type = ring.getResult().getType();
    numbers[ring.getResult()] = rings.size();
    rings.push_back({ring, type.getRows(), 1, 0, stages});
    stages += type.getStages();
  });
  kernel.walk([&](RowsOp rows) {
    if (Value ring = BarrierRoles::getRing(rows.getResult()))
      if (auto known = numbers.find(ring); known != numbers.end())
        rings[known->second].unit =
            std::gcd(rings[known->second].unit, rows.getResult().getType().getRows());
  });
  for (Ring &ring : rings) {
    RingType type = ring.op.getResult().getType();
    ring.first = end;
    ring.units = type.getRows() / ring.unit;
    end += type.getStages() * ring.units;
  }
  cells.resize(end);
  aliases.resize(stages);
  auto begin = [](Ring &ring, int64_t stage) {
    return int64_t(*ring.op.getOffset()) + stage * ring.op.getResult().getType().getStageBytes();
  };
  for (Ring &left : rings)
    for (Ring &right : rings) {
      if (&left == &right || !left.op.getOffset() || !right.op.getOffset())
        continue;
      RingType a = left.op.getResult().getType(), b = right.op.getResult().getType();
      for (int64_t i = 0; i < a.getStages(); ++i)
        for (int64_t j = 0; j < b.getStages(); ++j)
          if (begin(left, i) < begin(right, j) + b.getStageBytes() &&
              begin(right, j) < begin(left, i) + a.getStageBytes())
            for (unsigned unit = 0; unit < right.units; ++unit)
              aliases[left.stageSet + i].push_back(right.first + j * right.units + unit);
    }
}

void SharedCells::reset() {
  for (Cell &cell : cells) {
    cell.records.clear();
    cell.destroyer = nullptr;
  }
}

/// Calls `visit(cell, stage)` for all cells of a place, until one of them finds a conflict.
template <typename Function>
std::optional<Conflict> SharedCells::visit(const TilePlace &place, Function visit) {
  Ring &ring = rings[place.ring];
  RingType type = ring.op.getResult().getType();
  int64_t firstStage = place.stage < 0 ? 0 : place.stage;
  int64_t lastStage = place.stage < 0 ? type.getStages() - 1 : place.stage;
  int64_t firstUnit = place.row / ring.unit;
  int64_t lastUnit = std::min<int64_t>((place.row + place.rows - 1) / ring.unit, ring.units - 1);
  for (int64_t stage = firstStage; stage <= lastStage; ++stage)
    for (int64_t unit = firstUnit; unit <= lastUnit; ++unit)
      if (auto conflict = visit(cells[ring.first + stage * ring.units + unit], stage))
        return conflict;
  return std::nullopt;
}

static bool overlap(const CellAccess &a, const CellAccess &b) {
  return a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static bool covers(const CellAccess &a, const CellAccess &b) {
  return a.col <= b.col && b.col + b.cols <= a.col + a.cols;
}

std::optional<Conflict> SharedCells::read(const TilePlace &place, const CellAccess &access,
                                          const Clock &clock) {
  return visit(place, [&](Cell &cell, int64_t stage) -> std::optional<Conflict> {
    if (cell.destroyer)
      return Conflict{ConflictKind::Overwritten, {cell.destroyer}, stage};
    bool isWritten = false, isKnown = false;
    for (Record &record : cell.records) {
      isKnown |= !record.isWrite && !record.isOver && record.op == access.op &&
                 record.entry == access.entry && record.end == access.end;
      if (!record.isWrite || record.isOver || !overlap(record, access))
        continue;
      isWritten = true;
      if (clock[record.entry] < record.end)
        return Conflict{ConflictKind::TooEarly, record, stage};
      if (access.isAsync && !record.isAsync && clock.getFenced(record.agent) < record.end)
        return Conflict{ConflictKind::Unfenced, record, stage};
    }
    if (!isWritten && place.stage >= 0)
      return Conflict{ConflictKind::NeverWritten, {}, stage};
    if (!isKnown)
      cell.records.push_back({access});
    return std::nullopt;
  });
}

std::optional<Conflict> SharedCells::write(const TilePlace &place, const CellAccess &access,
                                           const Clock &clock) {
  /// An access that must be over before the write.
  auto check = [&](Cell &cell, const CellAccess &access, int64_t stage) -> std::optional<Conflict> {
    for (Record &record : cell.records) {
      bool isSame = record.isWrite && record.instance == access.instance;
      bool isPast = record.isOver && record.successor != access.instance;
      if (isSame || isPast || !overlap(record, access))
        continue;
      if (clock[record.entry] < record.end)
        return Conflict{record.isWrite ? ConflictKind::OverWrite : ConflictKind::OverRead, record,
                        stage};
      if (record.isWrite && access.isAsync && !record.isAsync &&
          clock.getFenced(record.agent) < record.end)
        return Conflict{ConflictKind::Unfenced, record, stage};
      if (!record.isWrite && access.isAsync && !record.isAsync &&
          clock.getFenced(record.agent) < record.end)
        return Conflict{ConflictKind::UnfencedRead, record, stage};
    }
    llvm::erase_if(cell.records, [&](const Record &record) {
      return record.isOver && record.successor != access.instance && covers(access, record);
    });
    for (Record &record : cell.records)
      if (!(record.isWrite && record.instance == access.instance) && covers(access, record)) {
        record.isOver = true;
        record.successor = access.instance;
      }
    return std::nullopt;
  };
  return visit(place, [&](Cell &cell, int64_t stage) -> std::optional<Conflict> {
    if (auto conflict = check(cell, access, stage))
      return conflict;
    for (unsigned alias : aliases[rings[place.ring].stageSet + stage]) {
      // The columns of another ring lie elsewhere.
      CellAccess whole = access;
      whole.col = 0, whole.cols = std::numeric_limits<int32_t>::max();
      if (auto conflict = check(cells[alias], whole, stage))
        return conflict;
      cells[alias].destroyer = access.op;
    }
    cell.records.push_back({access, /*isWrite=*/true});
    cell.destroyer = nullptr;
    return std::nullopt;
  });
}
