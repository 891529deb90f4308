// reasons.js - The panels that say why a line, a barrier or a ring is there.

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
