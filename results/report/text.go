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
	sections := []table.Section{
		{Title: "Summary", About: t.summary()},
		{Table: t.bestSystems()},
		{Title: "Files", About: "- [agreement.md](agreement.md): agreement of the judges with human scores, compared with annotators and content-blind baselines ([agreement.csv](agreement.csv); [floors.csv](floors.csv): paired differences; [worth.csv](worth.csv): judge quality). Read this first.\n" +
			"- [leaderboard.md](leaderboard.md): mean points by system and judge, by scenario, by group of criteria, with and without an aspect, with intervals and ranks ([leaderboard.csv](leaderboard.csv), [groups.csv](groups.csv), [comparisons.csv](comparisons.csv))\n" +
			"- [judges.md](judges.md): leniency, preference for the judge's own family, rankings without some judges, length bias, countable criteria, self-agreement ([judges.csv](judges.csv), [leniency.csv](leniency.csv), [countable.csv](countable.csv))\n" +
			"- [arguments.md](arguments.md): citations, and whether answers contradict their arguments ([citations.csv](citations.csv), [arguments.csv](arguments.csv))\n" +
			"- [failures.md](failures.md): missing and invalid results with reasons ([failures.csv](failures.csv))\n" +
			"- [costs.md](costs.md): costs of answers and verdicts, and agreement per dollar ([costs.csv](costs.csv))\n" +
			"- [attacks.md](attacks.md): damage to answers that the built-in judges do not detect ([attacks.csv](attacks.csv))\n" +
			"- [answers.csv](answers.csv), [verdicts.csv](verdicts.csv): one row each, without texts; texts, raw replies and calls are in " + store.RecordName + " (SQLite)"},
		{Title: "How to read the tables", About: "- All tables are computed from the record; `compqa report` recomputes them without a model.\n" +
			"- planned = valid + invalid + skipped + pending. Means and deviations use valid verdicts only; their number is shown.\n" +
			"- A leaderboard shows the scores of a judge. agreement.md shows how good that judge is.\n" +
			"- A 95 % interval contains the true value in 95 of 100 such benchmarks. It is wider if several answers share a question. comparisons.csv tests whether two systems differ; overlapping intervals do not show this."},
		{Title: "Systems", Table: t.systemsTable()},
		{Title: "Judges", Table: t.judgesTable()},
	}
	for i, p := range t.Made {
		sections = append(sections, t.provenance(i, p)...)
	}
	return table.Page("Report", fmt.Sprintf("%s answer comparative questions; %s score the answers with the rubric %q (%s points, %s).",
		data.Plural(len(t.Systems), "system", "systems"), data.Plural(len(t.Judges), "judge", "judges"), t.Rubric.Name, t.Points(),
		data.Plural(len(t.Rubric.Criteria), "criterion", "criteria")), sections...)
}

// summary is the quality of the judges in sentences, and how models were asked.
func (t *Report) summary() string {
	var b strings.Builder
	for _, line := range slices.Concat(t.AssessmentLines(), t.selfAgreementLines(), t.AttackLines(), t.adaptationLines()) {
		b.WriteString("- " + table.EscapeMarkdown(line) + "\n")
	}
	return b.String()
}

// bestSystems are the systems that each judge ranks first, without floors and single
// annotators.
func (t *Report) bestSystems() *table.Table {
	single := t.Annotators()
	return table.View(2, table.Where(t.Ranked(), func(r leaderboard.LeaderboardRow) bool {
		j := slices.IndexFunc(t.Judges, func(p store.Participant) bool { return p.Name == r.Judge })
		return *r.Rank.Number == 1 && t.Judges[j].Kind != dataset.KindFloor && !slices.Contains(single, j)
	}), "judge", "system=ranked first", "mean", "ci_low=95 % from", "ci_high=to", "valid", "rank_low:0=possible ranks from", "rank_high:0=to")
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

// provenance lists the program, the data and the configuration of one record.
func (t *Report) provenance(i int, p store.Provenance) []table.Section {
	made := table.Section{Title: "Provenance", Table: &table.Table{Words: 2, Header: []string{"item", "value"}}}
	if len(t.Made) > 1 {
		made.Title += " of " + filepath.Base(t.Dirs[i])
	}
	ids := slices.SortedFunc(maps.Keys(p.TemplateTexts()), dataset.CompareScenarios)
	for _, row := range [][2]string{
		{"program", strings.TrimSpace("compqa " + p.Program + " " + p.Revision)},
		{"questions", p.Dataset}, {"hash of the questions", p.DataHash},
		{"rubric", t.Rubric.Name}, {"hash of the rubric", p.RubricHash},
		{"scenario templates", strings.Join(ids, ", ")},
		{"hash of the release", p.ReleaseHash},
		{"seed", strconv.FormatInt(p.Seed, 10)},
	} {
		if row[1] != "" {
			made.Table.Add(row[0], row[1])
		}
	}
	var config bytes.Buffer
	if p.Config == "" || json.Indent(&config, []byte(p.Config), "", "  ") != nil {
		return []table.Section{made}
	}
	return []table.Section{made, {About: "The configuration, including defaults:\n\n~~~~json\n" + config.String() + "\n~~~~"}}
}
