"""Direct preference optimisation with an SFT term, on an export of preference pairs (Con-J, Ye et al. 2024).

The loss is that of the paper's equations 4 to 6, as a mean over pairs:

    -log sigmoid(beta * (log-ratio of chosen - log-ratio of rejected)) - alpha * log pi(chosen | prompt)

where log pi is a sum over the tokens of the completion. (TRL's own loss "sft" is a mean over tokens.)
Variants of the paper: --alpha 0 is "w/o SFT"; sft.py --recipe con-j is "w/o DPO".
"""
from trl import DPOConfig, DPOTrainer
from trl.trainer.utils import selective_log_softmax

import common

RECIPES = {
    "lora": common.Recipe(3e-4, 24, 1, True, "an adapter, at a rate measured for this project (README.md); one GPU is enough"),
    "paper": common.Recipe(5e-7, 24, 1, False, "the whole model at Con-J's rate and batch (A.1), by ZeRO-3 on several GPUs (zero3.yaml)"),
}


class Trainer(DPOTrainer):
    """TRL's trainer with the SFT term of equation 5: a sum over tokens."""

    def __init__(self, alpha, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def _compute_loss(self, model, inputs, return_outputs):
        loss, outputs = super()._compute_loss(model, inputs, return_outputs=True)
        mask = inputs["completion_mask"][:, 1:]
        chosen = len(mask) // 2  # of a batch, the first half is chosen
        logps = selective_log_softmax(outputs.logits[:chosen, :-1], inputs["input_ids"][:chosen, 1:])
        loss = loss - self.alpha * (logps * mask[:chosen]).sum(dim=1).mean()
        return (loss, outputs) if return_outputs else loss


def trainer(a):
    tokenizer, model, examples = common.load(a)
    config = DPOConfig(**common.shared_config(a, model.num_parameters()), beta=a.beta, loss_type=["sigmoid"])
    return Trainer(a.alpha, model=model, args=config, train_dataset=examples["train"], eval_dataset=examples.get("heldout"),
                   processing_class=tokenizer, peft_config=common.adapter(a)), tokenizer


def parser():
    p = common.options(__doc__, RECIPES)
    p.add_argument("--beta", type=float, default=0.1)
    p.add_argument("--alpha", type=float, default=1e-6, help="the weight of the SFT term, a sum over tokens (the paper: 1e-6)")
    return p


def main(argv=None):
    a = common.parse(parser(), argv)
    t, tokenizer = trainer(a)
    common.finish(t, tokenizer, a)
    return t


if __name__ == "__main__":
    main()
