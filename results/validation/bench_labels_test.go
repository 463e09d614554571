package validation

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/data/sources/release"
	"compqa/judges/replies"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/labels"
)

// A labelledSet has the values of people and of a judge for the same items, and the cell of each item. In a cell, the judge's errors are
// alike.
type labelledSet struct {
	name, judge   string
	people, rated []float64
	cells         []int
}

func (s *labelledSet) add(people, rated float64, cell string, cells map[string]int) {
	if _, known := cells[cell]; !known {
		cells[cell] = len(cells)
	}
	s.people = append(s.people, people)
	s.rated = append(s.rated, rated)
	s.cells = append(s.cells, cells[cell])
}

// labelledSets returns the data sets of `make bench-labels`. People's value is their mean of points, or 1 if they prefer the first text.
func labelledSets(tb testing.TB) []labelledSet {
	tb.Helper()
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	var sets []labelledSet
	of, err := release.Read(sharedtest.Release(tb))
	must(err)
	totals := map[string]map[string]float64{}
	for _, v := range of.Verdicts {
		total := 0.0
		for _, points := range v.Scores {
			total += points
		}
		if len(v.Scores) == 15 && (v.Judge == data.Human || v.Judge == "gpt-4o") {
			if totals[v.Judge] == nil {
				totals[v.Judge] = map[string]float64{}
			}
			totals[v.Judge][v.Answer] = total
		}
	}
	points := labelledSet{name: "release", judge: "gpt-4o"}
	cells := map[string]int{}
	for _, a := range of.Answers {
		person, scored := totals[data.Human][a.ID]
		if judge, rated := totals["gpt-4o"][a.ID]; scored && rated {
			points.add(person/19, judge/19, fmt.Sprint(math.Round(judge/4)), cells)
		}
	}
	sets = append(sets, points)

	text, err := os.ReadFile(sharedtest.Path(tb, "data", "summeval-op", "summeval-op.jsonl"))
	must(err)
	summaries := labelledSet{name: "SummEval-OP", judge: "length of the summary"}
	cells = map[string]int{}
	for line := range strings.Lines(string(text)) {
		var row struct {
			Summaries map[string]struct {
				Summary    string             `json:"summary"`
				Dimensions map[string]float64 `json:"dimensions"`
			} `json:"summaries"`
		}
		must(json.Unmarshal([]byte(line), &row))
		for _, name := range slices.Sorted(maps.Keys(row.Summaries)) {
			s := row.Summaries[name]
			sum := 0.0
			for _, points := range s.Dimensions {
				sum += points
			}
			words := min(1, float64(len(data.Words(s.Summary)))/150)
			summaries.add((sum/float64(len(s.Dimensions))-1)/4, words, fmt.Sprint(math.Round(words*5)), cells)
		}
	}
	sets = append(sets, summaries, llmbarLabels(tb), pandaLabels(tb))
	return sets
}

