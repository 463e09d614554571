#!/bin/sh
# Compares compqa with truescore on the same file: 10,000 items, one judge, 1,429 labelled by a person.
# Needs python3, `pip install truescore==0.7.4` and compqa on the PATH.
set -e
dir=$(mktemp -d)
python3 - "$dir" <<'PY'
import csv, json, random, sys
random.seed(1)
with open(sys.argv[1] + "/log.jsonl", "w") as log, open(sys.argv[1] + "/people.csv", "w") as people, \
     open(sys.argv[1] + "/both.csv", "w") as both:
    people, both = csv.writer(people), csv.writer(both)
    people.writerow(["id", "c0"])
    both.writerow(["id", "judge", "human"])
    for i in range(10000):
        quality = random.gauss(0, 1)
        judged = int(quality + random.gauss(0, 1) > 0)
        human = int(quality + random.gauss(0, 1) > 0) if i % 7 == 0 else ""
        log.write(json.dumps({"id": f"i{i}", "answer": "some answer text " * 10 + str(i), "c0": judged}) + "\n")
        both.writerow([f"i{i}", judged, human])
        if human != "":
            people.writerow([f"i{i}", human])
PY
time truescore audit "$dir/both.csv" --judge judge --gold human --id-column id
time compqa validate "$dir/log.jsonl" --people "$dir/people.csv" --out "$dir/out"
cut -d, -f3,5,8,20,23,36,39 "$dir/out/tables/validation.csv"
