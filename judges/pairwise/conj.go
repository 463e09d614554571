package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/structured"
)

// evaluating holds the request options of Con-J's judge (Ye et al. 2024, A.1).
var evaluating = map[string]any{"temperature": 0, "top_p": 1}

// A judgment is the JSON form of a Con-J reply.
type judgment struct {
	Rationale string          `json:"rationale"`
	Better    structured.Enum `json:"better_answer"`
}

// bareJudgment is a judgment without a rationale.
type bareJudgment struct {
	Better structured.Enum `json:"better_answer"`
}

var judgmentSchema = structured.Schema(judgment{Better: structured.Enum{1, 2}})

// conJ asks Con-J's judge for a rationale, then the better answer, as JSON. Its variant asks for no rationale.
func (j *judge) conJ(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	a, req := j.judgment(s, evaluating)
	return j.askChoice(ctx, a, req, ask, "the JSON object that was asked for", func(reply string) Opinion { return j.opinionOf(a, reply) })
}

// conJMajority asks Con-J's judge several times. The majority decides, ties at random (maj@k, as Wang et al. 2023).
func (j *judge) conJMajority(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	a, req := j.judgment(s, sampling)
	return j.vote(ctx, s, a, req, ask, j.opinionOf)
}

// opinionOf reads the opinion from a reply with a judgment.
func (j *judge) opinionOf(a choicePrompt, reply string) Opinion {
	read, err := replies.Judgment(reply, a.material, replies.Ties(j.o.Ties))
	if err != nil {
		return unreadableOpinion("better_answer", err, reply)
	}
	return choiceOpinion(read.Choice, read.Rationale)
}

// judgment returns the prompt and the request for a judgment. The values of better_answer are 1 and 2, with ties "tie", with abstention 0.
func (j *judge) judgment(s OrderedPair, defaults map[string]any) (choicePrompt, llm.Request) {
	a := choicePrompt{"con-j/judge.tmpl", prompt{shownPair: s.pair(digits), Abstain: j.o.Abstain, Ties: j.o.Ties}, s.material()}
	better := structured.Enum{1, 2}
	if j.o.Ties {
		better = structured.Enum{"1", "2", "tie"}
	}
	if j.o.Abstain && j.o.Ties {
		better = append(better, "0")
	} else if j.o.Abstain {
		better = append(better, 0)
	}
	var form any = judgment{Better: better}
	if j.o.Method == MethodConJBare {
		a.template = "con-j/no-rationale.tmpl"
		form = bareJudgment{better}
	}
	req := j.request(RolePreference, a.messages(), defaults)
	req.Schema = structured.Schema(form)
	req.SchemaName = "judgment"
	return a, req
}

// hinted asks for Con-J's hint-driven judgment: the prompt states which answer is better, and the model argues for it. The hint is the
// wrong answer for MethodConJIncorrect.
func (j *judge) hinted(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	if !s.Gold.Decided() {
		return noChoice(data.Skipped, "there is no answer to hint at: the human preference is %s", s.Gold)
	}
	hint := s.Gold
	if j.o.Method == MethodConJIncorrect {
		hint = hint.Swapped()
	}
	o, _ := Sampler{j.o.Models[RolePreference], evaluating, judgmentSchema}.hinted(ctx, s, hint, 1, ask)
	return o
}

