package pairwise

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	_ "embed"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/stats"
)

// A measure is a simple property of an answer to a question. length marks measures that grow with the length of the answer. They count text
// that is new, since a copy of the question or a repeated sentence does not answer. Measures that gained nothing on PandaLM besides these
// are left out: the share of the question's words, lists, numbers and lengths that the question asks for, code, digits.
type measure struct {
	name   string
	length bool
	score  func(question, answer string) float64
}

var measures = []measure{
	{"log of new text", true, func(q, a string) float64 { return math.Log1p(newText(q, a)) }},
	{"log of lines", true, func(_, a string) float64 { return math.Log1p(float64(len(splitNonEmpty(a, lineEnd)))) }},
	{"repeats sentences", false, func(_, a string) float64 { return repeatedShare(splitNonEmpty(a, sentenceEnd)) }},
	{"empty", false, func(_, a string) float64 {
		_, word := data.NextWord(tag.ReplaceAllString(a, ""), 0)
		return float64(rules.Point(!word))
	}},
	{"refuses", false, func(_, a string) float64 { return float64(rules.Point(refuses(a))) }},
	{"ends whole", false, func(_, a string) float64 { return float64(rules.Point(endsWhole(a))) }},
}

// answerMeasures returns the measures of an answer.
func answerMeasures(question, answer string) []float64 {
	return data.Each(measures, func(m measure) float64 { return m.score(question, answer) })
}

// differences returns the measures of the first answer minus those of the second.
func differences(first, second []float64) []float64 {
	return floats.SubTo(make([]float64, len(first)), first, second)
}

// folds is the number of models of a calibration. A hash assigns each cluster to a fold, and the model of a fold is fitted without the
// clusters of the fold.
const folds = 10

// A Calibration predicts people's preferences between two answers to an open question: 1 if the first is preferred, -1 if the second is. It
// is a ridge regression on the differences of their measures. A pair is judged by the model that was fitted without its cluster (usually
// its question), so accuracies are held out even on the pairs of the fit.
type Calibration struct {
	FittedOn string          `json:"fitted_on"` // name of the data
	Pairs    int             `json:"pairs"`     // pairs with a better answer
	Penalty  float64         `json:"penalty"`   // on the squared weights, in pairs
	Measures []string        `json:"measures"`
	Models   []*stats.Linear `json:"models"` // one for each fold
}

//go:embed preference.json
var builtinCalibration []byte

// BuiltinCalibration is the calibration of surface-pair.
var BuiltinCalibration = sync.OnceValue(func() *Calibration { return data.Must(ParseCalibration(builtinCalibration)) })

// ParseCalibration reads a [Calibration] from JSON. It must have the measures of this version.
func ParseCalibration(text []byte) (*Calibration, error) {
	var c Calibration
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if names := measureNames(); !slices.Equal(c.Measures, names) {
		return nil, fmt.Errorf("it has the measures %v; this version has %v", c.Measures, names)
	}
	if len(c.Models) != folds || slices.Contains(c.Models, nil) {
		return nil, fmt.Errorf("it has %d models; %d are needed", len(c.Models), folds)
	}
	for _, m := range c.Models {
		const most = 10 // a fit to 1 and -1 does not give more
		if err := m.Check(len(measures), 1, most); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

func measureNames() []string { return data.Each(measures, func(m measure) string { return m.name }) }

// foldOf returns the fold of a cluster.
func foldOf(cluster string) int {
	h := fnv.New32a()
	h.Write([]byte(cluster))
	return int(h.Sum32() % folds)
}

// FitCalibration fits a calibration to the pairs with the label a or b. penalty is in pairs and positive. If length is false, measures that
// grow with the length of an answer are not used.
func FitCalibration(pairs []data.Pair, penalty float64, length bool) (*Calibration, error) {
	c := &Calibration{Penalty: penalty, Measures: measureNames()}
	for fold := range folds {
		var x, y [][]float64
		c.Pairs = 0
		for _, p := range pairs {
			if !p.Label.Decided() {
				continue
			}
			c.Pairs++
			if foldOf(p.Cluster) == fold {
				continue
			}
			preferred := float64(2*rules.Point(p.Label == data.ChoiceA) - 1)
			d := differences(answerMeasures(p.Question, p.A), answerMeasures(p.Question, p.B))
			opposite := make([]float64, len(d))
			for i, m := range measures {
				if m.length && !length {
					d[i] = 0
				}
				opposite[i] = -d[i]
			}
			// Each pair enters in both orders. So all means and the constant are 0, and the opposite differences have the opposite
			// prediction.
			x = append(x, d, opposite)
			y = append(y, []float64{preferred}, []float64{-preferred})
		}
		model, err := stats.FitLinear(x, y, 2*penalty)
		if err != nil {
			return nil, err
		}
		c.Models = append(c.Models, model)
	}
	return c, nil
}

// Preference predicts the preference with the model fitted without the cluster: above 0 for the first answer, below 0 for the second. A
// value in [-1, 1] is the expected share of people who prefer the first minus the share who prefer the second.
func (c *Calibration) Preference(cluster, question, first, second string) float64 {
	return c.preference(cluster, answerMeasures(question, first), answerMeasures(question, second))
}

// preference is Preference for the measures of both answers.
func (c *Calibration) preference(cluster string, first, second []float64) float64 {
	return c.Models[foldOf(cluster)].Predict(differences(first, second))[0]
}
