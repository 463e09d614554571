"""What a user would do with the same files without compqa (make bench-scale). Usage: speed_peers.py NAME FILE…"""
import sys


def validate(judged, scored):
    """Agreement and correlation with people's mean and with each person, without intervals, and alpha of all ratings."""
    import krippendorff
    import pandas as pd
    from scipy import stats

    judge, people = pd.read_csv(judged).set_index("id"), pd.read_csv(scored)
    for c in [c for c in judge.columns if c.startswith("criterion")]:
        wide = people.pivot(index="id", columns="annotator", values=c)
        both = wide.join(judge[c])
        mean = both[list(wide.columns)].mean(axis=1)
        print(c, krippendorff.alpha([mean, both[c]], level_of_measurement="interval"), stats.spearmanr(mean, both[c])[0],
              stats.kendalltau(mean, both[c])[0], krippendorff.alpha(wide.T.to_numpy(), level_of_measurement="interval"))
        for person in wide.columns:
            print((both[person] == both[c]).mean(), krippendorff.alpha(both[[person, c]].T.to_numpy(), level_of_measurement="interval"))


def agree(ratings):
    """Alpha of all ratings, without an interval."""
    import krippendorff
    import pandas as pd

    table = pd.read_csv(ratings).pivot(index="annotator", columns="unit", values="value")
    print(krippendorff.alpha(table.to_numpy(), level_of_measurement="interval"))


def record(answers, verdicts, people, out):
    """Answers, verdicts and people's scores as tables and as CSV, and the verdicts that are farthest from people's mean."""
    import duckdb

    db = duckdb.connect()
    db.sql(f"CREATE TABLE answers AS SELECT * FROM read_json('{answers}')")
    for name, path in [("verdicts", verdicts), ("people", people)]:
        db.sql(f"""CREATE TABLE {name} AS SELECT *, list_sum(map_values(scores)) AS total FROM read_json('{path}',
            columns = {{id: 'VARCHAR', judge: 'VARCHAR', scores: 'MAP(VARCHAR, DOUBLE)', reason: 'VARCHAR'}})""")
    for name in ["answers", "verdicts", "people"]:
        db.sql(f"COPY {name} TO '{out}-{name}.csv'")
    print(db.sql("""SELECT id, v.judge, v.total, p.mean FROM verdicts v JOIN (SELECT id, avg(total) AS mean FROM people GROUP BY id) p
        USING (id) ORDER BY abs(v.total - p.mean) DESC LIMIT 20"""))


def pairs(preferences):
    """Strengths of systems, without intervals."""
    import evalica
    import pandas as pd

    table = pd.read_csv(preferences)
    winner = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    print(evalica.bradley_terry(table["system_a"], table["system_b"], table["label"].map(winner)).scores)


def sheets(values):
    """Alpha of each criterion, without intervals."""
    import krippendorff
    import pandas as pd

    for criterion, rows in pd.read_csv(values).groupby("criterion"):
        wide = rows.pivot(index="judge", columns="id", values="number")
        print(criterion, krippendorff.alpha(wide.to_numpy(), level_of_measurement="interval"))


if __name__ == "__main__":
    {f.__name__: f for f in [validate, agree, record, pairs, sheets]}[sys.argv[1]](*sys.argv[2:])
