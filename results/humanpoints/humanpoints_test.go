package humanpoints

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/trust"
	"compqa/rubric"
	"compqa/stats"
	"compqa/stats/statstest"
)

// A study has systems that answered the same questions. People scored the first answers of each system.
type study struct {
	systems   []store.Participant
	questions int
	scored    []int                                // by system: number of answers that people scored
	words     []int                                // by system: words in each answer
	people    func(system, question int) float64   // points
	judges    []func(system, question int) float64 // judges "a", "b", …
}

// dataset returns the record of the study.
func (s study) dataset() *dataset.Dataset {
	run := &dataset.Run{Made: []store.Provenance{{Seed: 1}}, Systems: s.systems,
		Rubric: rubric.Rubric{Name: "one", Criteria: []rubric.Criterion{{ID: "x", Levels: []rubric.Level{{Points: 0}, {Points: 19}}}}}}
	names := []string{}
	for j := range s.judges {
		names = append(names, string(rune('a'+j)))
		run.Judges = append(run.Judges, store.Participant{Name: names[j], Kind: "model"})
	}
	run.Judges = append(run.Judges, store.Participant{Name: data.Human, Kind: dataset.KindHuman})
	for i, system := range s.systems {
		run.Plan = append(run.Plan, store.PlanCell{Kind: store.KindAnswer, System: system.Name, Scenario: "1", Planned: s.questions})
		for _, judge := range append(names, data.Human) {
			planned := s.questions
			if judge == data.Human {
				planned = s.scored[i]
			}
			run.Plan = append(run.Plan, store.PlanCell{Kind: store.KindVerdict, Judge: judge, System: system.Name, Scenario: "1", Planned: planned})
		}
		for q := range s.questions {
			pair := fmt.Sprintf("q%02d", q)
			run.Answers = append(run.Answers, dataset.AnswerRow{ID: system.Name + pair, Question: pair, Pair: pair, System: system.Name, Scenario: "1",
				Repeat: 1, Status: data.Valid, Words: s.words[i] + q%5, Sentences: 4 + q%3})
		}
	}
	for j := range run.Judges {
		for a := range run.Answers {
			system := a / s.questions
			q := a % s.questions
			points := s.people
			if j < len(s.judges) {
				points = s.judges[j]
			} else if q >= s.scored[system] {
				continue
			}
			total := points(system, q)
			run.Sheets = append(run.Sheets, data.Given{Rater: int32(j), Item: int32(a), Repeat: 1,
				Ending: &data.Ending{Status: data.Valid, Scores: []float64{total}, Total: total}})
		}
	}
	return dataset.New(run)
}

// tables returns the human points of the study.
func (s study) tables(t *testing.T, barred map[string]string) *Tables {
	t.Helper()
	x := s.dataset()
	people := x.AnswerTotals(x.References()...)
	boards, err := leaderboard.NewTables(x, people)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := New(boards, people, barred)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func (t *Tables) row(judge, system string) Row {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Judge == judge && r.System == system })
	if i < 0 {
		return Row{}
	}
	return t.Rows[i]
}

func models(n int) (all []store.Participant) {
	for i := range n {
		all = append(all, store.Participant{Name: fmt.Sprint("s", i), Kind: "model"})
	}
	return all
}

// noise returns a fixed deviate of about ±1, without a pattern over systems and questions.
func noise(system, question, salt int) float64 {
	return math.Sin(float64(17*system+31*question+53*salt)) * math.Sqrt2
}

// plain returns a study of six systems, of which people scored five, and of two judges whose bias varies by system.
func plain() study {
	people := func(s, q int) float64 { return 9 + float64(s)/2 + noise(0, q, 1) }
	judge := func(bias float64, salt int) func(s, q int) float64 {
		return func(s, q int) float64 { return people(s, q) + bias + 0.5*noise(s, 0, salt) + noise(s, q, salt+1) }
	}
	return study{systems: models(6), questions: 16, scored: []int{12, 12, 12, 12, 4, 0}, words: []int{80, 80, 80, 80, 80, 80}, people: people,
		judges: []func(s, q int) float64{judge(2, 2), judge(-1, 7)}}
}

