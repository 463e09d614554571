package validation

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/results/raters"
	"compqa/stats"
)

// said returns all sentences of a result, one in each line.
func said(r *Result) string {
	return strings.Join(slices.Concat(r.joined(), r.Concluded.All().Texts(), r.Notes, r.Done), "\n")
}

// rows repeats a row of a file n times. In each copy, # is replaced by the number of the copy.
func rows(n int, row string) (text string) {
	for i := range n {
		text += strings.ReplaceAll(row, "#", fmt.Sprint(i))
	}
	return text
}

// TestEqualAnswersOfSystems: equal or missing texts of two systems stay apart if people name the systems.
func TestEqualAnswersOfSystems(t *testing.T) {
	for name, c := range map[string]struct{ log, people string }{
		"by id": {"log.csv\nid,system,score\n" + rows(12, "#,A,1\n#,B,0\n"), "people.csv\nid,system,ok\n" + rows(12, "#,a,yes\n#,B,no\n")},
		"by text": {"log.csv\nsystem,question,answer,score\n" + rows(12, "A,q#,Yes,1\nB,q#,Yes,0\n"),
			"people.csv\nsystem,question,answer,ok\n" + rows(12, "A,q#,Yes,yes\nB,q#,yes,no\n")},
		"empty answers": {"log.csv\nsystem,question,answer,score\n" + rows(12, "A,q#,Yes,1\nB,q#,,0\n"),
			"people.csv\nsystem,question,answer,ok\n" + rows(12, "A,q#,Yes,yes\nB,q#,,no\n")},
	} {
		r := study(t, c.log, c.people)
		if p := r.Pairings[0].row(Majority); p.N != 24 || p.Agreement.Point().Text(2) != "1.00" || len(r.Systems) != 2 || r.Join.Several != 0 {
			t.Errorf("%s: %+v\n%s", name, p, said(r))
		}
	}
	// A third system, or an item without a system, changes nothing for the others. A row of means is not an item.
	r := study(t, "log.csv\nsystem,question,answer,score\n"+rows(12, "A,q#,Yes,1\nB,q#,Yes,0\nD,q#,Yes,1\n")+",Mean,,0.6\n",
		"people.csv\nsystem,question,answer,ok\n"+rows(12, "A,q#,Yes,yes\nB,q#,yes,no\nC,q#,yes,no\n")+",q1,Yes,no\n,Mean,,0.33\n")
	if p := r.Pairings[0].row(Majority); p.N != 24 || p.Agreement.Point().Text(2) != "1.00" {
		t.Errorf("three systems: %d, %s\n%s", p.N, p.Agreement.Point().Text(2), said(r))
	}
	_, err := computed(t, "log.csv\nid,system,score\n1,A,1\n1,B,0\n", "people.csv\nid,ok\n1,yes\n", Options{})
	if err == nil || !strings.Contains(err.Error(), "give people's file a column system") {
		t.Errorf("whose answer people scored is unknown: %v", err)
	}
}

// TestLabels: labels have no mean and no ranks. Alpha of labels includes all raters. If people never agree with each other, they do not
// agree with a judge that chooses a third label either.
func TestLabels(t *testing.T) {
	people := "people.csv\nid,ok_ann,ok_ben\n" + rows(10, "#,billing,shipping\n") + "x,returns,returns\ny,billing,billing\nz,shipping,shipping\n"
	r := study(t, "log.csv\nid,ok\n"+rows(10, "#,returns\n")+"x,returns\ny,billing\nz,shipping\n", people)
	p := r.Pairings[0]
	if a := p.Figure("alpha"); !a.Known || a.Value > 0.2 || p.row(Mean).Alpha.Known || p.row(Mean).N != 13 {
		t.Errorf("alpha %s, %+v", a.Text(2), p.row(Mean))
	}
	if !strings.Contains(said(r), "people are tied on 10 items") {
		t.Error(said(r))
	}
	r = study(t, "log.csv\nid,score\n"+rows(12, "#,great\na#,poor\n"), "people.csv\nid,score\n"+rows(12, "#,3\na#,1\n"))
	if row := r.Pairings[0].row(Mean); row.Spearman.Known || row.RateJudge.Known || row.Corrected.Known {
		t.Errorf("labels have ranks: %+v", row)
	}
}