// llmbarLabels returns GPT-4's choices in both orders. If they contradict each other, its value is one half.
func llmbarLabels(tb testing.TB) labelledSet {
	bar, err := sources.ReadLLMBar(sharedtest.Path(tb, "data", "llmbar"))
	if err != nil {
		tb.Fatal(err)
	}
	label := map[string]data.Choice{}
	for _, set := range bar.Sets {
		for _, p := range set.Pairs {
			label[p.ID] = p.Label
		}
	}
	s := labelledSet{name: "LLMBar", judge: "GPT-4, Vanilla, both orders"}
	cells := map[string]int{}
	sums := map[string]float64{}
	n := map[string]int{}
	for _, result := range bar.Results {
		for _, c := range result.Completions {
			if result.Judge == "GPT-4" && result.Style == "Vanilla" {
				n[c.Pair]++
				if replies.AsLLMBar(c.Text).In(c.Order) == data.ChoiceA {
					sums[c.Pair]++
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n)) {
		rated := sums[id] / float64(n[id])
		s.add(map[bool]float64{true: 1}[label[id] == data.ChoiceA], rated, fmt.Sprint(rated), cells)
	}
	return s
}

// pandaLabels returns PandaLM's test set. People's value is the mean of three people's choices; a tie is one half.
func pandaLabels(tb testing.TB) labelledSet {
	var people []struct {
		A int    `json:"annotator1"`
		B int    `json:"annotator2"`
		C int    `json:"annotator3"`
		K string `json:"cmp_key"`
	}
	var judged []struct {
		Result any `json:"pandalm_result"`
	}
	for name, into := range map[string]any{"testset-v1.json": &people, "pandalm-7b-testset-v1.json": &judged} {
		text, err := os.ReadFile(sharedtest.Path(tb, "data", "pandalm", name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	value := func(choice string) float64 {
		return map[string]float64{"1": 1, "2": 0}[choice] + map[string]float64{"0": 0.5}[choice]
	}
	s := labelledSet{name: "PandaLM", judge: "pandalm-7b"}
	cells := map[string]int{}
	for i, p := range people {
		mean := (value(fmt.Sprint(p.A)) + value(fmt.Sprint(p.B)) + value(fmt.Sprint(p.C))) / 3
		choice := fmt.Sprint(judged[i].Result)
		s.add(mean, value(choice), choice, cells)
	}
	return s
}

// drawn returns n items drawn from the set with replacement. The set is the population whose rate is estimated.
func (s *labelledSet) drawn(n int, rng *stats.RNG) *labelledSet {
	d := &labelledSet{name: s.name}
	for range n {
		i := rng.Intn(len(s.people))
		d.people = append(d.people, s.people[i])
		d.rated = append(d.rated, s.rated[i])
		d.cells = append(d.cells, s.cells[i])
	}
	return d
}

// limit returns the greatest share of labels that allocation by cells can save, if the variances in cells are known and labels are many. It
// is 1 - (Σ W σ)² / Σ W σ², with the share W and the standard deviation σ of each cell (Neyman 1934).
func (s *labelledSet) limit() float64 {
	sums := map[int]float64{}
	squares := map[int]float64{}
	n := map[int]float64{}
	for i, c := range s.cells {
		sums[c], squares[c], n[c] = sums[c]+s.people[i], squares[c]+s.people[i]*s.people[i], n[c]+1
	}
	sd := 0.0
	variance := 0.0
	for c, m := range n {
		v := max(0, squares[c]/m-(sums[c]/m)*(sums[c]/m))
		sd += m / float64(len(s.cells)) * math.Sqrt(v)
		variance += m / float64(len(s.cells)) * v
	}
	return 1 - sd*sd/variance
}

// look labels first items at random, and then n-first more, at random or chosen by labels.Probabilities. It returns the half-width of the
// interval of people's rate, and whether the interval contains the given truth.
func (s *labelledSet) look(truth float64, first, n int, chosen bool, rng *stats.RNG) (half float64, inside bool) {
	all := len(s.people)
	order := make([]int, all)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(all, func(i, j int) { order[i], order[j] = order[j], order[i] })
	labelled := make([]bool, all)
	inclusion := make([]float64, all)
	size := map[int]float64{}
	cells := slices.Max(s.cells) + 1
	for _, c := range s.cells {
		size[c]++
	}
	var values []float64
	var span []int
	earlier := map[int]float64{} // share of each cell that is labelled
	for _, i := range order[:first] {
		labelled[i] = true
		values = append(values, s.people[i])
		span = append(span, s.cells[i])
		earlier[s.cells[i]] += 1 / size[s.cells[i]]
	}
	rest := order[first:]
	errors := make([]float64, len(rest))
	variances := labels.CellVariances(values, span, cells)
	for k, i := range rest {
		errors[k] = 1
		if chosen && variances != nil {
			errors[k] = variances[s.cells[i]]
		}
	}
	p := labels.Probabilities(errors, n-first)
	byCell := map[int]float64{}
	for k, i := range rest {
		byCell[s.cells[i]] = p[k]
	}
	for _, k := range labels.Draw(p, rng) {
		labelled[rest[k]] = true
	}
	clusters := make([]int, all)
	strata := make([]int, all)
	for i := range all {
		before := earlier[s.cells[i]]
		clusters[i], inclusion[i] = i, before+(1-before)*byCell[s.cells[i]]
	}
	sample := stats.Sample{Strata: strata, Clusters: clusters, Labelled: labelled}
	if chosen { // random labels are equally probable
		sample.Inclusion = inclusion
	}
	strata = labels.PostStratify(labelled, labels.Variable{Name: "verdict", Names: make([]string, cells), Level: s.cells})
	sample.Strata = strata
	rate, _, err := sample.Rate(func(i int) float64 { return s.people[i] }, func(i int) float64 { return s.rated[i] }, 0.95)
	if err != nil {
		return math.NaN(), false
	}
	return (rate.High - rate.Low) / 2, rate.Low <= truth && truth <= rate.High
}

// A labelsRow is a row of the table, and a point of the figure, of `make bench-labels`.
type labelsRow struct {
	Set            string       `csv:"set"`
	Judge          string       `csv:"judge"`
	Items          int          `csv:"items"`
	Labels         int          `csv:"labels"`
	Random         float64      `csv:"half_width_random"`
	RandomCoverage float64      `csv:"coverage_random"`
	Chosen         float64      `csv:"half_width_chosen"`
	ChosenCoverage float64      `csv:"coverage_chosen"`
	Saved          stats.Figure `csv:"labels_saved"` // 1 - (chosen/random)²: share of random labels that choosing saves
	Limit          stats.Figure `csv:"most_saved"`   // greatest possible share, with known variances; see limit
}

// labelsRows simulates a set of 1,000 items with several numbers of labels.
func labelsRows(s labelledSet, samples int) (rows []labelsRow) {
	round := func(v float64) float64 { return math.Round(1e4*v) / 1e4 }
	truth := stats.Mean(s.people)
	limit := stats.Number(round(s.limit()))
	for _, n := range []int{60, 100, 150, 200} {
		r := labelsRow{Set: s.name, Judge: s.judge, Items: len(s.people), Labels: n, Limit: limit}
		for k := range samples {
			for _, chosen := range []bool{false, true} {
				rng := stats.NewRNG(uint64(k), fmt.Sprint(s.name, n)) // the same items and first labels for both
				half, inside := s.drawn(1000, rng).look(truth, n*2/5, n, chosen, rng)
				width := &r.Random
				covered := &r.RandomCoverage
				if chosen {
					width = &r.Chosen
					covered = &r.ChosenCoverage
				}
				*width += half / float64(samples)
				if inside {
					*covered += 1 / float64(samples)
				}
			}
		}
		r.Saved = stats.Number(round(1 - (r.Chosen/r.Random)*(r.Chosen/r.Random)))
		r.Random, r.Chosen, r.RandomCoverage, r.ChosenCoverage = round(r.Random), round(r.Chosen), round(r.RandomCoverage), round(r.ChosenCoverage)
		rows = append(rows, r)
	}
	return rows
}

// TestLabelsLimit: if half of the items have a variance of 1/4 and half have none, 1 - (1/4)² / (1/8) = one half is saved.
func TestLabelsLimit(t *testing.T) {
	s := labelledSet{people: []float64{0, 1, 0, 1, 1, 1, 1, 1}, cells: []int{0, 0, 0, 0, 1, 1, 1, 1}}
	if got := s.limit(); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("limit %v, want .5", got)
	}
}

// BenchmarkLabels runs for `make bench-labels`.
func BenchmarkLabels(b *testing.B) {
	out := os.Getenv("COMPQA_FIGURE")
	if out == "" {
		b.Skip("`make bench-labels` runs it")
	}
	var rows []labelsRow
	for _, s := range labelledSets(b) {
		rows = append(rows, labelsRows(s, 400)...)
	}
	if err := table.WriteFiles(out, map[string]func(io.Writer) error{"labels.csv": table.CSV(rows), "labels.svg": table.Text(labelsFigure(rows))}); err != nil {
		b.Fatal(err)
	}
	fmt.Println(filepath.Join(out, "labels.svg"))
	if err := table.CSV(rows)(os.Stdout); err != nil {
		b.Fatal(err)
	}
}

// labelsFigure draws half-widths against numbers of labels, with one panel for each set.
func labelsFigure(rows []labelsRow) string {
	const width, height, left, top = 400, 240, 56, 58
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11"><rect width="100%%" height="100%%" fill="#fff"/>`,
		2*width, 2*height)
	for k, of := range table.Grouped(rows, func(r labelsRow) string { return r.Set }) {
		x0 := float64(k%2*width + left)
		y0 := float64(k/2*height + top)
		most := 0.0
		best := math.Inf(-1)
		for _, r := range of {
			most = max(most, r.Random, r.Chosen)
			best = max(best, r.Saved.Value)
		}
		x := func(n int) float64 { return x0 + float64(n)/200*(width-left-20) }
		y := func(half float64) float64 { return y0 + (1-half/most)*(height-top-46) }
		note := fmt.Sprintf("at most %.0f %% fewer labels (limit %.0f %%)", 100*max(0, best), 100*of[0].Limit.Value)
		if best < 0.25 {
			note += ": 25 % is not reached"
		}
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-weight="bold">%s</text><text x="%.0f" y="%.0f">judge: %s</text><text x="%.0f" y="%.0f">%s</text>`,
			x0, y0-40, of[0].Set, x0, y0-26, of[0].Judge, x0, y0-12, note)
		for _, tick := range []float64{0, most / 2, most} {
			fmt.Fprintf(&b, `<text x="%.0f" y="%.1f" text-anchor="end">%.3f</text>`, x0-6, y(tick)+4, tick)
		}
		for line, colour := range []string{"#888", "#06c"} {
			path := ""
			for i, r := range of {
				half := []float64{r.Random, r.Chosen}[line]
				path += fmt.Sprintf("%s%.1f %.1f ", map[bool]string{true: "M", false: "L"}[i == 0], x(r.Labels), y(half))
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x(r.Labels), y(half), colour)
				if line == 0 {
					fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%d</text>`, x(r.Labels), y(0)+14, r.Labels)
				}
			}
			fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s"/>`, path, colour)
		}
		fmt.Fprintf(&b, `<text x="%.0f" y="%.1f">labels; half-width of the 95 %% interval: grey random, blue chosen</text>`, x0-40, y(0)+30)
	}
	return b.String() + "</svg>\n"
}
