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

// reportText is report.md: what ran, what came out in short, and where the rest
// is.
func (t *Report) reportText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report\n\n%s answer comparative questions; %s score the answers by the rubric %q, %s points, in %s.\n\n",
		table.Plural(len(t.Systems), "system", "systems"), table.Plural(len(t.Judges), "judge", "judges"), t.Rubric.Name, t.Points(),
		table.Plural(len(t.Rubric.Criteria), "criterion", "criteria"))
	b.WriteString("## In short\n\n")
	for _, line := range t.inShort() {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString("\n## Where to read on\n\n" +
		"- [leaderboard.md](leaderboard.md): mean points by system and judge, by scenario, by group of criteria, with and without an aspect; intervals and ranks ([leaderboard.csv](leaderboard.csv), [groups.csv](groups.csv), [comparisons.csv](comparisons.csv))\n" +
		"- [agreement.md](agreement.md): how far the judges agree with people, beside people with people and judges that cannot know, and what that is worth, in words ([agreement.csv](agreement.csv); [floors.csv](floors.csv): the paired differences; [worth.csv](worth.csv): the outcome)\n" +
		"- [judges.md](judges.md): leniency by system, preference for the own family, rankings without some judges, points and length, what can be counted, a judge against itself, agreement for money ([judges.csv](judges.csv), [leniency.csv](leniency.csv), [countable.csv](countable.csv))\n" +
		"- [arguments.md](arguments.md): what answers cite, and whether they choose against their arguments ([citations.csv](citations.csv), [arguments.csv](arguments.csv))\n" +
		"- [failures.md](failures.md): what has no valid result, and why ([failures.csv](failures.csv))\n" +
		"- [costs.md](costs.md): what answers and verdicts cost, and agreement for money ([costs.csv](costs.csv))\n" +
		"- [attacks.md](attacks.md): what the embedded judges cannot see ([attacks.csv](attacks.csv))\n" +
		"- [answers.csv](answers.csv), [verdicts.csv](verdicts.csv): one row each, without texts; texts, raw replies and calls are in " + store.RecordName + " (SQLite)\n\n")
	b.WriteString("## How to read it\n\n" +
		"- Everything is computed from the record; `compqa report` does it again, without a model.\n" +
		"- planned = valid + the rest, everywhere. Means and deviations are over valid verdicts alone, and their number stands beside them.\n" +
		"- A leaderboard says what a judge thinks of the systems. What the judge's opinion is worth is in agreement.md: read it first.\n" +
		"- An interval holds the true value in 95 of 100 such benchmarks; it is wider where several answers share a question. Whether two systems differ is in comparisons.csv, not in the overlap of their intervals.\n\n")
	b.WriteString("## Systems\n\n" + t.systemsTable().Markdown())
	b.WriteString("## Judges\n\n" + t.judgesTable().Markdown())
	b.WriteString("## Made with\n\n")
	for i, p := range t.Made {
		b.WriteString(t.provenanceText(i, p))
	}
	return b.String()
}

// inShort says who comes first by each judge but floors and single annotators,
// and what the judges are worth.
func (t *Report) inShort() []string {
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
			lines = append(lines, fmt.Sprintf("%s has no valid verdict.", table.Bold(j.Name)))
		case len(first) > 1:
			lines = append(lines, fmt.Sprintf("%s puts %s first alike, with %s points.", table.Bold(j.Name), table.Plural(len(first), "system", "systems"), first[0].Mean.Text(2)))
		default:
			r := first[0]
			lines = append(lines, fmt.Sprintf("%s puts %s first: %s points (%s), ranks %s to %s possible.",
				table.Bold(j.Name), table.Bold(r.System), table.Interval(r.Mean, r.CILow, r.CIHigh, 2), table.Plural(r.Valid, "verdict", "verdicts"), r.RankLow.Text(0), r.RankHigh.Text(0)))
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
	view := &table.Table{Words: 4, Header: []string{"system", "kind", "family", "what it is", "answers planned", "valid"}}
	for _, p := range t.Systems {
		view.Add(p.Name, p.Kind, p.Family, p.About, strconv.Itoa(planned[p.Name]+valid[p.Name]), strconv.Itoa(valid[p.Name]))
	}
	return view
}

func (t *Report) judgesTable() *table.Table {
	view := &table.Table{Words: 4, Header: []string{"judge", "kind", "family", "what it is", "verdicts planned", "valid"}}
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

// provenanceText is what one of the records was made with.
func (t *Report) provenanceText(i int, p store.Provenance) string {
	var b strings.Builder
	if len(t.Made) > 1 {
		b.WriteString("### " + table.EscapeMarkdown(filepath.Base(t.Dirs[i])) + "\n\n")
	}
	ids := slices.SortedFunc(maps.Keys(p.TemplateTexts()), dataset.CompareScenarios)
	view := &table.Table{Words: 2, Header: []string{"what", "which"}}
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
		b.WriteString("The configuration, with its defaults filled in:\n\n~~~~json\n" + config.String() + "\n~~~~\n\n")
	}
	return b.String()
}
