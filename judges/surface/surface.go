package surface

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/rubric"
)

//go:embed surface.jsonl
var surfaceFile []byte

// Surface is the calibration behind the judge "surface", fitted by `compqa
// calibrate` to the human sheets of the CompQA authors' release.
//
// It reads form, not truth, and can be fooled: with every fact turned into its
// opposite, the objects swapped throughout, or paragraphs of another question
// pasted in, an answer keeps its points, and empty praise in a perfect layout gets
// more of them than the answers of real systems do on average (surface.md has the
// figures, `compqa attack` measures them on any answers). It is a screening judge
// and a baseline, not a referee of facts. It knows the kinds of answers it was
// fitted to: English comparisons of two things by people and by language models of
// 2023 and 2024.
//
// What it knows of an answer are SurfaceInputs: layout, coverage of the objects
// and of aspects, balance, choice and conclusion, repetition, citations, manner.
// A ridge regression on these expects what models as judges would give (its
// lessons: learnt from the release's judges, so that none is needed any more);
// curves of all of them add up to what people would give, criterion by criterion.
// So everything that moves a score can be told: see Explain.
var Builtin = sync.OnceValue(func() *Calibration {
	c, err := ReadCalibration("surface.jsonl", bytes.NewReader(surfaceFile))
	if err != nil { // the file is a part of the program
		panic("judges: " + err.Error())
	}
	return c
})

// surfaceRevision is raised when the same file gives other scores, because
// measurements or the way of evaluating them changed.
const surfaceRevision = 1

// SurfaceVersion is another number whenever the judge "surface" would score an
// answer differently.
func Version() int {
	return (rules.Version<<8|surfaceRevision)<<32 | int(crc32.ChecksumIEEE(surfaceFile))
}

// NewSurface is the judge "surface". It knows the built-in rubric and no other.
// A score is the expected points, rounded to half a point.
func New(r rubric.Rubric) (scoring.Judge, error) {
	if err := builtInOnly(r); err != nil {
		return nil, err
	}
	return func(_ context.Context, q data.Question, a data.Answer, _ scoring.Ask) data.Verdict {
		c := Builtin()
		return data.Verdict{Scores: c.Scores(c.Expect(q.Pair(), Inputs(q, a.Text), nil))}
	}, nil
}

// builtInOnly refuses a rubric that a judge was not made for.
func builtInOnly(r rubric.Rubric) error {
	if !slices.Equal(r.IDs(), rubric.CQA().IDs()) {
		return fmt.Errorf("it scores the built-in rubric %q alone, and this run has the rubric %q", rubric.CQA().Name, r.Name)
	}
	return nil
}

// ExplainSurface says what moved the scores of the judge "surface".
func Explain(q data.Question, text string) []rules.Finding {
	return Builtin().Explain(q.Pair(), Inputs(q, text), nil)
}

// Explain says, for each criterion, what is expected, within which bounds, and
// which inputs moved it most: up or down from the mean of the sheets that the
// calibration was fitted to.
func (c *Calibration) Explain(pair string, inputs, judge []float64) []rules.Finding {
	const told = 4 // effects of each criterion
	e := c.Expect(pair, inputs, judge)
	scores := c.Scores(e)
	base, effects := c.Effects(pair, inputs, judge)
	findings := make([]rules.Finding, len(c.Criteria))
	for k, id := range c.Criteria {
		var b strings.Builder
		fmt.Fprintf(&b, "expected %.2f (80 in 100 people's scores: %.2f to %.2f; usually %.2f)", e.Points[k], e.Low[k], e.High[k], base[k])
		for i, effect := range effects[k][:min(told, len(effects[k]))] {
			mark := ";"
			if i == 0 {
				mark = ":"
			}
			fmt.Fprintf(&b, "%s %s %s %+.2f", mark, effect.Input, strconv.FormatFloat(effect.Value, 'g', 3, 64), effect.Points)
		}
		findings[k] = rules.Finding{Criterion: id, Points: scores[id], Facts: b.String()}
	}
	return findings
}
