package preferences

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/stats"
)

// A pairwiseFixture is a small record of pairs and preferences.
type pairwiseFixture struct {
	set    store.PairSet
	judges []store.Participant
	cells  []store.PlanCell
	said   []data.Preference
	detail map[int]string // by index of the preference: its details as JSON
}

// pair adds a pair with a label, of an answer a with two words and an answer b with one.
func (f *pairwiseFixture) pair(id, cluster string, label data.Choice, systems ...string) {
	p := store.SetPair{Pair: data.Pair{ID: id, Question: "Q?", A: "one two", B: "one", Label: label, Cluster: cluster}, WordsA: 2, WordsB: 1}
	if systems != nil {
		p.SystemA = systems[0]
		p.SystemB = systems[1]
	}
	f.set.Pairs = append(f.set.Pairs, p)
}

// judge adds a judge with its choices, pair by pair: "a/b" is a in order ab and b in order ba, "-" is an unparsed reply, "." is no
// preference.
func (f *pairwiseFixture) judge(name string, choices ...string) {
	f.judges = append(f.judges, store.Participant{Name: name, Kind: "model", Method: "m"})
	for _, order := range data.Orders {
		f.cells = append(f.cells, store.PlanCell{Kind: store.KindPreference, Judge: name, Method: "m", Dataset: "set", Order: order, Planned: len(choices)})
	}
	for i, of := range choices {
		for k, c := range strings.Split(of, "/") {
			p := data.Preference{ID: f.set.Pairs[i].ID, Judge: name, Method: "m", Order: data.Orders[k], Status: data.Valid, Choice: c}
			switch c {
			case ".":
				continue
			case "-":
				p.Status = data.Unparsed
				p.Choice = ""
			case "t":
				p.Choice = "tie"
			}
			f.said = append(f.said, p)
		}
	}
}

// board writes the record to a folder and reads it back.
func (f *pairwiseFixture) board(t *testing.T) (*board, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f.set.Name = "set"
	err = s.Write(func(b store.Batch) error {
		if _, err := b.BeginRun(store.Provenance{Part: store.PartPairs}, time.Now()); err != nil {
			return err
		}
		if err := b.PairSets([]store.PairSet{f.set}); err != nil {
			return err
		}
		for i, p := range f.said {
			var detail any = struct{}{}
			if text, ok := f.detail[i]; ok {
				detail = rawJSON(text)
			}
			if err := b.Preference(p, store.PreferenceAbout{Fingerprint: "x", Detail: detail}, nil); err != nil {
				return err
			}
		}
		return b.SetPlan(store.FromPairs, nil, f.judges, f.cells)
	})
	if err != nil {
		t.Fatal(err)
	}
	record, err := dataset.LoadPairs(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return newBoard(record), dir
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func equals(f stats.Figure, want float64) bool { return f.Known && math.Abs(f.Value-want) < 1e-12 }

// TestPairwiseRowByHand counts six pairs by hand. Choices in order ab are a (right), a, b (right), tie, unparsed, missing. In order ba they
// are a (right), b (right), b (right), a (right), a, a.
func TestPairwiseRowByHand(t *testing.T) {
	f := &pairwiseFixture{}
	for i, label := range []data.Choice{"a", "b", "b", "a", "b", "tie"} {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), label)
	}
	f.judge("j", "a/a", "a/b", "b/b", "t/a", "-/a", "./a")
	b, _ := f.board(t)
	rows := each(b.groups, group.rows)
	if len(rows) != 3 {
		t.Fatalf("%+v", rows)
	}
	ab := rows[0]
	ba := rows[1]
	both := rows[2]
	for _, c := range []struct {
		name           string
		r              PairwiseRow
		planned, valid int
		accuracy       float64
		first, ties    float64
	}{
		{"ab", ab, 6, 4, 2.0 / 4, 2.0 / 3, 1.0 / 4}, // first shown is a: a, a of a, a, b
		{"ba", ba, 6, 6, 4.0 / 5, 2.0 / 6, 0},       // first shown is b; the sixth pair's label is a tie
		{"both", both, 6, 4, 2.0 / 4, 4.0 / 9, 0.1}, // right in both: p0, p2; choices of both orders
	} {
		if c.r.Planned != c.planned || c.r.Valid != c.valid || !equals(c.r.Accuracy.Point(), c.accuracy) || !equals(c.r.FirstShare, c.first) || !equals(c.r.TieRate, c.ties) {
			t.Errorf("%s: %+v; accuracy %s first %s ties %s", c.name, c.r, c.r.Accuracy.Text(4), c.r.FirstShare.Text(4), c.r.TieRate.Text(4))
		}
		planned := 0
		for _, n := range c.r.statuses {
			planned += n
		}
		if planned != c.planned {
			t.Errorf("%s: %v do not add up to %d", c.name, c.r.statuses, c.planned)
		}
	}
	if !equals(both.Consistency, 2.0/4) || ab.Consistency.Known {
		t.Errorf("consistency %s, want 2 of 4", both.Consistency.Text(3))
	}
	if ab.statuses[data.Unparsed] != 1 || ab.statuses[data.Pending] != 1 || both.statuses[data.Pending] != 1 {
		t.Errorf("statuses %v, %v", ab.statuses, both.statuses)
	}
}

