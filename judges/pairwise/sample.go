package pairwise

import (
	"context"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// Where a judgment comes from in Con-J's sampling.
const (
	SourceRepeated  = "repeated"       // the same prompt again and again
	SourceCorrect   = "correct hint"   // the prompt states the right answer
	SourceIncorrect = "incorrect hint" // the prompt states the wrong answer
)

// ConJSamples is how often Con-J repeats a prompt, and MostContrasts how many
// contrasts can come of it: four of each kind, matched one to one.
const (
	ConJSamples   = 8
	MostContrasts = 4
)

// ConJSampling are Con-J's parameters of sampling (Ye et al. 2024, A.1) under the
// names that a type of provider has for them. Not all servers know all of them:
// one that is set to nil for a model is not sent.
func ConJSampling(providerType string) map[string]any {
	penalty := "repetition_penalty"
	if providerType == llm.TypeOllama {
		penalty = "repeat_penalty"
	}
	return map[string]any{"temperature": 1, "top_p": 0.9, "top_k": 20, "max_tokens": 512, penalty: 1.2}
}

// A Judgment is one reply of a judge that is being sampled. Choice is as shown,
// and "" where the reply names none. Text is the reply as it is: also a broken or
// a truncated one, which is what a judge is to unlearn.
type Judgment struct {
	Source string
	Sample int // from 1
	Status data.Status
	Choice data.Choice
	Text   string
	Reason string
}

// A Sampler draws judgments from a model. No schema holds it to the form: that a
// model keeps to it is part of what is learnt.
type Sampler struct {
	Model    Model
	Defaults map[string]any // see ConJSampling
}

// Sample draws one judgment. With a hint the pair must have a gold preference.
func (c Sampler) Sample(ctx context.Context, s Shown, source string, sample int, ask Ask) Judgment {
	j := Judgment{Source: source, Sample: sample}
	if source != SourceRepeated {
		hint := s.Gold
		if source == SourceIncorrect {
			hint = hint.Swapped()
		}
		o, text := hintedJudgment(ctx, s, hint, sample, c.Model, c.Defaults, nil, ask)
		j.Status, j.Choice, j.Reason, j.Text = o.Status, o.Choice, o.Reason, text
		return j
	}
	messages, err := neutralPrompt(s)
	if err != nil {
		j.Status, j.Reason = data.Failed, err.Error()
		return j
	}
	reply, err := ask(ctx, RolePreference, sample, c.Model.request(messages, c.Defaults))
	j.Text = reply.Text
	if err != nil {
		j.Status, j.Reason = callStatus(err), err.Error()
		return j
	}
	_, choice, ok := readJudgment(reply.Text)
	if !ok {
		j.Status, j.Reason = data.Unparsed, "no better_answer in the reply"
		return j
	}
	j.Status, j.Choice = data.Valid, choice
	return j
}

// ContrastCounts says what became of one prompt's judgments, or of many
// prompts'.
type ContrastCounts struct {
	Prompts           int
	Positive          int // repeated: the choice is people's
	Negative          int // repeated: the choice is not
	Unclear           int // repeated: no choice can be read; they count as negative
	Lost              int // repeated: no reply came, or nothing in it; they count as nothing
	Repeated          int // contrasts of repeated samples
	Hinted            int // contrasts of hints
	AgainstHint       int // judgments that did not take the hint, and so make no contrast
	LostHints         int // hints to which no reply came
	WithoutContrast   int // prompts all of whose repeated judgments are of one kind
	ContrastsOfPrompt int // the most of one prompt
}

// Add takes in another prompt's counts.
func (c *ContrastCounts) Add(o ContrastCounts) {
	c.Prompts += o.Prompts
	c.Positive += o.Positive
	c.Negative += o.Negative
	c.Unclear += o.Unclear
	c.Lost += o.Lost
	c.Repeated += o.Repeated
	c.Hinted += o.Hinted
	c.AgainstHint += o.AgainstHint
	c.LostHints += o.LostHints
	c.WithoutContrast += o.WithoutContrast
	c.ContrastsOfPrompt = max(c.ContrastsOfPrompt, o.ContrastsOfPrompt)
}

// A SourcedContrast is a contrast and where it comes from: SourceRepeated, or
// "hint".
type SourcedContrast struct {
	data.Contrast
	Source string
}

// SourceHint is the source of a contrast of two hinted judgments.
const SourceHint = "hint"

// Contrasts filters one prompt's judgments by people's preference. A repeated
// judgment is positive when it names the answer people prefer; it is negative
// when it names the other one or none that can be read, a reply that was cut off
// included. Positives are matched with negatives one to one, in the order of
// their samples, at most MostContrasts of them; with product every positive
// meets every negative, as in the paper's Algorithm 1 (its text has one to one).
// The two hinted judgments make one contrast more, if both took their hint. All
// are judgments on the prompt without a hint.
func Contrasts(s Shown, judgments []Judgment, product bool) ([]SourcedContrast, ContrastCounts, error) {
	counts := ContrastCounts{Prompts: 1}
	messages, err := neutralPrompt(s)
	if err != nil {
		return nil, counts, err
	}
	contrast := func(chosen, rejected, source string) SourcedContrast {
		c := SourcedContrast{Source: source}
		for _, m := range messages {
			c.Prompt = append(c.Prompt, data.ChatMessage{Role: m.Role, Content: m.Text()})
		}
		c.Chosen = []data.ChatMessage{{Role: "assistant", Content: chosen}}
		c.Rejected = []data.ChatMessage{{Role: "assistant", Content: rejected}}
		return c
	}
	var positive, negative []string
	hinted := map[string]string{}
	for _, j := range judgments {
		if j.Source != SourceRepeated {
			counts.hint(j, s.Gold, hinted)
			continue
		}
		switch {
		case strings.TrimSpace(j.Text) == "" || j.Status == data.Failed:
			counts.Lost++
		case j.Status != data.Valid:
			counts.Unclear++
			negative = append(negative, j.Text)
		case j.Choice == s.Gold:
			counts.Positive++
			positive = append(positive, j.Text)
		default:
			counts.Negative++
			negative = append(negative, j.Text)
		}
	}
	var all []SourcedContrast
	for _, m := range matched(len(positive), len(negative), product) {
		all = append(all, contrast(positive[m[0]], negative[m[1]], SourceRepeated))
	}
	counts.Repeated = len(all)
	if len(all) == 0 {
		counts.WithoutContrast = 1
	}
	if right, wrong := hinted[SourceCorrect], hinted[SourceIncorrect]; right != "" && wrong != "" && right != wrong {
		all = append(all, contrast(right, wrong, SourceHint))
		counts.Hinted = 1
	}
	counts.ContrastsOfPrompt = len(all)
	return all, counts, nil
}

// hint takes in a hinted judgment, if it took its hint.
func (c *ContrastCounts) hint(j Judgment, gold data.Choice, hinted map[string]string) {
	wanted := gold
	if j.Source == SourceIncorrect {
		wanted = gold.Swapped()
	}
	switch {
	case j.Status != data.Valid || strings.TrimSpace(j.Text) == "":
		c.LostHints++
	case j.Choice != wanted:
		c.AgainstHint++
	default:
		hinted[j.Source] = j.Text
	}
}

// matched are the places of positives and negatives that go together.
func matched(positive, negative int, product bool) [][2]int {
	var pairs [][2]int
	if product {
		for p := range positive {
			for n := range negative {
				pairs = append(pairs, [2]int{p, n})
			}
		}
		return pairs
	}
	for i := range min(positive, negative, MostContrasts) {
		pairs = append(pairs, [2]int{i, i})
	}
	return pairs
}
