"""Test the recipes on a random two-layer model, on a CPU, without downloads: `make train-test`.

The whole circle (circle.sh) runs on a run that is made here. Then the trainers' own numbers are
checked, and the recipes are compared.
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import types

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import common  # noqa: E402
import dpo  # noqa: E402
import reward  # noqa: E402
import sft  # noqa: E402
import tiny  # noqa: E402

random.seed(1)
NOUNS = "oak pine ash elm fir yew tea milk rye oat plum pear silk wool clay sand iron zinc brass lead kite sled lute harp".split()


def make_run(home):
    """A finished run on questions of our own, with human scores: two systems, one better."""
    maxima = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1]
    files = {name: open(os.path.join(home, name), "w", encoding="utf-8") for name in ("questions.jsonl", "good.jsonl", "poor.jsonl", "people.jsonl")}
    for a, b in zip(NOUNS, NOUNS[3:]):
        line = lambda name, **fields: files[name].write(json.dumps(fields) + "\n")  # noqa: E731
        line("questions.jsonl", object1=a, object2=b, question=f"Which is better, {a} or {b}?", arguments=[])
        for name, text, points in (("good", f"A considerable amount speaks for {a}: it is sturdier and cheaper than {b}. Best option: {a}.", 1),
                                   ("poor", f"I do not know what to say about {a} and {b}.", 0)):
            line(f"{name}.jsonl", id=f"{name}-{a}", object1=a, object2=b, aspect="", text=text)
            line("people.jsonl", id=f"{name}-{a}", judge="human", status="valid", scores={str(k + 1): m * points for k, m in enumerate(maxima)})
    for f in files.values():
        f.close()
    with open(os.path.join(home, "compqa.yaml"), "w", encoding="utf-8") as f:
        f.write("""dataset: questions.jsonl
scenarios: [1]
providers: {tuned: {type: openai, base_url: "http://127.0.0.1:8000/v1", concurrency: 1}}
models: [{name: good, provider: file, path: good.jsonl}, {name: poor, provider: file, path: poor.jsonl}]
judges: [{name: people, provider: file, path: people.jsonl}]
pairwise:
  - {name: base, method: con-j, provider: tuned, model: base, options: {max_tokens: 80, temperature: 0.7}, extra: {repetition_penalty: 1}}
  - {name: trained, method: con-j, provider: tuned, model: trained, options: {max_tokens: 80, temperature: 0.7}, extra: {repetition_penalty: 1}}
