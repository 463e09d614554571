package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/train"
)

// A stage is a task of STRUM's distilled model (Gunel et al., 3.2) with the schemas of its calls.
type stage struct {
	name    string
	schemas []string
}

var stages = []stage{
	{"extract", []string{"extract"}},
	{"merge", []string{"attributes"}},
	{"compare", []string{"values", "contrast", "useful"}},
}

// StrumMix are the paper's numbers of examples of the stages.
var StrumMix = []int{15000, 500, 15000}

// stages are the recorded calls of systems of method strum: of valid answers, a call that a stage
// accepted. Critiques and revisions are no stages; a call that was repeated after a reply that
// could not be used has the later reply's prompt.
func (x *export) stages() ([]train.Example, error) {
	type row struct{ key, answer, object1, object2, model, provider, reply string }
	rows, err := store.Query(x.db, `SELECT DISTINCT c.key, min(a.id), a.object1, a.object2, c.model, c.provider, c.reply FROM answers a, json_each(a.calls) k JOIN calls c ON c.key = k.value
			JOIN summaries s ON s.answer = a.id WHERE a.status = 'valid' AND c.status = 'valid' GROUP BY c.key ORDER BY c.key`, nil, func(r *row) []any {
		return []any{&r.key, &r.answer, &r.object1, &r.object2, &r.model, &r.provider, &r.reply}
	})
	if err != nil {
		return nil, err
	}
	x.card.Selection.By = "the stages' own checks"
	x.card.Steps = append(x.card.Steps, train.Step{Step: "calls of valid contrastive tables", N: len(rows)})
	var examples []train.Example
	for _, r := range rows {
		text, err := x.db.CallRequest(r.key)
		if err != nil {
			return nil, err
		}
		var request struct {
			Messages []data.ChatMessage `json:"messages"`
			Schema   string             `json:"schema_name"`
		}
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(stages, func(s stage) bool { return slices.Contains(s.schemas, request.Schema) })
		if i < 0 {
			continue
		}
		source := r.model + " at " + r.provider
		x.sources[source] = "the terms of the model and of its provider"
		examples = append(examples, train.Example{ID: r.key, Question: data.PairKey(r.object1, r.object2), Prompt: request.Messages, Chosen: r.reply,
			System: r.model, Scenario: stages[i].name, Source: source})
	}
	x.step("calls of the stages", examples)
	return examples, nil
}

// mixed keeps at most the wanted number of each stage, a seeded sample.
func (x *export) mixed(examples []train.Example) (kept []train.Example) {
	for i, s := range stages {
		of := slices.DeleteFunc(slices.Clone(examples), func(e train.Example) bool { return e.Scenario != s.name })
		slices.SortStableFunc(of, func(a, b train.Example) int {
			return cmp.Compare(train.Fraction(x.Seed, "mix", a.ID), train.Fraction(x.Seed, "mix", b.ID))
		})
		x.card.Steps = append(x.card.Steps, train.Step{Step: fmt.Sprintf("stage %s (%d in the paper, at most %d)", s.name, StrumMix[i], x.Mix[i]), N: len(of)})
		kept = append(kept, of[:min(len(of), x.Mix[i])]...)
	}
	return kept
}
