package preferences

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// TestComparisonsWithBaselines checks that Holm's adjustment covers only the judges that were asked. Two more baselines do not change it,
// and baselines are not compared with each other.
func TestComparisonsWithBaselines(t *testing.T) {
	f := &pairwiseFixture{}
	for i := range 40 {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), "a")
	}
	right := func(n int) []string {
		return append(slices.Repeat([]string{"a/a"}, n), slices.Repeat([]string{"b/b"}, 40-n)...)
	}
	for name, n := range map[string]int{"x": 38, "y": 30, "z": 20, "first": 12, "longer": 22} {
		f.judge(name, right(n)...)
		if name == "first" || name == "longer" {
			f.judges[len(f.judges)-1].Kind = dataset.KindFloor
		}
	}
	b, _ := f.board(t)
	rows := b.comparisons()
	var asked, all []float64
	for _, r := range rows {
		if !r.floor {
			asked = append(asked, r.P.Value)
		}
		all = append(all, r.P.Value)
	}
	if len(asked) != 3 || len(all) != 3+6 {
		t.Fatalf("%d comparisons of %d: %+v", len(asked), len(all), rows)
	}
	want, err := stats.Holm(asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !r.floor {
			if !equals(r.Adjusted, want[0]) {
				t.Errorf("%s and %s: adjusted %s, want %v", r.JudgeA, r.JudgeB, r.Adjusted.Text(4), want[0])
			}
			want = want[1:]
		}
	}
}

// TestBoardsOfSystemsThatNeverMet has two groups of systems that no pair connects. Each group has its own ranking, by the labels and by a
// judge. The judge agrees with the labels on the first group and reverses the second, so the rank correlations are 1 and -1.
func TestBoardsOfSystemsThatNeverMet(t *testing.T) {
	f := &pairwiseFixture{}
	var choices []string
	add := func(better, worse string, label, judge data.Choice, n int) {
		for range n {
			id := fmt.Sprint("p", len(choices))
			f.pair(id, id, label, better, worse)
			choices = append(choices, fmt.Sprintf("%s/%s", judge, judge))
		}
	}
	for _, systems := range [][3]string{{"s1", "s2", "s3"}, {"t1", "t2", "t3"}} {
		judge := map[bool]data.Choice{true: data.ChoiceA, false: data.ChoiceB}[systems[0] == "s1"]
		for i, better := range systems {
			for _, worse := range systems[i+1:] {
				add(better, worse, data.ChoiceA, judge, 6)
				add(better, worse, data.ChoiceB, judge.Swapped(), 2) // else no strengths exist
			}
		}
	}
	f.judge("j", choices...)
	b, _ := f.board(t)
	boards := b.systemBoards()
	if len(boards) != 4 {
		t.Fatalf("%d boards", len(boards))
	}
	for i, want := range []struct{ title, first string }{{"labels, group 1", "s1"}, {"labels, group 2", "t1"}, {"j (m), group 1", "s1"}, {"j (m), group 2", "t3"}} {
		s := boards[i]
		if s.title() != want.title || s.rows[0].System != want.first || len(s.rows) != 3 || s.rows[0].Group != s.which || s.caveat != "" {
			t.Errorf("%s: %+v (%s)", s.title(), s.rows, s.caveat)
		}
	}
	r := &Report{board: b, boards: boards}
	rows := r.comparedBoards(nil)
	if len(rows) != 2 || !equals(rows[0].Spearman, 1) || rows[0].Disagree != 0 || !equals(rows[1].Spearman, -1) || rows[1].Disagree != 3 {
		t.Errorf("%+v", rows)
	}
	// with one pair between them, all systems are one group
	add("s1", "t1", data.ChoiceA, data.ChoiceA, 1)
	f = &pairwiseFixture{set: f.set}
	f.judge("j", choices...)
	b, _ = f.board(t)
	if boards := b.systemBoards(); len(boards) != 2 || boards[0].which != 0 || len(boards[0].rows) != 6 {
		t.Errorf("joined: %d boards", len(boards))
	}
}

// TestBoardOfFewQuestions has pairs of which one system wins most. On three questions the systems have no rank and no shown
// interval, and neither is surely first; on twelve questions they have.
func TestBoardOfFewQuestions(t *testing.T) {
	for _, questions := range []int{3, 12} {
		f := &pairwiseFixture{}
		for i := range 60 {
			label := data.ChoiceA
			if i%7 == 0 || i == 1 {
				label = data.ChoiceB
			}
			f.pair(fmt.Sprint("p", i), fmt.Sprint("q", i%questions), label, "x", "y")
		}
		b, _ := f.board(t)
		board := b.systemBoards()[0]
		row := board.table().Rows[0]
		enough := questions == 12
		strength := board.rows[0].Strength
		if ranked := row[1].Text == "1"; ranked != enough || (row[2].Text != stats.Missing) != enough || !strength.Bounded ||
			strength.Interval() != enough || board.preferred().Sure != enough ||
			strings.Contains(board.caption(), "compared on fewer than 5 questions has no rank") == enough {
			t.Errorf("%d questions: %+v, %+v, %+v, %s", questions, row, strength, board.preferred(), board.caption())
		}
	}
}
