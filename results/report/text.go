package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
)

// reportText is report.md: a summary of the run and its results, and the list of files.
func (t *Report) reportText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report\n\n%s answer comparative questions; %s score the answers with the rubric %q (%s points, %s).\n\n",
		data.Plural(len(t.Systems), "system", "systems"), data.Plural(len(t.Judges), "judge", "judges"), t.Rubric.Name, t.Points(),
		data.Plural(len(t.Rubric.Criteria), "criterion", "criteria"))
	b.WriteString("## Summary\n\n")
	for _, line := range t.summary() {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString("\n## Files\n\n" +
		"- [agreement.md](agreement.md): agreement of the judges with human scores, compared with annotators and content-blind baselines ([agreement.csv](agreement.csv); [floors.csv](floors.csv): paired differences; [worth.csv](worth.csv): judge quality). Read this first.\n" +
		"- [leaderboard.md](leaderboard.md): mean points by system and judge, by scenario, by group of criteria, with and without an aspect, with intervals and ranks ([leaderboard.csv](leaderboard.csv), [groups.csv](groups.csv), [comparisons.csv](comparisons.csv))\n" +
		"- [judges.md](judges.md): leniency, preference for the judge's own family, rankings without some judges, length bias, countable criteria, self-agreement ([judges.csv](judges.csv), [leniency.csv](leniency.csv), [countable.csv](countable.csv))\n" +
		"- [arguments.md](arguments.md): citations, and whether answers contradict their arguments ([citations.csv](citations.csv), [arguments.csv](arguments.csv))\n" +
		"- [failures.md](failures.md): missing and invalid results with reasons ([failures.csv](failures.csv))\n" +
		"- [costs.md](costs.md): costs of answers and verdicts, and agreement per dollar ([costs.csv](costs.csv))\n" +
		"- [attacks.md](attacks.md): damage to answers that the built-in judges do not detect ([attacks.csv](attacks.csv))\n" +
		"- [answers.csv](answers.csv), [verdicts.csv](verdicts.csv): one row each, without texts; texts, raw replies and calls are in " + store.RecordName + " (SQLite)\n\n")
	b.WriteString("## How to read the tables\n\n" +
		"- All tables are computed from the record; `compqa report` recomputes them without a model.\n" +
		"- planned = valid + invalid + skipped + pending. Means and deviations use valid verdicts only; their number is shown.\n" +
		"- A leaderboard shows the scores of a judge. agreement.md shows how good that judge is.\n" +
		"- A 95 % interval contains the true value in 95 of 100 such benchmarks. It is wider if several answers share a question. comparisons.csv tests whether two systems differ; overlapping intervals do not show this.\n\n")
	b.WriteString("## Systems\n\n" + t.systemsTable().Markdown())
	b.WriteString("## Judges\n\n" + t.judgesTable().Markdown())
	b.WriteString("## Provenance\n\n")
	for i, p := range t.Made {
		b.WriteString(t.provenanceText(i, p))
	}
	return b.String()
}

// summary lists the first system of each judge, without floors and single annotators,
// and the quality of the judges.
func (t *Report) summary() []string {
	var lines []string
	single := t.Annotators()
	for i, j := range t.Judges {
		if j.Kind == dataset.KindFloor || slices.Contains(single, i) {
			continue
		}
		var first []*leaderboard.LeaderboardRow
		for i := range t.Board {
			if r := &t.Board[i]; r.Judge == j.Name && r.Scenario == dataset.AllScenarios && r.Rank.Known() && *r.Rank.Number == 1 {
				first = append(first, r)
			}
		}
		switch {
		case len(first) == 0:
			lines = append(lines, fmt.Sprintf("%s has no valid verdicts.", table.Bold(j.Name)))
		case len(first) > 1:
			lines = append(lines, fmt.Sprintf("%s ranks %s first, with %s points each.", table.Bold(j.Name), data.Plural(len(first), "system", "systems"), first[0].Mean.Text(2)))
		default:
			r := first[0]
			lines = append(lines, fmt.Sprintf("%s ranks %s first: %s points (%s), possible ranks %s to %s.",
				table.Bold(j.Name), table.Bold(r.System), table.Interval(r.Mean, r.CILow, r.CIHigh, 2), data.Plural(r.Valid, "verdict", "verdicts"), r.RankLow.Text(0), r.RankHigh.Text(0)))
		}
	}
	for _, line := range append(t.AssessmentLines(), t.AttackLines()...) {
		lines = append(lines, table.EscapeMarkdown(line))
	}
	return lines
}

func (t *Report) systemsTable() *table.Table {
	planned, valid := map[string]int{}, map[string]int{}
	for i, a := range t.Answers {
		if t.CellOf[i] >= 0 && a.Status == data.Valid {
			valid[a.System]++
		}
	}
	for _, r := range t.failed {
		if r.Kind == store.KindAnswer {
			planned[r.System] += r.Count
		}
	}
	view := &table.Table{Words: 4, Header: []string{"system", "kind", "family", "description", "answers planned", "valid"}}
	for _, p := range t.Systems {
		view.Add(p.Name, p.Kind, p.Family, p.About, strconv.Itoa(planned[p.Name]+valid[p.Name]), strconv.Itoa(valid[p.Name]))
	}
	return view
}

func (t *Report) judgesTable() *table.Table {
	view := &table.Table{Words: 4, Header: []string{"judge", "kind", "family", "description", "verdicts planned", "valid"}}
	for _, p := range t.Judges {
		planned, valid := 0, 0
		for _, r := range t.Board {
			if r.Judge == p.Name && r.Scenario == dataset.AllScenarios {
				planned, valid = planned+r.Planned, valid+r.Valid
			}
		}
		view.Add(p.Name, p.Kind, p.Family, p.About, strconv.Itoa(planned), strconv.Itoa(valid))
	}
	return view
}

// provenanceText lists the program, the data and the configuration of one record.
func (t *Report) provenanceText(i int, p store.Provenance) string {
	var b strings.Builder
	if len(t.Made) > 1 {
		b.WriteString("### " + table.EscapeMarkdown(filepath.Base(t.Dirs[i])) + "\n\n")
	}
	ids := slices.SortedFunc(maps.Keys(p.TemplateTexts()), dataset.CompareScenarios)
	view := &table.Table{Words: 2, Header: []string{"item", "value"}}
	for _, row := range [][2]string{
		{"program", strings.TrimSpace("compqa " + p.Program + " " + p.Revision)},
		{"questions", p.Dataset}, {"hash of the questions", p.DataHash},
		{"rubric", t.Rubric.Name}, {"hash of the rubric", p.RubricHash},
		{"scenario templates", strings.Join(ids, ", ")},
		{"hash of the release", p.ReleaseHash},
		{"seed", strconv.FormatInt(p.Seed, 10)},
	} {
		if row[1] != "" {
			view.Add(row[0], row[1])
		}
	}
	b.WriteString(view.Markdown())
	var config bytes.Buffer
	if p.Config != "" && json.Indent(&config, []byte(p.Config), "", "  ") == nil {
		b.WriteString("The configuration, including defaults:\n\n~~~~json\n" + config.String() + "\n~~~~\n\n")
	}
	return b.String()
}
