package pairwise

import (
	"context"
	"encoding/json"
	"strings"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/structured"
)

// The sources of judgments in Con-J's sampling, which makes training data from replies.
const (
	SourceRepeated  = "repeated"       // the same prompt several times
	SourceCorrect   = "correct hint"   // the prompt states the right answer
	SourceIncorrect = "incorrect hint" // the prompt states the wrong answer
)

// ConJSamples is how often Con-J repeats a prompt. MostContrasts is the maximum number of contrasts of the repeated judgments: four right
// and four wrong ones, matched one to one.
const (
	ConJSamples   = 8
	MostContrasts = 4
)

// ConJSampling returns Con-J's sampling parameters (Ye et al. 2024, A.1), as this type of provider names them. Some servers reject some of
// them; a model can set a parameter to nil, and it is not sent.
func ConJSampling(providerType string) map[string]any {
	penalty := llm.TypeOf(providerType).RepetitionPenalty
	return map[string]any{"temperature": 1, "top_p": 0.9, "top_k": 20, "max_tokens": 512, penalty: 1.2}
}

// A Judgment is one reply of a sampled judge. Choice is as shown, or "" if the reply has none. Text is the unchanged reply. It is kept even
// if it is broken or truncated, because such replies are negative examples.
type Judgment struct {
	Source string
	Sample int // from 1
	Status data.Status
	Choice data.Choice
	Text   string
	Reason string
}

// A Sampler samples judgments from a model. Its requests have no JSON schema, because the model is to learn the form of the reply, too.
type Sampler struct {
	Model    Model
	Defaults map[string]any  // see ConJSampling
	schema   json.RawMessage // only for a judge with hints that does not sample
}

// Sample samples one judgment. If source is a hint, the pair must have a preferred answer.
func (c Sampler) Sample(ctx context.Context, s OrderedPair, source string, sample int, ask Ask) Judgment {
	j := Judgment{Source: source, Sample: sample}
	if source != SourceRepeated {
		hint := s.Gold
		if source == SourceIncorrect {
			hint = hint.Swapped()
		}
		o, text := c.hinted(ctx, s, hint, sample, ask)
		j.Status = o.Status
		j.Choice = o.Choice
		j.Reason = o.Reason
		j.Text = text
		return j
	}
	reply, err := ask(ctx, RolePreference, sample, c.Model.request(neutralPrompt(s), c.Defaults))
	j.Text = reply.Text
	if err != nil {
		j.Status, j.Reason = scoring.StatusOf(err), err.Error()
		return j
	}
	p := prompt{shownPair: s.pair(digits)}
	read, err := replies.Judgment(reply.Text, s.material(), replies.WithTies)
	switch {
	case err != nil || !read.Choice.Decided():
		j.Status = data.Unparsed
		j.Reason = "no better_answer in the reply"
	case read.Rationale != "" && instructions("con-j/judge.tmpl", p).Repeats(read.Rationale):
		j.Status = data.Unparsed
		j.Reason = "the rationale repeats the prompt"
	default:
		j.Status = data.Valid
		j.Choice = read.Choice
	}
	return j
}

// Contrasts holds contrasts (a prompt with a better and a worse reply), the source of each, and counts of the judgments.
type Contrasts struct {
	List             []data.Contrast
	Sources          []ContrastSource // one for each contrast
	Repeated, Hinted ContrastCount
}

// A ContrastSource is the origin of a line in a file of contrasts.
type ContrastSource struct {
	Line   int    `csv:"line"`
	Pair   string `csv:"pair"`
	Order  string `csv:"order"`
	Source string `csv:"source"` // SourceRepeated or SourceHint
	Sample int    `csv:"sample"` // number of the right judgment among the samples of its source
}

