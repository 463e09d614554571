"""What krippendorff, irrCAC, scikit-learn and scipy say about raters, and the alternative-annotator test as its paper defines it,
beside compqa on the same data: the figures that docs/statistics.md names. Needs compqa on the PATH and
`pip install krippendorff==0.9.0 irrCAC==0.4.4 scikit-learn scipy pandas`. Ends with 1 where a figure differs by more than 1e-9."""
import csv, itertools, math, random, subprocess, sys, tempfile
from importlib.metadata import version
from os.path import join

import irrCAC.raw
import krippendorff
import numpy as np
import pandas
import scipy.stats
import sklearn.metrics

PEOPLE = ["anna", "ben", "chris", "dora", "emil"]
EPSILON = 0.15
compared, differing, largest = 0, 0, {}


def same(source, what, ours, theirs):
    global compared, differing
    compared += 1
    gap = abs(float(ours or "nan") - theirs)
    largest[source] = max(largest.get(source, (0, 0))[0], gap), largest.get(source, (0, 0))[1] + 1
    if not gap <= 1e-9:
        differing += 1
        print(f"DIFFERS: {what}: compqa {ours}, {source} {theirs}")


def made(kind, n):
    """A judge and five people on n items. Everybody leaves out one item in eight, so that people share different ones."""
    truth = [random.gauss(0, 1) for _ in range(n)]
    value = {
        "points": lambda t, lean: max(1, min(5, round(3 + t + lean + random.gauss(0, 0.8)))),
        "labels": lambda t, lean: "abc"[min(2, max(0, math.floor(1.5 + t + lean + random.gauss(0, 0.6))))],
    }[kind]
    raters = {by: [value(t, lean) if random.random() > 1 / 8 else None for t in truth]
              for by, lean in zip(["judge"] + PEOPLE, [0.3, 0, 0.2, -0.2, 0.4, 0])}
    return raters


def pairs(x, y):
    return zip(*[(a, b) for a, b in zip(x, y) if a is not None and b is not None])


def alpha(raters, level, labels):
    place = {v: i for i, v in enumerate(labels)} if level == "nominal" else {v: v for v in labels}
    table = [[np.nan if v is None else float(place[v]) for v in values] for values in raters]
    return krippendorff.alpha(reliability_data=np.array(table), level_of_measurement=level)


def gwet(raters, weights, labels):
    frame = pandas.DataFrame({i: values for i, values in enumerate(raters)}, dtype=object)
    frame = frame.where(frame.notna(), np.nan)
    # as printed, irrCAC rounds to 5 digits
    return irrCAC.raw.CAC(frame, weights=weights, categories=list(labels), digits=12).gwet()["est"]["coefficient_value"]


def alt_test(judge, people, score):
    """Winning rate and advantage probability: Calderon, Reichart and Dror 2025 (arXiv:2501.10970), section 3: for each person the
    paired test of who is closer to the other people, at false discovery rate .05 by Benjamini and Yekutieli 2001."""
    p, advantages = [], []
    for left_out in people:
        differences, wins = [], []
        for i, own in enumerate(left_out):
            others = [values[i] for values in people if values is not left_out and values[i] is not None]
            if own is None or judge[i] is None or not others:
                continue
            s, f = score(own, others), score(judge[i], others)
            wins.append(f >= s)
            differences.append(int(s >= f) - int(f >= s))
        advantages.append(np.mean(wins))
        p.append(scipy.stats.ttest_1samp(differences, EPSILON, alternative="less").pvalue)
    adjusted = scipy.stats.false_discovery_control(p, method="by")
    return np.mean(adjusted <= 0.05), np.mean(advantages)


def closeness(kind):
    if kind == "labels":
        return lambda own, others: np.mean([own == o for o in others])
    return lambda own, others: -math.sqrt(np.mean([(own - o) ** 2 for o in others]))


