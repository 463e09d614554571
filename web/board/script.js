// j and k lead to the next and the previous case.
"use strict";
document.addEventListener("keydown", function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) { return; }
  const text = { j: "Next (j)", k: "Previous (k)" }[event.key];
  const link = text && [...document.querySelectorAll("p.tools a")].find(function (a) { return a.textContent === text; });
  if (link) { location.href = link.href; }
});

// Keeps the page of a run up to date. One tab of a browser holds the connection and tells the
// others, because a browser opens only six connections to a server.
(function () {
  const main = document.querySelector("main");
  if (!main.dataset.events) { return; }
  const announced = document.getElementById("status");
  const channel = new BroadcastChannel("compqa-live");
  let source = null, release = null, last = 0, late = 0;

  function show(state) {
    const find = function (key) { return document.querySelector('[data-value="' + CSS.escape(key) + '"]'); };
    if (Object.keys(state.values).some(function (key) { return key.includes(":") && !find(key); })) {
      location.reload(); // there is a new system or judge
      return;
    }
    for (const [key, text] of Object.entries(state.values)) {
      const place = find(key);
      if (place && place.textContent !== text) { place.textContent = text; }
    }
    clearTimeout(late);
    const announce = function () { last = Date.now(); announced.textContent = state.status; };
    if (Date.now() - last >= 5000) { announce(); } else { late = setTimeout(announce, 5000); }
  }

  function open() {
    source = new EventSource(main.dataset.events);
    source.onmessage = function (event) {
      channel.postMessage(event.data);
      show(JSON.parse(event.data));
    };
  }

  function start() {
    if (source || release || document.hidden) { return; }
    if (!navigator.locks) { open(); return; }
    const waiting = new AbortController();
    release = function () { waiting.abort(); };
    navigator.locks.request("compqa-live", { signal: waiting.signal }, function () {
      open();
      return new Promise(function (resolve) { release = resolve; });
    }).catch(function () {});
  }

  function stop() {
    if (source) { source.close(); source = null; }
    if (release) { release(); release = null; }
  }

  channel.onmessage = function (event) { show(JSON.parse(event.data)); };
  document.addEventListener("visibilitychange", function () { if (document.hidden) { stop(); } else { start(); } });
  addEventListener("pagehide", stop);
  addEventListener("pageshow", start);
  start();
})();
