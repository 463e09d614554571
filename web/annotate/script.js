"use strict";
// Keys, drafts, active time, the bar. Without this script the forms do the same.
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId("sheet"), main = byId("item"), owner = byId("live");
  if (owner) watch(owner);
  if (!form) return;
  document.body.classList.add("scripted");
  const words = JSON.parse(main.dataset.words);
  const address = form.getAttribute("action"), key = "compqa:" + address, state = byId("state");
  const rows = [...form.querySelectorAll(".row")].filter((r) => r.querySelector("input:not([disabled]), select, textarea:not([disabled])"));
  const questions = rows.filter((r) => r.matches("[role=radiogroup]") || r.querySelector("input.number"));
  let revision = Number(main.dataset.revision), here = 0, active = 0, last = Date.now(), view = form.elements.view.value;
  let sending = false, unsent = false, waiting = null, failed = null, timer = 0, delivery = Promise.resolve();
  const store = (v) => { try { v ? localStorage.setItem(key, JSON.stringify(v)) : localStorage.removeItem(key); } catch { /* no storage */ } };
  const load = () => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const nonce = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

  // The bar says what happened last, and how much is open.
  const visible = (r) => r.offsetParent !== null || r.closest(".folded");
  const filled = (r) => r.querySelector("input:checked") || [...r.querySelectorAll("input.number")].some((e) => e.value.trim());
  const open = () => questions.filter((r) => visible(r) && !filled(r));
  const say = (text, good) => {
    const n = open().length;
    state.textContent = (text ? text + " · " : "") + (n ? words.open.replace("{n}", n) : words.complete);
    state.classList.toggle("good", !!good || n === 0);
  };

  // How texts are written: characters that are pasted, and the time between keys, each pause of two seconds at most.
  let pasted = 0, writing = 0, typed = 0;
  form.addEventListener("paste", (e) => { if (e.target.matches("textarea")) pasted += (e.clipboardData ? e.clipboardData.getData("text") : "").length; });
  form.addEventListener("input", (e) => { if (!e.target.matches("textarea")) return; const now = Date.now(); writing += typed ? Math.min(now - typed, 2000) : 0; typed = now; });

  // Active time stops 60 s after the last action.
  const tick = () => { const now = Date.now(); active += Math.min(now - last, 60000); last = now; };
  for (const e of ["pointerdown", "keydown", "scroll", "pointermove"]) addEventListener(e, tick, { passive: true, capture: true });

  const answers = () => { const v = {}; for (const [n, x] of new FormData(form)) if (n.startsWith("c-") || n === "reason") v[n] = n in v ? v[n] + "|" + x : x; return v; }; // the boxes of one field have one name
  const among = (values, value) => (values || "").split("|").includes(value);
  const fill = (v) => {
    for (const e of form.querySelectorAll("[name^='c-']:not([disabled]), [name=reason]")) {
      if (e.type === "radio") e.checked = v[e.name] === e.value;
      else if (e.type === "checkbox") e.checked = among(v[e.name], e.value);
      else e.value = v[e.name] || "";
    }
  };
  const show = (sheet) => Object.entries(sheet.values || {}).map(([k, x]) => k + ": " + x).join(", ") + (sheet.reason ? "; " + sheet.reason : "");

  // One event is sent at a time; a later one waits. What is not acknowledged stays in the
  // browser, with its nonce, and is sent again.
  async function send(kind) {
    tick();
    const e = { kind, nonce: nonce(), active_ms: active, pasted, writing_ms: writing, view, answers: answers() };
    active = pasted = writing = 0;
    unsent = false;
    if (waiting) { for (const sum of ["active_ms", "pasted", "writing_ms"]) e[sum] += waiting[sum]; if (kind === "draft") e.kind = waiting.kind; waiting = null; } // older than e: never sent after it
    if (sending) { waiting = e; store(e); } else delivery = deliver(e);
    await delivery;
  }
  async function deliver(e) {
    sending = true;
    if (e.base === undefined) e.base = revision;
    store(waiting || e);
    let reply, body;
    try {
      reply = await fetch(address, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams({ ...e.answers, kind: e.kind, nonce: e.nonce, active_ms: e.active_ms, pasted: e.pasted, writing_ms: e.writing_ms, view: e.view, revision: e.base }) });
      body = await reply.json();
    } catch { body = null; }
    if (!body || reply.status >= 500) { // later events wait, because the server may have this one
      say(reply && reply.status === 401 ? words.session_kept : words.no_connection);
      failed = e;
      timer = setTimeout(again, 1000);
      return;
    }
    sending = false;
    if (reply.status === 409) { conflict(e, body); return; }
    store(null);
    if (!reply.ok) { state.textContent = body.error || words.not_stored; state.classList.remove("good"); return; }
    revision = Math.max(revision, body.revision);
    form.elements.revision.value = revision;
    const ends = e.kind === "submit" || e.kind === "skip";
    if (waiting) { const w = waiting; waiting = null; await deliver(ends && w.kind === "draft" ? { ...w, kind: e.kind } : w); return; } // what was changed after Submit is submitted, too
    if (ends) { location.assign(body.next); return; }
    say(e.kind === "flag" ? words.flagged : words.saved, true);
    form.elements.nonce.value = nonce();
  }
  function again() { const e = failed; clearTimeout(timer); failed = null; if (e) delivery = deliver(e); }
  addEventListener("online", again);
  // The last change waits for more; a page that is left meanwhile sends it when it is opened again.
  // While an event is under way, the server may have it or not, so this one is for the revision that the page then has.
  addEventListener("pagehide", () => { if (unsent) store({ kind: "draft", nonce: nonce(), active_ms: active, pasted, writing_ms: writing, view, base: sending ? undefined : revision, answers: answers() }); });

  function conflict(e, body) {
    const box = byId("conflict");
    box.hidden = false;
    byId("theirs").textContent = show(body.current);
    byId("mine").textContent = show(body.yours);
    byId("keep-mine").onclick = () => { box.hidden = true; revision = body.revision; go(here); delivery = deliver({ ...e, nonce: nonce(), base: body.revision }); };
    byId("keep-theirs").onclick = () => { store(null); location.reload(); };
    box.tabIndex = -1; // an Enter that was meant for the sheet must choose nothing
    box.focus();
  }

  // Groups that are done fold, except the current one.
  function fold() {
    for (const g of form.querySelectorAll(".group")) {
      const of = [...g.querySelectorAll(".row")], head = g.querySelector("h2");
      const done = head && of.length > 1 && !g.contains(rows[here]) && of.every((r) => r.dataset.beside || r.getAttribute("role") === "radiogroup" && r.querySelector("input:checked"));
      g.classList.toggle("folded", !!done);
      if (!head) continue;
      head.firstElementChild.setAttribute("aria-expanded", String(!done));
      head.lastElementChild.textContent = done ? "✓ " + of.map((r) => (r.dataset.beside ? "+" : "") + [...r.querySelectorAll("label:not([hidden]) > input:checked + span")].map((s) => s.firstChild.textContent).join("+")).filter((t) => t && t !== "+").join(" ") : "";
    }
  }
  for (const head of form.querySelectorAll(".group > h2")) {
    const button = document.createElement("button"), values = document.createElement("span");
    button.type = "button";
    button.className = "link";
    button.textContent = head.textContent;
    button.onclick = () => go(rows.indexOf(head.parentElement.querySelector(".row")));
    head.replaceChildren(button, values);
  }

  const shown = (i, step) => { while (i >= 0 && i < rows.length && !visible(rows[i])) i += step; return i >= 0 && i < rows.length ? i : here; };
  const beside = () => matchMedia("(min-width: 60rem) and (min-height: 30rem)").matches; // the sheet scrolls by itself, as in style.css
  const go = (i, first) => {
    if (!rows.length) return;
    rows[here].classList.remove("here");
    here = shown(i, i < here ? -1 : 1);
    const r = rows[here];
    r.classList.add("here");
    fold();
    (r.querySelector("label:not([hidden]) > input:checked:not([disabled])") || r.querySelector("label:not([hidden]) > input:not([disabled]), input.number:not([disabled]), select, textarea")).focus({ preventScroll: true });
    if (!first || beside()) r.scrollIntoView({ block: "nearest" }); // a phone begins with the answer
  };
  // Why a choice was changed is asked where it was.
  const chosen = (letter) => { const c = form.querySelector('[name="c-choice' + letter + '"]:checked'); return c ? c.value : ""; };
  const why = () => {
    for (const t of form.querySelectorAll("textarea[name^='c-why-']")) {
      const letter = t.name.slice(-1), now = chosen("-" + letter);
      const before = ["", ..."ABCDEFGHIJ".slice(0, "ABCDEFGHIJ".indexOf(letter)).split("").map((l) => "-" + l)].map(chosen);
      t.closest(".row").hidden = !now || before.every((v) => v === now);
    }
  };
  // What was chosen before each change on this page, for undo.
  const past = [];
  let present = answers();
  const undo = async () => {
    const before = past.pop();
    if (!before) {
      clearTimeout(changed.timer);
      await (unsent ? send("draft") : delivery); // else it would come after the undo, as a conflict
      if (!failed && byId("conflict").hidden) byId("undo").submit();
      return;
    }
    const row = rows.findIndex((r) => [...r.querySelectorAll("[name^='c-']")].some((e) => before[e.name] !== present[e.name]));
    fill(before);
    present = before;
    changed();
    if (row >= 0) go(row);
    say(words.undone);
  };
  const remember = () => {
    const now = answers();
    if (Object.keys({ ...now, ...present }).some((name) => name.startsWith("c-") && now[name] !== present[name])) past.push(present);
    present = now;
  };
  // An option that is chosen is not also one of the others.
  const others = () => {
    for (const e of form.querySelectorAll(".beside input")) {
      const c = form.querySelector('[name="' + CSS.escape(e.closest(".row").dataset.beside) + '"]:checked');
      e.parentElement.hidden = !!c && c.value === e.value;
    }
  };
  const changed = (quiet) => { others(); remember(); unsent = true; why(); if (!quiet) say(""); clearTimeout(changed.timer); changed.timer = setTimeout(() => send("draft"), 800); };
  const choose = (r) => { r.checked = true; changed(); };
  const submit = () => {
    clearTimeout(changed.timer);
    const missing = open();
    if (missing.length > 0) {
      go(rows.indexOf(missing[0]));
      say(words.not_complete);
    } else if (form.elements.reason.dataset.needed && !form.elements.reason.value.trim()) {
      say(words.write_reason);
      form.elements.reason.focus();
    } else send("submit");
  };
  const withReason = (kind) => {
    clearTimeout(changed.timer);
    if (form.elements.reason.value.trim()) { send(kind); return; }
    say(kind === "skip" ? words.reason_skip : words.reason_flag);
    form.elements.reason.focus();
  };
  const toggle = () => {
    main.classList.toggle("show-raw");
    view = "both";
    byId("toggle").textContent = (main.classList.contains("show-raw") ? words.rendered : words.raw) + " (m)";
  };
  const help = (id) => { const d = byId(id); if (d) d.open ? d.close() : d.showModal(); };
  // The owner takes the value that a person gave.
  const take = (button) => {
    const row = button.closest(".row");
    for (const e of row.querySelectorAll("[name^='c-']")) {
      if (e.type === "radio" || e.type === "checkbox") e.checked = among(button.dataset.take, e.value); else e.value = button.dataset.take;
    }
    changed();
    go(rows.indexOf(row) + 1);
  };

  byId("toggle").addEventListener("click", (e) => { e.preventDefault(); toggle(); });
  for (const [link, dialog] of [["guidelines", "guidelines-text"], ["show-keys", "keys-text"]]) {
    const a = byId(link);
    if (a) a.addEventListener("click", (e) => { e.preventDefault(); help(dialog); });
  }
  if (byId("undo-last")) byId("undo-last").addEventListener("click", (e) => { e.preventDefault(); undo(); });
  // The second click of a double one is not for the row that has come under the pointer.
  let pressed = null;
  form.addEventListener("click", (e) => {
    const row = e.target.closest(".row");
    if (e.detail > 1 && row !== pressed) { e.preventDefault(); e.stopImmediatePropagation(); } else pressed = row;
  }, true);
  form.addEventListener("click", (e) => { const b = e.target.closest("button.take"); if (b) take(b); });
  // A row that opens moves those below it, so it opens after a click: between press and release the button would leave the pointer.
  const mark = (e) => {
    const i = form.matches(":active") && e.type === "focusin" ? -1 : rows.indexOf(e.target.closest(".row"));
    if (i >= 0 && i !== here) { rows[here].classList.remove("here"); here = i; rows[i].classList.add("here"); }
  };
  form.addEventListener("focusin", mark);
  form.addEventListener("click", mark);
  form.addEventListener("input", (e) => changed(e.target.name === "reason"));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const kind = e.submitter ? e.submitter.value : "submit";
    if (kind === "submit") submit(); else if (kind === "draft") { clearTimeout(changed.timer); send("draft"); } else withReason(kind);
  });
  const on = byId("keys-on");
  try { on.checked = localStorage.getItem("compqa:keys") !== "off"; on.addEventListener("change", () => localStorage.setItem("compqa:keys", on.checked ? "on" : "off")); } catch { /* no storage */ }
  document.addEventListener("keydown", (e) => {
    if (!on.checked || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]") || !byId("conflict").hidden || !rows.length) return; // a fast Enter chooses nothing in a conflict
    const text = byId("answer");
    if (e.key === "PageDown" || e.key === "PageUp") { text.scrollBy(0, (e.key === "PageDown" ? 0.85 : -0.85) * text.clientHeight); e.preventDefault(); return; }
    if (e.target.matches("select")) { // a digit chooses an earlier row, 0 none
      const value = e.key === "0" ? "" : e.key;
      if ([...e.target.options].some((o) => o.value === value)) { e.target.value = value; changed(); go(here + 1); e.preventDefault(); }
      return;
    }
    if ((e.target.matches("input.number") || e.target.closest(".beside")) && ["Enter", "ArrowDown", "ArrowUp"].includes(e.key)) {
      if (e.key !== "Enter") go(here + (e.key === "ArrowUp" ? -1 : 1)); else if (open().length && here < rows.length - 1) go(here + 1); else submit();
      e.preventDefault();
      return;
    }
    if (e.target.matches("textarea, input[type=text], button, a, summary")) return;
    const row = rows[here], checked = row.querySelector("input:checked");
    const option = row.querySelector('label:not([hidden]) > input[data-key="' + CSS.escape(e.key) + '"]:not([disabled])'), given = row.querySelectorAll("button.take");
    if (option && e.key !== "" && row.dataset.beside) { option.checked = !option.checked; changed(); }
    else if (option && e.key !== "") {
      choose(option);
      const ends = main.dataset.atOnce && !checked && !open().length && !rows.slice(here + 1).some(visible);
      if (ends) submit(); else go(here + 1);
    }
    else if (e.target.type === "checkbox" && !row.dataset.beside && (e.key === "1" || e.key === "0")) { e.target.checked = e.key === "1"; changed(); go(here + 1); }
    else if (e.key === ".") {
      // Half a point more than the current value, of this criterion or of the one just left.
      const at = checked || here === 0 ? here : here - 1, c = rows[at].querySelector("input:checked");
      const half = c && rows[at].querySelector('input[value="' + (Number(c.value) + 0.5) + '"]');
      if (half) { choose(half); go(at === here && here < rows.length - 1 ? here + 1 : here); }
    }
    else if (e.key === "ArrowDown") go(here + 1);
    else if (e.key === "ArrowUp") go(here - 1);
    else if (e.key === "ArrowLeft" && given.length) take(given[0]);
    else if (e.key === "ArrowRight" && given.length) take(given[Math.min(1, given.length - 1)]);
    else if (e.key === "m") toggle();
    else if (e.key === "g") help("guidelines-text");
    else if (e.key === "e" && byId("examples")) byId("examples").click();
    else if (e.key === "s") withReason("skip");
    else if (e.key === "f") withReason("flag");
    else if (e.key === "u" && byId("undo")) undo();
    else if (e.key === "Enter") submit();
    else if (e.key === "?") help("keys-text");
    else return;
    e.preventDefault();
  });

  // What this browser could not send before comes first.
  const kept = load();
  if (kept) {
    fill(kept.answers);
    deliver(kept); // a known nonce is answered as before; a changed item is a conflict
  }
  why();
  others();
  const first = rows.indexOf(open()[0]);
  go(first < 0 ? 0 : first, true);
  if (!kept && !document.querySelector("form#sheet .warn")) say("", open().length === 0);

  // watch says on the owner's page that there is something new. It does not replace what the owner reads or types.
  function watch(page) {
    setInterval(async () => {
      if (document.hidden) return;
      try {
        const reply = await fetch("/owner/changes", { headers: { Accept: "application/json" } });
        const body = await reply.json();
        if (String(body.changes) !== page.dataset.changes && document.activeElement === document.body) location.reload();
        else byId("updated").textContent = String(body.changes) === page.dataset.changes ? "" : "There is new work: reload the page to see it.";
      } catch { byId("updated").textContent = "The server does not answer; the figures may be old."; }
    }, 5000);
  }
})();