""")
    subprocess.run(["compqa", "run", "--skip-unreachable"], cwd=home, check=True, stdout=subprocess.DEVNULL)


def judgment(better):
    return json.dumps({"rationale": f"Answer {better} says more.", "better_answer": better})


def make_model(home):
    """A model of two layers that answers any prompt with a judgment, at random."""
    out = os.path.join(home, "tiny")
    with open(os.path.join(home, "texts.jsonl"), "w", encoding="utf-8") as f:
        for i in range(50):
            f.write(json.dumps([f"Which is better, {NOUNS[i % 24]} or {NOUNS[i % 7]}?", judgment(1 + i % 2)]) + "\n")
    tiny.make(f.name, out)
    tokenizer, model = AutoTokenizer.from_pretrained(out), AutoModelForCausalLM.from_pretrained(out)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(500):
        words = " ".join(random.choices(NOUNS + ["answer", "question", "better", "the", "1", "2"], k=random.randint(5, 250)))
        asked = [{"role": "user", "content": words}]
        prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_dict=True)["input_ids"]
        whole = [tokenizer.apply_chat_template(asked + [{"role": "assistant", "content": judgment(better)}], return_dict=True)["input_ids"] for better in (1, 2)]
        ids = torch.tensor(whole)
        labels = ids.clone()
        labels[:, :len(prompt)] = -100
        optimizer.zero_grad()
        loss = model(ids, labels=labels).loss
        loss.backward()
        optimizer.param_groups[0]["lr"] = 0.01 * (1 - step / 500)
        optimizer.step()
    print("a tiny model that judges at random, loss", round(loss.item(), 2), flush=True)
    model.save_pretrained(out)


def end_to_end(home):
    """The whole circle by its script; docs/howto-train.md prints the same commands."""
    with open(os.path.join(ROOT, "docs", "howto-train.md"), encoding="utf-8") as page, open(os.path.join(HERE, "circle.sh"), encoding="utf-8") as script:
        commands = script.read().split("set -x\n\n")[1].replace(' "$@"', "")  # flags of the script
        assert textwrap.indent(commands, "    ") in page.read(), "docs/howto-train.md does not print the commands of circle.sh"
    os.symlink(os.path.join(ROOT, "judges"), os.path.join(home, "judges"))
    make_run(home)
    make_model(home)
    unnamed = subprocess.run(["judges/train/circle.sh"], cwd=home, env={k: v for k, v in os.environ.items() if k != "MODEL"}, capture_output=True, text=True)
    assert unnamed.returncode == 2 and "MODEL=" in unnamed.stderr, unnamed
    subprocess.run(["judges/train/circle.sh"], cwd=home, env=dict(os.environ, MODEL="tiny"), check=True)
    rows = open(os.path.join(home, "results/runs/trained/trained.csv"), encoding="utf-8").read().splitlines()
    measures = {row.split(",")[1] for row in rows[1:]}
    assert {"accuracy", "right in both orders", "same choice in both orders", "chooses the longer"} <= measures, measures


def example_folder(home, lines, name):
    folder = os.path.join(home, name)
    os.makedirs(folder)
    with open(os.path.join(folder, "train.jsonl"), "w", encoding="utf-8") as f:
        f.writelines(lines)
    open(os.path.join(folder, "heldout.jsonl"), "w").close()
    return folder


def sum_nll(model, tokenizer, examples):
    """The mean over examples of the sum over the tokens of the chosen completion of −ln p, without TRL."""
    total = 0.0
    for e in examples:
        prompt = tokenizer.apply_chat_template(e["prompt"], add_generation_prompt=True, return_dict=True)["input_ids"]
        ids = torch.tensor([tokenizer.apply_chat_template(e["prompt"] + e["chosen"], return_dict=True)["input_ids"]])
        with torch.no_grad():
            logp = model(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[len(prompt) - 1:]
        total -= logp.sum().item()
    return total / len(examples)


def recipes(home):
    model = os.path.join(home, "tiny")
    tokenizer, base = AutoTokenizer.from_pretrained(model), AutoModelForCausalLM.from_pretrained(model)
    subprocess.run(["compqa", "train", "export", "--kind", "dpo-answers", "--by", "human", "--out", "pairs"], cwd=home, check=True)
    lines = open(os.path.join(home, "pairs/train.jsonl"), encoding="utf-8").readlines()[:8]
    examples = [json.loads(line) for line in lines]
    eight = example_folder(home, lines, "eight")

    # The first loss is ln 2 + α · Σ NLL; eight pairs are learnt by heart; parameters move.
    out = os.path.join(home, "overfit")
    t = dpo.main(["--model", model, "--data", eight, "--out", out, "--batch", "8", "--device-batch", "8", "--epochs", "60", "--lr", "0.02", "--alpha", "0.01"])
    losses = [row for row in t.state.log_history if "loss" in row]
    want = math.log(2) + 0.01 * sum_nll(base, tokenizer, examples)  # equations 4 to 6
    assert abs(losses[0]["loss"] - want) < 1e-3, (losses[0]["loss"], want)
    assert losses[-1]["rewards/accuracies"] == 1 and losses[-1]["loss"] < losses[0]["loss"], losses[-1]
    moved = {name: p for name, p in t.model.named_parameters() if "lora_B" in name}
    assert moved and all(p.abs().max() > 0 for p in moved.values()), "an adapter's parameters did not move"

    # Tokens of the prompt do not count.
    batch = t.data_collator([t.train_dataset[i] for i in range(2)])
    for i, row in enumerate(batch["completion_mask"]):
        side = "chosen_ids" if i < 2 else "rejected_ids"
        assert row.sum().item() == len(t.train_dataset[i % 2][side]), side
        assert not row[:len(t.train_dataset[i % 2]["prompt_ids"])].any()

    # The written adapter loads again and gives the same logits, which are not the base's.
    again = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(model), out).eval()
    ids = batch["input_ids"]
    with torch.no_grad():
        a, b, c = (m(ids).logits for m in (again, t.model.eval(), base))
    assert torch.allclose(a, b, atol=1e-5) and not torch.allclose(a, c, atol=1e-3)

    # −ln σ(β · ((−40 + 42) − (−55 + 50))) = −ln σ(0.7) = 0.4032, by TRL's own code; with the SFT
    # term, α · 40 more.
    assert abs(trl_loss(t, -40, -42, -55, -50) - 0.4032) < 1e-4
    assert abs(trl_loss(t, -40, -42, -55, -50, alpha=0.01) - 0.8032) < 1e-4

    # An example that is longer than --max-length is an error.
    try:
        dpo.main(["--model", model, "--data", eight, "--out", out, "--max-length", "32"])
        raise AssertionError("a long example is cut without a word")
    except SystemExit as stop:
        assert "more than --max-length 32" in str(stop), stop

    # SFT: the loss is on the completion alone, and falls.
    subprocess.run(["compqa", "train", "export", "--kind", "sft", "--by", "human", "--heldout", "0", "--out", "answers"], cwd=home, check=True)
    t = sft.main(["--model", model, "--data", os.path.join(home, "answers"), "--out", os.path.join(home, "answers-adapter"), "--batch", "4", "--device-batch", "4", "--epochs", "10", "--lr", "0.02"])
    losses = [row["loss"] for row in t.state.log_history if "loss" in row]
    assert losses[-1] < losses[0], losses
    batch = t.data_collator([t.train_dataset[0]])
    first = json.loads(open(os.path.join(home, "answers/train.jsonl"), encoding="utf-8").readline())
    learnt = tokenizer.decode(batch["labels"][0][batch["labels"][0] != -100])
    assert learnt.startswith(first["completion"][0]["content"]) and first["prompt"][0]["content"] not in learnt, learnt


def trl_loss(trainer, chosen, chosen_ref, rejected, rejected_ref, alpha=0.0):
    """TRL's loss for given log-probabilities: a vocabulary of two tokens and completions of one."""
    def logits(*logps):  # of token 1, after any token
        x = torch.tensor([[math.log(math.exp(p) / -math.expm1(p)) for p in logps]], dtype=torch.float64).T
        return types.SimpleNamespace(logits=torch.stack([torch.zeros_like(x), x], dim=-1).expand(-1, 2, -1), aux_loss=None)

    class Fixed(torch.nn.Module):
        def forward(self, **_):
            return logits(chosen, rejected)
    inputs = {"input_ids": torch.ones(2, 2, dtype=torch.long), "attention_mask": torch.ones(2, 2, dtype=torch.long),
              "completion_mask": torch.tensor([[0, 1], [0, 1]]), "ref_chosen_logps": torch.tensor([float(chosen_ref)]), "ref_rejected_logps": torch.tensor([float(rejected_ref)])}
    kept = trainer.precompute_ref_logps, trainer.alpha
    trainer.precompute_ref_logps, trainer.alpha = True, alpha
    loss = trainer._compute_loss(Fixed(), inputs, return_outputs=False)
    trainer.precompute_ref_logps, trainer.alpha = kept
    return loss.item()


