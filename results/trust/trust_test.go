package trust

import (
	"math"
	"strings"
	"testing"

	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// A splitMix is the generator of Steele, Lea and Flood (2014), with which the figures of TestFiguresOfReference were computed by another
// program.
type splitMix uint64

func (s *splitMix) next() float64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return float64((z^z>>31)>>11) / (1 << 53)
}

// A small is a study that splitMix makes: k people rate n items at some levels, each but the first leaves out some.
type small struct {
	seed         uint64
	n, k, levels int
	missing      float64
	coin         bool
	cluster      int // items of one
}

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
			left, value := rng.next() < s.missing, rate()
			people[j].Values[i] = value
			if left && j > 0 {
				people[j].Values[i] = raters.Missing(raters.NotAsked)
			}
		}
	}
	return Study{Judge: "judge", Criterion: "quality", Table: t, JudgeRater: t.Raters[0], PeopleRaters: people}
}

func near(t *testing.T, what string, got table.Figure, want float64) {
	t.Helper()
	if !got.Known() || !(math.Abs(*got.Number-want) <= 1e-9) {
		t.Errorf("%s is %s, want %v", what, got.Text(12), want)
	}
}

// TestFiguresOfReference: figures and answers are those of an independent program in numpy and scipy (jackknife over clusters, t
// interval), for complete and sparse designs, clusters, a coin, and weights.
func TestFiguresOfReference(t *testing.T) {
	for _, c := range []struct {
		small
		answer                          Answer
		single, people, low, high, over float64 // over: the lower bound of single
	}{
		{small{1, 60, 3, 5, 0, false, 1}, Yes, .7686952219394968, .7383040935672516, -.03621935831320271, .09700161505769316, .7005034217994934},
		{small{2, 60, 3, 5, .3, false, 1}, Yes, .8458009385725292, .76464766429137, .01887464054729028, .14343190801502825, .7991564031928758},
		{small{3, 120, 5, 5, .5, true, 1}, No, .10422364184663035, .7715493590887758, -.8401939262739155, -.4944575082103753, -.06292989925830494},
		{small{4, 200, 2, 2, 0, false, 4}, Unknown, .7144112864237684, .7698788836229594, -.1523134407780088, .041378246379626726,
			.6202754426165951},
		{small{5, 90, 3, 7, .2, false, 3}, Yes, .7966947553189659, .7615344882945011, -.015147217704524207, .08546775175345389, .7480428883835704},
		{small{6, 40, 2, 2, 0, true, 1}, No, -.01869761444229523, .7030075187969925, -1.108548875118216, -.3348613913603596, -.3075130884270846},
	} {
		for _, level := range []agreement.Level{agreement.Interval, agreement.Nominal} { // the same of two values
			s := c.study()
			if s.Table.Scale.Level = level; level == agreement.Nominal && c.levels > 2 {
				continue
			}
			d := Decide(s)
			if d.Answer != c.answer {
				t.Errorf("%+v: the answer is %q (%s), want %q", c.small, d.Answer, d.Reason, c.answer)
			}
			near(t, "single", d.Single.Value, c.single)
			near(t, "people", d.People.Value, c.people)
			near(t, "the difference", d.Difference.Value, c.single-c.people)
			near(t, "its lower bound", d.Difference.Low, c.low)
			near(t, "its upper bound", d.Difference.High, c.high)
			near(t, "the lower bound of single", d.Single.Low, c.over)
		}
	}
	s := small{7, 80, 3, 5, .3, false, 1}.study() // a quarter of what the judge gives 3 or more is labelled
	s.Table.Weighted = true
	for i, v := range s.JudgeRater.Values[:80] {
		s.Table.Units[i].Stratum = 0
		if v.Number < 3 {
			continue
		}
		s.Table.Units[i].Stratum = 1
		for range 3 {
			s.Table.Units = append(s.Table.Units, raters.Unit{Cluster: len(s.Table.Units), Stratum: 1})
			s.JudgeRater.Values = append(s.JudgeRater.Values, v)
			for k := range s.PeopleRaters {
				s.PeopleRaters[k].Values = append(s.PeopleRaters[k].Values, raters.Missing(raters.NotAsked))
			}
		}
	}
	d := Decide(s)
	near(t, "single with weights", d.Single.Value, .7943681728741417)
	near(t, "people with weights", d.People.Value, .7347317478998414)
	if d.Items != 80 || d.Answer != Yes || !d.Difference.Interval() {
		t.Errorf("with weights: %d items, %q (%s), %s", d.Items, d.Answer, d.Reason, d.Difference.Text(2))
	}
}

// TestSignOfDifference: the difference is single minus people, and bias judge minus people: a judge one point too high agrees less and gives
// more, and people who disagree leave the judge above them.
func TestSignOfDifference(t *testing.T) {
	s := small{1, 60, 3, 5, 0, false, 1}.study()
	for shift, sign := range map[float64]float64{1: 1, -1: -1} {
		shifted := s
		shifted.JudgeRater.Values = nil
		for _, v := range s.JudgeRater.Values {
			shifted.JudgeRater.Values = append(shifted.JudgeRater.Values, raters.Number(v.Number+2*shift))
		}
		d := Decide(shifted)
		if *d.Difference.Value.Number >= 0 || sign**d.Bias.Value.Number <= 0 || *d.Unbiased.Number <= *d.Single.Value.Number {
			t.Errorf("shifted by %v: difference %s, bias %s, without it %s", 2*shift, d.Difference.Text(2), d.Bias.Text(2), d.Unbiased.Text(2))
		}
	}
	s.JudgeRater = s.Table.Mean(s.PeopleRaters)
	if d := Decide(s); *d.Difference.Value.Number <= 0 {
		t.Errorf("the mean of people has a difference of %s", d.Difference.Text(2))
	}
}

// TestPlan: what is not understood says what would be.
func TestPlan(t *testing.T) {
	for text, want := range map[string]string{"people 3": "needs the alpha", "people 1, people .7": `"people 1" is not understood`,
		"scale 5..1, people .7": `"scale 5..1"`, "": `"" is not understood`, "people 1.2": `"people 1.2"`} {
		if _, err := ParsePlan(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	p, err := ParsePlan("people 3, scale yes/no, people .7, margin .2")
	if err != nil || p.Persons != 3 || p.Low != 0 || p.High != 1 || p.Alpha != .7 || p.Margin != .2 {
		t.Errorf("%+v, %v", p, err)
	}
}
