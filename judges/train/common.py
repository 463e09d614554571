"""What sft.py and dpo.py share: data, model, options."""
import argparse
import os

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer


def options(description, lr, batch, epochs):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--model", required=True, help="a folder or a name that transformers can load")
    p.add_argument("--data", required=True, help="the folder that `compqa train export --format trl` wrote")
    p.add_argument("--out", required=True, help="the folder for the adapter")
    p.add_argument("--lr", type=float, default=lr)
    p.add_argument("--batch", type=int, default=batch, help="examples an update, over all devices and accumulation steps")
    p.add_argument("--device-batch", type=int, default=1, help="examples a device holds at once")
    p.add_argument("--epochs", type=float, default=epochs)
    p.add_argument("--max-length", type=int, default=4096, help="tokens; a longer example is an error")
    p.add_argument("--lora-rank", type=int, default=16)
    p.add_argument("--seed", type=int, default=1)
    return p


def shared_config(a):
    """The arguments of the trainer that both recipes have: a GPU is used when there is one."""
    gpu = torch.cuda.is_available()
    devices = max(1, torch.cuda.device_count())
    return dict(
        output_dir=a.out, learning_rate=a.lr, num_train_epochs=a.epochs, lr_scheduler_type="cosine", warmup_steps=0.03,
        per_device_train_batch_size=a.device_batch, per_device_eval_batch_size=a.device_batch, gradient_accumulation_steps=max(1, a.batch // (a.device_batch * devices)),
        max_length=a.max_length, seed=a.seed, use_cpu=not gpu, bf16=gpu, gradient_checkpointing=gpu,
        logging_steps=1, logging_first_step=True, save_strategy="no", report_to="none", disable_tqdm=True)


def load(a):
    """The tokenizer, the model, and the examples; the latter are checked against --max-length."""
    tokenizer = AutoTokenizer.from_pretrained(a.model)
    model = AutoModelForCausalLM.from_pretrained(a.model, dtype=torch.bfloat16 if torch.cuda.is_available() else torch.float32)
    files = {"train": os.path.join(a.data, "train.jsonl")}
    heldout = os.path.join(a.data, "heldout.jsonl")
    if os.path.getsize(heldout):
        files["heldout"] = heldout
    examples = load_dataset("json", data_files=files)
    if "prompt" not in examples["train"].column_names:
        raise SystemExit(f"{a.data} has no prompts apart from completions; export it with --format trl")
    for split in examples:
        check_lengths(examples[split], tokenizer, a.max_length)
    return tokenizer, model, examples


def check_lengths(examples, tokenizer, most):
    """TRL cuts what is longer without a word, at the end: of the completion."""
    for i, e in enumerate(examples):
        for side in ("completion", "chosen", "rejected"):
            if side in e:
                ids = tokenizer.apply_chat_template(e["prompt"] + e[side], tokenize=True, return_dict=True)["input_ids"]
                if len(ids) > most:
                    raise SystemExit(f"example {i + 1} has {len(ids)} tokens ({side}), more than --max-length {most}; "
                                     "TRL would cut it: raise --max-length or export without it")


def lora(a):
    return LoraConfig(r=a.lora_rank, lora_alpha=2 * a.lora_rank, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM")


def finish(trainer, tokenizer, a):
    trainer.train()
    trainer.save_model(a.out)
    tokenizer.save_pretrained(a.out)
    if trainer.eval_dataset is not None:
        print("held out:", trainer.evaluate())
