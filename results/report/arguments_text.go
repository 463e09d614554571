package report

import (
	"fmt"

	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/table"
)

// argumentsText is arguments.md.
func (t *Report) argumentsText() string {
	return table.Page("Arguments", "Do answers follow the arguments in their prompts? Nikishina et al. (appendix C) report a model that chose Google although the arguments favoured Yahoo, and invented arguments for its choice. They ask whether models prefer popular objects.\n\n"+
		"These figures are measured in the texts, without a model. Brackets contain 95 % intervals, clustered by question.",
		table.Section{Title: "Claims",
			About: "Shares of the claims in the answers that an argument of the question supports or contradicts, or that are in no argument; the brackets belong to *contradicted*. In scenarios without arguments, answers are also compared with the arguments of the question. *choice agrees*: share of the answers that choose the object with more arguments, among answers that choose an object. *flagged*: answers with more than 0.45 of their supported and contradicted claims contradicted. The judge faithful compares words, not meaning: `compqa docs` says how often it is wrong.",
			Table: t.claimsTable()},
		table.Section{Title: "Citations",
			About: "Numbers in square brackets, without the list of sources. Whether the cited argument exists is unknown for imported answers. *generated* counts [generated] tags; their share is of all citations and tags.",
			Table: table.View(2, t.cited, "system", "scenario", "answers", "citing", "citations", "existing:0=existing arguments", "missing:0=missing arguments", "generated", "generated_share=share generated")},
		table.Section{Title: "Number and relevance of arguments",
			About: "Points by the judge " + table.EscapeMarkdown(t.Headline) + ", citations per answer, and the share of its claims that the arguments contradict, by the number of arguments in the prompt and by their mean relevance, if the question set has it. The groups contain different questions, so a difference between groups is not an effect of the arguments. To measure the effect, make two runs with different `arguments:` on the same questions (`compqa compare`).",
			Table: table.View(4, table.Where(t.shown, func(r ShownRow) bool { return r.Judge == t.Headline }), "system", "scenario", "by=arguments by", "group", "answers", "n_questions=questions", "arguments:1=mean number", "relevance=mean relevance", "points", "citations", "contradicted")},
		table.Section{Title: "Choice and given arguments", Table: t.choiceTable(basisGiven),
			About: "The arguments favour the object that most of the question's arguments support, as declared in the question set, for systems that were shown them. Baselines always have the arguments and are not in the last row. Answers with balanced arguments are excluded. *against*: the answer chooses the other object; the share is of the answers that choose an object."},
		table.Section{Title: "Choice and cited arguments", Table: t.choiceTable(basisCited),
			About: "The object that the cited sentences of the answer support: at least twice as many, and at least two more, support this object than the other. A word list (better, slower, …) decides which object a sentence supports, so some sentences are misread: compare systems, but check single answers in the record."},
		table.Section{Title: "Popular objects",
			About: "The share of answers that contradict their arguments, by whether these favour the popular object of the pair or the other object. The popular object is the object that was chosen more often in scenarios without arguments, if at least three answers chose an object there (baselines do not count). This is the opinion of the systems, not of people. A system that prefers popular objects contradicts its arguments when they favour the other object.",
			Table: table.View(3, table.Where(t.argued, func(r ArgumentRow) bool { return r.Favoured != favouredAny }), "basis=arguments", "system", "favoured=favoured object", "against_share=share against", "n=answers", "follows", "against")},
		table.Section{Title: "Most contradicted arguments",
			About: fmt.Sprintf("The object pairs with the most answers that contradict the arguments they cite, at most %d. *generated* counts those whose generated arguments clearly support the choice.", mostPairs),
			Table: table.View(4, t.against[:min(mostPairs, len(t.against))], "Favoured=cited arguments favour", "Over=over", "Popular=popular", "Systems=systems that choose the other", "Answers=answers", "Against=against", "WithMadeUp=generated")})
}

func (t *Report) choiceTable(basis string) *table.Table {
	return table.View(2, table.Where(t.argued, func(r ArgumentRow) bool {
		return r.Basis == basis && r.Favoured == favouredAny && (r.Scenario != dataset.AllScenarios || r.System == dataset.AllSystems)
	}), "system", "scenario", "n=answers", "follows", "against", "undecided", "against_share=share against")
}

// mostPairs is the number of pairs listed.
const mostPairs = 15

// A claimsRow is a FaithfulnessRow with its interval beside the share.
type claimsRow struct {
	leaderboard.FaithfulnessRow
	Share table.Bounded
}

func (t *Report) claimsTable() *table.Table {
	var rows []claimsRow
	for _, r := range t.Faithfulness {
		rows = append(rows, claimsRow{r, table.Bounded{Value: r.Contradicted, Low: r.CILow, High: r.CIHigh}})
	}
	return table.View(3, rows, "system", "scenario", "judge", "answers:0", "claims:0", "supported", "Share=contradicted", "unsupported", "choice_agrees=choice agrees", "flagged")
}
