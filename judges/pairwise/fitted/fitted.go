// Package fitted has the model of people's preferences between two answers to an open question,
// which is fitted to pairs.
package fitted

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	_ "embed"

	"compqa/data"
	"compqa/judges/regress"
	"compqa/judges/text/lexical"
)

// A measure is a plain property of an answer to a question. length marks those that grow with
// the length of the answer. Lists, code and digits are no measures: where weak models write them,
// people dislike them, and where strong models do, people like them.
type measure struct {
	name   string
	length bool
	of     func(t *measured) float64
}

// A measured is an answer, split once for all measures.
type measured struct {
	text             string
	question, answer []string // content words
	words            []string
	runes            int
	lines            []string
}

var measures = []measure{
	{"log of words", true, func(t *measured) float64 { return math.Log1p(float64(len(t.words))) }},
	{"log of characters", true, func(t *measured) float64 { return math.Log1p(float64(t.runes)) }},
	{"log of different words", true, func(t *measured) float64 { return math.Log1p(float64(len(setOf(t.answer)))) }},
	{"log of lines", true, func(t *measured) float64 { return math.Log1p(float64(len(t.lines))) }},
	{"log of new words", true, func(t *measured) float64 { return math.Log1p(float64(fresh(t))) }},
	{"empty", false, func(t *measured) float64 { return indicator(len(t.words) == 0) }},
	{"covers the question", false, func(t *measured) float64 { return covered(t.question, t.answer) }},
	{"words of the question", false, func(t *measured) float64 { return share(within(t), len(t.answer)) }},
	{"repeats itself", false, func(t *measured) float64 { return repeated(lower(t.words)) }},
	{"repeats lines", false, func(t *measured) float64 { return share(len(t.lines)-len(setOf(t.lines)), len(t.lines)) }},
	{"refuses", false, func(t *measured) float64 { return math.Min(1, refusals(t.text)) }},
	{"ends whole", false, func(t *measured) float64 { return endsWhole(t.text) }},
	{"punctuation", false, func(t *measured) float64 { return runesOf(t, unicode.IsPunct) }},
	{"capitals", false, func(t *measured) float64 { return runesOf(t, unicode.IsUpper) }},
	{"word length", false, func(t *measured) float64 { return share(t.runes, len(t.words)+1) / 10 }},
	{"different words", false, func(t *measured) float64 { return share(len(setOf(t.answer)), len(t.answer)) }},
	{"asks back", false, func(t *measured) float64 { return share(strings.Count(t.text, "?"), len(t.words)+1) * 10 }},
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func lower(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = strings.ToLower(w)
	}
	return list
}

// fresh is the number of different content words that are not in the question.
func fresh(t *measured) (n int) {
	asked := setOf(t.question)
	for w := range setOf(t.answer) {
		if !asked[w] {
			n++
		}
	}
	return n
}

// within is the number of content words that are in the question.
func within(t *measured) (n int) {
	asked := setOf(t.question)
	for _, w := range t.answer {
		if asked[w] {
			n++
		}
	}
	return n
}

func runesOf(t *measured, of func(rune) bool) float64 {
	n := 0
	for _, c := range t.text {
		if of(c) {
			n++
		}
	}
	return share(n, t.runes+1)
}

// measuresOf measures an answer.
func measuresOf(question, text string) []float64 {
	t := &measured{text: text, question: lexical.ContentWords(question), answer: lexical.ContentWords(text), words: data.Words(text),
		runes: len([]rune(text))}
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			t.lines = append(t.lines, l)
		}
	}
	x := make([]float64, len(measures))
	for i, m := range measures {
		x[i] = m.of(t)
	}
	return x
}

// folds is the number of models of a calibration. Questions belong to folds by a hash, and each
// model is fitted without the questions of its fold.
const folds = 10

// A Calibration is a logistic model of preference (Bradley and Terry 1952): the log-odds that an
// answer is preferred to another are a weighted sum of the differences of their measurements. A
// question is judged by the model that was fitted without it, so accuracies are held out even on
// the pairs of the fit.
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
var Builtin = sync.OnceValue(func() *Calibration {
	c, err := Parse(builtin)
	if err != nil { // the file is a part of the binary
		panic("the built-in calibration: " + err.Error())
	}
	return c
})

// Parse reads what [Calibration] is written as. Its measures must be those of this
// version.
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

func measureNames() (names []string) {
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// foldOf is the fold of a question.
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
		a, b := measuresOf(p.Question, p.A), measuresOf(p.Question, p.B)
		for i := range a {
			if a[i] -= b[i]; measures[i].length && !length {
				a[i] = 0
			}
		}
		x, y, fold = append(x, a), append(y, p.Label == data.ChoiceA), append(fold, foldOf(data.QuestionCluster(p.Question)))
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

// LogOdds returns the log-odds that the first answer is preferred, by the model that was fitted
// without the question.
func (c *Calibration) LogOdds(question, first, second string) float64 {
	a, b := measuresOf(question, first), measuresOf(question, second)
	for i := range a {
		a[i] -= b[i]
	}
	return c.Models[foldOf(data.QuestionCluster(question))].LogOdds(a)
}