// A person sees each pair in one order. There is then no row on both orders, and the table counts the pairs of both orders together.
func TestPairwiseOneOrderOfEach(t *testing.T) {
	f := &pairwiseFixture{}
	for i := range 3 {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), "a")
	}
	f.judge("human:anna", "a/.", "./b", "a/.")
	f.judges[0].Kind = "human"
	f.cells[0].Planned = 2
	f.cells[1].Planned = 1
	b, _ := f.board(t)
	rows := each(b.groups, group.rows)
	if len(rows) != 2 || rows[0].Planned != 2 || rows[1].Planned != 1 || len(b.agreements()) != 2 {
		t.Errorf("%+v", rows)
	}
	row := judgesTable(rows).Rows[0]
	if text := fmt.Sprint(row[2].Text, " ", row[3].Text, " ", row[4].Text, " ", row[5].Text, " ", row[6].Text); text != "3/3 3 1.000 0.000 –" || row[8].Value.Point().Text(2) != "1.00" {
		t.Errorf("%s; %+v", text, row[8])
	}
}

// If all or no choices are right, the interval still has a width. Without valid choices the interval is missing.
func TestPairwiseRowEdges(t *testing.T) {
	for _, c := range []struct {
		choices []string
		valid   int
		low     bool
	}{
		{[]string{"a/a", "a/a", "a/a"}, 3, true}, {[]string{"b/b"}, 1, true}, {[]string{"-/-", "-/-"}, 0, false}, {[]string{"./."}, 0, false},
	} {
		f := &pairwiseFixture{}
		for i := range c.choices {
			f.pair(fmt.Sprint("p", i), "one cluster", "a")
		}
		f.judge("j", c.choices...)
		b, _ := f.board(t)
		for _, r := range each(b.groups, group.rows) {
			if r.Valid != c.valid || r.Accuracy.Bounded != c.low || c.low && r.Accuracy.High-r.Accuracy.Low < 0.1 {
				t.Errorf("%v: %+v %s", c.choices, r, r.Accuracy.Text(3))
			}
		}
		if b.Err != nil {
			t.Errorf("%v: %v", c.choices, b.Err)
		}
	}
}

// McNemar's test by hand: of 8 pairs, only the first judge is right in both orders on 5, and only the second on 1, so p = 2·(1 +
// 6)/2⁶. A second fixture has 24 more pairs that both have right. Without them, there are too few pairs, and only the counts are
// given.
func TestPairwiseComparisons(t *testing.T) {
	x := []string{"a/a", "a/a", "a/a", "a/a", "a/a", "b/b", "a/a", "b/a"}
	y := []string{"b/b", "a/b", "b/a", "t/t", "b/b", "a/a", "a/a", "b/b"}
	f := &pairwiseFixture{}
	few := &pairwiseFixture{}
	for i := range 8 {
		few.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), "a")
	}
	few.judge("x", x...)
	few.judge("y", y...)
	b, _ := few.board(t)
	if r := b.comparisons()[0]; r.Pairs != 8 || r.OnlyA != 5 || r.P.Known || r.Difference.Known ||
		r.Difference.Reason() != "not enough data: 8 shared pairs of 8 questions; at least 30 of 10 are needed" {
		t.Errorf("8 pairs: %+v", r)
	}
	for i := range 32 {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), "a")
	}
	f.judge("x", append(x, slices.Repeat([]string{"a/a"}, 24)...)...)
	f.judge("y", append(y, slices.Repeat([]string{"a/a"}, 24)...)...)
	b, _ = f.board(t)
	rows := b.comparisons()
	if len(rows) != 1 {
		t.Fatalf("%+v", rows)
	}
	if r := rows[0]; r.Pairs != 32 || r.OnlyA != 5 || r.OnlyB != 1 || !equals(r.P, 14.0/64) || !equals(r.Difference.Point(), 4.0/32) || !r.Difference.Bounded {
		t.Errorf("%+v, p %s", r, r.P.Text(4))
	}
}

