package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
)

// cellText is a mean with its deviation and what it rests on: "17.77 ± 1.06
// (600)", or "(598/600)" where not all of what was planned is valid.
func cellText(mean, sd Figure, valid, planned int) string {
	n := strconv.Itoa(valid)
	if planned > valid {
		n += "/" + strconv.Itoa(planned)
	}
	if !mean.known() {
		return none + " (" + n + ")"
	}
	return mean.text(2) + " ± " + sd.text(2) + " (" + n + ")"
}

func (r *LeaderboardRow) text() string {
	if r == nil {
		return ""
	}
	return cellText(r.Mean, r.SD, r.Valid, r.Planned)
}

// judgeNames head the columns of a table.
func (t *boardTables) judgeNames() []string {
	var names []string
	for _, p := range t.Judges {
		names = append(names, p.Name)
	}
	return names
}

// standing is the systems in the order of their mean rank over all scenarios and
// over all judges but floors; equals, and those without a rank, in the order of
// the configuration.
func (t *boardTables) standing() []Party {
	mean := map[string]float64{}
	var c computer
	for _, s := range t.Systems {
		var ranks []Figure
		for _, j := range t.Judges {
			if r := t.at[planKey{j.Name, s.Name, AllScenarios}]; r != nil && j.Kind != kindFloor {
				ranks = append(ranks, r.Rank)
			}
		}
		mean[s.Name] = float64(len(t.Systems) + 1)
		if m := c.meanKnown(ranks); m.known() {
			mean[s.Name] = *m.number
		}
	}
	systems := slices.Clone(t.Systems)
	slices.SortStableFunc(systems, func(a, b Party) int { return cmp.Compare(mean[a.Name], mean[b.Name]) })
	return systems
}

// points is the range of a total, for people: "0 to 19".
func (t *boardTables) points() string {
	return shortest(t.Rubric.Min()) + " to " + shortest(t.Rubric.Max())
}

// reportText is report.md: what ran, what came out in short, and where the rest
// is.
func (t *tables) reportText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report\n\n%s answer comparative questions; %s score the answers by the rubric %q, %s points, in %s.\n\n",
		plural(len(t.Systems), "system", "systems"), plural(len(t.Judges), "judge", "judges"), t.Rubric.Name, t.points(),
		plural(len(t.Rubric.Criteria), "criterion", "criteria"))
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
		"- [answers.csv](answers.csv), [verdicts.csv](verdicts.csv): one row each, without texts; texts, raw replies and calls are in " + RecordName + " (SQLite)\n\n")
	b.WriteString("## How to read it\n\n" +
		"- Everything is computed from the record; `compqa report` does it again, without a model.\n" +
		"- planned = valid + the rest, everywhere. Means and deviations are over valid verdicts alone, and their number stands beside them.\n" +
		"- A leaderboard says what a judge thinks of the systems. What the judge's opinion is worth is in agreement.md: read it first.\n" +
		"- An interval holds the true value in 95 of 100 such benchmarks; it is wider where several answers share a question. Whether two systems differ is in comparisons.csv, not in the overlap of their intervals.\n\n")
	b.WriteString("## Systems\n\n" + t.systemsTable().markdown())
	b.WriteString("## Judges\n\n" + t.judgesTable().markdown())
	b.WriteString("## Made with\n\n")
	for i, p := range t.Made {
		b.WriteString(t.provenanceText(i, p))
	}
	return b.String()
}

