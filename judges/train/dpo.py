"""Direct preference optimisation with an SFT term, with LoRA, on an export of preference pairs.

Defaults are those of Con-J (Ye et al. 2024, A.1): beta 0.1, learning rate 5e-7, batch 24,
weight 1e-6 of the SFT term. TRL's SFT term is the mean over tokens, the paper's a sum.
"""
from trl import DPOConfig, DPOTrainer

import common


def trainer(a):
    tokenizer, model, examples = common.load(a)
    config = DPOConfig(**common.shared_config(a), beta=a.beta, loss_type=["sigmoid", "sft"], loss_weights=[1.0, a.alpha])
    return DPOTrainer(model=model, args=config, train_dataset=examples["train"], eval_dataset=examples.get("heldout"),
                      processing_class=tokenizer, peft_config=common.lora(a)), tokenizer


def parser():
    p = common.options(__doc__, lr=5e-7, batch=24, epochs=1)
    p.add_argument("--beta", type=float, default=0.1)
    p.add_argument("--alpha", type=float, default=1e-6, help="the weight of the SFT term")
    return p


def main(argv=None):
    a = parser().parse_args(argv)
    t, tokenizer = trainer(a)
    common.finish(t, tokenizer, a)
    return t


if __name__ == "__main__":
    main()