// Ten copies of each pair (annotators) are not ten pairs. The p-value and the interval equal those of 32 pairs, except for the factor
// G/(G-1) of clusters. McNemar's test over the copies would give a p-value below 1e-9.
func TestPairwiseComparisonsOfCopies(t *testing.T) {
	x := append([]string{"a/a", "a/a", "a/a", "a/a", "a/a", "b/b", "a/a", "b/a"}, slices.Repeat([]string{"a/a"}, 24)...)
	y := append([]string{"b/b", "a/b", "b/a", "t/t", "b/b", "a/a", "a/a", "b/b"}, slices.Repeat([]string{"a/a"}, 24)...)
	compared := func(copies int) PairwiseComparisonRow {
		f := &pairwiseFixture{}
		of := [2][]string{}
		for i := range x {
			for k := range copies {
				f.pair(fmt.Sprint("p", i, "-", k), fmt.Sprint("c", i), "a")
				of[0], of[1] = append(of[0], x[i]), append(of[1], y[i])
			}
		}
		f.judge("x", of[0]...)
		f.judge("y", of[1]...)
		b, _ := f.board(t)
		return b.comparisons()[0]
	}
	once := compared(1)
	twice := compared(2)
	ten := compared(10)
	if !equals(ten.Difference.Point(), 4.0/32) || !near(ten.Difference.Lower(), twice.Difference.Low) || !near(ten.P, twice.P.Value) {
		t.Errorf("ten copies: %+v; two: %+v", ten, twice)
	}
	if !near(ten.Difference.Lower(), once.Difference.Low) || ten.P.Value < 0.05 {
		t.Errorf("ten copies: %+v; one: %+v", ten, once)
	}
}

func near(f stats.Figure, want float64) bool { return f.Known && math.Abs(f.Value-want) < 1e-9 }

// A judge that always chooses the same place tells nothing about the answers. It orders no systems and is compared with no judge.
func TestPairwiseDegenerate(t *testing.T) {
	for choices, want := range map[string]string{
		"a/b": "chooses the answer shown first for 95 % of 40 pairs, in both orders", "b/a": "chooses the answer shown second for 95 % of 40 pairs, in both orders",
		"t/t": "calls 95 % of 40 pairs a tie", "-/-": "", "a/a": "",
	} {
		f := &pairwiseFixture{}
		for i := range 40 {
			f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), "a")
		}
		f.judge("x", append(slices.Repeat([]string{choices}, 38), "a/a", "b/b")...)
		f.judge("y", slices.Repeat([]string{"a/a", "a/b"}, 20)...)
		b, _ := f.board(t)
		if b.judges[0].degenerate != want || b.judges[1].degenerate != "" {
			t.Errorf("%s: %q, %q", choices, b.judges[0].degenerate, b.judges[1].degenerate)
		}
		if compared := len(b.comparisons()); want != "" && compared != 0 {
			t.Errorf("%s: %d comparisons", choices, compared)
		}
	}
}

// Answer a has two words and b one, so a better a is longer.
func TestPairwiseSlices(t *testing.T) {
	f := &pairwiseFixture{}
	for i, label := range []data.Choice{"a", "a", "b", "b", "b", "a"} {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), label)
		f.set.Pairs[i].Domain = []string{"even", "odd"}[i%2]
	}
	f.judge("j", "a/a", "a/a", "a/a", "b/b", "a/b", "b/a")
	b, _ := f.board(t)
	got := map[string]PairwiseSliceRow{}
	for _, r := range each(b.groups, group.slices) {
		got[r.Item] = r
	}
	for item, want := range map[string]struct {
		n        int
		accuracy float64
	}{"longer": {6, 5.0 / 6}, "not longer": {6, 3.0 / 6}, "even": {6, 3.0 / 6}, "odd": {6, 5.0 / 6}} {
		if r := got[item]; r.N != want.n || !equals(r.Accuracy.Point(), want.accuracy) {
			t.Errorf("%s: %d, %s; want %+v", item, r.N, r.Accuracy.Text(3), want)
		}
	}
	// with two lengths the model is saturated: halfway between the logits of 5/6 and 3/6 is √5/(1+√5)
	if r := got["controlled"]; r.N != 12 || !r.Accuracy.Known || math.Abs(r.Accuracy.Value-math.Sqrt(5)/(1+math.Sqrt(5))) > 1e-9 || r.Slope.Value <= 0 {
		t.Errorf("length-controlled: %+v", r)
	}
}