// inShort says who comes first by each judge but floors and single annotators,
// and what the judges are worth.
func (t *tables) inShort() []string {
	var lines []string
	single := t.annotators()
	for i, j := range t.Judges {
		if j.Kind == kindFloor || slices.Contains(single, i) {
			continue
		}
		var first []*LeaderboardRow
		for i := range t.board {
			if r := &t.board[i]; r.Judge == j.Name && r.Scenario == AllScenarios && r.Rank.known() && *r.Rank.number == 1 {
				first = append(first, r)
			}
		}
		switch {
		case len(first) == 0:
			lines = append(lines, fmt.Sprintf("%s has no valid verdict.", bold(j.Name)))
		case len(first) > 1:
			lines = append(lines, fmt.Sprintf("%s puts %s first alike, with %s points.", bold(j.Name), plural(len(first), "system", "systems"), first[0].Mean.text(2)))
		default:
			r := first[0]
			lines = append(lines, fmt.Sprintf("%s puts %s first: %s points (%s), ranks %s to %s possible.",
				bold(j.Name), bold(r.System), interval(r.Mean, r.CILow, r.CIHigh, 2), plural(r.Valid, "verdict", "verdicts"), r.RankLow.text(0), r.RankHigh.text(0)))
		}
	}
	for _, line := range append(t.worthLines(), t.attackLines()...) {
		lines = append(lines, escapeMarkdown(line))
	}
	return lines
}

func bold(name string) string { return "**" + escapeMarkdown(name) + "**" }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (t *tables) systemsTable() *textTable {
	planned, valid := map[string]int{}, map[string]int{}
	for i, a := range t.Answers {
		if t.cellOf[i] >= 0 && a.Status == data.Valid {
			valid[a.System]++
		}
	}
	for _, r := range t.failed {
		if r.Kind == KindAnswer {
			planned[r.System] += r.Count
		}
	}
	table := &textTable{words: 4, header: []string{"system", "kind", "family", "what it is", "answers planned", "valid"}}
	for _, p := range t.Systems {
		table.add(p.Name, p.Kind, p.Family, p.About, strconv.Itoa(planned[p.Name]+valid[p.Name]), strconv.Itoa(valid[p.Name]))
	}
	return table
}

func (t *tables) judgesTable() *textTable {
	table := &textTable{words: 4, header: []string{"judge", "kind", "family", "what it is", "verdicts planned", "valid"}}
	for _, p := range t.Judges {
		planned, valid := 0, 0
		for _, r := range t.board {
			if r.Judge == p.Name && r.Scenario == AllScenarios {
				planned, valid = planned+r.Planned, valid+r.Valid
			}
		}
		table.add(p.Name, p.Kind, p.Family, p.About, strconv.Itoa(planned), strconv.Itoa(valid))
	}
	return table
}

// templates are the texts of the scenarios, by id.
func (p Provenance) templates() map[string]string {
	var templates map[string]string
	if json.Unmarshal([]byte(p.Templates), &templates) != nil {
		return nil
	}
	return templates
}

// provenanceText is what one of the records was made with.
func (t *tables) provenanceText(i int, p Provenance) string {
	var b strings.Builder
	if len(t.Made) > 1 {
		b.WriteString("### " + escapeMarkdown(filepath.Base(t.Dirs[i])) + "\n\n")
	}
	ids := slices.SortedFunc(maps.Keys(p.templates()), compareScenarios)
	table := &textTable{words: 2, header: []string{"what", "which"}}
	for _, row := range [][2]string{
		{"program", strings.TrimSpace("compqa " + p.Program + " " + p.Revision)},
		{"questions", p.Dataset}, {"hash of the questions", p.DataHash},
		{"rubric", t.Rubric.Name}, {"hash of the rubric", p.RubricHash},
		{"scenario templates", strings.Join(ids, ", ")},
		{"hash of the release", p.ReleaseHash},
		{"seed", strconv.FormatInt(p.Seed, 10)},
	} {
		if row[1] != "" {
			table.add(row[0], row[1])
		}
	}
	b.WriteString(table.markdown())
	var config bytes.Buffer
	if p.Config != "" && json.Indent(&config, []byte(p.Config), "", "  ") == nil {
		b.WriteString("The configuration, with its defaults filled in:\n\n~~~~json\n" + config.String() + "\n~~~~\n\n")
	}
	return b.String()
}
