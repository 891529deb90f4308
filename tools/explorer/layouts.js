// layouts.js - Where elements of a tile lie, and the banks that an access meets.

// Of one warpgroup's register tile: PTX ISA, "wgmma register fragments". Pairs and quads share a register.
function placeInRegisters(tile, row, col) {
  const perRegister = 32 / Math.min(32, tile.bits), blockRows = 16 * tile.warps, inWarp = row % 16;
  const width = perRegister === 4 ? 16 : 8, perLane = width / 4, half = inWarp >= 8 ? 1 : 0;
  const perHalf = perLane / perRegister, perBlock = tile.cols / 2 / perRegister;
  const inGroup = Math.floor(((col % width) % perLane) / perRegister);
  return {
    warp: Math.floor((row % blockRows) / 16), lane: (inWarp % 8) * 4 + Math.floor((col % width) / perLane),
    register: Math.floor(row / blockRows) * perBlock + Math.floor(col / width) * 2 * perHalf + half * perHalf + inGroup,
    part: col % perRegister, perRegister,
  };
}

// Of a stage of a ring: whole swizzle-atom columns one after the other, in each the pattern of eight rows.
function addressOf(ring, row, byte) {
  if (!ring.swizzle) return row * Math.floor((ring.cols * ring.bits) / 8) + byte;
  const atom = Math.floor(byte / ring.swizzle), inAtom = byte % ring.swizzle, pieces = ring.swizzle / 16;
  return atom * ring.rows * ring.swizzle + Math.floor(row / 8) * 8 * ring.swizzle + ring.pattern[(row % 8) * pieces + Math.floor(inAtom / 16)] + (inAtom % 16);
}
const placeInShared = (ring, row, col) => addressOf(ring, row, Math.floor((col * ring.bits) / 8));
const bankOf = (address) => Math.floor(address / 4) % 32;

// An access wavefront by wavefront: of each the pieces {row, byte, bytes} that it moves, 128 bytes together, in the
// pattern that the bank-conflict analysis names (compiler/analysis/hazards/BankConflicts.cpp).
function wavefrontsOf(ring, pattern) {
  const fronts = [], width = (ring.cols * ring.bits) / 8, step = (from, to, by, visit) => { for (let i = from; i + by <= to; i += by) visit(i); };
  if (!ring.swizzle) return fronts;
  if (pattern.startsWith("whole rows")) {
    const rows = 128 / ring.swizzle;
    step(0, width, ring.swizzle, (byte) => step(0, ring.rows, rows, (row) =>
      fronts.push(Array.from({ length: rows }, (unused, i) => ({ row: row + i, byte, bytes: ring.swizzle })))));
  } else if (pattern.startsWith("8 rows")) {
    step(0, width, 16, (byte) => step(0, ring.rows, 8, (row) => fronts.push(Array.from({ length: 8 }, (unused, i) => ({ row: row + i, byte, bytes: 16 })))));
  } else if (pattern.startsWith("half a warp")) { // odd rows take the 64 bytes further on where the swizzle has 128
    const other = ring.swizzle === 128 && width % 128 === 0 ? 64 : 0;
    step(0, width, 32, (byte) => step(0, ring.rows, 4, (row) => fronts.push(Array.from({ length: 16 }, (unused, lane) => {
      const at = row + Math.floor(lane / 4), to = byte + (lane % 4) * 8;
      return { row: at, byte: at % 2 && other ? to - (to % 128) + ((to % 128) ^ other) : to, bytes: 8 };
    }))));
  }
  return fronts;
}

// How many different words of each bank a wavefront moves: more than one are moved one after the other.
function banksOf(ring, front) {
  const words = new Set();
  for (const { row, byte, bytes } of front) for (let i = 0; i < bytes; i += 4) words.add(Math.floor(addressOf(ring, row, byte + i) / 4));
  const counts = new Array(32).fill(0);
  for (const at of words) ++counts[at % 32];
  return counts;
}
const hue = (number, count) => `hsl(${Math.round((number * 360) / count)} 60% 62%)`;