// hinted asks for a judgment with a hint. It returns the opinion and the text of the reply, in Con-J's form. If the reply is not a usable
// judgment, it asks for the rationale only and completes the JSON with the hint (Con-J's Table 6).
func (c Sampler) hinted(ctx context.Context, s OrderedPair, hint data.Choice, sample int, ask Ask) (Opinion, string) {
	p := prompt{shownPair: s.pair(digits), Better: digits[0], Worse: digits[1]}
	if hint == data.ChoiceB {
		p.Better, p.Worse = p.Worse, p.Better
	}
	a := choicePrompt{"con-j/hint.tmpl", p, s.material()}
	req := c.Model.request(a.messages(), c.Defaults)
	req.Schema = c.schema
	req.SchemaName = "judgment"
	reply, err := ask(ctx, RolePreference, sample, req)
	status := data.Valid
	if err != nil {
		status = scoring.StatusOf(err)
		if status == data.Pending || status == data.Failed {
			return unanswered(RolePreference, err), ""
		}
	}
	read, err := replies.Judgment(reply.Text, a.material, replies.WithTies)
	if err == nil && status == data.Valid && read.Choice.Decided() && !instructions(a.template, p).Repeats(read.Rationale) {
		return choiceOpinion(read.Choice, read.Rationale), reply.Text
	}
	reply, err = ask(ctx, RolePreference, sample, c.Model.request(render("con-j/hint-rationale.tmpl", p), c.Defaults))
	if err != nil {
		return unanswered(RolePreference, err), ""
	}
	if refusal.MatchString(reply.Text) {
		return noChoice(data.Refused, "a refusal in place of a rationale: %s", data.Clip(reply.Text)), ""
	}
	o := choiceOpinion(hint, strings.TrimSpace(reply.Text))
	read, err = replies.Judgment(reply.Text, a.material, replies.WithTies)
	if err == nil && read.Choice.Decided() { // the reply is a whole judgment after all
		o = choiceOpinion(read.Choice, cmp.Or(read.Rationale, o.Rationale))
	}
	o.Detail.Fallback = true
	return o, JudgmentText(o.Rationale, o.Choice)
}

// refusal matches a reply that declines to argue. The reply is free text, so that no form distinguishes a refusal from a rationale.
var refusal = regexp.MustCompile(`(?i)^\W*(?:(?:i['’]m|i am)? ?(?:very )?sorry\b|i apologi[sz]e\b|(?:i['’]m|i am) unable to\b|` +
	`i (?:cannot|can['’]t|won['’]t|will not) (?:help|assist|comply|argue|provide|(?:do|answer|give) (?:that|this|so|such))\b)`)

// JudgmentText returns a judgment as the JSON that Con-J's prompt asks for. c is the choice as shown.
func JudgmentText(rationale string, c data.Choice) string {
	better := map[data.Choice]int{data.ChoiceA: 1, data.ChoiceB: 2}[c]
	return fmt.Sprintf(`{"rationale": %s, "better_answer": %d}`, structured.Text(rationale), better)
}

// neutralPrompt returns Con-J's prompt without a hint, which all contrasts (pairs of replies for training) have.
func neutralPrompt(s OrderedPair) []llm.Message {
	return render("con-j/judge.tmpl", prompt{shownPair: s.pair(digits)})
}

// NeutralPrompt returns the text of neutralPrompt.
func NeutralPrompt(s OrderedPair) string { return neutralPrompt(s)[0].Text() }

// BareContrast returns a contrast for the variant without a rationale: the better answer is the chosen reply, the other the rejected one.
func BareContrast(s OrderedPair) data.Contrast {
	chosen := `{"better_answer": 1}`
	rejected := `{"better_answer": 2}`
	if s.Gold == data.ChoiceB {
		chosen, rejected = rejected, chosen
	}
	return contrastOf(render("con-j/no-rationale.tmpl", prompt{shownPair: s.pair(digits)}), chosen, rejected)
}

// contrastOf returns the contrast of a prompt with a chosen and a rejected reply.
func contrastOf(messages []llm.Message, chosen, rejected string) data.Contrast {
	reply := func(text string) []data.ChatMessage { return []data.ChatMessage{{Role: "assistant", Content: text}} }
	return data.Contrast{Chosen: reply(chosen), Rejected: reply(rejected), Prompt: data.Each(messages, func(m llm.Message) data.ChatMessage {
		return data.ChatMessage{Role: m.Role, Content: m.Text()}
	})}
}
