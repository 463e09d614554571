// Package surface has the judge "surface" and the calibrations of other judges: models that predict human scores from
// measurements of the text.
package surface

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"sync"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/scoring"
	"compqa/judges/text"
	"compqa/judges/text/lexical"
	"compqa/rubric"
)

//go:embed surface.jsonl
var surfaceFile []byte

//go:embed surface_systems.csv
var systemsFile string

// leftOut returns the judge's bias on each system that people scored. Each bias is from a fit without the system, to the other sheets of
// surface.jsonl.
func leftOut() []data.SystemBias {
	return data.Must(data.ReadCSV[data.SystemBias]("surface_systems.csv", systemsFile))
}

// Builtin returns the calibration of the judge "surface". `compqa judge calibrate` fitted it to the human score sheets of the CompQA
// release.
//
// It measures form, not truth, and can be deceived. An answer loses half a point or less if every fact is turned into its opposite, if the
// objects are swapped everywhere, or if paragraphs of another answer are inserted. Empty praise in a perfect layout gets more points than
// the average answer of real systems. surface.md has the figures, and `compqa datasheet` measures them on any answers. Use it for screening
// and as a baseline, not to check facts. It was fitted to English comparisons of two objects, written by people and by language models of
// 2023 and 2024.
var Builtin = sync.OnceValue(func() *Calibration {
	return data.Must(ReadCalibration("surface.jsonl", bytes.NewReader(surfaceFile)))
})

// surfaceRevision is raised when the same file gives other scores, because the measurements or their use changed.
const surfaceRevision = 4

// Version returns a number that changes whenever the judge "surface" would score some answer differently.
func Version() int {
	return (rules.Version<<8|surfaceRevision)<<32 | int(crc32.ChecksumIEEE(surfaceFile))
}

// Name is the name of the embedded judge "surface".
const Name = "surface"

// Embedded is the judge "surface". It only knows the built-in rubric. A score is the expected points, rounded to half a point.
var Embedded = scoring.Embedded{
	Name: Name, Kind: scoring.KindEmbedded, About: "predicts human scores from the form of the answer, not from its truth; English only",
	TrainedOn: data.ReleaseRows, HeldOut: true, LeftOut: leftOut, English: true,
	Version: Version(),
	New: func(r rubric.Rubric) (scoring.Judge, error) {
		if err := r.RequireCQA(); err != nil {
			return nil, err
		}
		return func(_ context.Context, q data.Question, a data.Answer, _ scoring.Ask) data.Verdict {
			if strings.TrimSpace(a.Text) == "" { // the rules give such an answer no points; the fit has no empty answers
				scores, _ := rules.Score(text.Features{})
				return data.Verdict{Scores: scores}
			}
			if reason := lexical.NotEnglish(q, a.Text); reason != "" {
				return data.Verdict{Status: data.Skipped, Reason: reason}
			}
			c := Builtin()
			return data.Verdict{Scores: c.Scores(c.Expect(q.Pair(), Inputs(q, a.Text), nil))}
		}, nil
	},
	Explain: func(q data.Question, a data.Answer) []scoring.Finding {
		if strings.TrimSpace(a.Text) == "" {
			_, findings := rules.Score(text.Features{})
			return findings
		}
		return Builtin().Explain(q.Pair(), Inputs(q, a.Text), nil)
	},
}

// Explain returns, for each criterion, the expected points and the inputs with the largest effects, compared with mean inputs.
func (c *Calibration) Explain(pair string, inputs, judge []float64) []scoring.Finding {
	const shown = 4 // effects of each criterion
	points := c.Expect(pair, inputs, judge)
	scores := c.Scores(points)
	base, effects := c.Effects(pair, inputs, judge)
	findings := make([]scoring.Finding, len(c.Criteria))
	for k, id := range c.Criteria {
		facts := fmt.Sprintf("expected %.2f (usually %.2f)", points[k], base[k])
		for i, effect := range effects[k][:min(shown, len(effects[k]))] {
			facts += fmt.Sprintf("%c %s %s %+.2f", ":;"[min(i, 1)], effect.Input, strconv.FormatFloat(effect.Value, 'g', 3, 64), effect.Points)
		}
		findings[k] = scoring.Finding{Criterion: id, Points: scores[id], Facts: facts}
	}
	return findings
}