// Best of n by hand, on questions with three pairs of the best answer and another one. The first question is right in all six choices. The
// second has a pair whose orders differ, the third a wrong choice. The fourth has a pair without a choice, so it is left out. The fifth has
// only one pair.
func TestPairwiseBestOf(t *testing.T) {
	f := &pairwiseFixture{}
	for q, n := range []int{3, 3, 3, 3, 1} {
		for i := range n {
			f.pair(fmt.Sprint("p", q, i), fmt.Sprint("c", q), "a")
			if n > 1 {
				f.set.Pairs[len(f.set.Pairs)-1].Item = fmt.Sprint("q", q)
			}
		}
	}
	f.judge("j", "a/a", "a/a", "a/a", "a/a", "a/b", "a/a", "a/a", "b/b", "a/a", "a/a", "a/a", "-/a", "a/a")
	b, _ := f.board(t)
	if both := each(b.groups, group.rows)[2]; both.Items != 3 || !equals(both.ItemAccuracy.Point(), 1.0/3) {
		t.Errorf("%+v", both)
	}
}

// The Bradley–Terry strengths of two systems are their odds. A system that never loses has no strength and ranks first. Orders that
// disagree are a tie, and determine the odds of the answer shown first.
func TestPairwiseStrengths(t *testing.T) {
	f := &pairwiseFixture{}
	var choices []string
	add := func(a, b, choice string, n int) {
		for range n {
			i := len(f.set.Pairs)
			f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i%5), data.NoChoice, a, b)
			choices = append(choices, choice)
		}
	}
	add("x", "y", "a/a", 6)
	add("x", "y", "b/b", 3)
	add("x", "y", "a/-", 4) // decided in one order: no match
	add("best", "x", "a/a", 2)
	add("y", "best", "b/b", 2)
	add("last", "y", "b/b", 3)
	f.judge("j", choices...)
	b, _ := f.board(t)
	boards := b.systemBoards()
	if len(boards) != 1 || boards[0].caveat == "" {
		t.Fatalf("%+v", boards)
	}
	var order []string
	for _, r := range boards[0].rows {
		order = append(order, fmt.Sprintf("%d %s %d-%d-%d %s %s", r.Rank, r.System, r.Wins, r.Losses, r.Ties, r.Strength.Point().Text(3), r.RankHigh.Text(0)))
	}
	// odds of 6 to 3 give strengths √2 and 1/√2
	want := []string{"1 best 4-0-0 – –", "2 x 6-5-0 1.414 3", "3 y 6-8-0 0.707 3", "4 last 0-3-0 – –"}
	if strings.Join(order, ", ") != strings.Join(want, ", ") {
		t.Errorf("%v, want %v", order, want)
	}
	f = &pairwiseFixture{}
	choices = nil
	add("x", "y", "a/a", 3)
	add("x", "y", "b/b", 3)
	add("x", "y", "a/b", 2)
	f.judge("j", choices...)
	b, _ = f.board(t)
	board := b.systemBoards()[0]
	// of equal systems, the answer shown first is chosen in 5 of 8 pairs in each order: odds of 5 to 3. No single order has a tie.
	if r := board.rows[0]; r.Ties != 2 || r.Rank != 1 || board.rows[1].Rank != 1 || math.Abs(r.Strength.Value-1) > 1e-9 ||
		math.Abs(board.place.Value-5.0/3) > 1e-9 || board.ties.Value != 0 || !strings.Contains(board.caption(), "the answer shown first has odds of 1.67 (95 %") {
		t.Errorf("%+v, %s", board.rows, board.caption())
	}
	// 2 of 8 pairs are a tie in both orders: v/(1+v) = 1/4
	f = &pairwiseFixture{}
	choices = nil
	add("x", "y", "a/a", 3)
	add("x", "y", "b/b", 3)
	add("x", "y", "tie/tie", 2)
	f.judge("j", choices...)
	b, _ = f.board(t)
	if board = b.systemBoards()[0]; math.Abs(board.ties.Value-1.0/3) > 1e-9 || math.Abs(board.place.Value-1) > 1e-9 {
		t.Errorf("%+v, ties %s", board.rows, board.ties.Text(4))
	}
	// Ties cannot be modelled here, and the place explains all other choices. Different choices are then a tie, and ties are half wins:
	// odds of 9 to 3.
	f = &pairwiseFixture{}
	choices = nil
	add("x", "y", "a/a", 6)
	add("x", "y", "a/tie", 6)
	f.judge("j", choices...)
	b, _ = f.board(t)
	if board = b.systemBoards()[0]; !board.rows[0].Strength.Known || math.Abs(board.rows[0].Strength.Value-math.Sqrt(3)) > 1e-9 {
		t.Errorf("%+v, %s", board.rows, board.caveat)
	}
	// no winner has also lost, so there are no strengths, and ranks follow the points
	f = &pairwiseFixture{}
	choices = nil
	add("x", "y", "a/a", 3)
	f.judge("j", choices...)
	b, _ = f.board(t)
	if board := b.systemBoards()[0]; board.caveat == "" || board.rows[0].System != "x" || board.rows[0].Strength.Known || board.rows[1].Rank != 2 || b.Err != nil {
		t.Errorf("%+v, %v", board, b.Err)
	}
}

