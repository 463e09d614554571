#!/bin/sh
# What truescore, inspect_ai and promptfoo say about a judge, beside compqa, on the same data: the table
# of docs/validate.md; and after it peers.py: krippendorff, irrCAC, scikit-learn, scipy and the
# alternative-annotator test, the figures that docs/statistics.md names. Needs compqa and python3 on the PATH,
# `pip install truescore==0.7.4 inspect_ai krippendorff==0.9.0 irrCAC==0.4.4 scikit-learn scipy pandas`,
# and for promptfoo `npm install promptfoo` (Node 22). Usage: peers.sh [LOG.eval] [PROMPTFOO.json]
docs=$(cd "$(dirname "$0")" && pwd)
here=$(mktemp -d) && cd "$here" || exit 1
python3 - <<'PY'
import csv, random
random.seed(1)
def table(name, n, labelled):
    """Items in clusters of four, two systems, one judge with two criteria, two people."""
    with open(name, "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow("id group system length judge graded anna ben graded_anna".split())
        for i in range(n):
            quality = random.gauss(0, 1)
            passes = lambda: int(quality + random.gauss(0, 1) > 0)
            points = lambda: max(1, min(5, round(3 + quality + random.gauss(0, 1))))
            by = lambda value: value if labelled(i) else ""
            rows.writerow([f"i{i}", f"g{i // 4}", "ab"[i % 2], random.randint(20, 400), passes(), points(),
                           by(passes()), by(passes()), by(points())])
table("whole.csv", 10000, lambda i: i // 4 % 7 == 0)  # clusters are labelled as a whole
table("part.csv", 10000, lambda i: i % 7 == 0)        # … or in part
for name in ("whole", "part"):
    with open(name + ".csv") as f, open(name + "-people.csv", "w", newline="") as p, open(name + "-log.csv", "w", newline="") as l:
        people, log = csv.writer(p), csv.writer(l)
        people.writerow(["id", "annotator", "judge", "graded"])
        log.writerow(["id", "group", "system", "judge", "graded"])
        for row in csv.DictReader(f):
            log.writerow([row[c] for c in ("id", "group", "system", "judge", "graded")])
            if row["anna"]:
                people.writerow([row["id"], "anna", row["anna"], row["graded_anna"]])
                if name == "part": # several people an item
                    people.writerow([row["id"], "ben", row["ben"], ""])
PY
try() { echo; echo "\$ $*"; "$@" 2>&1; }
for table in whole part; do
    try time truescore audit $table.csv --judge judge --gold anna --id-column id --cluster-column group --covariate length
    try time compqa validate $table-log.csv --people $table-people.csv --out $table
done
try truescore agreement whole.csv --judge graded --gold graded_anna # points: from Python alone
try python3 -c "
import csv; from truescore.agreement import graded_agreement
rows = [r for r in csv.DictReader(open('whole.csv')) if r['graded_anna']]
print(graded_agreement([float(r['graded']) for r in rows], [float(r['graded_anna']) for r in rows]).summary())"
try cut -d, -f 2-5,8,11,14,17,20,23,34-36,38 whole/tables/validation.csv
[ -n "$1" ] && try python3 -c "
from inspect_ai.log import read_eval_log
for score in read_eval_log('$1').results.scores:
    print(score.name, {name: round(m.value, 3) for name, m in score.metrics.items()}, 'unscored', score.unscored_samples)"
[ -n "$2" ] && HOME=$here try promptfoo import "$2" && HOME=$here try promptfoo show
try python3 "$docs/peers.py"
echo "Files: $here"
