// explorer.js - Connects the two texts and the figures of a page that tkc --emit=html wrote.
//
// The texts and figures are in the page already; this script adds what needs a hand on it: selection in both
// directions, the reasons, layouts under the pointer, comparisons. It knows nothing of CUDA or of kernels: what
// a line is, tkc has written into the data. Opened with #selftest, the page checks itself and writes a verdict.
//
// tkc joins the files of this folder in the order of compiler/explorer/CMakeLists.txt to one strict function.
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
