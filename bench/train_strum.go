package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
	"compqa/results/train"
	"compqa/scenarios/strum"
)

// A strumStage is a task of STRUM's distilled model (Gunel et al., 3.2), with the names of the schemas of its calls.
type strumStage struct {
	name    string
	schemas []string
}

var strumStages = []strumStage{
	{"extract", []string{"extract"}},
	{"merge", []string{"attributes"}},
	{"compare", []string{"values", "contrast", "useful"}},
}

// strumMix has the paper's number of examples for each stage.
var strumMix = []int{15000, 500, 15000}

// stages returns the recorded calls for valid tables of the method strum, if their schema is of a stage. Critiques and revisions are not
// stages. From replies of the stage extract it removes the values that a check or a critique dropped, so that the model does not learn
// them.
func (x *trainExport) stages() ([]train.Example, error) {
	calls, err := x.db.TableCalls()
	if err != nil {
		return nil, err
	}
	x.card.Selection.By = "the stages' own checks"
	x.step("calls of valid contrastive tables", len(calls))
	var examples []train.Example
	dropped := 0
	for _, r := range calls {
		request, err := x.asked(r.Key)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(strumStages, func(s strumStage) bool { return slices.Contains(s.schemas, request.Schema) })
		if i < 0 {
			continue
		}
		if request.Schema == strumStages[0].schemas[0] {
			a, _, err := x.db.Answer(r.Answer)
			if err != nil {
				return nil, err
			}
			n := 0
			r.Reply, n = withoutDropped(r.Reply, request.Messages[len(request.Messages)-1].Content, r.Object2, a.Table.Dropped)
			dropped += n
		}
		source := r.Model + " at " + r.Provider
		x.sources[source] = "the terms of the model and of its provider"
		examples = append(examples, train.Example{ID: r.Key, Question: data.PairKey(r.Object1, r.Object2), Prompt: request.Messages,
			Chosen: r.Reply,
			System: r.Model, Scenario: strumStages[i].name, Source: source})
	}
	x.step(fmt.Sprintf("calls of the stages (%d dropped values are removed from replies)", dropped), len(examples))
	return examples, nil
}

// withoutDropped returns a reply of the stage extract without the dropped values of the object that its prompt is about, and the number of
// values removed. A reply that has none is returned unchanged.
func withoutDropped(reply, prompt, object2 string, dropped []data.DroppedRow) (string, int) {
	out := map[string]bool{}
	key := func(attribute, value, quote string) string {
		return strings.Join(strings.Fields(attribute), " ") + "\x00" + strings.Join(strings.Fields(value), " ") + "\x00" +
			strings.Join(data.Words(quote), " ")
	}
	for _, d := range dropped {
		values := d.Row.Object1
		if strings.Contains(prompt, "about this object: "+object2+" (") {
			values = d.Row.Object2
		}
		for _, v := range values {
			if d.Stage == strum.StageExtract && len(v.Evidence) > 0 {
				out[key(d.Row.Attribute, v.Value, v.Evidence[0].Quote)] = true
			}
		}
	}
	var list struct {
		Values []json.RawMessage `json:"values"`
	}
	object, err := structured.Object(reply, structured.HasKey("values"), structured.Material{})
	if len(out) == 0 || err != nil || object.Decode(&list) != nil {
		return reply, 0
	}
	all := len(list.Values)
	list.Values = slices.DeleteFunc(list.Values, func(raw json.RawMessage) bool {
		var v struct{ Attribute, Value, Quote string }
		return json.Unmarshal(raw, &v) == nil && out[key(v.Attribute, v.Value, v.Quote)]
	})
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if enc.Encode(list) != nil || len(list.Values) == all {
		return reply, 0
	}
	return strings.TrimSpace(text.String()), all - len(list.Values)
}

// mixed keeps for each stage at most the number of examples that --mix allows. A seeded hash chooses them.
func (x *trainExport) mixed(examples []train.Example) (kept []train.Example) {
	for i, s := range strumStages {
		chosen := slices.DeleteFunc(slices.Clone(examples), func(e train.Example) bool { return e.Scenario != s.name })
		slices.SortStableFunc(chosen, func(a, b train.Example) int {
			return cmp.Compare(train.Fraction(x.Seed, "mix", a.ID), train.Fraction(x.Seed, "mix", b.ID))
		})
		x.step(fmt.Sprintf("stage %s (%d in the paper, at most %d)", s.name, strumMix[i], x.Mix[i]), len(chosen))
		kept = append(kept, chosen[:min(len(chosen), x.Mix[i])]...)
	}
	return kept
}
