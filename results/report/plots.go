package report

import (
	"cmp"
	"slices"
	"strings"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/plot"
	"compqa/results/raters"
	"compqa/results/table"
)

// PointsPlot returns the plot of a ranking. Its title says what it shows.
func (t *Report) PointsPlot(selection Selection) *table.Plot {
	if selection == (Selection{}) {
		return t.pointsPlot(selection, t.Leaderboard.PlotTitle()+": "+t.Leader().Title())
	}
	return t.pointsPlot(selection, t.Ranking(selection).Title)
}

// pointsPlot plots the points of a ranking. Systems without a rank are grey.
func (t *Report) pointsPlot(selection Selection, title string) *table.Plot {
	ranking := t.Ranking(selection)
	var rows []plot.Row
	high := t.Rubric.Max()
	points := slices.IndexFunc(ranking.Table.Header,
		func(name string) bool { return name == "points" || name == t.Leaderboard.PointsName() })
	if selection.Group != "" {
		high = t.Rubric.GroupMax(selection.Group)
	}
	for _, row := range ranking.Table.Rows {
		if row[points].Value.Known && len(rows) < mostRanked {
			class := "mark"
			if ranking.Table.Header[0] == "rank" && !row[0].Value.Known {
				class = "floor"
			}
			rows = append(rows, plot.Row{Name: row[ranking.Table.Key].Text, Class: class, Figure: row[points].Value})
		}
	}
	return plot.Rows("points", "Points of each system with 95 % intervals; the table has the same figures",
		plot.Frame{Title: title, Axis: "points", Source: SourceOf(t.Dataset), Low: t.Rubric.Min(), High: high}, rows)
}

// AgreementPlot plots alpha with the first reference at a level that covers all units, without shuffled baselines. People's alpha is with
// each other. If judge is not empty, no other judge is shown. It returns nil without a judge to show.
func (t *Report) AgreementPlot(level, judge string) *table.Plot {
	if t.References() == nil {
		return nil
	}
	reference := t.Judges[t.References()[0]].Name
	var rows []plot.Row
	low := 0.0
	judged := false
	for _, r := range t.Quality.Agreements {
		if r.Level != level || !r.AlphaInterval.Known || r.Kind != dataset.KindHuman && r.Reference != reference ||
			strings.HasPrefix(r.Judge, raters.ShuffledPrefix) || r.Kind == dataset.KindOfJudge && judge != "" && r.Judge != judge {
			continue
		}
		class := map[string]string{dataset.KindFloor: "floor", dataset.KindHuman: "people", dataset.KindOfJudge: "mark"}[r.Kind]
		name := r.Judge + t.Mark(r.Judge, r.Reference)
		if r.Kind == dataset.KindHuman {
			name += " / " + r.Reference
		}
		judged = judged || class == "mark"
		low = min(low, r.AlphaInterval.Value, r.AlphaInterval.Least().Value)
		rows = append(rows, plot.Row{Name: name, Class: class, Figure: r.AlphaInterval})
	}
	if !judged {
		return nil
	}
	order := []string{"floor", "mark", "people"}
	slices.SortStableFunc(rows, func(a, b plot.Row) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Class), slices.Index(order, b.Class)), cmp.Compare(a.Value, b.Value))
	})
	return plot.Rows("agreement-"+level, "Agreement with people: baselines, judges, and people with each other; the table has the same "+
		"figures",
		plot.Frame{Title: "Agreement with people: baselines (grey), judges (blue), people (pink)", Axis: "Krippendorff's alpha (interval), " +
			judgequality.LevelWords[level], Source: SourceOf(t.Dataset), Low: low, High: 1}, rows)
}