// TestThresholds: a single threshold is used for both sides only if their scales are about equally wide.
func TestThresholds(t *testing.T) {
	log := "log.csv\nid,score\n" + rows(6, "a#,0.1\nb#,0.5\nc#,0.9\n")
	people := "people.csv\nid,score\n" + rows(6, "a#,1\nb#,3\nc#,5\n")
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"one number": {Options{Thresholds: map[string]float64{"": 4}}, ""},
		"mapped":     {Options{Thresholds: map[string]float64{"": 4}, MapLinear: true}, "1.00"},
		"each":       {Options{Thresholds: map[string]float64{"judge.score": 0.4, "people.score": 4}}, "0.67"},
	} {
		r, err := computed(t, log, people, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Pairings[0].row(Majority).Agreement.Point(); got.Known != (c.want != "") || got.Known && got.Text(2) != c.want {
			t.Errorf("%s: agreement %s, want %s\n%s", name, got.Text(2), c.want, said(r))
		}
	}
	if _, err := computed(t, log, people, Options{Thresholds: map[string]float64{"scor": 4}}); err == nil || !strings.Contains(err.Error(), "no criterion") {
		t.Errorf("a threshold of nothing: %v", err)
	}
}

// TestWhatIsLeftOut: items that figures leave out are counted and reported. Too few values give no corrected rate.
func TestWhatIsLeftOut(t *testing.T) {
	r := study(t, "log.csv\nid,ok\n"+rows(10, "a#,yes\nb#,no\nc#,\n"), "people.csv\nid,ok\n"+rows(10, "a#,yes\nb#,no\nc#,no\n"))
	if row := r.Pairings[0].row(Mean); row.N != 20 || row.Failed != 10 {
		t.Errorf("%+v", row)
	}
	if want := "no value for 10 of its 30 items that people scored, which the figures leave out (people's mean there is 0.00, elsewhere 0.50)"; !strings.Contains(said(r), want) {
		t.Error(said(r))
	}
	r = study(t, "log.csv\nid,ok\n"+rows(30, "#,yes\n"), "people.csv\nid,ok\n"+rows(9, "#,yes\n"))
	if row := r.Pairings[0].row(Mean); row.Corrected.Known || row.Reason != "one person" || r.Pairings[0].decision.Items != 9 {
		t.Errorf("%+v\n%s", row, said(r))
	}
	pairs := "question,output_1,output_2,annotator,preference\n"
	a := rows(6, "q#,x#,y#,j,A\n")
	b := rows(4, "r#,x#,y#,j,tie\n")
	r = study(t, "log.csv\n"+pairs+a+b, "people.csv\n"+strings.ReplaceAll(pairs+a+strings.ReplaceAll(b, "tie", "B"), ",j,", ",ann,"))
	if row := r.Pairings[0].row(Majority); row.N != 10 || row.Agreement.Point().Text(2) != "0.60" || !strings.Contains(said(r), "4 ties of the judge count as disagreement") {
		t.Errorf("%+v\n%s", row, said(r))
	}
	r = study(t, "log.csv\n"+pairs+a+strings.ReplaceAll(b, "tie", "B"), "people.csv\n"+strings.ReplaceAll(pairs+a+b, ",j,", ",ann,"))
	if row := r.Pairings[0].row(Majority); row.N != 6 || !strings.Contains(said(r), "left out: 4 ties of people") {
		t.Errorf("%+v\n%s", row, said(r))
	}
}

// An effect of length is reported only if the upper quartile of the texts' words is at least twice the lower one. The table always has it.
func TestLengthIsSaidWhereTextsVary(t *testing.T) {
	for least, want := range map[int]bool{10: true, 100: false} { // words: 10 to 49, and 100 to 139
		judge := "id,answer,quality\n"
		people := "id,annotator,quality\n"
		for i := range 40 {
			judge += fmt.Sprintf("i%d,%s,%d\n", i, strings.Repeat("word ", least+i), 1+i/10+(i*7)%2)
			people += fmt.Sprintf("i%d,anna,%d\ni%d,ben,%d\n", i, 1+(i*7)%4, i, 1+(i*7)%5)
		}
		r := study(t, "log.csv\n"+judge, "people.csv\n"+people)
		row := r.Pairings[0].row(Mean)
		if !row.Length.AboveZero() || strings.Contains(said(r), "for twice as many words") != want {
			t.Errorf("%d words and more: %+v\n%s", least, row.Length, said(r))
		}
	}
}

