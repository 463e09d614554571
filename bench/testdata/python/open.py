"""Opens what Write writes with the programs that it is for, and prints what they read."""
import glob
import sys

import datasets
import pandas
from inspect_ai.log import read_eval_log

folder = sys.argv[1]
answers = pandas.read_csv(folder + "/csv/answers.csv")
scores = pandas.read_csv(folder + "/csv/scores.csv")
print("pandas", len(answers), len(scores), round(scores.points.sum(), 3), scores.points.isna().sum())
answers = datasets.load_dataset(folder + "/hf", "answers", split="train", cache_dir=folder + "/cache")
scores = datasets.load_dataset(folder + "/hf", "scores", split="train", cache_dir=folder + "/cache")
points = [p for p in scores["points"] if p is not None]
print("datasets", len(answers), len(scores), round(sum(points), 3), len(scores) - len(points))
total, samples, given = 0, 0, 0
for path in sorted(glob.glob(folder + "/inspect/*.json")):
    log = read_eval_log(path)
    samples += len(log.samples)
    for sample in log.samples:
        for score in sample.scores.values():
            total += sum(score.as_dict().values())
            given += len(score.as_dict())
print("inspect", samples, given, round(total, 3))
