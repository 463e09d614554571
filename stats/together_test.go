package stats

import (
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

//go:embed testdata/together.json
var togetherCases []byte

// TestMeanTogetherReference compares means and intervals with independent code (numpy 2.4.6, scipy 1.17.1: lstsq, cross-fitted in the same
// parts). The data are random, with one to six judges: points, yes and no, judges of pure noise, a copy of another judge, and a constant
// judge.
func TestMeanTogetherReference(t *testing.T) {
	var cases []struct {
		Name                           string
		Judges                         [][]float64
		Labelled, Parts                []int
		Human                          []float64
		Value, Half, Alone, Alone_half float64
	}
	if err := json.Unmarshal(togetherCases, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := TogetherSample{Judges: c.Judges, Labelled: c.Labelled, Human: c.Human}
		each, err := NewGrouping(nil, len(c.Labelled))
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.mean(each, c.Parts, .95)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		statstest.WantRel(t, c.Name+": mean", m.Value, c.Value, 1e-8)
		statstest.WantRel(t, c.Name+": half of the interval", (m.High-m.Low)/2, c.Half, 1e-9)
		statstest.WantRel(t, c.Name+": alone", m.LabelsOnly.Value, c.Alone, 1e-12)
		statstest.WantRel(t, c.Name+": half of that alone", (m.LabelsOnly.High-m.LabelsOnly.Low)/2, c.Alone_half, 1e-9)
	}
}

// togetherSample has a judge whose score is people's plus a little, and one whose score is a remainder of a division.
func togetherSample(n, labels int) (s TogetherSample) {
	s.Judges = make([][]float64, 2)
	s.Seed = 3
	for i := range n {
		human := float64(i * 7919 % 101)
		s.Judges[0] = append(s.Judges[0], 2*human+float64(i*31%7))
		s.Judges[1] = append(s.Judges[1], float64(i*17%11))
		if i*41%n < labels {
			s.Labelled = append(s.Labelled, i)
			s.Human = append(s.Human, human)
		}
	}
	return s
}

// TestMeanTogether checks that a judge close to people makes the interval much narrower, and that a judge's scale or constant bias does not
// matter. With each item twice, as a cluster, the mean is that of the items once, and the interval about the same.
func TestMeanTogether(t *testing.T) {
	s := togetherSample(401, 100)
	m, err := MeanTogether(s, .95)
	if err != nil || m.Explained < .98 || !(m.SE < .51*m.LabelsOnly.SE) || m.N != 100 || m.Clusters != 100 || m.DF != 97 {
		t.Errorf("%+v, %v", m, err)
	}
	other := togetherSample(401, 100)
	for i := range other.Judges[0] {
		other.Judges[0][i] = 5 - 3*other.Judges[0][i]
	}
	if turned, err := MeanTogether(other, .95); err != nil || math.Abs(turned.Value-m.Value) > 1e-9 || math.Abs(turned.SE-m.SE) > 1e-9 {
		t.Errorf("another scale: %+v, %v; want %+v", turned, err, m)
	}
	once := s
	for i := range once.Judges[0] {
		once.Clusters = append(once.Clusters, i)
	}
	one, err := MeanTogether(once, .95)
	if err != nil || math.Abs(one.Value-m.Value) > 1e-12 || math.Abs(one.SE/m.SE-1) > .1 {
		t.Errorf("clusters of one: %+v, %v; want about %+v", one, err, m)
	}
	twice := TogetherSample{Judges: make([][]float64, 2), Seed: 3}
	for i := range s.Judges[0] {
		for j, judge := range s.Judges {
			twice.Judges[j] = append(twice.Judges[j], judge[i], judge[i])
		}
		twice.Clusters = append(twice.Clusters, i, i)
	}
	for k, i := range s.Labelled {
		twice.Labelled = append(twice.Labelled, 2*i, 2*i+1)
		twice.Human = append(twice.Human, s.Human[k], s.Human[k])
	}
	if both, err := MeanTogether(twice, .95); err != nil || math.Abs(both.SE-one.SE) > 1e-9*one.SE || both.Clusters != 100 {
		t.Errorf("each item twice: %+v, %v; want %+v", both, err, one)
	}
}

// TestMeanTogetherSmall checks that no, one and two labels, labels of one value, and input of wrong length have errors and no interval.
func TestMeanTogetherSmall(t *testing.T) {
	for labels := range 3 {
		if m, err := MeanTogether(togetherSample(50, labels), .95); !errors.Is(err, ErrTooShort) && !errors.Is(err, ErrOneCluster) || m.SE != 0 {
			t.Errorf("%d labels: %+v, %v", labels, m, err)
		}
	}
	constant := togetherSample(50, 20)
	for k := range constant.Human {
		constant.Human[k] = 1
	}
	if m, err := MeanTogether(constant, .95); !errors.Is(err, ErrZeroWidth) || m.LabelsOnly.Value != 1 {
		t.Errorf("one value: %+v, %v", m, err)
	}
	outside := togetherSample(50, 20)
	short := togetherSample(50, 20)
	infinite := togetherSample(50, 20)
	outside.Labelled[3] = 50
	short.Judges[1] = short.Judges[1][:49]
	infinite.Human[0] = math.Inf(1)
	for want, s := range map[error]TogetherSample{ErrInvalidValue: outside, ErrLength: short} {
		if _, err := MeanTogether(s, .95); !errors.Is(err, want) {
			t.Errorf("%v; want %v", err, want)
		}
	}
	if _, err := MeanTogether(infinite, .95); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("an infinite label: %v", err)
	}
}
