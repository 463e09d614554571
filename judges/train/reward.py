"""Train a scalar reward model, the baseline SM of Con-J (Ye et al. 2024, 2.2), on an export of kind reward.

Pointwise, r(question, answer): -log sigmoid(r(chosen) - r(rejected)), equation 3.
Pairwise (an export with --pairwise), r(question, first, second): -log sigmoid(r) where the first
answer is better, and -log sigmoid(-r) where it is second; each pair is shown in both orders.
`serve.py --reward DIR` serves it for a judge of method scalar or scalar-pairwise.
"""
import json
import os

from torch.nn.functional import logsigmoid
from transformers import AutoModelForSequenceClassification
from trl import RewardConfig, RewardTrainer

import common

RECIPES = {
    "lora": common.Recipe(3e-4, 128, 1, True, "an adapter, at the rate that was measured (README.md); one GPU is enough"),
    "paper": common.Recipe(9e-6, 128, 1, False, "Con-J's A.1: the whole model, by ZeRO-3 on several GPUs (zero3.yaml)"),
}


class Pairwise(RewardTrainer):
    """Each half of a batch has one order of the pairs: the better answer first, or second."""

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs, use_cache=False)
        first, second = outputs.logits.squeeze(-1).chunk(2)
        loss = -(logsigmoid(first) + logsigmoid(-second)).mean() / 2
        mode = "train" if self.model.training else "eval"
        right = self.accelerator.gather_for_metrics((first > 0).float() / 2 + (second < 0).float() / 2)
        self._metrics[mode]["accuracy"].append(right.mean().item())
        self._metrics[mode]["margin"].append(self.accelerator.gather_for_metrics((first - second) / 2).mean().item())
        return (loss, outputs) if return_outputs else loss


def is_pairwise(folder):
    """The card of the export says whether it shows both answers."""
    with open(os.path.join(folder, "card.json"), encoding="utf-8") as f:
        return bool(json.load(f)["selection"].get("pairwise"))


def trainer(a):
    tokenizer, model, examples = common.load(a, AutoModelForSequenceClassification, num_labels=1)
    model.config.pad_token_id = tokenizer.pad_token_id
    kind = RewardTrainer
    if is_pairwise(a.data):
        kind, examples = Pairwise, examples.remove_columns("prompt")  # the sides are whole requests
    return kind(model=model, args=RewardConfig(**common.shared_config(a, model.num_parameters())), train_dataset=examples["train"], eval_dataset=examples.get("heldout"),
                processing_class=tokenizer, peft_config=common.adapter(a, "SEQ_CLS")), tokenizer


def main(argv=None):
    a = common.parse(common.options(__doc__, RECIPES), argv)
    t, tokenizer = trainer(a)
    common.finish(t, tokenizer, a)
    return t


if __name__ == "__main__":
    main()
