// j and k lead to the next and the previous case.
"use strict";
document.addEventListener("keydown", function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) { return; }
  const text = { j: "Next", k: "Previous" }[event.key];
  const link = text && [...document.querySelectorAll(".where a")].find(function (a) { return a.textContent.includes(text); });
  if (link) { location.href = link.href; }
});

// A choice with the mouse applies at once; one with the keyboard, which passes over other choices, with Enter.
document.querySelectorAll(".filters select").forEach(function (select) {
  let keys = false;
  const apply = function () { select.form.requestSubmit(); };
  select.addEventListener("pointerdown", function () { keys = false; });
  select.addEventListener("keydown", function (event) { keys = true; if (event.key === "Enter") { event.preventDefault(); apply(); } });
  select.addEventListener("change", function () { if (!keys && !document.documentElement.hasAttribute("data-files")) { apply(); } });
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
    const numbers = function (key) { return (find(key).textContent.match(/\d+/g) || []).map(Number); };
    const draw = function (bar, [done, planned], [invalid]) {
      if (!bar || !planned) { return; }
      const valid = 100 * (done - invalid) / planned;
      bar.querySelector(".done").setAttribute("width", valid + "%");
      bar.querySelector(".failed").setAttribute("x", valid + "%");
      bar.querySelector(".failed").setAttribute("width", 100 * invalid / planned + "%");
    };
    draw(document.querySelector(".whole-run svg"), numbers("done"), numbers("invalid"));
    for (const key of Object.keys(state.values)) {
      if (key.startsWith("done:")) { draw(find(key).closest("tr").querySelector("svg"), numbers(key), numbers(key.replace("done", "invalid"))); }
    }
    document.querySelectorAll("svg.calls rect").forEach(function (bar, i) {
      bar.setAttribute("y", 100 - (state.calls[i] || 0) + "%");
      bar.setAttribute("height", (state.calls[i] || 0) + "%");
    });
    document.title = document.title.replace(/^[^·]*/, state.values.title + " ");
    if (state.figures > Number(main.dataset.figures) && performance.now() > 30000) {
      location.reload(); // there are new points
      return;
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

// Pages in files have no server: here the script sorts tables and writes them as Markdown.
(function () {
  if (!document.documentElement.hasAttribute("data-files")) { return; }

  // What a cell is sorted by: the number that it begins with, or its letters.
  function number(cell) {
    const found = /^[^\d\s(]{0,2}\s?(\d+\.?\d*)/.exec(cell.textContent.trim());
    return found ? Number(found[1]) * (/^[-−]/.test(cell.textContent.trim()) ? -1 : 1) : NaN;
  }
  function sort(table, column, descending) {
    const rows = [...table.tBodies[0].rows], empty = function (row) { return /^[–?]?$/.test(row.cells[column].textContent.trim()); };
    const numbers = rows.every(function (row) { return empty(row) || !isNaN(number(row.cells[column])); });
    rows.sort(function (a, b) {
      if (empty(a) || empty(b)) { return empty(a) - empty(b); }
      const x = a.cells[column], y = b.cells[column];
      return (descending ? -1 : 1) * (numbers ? number(x) - number(y) : x.textContent.localeCompare(y.textContent));
    });
    table.tBodies[0].append(...rows);
    [...table.tHead.rows[0].cells].forEach(function (th, c) {
      if (c === column) { th.setAttribute("aria-sort", descending ? "descending" : "ascending"); } else { th.removeAttribute("aria-sort"); }
    });
  }
  function markdown(table) {
    const lines = [...table.querySelectorAll("tr:not(.below, .group, .spans)")].map(function (row) {
      return "| " + [...row.cells].filter(function (c) { return !c.matches(".drawing"); }).map(function (c) { return c.innerText.trim().replace(/\s+/g, " ").replace(/[\\|*_`<]/g, "\\$&"); }).join(" | ") + " |";
    });
    lines.splice(1, 0, "|" + [...table.tHead.querySelectorAll("tr:last-child > :not(.drawing)")].map(function (c) { return c.className === "n" ? " --: |" : " --- |"; }).join(""));
    return lines.join("\n") + "\n";
  }
  for (const table of document.querySelectorAll(".scroll > table")) {
    if (table.tBodies[0].rows.length > 1 && !table.tHead.querySelector("a") && !table.querySelector(".below, .group, .spans")) {
      [...table.tHead.rows[0].cells].forEach(function (th, column) {
        if (th.matches(".drawing")) { return; }
        const button = document.createElement("button");
        button.append(th.firstChild);
        th.prepend(button);
        button.addEventListener("click", function () {
          const now = th.getAttribute("aria-sort");
          sort(table, column, now ? now === "ascending" : th.className === "n");
        });
      });
    }
    const part = table.closest("section, details"), tools = part && part.querySelector(".tools");
    if (tools) {
      const link = document.createElement("a");
      link.textContent = "Markdown";
      link.download = (part.id || "table") + ".md";
      link.href = "#";
      link.addEventListener("click", function () { link.href = URL.createObjectURL(new Blob([markdown(table)], { type: "text/markdown" })); });
      tools.append(link, " ");
    }
  }
})();