// By hand: the biases on three systems are 1, 2 and 4, each with the deviations of its answers. A system with fewer than ten scored answers
// uses the pooled deviation. A baseline has no bias.
func TestBiases(t *testing.T) {
	biases := []float64{1, 2, 4, 9}
	deviation := func(q int) float64 { return []float64{-1, 1}[q%2] }
	s := study{systems: models(4), questions: 12, scored: []int{12, 12, 4, 12}, words: []int{50, 50, 50, 50},
		people: func(_, q int) float64 { return 5 }, judges: []func(int, int) float64{func(s, q int) float64 { return 5 + biases[s] + deviation(q) }}}
	s.systems[3].Kind = dataset.KindBaseline
	x := s.dataset()
	b, err := systemBiases(x, x.AnswerTotals(0), x.AnswerTotals(x.References()...))
	if err != nil {
		t.Fatal(err)
	}
	own, err := stats.MeanInterval([]float64{0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2}, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	pooled := math.Sqrt(28.0/25) / 2 // 28 squared deviations, 25 degrees of freedom, 4 answers
	if len(b) != 3 {
		t.Fatalf("%+v", b)
	}
	for i, want := range []trust.Bias{{N: 12, Mean: 1, SE: own.SE}, {System: 1, N: 12, Mean: 2, SE: own.SE}, {System: 2, N: 4, Mean: 4, SE: pooled}} {
		statstest.Near(t, "bias", b[i].Mean, want.Mean, 1e-12)
		statstest.Near(t, "its standard error", b[i].SE, want.SE, 1e-12)
		if b[i].System != want.System || b[i].N != want.N {
			t.Errorf("%+v, want %+v", b[i], want)
		}
	}
	if o := b.Without(1); len(o) != 2 || o[0].System != 0 || o[1].System != 2 || o[1].Mean != 4 {
		t.Errorf("without the second: %+v", o)
	}
	if _, err := b.Without(0).Model(); err == nil {
		t.Error("two systems have a model")
	}
}

// A combination weights judges by 1/(τ² + SE²), and is measured like a single judge.
func TestCombination(t *testing.T) {
	s := plain()
	tables := s.tables(t, nil)
	if !slices.Equal(tables.Members, []string{"a", "b"}) || len(tables.Transfers) != 3 {
		t.Fatalf("%v, %d transfers", tables.Members, len(tables.Transfers))
	}
	x := s.dataset()
	people := x.AnswerTotals(x.References()...)
	var each []trust.Biases
	for j := range 2 {
		b, err := systemBiases(x, x.AnswerTotals(j), people)
		if err != nil {
			t.Fatal(err)
		}
		each = append(each, b)
	}
	weights, err := weightsOf(each, -1)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "the sum of weights", weights[0]+weights[1], 1, 1e-12)
	a := tables.row("a", "s5")
	b := tables.row("b", "s5")
	want := weights[0]*a.JudgeMean.Value + weights[1]*b.JudgeMean.Value
	both := tables.row(Combined, "s5")
	statstest.Near(t, "the combined mean", both.JudgeMean.Value, want, 1e-12)
	if both.Basis != trust.BasisTransfer || !both.Predicted.Known {
		t.Errorf("%+v", both)
	}
	s.questions = 7
	s.scored = []int{7, 7, 7, 7, 1, 0} // 29 shared answers
	if few := s.tables(t, nil); few.Members != nil || few.row(Combined, "s5").Judge != "" {
		t.Errorf("29 shared answers: %v", few.Members)
	}
}

// TestTogether checks that a system with 60 human-scored answers gets its mean from all judges together, and one with 59 from its bias.
func TestTogether(t *testing.T) {
	s := plain()
	s.questions = 90
	s.scored = []int{60, 59, 60, 60, 60, 0}
	tables := s.tables(t, nil)
	for i, system := range []string{"s0", "s1"} {
		row := tables.row(Combined, system)
		x := tables.Dataset
		sample := stats.TogetherSample{Judges: make([][]float64, 2)}
		people := x.AnswerTotals(x.References()...)
		for a, answer := range x.Answers {
			if answer.System != system {
				continue
			}
			for j := range sample.Judges {
				points, _ := x.AnswerTotals(j).Of(a)
				sample.Judges[j] = append(sample.Judges[j], points)
			}
			if points, ok := people.Of(a); ok {
				sample.Labelled = append(sample.Labelled, len(sample.Judges[0])-1)
				sample.Human = append(sample.Human, points)
			}
		}
		m, err := stats.MeanTogether(sample, .95)
		if err != nil {
			t.Fatal(err)
		}
		if same := math.Abs(row.Predicted.Value-m.Value) < 1e-9; same != (i == 0) || row.Basis != trust.BasisBoth {
			t.Errorf("%s: %+v; together %+v", system, row, m.Estimate)
		}
	}
}

