// comparisons.js - Other sizes, other instances and the IR before and after a pass, beside what is.

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
