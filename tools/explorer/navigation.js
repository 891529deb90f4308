// navigation.js - Tabs, kernels, views, and what a click, a key or a link does.

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