// The first k votes equal those of a judge with k votes. An even split counts one half.
func TestPairwiseBudget(t *testing.T) {
	f := &pairwiseFixture{detail: map[int]string{}}
	f.pair("p0", "c0", "a")
	f.pair("p1", "c1", "b")
	f.judge("votes", "a/a", "b/a")
	for i, votes := range []string{`["b","a","a"]`, `["b","failed","b"]`, `["b","b","b"]`, `["a","b","b"]`} {
		f.detail[i] = `{"votes": ` + votes + `}` // in order ba, answer b is shown as a
	}
	b, _ := f.board(t)
	points := each(b.groups, group.budget)
	want := []float64{(0 + 1 + 1 + 1) / 4.0, (0.5 + 1 + 1 + 0.5) / 4, 3.0 / 4}
	if len(points) != 3 {
		t.Fatalf("%+v", points)
	}
	for i, p := range points {
		if !equals(p.Accuracy.Point(), want[i]) {
			t.Errorf("%d votes: %s, want %v", i+1, p.Accuracy.Text(4), want[i])
		}
	}
}

// The report has all files, the same record gives the same bytes, and the plot is valid XML.
func TestPairwiseReportFiles(t *testing.T) {
	f := &pairwiseFixture{detail: map[int]string{0: `{"aspects": ["x|y"], "table": [{"aspect": "x|y", "only_a": "<b>", "both": "", "only_b": "z"}], "chosen": 2, "overlap": 0.25, "mean_overlap": 0.5}`}}
	f.pair("p0", "c0", "a", "one", "two")
	f.pair("p1", "c1", "b", "one", "two")
	f.judge(`odd "judge" & co`, "a/a", "-/b")
	f.judge("other", "a/b", "b/b")
	_, dir := f.board(t)
	again := t.TempDir()
	for _, to := range []string{dir, again} {
		if _, err := Write(dir, to); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(again, "*.*"))
	tables, _ := filepath.Glob(filepath.Join(again, "tables", "*"))
	if names = append(names, tables...); err != nil || len(names) != 13 {
		t.Errorf("%d files: %v", len(names), names)
	}
	for _, name := range names {
		a, _ := os.ReadFile(name)
		b, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(name, again)))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", filepath.Base(name), err)
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, "report.md"))
	for _, want := range []string{"|      1 |                   0.25 |                        0.50 |", "Missing preferences"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("report.md has no %q", want)
		}
	}
	page, _ := os.ReadFile(filepath.Join(dir, "report.html"))
	_, svg, _ := strings.Cut(string(page), "<figure>")
	svg, _, _ = strings.Cut(svg, "</figure>")
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
	}
	if !strings.Contains(svg, "odd &#34;judge&#34; &amp; co") {
		t.Error("the plot does not name the judge")
	}
}

