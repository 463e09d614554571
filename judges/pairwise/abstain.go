package pairwise

import (
	"regexp"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// A judge with Options.Abstain may say that a pair is hard to judge, in place of a choice (Ye et
// al. 2024, A.4, propose it). That is the status data.Abstained: neither a tie nor a number.

// Abstains reports whether the method can be asked to abstain.
func (m Method) Abstains() bool {
	return m.Live() && !m.Hinted && !m.Scores && m.Name != MethodCoTSelfCon && m.Name != MethodSC2SelfCon
}

// hardToJudge matches the word for an abstention in the place of a choice.
var hardToJudge = regexp.MustCompile(`(?i)^[^a-z]*(?:(?:it is )?(?:too )?(?:hard|difficult) to (?:judge|decide|say)|(?:i )?(?:cannot|can't) (?:judge|decide)|undecided)\b`)

// abstained is the opinion of a reply that says that the pair is hard to judge; ok is false if it
// does not say so.
func (j *judge) abstained(reply string) (o Opinion, ok bool) {
	if !j.o.Abstain {
		return o, false
	}
	rationale := ""
	if value, is := lastLabelled(reply, preferredLine); is {
		if !hardToJudge.MatchString(value) {
			return o, false
		}
		rationale = comparison(reply)
	} else {
		for _, object := range llm.Objects(reply) {
			if raw, has := object["better_answer"]; has {
				ok = strings.Trim(string(raw), ` "`) == "0"
				rationale, _, _ = ReadJudgment(strings.Replace(reply, string(raw), "1", 1))
			}
		}
		if !ok {
			return o, false
		}
	}
	o = without(data.Abstained, "the judge says that the pair is hard to judge")
	o.Rationale = rationale
	return o, true
}
