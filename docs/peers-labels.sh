#!/bin/sh
# What truescore, ppi_py and arenakit compute from chosen or repeated labels, beside compqa, on the same data. Needs compqa and python3
# on the PATH and `pip install truescore==0.7.4 ppi-python==0.2.3 arenakit==0.1.1`; with Python 3.12 and `pip install glide-py`,
# GLIDE's estimators too. Each package that is not installed is named and left out. Usage: peers-labels.sh
here=$(mktemp -d) && cd "$here" || exit 1
python3 - <<'PY'
import csv, json, math, random
random.seed(5)
people, log, chosen = (csv.writer(open(name, "w", newline="")) for name in ("people.csv", "log.csv", "chosen.csv"))
people.writerow(["id", "annotator", "ok"]); log.writerow(["id", "ok"]); chosen.writerow(["id", "annotator", "ok", "inclusion"])
for i in range(2000):
    judged = int(random.random() < 0.7)
    right = int(random.random() < (0.95 if judged else 0.3))
    log.writerow([i, judged])
    if i % 10 == 0: people.writerow([i, "anna", right])            # a random sample
    p = 0.05 if judged else 0.3                                    # more of what the judge fails
    if random.random() < p: chosen.writerow([i, "anna", right, p])
systems, strength = "wxyz", dict(w=1.2, x=0.5, y=0.0, z=-0.7)
pairs, choices, battles = (open(name, "w") for name in ("pairs.jsonl", "choices.jsonl", "battles.jsonl"))
for i in range(500):                                               # a judge that prefers the first place, odds e^.8
    a, b = random.sample(systems, 2)
    print(json.dumps(dict(id=f"p{i}", question=f"q{i}?", a=f"answer {i} of {a}", b=f"reply {i} of {b}", label="a", system_a=a, system_b=b)), file=pairs)
    for order, place in (("ab", 0.8), ("ba", -0.8)):
        chosen = "a" if random.random() < 1 / (1 + math.exp(strength[b] - strength[a] - place)) else "b"
        print(json.dumps(dict(id=f"p{i}", judge="j", order=order, choice=chosen, status="valid")), file=choices)
        first, second = (a, b) if order == "ab" else (b, a)
        print(json.dumps(dict(model_a=first, model_b=second, winner="a" if (chosen == "a") == (order == "ab") else "b", item_id=f"q{i}")), file=battles)
PY
echo "\$ compqa pairwise import: strengths of a judge with a factor for the answer shown first"
compqa pairwise import --pairs pairs.jsonl --in choices.jsonl --out pairs >/dev/null 2>&1
grep ',j,' pairs/tables/bradley_terry.csv | cut -d, -f1,2 | sort
grep -m1 -o 'the answer shown first has odds of [^;]*' pairs/report.md
echo "\$ compqa validate: rate_corrected is the rate of all items; a random sample, then chosen labels with known probabilities"
compqa validate log.csv --people people.csv --out random >/dev/null 2>&1
compqa validate log.csv --people chosen.csv --out chosen >/dev/null 2>&1
compqa validate log.csv --people people.csv --record looks --out look >/dev/null 2>&1
cat look/tables/any_time.csv
python3 - <<'PY'
import csv, importlib.metadata as metadata, json
try: import numpy as np
except ImportError: np = None
def version(name):
    try: return metadata.version(name)
    except metadata.PackageNotFoundError: print(name, "is not installed"); return None
judged = {r["id"]: float(r["ok"]) for r in csv.DictReader(open("log.csv"))}
labels = {r["id"]: float(r["ok"]) for r in csv.DictReader(open("people.csv"))}
inclusion = {r["id"]: float(r["inclusion"]) for r in csv.DictReader(open("chosen.csv"))}
picked = {r["id"]: float(r["ok"]) for r in csv.DictReader(open("chosen.csv"))}
for look in ("random", "chosen"):
    row = next(r for r in csv.DictReader(open(f"{look}/tables/validation.csv")) if r["reference"] == "people:mean")
    print("compqa,", look, {k: row[k] for k in ("n", "design", "rate_judge", "rate_people", "rate_corrected", "corrected_low", "corrected_high") if k in row})
if version("ppi-python"):
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
    y = np.array([labels[i] for i in labels]); f = np.array([judged[i] for i in labels])
    rest = np.array([judged[i] for i in judged if i not in labels])
    print("ppi_py", version("ppi-python"), "random", ppi_mean_pointestimate(y, f, rest), ppi_mean_ci(y, f, rest, alpha=0.05))
    w = np.array([1 / inclusion[i] for i in picked]); N = len(judged); theta = sum(judged.values()) / N
    print("Horvitz-Thompson by hand (Zrnic and Candes 2024, lambda 1), chosen", theta + sum(w * (np.array(list(picked.values())) - np.array([judged[i] for i in picked]))) / N)
if version("truescore"):
    from truescore.sequential import confidence_sequence
    values = [labels[i] for i in labels]
    print("truescore", version("truescore"), confidence_sequence(values).summary())
    print("  theorem 2 of Waudby-Smith and Ramdas 2024 (empirical Bernstein); compqa has theorem 3 (betting), which is narrower: both hold")
if version("arenakit"):
    import arenakit, math
    battles = [arenakit.Battle(**json.loads(line)) for line in open("battles.jsonl")]
    fit = arenakit.fit_bt(arenakit.Arena(battles).counts(), order=True, prior=0.0)
    print("arenakit", version("arenakit"), [float(x) for x in np.exp(fit.scores - np.mean(fit.scores))], "shown first", math.exp(fit.order_log))
if version("glide-py"):
    import glide; print("glide", version("glide-py"), [name for name in dir(glide) if name[0] != "_"])
PY
echo "Files: $here"
