#!/usr/bin/env bash
# From people's preferences to a trained judge and back: sample judgments of MODEL, export pairs of a right and a wrong
# judgment, train an adapter, let MODEL and the adapter judge pairs that were kept out of training, and compare both.
# Flags of this script go to sample and export: --train-on-benchmark for pairs of a benchmark, such as the authors' release.
# The run is results/runs/latest; compqa.yaml names the judges base and trained (docs/howto-train.md).
set -euo pipefail
if [ -z "${MODEL:-}" ]; then
  echo "usage: MODEL=Qwen/Qwen2.5-7B-Instruct judges/train/circle.sh [--train-on-benchmark]" >&2
  echo "MODEL is a name or a folder that transformers can load; python must have the packages of judges/train/README.md" >&2
  exit 2
fi
set -x

python judges/train/serve.py --model "$MODEL" -- \
  compqa pairwise sample --judge base --out results/runs/latest "$@"
compqa train export results/runs/latest --kind dpo-judge --out training "$@"
python judges/train/dpo.py --model "$MODEL" --data training --out trained
python judges/train/serve.py --model "$MODEL" --trained trained -- \
  compqa run --only pairs --pairs training/heldout_pairs.jsonl --out results/runs/trained
compqa train report results/runs/trained --base base --trained trained --card training/card.json
