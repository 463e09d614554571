"""Supervised fine-tuning, on an export of kind sft or strum, or on the chosen judgments of kind dpo-judge.

The loss is on the completion alone. CompQA's appendix B does not print the rank of LoRA.
"""
from trl import SFTConfig, SFTTrainer

import common

RECIPES = {
    "lora": common.Recipe(3e-4, 32, 3, True, "an adapter, at the rate that was measured (README.md)", weight_decay=0.01),
    "compqa": common.Recipe(1e-6, 32, 3, True, "CompQA's appendix B, whose rate hardly moves an adapter of rank 16 (README.md)", weight_decay=0.01),
    "con-j": common.Recipe(5e-7, 24, 1, False, "Con-J without DPO (A.2): the whole model, on the positive judgments of a dpo-judge export"),
}


def positives(examples):
    """Preference pairs as examples of their chosen side."""
    if "chosen" not in examples["train"].column_names:
        return examples
    return examples.rename_column("chosen", "completion").remove_columns("rejected")


def trainer(a):
    tokenizer, model, examples = common.load(a)
    examples = positives(examples)
    # prompt and completion: the loss is on the completion alone
    config = SFTConfig(**common.shared_config(a, model.num_parameters()), completion_only_loss=True)
    return SFTTrainer(model=model, args=config, train_dataset=examples["train"], eval_dataset=examples.get("heldout"),
                      processing_class=tokenizer, peft_config=common.adapter(a)), tokenizer


def main(argv=None):
    a = common.parse(common.options(__doc__, RECIPES), argv)
    t, tokenizer = trainer(a)
    common.finish(t, tokenizer, a)
    return t


if __name__ == "__main__":
    main()
