// selection.js - Which lines are lit, in both texts and in the figures, and which one is picked.

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