// A ContrastCount counts the judgments of one source.
type ContrastCount struct {
	Source          string `csv:"source"`
	Prompts         int    `csv:"prompts"` // pairs in one order
	Judgments       int    `csv:"judgments"`
	Positive        int    `csv:"positive"`     // judgments that choose the answer that people prefer
	Negative        int    `csv:"negative"`     // judgments that choose the other answer
	Unclear         int    `csv:"unclear"`      // judgments without a readable choice; also negative examples
	Against         int    `csv:"against_hint"` // hinted judgments that chose against the hint
	Lost            int    `csv:"lost"`         // judgments without a reply
	Contrasts       int    `csv:"contrasts"`
	WithoutContrast int    `csv:"without_contrast"` // prompts without a contrast
}

// SourceHint is the source of a contrast of two hinted judgments.
const SourceHint = "hint"

// Add makes contrasts of the judgments on one shown pair, whose better answer people have chosen.
//
// A repeated judgment is positive if it chooses the preferred answer. Otherwise it is negative, also if it is truncated or has no choice.
// The i-th positive is matched with the i-th negative, up to MostContrasts. With product, every positive is matched with every negative, as
// in the paper's Algorithm 1 (its text says one to one).
//
// The two hinted judgments make one more contrast if both followed their hint and their rationales differ. Equal rationales, such as a
// refusal, make none. All contrasts have the prompt without a hint.
func (c *Contrasts) Add(s OrderedPair, judgments []Judgment, product bool) {
	messages := neutralPrompt(s)
	contrast := func(chosen, rejected, source string, sample int) {
		c.List = append(c.List, contrastOf(messages, chosen, rejected))
		c.Sources = append(c.Sources, ContrastSource{len(c.List), s.ID, s.Order, source, sample})
	}
	before := len(c.List)
	positive, negative := c.Repeated.filter(judgments, s.Gold)
	for i, right := range positive {
		for k, wrong := range negative {
			if product || i == k && i < MostContrasts {
				contrast(right.Text, wrong, SourceRepeated, right.Sample)
			}
		}
	}
	c.Repeated.count(len(c.List) - before)
	before = len(c.List)
	hinted := c.Hinted.hints(judgments, s.Gold)
	right := hinted[SourceCorrect]
	wrong := hinted[SourceIncorrect]
	if right != "" && wrong != "" {
		if rationaleOf(right) != rationaleOf(wrong) {
			contrast(right, wrong, SourceHint, 1)
		}
	}
	c.Hinted.count(len(c.List) - before)
}

// rationaleOf returns the rationale of a judgment, or "" if it cannot be read.
func rationaleOf(text string) string {
	read, err := replies.Judgment(text, structured.Material{}, replies.WithTies)
	if err != nil {
		return ""
	}
	return read.Rationale
}

// count adds the number of contrasts of one prompt.
func (c *ContrastCount) count(contrasts int) {
	c.Prompts++
	c.Contrasts += contrasts
	if contrasts == 0 {
		c.WithoutContrast++
	}
}

// filter counts the repeated judgments, and returns the positive ones and the texts of the negative ones.
func (c *ContrastCount) filter(judgments []Judgment, gold data.Choice) (positive []Judgment, negative []string) {
	for _, j := range judgments {
		switch {
		case j.Source != SourceRepeated:
		case strings.TrimSpace(j.Text) == "" || j.Status == data.Failed:
			c.Lost++
		case j.Status != data.Valid:
			c.Unclear++
			negative = append(negative, j.Text)
		case j.Choice == gold:
			c.Positive++
			positive = append(positive, j)
		default:
			c.Negative++
			negative = append(negative, j.Text)
		}
	}
	return positive, negative
}

// hints counts the hinted judgments, and returns the texts of those that followed their hint, by source.
func (c *ContrastCount) hints(judgments []Judgment, gold data.Choice) map[string]string {
	hinted := map[string]string{}
	for _, j := range judgments {
		switch {
		case j.Source == SourceRepeated:
		case j.Status != data.Valid || strings.TrimSpace(j.Text) == "":
			c.Lost++
		case (j.Choice == gold) != (j.Source == SourceCorrect):
			c.Against++
		default:
			hinted[j.Source] = j.Text
		}
	}
	return hinted
}