def margins(home):
    """The default adapter learns in few updates: after 20 its margin is at least 0.5 and at least half of full tuning's at the paper's rate.

    A real run has few updates too. The model is random but 256 wide, so that the default rank of 16 is a small share of each
    matrix: on the model of 16, any rate looks sufficient. At 5e-6, ten times the paper's rate, the same adapter stays far below 0.5."""
    model, eight = os.path.join(home, "wide"), os.path.join(home, "eight")
    tiny.make(os.path.join(eight, "train.jsonl"), model, width=256)

    def margin(*how):
        t = dpo.main(["--model", model, "--data", eight, "--out", os.path.join(home, "margin"), "--batch", "8", "--device-batch", "8", "--epochs", "20", *how])
        return t.state.log_history[-2]["rewards/margins"]
    lora, full, slow = margin("--recipe", "lora"), margin("--recipe", "paper"), margin("--recipe", "lora", "--lr", "5e-6")
    print(f"margins after 20 updates: lora {lora:.3g}; paper {full:.3g}; lora at 5e-6 {slow:.3g}", flush=True)
    assert lora >= 0.5 and lora >= full / 2 and slow < 0.5, (lora, full, slow)

    def fall(*how):
        t = sft.main(["--model", model, "--data", eight, "--out", os.path.join(home, "fall"), "--batch", "8", "--device-batch", "8", "--epochs", "20", *how])
        losses = [row["loss"] for row in t.state.log_history if "loss" in row]
        return float(losses[0]) - float(losses[-1])
    lora, printed = fall("--recipe", "lora"), fall("--recipe", "compqa")
    print(f"loss of SFT falls in 20 updates by {lora:.3g} (lora), {printed:.3g} (compqa)", flush=True)
    assert lora > 0.1 and printed < 0.1, (lora, printed)


