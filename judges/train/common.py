"""What the recipes share: options, data, model."""
import argparse
import os
from dataclasses import dataclass

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer


@dataclass
class Recipe:
    """Settings that a paper publishes, or that were measured here. lora: an adapter is trained, not the model."""
    lr: float
    batch: int
    epochs: float
    lora: bool
    about: str
    weight_decay: float = 0.0


def options(description, recipes):
    """A parser; the first recipe is the default."""
    lines = "\n".join(f"  {name}: {r.about}; learning rate {r.lr:g}, batch {r.batch}, epochs {r.epochs:g}" for name, r in recipes.items())
    p = argparse.ArgumentParser(description=f"{description}\n\nrecipes:\n{lines}", formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", required=True, help="a folder or a name that transformers can load")
    p.add_argument("--data", required=True, help="the folder that `compqa train export --format trl` wrote")
    p.add_argument("--out", required=True, help="the folder for the model or the adapter")
    p.add_argument("--recipe", choices=list(recipes), default=next(iter(recipes)), help="default: %(default)s")
    p.add_argument("--lr", type=float, help="learning rate (default: the recipe's, like --batch and --epochs)")
    p.add_argument("--batch", type=int, help="examples an update, over all devices and accumulation steps")
    p.add_argument("--device-batch", type=int, default=1, help="examples a device holds at once")
    p.add_argument("--epochs", type=float)
    p.add_argument("--max-length", type=int, default=4096, help="tokens; a longer example is an error")
    p.add_argument("--lora-rank", type=int, default=16)
    p.add_argument("--seed", type=int, default=1)
    p.set_defaults(recipes=recipes)
    return p


def parse(parser, argv):
    """The arguments, with the recipe's settings where none are given."""
    a = parser.parse_args(argv)
    recipe = a.recipes[a.recipe]
    a.lora, a.weight_decay = recipe.lora, recipe.weight_decay
    for name in ("lr", "batch", "epochs"):
        if getattr(a, name) is None:
            setattr(a, name, getattr(recipe, name))
    print(f"recipe {a.recipe}: {recipe.about}; learning rate {a.lr:g}, batch {a.batch}, epochs {a.epochs:g}", flush=True)
    return a


# From this number of parameters on, activations are computed twice, which saves memory and takes time. The number is a
# choice; it was not measured.
CHECKPOINT_FROM = 1_000_000_000


def accumulation(batch, device_batch, devices):
    """How often each device computes gradients before an update."""
    if batch < 1 or device_batch < 1 or batch % (device_batch * devices):
        raise SystemExit(f"--batch {batch} is no multiple of --device-batch {device_batch} on {devices} device(s), {device_batch * devices} examples "
                         "at once; choose a --batch and a --device-batch that divide evenly")
    return batch // (device_batch * devices)


def shared_config(a, parameters):
    """The arguments of the trainer that all recipes have: a GPU is used when there is one."""
    gpu = torch.cuda.is_available()
    devices = int(os.environ.get("WORLD_SIZE", 0)) or max(1, torch.cuda.device_count())
    return dict(
        output_dir=a.out, learning_rate=a.lr, num_train_epochs=a.epochs, lr_scheduler_type="cosine", warmup_steps=0.03, weight_decay=a.weight_decay,
        per_device_train_batch_size=a.device_batch, per_device_eval_batch_size=a.device_batch,
        gradient_accumulation_steps=accumulation(a.batch, a.device_batch, devices),
        max_length=a.max_length, seed=a.seed, use_cpu=not gpu, bf16=gpu, gradient_checkpointing=gpu and parameters >= CHECKPOINT_FROM,
        logging_steps=1, logging_first_step=True, save_strategy="no", report_to="none", disable_tqdm=True)


def load_examples(a, tokenizer):
    """The examples, checked against --max-length."""
    files = {"train": os.path.join(a.data, "train.jsonl")}
    heldout = os.path.join(a.data, "heldout.jsonl")
    if os.path.getsize(heldout):
        files["heldout"] = heldout
    examples = load_dataset("json", data_files=files)
    if "prompt" not in examples["train"].column_names:
        raise SystemExit(f"{a.data} has no prompts apart from completions; export it with --format trl")
    for split in examples:
        check_lengths(examples[split], tokenizer, a.max_length)
    return examples


def load(a, model_class=AutoModelForCausalLM, **how):
    """The tokenizer, the model and the examples. A model that is trained in full is kept in float32:
    at small learning rates, updates of bfloat16 weights round to nothing."""
    tokenizer = AutoTokenizer.from_pretrained(a.model)
    dtype = torch.bfloat16 if a.lora and torch.cuda.is_available() else torch.float32
    model = model_class.from_pretrained(a.model, dtype=dtype, **how)
    return tokenizer, model, load_examples(a, tokenizer)


def check_lengths(examples, tokenizer, most):
    """TRL cuts what is longer without a word, at the end: of the completion."""
    for i, e in enumerate(examples):
        for side in ("completion", "chosen", "rejected"):
            if side in e:
                ids = tokenizer.apply_chat_template(e["prompt"] + e[side], tokenize=True, return_dict=True)["input_ids"]
                if len(ids) > most:
                    raise SystemExit(f"example {i + 1} has {len(ids)} tokens ({side}), more than --max-length {most}; "
                                     "TRL would cut it: raise --max-length or export without it")


def adapter(a, task="CAUSAL_LM"):
    """The configuration of the adapter; None where the model itself is trained."""
    if not a.lora:
        return None
    return LoraConfig(r=a.lora_rank, lora_alpha=2 * a.lora_rank, lora_dropout=0.0, target_modules="all-linear", task_type=task)


def finish(trainer, tokenizer, a):
    trainer.train()
    trainer.save_model(a.out)
    tokenizer.save_pretrained(a.out)
    if trainer.eval_dataset is not None:
        print("held out:", trainer.evaluate())
