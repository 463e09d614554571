package judges

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/rubric"
)

// ModelOptions say which model judges, and how it is asked.
type ModelOptions struct {
	Model          string
	Options, Extra map[string]any
	Examples       int // example scorings in the prompt, 0 to 3, or DefaultExamples
	Repair         int // times a faulty reply is shown to the judge again
}

// modelJudge is a model that scores answers.
type modelJudge struct {
	rubric   rubric.Rubric
	options  ModelOptions
	examples []exampleLevel
	prompts  prompts
	pattern  llm.Request // of what is asked, without the messages
}

// NewModel is a judge that is a model. The fingerprint is a hash of all that
// its verdicts depend on beside the server: prompt, examples, rubric, schema,
// model, options, repairs, and the rules by which replies are read.
//
// The error is a number of examples that cannot be had, or options that JSON
// cannot hold.
func NewModel(r rubric.Rubric, o ModelOptions) (scoring.Judge, string, error) {
	if o.Repair < 0 {
		return nil, "", fmt.Errorf("repair is %d; it cannot be negative", o.Repair)
	}
	o.Options, o.Extra = maps.Clone(o.Options), maps.Clone(o.Extra)
	examples, err := chooseExamples(r, o.Examples)
	if err != nil {
		return nil, "", err
	}
	prompts, err := newPrompts(r, examples)
	if err != nil {
		return nil, "", err
	}
	m := &modelJudge{rubric: r, options: o, examples: examples, prompts: prompts, pattern: llm.Request{Model: o.Model, Options: o.Options, Extra: o.Extra, Schema: sheetSchema(r), SchemaName: "scores"}}
	fingerprint, err := m.fingerprint()
	if err != nil {
		return nil, "", err
	}
	return m.judge, fingerprint, nil
}

// judge asks for a sheet and, while repairs are left, for a corrected one. A call
// without a complete reply (refused, cut off, failed) is no faulty reply: there
// is nothing to repair, and llm has tried again where that was worth it.
func (m *modelJudge) judge(ctx context.Context, q data.Question, a data.Answer, ask scoring.Ask) data.Verdict {
	req := m.pattern
	var err error
	if req.Messages, err = m.prompts.messages(q, a.Text); err != nil {
		return data.Verdict{Status: data.Failed, Reason: err.Error()}
	}
	var v data.Verdict
	for repairs := 0; ; repairs++ {
		reply, err := ask(ctx, req)
		if err != nil {
			return withoutReply(v, reply, err)
		}
		v.Raw = reply.Text
		v.Scores, v.Status, v.Reason = Parse(reply.Text, m.rubric)
		if v.Status == data.Valid || repairs == m.options.Repair {
			return v
		}
		complaint, err := repairMessage(m.rubric, v.Reason)
		if err != nil {
			return withoutReply(v, reply, err)
		}
		req.Messages = append(req.Messages, llm.Message{Role: "assistant", Content: shownReply(reply.Text)}, complaint)
	}
}

// withoutReply is the verdict v, so far, after a call that brought no complete
// reply. Where the call brought a part of one, that is the raw text, else the
// faulty reply that was to be repaired stays.
func withoutReply(v data.Verdict, reply llm.Reply, err error) data.Verdict {
	before := v.Reason
	v.Status, v.Reason = scoring.StatusOf(err), err.Error()
	if before != "" {
		v.Reason += " (asked again after a faulty reply: " + before + ")"
	}
	for _, text := range []string{reply.Text, reply.Refusal} {
		if text != "" && text != v.Raw {
			v.Raw, v.Scores = text, nil
			break
		}
	}
	return v
}

// mostShown is how much of a faulty reply is shown to the judge again, in bytes:
// a sheet of any rubric and some prose fit in, endless prattle doesn't.
const mostShown = 8 << 10

// shownReply is a faulty reply as a turn of the conversation, which no server
// accepts empty.
func shownReply(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)"
	}
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + " […]"
	}
	return text
}

func (m *modelJudge) fingerprint() (string, error) {
	type shown struct {
		Question data.Question
		Answer   string
		Scores   data.Scores
	}
	var examples []shown
	for _, level := range m.examples {
		for _, e := range []example{level.usual, level.other} {
			examples = append(examples, shown{e.question(), e.answer(), e.scores()})
		}
	}
	text, err := json.Marshal([]any{
		judgeTemplate, examples, m.rubric, m.pattern.Schema,
		m.options.Model, m.options.Options, m.options.Extra, m.options.Repair, parserVersion,
	})
	if err != nil {
		return "", fmt.Errorf("hashing the judge's options: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
