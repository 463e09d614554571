package dataset

import (
	"encoding/json"
	"slices"
)

// Declarations are what the configuration of a run says about its judges.
type Declarations struct {
	Headline string                `json:"headline"`
	Judges   []DeclarationOfAJudge `json:"judges"`
}

// A DeclarationOfAJudge is what a judge was trained or tuned on.
type DeclarationOfAJudge struct {
	Name      string `json:"name"`
	TrainedOn string `json:"trained_on"`
	HeldOut   bool   `json:"held_out"` // no answer is scored by a model that was trained on its question
}

// ReleaseRows names the human scores of the CompQA authors' release.
const ReleaseRows = "human-rows-of-release"

// originRelease is the origin of what is imported from the release.
const originRelease = "release"

// declared are the declarations of all records. A record without a readable configuration
// declares nothing.
func declared(run *Run) (d Declarations) {
	for _, made := range run.Made {
		var of Declarations
		if json.Unmarshal([]byte(made.Config), &of) == nil {
			d.Judges = append(d.Judges, of.Judges...)
			if d.Headline == "" {
				d.Headline = of.Headline
			}
		}
	}
	return d
}

// FittedOn is what a judge was trained or tuned on of a reference's rows, or "" if nothing
// is known. The rows of the release are those of references that were imported from it.
// Where the rows of another name are is unknown: they count for every reference.
func (x *Dataset) FittedOn(judge, reference string) DeclarationOfAJudge {
	i := slices.IndexFunc(x.Declared.Judges, func(d DeclarationOfAJudge) bool { return d.Name == judge && d.TrainedOn != "" })
	if i < 0 {
		return DeclarationOfAJudge{}
	}
	d := x.Declared.Judges[i]
	for _, c := range x.Run.Plan {
		if d.TrainedOn != ReleaseRows || c.Judge == reference && c.Origin == originRelease {
			return d
		}
	}
	return DeclarationOfAJudge{}
}
