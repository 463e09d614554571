"""Supervised fine-tuning with LoRA on an export of kind sft or strum.

Defaults are those of the CompQA paper (appendix B); it does not print the rank of LoRA.
"""
from trl import SFTConfig, SFTTrainer

import common


def trainer(a):
    tokenizer, model, examples = common.load(a)
    # prompt and completion: the loss is on the completion alone
    config = SFTConfig(**common.shared_config(a), weight_decay=0.01, completion_only_loss=True)
    return SFTTrainer(model=model, args=config, train_dataset=examples["train"], eval_dataset=examples.get("heldout"),
                      processing_class=tokenizer, peft_config=common.lora(a)), tokenizer


def main(argv=None):
    a = common.options(__doc__, lr=1e-6, batch=32, epochs=3).parse_args(argv)
    t, tokenizer = trainer(a)
    common.finish(t, tokenizer, a)
    return t


if __name__ == "__main__":
    main()
