package trust

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A splitMix is the random generator of Steele, Lea and Flood (2014). Another program used it to compute the figures of
// TestFiguresOfReference.
type splitMix uint64

func (s *splitMix) next() float64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return float64((z^z>>31)>>11) / (1 << 53)
}

// A small is a study with random values from splitMix: k people rate n items on a scale with some levels. Each person but the first skips
// some items.
type small struct {
	seed         uint64
	n, k, levels int
	missing      float64
	coin         bool
	cluster      int // items in a cluster
}

// study returns the study, the same for the same values.
func (s small) study() Study {
	rng := splitMix(s.seed)
	t := raters.Table{Scale: raters.Scale{Level: agreement.Interval}, Units: make([]raters.Unit, s.n)}
	people := make([]raters.Rater, s.k)
	t.Add("judge", raters.Judge)
	for j := range people {
		people[j] = raters.Rater{Values: make([]raters.Value, s.n)}
	}
	for i := range t.Units {
		t.Units[i].Cluster = i / s.cluster
		truth := rng.next()
		rate := func() raters.Value {
			return raters.Number(math.Min(float64(s.levels-1), math.Floor((truth*.7+rng.next()*.3)*float64(s.levels))))
		}
		if s.coin {
			t.Raters[0].Values[i] = raters.Number(math.Floor(rng.next() * float64(s.levels)))
		} else {
			t.Raters[0].Values[i] = rate()
		}
		for j := range people {
			left := rng.next() < s.missing
			value := rate()
			people[j].Values[i] = value
			if left && j > 0 {
				people[j].Values[i] = raters.Missing(raters.NotAsked)
			}
		}
	}
	return Study{Judge: "judge", Criterion: "quality", Table: t, JudgeRater: t.Raters[0], PeopleRaters: people}
}

func near(t *testing.T, what string, got stats.Figure, want float64) {
	t.Helper()
	if !got.Known || !(math.Abs(got.Value-want) <= 1e-9) {
		t.Errorf("%s is %s, want %v", what, got.Text(12), want)
	}
}

// TestFiguresOfReference: figures and answers equal those of an independent program in numpy and scipy (jackknife over clusters, t
// interval). It covers complete and sparse designs, clusters, a random judge, and weights.
func TestFiguresOfReference(t *testing.T) {
	for _, c := range []struct {
		small
		answer                          Answer
		single, people, low, high, over float64 // over: lower bound of single
	}{
		{small{1, 60, 3, 5, 0, false, 1}, Yes, .7686952219394968, .7383040935672516, -.03621935831320271, .09700161505769316, .7005034217994934},
		{small{2, 60, 3, 5, .3, false, 1}, Yes, .8458009385725292, .76464766429137, .01887464054729028, .14343190801502825, .7991564031928758},
		{small{3, 120, 5, 5, .5, true, 1}, No, .10422364184663035, .7715493590887758, -.8401939262739155, -.4944575082103753, -.06292989925830494},
		{small{4, 200, 2, 2, 0, false, 4}, Unknown, .7144112864237684, .7698788836229594, -.1523134407780088, .041378246379626726,
			.6202754426165951},
		{small{5, 90, 3, 7, .2, false, 3}, Yes, .7966947553189659, .7615344882945011, -.015147217704524207, .08546775175345389, .7480428883835704},
		{small{6, 40, 2, 2, 0, true, 1}, No, -.01869761444229523, .7030075187969925, -1.108548875118216, -.3348613913603596, -.3075130884270846},
	} {
		for _, level := range []agreement.Level{agreement.Interval, agreement.Nominal} { // both levels give the same for two values
			s := c.study()
			if s.Table.Scale.Level = level; level == agreement.Nominal && c.levels > 2 {
				continue
			}
			d := Decide(s)
			if d.Answer != c.answer {
				t.Errorf("%+v: the answer is %q (%s), want %q", c.small, d.Answer, d.Reason, c.answer)
			}
			near(t, "single", d.Single.Point(), c.single)
			near(t, "people", d.People.Point(), c.people)
			near(t, "the difference", d.Difference.Point(), c.single-c.people)
			near(t, "its lower bound", d.Difference.Lower(), c.low)
			near(t, "its upper bound", d.Difference.Upper(), c.high)
			near(t, "the lower bound of single", d.Single.Lower(), c.over)
		}
	}
	s := small{7, 80, 3, 5, .3, false, 1}.study() // a quarter of the items to which the judge gives 3 or more is labelled
	s.Table.Strata = make([]int, 80)
	for i, v := range s.JudgeRater.Values[:80] {
		if v.Number() < 3 {
			continue
		}
		s.Table.Strata[i] = 1
		for range 3 {
			s.Table.Units = append(s.Table.Units, raters.Unit{Cluster: len(s.Table.Units)})
			s.Table.Strata = append(s.Table.Strata, 1)
			s.JudgeRater.Values = append(s.JudgeRater.Values, v)
			for k := range s.PeopleRaters {
				s.PeopleRaters[k].Values = append(s.PeopleRaters[k].Values, raters.Missing(raters.NotAsked))
			}
		}
	}
	d := Decide(s)
	near(t, "single with weights", d.Single.Point(), .7943681728741417)
	near(t, "people with weights", d.People.Point(), .7347317478998414)
	if d.Items != 80 || d.Answer != Yes || !d.Difference.Interval() {
		t.Errorf("with weights: %d items, %q (%s), %s", d.Items, d.Answer, d.Reason, d.Difference.Text(2))
	}
}