def write(path, head, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([head] + rows)


def run(*words):
    subprocess.run(["compqa", *words], check=True, stdout=subprocess.DEVNULL)


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def validated(folder, kind, raters, labels):
    """compqa validate: each person, people together, the test."""
    judge, people = raters["judge"], [raters[p] for p in PEOPLE]
    write(join(folder, "judge.csv"), ["id", "grade"], [[f"i{i}", v] for i, v in enumerate(judge) if v is not None])
    write(join(folder, "people.csv"), ["id", "annotator", "grade"],
          [[f"i{i}", p, v] for p in PEOPLE for i, v in enumerate(raters[p]) if v is not None])
    run("validate", join(folder, "judge.csv"), "--people", join(folder, "people.csv"), "--out", join(folder, "out"),
        "--epsilon", str(EPSILON))
    rows = {row["reference"]: row for row in rows_of(join(folder, "out", "tables", "validation.csv"))}
    level = "nominal" if kind == "labels" else "interval"
    for name, values in zip(PEOPLE, people):
        row, (x, y) = rows[name], pairs(judge, values)
        what = f"{kind}, judge and {name}: "
        same("scikit-learn", what + "kappa", row["kappa"], sklearn.metrics.cohen_kappa_score(x, y))
        same("scikit-learn", what + "agreement", row["agreement"], sklearn.metrics.accuracy_score(y, x))
        same("krippendorff", what + "alpha", row["alpha"], alpha([x, y], level, labels))
        same("irrCAC", what + "AC1", row["ac1"], gwet([x, y], "identity", labels))
        if kind == "points":
            same("scikit-learn", what + "quadratic kappa", row["kappa_weighted"], sklearn.metrics.cohen_kappa_score(x, y, weights="quadratic"))
            same("scikit-learn", what + "MAE", row["mae"], sklearn.metrics.mean_absolute_error(y, x))
            same("scipy", what + "rho", row["spearman"], scipy.stats.spearmanr(x, y).statistic)
    both = [a is not None and any(p[i] is not None for p in people) for i, a in enumerate(judge)]
    kept = [[v if b else None for v, b in zip(p, both)] for p in people]
    same("krippendorff", kind + ", people: alpha", rows["people:among"]["alpha"], alpha(kept, level, labels))
    same("krippendorff", kind + ", judge and people: alpha", rows["people:all"]["alpha"],
         alpha(kept + [[v if b else None for v, b in zip(judge, both)]], level, labels))
    winning, advantage = alt_test(judge, people, closeness(kind))
    same("alternative-annotator test", kind + ": ω", rows["people:mean"]["winning_rate"], winning)
    same("alternative-annotator test", kind + ": ρ", rows["people:mean"]["advantage_probability"], advantage)


def agreed(folder, kind, raters, labels):
    """compqa agree, at every level that the values have."""
    people = [raters[p] for p in PEOPLE]
    write(join(folder, "units.csv"), ["unit", "rater", "criterion", "value"],
          [[f"i{i}", p, "grade", v] for p in PEOPLE for i, v in enumerate(raters[p]) if v is not None])
    for level in ["nominal"] + (["ordinal", "interval", "ratio"] if kind == "points" else []):
        run("agree", "--units", join(folder, "units.csv"), "--level", level, "--out", join(folder, "agree.csv"))
        row, what = rows_of(join(folder, "agree.csv"))[0], f"{kind}, agree at {level} level: "
        same("krippendorff", what + "alpha", row["alpha"], alpha(people, level, labels))
        by_pair = [tuple(pairs(x, y)) for x, y in itertools.combinations(people, 2)]
        if level == "nominal":
            same("irrCAC", what + "AC1", row["gwet_ac1"], gwet(people, "identity", labels))
            same("scikit-learn", what + "mean kappa", row["kappa"], np.mean([sklearn.metrics.cohen_kappa_score(x, y) for x, y in by_pair]))
        else:
            same("irrCAC", what + "AC2", row["gwet_ac2"], gwet(people, "ordinal" if level == "ordinal" else "quadratic", labels))
            same("scipy", what + "mean rho", row["spearman"], np.mean([scipy.stats.spearmanr(x, y).statistic for x, y in by_pair]))


random.seed(45)
for kind, labels in {"points": [1, 2, 3, 4, 5], "labels": ["a", "b", "c"]}.items():
    for n in (60, 240):
        with tempfile.TemporaryDirectory() as folder:
            raters = made(kind, n)
            validated(folder, kind, raters, labels)
            agreed(folder, kind, raters, labels)
for source, (gap, n) in largest.items():
    package = f"{source} {version(source)}" if source[0] != "a" else source
    print(f"{package}: {n} figures, the largest difference is {gap:.1e}")
print(f"{compared} figures, {differing} differ")
sys.exit(differing > 0)
