// selftest.js - The page's own test.

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