def batches():
    """A batch that the devices cannot share evenly is an error, not another batch."""
    assert common.accumulation(24, 2, 4) == 3 and common.accumulation(24, 1, 1) == 24
    for batch, device_batch, devices in ((24, 5, 1), (24, 1, 7), (4, 8, 1), (0, 1, 1)):
        try:
            common.accumulation(batch, device_batch, devices)
            raise AssertionError((batch, device_batch, devices))
        except SystemExit as stop:
            assert f"--batch {batch} is no multiple of --device-batch {device_batch}" in str(stop), stop


def other_recipes(home):
    """SFT on the positive judgments, and the scalar reward models; these are served and judge."""
    model = os.path.join(home, "tiny")
    t = sft.main(["--recipe", "con-j", "--model", model, "--data", os.path.join(home, "training"), "--out", os.path.join(home, "positives"), "--batch", "4", "--device-batch", "4"])
    assert not hasattr(t.model, "peft_config")
    kept = {"completion"} & set(t.train_dataset.column_names) or "input_ids" in t.train_dataset.column_names
    assert kept, t.train_dataset.column_names
    config = os.path.join(home, "compqa.yaml")
    with open(config, "a", encoding="utf-8") as f:
        f.write("  - {name: sm, method: scalar, provider: tuned, model: reward}\n")
        f.write("  - {name: sm2, method: scalar-pairwise, provider: tuned, model: reward}\n")
    for judge, flags in (("sm", []), ("sm2", ["--pairwise"])):
        subprocess.run(["compqa", "train", "export", "--kind", "reward", "--out", judge] + flags, cwd=home, check=True)
        out = os.path.join(home, judge + "-model")
        t = reward.main(["--recipe", "paper", "--model", model, "--data", os.path.join(home, judge), "--out", out, "--batch", "4", "--device-batch", "4", "--epochs", "20", "--lr", "0.01"])
        logs = [row for row in t.state.log_history if "loss" in row]
        assert abs(logs[0]["loss"] - math.log(2)) < 0.1 and logs[-1]["accuracy"] == 1, (logs[0], logs[-1])
        served = subprocess.run([sys.executable, os.path.join(HERE, "serve.py"), "--model", model, "--reward", out, "--", "compqa", "run", "--only", "pairs",
                                 "--judge", judge, "--pairs", f"{judge}/heldout_pairs.jsonl", "--out", f"{judge}-run"], cwd=home, check=True, capture_output=True, text=True)
        with open(os.path.join(home, f"{judge}-run/tables/preferences.csv"), encoding="utf-8") as f:
            rows = [line for line in f if f",{judge}," in line]
        assert rows and all(",valid," in row for row in rows), served.stdout


def main():
    begun = time.time()
    batches()
    home = tempfile.mkdtemp(prefix="train-test-")
    try:
        for what, step in (("the whole circle", end_to_end), ("the losses", recipes), ("the recipes' margins", margins), ("the other recipes", other_recipes)):
            step(home)
            print(f"ok: {what}, after {time.time() - begun:.0f} s", flush=True)
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(home)
    print(f"train-test passed in {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