// TestSignOfDifference: the difference is single minus people, and bias is judge minus people. A judge that is a point too high agrees less
// and gives more. If people disagree, the judge agrees more than they do.
func TestSignOfDifference(t *testing.T) {
	s := small{1, 60, 3, 5, 0, false, 1}.study()
	for shift, sign := range map[float64]float64{1: 1, -1: -1} {
		d := Decide(shifted(s, 2*shift))
		if d.Difference.Value >= 0 || sign*d.Bias.Value <= 0 || d.Unbiased.Value <= d.Single.Value {
			t.Errorf("shifted by %v: difference %s, bias %s, without it %s", 2*shift, d.Difference.Text(2), d.Bias.Text(2), d.Unbiased.Text(2))
		}
	}
	s.JudgeRater = s.Table.Mean(s.PeopleRaters)
	if d := Decide(s); d.Difference.Value <= 0 {
		t.Errorf("the mean of people has a difference of %s", d.Difference.Text(2))
	}
}

// TestPlan: the error of a plan that is not understood shows an example.
func TestPlan(t *testing.T) {
	for text, want := range map[string]string{"people 3": "needs the alpha", "people 1, people .7": `"people 1" is not understood`,
		"scale 5..1, people .7": `"scale 5..1"`, "": `"" is not understood`, "people 1.2": `"people 1.2"`} {
		if _, err := ParsePlan(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"people 3, scale yes/no, people .7, margin .2", "people 3, yes/no, people .7, margin .2"} {
		p, err := ParsePlan(text)
		if err != nil || p.Persons != 3 || p.Low != 0 || p.High != 1 || p.Alpha != .7 || p.Margin != .2 {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
}

// shifted returns a study whose judge gives by more, or less if by is negative.
func shifted(s Study, by float64) Study {
	judge := s.JudgeRater
	s.JudgeRater.Values = nil
	for _, v := range judge.Values {
		s.JudgeRater.Values = append(s.JudgeRater.Values, raters.Number(v.Number()+by))
	}
	return s
}

// TestBiasIsTold: a judge that surely gives more or less than people, and would agree much more without that, is called lenient or strict,
// whether the answer is no or not known. A judge whose values are as high as people's is not.
func TestBiasIsTold(t *testing.T) {
	for by, want := range map[float64]string{0: "", .7: "judge is lenient: it gives 0.70", -.7: "judge is strict: it gives 0.70", 2: "judge is lenient: it gives 2.00",
		-2: "judge is strict: it gives 2.00"} {
		d := Decide(shifted(small{1, 60, 3, 5, 0, false, 1}.study(), by))
		text := d.sentence()
		if told := strings.Contains(text, "lenient") || strings.Contains(text, "strict"); told != (want != "") || !strings.Contains(text, want) {
			t.Errorf("by %v: %s; want %q", by, text, want)
		}
		if want != "" && !strings.Contains(text, "than people; without that it would agree with a person at "+d.Unbiased.Text(2)) {
			t.Errorf("by %v: %s", by, text)
		}
	}
}

// TestMoreTogether: decisions that are made together need more items than one alone. With that many items and the same figures, they are
// known.
func TestMoreTogether(t *testing.T) {
	study := small{4, 200, 2, 2, 0, false, 4}.study()
	alone := Decide(study)
	a := Decide(study)
	b := Decide(study)
	if err := Together([]*Decision{&a, &b}); err != nil || a.Answer != Unknown || a.FurtherItems <= alone.FurtherItems || b.FurtherItems != a.FurtherItems {
		t.Fatalf("alone %d more, two together %d and %d (%v)", alone.FurtherItems, a.FurtherItems, b.FurtherItems, err)
	}
	times := 1 + (a.FurtherItems+study.items()-1)/study.items()
	a, b = Decide(study.repeated(times)), Decide(study.repeated(times))
	if err := Together([]*Decision{&a, &b}); err != nil || a.Answer != Yes || b.Answer != Yes {
		t.Errorf("with %d items: %q (%s) and %q (%s), %v", a.Items, a.Answer, a.Reason, b.Answer, b.Reason, err)
	}
	for times = 2; ; times++ { // sure alone, but not together
		one := Decide(study.repeated(times))
		others := make([]*Decision, 30)
		for i := range others {
			d := one
			others[i] = &d
		}
		if err := Together(others); err != nil {
			t.Fatal(err)
		}
		if one.Answer != Unknown && others[0].Answer == Unknown {
			if d := others[0]; d.FurtherItems == 0 || !strings.Contains(d.sentence(), "not with 30 decisions together; about ") {
				t.Errorf("%d more: %s", d.FurtherItems, d.sentence())
			}
			return
		}
		if times > 30 {
			t.Fatal("no number of items is enough alone and not together")
		}
	}
}

func (s Study) items() int { return len(s.Table.Units) }

// repeated returns a study with several copies of each item, each copy in its own cluster.
func (s Study) repeated(times int) Study {
	out := s
	out.Table.Units = nil
	out.JudgeRater.Values = nil
	out.PeopleRaters = make([]raters.Rater, len(s.PeopleRaters))
	for n := range times {
		for i, u := range s.Table.Units {
			u.Cluster += n * s.items()
			out.Table.Units = append(out.Table.Units, u)
			out.JudgeRater.Values = append(out.JudgeRater.Values, s.JudgeRater.Values[i])
			for k, p := range s.PeopleRaters {
				out.PeopleRaters[k].Values = append(out.PeopleRaters[k].Values, p.Values[i])
			}
		}
	}
	return out
}

// TestHeadlineOfOneCriterion: the headline of judges on one criterion names it, and does not say "1 of 1 criterion".
func TestHeadlineOfOneCriterion(t *testing.T) {
	long := strings.Repeat("x", 90)
	of := func(answers ...Answer) (all []*Decision) {
		for i, a := range answers {
			all = append(all, &Decision{Judge: string(rune('A'+i)) + long, Criterion: "score", Answer: a})
		}
		return all
	}
	for want, decisions := range map[string][]*Decision{
		"Not known yet whether A# and B# can stand in for a person on score":        of(Unknown, Unknown),
		"A# can stand in for one person on score, B# cannot (not known yet for C#)": of(Yes, No, Unknown),
		"A# can stand in for one person on score (not known yet for B#)":            of(Yes, Unknown),
		"B# cannot stand in for a person on score (not known yet for A#)":           of(Unknown, No),
	} {
		if got := strings.ReplaceAll(headline(decisions), long, "#"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSentenceOfConstant: if a judge gives every item the same value, far above people's, the sentence says so and does not call its bias a
// repair. If the answer is not known, the sentence says which answer more items would give.
func TestSentenceOfConstant(t *testing.T) {
	study := truth{items: 120, people: 3, noise: .6, first: .6}.study(rand.New(rand.NewPCG(1, 2)))
	for i := range study.JudgeRater.Values {
		study.JudgeRater.Values[i] = raters.Number(5)
	}
	d := Decide(study)
	if text := d.sentence(); d.Answer != No || !strings.HasSuffix(text, "judge gives every item the same value.") || strings.Contains(text, "lenient") {
		t.Error(text)
	}
	worse := Decide(truth{items: 60, people: 3, noise: .6, first: 1}.study(rand.New(rand.NewPCG(3, 4))))
	want := " would decide that it cannot, if it stays so"
	if worse.Difference.Value > -worse.Margin {
		want = " would decide that it can, if it stays so"
	}
	if text := worse.sentence(); worse.Reason != ContainsMargin || worse.FurtherItems > mostMore || !strings.Contains(text, want) {
		t.Errorf("%d more: %s", worse.FurtherItems, text)
	}
}

// TestLimitsAreInHeadline: the first line names systems for which a judge cannot stand in and systems that nobody rated, even if it counts
// criteria. A judge with such limits does not pass a gate. Decisions that are known come first.
func TestLimitsAreInHeadline(t *testing.T) {
	yes := func(judge, criterion string, unrated ...string) *Decision {
		return &Decision{Judge: judge, Criterion: criterion, Answer: Yes, Unrated: unrated}
	}
	excluded := yes("A", "b")
	excluded.Slices = []SliceDecision{{Column: "system", Value: "s1", Answer: No}}
	long := strings.Repeat("x", 90)
	for want, decisions := range map[string][]*Decision{
		"A can stand in for one person on a and c, only for the systems that people rated (not s2)": {yes("A", "a", "s2"), yes("A", "c", "s2")},
		"A can stand in for one person on a and c, only for the systems that people rated":          {yes("A", "a", "s2"), yes("A", "c", "s3")},
		"A can stand in for one person on b, but not for s1":                                        {excluded},
		"A# can stand in for one person on 2 of 2 criteria, but on some not for s1, only for the systems that people rated (not s2)": {
			{Judge: "A" + long, Criterion: long, Answer: Yes, Slices: excluded.Slices}, yes("A"+long, "a", "s2")},
		"B can stand in for one person on a; not known yet whether A can stand in for a person on a": {{Judge: "A", Criterion: "a"}, yes("B", "a")},
	} {
		if got := strings.ReplaceAll(headline(decisions), long, "#"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if yes("A", "a", "s2").AppliesEverywhere() || excluded.AppliesEverywhere() || !yes("A", "a").AppliesEverywhere() {
		t.Error("a judge is enough for a system that nobody rated, or for none")
	}
	all := Findings([]*Decision{{Judge: "A", Criterion: "a"}, {Judge: "A", Criterion: "b", Answer: No}, yes("A", "c")}, "")
	if all[1].Claim != ClaimMay || all[2].Claim != ClaimMayNot || all[3].Claim != ClaimUnknown {
		t.Errorf("in the order %q", all.Texts())
	}
}

// TestSilentJudge: if a judge gave no value for some items that people rated, the sentence has both numbers. Items about which it was not
// asked do not count.
func TestSilentJudge(t *testing.T) {
	study := small{1, 120, 3, 5, 0, false, 1}.study()
	for i := range 60 {
		study.JudgeRater.Values[2*i] = raters.Missing(raters.Failed)
	}
	study.JudgeRater.Values[1] = raters.Missing(raters.NotAsked)
	d := Decide(study)
	if text := d.sentence(); d.Silent != 60 || !strings.Contains(text, "margin 0.1, 59 of the 119 items that people rated)") {
		t.Errorf("%d: %s", d.Silent, text)
	}
}
