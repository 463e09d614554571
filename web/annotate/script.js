"use strict";
// Keys, drafts, active time. Without this script the forms do the same.
(() => {
  const form = document.getElementById("sheet"), main = document.getElementById("item");
  if (!form) return;
  const key = "compqa:" + form.getAttribute("action"), state = document.getElementById("state");
  const groups = [...form.querySelectorAll("fieldset")];
  let revision = Number(main.dataset.revision), here = 0, active = 0, last = Date.now(), view = form.elements.view.value;
  let sending = false, unsent = false, waiting = null, failed = null, timer = 0;
  const store = (v) => { try { v ? localStorage.setItem(key, JSON.stringify(v)) : localStorage.removeItem(key); } catch { /* no storage */ } };
  const load = () => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const say = (t) => { state.textContent = t; };
  const nonce = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

  // Active time stops 60 s after the last action.
  const tick = () => { const now = Date.now(); active += Math.min(now - last, 60000); last = now; };
  for (const e of ["pointerdown", "keydown", "scroll", "pointermove"]) addEventListener(e, tick, { passive: true, capture: true });

  const answers = () => { const v = {}; for (const [n, x] of new FormData(form)) if (n.startsWith("c-") || n === "choice" || n === "useful" || n === "reason") v[n] = x; return v; };
  const fill = (v) => { for (const r of form.querySelectorAll("input[type=radio]")) r.checked = v[r.name] === r.value; form.elements.reason.value = v.reason || ""; };
  const show = (v) => Object.entries(v || {}).map(([k, x]) => k.replace("c-", "") + ": " + (x && typeof x === "object" ? show(x) : x)).join(", ");

  // One event is sent at a time; a later one waits. What is not acknowledged stays in the
  // browser, with its nonce, and is sent again.
  async function send(kind) {
    tick();
    const e = { kind, nonce: nonce(), active_ms: active, view, answers: answers() };
    active = 0;
    unsent = false;
    if (waiting) { e.active_ms += waiting.active_ms; if (waiting.kind !== "draft" && kind === "draft") return; }
    if (sending) { waiting = e; store(e); return; }
    await deliver(e);
  }
  async function deliver(e) {
    sending = true;
    if (e.base === undefined) e.base = revision;
    store(waiting || e);
    let reply, body;
    try {
      reply = await fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams({ ...e.answers, kind: e.kind, nonce: e.nonce, active_ms: e.active_ms, view: e.view, revision: e.base }) });
      body = await reply.json();
    } catch { body = null; }
    if (!body || reply.status >= 500) { // later events wait, because the server may have this one
      say(reply && reply.status >= 400 && reply.status < 500 ? "Your session has ended. Open your invitation link again; your work is kept in this browser." : "No connection. Your work is kept in this browser and sent again.");
      failed = e;
      timer = setTimeout(again, 1000);
      return;
    }
    sending = false;
    if (reply.status === 409) { conflict(e, body); return; }
    store(null);
    if (!reply.ok) { say(body.error || "Not stored."); return; }
    revision = Math.max(revision, body.revision);
    form.elements.revision.value = revision;
    if (e.kind === "submit" || e.kind === "skip") { location.assign(body.next); return; }
    say(e.kind === "flag" ? "Flagged." : "Draft kept.");
    form.elements.nonce.value = nonce();
    if (waiting) { const w = waiting; waiting = null; deliver(w); }
  }
  function again() { const e = failed; clearTimeout(timer); failed = null; if (e) deliver(e); }
  addEventListener("online", again);
  // The last change waits for more; a page that is left meanwhile sends it when it is opened again.
  addEventListener("pagehide", () => { if (unsent && !sending) store({ kind: "draft", nonce: nonce(), active_ms: active, view, base: revision, answers: answers() }); });

  function conflict(e, body) {
    document.getElementById("conflict").hidden = false;
    document.getElementById("theirs").textContent = show(body.current);
    document.getElementById("mine").textContent = show(body.yours);
    document.getElementById("keep-mine").onclick = () => { document.getElementById("conflict").hidden = true; revision = body.revision; go(here); deliver({ ...e, nonce: nonce(), base: body.revision }); };
    document.getElementById("keep-theirs").onclick = () => { store(null); location.reload(); };
    document.getElementById("keep-mine").focus();
  }

  const go = (i) => { groups[here].classList.remove("here"); here = Math.max(0, Math.min(groups.length - 1, i)); const g = groups[here]; g.classList.add("here"); (g.querySelector("input:checked") || g.querySelector("input")).focus(); g.scrollIntoView({ block: "nearest" }); };
  const complete = () => groups.every((g) => g.querySelector("input:checked"));
  const changed = () => { unsent = true; clearTimeout(changed.timer); changed.timer = setTimeout(() => send("draft"), 800); };
  const choose = (r) => { r.checked = true; changed(); };
  const submit = () => { clearTimeout(changed.timer); if (complete()) send("submit"); else { say("Not complete yet."); go(groups.findIndex((g) => !g.querySelector("input:checked"))); } };
  const withReason = (kind) => { clearTimeout(changed.timer); if (form.elements.reason.value.trim()) send(kind); else { say("Write a reason, then press " + (kind === "skip" ? "Skip." : "Flag.")); form.elements.reason.focus(); } };
  const toggle = () => { main.classList.toggle("show-raw"); view = "both"; document.getElementById("toggle").textContent = main.classList.contains("show-raw") ? "Rendered text" : "Raw text"; };

  document.getElementById("toggle").addEventListener("click", (e) => { e.preventDefault(); toggle(); });
  form.addEventListener("input", (e) => { const g = e.target.closest("fieldset"); if (g) { groups[here].classList.remove("here"); here = groups.indexOf(g); g.classList.add("here"); } changed(); });
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const kind = e.submitter ? e.submitter.value : "submit";
    if (kind === "submit") submit(); else if (kind === "draft") { clearTimeout(changed.timer); send("draft"); } else withReason(kind);
  });
  const on = document.getElementById("keys-on");
  try { on.checked = localStorage.getItem("compqa:keys") !== "off"; on.addEventListener("change", () => localStorage.setItem("compqa:keys", on.checked ? "on" : "off")); } catch { /* no storage */ }
  document.addEventListener("keydown", (e) => {
    if (!on.checked || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("textarea, input[type=text], button, a, summary, input[type=checkbox]")) return;
    const group = groups[here], checked = group.querySelector("input:checked");
    const option = group.querySelector('input[data-key="' + CSS.escape(e.key) + '"]');
    if (option) { choose(option); go(here + 1); }
    else if (e.key === ".") {
      // Half a point more than the current value, of this criterion or of the one just left.
      const at = checked || here === 0 ? here : here - 1, c = groups[at].querySelector("input:checked");
      const half = c && groups[at].querySelector('input[data-key="' + (Number(c.dataset.key) + 0.5) + '"]');
      if (half) { choose(half); go(at === here && here < groups.length - 1 ? here + 1 : here); }
    }
    else if (e.key === "ArrowDown" || e.key === "ArrowRight") go(here + 1);
    else if (e.key === "ArrowUp" || e.key === "ArrowLeft") go(here - 1);
    else if (e.key === "m") toggle();
    else if (e.key === "s") withReason("skip");
    else if (e.key === "f") withReason("flag");
    else if (e.key === "u") { const u = document.getElementById("undo"); if (u) u.submit(); }
    else if (e.key === "Enter") submit();
    else if (e.key === "?") { const d = document.getElementById("keys"); d.open = !d.open; }
    else return;
    e.preventDefault();
  });

  // What this browser could not send before comes first.
  const kept = load();
  if (kept) {
    fill(kept.answers);
    deliver(kept); // a known nonce is answered as before; a changed item is a conflict
  }
  go(0);
})();