// For a record without pairs, the error says what to do.
func TestPairwiseReportOfNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := Write(dir, dir); err == nil || !strings.Contains(err.Error(), "compqa run --only pairs") {
		t.Errorf("%v", err)
	}
	if _, err := Write(t.TempDir(), dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// LLMBar's figures of four pairs by hand. The choices in both orders are: right and right; right and wrong; none in either order (equal to
// each other, but not right); tie and right.
func TestLLMBarStatistics(t *testing.T) {
	s := NewLLMBarStatistics([]*LLMBarChoice{{"a", "a", "a"}, {"b", "b", "a"}, {"a", "", ""}, {"b", "tie", "b"}})
	if s.CorrectAB != 2 || s.CorrectBA != 2 || s.CorrectBoth != 1 || s.Equal != 2 {
		t.Errorf("%+v", s)
	}
	// The choices a, b for the labels a, b have kappa 1. The authors' error compares 1, 0, 0, 0 with 1, 2, 1, 2: agreement is 1/4,
	// expected agreement (1·2)/16, so kappa is (1/4-1/8)/(7/8).
	if !equals(s.TrueKappaAB, 1) || !equals(s.KappaAB, 1.0/7) {
		t.Errorf("kappas %s, %s", s.TrueKappaAB.Text(4), s.KappaAB.Text(4))
	}
	text := string(s.JSON())
	for _, want := range []string{`"correct_False": "2 / 4 = 50.0%"`, `"correct_average": "50.0%"`, `"equal": "2 / 4 = 50.0%"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	constant := NewLLMBarStatistics([]*LLMBarChoice{{"b", "a", "a"}})
	if constant.KappaOrders.Known || !strings.Contains(string(constant.JSON()), `"kappa_agreement": NaN`) {
		t.Errorf("a kappa of one category: %+v", constant)
	}
	for v, want := range map[float64]string{0: "0.0", 79.0 / 100 * 100: "79.0", 1.0 / 3: "0.3333333333333333", 1e-5: "1e-05", 56.00000000000001: "56.00000000000001", -0.5: "-0.5"} {
		if got := python(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

// The comparator's counts are summed over the preferences of a judge.
func TestComparatorRows(t *testing.T) {
	f := &pairwiseFixture{detail: map[int]string{0: `{"comparator": {"duels": 6, "first": 3, "pairs": 3, "same": 3, "triples": 1, "cycles": 1}}`, 1: `{"comparator": {"duels": 6, "first": 6, "pairs": 3, "same": 0}}`,
		2: `{"comparator": {"duels": 6, "first": 3, "pairs": 3, "same": 3, "triples": 1}}`, 4: `{"comparator": {"duels": 7, "first": 0}}`}}
	f.pair("p0", "c0", "a")
	f.pair("p1", "c1", "b")
	f.judge("exact", "a/a", "b/-")
	f.judge("tournament", "a/.", "./.")
	b, _ := f.board(t)
	rows := each(b.groups, group.comparator)
	if len(rows) != 2 {
		t.Fatalf("%+v", rows)
	}
	if r := rows[0]; r.Preferences != 3 || r.Duels != 18 || !equals(r.FirstShare.Point(), 12.0/18) || r.Pairs != 9 || !equals(r.SameShare.Point(), 6.0/9) || r.Triples != 2 || !equals(r.Intransitive.Point(), 0.5) {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Preferences != 1 || !equals(r.FirstShare.Point(), 0) || r.Pairs != 0 || r.SameShare.Known || r.Intransitive.Known {
		t.Errorf("%+v", r)
	}
	if b.Err != nil {
		t.Error(b.Err)
	}
}

// TestUnreadChoicesAreNamed checks that a judge with more than 2 % unreadable choices is named, with their number and share. It is named on
// the page and on the terminal, in the full and in the brief form.
func TestUnreadChoicesAreNamed(t *testing.T) {
	f := &pairwiseFixture{}
	var well, badly []string
	for i := range 30 {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), data.ChoiceA)
		well = append(well, "a/a")
		badly = append(badly, "a/a")
	}
	well[0] = "-/a"
	badly[0] = "-/a"
	badly[1] = "-/a"
	f.judge("well", well...)
	f.judge("badly", badly...)
	_, dir := f.board(t)
	r, err := loaded(dir, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	var full, brief bytes.Buffer
	if err := errors.Join(r.print(&full), r.PrintBrief(&brief, dir)); err != nil {
		t.Fatal(err)
	}
	const want = "Verdicts that could not be read: 2 of 60 by badly (m) (3.3 %)."
	for place, text := range map[string]string{"page": r.document().Sections[0].About, "terminal": full.String(), "brief": brief.String()} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%s:\n%s", place, text)
		}
	}
}
