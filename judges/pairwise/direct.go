package pairwise

import (
	"context"
	"strings"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/llm"
	"compqa/llm/structured"
)

// A choicePrompt is a prompt for a choice: the template, its fields, and the texts that the prompt shows.
type choicePrompt struct {
	template string
	prompt   prompt
	material structured.Material
}

func (a choicePrompt) messages() []llm.Message { return render(a.template, a.prompt) }

// direct asks once for the choice: direct prompting, with or without aspects, or CoT with any number of examples.
func (j *judge) direct(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	aspects, fault := j.aspects(ctx, s, ask)
	if fault != nil {
		return *fault
	}
	o := j.decide(ctx, j.question(s, aspects), ask)
	o.Detail.Aspects = aspects
	return o
}

// decide asks once for the choice in words.
func (j *judge) decide(ctx context.Context, a choicePrompt, ask Ask) Opinion {
	form := "a line on its own that says “Preferred: A” or “Preferred: B”"
	switch {
	case j.o.Reads != nil:
		form = "your choice, in the form that was asked for"
	case j.o.Ties:
		form = "a line on its own that says “Preferred: A”, “Preferred: B” or “Preferred: tie”"
	}
	req := j.request(RolePreference, a.messages(), deciding)
	return j.askChoice(ctx, a, req, ask, form, func(reply string) Opinion { return j.decided(a, reply) })
}

// askChoice asks for a choice. If a reply has none and repairs are left, it shows the judge its reply and asks again. form says in the
// repair what the reply must end with.
func (j *judge) askChoice(ctx context.Context, a choicePrompt, req llm.Request, ask Ask, form string,
	read func(reply string) Opinion) Opinion {
	r := structured.Query[Opinion, data.Status]{Request: req, Repairs: j.o.Repair,
		Read: func(reply string) (Opinion, data.Status, string) {
			o := j.checkRationale(read(reply), a)
			if o.Status == data.Abstained {
				return o, o.Status, ""
			}
			return o, o.Status, o.Reason
		}, RepairMessage: func(reason string) string {
			reason, _, _ = strings.Cut(reason, endsWith) // without the judge's own words
			return "Your reply cannot be used: " + reason + ".\nRepeat your reply, and end it with " + form + "."
		}}.Do(ctx, func(ctx context.Context, req llm.Request) (llm.Reply, error) { return ask(ctx, RolePreference, 1, req) })
	o := r.Value
	if r.Err != nil {
		return noChoice(r.Status, "%s: %s", RolePreference, r.Reason)
	}
	if o.Status == data.Valid {
		o.Detail.Confidence = confidence(r.Reply.Raw, o.Choice)
	}
	return o
}

// checkRationale turns an opinion into one without a choice if its rationale repeats the prompt, or if the judge abstains.
func (j *judge) checkRationale(o Opinion, a choicePrompt) Opinion {
	switch {
	case o.Status == data.Valid && o.Rationale != "" && instructions(a.template, a.prompt).Repeats(o.Rationale):
		return noChoice(data.Unparsed, "the rationale repeats the prompt%s%s", endsWith, ending(o.Rationale))
	case o.Choice == replies.Undecidable && j.o.Abstain:
		abstained := noChoice(data.Abstained, "the judge says that the pair is hard to judge")
		abstained.Rationale = o.Rationale
		return abstained
	case o.Choice == replies.Undecidable:
		return noChoice(data.Unparsed, "the judge says that the pair is hard to judge, but it was asked for a choice")
	}
	return o
}

// question returns the prompt of a method that asks for the choice in one step.
func (j *judge) question(s OrderedPair, aspects []string) choicePrompt {
	p := prompt{shownPair: s.pair(letters, aspects...), Aspects: aspects, Examples: shots(j.o.Shots, s), Abstain: j.o.Abstain, Ties: j.o.Ties}
	if j.o.NoAspects {
		for i := range p.Examples {
			p.Examples[i].Aspects = nil
		}
	}
	folder := j.o.Method
	if folder == MethodCoTSelfCon { // it uses CoT's prompt
		folder = MethodCoT
	}
	return choicePrompt{folder + "/prompt.tmpl", p, s.material(aspects...)}
}

// endsWith separates a reason from the judge's own words after it.
const endsWith = "; the reply ends: "

// unreadableOpinion returns the opinion without a choice when a reply cannot be read. what names what was looked for ("choices").
func unreadableOpinion(what string, err error, reply string) Opinion {
	return noChoice(data.Unparsed, "of %s: %v%s%s", what, err, endsWith, ending(reply))
}

// decided reads the opinion from a reply. The rationale is the text before the choice.
func (j *judge) decided(a choicePrompt, reply string) Opinion {
	c, err := j.read(reply, a.material, replies.Ties(j.o.Ties))
	if err != nil {
		return unreadableOpinion("choices", err, reply)
	}
	return choiceOpinion(c, replies.Comparison(reply))
}

// ending returns the last 100 characters of a reply, for error messages.
func ending(reply string) string {
	runes := []rune(strings.Join(strings.Fields(reply), " "))
	const most = 100
	if len(runes) > most {
		return "… " + string(runes[len(runes)-most:])
	}
	if len(runes) == 0 {
		return "(nothing)"
	}
	return string(runes)
}

// selfConsistent repeats CoT's prompt; the majority decides (Wang et al. 2023). Ties are broken at random.
func (j *judge) selfConsistent(ctx context.Context, s OrderedPair, ask Ask) Opinion {
	a := j.question(s, nil)
	return j.vote(ctx, s, a, j.request(RolePreference, a.messages(), sampling), ask, j.decided)
}

// vote asks several times for the choice. The majority decides, ties at random. Detail.Votes has a choice or a status for each sample.
func (j *judge) vote(ctx context.Context, s OrderedPair, a choicePrompt, req llm.Request, ask Ask, read func(choicePrompt,
	string) Opinion) Opinion {
	var choices []data.Choice
	rationales := map[data.Choice]string{} // the first rationale for each choice
	statuses, fault := samples(ctx, ask, repeated{RolePreference, req, j.o.Samples, "votes"}, func(_ int, reply string) string {
		o := j.checkRationale(read(a, reply), a)
		if o.Status != data.Valid {
			return o.Reason
		}
		choices = append(choices, o.Choice)
		if _, known := rationales[o.Choice]; !known {
			rationales[o.Choice] = o.Rationale
		}
		return ""
	})
	var votes []string
	for _, status := range statuses {
		vote := string(status)
		if status == data.Valid {
			vote = string(choices[0])
			choices = choices[1:]
		}
		votes = append(votes, vote)
	}
	c := Majority(votes, j.rng("majority", s).Intn)
	o := choiceOpinion(c, rationales[c])
	if fault != nil {
		o = *fault
	}
	o.Detail.Votes = votes
	return o
}

// Majority returns the choice with the most votes. Votes can also be statuses, which do not count. pick breaks ties: given their
// number n, it returns an index below n. Majority returns "" if no vote counts.
func Majority(votes []string, pick func(n int) int) data.Choice {
	switch first := data.MostVoted(votes); len(first) {
	case 0:
		return ""
	case 1:
		return first[0]
	default:
		return first[pick(len(first))]
	}
}
