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
	"compqa/results/store"
	"compqa/results/table"
)

// reportText is report.md, one page: the ranking, whether the judges can be trusted, and the
// list of files.
func (t *Report) reportText(images, links string) string {
	return table.Page("Report", fmt.Sprintf("%s answer comparative questions; %s score the answers with the rubric %q (%s points, %s).",
		data.Plural(len(t.Systems), "system", "systems"), data.Plural(len(t.Judges), "judge", "judges"), t.Rubric.Name, t.Points(), data.Plural(len(t.Rubric.Criteria), "criterion", "criteria")),
		table.Section{Title: "Ranking", About: t.rankingText(), Table: t.Ranking(mostRanked)},
		table.Section{Title: "Can the judges be trusted?", About: t.TrustText() + "\n\n" + images},
		t.tablesSection(),
		table.Section{Title: "Files", About: links + "- [answers.csv](answers.csv), [verdicts.csv](verdicts.csv): one row each; texts, replies and calls are in " + store.RecordName + " (SQLite)\n\n" +
			"All tables are computed from the record; `compqa report` recomputes them without a model."})
}

// tablesSection is about contrastive tables; it is left out if no system makes any.
func (t *Report) tablesSection() table.Section {
	if lines := t.tables.Lines(); lines != "" {
		return table.Section{Title: "Contrastive tables", About: lines}
	}
	return table.Section{Table: &table.Table{}}
}

// mostRanked is the number of systems in report.md; leaderboard.md has all.
const mostRanked = 40

func (t *Report) rankingText() string {
	text := table.EscapeMarkdown(t.HeadlineText()) + " Points are the mean of the scenario means, with a 95 % interval, clustered by question. A rank is followed by its range if the data allow several ranks. " +
		"*length-controlled* points are the points at the mean length of all answers. *failures* are answers without a valid text."
	if often := t.FaithfulnessText(); often != "" {
		text += "\n\n" + table.EscapeMarkdown(often)
	}
	var rest []string
	for i, s := range t.Standings {
		if i >= mostRanked || !s.Points.Value.Known() {
			rest = append(rest, s.System)
		}
	}
	if n := len(rest) - mostRanked; n > 0 {
		rest = append(rest[:mostRanked], data.Plural(n, "more system", "more systems"))
	}
	if rest != nil {
		text += "\n\nNot in this ranking: " + table.EscapeMarkdown(data.List(rest)) + "; see [leaderboard.md](leaderboard.md)."
	}
	return text
}

// Ranking is the order of the headline judge, with what the answers cost; at most a number of systems.
func (t *Report) Ranking(most int) *table.Table {
	view := &table.Table{Words: 2, Header: []string{"rank", "system", t.PointsName(), "length-controlled", "cost, $", "median seconds", "failures"}}
	counts := t.answerCounts()
	for i, s := range t.Standings {
		if i >= most || !s.Points.Value.Known() {
			break
		}
		length := table.Figure{}
		if r := t.HeadlineRow(s.System); r != nil {
			length = r.LengthControlled
		}
		cost, latency := table.None, table.Figure{}
		for _, paid := range t.Paid {
			if paid.Kind == store.KindAnswer && paid.Name == s.System {
				cost, latency = "?", paid.Latency
				if paid.Cost.Known() {
					cost = paid.Cost.Text(4)
				}
			}
		}
		n := counts[s.System]
		view.Add(s.RankText(), t.MarkedSystem(s.System), s.Points.Text(2), length.Text(2), cost, latency.Text(2), fmt.Sprintf("%d of %d", n.planned-n.valid, n.planned))
	}
	return view
}

// provenanceText is provenance.md.
func (t *Report) provenanceText() string {
	var asked strings.Builder
	for _, line := range slices.Concat(t.adaptationLines(), t.selfAgreementLines()) {
		asked.WriteString("- " + table.EscapeMarkdown(line) + "\n")
	}
	sections := []table.Section{{About: asked.String()}, {Title: "Systems", Table: t.systemsTable()}, {Title: "Judges", Table: t.judgesTable()}}
	for i, p := range t.Made {
		sections = append(sections, t.provenance(i, p)...)
	}
	return table.Page("Provenance", "The systems, the judges, how they were asked, and versions and hashes of all inputs.", sections...)
}

// An answerCount is the planned and the valid answers of a system.
type answerCount struct{ planned, valid int }

func (t *Report) answerCounts() map[string]answerCount {
	counts := map[string]answerCount{}
	for i, a := range t.Answers {
		if n := counts[a.System]; t.CellOf[i] >= 0 && a.Status == data.Valid {
			counts[a.System] = answerCount{n.planned + 1, n.valid + 1}
		}
	}
	for _, r := range t.failed {
		if n := counts[r.System]; r.Kind == store.KindAnswer {
			counts[r.System] = answerCount{n.planned + r.Count, n.valid}
		}
	}
	return counts
}

func (t *Report) systemsTable() *table.Table {
	counts := t.answerCounts()
	view := &table.Table{Words: 4, Header: []string{"system", "kind", "family", "description", "answers planned", "valid"}}
	for _, p := range t.Systems {
		view.Add(p.Name, p.Kind, p.Family, p.About, strconv.Itoa(counts[p.Name].planned), strconv.Itoa(counts[p.Name].valid))
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
