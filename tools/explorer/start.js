// start.js - What happens when the page has been read.

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
