package trust

import (
	"fmt"

	"compqa/results/table"
	"compqa/stats"
)

// ClaimUse is the claim about which judge to use for scores.
const ClaimUse = "what to use"

// A RecommendedJudge is the judge to use for scores, according to the decisions on totals, with its price.
type RecommendedJudge struct {
	Decision *Decision
	Price    stats.Figure // US dollars for 1,000 verdicts; missing: unknown
	NoCalls  bool         // it calls no model
	Barred   string       // clause on why it may not order systems; "": it may
}

// Finding returns the judge with its evidence and its price.
func (u RecommendedJudge) Finding() table.Finding {
	d := u.Decision
	f := table.Finding{Claim: ClaimUse, Subject: d.Judge, Figures: d.namedFigures(), Next: d.Finding().Next}
	price := "its price is not known"
	switch {
	case u.NoCalls:
		price = "it makes no calls"
	case u.Price.Known:
		price = fmt.Sprintf("$%s for 1,000 verdicts", u.Price.Text(2))
		f.Figures = append(f.Figures, table.Named("US dollars for 1,000 verdicts", u.Price))
	}
	if u.Barred != "" {
		price += "; it " + u.Barred
	}
	if d.Answer == Yes {
		f.Text = fmt.Sprintf("To use for scores: %s, which can stand in for one person on %s (%s); %s.", d.name(),
			d.Criterion+d.except(), d.difference(), price)
		return f
	}
	f.Text = fmt.Sprintf("To use for scores: no judge is shown to stand in for a person on %s; %s comes nearest (%s with a person, "+
		"people %s); %s.",
		d.Criterion, d.name(), d.Single.Point().Text(2), d.People.Point().Text(2), price)
	return f
}
