// explorer.js - Connects the two texts and the figures of a page that tkc --emit=html wrote.
//
// The texts and figures are in the page already; this script adds what needs a hand on it: selection in both
// directions, the reasons, layouts under the pointer, comparisons. It knows nothing of CUDA or of kernels: what
// a line is, tkc has written into the data. Opened with #selftest, the page checks itself and writes a verdict.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];

  // An element with properties and children; text is always text, never markup.
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties))
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  // ---- What lines are -------------------------------------------------------------------------------------

  const word = (list, index) => (index >= 0 ? data[list][index] : "");
  // By the line's number, from 1; null for blank lines.
  const lines = [null, ...data.lines.map((row, index) => row && {
    number: index + 1, kernel: row[0], role: word("roles", row[1]), kind: word("kinds", row[2]), statement: row[3],
    file: row[4], line: row[5], column: row[6], reason: word("reasons", row[7]), operation: word("operations", row[8]),
    barrier: word("names", row[9]), signal: word("signals", row[10]), rings: row.slice(11).map((i) => data.names[i]),
  })];
  const isSync = (line) => ["wait", "sync", "fence", "arrive", "release", "setmaxnreg", "barrier init"].includes(line.kind);
  const isCode = (line) => !["comment", "reason", "source"].includes(line.kind);

  function groupBy(keyOf) {
    const groups = new Map();
    for (const line of lines) {
      const key = line && keyOf(line);
      if (!key) continue;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(line);
    }
    return (key) => groups.get(key) || [];
  }
  const ofSource = groupBy((line) => line.file >= 0 && `${line.file}-${line.line}`);
  const ofStatement = groupBy((line) => line.statement >= 0 && `${line.kernel}-${line.statement}`);
  const ofBarrier = groupBy((line) => line.signal && isCode(line) && `${line.kernel}-${line.barrier}`);
  const ofRing = groupBy((line) => line.rings.length && isCode(line) && `${line.kernel}-${line.rings[0]}`);
  const linesOfRing = (kernel, ring) => lines.filter((line) => line && line.kernel === kernel && line.rings.includes(ring));

  const cudaElement = (number) => document.getElementById("c" + number);
  const sourceElement = (file, line) => document.getElementById(`s${file}-${line}`);
  const sourceNames = all("#source h2").map((heading) => heading.textContent);

  // The code of a line without its number.
  function codeOf(element) {
    return [...element.childNodes].slice(1).map((node) => node.textContent).join("").trim();
  }

  // ---- State ----------------------------------------------------------------------------------------------

  const state = { kernel: 0, tab: "why", view: "source", picked: null, testing: false };
  let marked = [];

  function unmark() {
    for (const [element, name] of marked) element.classList.remove(name);
    marked = [];
    for (const label of all(".timeline .phase")) label.remove();
  }
  function mark(element, name) {
    if (!element) return;
    element.classList.add(name);
    marked.push([element, name]);
  }

  // Scrolls inside its pane only, and not if it can be seen.
  function reveal(element) {
    if (!element || state.testing) return;
    const pane = element.closest(".code"), box = element.getBoundingClientRect(), frame = pane.getBoundingClientRect(), left = pane.scrollLeft;
    if (box.height && box.top >= frame.top + 24 && box.bottom <= frame.bottom) return;
    element.scrollIntoView({ block: "center" });
    pane.scrollLeft = left;
  }

  function markTimeline(chosen) {
    const statements = new Set(chosen.filter((line) => line.kernel === state.kernel).map((line) => String(line.statement)));
    for (const path of all(`#timeline .figure[data-kernel="${state.kernel}"] path[data-s]`))
      if (statements.has(path.dataset.s)) mark(path, "on");
  }

  function markRings(names) {
    for (const name of names)
      for (const shape of all(`#memory .figure[data-kernel="${state.kernel}"] [data-ring]`))
        if (shape.dataset.ring === name) mark(shape, "on");
  }

  // Numbers the waits and arrivals of a barrier in the timeline: a wait for 1:0 ends with the last arrival 1:0, at stage
  // 1 of the ring when it is used the first time.
  function numberPhases(barrier) {
    for (const path of all("#timeline path.on[data-p]")) {
      const [, x, y, width] = /M(\d+) (\d+)h(\d+)/.exec(path.getAttribute("d")), label = document.createElementNS(path.namespaceURI, "text");
      const waits = path.classList.contains("wait");
      if (waits && +width < 28) continue;
      label.textContent = `${path.dataset.p % barrier.stages}:${Math.floor(path.dataset.p / barrier.stages)}`;
      label.setAttribute("class", "phase");
      label.setAttribute("x", +x + 4);
      label.setAttribute("y", +y + (waits ? 13 : 9));
      path.parentNode.append(label);
    }
  }

  // Lights the lines, and the source they come from; `first` says which pane follows.
  function light(chosen, picked, first) {
    unmark();
    for (const line of chosen) {
      mark(cudaElement(line.number), line === picked ? "pick" : "same");
      if (line.file < 0 || !isCode(line) && line !== picked) continue;
      const element = sourceElement(line.file, line.line);
      mark(element, picked && first === "cuda" ? "pick" : "same");
      const token = element && element.querySelector(`a[data-c="${line.column}"]`);
      if (token && (line === picked || first !== "cuda")) mark(token, "on");
    }
    markTimeline(chosen);
    markRings([...new Set(chosen.flatMap((line) => line.rings))]);
    const here = chosen.filter((line) => line.kernel === state.kernel && isCode(line));
    const target = picked || here.find((line) => line.role === "consumer" || line.role === "producer") || here[0] || chosen[0];
    if (target && first !== "cuda") reveal(cudaElement(target.number));
    if (target && first !== "source" && target.file >= 0) reveal(sourceElement(target.file, target.line));
  }

  // ---- Selecting ------------------------------------------------------------------------------------------

  function pickCuda(number) {
    const line = lines[number];
    state.picked = { pane: "cuda", number };
    if (!line) return unmark(), mark(cudaElement(number), "pick");
    if (line.kernel >= 0) showKernel(line.kernel);
    const same = line.statement >= 0 ? ofStatement(`${line.kernel}-${line.statement}`) : [];
    const kin = line.kernel >= 0 && line.statement >= 0
      ? ofSource(`${line.file}-${line.line}`).filter((other) => other.kernel === line.kernel && other.column === line.column) : [];
    light([...new Set([line, ...same, ...kin])], line, "cuda");
    reveal(cudaElement(number));
    explainLine(line);
  }

  function pickSource(file, number, column) {
    state.picked = { pane: "source", file, number, column };
    let chosen = ofSource(`${file}-${number}`);
    if (column) chosen = chosen.filter((line) => line.column === column);
    const here = chosen.find((line) => line.kernel === state.kernel);
    if (!here && chosen.length && chosen[0].kernel >= 0) showKernel(chosen[0].kernel);
    light(chosen, null, "source");
    const element = sourceElement(file, number);
    mark(element, "pick");
    reveal(element);
    explainSource(file, number, column, chosen.filter((line) => line.kernel === state.kernel));
  }

  function pickBarrier(kernel, name) {
    showKernel(kernel);
    state.picked = { pane: "barrier", name };
    light(ofBarrier(`${kernel}-${name}`), null, "barrier");
    explainBarrier(kernel, name);
    if (barrierOf(kernel, name).stages) numberPhases(barrierOf(kernel, name));
    for (const row of all("#barriers tr[data-barrier]")) row.classList.toggle("on", row.dataset.barrier === name);
  }

  function pickRing(kernel, name) {
    showKernel(kernel);
    state.picked = { pane: "ring", name };
    light(linesOfRing(kernel, name), null, "ring");
    explainRing(kernel, name);
  }

  function pickStatement(kernel, statement) {
    const line = ofStatement(`${kernel}-${statement}`).find(isCode);
    if (line) pickCuda(line.number), reveal(cudaElement(line.number));
  }

  // ---- The reason panel -----------------------------------------------------------------------------------

  function linkTo(line, text) {
    return make("a", { href: "#c" + line.number, onclick: (event) => {
      event.preventDefault();
      pickCuda(line.number);
      if (narrow()) showView("cuda");
      else cudaElement(line.number).scrollIntoView({ block: "nearest" });
    } }, text || `${line.number}: ${line.role} ${line.kind}`);
  }
  function linkToSource(file, line) {
    return make("a", { href: `#s${file}-${line}`, onclick: (event) => {
      event.preventDefault();
      pickSource(file, line);
      if (narrow()) showView("source");
    } }, `${sourceNames[file]}:${line}`);
  }
  const linkToBarrier = (kernel, name) => make("a", { href: "#barriers", onclick: (event) => {
    event.preventDefault();
    showTab("barriers");
    pickBarrier(kernel, name);
  } }, name);
  const linkToRing = (kernel, name) => make("a", { href: "#memory", onclick: (event) => {
    event.preventDefault();
    pickRing(kernel, name);
  } }, name);

  const barrierOf = (kernel, name) => kernel >= 0 && data.kernels[kernel].barriers.find((barrier) => barrier.name === name);

  // One link for each statement, or for each line that is none.
  function linksTo(found) {
    const seen = new Set(), result = [];
    for (const line of found) {
      const key = line.statement >= 0 ? line.statement : "line" + line.number;
      if (seen.has(key)) continue;
      seen.add(key);
      result.push(linkTo(line));
    }
    return result;
  }

  function describe(list, term, ...content) {
    if (content.length) list.append(make("dt", {}, term), make("dd", {}, ...content));
  }

  // What a wait that names no barrier waits for: the role's own MMAs or stores.
  function awaited(line) {
    const kinds = { wait_wgmma: ["mma"], wait_stores_read: ["store"], commit_wgmma: ["mma"] }[line.operation];
    return kinds ? lines.filter((other) => other && other.kernel === line.kernel && other.role === line.role &&
      kinds.includes(other.kind) && (other.line === line.line || line.operation !== "commit_wgmma")) : [];
  }

  function explainLine(line) {
    const list = make("dl"), barrier = barrierOf(line.kernel, line.barrier);
    if (line.file >= 0) describe(list, "comes from", linkToSource(line.file, line.line), make("code", {}, codeOf(sourceElement(line.file, line.line))));
    if (barrier) {
      const users = ofBarrier(`${line.kernel}-${line.barrier}`);
      const arrivals = linksTo(users.filter((user) => user.signal === "arrive" || user.signal === "sync"));
      const waiters = linksTo(users.filter((user) => user.signal === "wait" || user.signal === "sync"));
      describe(list, line.signal === "wait" || line.signal === "sync" ? "waits for" : "barrier", linkToBarrier(line.kernel, line.barrier), `${barrier.means}`);
      if (line.signal !== "arrive" || line.kind === "load") describe(list, "who arrives", `${barrier.arrives} (${barrier.count}): `, ...arrivals);
      if (line.signal !== "wait") describe(list, "who waits", `${barrier.waits}: `, ...waiters);
    } else if (awaited(line).length) {
      describe(list, line.kind === "commit" ? "closes the group of" : "waits for", ...linksTo(awaited(line)));
    }
    if (line.rings.length) describe(list, "shared memory", ...line.rings.map((ring) => linkToRing(line.kernel, ring)));
    const text = data.texts[line.operation];
    if (text && text[1]) describe(list, "without it", make("span", { class: isSync(line) ? "wrong" : null }, text[1]));
    const quote = text && data.glossary[text[0]] ? make("blockquote", {}, data.glossary[text[0]], " (docs/glossary.md)") : null;
    show(
      make("p", {}, make("span", { class: "role" }, line.role), " ", make("span", { class: "role" }, line.kind), ` ${data.cuda}:${line.number} `,
        make("code", {}, codeOf(cudaElement(line.number)).slice(0, 160))),
      line.reason ? make("p", { class: "reason" }, line.reason) : null, list, quote);
  }

  function explainSource(file, number, column, chosen) {
    const rows = [], seen = new Set(), inRole = (line) => (line.role === "producer" || line.role === "consumer" ? 0 : 1);
    for (const first of [...chosen].sort((a, b) => inRole(a) - inRole(b) || a.number - b.number)) {
      if (!isCode(first) || first.role === "plan" || first.role === "launcher" || (first.statement >= 0 && seen.has(first.statement))) continue;
      seen.add(first.statement);
      // The line that says it, not what stands before it.
      const line = ofStatement(`${first.kernel}-${first.statement}`).find((one) => isCode(one) && !/^(#|if \((leader|threadIdx))/.test(codeOf(cudaElement(one.number)))) || first;
      rows.push(make("tr", {}, make("td", {}, make("span", { class: "role" }, line.role)), make("td", {}, line.kind),
        make("td", {}, linkTo(line, String(line.number))), make("td", {}, make("code", {}, codeOf(cudaElement(line.number)).replace(/\s*\/\/.*/, ""))),
        make("td", {}, line.reason)));
      if (rows.length === 60) break;
    }
    const token = column ? sourceElement(file, number).querySelector(`a[data-c="${column}"]`) : null;
    show(make("p", {}, make("strong", {}, `${sourceNames[file]}:${number}`), token ? ` from ${token.textContent}: ` : " ",
        make("code", {}, codeOf(sourceElement(file, number)))),
      rows.length ? make("p", {}, `What ${data.kernels.length > 1 ? data.kernels[state.kernel].name : "it"} became: ${rows.length} statements, each with its reason where it waits or orders.`)
        : make("p", {}, "No statement of the CUDA comes from this line alone: it declares something, or was folded into others."),
      rows.length ? make("table", {}, make("tr", {}, ...["role", "kind", "line", "CUDA", "why"].map((head) => make("th", {}, head))), ...rows) : null);
  }

  function explainBarrier(kernel, name) {
    const barrier = barrierOf(kernel, name), users = ofBarrier(`${kernel}-${name}`), text = data.texts[barrier.stages ? "wait_barrier" : "sync_warpgroup"];
    const list = make("dl");
    describe(list, "means", barrier.means);
    describe(list, "arrivals", `${barrier.arrives} (${barrier.count}): `, ...linksTo(users.filter((user) => user.signal !== "wait" && user.signal !== "init")));
    describe(list, "waits", `${barrier.waits}: `, ...linksTo(users.filter((user) => user.signal === "wait" || user.signal === "sync")));
    describe(list, "set up", ...linksTo(users.filter((user) => user.signal === "init")));
    const detail = find("#barriers .detail");
    const parts = [make("h3", {}, name), list, make("blockquote", {}, data.glossary[text[0]])];
    if (detail) detail.replaceChildren(...parts);
    find("#why .body").replaceChildren(...parts.map((part) => part.cloneNode(true)));
  }

  function explainRing(kernel, name) {
    const ring = data.kernels[kernel].rings.find((candidate) => candidate.name === name);
    if (!ring) return;
    const list = make("dl");
    describe(list, "holds", `${ring.stages} ${ring.stages === 1 ? "stage" : "stages"} of ${ring.rows} x ${ring.cols} ${ring.element}, ${ring.stageBytes} bytes each`);
    for (const [term, names] of [["full when", ring.full], ["freed by", ring.empty]])
      for (const barrier of names) describe(list, term, linkToBarrier(kernel, barrier), barrierOf(kernel, barrier).means);
    describe(list, "used by", ...linksTo(ofRing(`${kernel}-${name}`).filter((line) => line.role !== "plan")));
    const detail = find(`#memory .figure[data-kernel="${kernel}"] .detail`), parts = [make("h3", {}, `Ring ${name}`), list];
    if (detail && state.tab === "memory") detail.replaceChildren(...parts);
    else show(...parts);
  }

  // Fills the reason panel and opens it, unless a figure is being looked at.
  function show(...content) {
    find("#why .body").replaceChildren(...content.filter(Boolean));
    if (!["timeline", "memory", "barriers"].includes(state.tab)) showTab("why");
    const status = find("#status");
    status.textContent = state.tab === "why" ? "" : (find("#why .reason") || find("#why p, #why h3") || status).textContent.slice(0, 110);
  }

  // ---- Barriers -------------------------------------------------------------------------------------------

  function fillBarriers() {
    const kernel = data.kernels[state.kernel], rows = kernel.barriers.map((barrier) => make("tr", {
      tabindex: 0, "data-barrier": barrier.name, onclick: () => pickBarrier(state.kernel, barrier.name),
    }, make("th", {}, barrier.name + (barrier.stages > 1 ? "[stage]" : "")), make("td", { class: "num" }, barrier.count),
      make("td", {}, barrier.arrives), make("td", {}, barrier.waits), make("td", {}, barrier.means)));
    find("#barriers .body").replaceChildren(
      make("p", {}, "Choose a barrier: its arrivals and waits light up in the CUDA and in the timeline, numbered stage:phase."),
      make("table", {}, make("tr", {}, ...["barrier", "count", "arrives", "waits", "means"].map((head) => make("th", {}, head))), ...rows),
      make("div", { class: "detail" }));
  }

  // ---- Layouts --------------------------------------------------------------------------------------------

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

  // ---- What if --------------------------------------------------------------------------------------------

  // Other shapes of the tiles, by the arithmetic of the plan; what the compiler would decide, only it knows.
  function fillWhatIf() {
    const kernel = data.kernels[state.kernel], loaded = kernel.rings.filter((ring) => ring.full.length && ring.rows > 1);
    const figure = find(`#memory .figure[data-kernel="${state.kernel}"]`);
    for (const old of all("#whatif, #memory .detail")) old.remove();
    figure.append(make("div", { class: "detail" }));
    if (!loaded.length && !kernel.fragments.length) return;
    const consumer = kernel.roles.find((role) => role.kind === "consumer") || { registers: 0, tiles: 0 };
    const result = make("p", { class: "reason" }), depths = new Map(), inputs = [];
    for (const ring of loaded) depths.set(ring.stages, (depths.get(ring.stages) || 0) + ring.stages * ring.stageBytes);
    const field = (tile, name, reads) => {
      const input = make("input", { type: "number", min: 8, step: 8, value: tile[name], "aria-label": `${name} of ${tile.name}`, oninput: () => reads() });
      inputs.push([tile, name, input]);
      return input;
    };
    const value = (tile, name) => +inputs.find((entry) => entry[0] === tile && entry[1] === name)[2].value;
    const tilesOfRegisters = kernel.fragments.filter((tile, index, list) => list.findIndex((other) => other.name === tile.name) === index);
    function compute() {
      const depth = Math.max(...loaded.map((ring) => ring.stages), 0), deep = loaded.filter((ring) => ring.stages === depth);
      const bytes = (ring) => (value(ring, "rows") * value(ring, "cols") * ring.bits) / 8 + ring.stageBytes - (ring.rows * ring.cols * ring.bits) / 8;
      let fixed = kernel.shared - deep.reduce((sum, ring) => sum + ring.stages * ring.stageBytes, 0);
      for (const ring of loaded) if (ring.stages !== depth) fixed += ring.stages * (bytes(ring) - ring.stageBytes);
      const stage = deep.reduce((sum, ring) => sum + bytes(ring), 0), fits = stage ? Math.max(0, Math.floor((kernel.budget - fixed) / stage)) : 0;
      const more = tilesOfRegisters.reduce((sum, tile) => sum + ((value(tile, "rows") * value(tile, "cols") - tile.rows * tile.cols) * tile.bits) / 32 / (32 * tile.warps), 0);
      const parts = [];
      if (stage) parts.push(`one stage of ${deep.map((ring) => ring.name).join(" and ")} takes ${stage} bytes, ${fits} ${fits === 1 ? "stage fits" : "stages fit"} (now ${depth})`);
      if (more) parts.push(`register tiles ${more > 0 ? "take" : "give back"} ${Math.abs(Math.round(more))} registers a thread: ${Math.round(consumer.tiles + more)} of ${consumer.registers || "those at launch"}` +
        (consumer.registers && consumer.tiles + more > consumer.registers - 28 ? ", too many beside addresses and indices: they would spill" : ""));
      if (tilesOfRegisters.some((tile) => value(tile, "cols") > 256)) parts.push("one wgmma has at most 256 columns: such a tile is several MMAs");
      result.textContent = parts.join("; ") + ".";
    }
    const row = (tile, where) => make("tr", {}, make("th", {}, tile.name), make("td", {}, where), make("td", {}, field(tile, "rows", compute)),
      make("td", {}, field(tile, "cols", compute)), make("td", {}, tile.element));
    figure.append(make("div", { id: "whatif" }, make("h3", {}, "What if a tile had another shape?"),
      make("table", {}, make("tr", {}, ...["tile", "in", "rows", "columns", "element"].map((head) => make("th", {}, head))),
        ...loaded.map((ring) => row(ring, "shared memory")), ...tilesOfRegisters.map((tile) => row(tile, "registers of a warpgroup"))), result,
      make("p", {}, "This is the arithmetic of the plan above. To see what tkc decides: ", make("code", {}, `tkc ${data.source} --emit=html --compare '...'`),
        " with the parameters, as in ", make("code", {}, `${kernel.name}<...>`), kernel.parameters ? ` (here ${kernel.parameters})` : "", ".")));
    compute();
  }

  // ---- Compare --------------------------------------------------------------------------------------------

  function factsOf(kernel) {
    const facts = [["parameters", kernel.parameters], ["threads a block", kernel.threads], ["shared memory", `${kernel.shared} bytes`], ["limiter", kernel.limiter]];
    for (const role of kernel.roles)
      facts.push([`${role.kind}`, `${role.warpgroups} x 128 threads, ${role.registers || "as launched"} registers, tiles ${role.tiles}, expected ${role.predicted}`]);
    for (const ring of kernel.rings) facts.push([`ring ${ring.name}`, `${ring.stages} x ${ring.rows}x${ring.cols} ${ring.element}, swizzle ${ring.swizzle || "none"}`]);
    for (const barrier of kernel.barriers) facts.push([`barrier ${barrier.name}`, `${barrier.count} ${barrier.count === 1 ? "arrival" : "arrivals"} (${barrier.arrives}); ${barrier.waits} wait`]);
    for (const [part, cycles] of kernel.limits) facts.push([`${part}, cycles an iteration`, cycles]);
    return facts;
  }
  const waitsOf = (kernel) => kernel.waits.map(([role, operation, reason]) => `${role}: ${operation}: ${reason}`);

  function fillCompare() {
    const body = find("#compare .body"), names = data.kernels.map((kernel) => kernel.name);
    if (names.length < 2)
      return body.replaceChildren(make("p", {}, "This page has one kernel. Another instance beside it: ",
        make("code", {}, `tkc ${data.source} --emit=html --compare '${names[0]}<...>'`), data.kernels[0].parameters ? `, here with ${data.kernels[0].parameters}` : ""));
    const pick = (start) => make("select", { onchange: () => compute(), "aria-label": "kernel" }, ...names.map((name, index) => make("option", { value: index, selected: index === start ? "" : null }, name)));
    const other = data.compared > 0 ? data.compared : 1, left = pick(0), right = pick(other), result = make("div");
    function lists(title, a, b) {
      const onlyA = a.filter((item) => !b.includes(item)), onlyB = b.filter((item) => !a.includes(item));
      const both = a.length - onlyA.length;
      const column = (items) => make("td", {}, ...items.map((item) => make("div", {}, item)));
      return [make("tr", {}, make("th", {}, `${title}: ${both} in both`), column(onlyA), column(onlyB))];
    }
    function compute() {
      const a = data.kernels[left.value], b = data.kernels[right.value], ofB = new Map(factsOf(b)), ofA = new Map(factsOf(a)), rows = [];
      for (const name of new Set([...ofA.keys(), ...ofB.keys()])) {
        const x = ofA.get(name) ?? "none", y = ofB.get(name) ?? "none";
        rows.push(make("tr", { class: x === y ? null : "differs" }, make("th", {}, name), make("td", {}, x), make("td", {}, x === y ? "the same" : y)));
      }
      result.replaceChildren(make("table", {}, make("tr", {}, make("th", {}, "differences are marked"), make("th", {}, a.name), make("th", {}, b.name)), ...rows,
        ...lists("waits and fences", waitsOf(a), waitsOf(b)), ...lists("done", a.done, b.done), ...lists("not done", a.missed, b.missed)));
    }
    body.replaceChildren(make("div", { class: "controls" }, left, right), result);
    compute();
  }

  // ---- Passes ---------------------------------------------------------------------------------------------

  function applyChanges(text, changes) {
    const result = [];
    let at = 0;
    for (const [start, removed, added] of changes) {
      result.push(...text.slice(at, start), ...added);
      at = start + removed;
    }
    return result.concat(text.slice(at));
  }

  function fillPasses() {
    const body = find("#passes .body"), texts = [[]];
    if (!body) return;
    for (const [, changes] of data.passes) texts.push(applyChanges(texts.at(-1), changes));
    const view = make("div", { class: "diff" });
    const choice = make("select", { "aria-label": "pass", onchange: () => open(+choice.value) }, ...data.passes.map(([name, changes], index) =>
      make("option", { value: index }, index ? `${index}. ${name}: ${changes.length} ${changes.length === 1 ? "change" : "changes"}` : name)));
    function open(index) {
      const before = texts[index], parts = [], context = 3;
      for (const [start, removed, added] of data.passes[index][1]) {
        if (index) parts.push(make("div", { class: "at" }, `line ${start + 1}`), ...before.slice(Math.max(0, start - context), start).map((line) => make("div", {}, "  " + line)));
        parts.push(...before.slice(start, start + removed).map((line) => make("div", { class: "del" }, "- " + line)),
          ...added.map((line) => make("div", { class: index ? "add" : null }, (index ? "+ " : "  ") + line)));
        if (index) parts.push(...before.slice(start + removed, start + removed + context).map((line) => make("div", {}, "  " + line)));
      }
      view.replaceChildren(...parts);
    }
    const step = (by) => {
      choice.value = Math.max(0, Math.min(data.passes.length - 1, +choice.value + by));
      open(+choice.value);
    };
    body.replaceChildren(make("div", { class: "controls" }, make("button", { onclick: () => step(-1) }, "before (k)"), choice,
      make("button", { onclick: () => step(1) }, "next (j)")), view);
    state.stepPass = step;
    open(0);
  }

  // ---- Tabs, kernels, views -------------------------------------------------------------------------------

  const narrow = () => innerWidth < 900;
  const tabs = all("#panels > .panel").map((panel) => [panel.id, panel.querySelector("h2").textContent]);

  // What takes time is made when it is looked at.
  function fillTab(id) {
    if (id === "layouts" && state.layoutsOf !== state.kernel) {
      state.layoutsOf = state.kernel;
      fillLayouts();
    } else if (id === "passes" && !state.stepPass) fillPasses();
    else if (id === "compare" && !find("#compare .body").firstChild) fillCompare();
  }

  function showTab(id) {
    state.tab = id;
    fillTab(id);
    for (const [name] of tabs) document.getElementById(name).hidden = name !== id;
    for (const button of all("#tabs button[role=tab]")) button.setAttribute("aria-selected", button.dataset.tab === id);
    if (narrow() && state.view !== "panels") showView("panels");
  }

  function showView(id) {
    state.view = id;
    for (const part of all("main > *")) part.classList.toggle("shown", part.id === id);
    for (const button of all("#views button")) button.setAttribute("aria-selected", button.dataset.view === id);
    if (!state.testing && narrow()) reveal(find(`#${id} .pick`) || find(`#${id} .same`));
  }

  function showKernel(index, scrolls) {
    if (scrolls) document.getElementById("k" + index)?.scrollIntoView({ block: "start" });
    if (index === state.kernel && state.ready) return;
    state.kernel = index;
    state.ready = true;
    for (const figure of all(".figure")) figure.hidden = figure.dataset.kernel !== String(index);
    const choice = find("#kernel");
    if (choice) choice.value = index;
    fillBarriers();
    fillWhatIf();
    fillTab(state.tab);
  }

  function setUp() {
    document.body.classList.remove("plain");
    const bar = find("#tabs");
    bar.setAttribute("role", "tablist");
    for (const [id, title] of tabs)
      bar.append(make("button", { role: "tab", "data-tab": id, "aria-controls": id, onclick: () => showTab(id) }, title));
    if (data.kernels.length > 1)
      bar.prepend(make("select", { id: "kernel", "aria-label": "kernel", onchange: (event) => showKernel(+event.target.value, true) },
        ...data.kernels.map((kernel, index) => make("option", { value: index }, kernel.name))));
    bar.append(make("span", { id: "status" }));
    for (const [id, title] of [["source", "Source"], ["cuda", "CUDA"], ["panels", "Figures"]])
      find("#views").append(make("button", { "data-view": id, onclick: () => showView(id) }, title));
    showKernel(0);
    showTab("why");
    showView("source");
    find("#why .body").replaceChildren(make("p", {}, "Choose a line or an underlined word in the source: every statement that came from it lights up, in all roles. " +
      "Choose a line of the CUDA: why it is there, what it waits for and who arrives. Arrow keys move, Enter goes to the other side."));
  }

  // ---- Hands ----------------------------------------------------------------------------------------------

  function clicked(event) {
    const target = event.target;
    const line = target.closest?.("#cuda pre > div, #source pre > div");
    if (line) {
      if (String(getSelection()).length && !state.testing) return;
      event.preventDefault();
      if (line.closest("#cuda")) return pickCuda(+line.id.slice(1));
      const [file, number] = line.id.slice(1).split("-").map(Number), token = target.closest("a[data-c]");
      return pickSource(file, number, token ? +token.dataset.c : 0);
    }
    const figure = target.closest?.(".figure"), shape = target.closest?.("[data-s], [data-ring]");
    if (figure && shape)
      return shape.dataset.s ? pickStatement(+figure.dataset.kernel, shape.dataset.s) : pickRing(+figure.dataset.kernel, shape.dataset.ring);
    const link = target.closest?.(".figure a[href^='#s']");
    if (link) {
      event.preventDefault();
      const [file, number] = link.hash.slice(2).split("-").map(Number);
      pickSource(file, number);
    }
  }

  // The next line up or down that is something; blank lines and other kernels' are passed over.
  function step(by) {
    const picked = state.picked;
    if (picked && picked.pane === "source") {
      let number = picked.number + by;
      while (sourceElement(picked.file, number) && !ofSource(`${picked.file}-${number}`).length) number += by;
      if (sourceElement(picked.file, number)) pickSource(picked.file, number);
    } else {
      let number = (picked && picked.pane === "cuda" ? picked.number : 0) + by;
      while (number > 0 && number < lines.length && !lines[number]) number += by;
      if (lines[number]) pickCuda(number);
    }
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    const inCode = event.target === document.body || event.target.closest?.(".code");
    if ((event.key === "j" || event.key === "k") && state.tab === "passes" && state.stepPass) return state.stepPass(event.key === "j" ? 1 : -1);
    if (inCode && ["ArrowDown", "ArrowUp", "j", "k"].includes(event.key)) {
      const pane = event.target.closest?.(".code");
      if (pane && (!state.picked || state.picked.pane !== pane.id)) // begin in the pane that has the focus
        state.picked = pane.id === "cuda" ? { pane: "cuda", number: 0 } : { pane: "source", file: 0, number: 0 };
      event.preventDefault();
      return step(event.key === "ArrowDown" || event.key === "j" ? 1 : -1);
    }
    if (inCode && event.key === "Enter" && state.picked) {
      const picked = state.picked, line = picked.pane === "cuda" && lines[picked.number];
      event.preventDefault();
      if (line && line.file >= 0) return pickSource(line.file, line.line, line.column), find("#source").focus({ preventScroll: true });
      const there = picked.pane === "source" && ofSource(`${picked.file}-${picked.number}`).find((other) => other.kernel === state.kernel && isCode(other) && other.statement >= 0);
      if (there) return pickCuda(there.number), find("#cuda").focus({ preventScroll: true });
    }
    if ((event.key === "Enter" || event.key === " ") && event.target.matches?.("tr[tabindex]")) {
      event.preventDefault();
      event.target.click();
    }
    if (event.key === "Escape") unmark();
  }

  // "#c76" and "#s0-7" select and "#timeline" opens a figure, so that a link into the page works.
  function followHash() {
    const cuda = /^#c(\d+)$/.exec(location.hash), source = /^#s(\d+)-(\d+)$/.exec(location.hash);
    if (cuda && lines[+cuda[1]]) pickCuda(+cuda[1]);
    else if (source && sourceElement(+source[1], +source[2])) pickSource(+source[1], +source[2]);
    else if (tabs.some(([id]) => "#" + id === location.hash)) showTab(location.hash.slice(1));
  }

  // ---- The page's own test --------------------------------------------------------------------------------

  // Five questions of somebody who opens the page for the first time, answered by clicking what can be seen.
  function answerQuestions(kernel, check) {
    const index = data.kernels.indexOf(kernel), tab = (id) => find(`#tabs [data-tab=${id}]`).click(), loaded = kernel.rings.find((ring) => ring.full.length && ring.empty.length);
    const ask = (question, holds) => check(holds, `${kernel.name}: the page does not answer "${question}"`);
    const wait = lines.find((line) => line && line.kernel === index && line.kind === "wait" && line.role === "consumer" && line.barrier);
    if (wait) {
      cudaElement(wait.number).click();
      ask(`why does line ${wait.number} wait?`, find("#why .reason")?.textContent === wait.reason && /waits for[^]*who arrives[^]*without it/.test(find("#why dl").textContent));
    }
    const tiles = kernel.fragments.filter((fragment) => fragment.bits === 32), change = (element, value, event) => { element.value = value; element.dispatchEvent(new Event(event, { bubbles: true })); };
    if (tiles.length) {
      tab("memory");
      change(find(`#whatif input[aria-label="cols of ${tiles[0].name}"]`), 320, "input");
      ask("what if a tile had 320 columns?", /registers a thread.*at most 256 columns/.test(find("#whatif .reason").textContent));
      tab("layouts");
      const choice = find('#layouts select[aria-label="tile"]'), option = [...choice.options].find((one) => one.textContent.startsWith(tiles[0].name + ":") && one.textContent.endsWith("registers"));
      change(choice, option.value, "change");
      change(find('#layouts input[aria-label="column"]'), 5, "input");
      change(find('#layouts input[aria-label="row"]'), tiles[0].warps === 4 ? 17 : 1, "input"); // row 1 of its 16
      ask("which lane holds element (17, 5)?", find("#place").textContent.includes(`warp ${tiles[0].warps === 4 ? 1 : 0} of the warpgroup, lane 6,`));
    }
    if (loaded) {
      tab("memory");
      find(`#memory .figure[data-kernel="${index}"] tr[data-ring="${loaded.name}"] th`).click();
      const answer = [...document.querySelectorAll(`#memory .figure[data-kernel="${index}"] .detail dt`)].find((term) => term.textContent === "freed by")?.nextSibling.querySelector("a");
      answer?.click();
      ask(`which barrier frees ${loaded.name}'s stage?`, answer && loaded.empty.includes(answer.textContent) && state.tab === "barriers" && find(".code .same"));
      tab("layouts");
      const played = kernel.accesses.find(([, , buffer]) => buffer === loaded.name), choice = find('#layouts select[aria-label="tile"]');
      change(choice, [...choice.options].find((one) => one.textContent.startsWith(loaded.name + ":") && one.textContent.endsWith("shared memory")).value, "change");
      if (played && loaded.swizzle) {
        find('#player [aria-label="next wavefront"]').click();
        ask("what does an access do?", /^wavefront 2 of/.test(find("#place").textContent) && all("#banks .on, #banks .clash").length);
      }
    }
    tab("timeline");
    if (kernel.limiter) ask("what limits this loop?", find(`#timeline .figure[data-kernel="${index}"]:not([hidden]) strong`)?.textContent === `Limiter: ${kernel.limiter}`);
  }

  function selfTest() {
    const faults = [];
    let checks = 0;
    const check = (holds, what) => {
      ++checks;
      if (!holds && faults.length < 20) faults.push(what);
    };
    state.testing = true;

    check(all("#cuda pre > div").length === data.lines.length, "the CUDA and the line table have different lengths");
    const places = new Set();
    for (const line of lines) {
      if (!line) continue;
      const where = `line ${line.number} (${line.role} ${line.kind})`, element = cudaElement(line.number);
      check(element && codeOf(element), `${where} has no text`);
      if (isSync(line)) check(line.reason, `${where} has no reason`);
      if (isSync(line)) check(data.texts[line.operation], `${where} has no text on its operation`);
      if (line.reason) places.add(line.reason);
      if (line.file >= 0) {
        const source = sourceElement(line.file, line.line);
        check(source && source.querySelector(`a[data-c="${line.column}"]`), `${where} comes from a token that is not in the source`);
      }
      if (line.barrier && isCode(line) && line.signal) check(barrierOf(line.kernel, line.barrier), `${where} uses a barrier that is not in the table`);
    }
    for (const [index, reason] of data.reasons.entries()) check(reason.trim() && places.has(reason), `reason ${data.reasonIds[index]} has no place`);
    for (const [operation, [term]] of Object.entries(data.texts)) check(data.glossary[term], `the glossary does not explain '${term}', for ${operation}`);

    // Both ways, by hand: from each token to all its lines, and from each line to its token.
    for (const token of all("#source a[data-c]")) {
      const element = token.closest("div"), [file, number] = element.id.slice(1).split("-").map(Number);
      token.click();
      const lit = lines.filter((line) => line && line.file === file && line.line === number && line.column === +token.dataset.c);
      check(lit.length && lit.every((line) => cudaElement(line.number)?.classList.contains("same")), `${element.id}, column ${token.dataset.c}: not all of its lines light up`);
      check(find("#why .body").textContent.trim(), `${element.id} explains nothing`);
    }
    const clickedStatements = new Set();
    for (const line of lines) {
      if (!line || line.statement < 0 || !cudaElement(line.number)) continue;
      if (clickedStatements.has(`${line.kernel}-${line.statement}-${line.kind}`)) continue;
      clickedStatements.add(`${line.kernel}-${line.statement}-${line.kind}`);
      cudaElement(line.number).click();
      check(sourceElement(line.file, line.line)?.classList.contains("pick"), `line ${line.number} lights no source`);
      if (line.reason) check(find("#why .reason")?.textContent === line.reason, `line ${line.number} does not show its reason`);
    }

    for (const [id] of tabs) {
      showTab(id);
      check(document.getElementById(id).textContent.length > id.length + 2, `the figure ${id} is empty`);
    }
    data.kernels.forEach((kernel, index) => {
      for (const barrier of kernel.barriers) {
        const users = ofBarrier(`${index}-${barrier.name}`);
        check(users.some((user) => user.signal === "wait" || user.signal === "sync"), `${kernel.name}: nobody waits at ${barrier.name}`);
        check(users.some((user) => user.signal === "arrive" || user.signal === "sync"), `${kernel.name}: nobody arrives at ${barrier.name}`);
      }
      for (const path of all(`#timeline .figure[data-kernel="${index}"] path[data-s]`)) check(ofStatement(`${index}-${path.dataset.s}`).length, `a bar of ${kernel.name}'s timeline has no line`);
      for (const shape of all(`#memory .figure[data-kernel="${index}"] rect[data-ring]`)) check(kernel.rings.some((ring) => ring.name === shape.dataset.ring), `${shape.dataset.ring} of ${kernel.name}'s memory is no ring`);
      for (const tile of kernel.fragments) { // as many elements as there are places, each place once
        const seen = new Set();
        for (let r = 0; r < Math.min(tile.rows, 64); ++r)
          for (let c = 0; c < Math.min(tile.cols, 32); ++c) {
            const at = placeInRegisters(tile, r, c);
            seen.add(`${at.warp} ${at.lane} ${at.register} ${at.part}`);
          }
        check(seen.size === Math.min(tile.rows, 64) * Math.min(tile.cols, 32), `two elements of ${kernel.name}'s ${tile.name} share a place`);
      }
      for (const ring of kernel.rings) {
        if (ring.rows % 8) continue;
        const seen = new Set(), step = Math.max(1, 8 / ring.bits);
        for (let r = 0; r < ring.rows; ++r) for (let c = 0; c < ring.cols; c += step) seen.add(placeInShared(ring, r, c));
        check(seen.size === ring.rows * Math.ceil(ring.cols / step) && Math.max(...seen) < ring.stageBytes, `two elements of ${kernel.name}'s ${ring.name} share a byte`);
      }
    });
    data.kernels.forEach((kernel, index) => {
      showKernel(index);
      for (const [, how, buffer, pattern, ways] of kernel.accesses) { // counted twice, here and by the compiler
        const ring = kernel.rings.find((other) => other.name === buffer), fronts = ring ? wavefrontsOf(ring, pattern) : [];
        if (fronts.length) check(Math.max(...fronts.map((front) => Math.max(...banksOf(ring, front)))) === ways, `${kernel.name}: ${how} of ${buffer} is not ${ways}-way when it is played`);
      }
      answerQuestions(kernel, check);
    });
    for (const link of all("a[href^='#']")) check(document.getElementById(link.hash.slice(1)), `a link leads to ${link.hash}, which is not there`);
    check(!all("[src], link, iframe, object").length, "the page loads something");
    check(document.documentElement.scrollWidth <= innerWidth + 1, "the page is wider than the window");

    const verdict = make("div", { id: "verdict", class: faults.length ? "bad" : null, "data-result": faults.length ? "failed" : "passed" },
      faults.length ? `selftest: failed\n${faults.join("\n")}` : `selftest: ${checks} checks passed`);
    document.body.prepend(verdict);
    state.testing = false;
  }

  setUp();
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  addEventListener("hashchange", followHash);
  if (location.hash === "#selftest") {
    try {
      selfTest();
    } catch (error) {
      document.body.prepend(make("div", { id: "verdict", class: "bad", "data-result": "failed" }, `selftest: failed\n${error.stack}`));
    }
  } else followHash();
})();