function fillLayouts() {
  const kernel = data.kernels[state.kernel], tiles = [];
  for (const fragment of kernel.fragments) tiles.push({ ...fragment, where: "registers" });
  for (const ring of kernel.rings) tiles.push({ ...ring, where: "shared memory" });
  const body = find("#layouts .body");
  if (!tiles.length) return body.replaceChildren(make("p", {}, "This kernel has no tiles."));
  const choice = make("select", { "aria-label": "tile", onchange: () => open(tiles[choice.value]) },
    ...tiles.map((tile, index) => make("option", { value: index }, `${tile.name}: ${tile.rows} x ${tile.cols} ${tile.element}, ${tile.where}`)));
  const row = make("input", { type: "number", min: 0, value: 0, "aria-label": "row" });
  const col = make("input", { type: "number", min: 0, value: 0, "aria-label": "column" });
  const answer = make("p", { class: "reason", id: "place" }), note = make("p"), banks = make("div", { class: "banks", id: "banks" });
  const canvas = make("canvas", { "aria-hidden": true }), plain = document.createElement("canvas");
  const access = make("select", { "aria-label": "access", onchange: () => choose() }), turn = make("input", { type: "range", min: 0, value: 0, "aria-label": "wavefront", oninput: () => playAt(+turn.value) });
  const go = (by) => playAt((+turn.value + by + fronts.length) % fronts.length);
  const start = make("button", { onclick: () => run(!state.playing) }, "play");
  const player = make("div", { class: "controls", id: "player" }, access, make("button", { "aria-label": "wavefront before", onclick: () => go(-1) }, "\u25c0"), start,
    make("button", { "aria-label": "next wavefront", onclick: () => go(1) }, "\u25b6"), turn);
  let tile = null, cell = 4, fronts = [];

  function paint() {
    cell = Math.max(2, Math.min(10, Math.floor(900 / tile.cols), Math.floor(420 / tile.rows) || 2));
    canvas.width = plain.width = tile.cols * cell;
    canvas.height = plain.height = tile.rows * cell;
    const context = plain.getContext("2d"), size = cell > 3 ? cell - 1 : cell;
    for (let r = 0; r < tile.rows; ++r)
      for (let c = 0; c < tile.cols; ++c) {
        context.fillStyle = hue(tile.where === "registers" ? placeInRegisters(tile, r, c).lane : bankOf(placeInShared(tile, r, c)), 32);
        context.fillRect(c * cell, r * cell, size, size);
      }
    canvas.getContext("2d").drawImage(plain, 0, 0);
  }
  const lightBanks = (counts) => banks.replaceChildren(...Array.from({ length: 32 }, (unused, bank) =>
    make("span", { class: counts[bank] > 1 ? "clash" : counts[bank] ? "on" : null, title: `bank ${bank}: ${counts[bank] || 0} words` }, bank)));

  // One wavefront of the chosen access: its elements black on the tile, its banks lit.
  function playAt(index) {
    const front = fronts[index], counts = banksOf(tile, front), most = Math.max(...counts), context = canvas.getContext("2d");
    turn.value = index;
    context.drawImage(plain, 0, 0);
    context.fillStyle = "#000";
    for (const { row: r, byte, bytes } of front) context.fillRect(Math.floor((byte * 8) / tile.bits) * cell, r * cell, Math.ceil((bytes * 8) / tile.bits) * cell, cell);
    const rows = front.map((piece) => piece.row), from = Math.min(...rows), to = Math.max(...rows);
    answer.textContent = `wavefront ${index + 1} of ${fronts.length} of ${access.selectedOptions[0].textContent}: ${from === to ? `row ${from}` : `rows ${from} to ${to}`}, ` +
      `bytes ${Math.min(...front.map((piece) => piece.byte))} to ${Math.max(...front.map((piece) => piece.byte + piece.bytes)) - 1} of the row`;
    note.textContent = `Black: what the wavefront moves. Below: its banks, ${counts.filter(Boolean).length} of 32; ` +
      (most > 1 ? `${most}-way bank conflict: the busiest is asked for ${most} words, one after the other.` : "no bank conflict: each is asked for one word.");
    lightBanks(counts);
  }
  function run(goes) {
    clearInterval(state.playing);
    state.playing = goes ? setInterval(() => (document.contains(canvas) ? go(1) : run(false)), 350) : 0;
    start.textContent = goes ? "stop" : "play";
  }
  function choose() {
    fronts = access.value === "" ? [] : wavefrontsOf(tile, kernel.accesses[access.value][3]);
    player.hidden = !fronts.length;
    turn.max = Math.max(0, fronts.length - 1);
    if (fronts.length && !state.testing) playAt(0);
  }
  function point(r, c) {
    run(false);
    r = Math.max(0, Math.min(tile.rows - 1, r | 0));
    c = Math.max(0, Math.min(tile.cols - 1, c | 0));
    row.value = r;
    col.value = c;
    canvas.getContext("2d").drawImage(plain, 0, 0);
    if (tile.where === "registers") {
      const at = placeInRegisters(tile, r, c);
      const part = at.perRegister > 1 ? `, element ${at.part} of ${at.perRegister} in it` : "";
      answer.textContent = `(${r}, ${c}) of ${tile.name}: warp ${at.warp} of the warpgroup, lane ${at.lane}, register ${at.register}${part}`;
      note.textContent = `Colours are lanes. Each consumer warpgroup holds ${tile.rows} rows; the thread is ${at.warp * 32 + at.lane} of its 128.`;
      banks.replaceChildren();
    } else {
      const address = placeInShared(tile, r, c);
      answer.textContent = `(${r}, ${c}) of ${tile.name}: byte ${address} of its stage, bank ${bankOf(address)}; stage 0 begins at byte ${tile.offset}`;
      note.textContent = `Colours are banks; swizzle ${tile.swizzle || "none"}.` + (fronts.length ? " Play an access to see the banks of each of its wavefronts." : "");
      lightBanks({ [bankOf(address)]: 1 });
    }
  }
  function open(next) {
    run(false);
    tile = next;
    row.max = tile.rows - 1;
    col.max = tile.cols - 1;
    paint();
    const seen = new Set(), options = kernel.accesses.map(([, how, buffer, pattern], index) => [index, buffer === tile.name && tile.where !== "registers" ? `${how}, ${pattern}` : ""])
      .filter(([, text]) => text && !seen.has(text) && seen.add(text));
    access.replaceChildren(...options.map(([index, text]) => make("option", { value: index }, text)));
    choose();
    point(0, 0);
  }
  const follow = (event) => {
    const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width / cell;
    if (!state.playing || event.type === "pointerdown") point((event.clientY - box.top) * scale, (event.clientX - box.left) * scale);
  };
  canvas.addEventListener("pointermove", follow);
  canvas.addEventListener("pointerdown", follow);
  for (const input of [row, col]) input.addEventListener("input", () => point(+row.value, +col.value));
  body.replaceChildren(make("div", { class: "controls" }, choice, make("label", {}, "row ", row), make("label", {}, "column ", col)),
    player, answer, note, banks, make("div", { class: "scroll" }, canvas), accessTable(kernel));
  open(tiles[0]);
}

function accessTable(kernel) {
  if (!kernel.accesses.length) return null;
  return make("table", {}, make("tr", {}, ...["line", "role", "access", "tile", "pattern", "bank conflicts"].map((head) => make("th", {}, head))),
    ...kernel.accesses.map(([role, how, buffer, pattern, ways, line]) => make("tr", {}, make("td", {}, linkToSource(0, line)), make("td", {}, role),
      make("td", {}, how), make("td", {}, buffer), make("td", {}, pattern), make("td", {}, ways > 1 ? `${ways}-way` : "none"))));
}