// A system whose answers have no words yet counts as similar to the others.
func TestWithoutTexts(t *testing.T) {
	x := plain().dataset()
	for a := range x.Answers {
		if x.Answers[a].System == "s5" {
			x.Answers[a].Words = 0
		}
	}
	if !alike(x, x.AnswerTotals(x.References()...))[5] {
		t.Error("a system without texts is unlike")
	}
}

// TestBasis checks what the points of a system are based on, and why a system has no rank.
func TestBasis(t *testing.T) {
	s := plain()
	s.words[5] = 900
	s.systems = append(s.systems, store.Participant{Name: "base", Kind: dataset.KindBaseline})
	s.scored = append(s.scored, 0)
	s.words = append(s.words, 80)
	tables := s.tables(t, map[string]string{"b": "rewards empty praise"})
	for _, c := range []struct{ judge, system, basis, exchangeable, why string }{
		{"a", "s0", trust.BasisBoth, "yes", ""},
		{"a", "s5", trust.BasisTransfer, "no", "its answers are not like any that people have scored"},
		{"a", "base", trust.BasisTransfer, "no", "it is a baseline, made for this rubric"},
		{"b", "s0", trust.BasisBoth, "yes", ""},
		{"b", "s5", trust.BasisTransfer, "no", "b rewards empty praise"},
		{data.Human, "s0", trust.BasisPeople, "yes", ""},
	} {
		if r := tables.row(c.judge, c.system); r.Basis != c.basis || r.Exchangeable != c.exchangeable || r.Rank.Reason() != c.why {
			t.Errorf("%s of %s: %s, %s, %q", c.judge, c.system, r.Basis, r.Exchangeable, r.Rank.Reason())
		}
	}
	if len(tables.Members) != 0 {
		t.Errorf("a judge that rewards praise is combined: %v", tables.Members)
	}
	tr := tables.Transfers[0]
	low, high := tr.bias.Unseen.Predict(0)
	statstest.Near(t, "what the judge may mislead by", tr.Misleads.Value, (high-low)/2, 1e-12)
	if normal := 1.96 * tr.Tau.Value; tr.Misleads.Value <= normal {
		t.Errorf("%v points ignore that tau is uncertain: 1.96 tau is %v", tr.Misleads.Value, normal)
	}
}

// The intervals of scored and of unscored systems cover the true human means, in 1,500 simulated studies.
func TestSoakCoverage(t *testing.T) {
	sharedtest.Soak(t)
	const trials = 1500
	unscored := 0
	few := 0
	for trial := range trials {
		rng := stats.NewRNG(1, "human points", uint64(trial))
		var bias, quality [6]float64
		for i := range bias {
			bias[i], quality[i] = 1+0.7*statstest.Gauss(rng), 10+statstest.Gauss(rng)
		}
		var errors, own [6][40]float64
		for i := range errors {
			for q := range errors[i] {
				errors[i][q], own[i][q] = statstest.Gauss(rng), statstest.Gauss(rng)
			}
		}
		s := plain()
		s.questions = 40
		s.scored = []int{20, 20, 20, 20, 5, 0}
		s.people = func(s, q int) float64 { return quality[s] + own[s][q] }
		s.judges = []func(int, int) float64{func(s, q int) float64 { return quality[s] + own[s][q] + bias[s] + errors[s][q] }}
		tables := s.tables(t, nil)
		covers := func(system int) int {
			p := tables.row("a", fmt.Sprint("s", system)).Predicted
			return int(dataset.Indicator(p.Low <= quality[system] && quality[system] <= p.High))
		}
		unscored = unscored + covers(5)
		few = few + covers(4)
	}
	t.Logf("%d of %d unscored, %d with five scored answers", unscored, trials, few)
	if unscored < trials*93/100 || few < trials*93/100 {
		t.Errorf("%d of %d unscored, %d with five scored answers, want 93 %%", unscored, trials, few)
	}
}
