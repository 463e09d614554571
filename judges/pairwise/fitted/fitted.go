// Package fitted has the model of people's preferences between two answers to an open question, which is fitted to pairs.
package fitted

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	_ "embed"

	"compqa/data"
	"compqa/judges/regress"
	"compqa/judges/rules"
)

// A measure is a plain property of an answer to a question. length marks those that grow with the length of the answer.
// Words of an answer count little and what it adds counts much: a copy of the question and a sentence said twice are no
// answer. The share of the question's words, lists, counts and lengths that the question asks for, code and digits are no
// measures: on PandaLM they gain nothing beside these.
type measure struct {
	name   string
	length bool
	of     func(question, answer string) float64
}

var measures = []measure{
	{"log of new text", true, func(q, a string) float64 { return math.Log1p(newText(q, a)) }},
	{"log of lines", true, func(_, a string) float64 { return math.Log1p(float64(len(parts(lineEnd, a)))) }},
	{"repeats sentences", false, func(_, a string) float64 { return repeated(parts(sentenceEnd, a)) }},
	{"empty", false, func(_, a string) float64 {
		return float64(rules.Point(len(data.Words(tag.ReplaceAllString(a, ""))) == 0))
	}},
	{"refuses", false, func(_, a string) float64 { return float64(rules.Point(refusal.MatchString(a))) }},
	{"ends whole", false, func(_, a string) float64 { return float64(rules.Point(endsWhole(a))) }},
}

// differences are the measures of the first answer less those of the second.
func differences(question, first, second string) []float64 {
	return data.Each(measures, func(m measure) float64 { return m.of(question, first) - m.of(question, second) })
}

// folds is the number of models of a calibration. Clusters belong to folds by a hash, and each
// model is fitted without the clusters of its fold.
const folds = 10

// A Calibration is a logistic model of preference (Bradley and Terry 1952): the log-odds that an answer is preferred to
// another are a weighted sum of the differences of their measurements. A pair is judged by the model that was fitted without
// its cluster (usually its question), so accuracies are held out even on the pairs of the fit.
type Calibration struct {
	FittedOn string             `json:"fitted_on"` // in words
	Pairs    int                `json:"pairs"`     // with a better answer
	Penalty  float64            `json:"penalty"`   // of the squared weights, in pairs
	Measures []string           `json:"measures"`
	Models   []regress.Logistic `json:"models"` // of the folds
}

//go:embed preference.json
var builtin []byte

// Builtin is the calibration of surface-pair.
var Builtin = sync.OnceValue(func() *Calibration { return data.Must(Parse(builtin)) })

// Parse reads what [Calibration] is written as. Its measures must be those of this version.
func Parse(text []byte) (*Calibration, error) {
	var c Calibration
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if names := measureNames(); !slices.Equal(c.Measures, names) {
		return nil, fmt.Errorf("it has the measures %v; this version has %v", c.Measures, names)
	}
	if len(c.Models) != folds {
		return nil, fmt.Errorf("it has %d models; %d are needed", len(c.Models), folds)
	}
	for _, m := range c.Models {
		if len(m.Weights) != len(measures) || len(m.Scales) != len(measures) {
			return nil, fmt.Errorf("a model has %d weights and %d scales; %d are needed", len(m.Weights), len(m.Scales), len(measures))
		}
	}
	return &c, nil
}

func measureNames() []string { return data.Each(measures, func(m measure) string { return m.name }) }

// foldOf is the fold of a cluster.
func foldOf(cluster string) int {
	h := fnv.New32a()
	h.Write([]byte(cluster))
	return int(h.Sum32() % folds)
}

// Fit fits a calibration to the pairs whose label is a or b. penalty is in pairs and
// positive. Without length, measures that grow with the length of an answer have no part.
func Fit(pairs []data.Pair, penalty float64, length bool) (*Calibration, error) {
	c := &Calibration{Penalty: penalty, Measures: measureNames()}
	var x [][]float64
	var y []bool
	var fold []int
	for _, p := range pairs {
		if !p.Label.Decided() {
			continue
		}
		d := differences(p.Question, p.A, p.B)
		for i, m := range measures {
			if m.length && !length {
				d[i] = 0
			}
		}
		x, y, fold = append(x, d), append(y, p.Label == data.ChoiceA), append(fold, foldOf(p.Cluster))
	}
	c.Pairs = len(x)
	for f := range folds {
		var in [][]float64
		var out []bool
		for i := range x {
			if fold[i] != f {
				in, out = append(in, x[i]), append(out, y[i])
			}
		}
		m, err := regress.FitLogistic(in, out, penalty)
		if err != nil {
			return nil, err
		}
		c.Models = append(c.Models, m)
	}
	return c, nil
}

// LogOdds returns the log-odds that the first answer is preferred, by the model that was fitted without the cluster.
func (c *Calibration) LogOdds(cluster, question, first, second string) float64 {
	return c.Models[foldOf(cluster)].LogOdds(differences(question, first, second))
}
