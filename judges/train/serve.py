"""Serve a model and what was trained from it as an OpenAI-compatible server, for judging.

The models are named "base", with --trained "trained", and with --reward "reward". --trained and
--reward are folders of an adapter or of a whole model. A flat JSON schema is honoured: strings
are generated, and of an enumeration the most likely value is taken. "reward" replies with a
number, the score of the conversation in the request. With a command after --, the server ends
with the command, and with its exit code:

    python serve.py --model MODEL --trained DIR -- compqa run --only pairs --pairs pairs.jsonl
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer


class Judge:
    def __init__(self, model, trained, reward):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer = AutoTokenizer.from_pretrained(model)
        self.models = {"base": self.load(AutoModelForCausalLM, model)}
        if trained and os.path.exists(os.path.join(trained, "adapter_config.json")):
            self.models["base"] = self.models["trained"] = PeftModel.from_pretrained(self.models["base"], trained).to(self.device).eval()
        elif trained:
            self.models["trained"] = self.load(AutoModelForCausalLM, trained)
        if reward and os.path.exists(os.path.join(reward, "adapter_config.json")):
            scorer = self.load(AutoModelForSequenceClassification, model, num_labels=1)
            self.models["reward"] = PeftModel.from_pretrained(scorer, reward).to(self.device).eval()
        elif reward:
            self.models["reward"] = self.load(AutoModelForSequenceClassification, reward, num_labels=1)
        if reward:
            self.models["reward"].config.pad_token_id = self.tokenizer.pad_token_id
        self.lock = threading.Lock()

    def load(self, kind, name, **how):
        return kind.from_pretrained(name, dtype=torch.bfloat16 if self.device == "cuda" else torch.float32, **how).to(self.device).eval()

    def score(self, messages):
        """The score that the reward model gives to a conversation."""
        ids = self.tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True, return_tensors="pt")["input_ids"].to(self.device)
        return self.models["reward"](input_ids=ids, attention_mask=torch.ones_like(ids)).logits.item()

    def answer(self, request):
        """The text of a reply, and whether it was cut off."""
        name = request["model"]
        if name == "reward":
            with self.lock, torch.no_grad():
                return repr(self.score(request["messages"])), False
        base = self.models[name].disable_adapter() if name == "base" and isinstance(self.models[name], PeftModel) else contextlib.nullcontext()
        prompt = self.tokenizer.apply_chat_template(request["messages"], add_generation_prompt=True, tokenize=False)
        schema = (request.get("response_format") or {}).get("json_schema", {}).get("schema", {})
        with self.lock, base, torch.no_grad():
            self.model = self.models[name]
            torch.manual_seed(request.get("seed") or 0)
            if schema.get("properties"):
                return self.structured(prompt, schema["properties"], request), False
            return self.generate(prompt, request)

    def encode(self, text):
        return self.tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids.to(self.device)

    def generate(self, prompt, request):
        ids = self.encode(prompt)
        most = request.get("max_completion_tokens") or request.get("max_tokens") or 512
        how = {"do_sample": False}
        if request.get("temperature", 1) > 0:
            how = {"do_sample": True, "temperature": request.get("temperature", 1), "top_p": request.get("top_p", 1), "top_k": request.get("top_k", 0)}
        out = self.model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=most, min_new_tokens=4,
                                  repetition_penalty=request.get("repetition_penalty", 1.0), pad_token_id=self.tokenizer.pad_token_id, **how)
        new = out[0, ids.shape[1]:]
        return self.tokenizer.decode(new, skip_special_tokens=True), len(new) >= most and new[-1] != self.tokenizer.eos_token_id

    def structured(self, prompt, properties, request):
        text = "{"
        for i, (name, kind) in enumerate(properties.items()):
            text += (", " if i else "") + json.dumps(name) + ": "
            if "enum" in kind:
                text += json.dumps(max(kind["enum"], key=lambda value: self.likelihood(prompt + text, json.dumps(value) + "}")))
            else:
                free, _ = self.generate(prompt + text + '"', request)
                text += json.dumps(free.split('",')[0].strip(), ensure_ascii=False)
        return text + "}"

    def likelihood(self, text, then):
        """The log-probability of a continuation. The text may end within a token of both."""
        first, whole = self.encode(text), self.encode(text + then)
        common = int((first[0, :min(first.shape[1], whole.shape[1])] == whole[0, :min(first.shape[1], whole.shape[1])]).long().cumprod(0).sum())
        logits = self.model(input_ids=whole, attention_mask=torch.ones_like(whole)).logits[0, :-1].float().log_softmax(-1)
        return logits.gather(1, whole[0, 1:, None])[common - 1:].sum().item()


class Handler(BaseHTTPRequestHandler):
    judge = None

    def do_GET(self):
        self.reply(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.judge.models]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if request.get("model") not in self.judge.models:
            return self.reply(404, {"error": {"message": f"there is no model {request.get('model')!r}", "type": "invalid_request_error", "code": "model_not_found"}})
        text, cut = self.judge.answer(request)
        tokens = [len(self.judge.tokenizer(t).input_ids) for t in ("\n".join(m["content"] for m in request["messages"]), text)]
        self.reply(200, {"id": "judge", "object": "chat.completion", "model": request["model"],
                         "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "length" if cut else "stop"}],
                         "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}})

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def main():
    own, command = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, command = own[:at], own[at + 1:]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", required=True)
    p.add_argument("--trained", help="a folder that dpo.py or sft.py wrote")
    p.add_argument("--reward", help="a folder that reward.py wrote")
    p.add_argument("--port", type=int, default=8000)
    a = p.parse_args(own)
    Handler.judge = Judge(a.model, a.trained, a.reward)
    server = ThreadingHTTPServer(("127.0.0.1", a.port), Handler)
    if not command:
        print(f"serving {', '.join(Handler.judge.models)} at http://127.0.0.1:{a.port}/v1", flush=True)
        return server.serve_forever()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    raise SystemExit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
