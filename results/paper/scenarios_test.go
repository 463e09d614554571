package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/rubric"
)

// The release has the pairs of Table 1. The points of a scenario in Figure 6 are the mean of its rows in Table 5, weighted by their sheets.
func TestTable1AndFigure6(t *testing.T) {
	r, _ := sharedRelease(t)
	for _, row := range r.pairs[:2] {
		if row.Release.Value != row.Published.Value || row.BuiltIn.Value != row.Published.Value {
			t.Errorf("%+v", row)
		}
	}
	for _, s := range r.figure(6) {
		var sum, n float64
		for _, c := range r.table(5) {
			if c.Column == s.Judge+" mean" && c.Rule == RulePublished && c.Recomputed.Known && c.Row[len(c.Row)-1:] == s.Scenario {
				sum += c.Recomputed.Value * float64(c.N)
				n += float64(c.N)
			}
		}
		if n != float64(s.N) || math.Abs(sum/n-s.Mean.Value) > 1e-9 {
			t.Errorf("scenario %s by %s: %v of %d, %v of %v by Table 5", s.Scenario, s.Judge, s.Mean.Value, s.N, sum/n, n)
		}
	}
	if len(r.figure(6)) != 12 || len(r.figure(7)) != 36 {
		t.Errorf("%d bars in Figure 6, %d in Figure 7", len(r.figure(6)), len(r.figure(7)))
	}
}

// Expected figures for this copy of the release (277 human rows), from a Python program after cell 11 of the authors' notebook. On
// the whole release, people have 13.431 ± 2.984 and 15.013 ± 2.686; the paper prints 13.43 ± 2.98 and 15.01 ± 2.69.
func TestTable4(t *testing.T) {
	r, _ := sharedRelease(t)
	for _, want := range []struct {
		row, judge string
		mean, sd   float64
	}{
		{"yes", data.Human, 13.394135802469135, 3.138003656568277},
		{"no", data.Human, 14.890776815776816, 2.6613651760356922},
		{"yes", "gpt-4o", 16.47222222222222, 1.9372193809791272},
		{"no", "gpt-3.5", 15.748916869273987, 3.1078855555603555},
	} {
		found := 0
		for _, c := range r.table(4) {
			if c.Row != want.row || c.judge != want.judge || c.Rule != RulePublished {
				continue
			}
			value := map[string]float64{want.judge + " mean": want.mean, want.judge + " sd": want.sd}[c.Column]
			if found++; c.N != 27 || math.Abs(c.Recomputed.Value-value) > 1e-9 {
				t.Errorf("%s %s: %v of %d, want %v of 27", c.Row, c.Column, c.Recomputed.Value, c.N, value)
			}
		}
		if found != 2 {
			t.Errorf("%s %s: %d cells", want.row, want.judge, found)
		}
	}
}

// The test makes a release with the paper's 27 sources. The sources' means of human rows give the printed figures of Table 4 by the
// notebook's method: 13.43 ± 2.98 with an aspect, 15.01 ± 2.69 without. Sources with low means have twice as many rows, so the mean
// over all rows would differ.
func TestTable4OfAWholeRelease(t *testing.T) {
	lines := []string{"object1\tobject2\taspect\tcomparison\tfilename"}
	for _, c := range rubric.CQA().Criteria {
		lines[0] += "\tC" + c.ID
	}
	row := func(of source, aspect string, total float64) {
		cells := []string{fmt.Sprint("left ", len(lines)), "right", aspect, "A text", of.key()}
		for _, c := range rubric.CQA().Criteria {
			points := min(total, c.Max())
			total -= points
			cells = append(cells, fmt.Sprint(points))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	for i, of := range publishedSources() {
		with := 14.75
		without := 15.25 // the last source
		switch {
		case i < 8:
			with = 10.25
			without = 12.25
		case i < 13:
			with = 10.5
			without = 12.25
		case i < 21:
			with = 16.5
			without = 17.75
		case i < 26:
			with = 16.25
			without = 17.75
		}
		for range map[bool]int{true: 2, false: 1}[i < 13] {
			for _, off := range []float64{-0.25, 0.25} {
				row(of, "speed", math.Floor(2*with)/2+off+0.25*math.Mod(4*with, 2)) // half points around the mean
				row(of, "", math.Floor(2*without)/2+off+0.25*math.Mod(4*without, 2))
			}
		}
	}
	rep := reproduced(t, releaseFiles(t, map[string]string{"raw_summaries/cam.json": jsonRows("An answer", ""),
		"evaluation_tables/human_evaluation_367.tsv": strings.Join(lines, "\n") + "\n"}))
	for _, row := range rep.countTable().Rows {
		if row[0].Text == "Table 4" && (row[2].Text != "4" || row[3].Text != "4" || row[4].Text != "4") {
			t.Errorf("%v", row)
		}
	}
	for _, c := range rep.table(4) {
		if c.judge == data.Human && c.Rule == RulePublished && (c.N != 27 || !c.reproduced()) {
			t.Errorf("%s %s: %s of %d, printed %s", c.Row, c.Column, c.Recomputed.Text(4), c.N, c.printed.Text)
		}
	}
	if pooled, _ := strconv.ParseFloat(figuresAt(t, rep, "human", "table4.with_aspect.mean"), 64); math.Abs(pooled-13.43) < 0.5 {
		t.Errorf("the mean of all rows is %v, and tells nothing about the method", pooled)
	}
}

// As TestTable4, after cells 28 and 21 of the notebook.
func TestFigures7And8(t *testing.T) {
	r, _ := sharedRelease(t)
	for _, s := range r.figure(7) {
		want, ok := map[[3]string]float64{
			{"structure", "2", data.Human}: 4.022388059701493, {"relevance", "4", data.Human}: 3.2241379310344827,
			{"quality", "1", data.Human}: 5.6015625, {"structure", "2", "gpt-4o"}: 5.35,
		}[[3]string{s.Group, s.Scenario, s.Judge}]
		if ok && math.Abs(s.Mean.Value-want) > 1e-9 {
			t.Errorf("%+v: want %v", s, want)
		}
	}
	type box struct {
		n            int
		mean, median float64
	}
	want := map[[4]string]box{
		{"gpt-4o", "gpt-4o", "18–19", dataset.AllSystems}:   {265, 15.99622641509434, 16},
		{"gpt-4o", "gpt-4o", "3–14", dataset.AllSystems}:    {60, 11.725, 12},
		{"gpt-4o", data.Human, "18–19", dataset.AllSystems}: {95, 18, 18},
		{"gpt-4o", data.Human, "3–14", dataset.AllSystems}:  {163, 15.368098159509202, 16},
		{"gpt-3.5", "gpt-3.5", "3–14", dataset.AllSystems}:  {102, 12.955882352941176, 13},
		{"gpt-4o", "gpt-4o", "18–19", "gpt4"}:               {123, 16.191056910569106, 16},
	}
	for _, e := range r.extremes {
		key := [4]string{e.Judge, e.ChosenBy, e.Points, e.System}
		if of, ok := want[key]; ok {
			if e.N != of.n || math.Abs(e.Mean.Value-of.mean) > 1e-9 || math.Abs(e.Median.Value-of.median) > 1e-9 {
				t.Errorf("%v: %d, mean %v, median %v; want %+v", key, e.N, e.Mean.Value, e.Median.Value, of)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
