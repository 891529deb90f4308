//===- tile/band.h - A band of tile rows, and what L2 keeps for it --------===//
//
// What the launcher decides (host/band.h) about a grid that is visited in bands
// (tile/grid.h): how high they are, and how long L2 keeps what their tiles load.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_BAND_H
#define TK_TILE_BAND_H

#include <ptx/tma.h>

namespace tk {

struct tile_band {
  int height;                                 // rows of tiles
  cache_policy kept = cache_policy::normal;   // of what the tiles of a row load, and the band again and again
  cache_policy passed = cache_policy::normal; // of what the tiles of a column load, and the band once
};

} // namespace tk

#endif // TK_TILE_BAND_H