// TestDriftOfScale: if a judge becomes so strict that its values look like another scale, the result says that it has changed.
func TestDriftOfScale(t *testing.T) {
	log := func(text string) *sources.Log {
		j := data.Series{Rater: &data.Rater{Name: "j", Kind: data.KindJudge}, Measured: &data.Measured{ID: "score"}}
		l := &sources.Log{}
		for i, v := range strings.Fields(text) {
			l.Items = append(l.Items, sources.Item{ID: fmt.Sprint(i), Text: fmt.Sprint("t", i)})
			l.Values.Add(data.Rating{Series: j, Item: int32(i), Value: v})
		}
		return l
	}
	for before, now := range map[string]string{"1 2 3 4 5 1 2 3 4 5": "1 1 1 2 3 1 1 1 2 3", "1 0 1 0 1 0": "2 1 2 1 2 1", "good bad good bad": "bad bad good fair"} {
		s, err := studyOf(log(now), nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Compute(log(now), log(before))
		if err != nil || len(r.Drift) != 1 || !strings.Contains(said(r), "items with the same text") {
			t.Errorf("%s, then %s: %+v, %v", before, now, r.Drift, err)
		}
	}
	for _, c := range [][3]string{{"1 2 3 4 5 1 2 3 4 5", "1 1 1 2 3 1 1 1 2 3", "score: the judge has become stricter by 1.40 [0.80, 2.00], on 10 items"},
		{"1 1 1 2 3 1 1 1 2 3", "1 2 3 4 5 1 2 3 4 5", "score: the judge has become more lenient by 1.40 [0.80, 2.00], on 10 items"},
		{"1 2 3 4 5 1 2 3 4 5", "2 1 3 4 5 2 1 3 4 5", "score: no change of the judge is seen (now minus before: 0.00 ["}} {
		s, err := studyOf(log(c[1]), nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Compute(log(c[1]), log(c[0]))
		if err != nil || !strings.Contains(said(r), c[2]) {
			t.Errorf("%q, then %q: %v\n%s", c[0], c[1], err, said(r))
		}
	}
	// People's threshold is not applied to the judge.
	same := log("1 2 3 4 5 1 2 3 4 5")
	s, err := studyOf(same, nil, Options{Thresholds: map[string]float64{"judge.score": 3, "people.score": 9}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Compute(same, same.Clone()); err != nil || len(r.Drift) != 1 || r.Drift[0].New.Text(1) != "0.6" || r.Drift[0].OfJudge.Point().Text(1) != "0.0" {
		t.Errorf("%+v, %v", r.Drift, err)
	}
}

// TestSingle: a judge that is as noisy as each of three people agrees with single people as they agree with each other. A judge that gives
// random labels does not agree with ten people who agree.
func TestSingle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	log := "log.csv\nid,score\n"
	people := "people.csv\nid,score_ann,score_ben,score_cyn\n"
	for i := range 600 {
		quality := 3 + rng.NormFloat64()
		point := func() float64 { return min(5, max(1, math.Round(quality+rng.NormFloat64()))) }
		log += fmt.Sprintf("%d,%v\n", i, point())
		people += fmt.Sprintf("%d,%v,%v,%v\n", i, point(), point(), point())
	}
	p := study(t, log, people).Pairings[0]
	mean, single, among := p.row(Mean).Alpha.Value, p.row(Single).Alpha.Value, p.row(Among).Alpha.Value
	if math.Abs(single-among) > 0.04 || mean < among+0.03 || p.row(Single).N != 600 {
		t.Errorf("alpha with the mean of people %.3f, with single people %.3f, among people %.3f; %+v", mean, single, among, p.row(Single))
	}
	log = "log.csv\nid,ok\n"
	people = "people.csv\nid," + strings.TrimSuffix(rows(10, "ok_p#,"), ",") + "\n"
	for i := range 300 {
		log += fmt.Sprintf("%d,%c\n", i, "xyz"[rng.IntN(3)])
		people += fmt.Sprintf("%d%s\n", i, strings.Repeat(fmt.Sprintf(",%c", "xyz"[rng.IntN(3)]), 10))
	}
	p = study(t, log, people).Pairings[0]
	if a := p.Figure("alpha"); !a.Known || math.Abs(a.Value) > 0.1 || p.row(All).Alpha.Value < 0.7 {
		t.Errorf("a random judge of labels has alpha %s; all raters %s", a.Text(2), p.row(All).Alpha.Text(2))
	}
}

// TestNothingToStandInFor: people choose among 1 to 5 at random, and a judge always says 3. It wins against them, since it is closer to the
// others. But these people do not agree, so that it stands in for nobody. A smaller advantage of people (epsilon) means more winning.
func TestNothingToStandInFor(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	made := func(quality float64) (*Result, *Pairing) {
		log := "log.csv\nid,score\n"
		people := "people.csv\nid,score_ann,score_ben,score_cyn\n"
		for i := range 200 {
			of := quality * rng.NormFloat64()
			point := func() float64 { return min(5, max(1, math.Round(3+of+rng.NormFloat64()))) }
			log += fmt.Sprintf("%d,%v\n", i, min(5, max(1, math.Round(3+of+0.3*rng.NormFloat64()))))
			people += fmt.Sprintf("%d,%v,%v,%v\n", i, point(), point(), point())
		}
		r := study(t, log, people)
		return r, r.Pairings[0]
	}
	r, p := made(0)
	if row := p.row(Mean); row.Decision != "" || row.Reason != "people do not agree" || row.Winning.Value != 1 || !(row.Advantage.Value > 0.5) ||
		row.Epsilon.Value != 0.15 {
		t.Errorf("%+v", row)
	}
	if text := r.Concluded.answers()[0]; !strings.HasPrefix(text, "People do not agree on score (alpha ") {
		t.Error(text)
	}
	r, p = made(1)
	if text := r.Concluded.answers()[0]; p.row(Mean).Decision != "yes" || !strings.HasPrefix(text, "log can stand in for one person on score: ") {
		t.Errorf("%+v\n%s", p.row(Mean), text)
	}
	p.decision.Tuned = true
	r.conclude()
	if text := r.Concluded.Decided.Headline(); text != "log (tuned on these scores) can stand in for one person on score" {
		t.Error(text)
	}
	rates := map[float64]float64{}
	for _, epsilon := range []float64{0.001, 0.9} {
		p.o.Epsilon = epsilon
		worse := p.judge
		worse.Values = nil
		for i, v := range p.judge.Values { // the worse judge is nearly as far from people as they are from each other
			v = raters.Number(min(5, max(1, v.Number()+float64(i%3-1))))
			worse.Values = append(worse.Values, v)
		}
		pairing := *p
		pairing.judge = worse
		row := &Row{}
		pairing.altTest(row)
		rates[row.Epsilon.Value] = row.Winning.Value
	}
	if rates[0.001] >= rates[0.9] || rates[0.9] != 1 {
		t.Errorf("winning rates by epsilon: %v", rates)
	}
}

// TestSoakCoverageByCluster: intervals contain the true figure in at least 93 % of samples, for two figures: the length bias, if errors on
// answers to one question are alike, and differences between systems. This also holds if one system has 12 labels and the other 200.
func TestSoakCoverageByCluster(t *testing.T) {
	sharedtest.Soak(t)
	t.Run("half at random", func(t *testing.T) {
		coverageByCluster(t, func(rng *rand.Rand, _, _ int) bool { return rng.IntN(2) == 0 })
	})
	t.Run("12 of one system", func(t *testing.T) {
		coverageByCluster(t, func(_ *rand.Rand, q, k int) bool { return k%2 == 1 || q < 12 && k == 0 })
	})
}

// coverageByCluster simulates 100 questions with four answers of two systems. labelled reports which answers have a label.
func coverageByCluster(t *testing.T, labelled func(rng *rand.Rand, question, answer int) bool) {
	t.Helper()
	const samples = 500
	inside := map[string]int{}
	known := map[string]int{}
	contains := func(name string, b stats.Figure) {
		if b.Bounded {
			known[name]++
		}
		if b.Bounded && b.Low <= 0 && b.High >= 0 {
			inside[name]++
		}
	}
	for n := range samples {
		rng := rand.New(rand.NewPCG(4, uint64(n)))
		judge := &sources.Log{}
		people := &sources.Log{}
		j := data.Series{Rater: &data.Rater{Name: "judge", Kind: data.KindJudge}, Measured: &data.Measured{ID: "score"}}
		ann := data.Series{Rater: &data.Rater{Name: "ann", Kind: data.KindPerson}, Measured: &data.Measured{ID: "score"}}
		for q := range 100 {
			hard := rng.NormFloat64()
			long := rng.NormFloat64()
			for k := range 4 {
				words := int(math.Exp2(5 + long + 0.5*rng.NormFloat64()))
				item := sources.Item{ID: fmt.Sprintf("%d-%d", q, k), Text: strings.Repeat("w ", max(1, words))}.With(
					sources.About{Group: fmt.Sprint(q), System: string(rune('A' + k%2))})
				judge.Items, people.Items = append(judge.Items, item), append(people.Items, item)
				index, quality := int32(len(judge.Items)-1), rng.NormFloat64()
				value := func(x float64) string { return fmt.Sprintf("%.3f", 50+10*x) }
				judge.Values.Add(data.Rating{Series: j, Item: index, Value: value(quality + hard + 0.5*rng.NormFloat64())})
				if labelled(rng, q, k) {
					people.Values.Add(data.Rating{Series: ann, Item: index, Value: value(quality + 0.5*rng.NormFloat64())})
				}
			}
		}
		p := paired(t, judge, people, Options{Scales: map[string]string{"score": "-50..150"}})
		contains("length bias", p.lengthBias())
		contains("difference of systems", p.differences(p.systems())[0].Difference)
	}
	for _, name := range []string{"length bias", "difference of systems"} {
		if share := float64(inside[name]) / float64(known[name]); share < 0.93 || share > 0.985 || known[name] < samples*7/10 { // none where a stratum has no label
			t.Errorf("%s: %.3f of %d intervals contain the true figure", name, share, known[name])
		} else {
			t.Logf("%s: %.3f of %d", name, share, known[name])
		}
	}
}

// TestHeadlineOfSeveralJudges: the headline counts criteria if their names would fill a screen. A mean on a scale of 1 to 5 is not reported
// as a share that passes.
func TestHeadlineOfSeveralJudges(t *testing.T) {
	criteria := []string{"introduction", "specific aspects", "aspects introduced", "aspects kept apart", "aspect names", "descriptions"}
	log := "log.csv\nid,judge"
	people := "people.csv\nid"
	for _, c := range criteria {
		log += "," + c
		people += "," + c + "_ann," + c + "_ben," + c + "_cyn"
	}
	log += "\n"
	people += "\n"
	for i := range 60 {
		for _, judge := range []string{"good-judge-with-a-name", "bad-judge-with-a-name"} {
			log += fmt.Sprintf("%d,%s", i, judge)
			for c := range criteria {
				value := 1 + (i+c)%5
				if judge[0] == 'b' {
					value = 5 - i%2
				}
				log += fmt.Sprintf(",%d", value)
			}
			log += "\n"
		}
		people += fmt.Sprint(i)
		for c := range criteria {
			people += strings.Repeat(fmt.Sprintf(",%d", 1+(i+c)%5), 3)
		}
		people += "\n"
	}
	r, err := computed(t, log, people, Options{Answered: []string{"copy"}}) // a perfect judge is not a copy here
	if err != nil {
		t.Fatal(err)
	}
	d := r.Document("t", "")
	if d.Title != "If 18 columns are read rightly (introduction_ann as value of introduction by ann, and 17 more): "+
		"good-judge-with-a-name can stand in for one person on 6 of 6 criteria, and bad-judge-with-a-name on none" {
		t.Error(d.Title)
	}
	if !strings.Contains(d.Lead, "good-judge-with-a-name can stand in for one person on introduction: it agrees with a person at 1.00, people "+
		"with each other at 1.00 (difference 0.00 [0.00, 0.00], margin 0.1, 60 items).") {
		t.Error(d.Lead)
	}
	if text := d.Markdown(); !strings.Contains(text, "| **bad-judge-with-a-name**") {
		t.Error(text)
	}
}

// TestConsensus: by hand. People agree on 20 items, of which the judge differs on 2, and split on 20, of which it differs on 10: it errs
// more on split items. The test also has the opposite, too few split items, and two people, about whom nothing is said.
func TestConsensus(t *testing.T) {
	agree := "#a,yes,yes,yes\n"
	split := "#s,yes,no,yes\n"
	for _, c := range []struct {
		agreed, agreedWrong, split, splitWrong int
		want                                   string
	}{
		{20, 2, 20, 10, "three people or more agree on 20 items, of which the judge differs on 2; they split on 20 with a majority, from which it " +
			"differs on 10: 10 % and 50 %; it errs more where people split (split minus unanimous: +0.40 "},
		{20, 10, 20, 2, ": 50 % and 10 %; it errs more where people agree (split minus unanimous: −0.40 "},
		{20, 5, 20, 6, "no difference is seen (split minus unanimous: +0.05 "},
		{20, 0, 20, 20, "the difference has no interval"},
		{20, 2, 9, 5, "too few to compare (10 each are needed)"},
	} {
		log := rows(c.agreedWrong, "#a,no\n")
		for i := c.agreedWrong; i < c.agreed; i++ {
			log += fmt.Sprintf("%da,yes\n", i)
		}
		log += rows(c.splitWrong, "#s,no\n")
		for i := c.splitWrong; i < c.split; i++ {
			log += fmt.Sprintf("%ds,yes\n", i)
		}
		people := "people.csv\nid,ok_ann,ok_ben,ok_cy\n" + rows(c.agreed, agree) + rows(c.split, split)
		if text := said(study(t, "log.csv\nid,ok\n"+log, people)); !strings.Contains(text, c.want) {
			t.Errorf("%q is not in\n%s", c.want, text)
		}
	}
	two := study(t, "log.csv\nid,ok\n"+rows(20, "#,yes\n"), "people.csv\nid,ok_ann,ok_ben\n"+rows(20, "#,yes,yes\n"))
	if text := said(two); strings.Contains(text, "three people") {
		t.Error(text)
	}
}

// TestNotPeoples: the first line says how many labels are not people's own, and which flag counts them. So does the first line on verdicts
// that may stand unread.
func TestNotPeoples(t *testing.T) {
	log := "log.csv\nid,ok\n" + rows(30, "#,yes\n") + rows(30, "n#,no\n")
	people := "people.csv\nid,ok,label_source\n" + rows(30, "#,yes,human\n") +
		rows(10, "n#,no,gpt-4\n")
	r := study(t, log, people)
	const want = "Of 40 labels in people's file 30 count as people's by the column label_source (a model's: 10; --map people.origin=none counts all)"
	var page strings.Builder
	if err := r.Print(&page, nil, ""); err != nil {
		t.Fatal(err)
	}
	first := strings.Join(strings.Fields(page.String()), " ")
	if !strings.HasPrefix(first, want) || !strings.HasPrefix(r.Concluded.Decided.Headline(), want) || r.Pairings[0].row(Mean).N != 30 {
		t.Error(first)
	}
	judge, labelled := sureLog{900, 1, 300}.logs()
	labelled.Origins = map[string]int{"model": 7}
	unread, err := computedOf(t, judge, labelled, Options{Unread: .9, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewInput(judge, labelled, nil, Options{Unread: .9, Seed: 1}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := written(t, in)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := again.Result(); err != nil || result.MayStand.Texts()[0] != unread.MayStand.Texts()[0] {
		t.Errorf("computed again: %v", err)
	}
	for _, forged := range []string{`{"model":-1}`, `{"person":1}`, `{"model":9007199254740993}`} {
		if _, err := written(t, bytes.Replace(in, []byte(`{"model":7}`), []byte(forged), 1)); err == nil {
			t.Errorf("origins %s are read", forged)
		}
	}
	if text := unread.MayStand.Texts()[0]; !strings.HasPrefix(text, "Of ") || !strings.Contains(text, "(a model's: 7; --map") {
		t.Error(text)
	}
}
