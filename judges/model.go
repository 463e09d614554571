package judges

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/structured"
	"compqa/rubric"
)

// ModelOptions say which model judges, and how its requests are made.
type ModelOptions struct {
	Model          string
	Options, Extra map[string]any
	Examples       int              // number of examples in the prompt, 0 to 3, or DefaultExamples
	People         []Example        // the result of PeoplesExamples, or nil for the built-in examples
	Repair         int              // how often a faulty reply is shown to the judge again
	Authors        string           // the prompt of the authors' release, with rubric.ReleasePlaces; "" means our prompt
	Ask            string           // what one call asks for: AskAll (or ""), AskGroup or AskCriterion
	Read           replies.Versions // versions of the rules by which recorded replies were read; zero means the current ones
}

// The values of ModelOptions.Ask. A judge that scores all criteria in one reply tends to let one impression decide all scores. With
// separate calls, it does not see its other scores.
const (
	AskAll       = "all"       // one call for all criteria
	AskGroup     = "group"     // one call for each group of criteria
	AskCriterion = "criterion" // one call for each criterion
)

// Asks are the values of ModelOptions.Ask.
var Asks = []string{AskAll, AskGroup, AskCriterion}

// Parts splits a rubric into the parts that a judge is asked for in separate calls. ask is a value of ModelOptions.Ask.
func Parts(r rubric.Rubric, ask string) []rubric.Rubric {
	var parts []rubric.Rubric
	for _, c := range r.Criteria {
		index := len(parts) - 1
		switch {
		case ask == AskGroup:
			index = slices.IndexFunc(parts, func(p rubric.Rubric) bool { return p.Criteria[0].Group == c.Group })
		case ask == AskCriterion:
			index = -1
		}
		if index < 0 {
			index = len(parts)
			parts = append(parts, rubric.Rubric{Name: r.Name, Step: r.Step, Measurement: r.Measurement})
		}
		parts[index].Criteria = append(parts[index].Criteria, c)
	}
	return parts
}

// A modelJudge is a model that scores answers.
type modelJudge struct {
	options ModelOptions
	parts   []judgePart
}

// A judgePart asks for the criteria of one part of the rubric.
type judgePart struct {
	rubric  rubric.Rubric
	prompts prompts
	pattern llm.Request // the request without its messages
}

// NewModel returns a judge that is a model, and its fingerprint. The fingerprint is a hash of everything that the verdicts depend on
// besides the server: prompt, examples, rubric, schema, model, options, repairs, and the version of the rules by which replies are read.
//
// It is an error if the examples are not available for the rubric, or if an option cannot be written as JSON.
func NewModel(r rubric.Rubric, o ModelOptions) (scoring.Judge, string, error) {
	if o.Repair < 0 {
		return nil, "", fmt.Errorf("repair is %d; it cannot be negative", o.Repair)
	}
	o.Options, o.Extra = maps.Clone(o.Options), maps.Clone(o.Extra)
	if o.Authors != "" {
		o.Examples = 0
		if err := r.RequireCQA(); err != nil {
			return nil, "", err
		}
	}
	examples, err := chooseExamples(r, o.Examples, o.People)
	if err != nil {
		return nil, "", err
	}
	m := &modelJudge{options: o}
	for _, part := range Parts(r, o.Ask) {
		prompts := newPrompts(part, examples)
		prompts.authors = o.Authors
		pattern := llm.Request{Model: o.Model, Options: o.Options, Extra: o.Extra, Schema: sheetSchema(part), SchemaName: "scores"}
		if o.Authors != "" { // the authors used no schema
			pattern.Schema = nil
			pattern.SchemaName = ""
		}
		m.parts = append(m.parts, judgePart{part, prompts, pattern})
	}
	fingerprint, err := m.fingerprint(r, examples)
	if err != nil {
		return nil, "", err
	}
	return m.judge, fingerprint, nil
}

// judge asks for the parts of a sheet one by one and joins their scores. If a part is not valid, the verdict has its status and reason, and
// no further part is asked for. The raw text has the last reply to each part.
func (m *modelJudge) judge(ctx context.Context, q data.Question, a data.Answer, ask scoring.Ask) data.Verdict {
	if len(m.parts) == 1 {
		return m.score(ctx, m.parts[0], q, a, ask)
	}
	whole := data.Verdict{Status: data.Valid, Scores: data.Scores{}}
	for _, part := range m.parts {
		v := m.score(ctx, part, q, a, ask)
		whole.Raw += replies.PartHeading(part.rubric) + v.Raw
		maps.Copy(whole.Scores, v.Scores)
		if v.Status != data.Valid {
			whole.Status, whole.Reason = v.Status, replies.PartReason(part.rubric, v.Reason)
			break
		}
	}
	return whole
}

// score asks for one part of a sheet. While repairs are left, it shows the judge a faulty reply and asks again.
func (m *modelJudge) score(ctx context.Context, part judgePart, q data.Question, a data.Answer, ask scoring.Ask) data.Verdict {
	req := part.pattern
	answer, _ := llm.SplitThought(a.Text) // an imported answer can include the model's reasoning
	req.Messages = part.prompts.messages(q, answer)
	judged := structured.MaterialOf(answer, q.Text)
	r := structured.Query[data.Scores, data.Status]{Request: req, Repairs: m.options.Repair,
		Read: func(reply string) (data.Scores, data.Status, string) {
			return replies.Sheet(reply, part.rubric, judged)
		},
		RepairMessage: func(reason string) string { return repairText(part.rubric, reason) }}.Do(ctx, ask)
	return data.Verdict{Status: r.Status, Reason: r.Reason, Raw: r.Raw, Scores: r.Value}
}

// fingerprint returns the hash that NewModel describes.
func (m *modelJudge) fingerprint(r rubric.Rubric, levels []level) (string, error) {
	examples := slices.Concat(data.Each(levels, func(l level) []Example { return l[:] })...)
	schemas := data.Each(m.parts, func(part judgePart) json.RawMessage { return part.pattern.Schema })
	return structured.Fingerprint(judgeTemplate+m.options.Authors, examples, r, schemas,
		m.options.Model, m.options.Options, m.options.Extra, m.options.Repair, m.options.Read.OrCurrent().Sheet)
}
