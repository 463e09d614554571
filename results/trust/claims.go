package trust

import (
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// This file has the words of conclusions about systems: who leads an order of systems, and which of two is ahead. No other package words
// these.

// A Lead has the first two systems of an order, and how surely the first one leads.
type Lead struct {
	First, Second string
	Points        [2]stats.Figure // points of the first and of the second system
	Measure       string          // what the points are: "human points", "points by NAME"
	FewQuestions  bool            // the points come from too few questions to say who leads
	Rivals        []string        // other systems that may be first
	Lowest        int             // lowest rank that the first system may have
	Others        []string        // sentences on who puts another system first
}

// Claims of orders of systems.
const (
	ClaimLeads     = "leads"
	ClaimNoLeader  = "no clear leader"
	ClaimOnly      = "only ranked system"
	ClaimNoRanks   = "no ranks"
	ClaimAhead     = "ahead"
	ClaimNotClear  = "no clear difference"
	ClaimTooFew    = "too few questions"
	ClaimNoOrder   = "no order"
	ClaimEvidence  = "evidence"
	ClaimCriterion = "by criterion"
	ClaimOpposite  = "people say the opposite"
	ClaimAlone     = "this pair alone"
	ClaimChanged   = "changed"
	ClaimCheaper   = "cheaper"

	ClaimDifference = "difference" // as it was measured
	ClaimPrompt     = "prompt"
)

// OnlyRanked returns the finding that only one system has a rank.
func OnlyRanked(system string) table.Finding {
	return table.Finding{Claim: ClaimOnly, Subject: system, Text: system + " is the only ranked system."}
}

// NoRanks returns the finding that no system has a rank. why is a sentence with the reason, or "".
func NoRanks(why string) table.Finding {
	text := why
	if text == "" {
		text = "No system has a rank."
	}
	return table.Finding{Claim: ClaimNoRanks, Subject: "systems", Text: text}
}

// Finding returns who leads, or who may lead. If the order is certain by these points alone, it also names who puts another system first.
func (l Lead) Finding() table.Finding {
	f := table.Finding{Claim: ClaimNoLeader, Subject: l.First, Figures: []table.Measured{table.Named(l.First+", "+l.Measure, l.Points[0]),
		table.Named(l.Second+", "+l.Measure, l.Points[1])}}
	lead := stats.Number(l.Points[0].Value - l.Points[1].Value).Text(1)
	more := fmt.Sprintf("%s has %s points more than %s", l.First, lead, l.Second)
	equal := lead == "0.0"
	if equal {
		more = fmt.Sprintf("%s and %s have equal points", l.First, l.Second)
	}
	const unclear = "No clear leader: "
	switch {
	case l.FewQuestions:
		f.Claim = ClaimTooFew
		f.Text = more + ", from too few questions to say who leads"
	case len(l.Rivals) > 0:
		f.Text = unclear + someNames(append([]string{l.First}, l.Rivals...), "others") + " may each be first"
	case l.Lowest > 1:
		f.Text = unclear + more + fmt.Sprintf(", but may rank as low as %d", l.Lowest)
	case l.Others != nil && equal:
		f.Text = unclear + more
	case l.Others != nil:
		f.Text = unclear + fmt.Sprintf("%s leads %s by %s points", l.First, l.Second, lead)
	case equal:
		f.Claim = ClaimLeads
		f.Text = more
	default:
		f.Claim, f.Text = ClaimLeads, fmt.Sprintf("%s leads %s by %s points", l.First, l.Second, lead)
	}
	if l.Others != nil && len(l.Rivals) == 0 {
		f.Text += "; but " + data.List(l.Others)
	}
	f.Text += "."
	return f
}

// Puts returns a clause on who puts a system first.
func Puts(who []string, system string) string {
	return fmt.Sprintf("%s put %s first", data.List(who), system)
}

// ContextFindings returns findings to read with who may be first: the points of these systems, who puts another system first, and who is
// clearly behind. who begins the sentence on points ("people gave"). most is the greatest possible number of points.
func (l Lead) ContextFindings(who string, most float64, points []stats.Figure, behind []string) (all table.Findings) {
	say := func(text string) {
		all = append(all, table.Finding{Claim: ClaimEvidence, Subject: l.First, Text: text + "."})
	}
	if len(points) <= mostInHeadline {
		whom := "them"
		if len(points) == 1 {
			whom = l.First
		}
		say(fmt.Sprintf("%s %s %s of %s points", who, whom, data.List(data.Each(points,
			func(f stats.Figure) string { return f.Point().Text(1) })),
			stats.Shortest(most)))
	} else {
		say(fmt.Sprintf("%s %s %s and %s %s of %s points", who, l.First, points[0].Point().Text(1), l.Second, points[1].Point().Text(1),
			stats.Shortest(most)))
	}
	if len(l.Rivals) > 0 {
		for _, other := range l.Others {
			say(data.Capital(other))
		}
	}
	if behind != nil {
		is := "are"
		if len(behind) == 1 {
			is = "is"
		}
		say(fmt.Sprintf("%s %s clearly behind", someNames(behind, "others"), is))
	}
	return all
}

// FewQuestions returns how few questions must be left out to put another system first. by is the judge whose points these are; "": those of
// the order.
func FewQuestions(by, system string, removed, all int) table.Finding {
	text := fmt.Sprintf("leaving out %d of %d questions would put %s first.", removed, all, system)
	if by != "" {
		text = "by " + by + "'s own points, " + text
	}
	return table.Finding{Claim: ClaimEvidence, Subject: system, Text: data.Capital(text),
		Figures: []table.Measured{table.Named("questions left out", stats.Count(removed)), table.Named("questions", stats.Count(all))}}
}

// Cheaper returns the finding that a system that may also be first costs less for an answer than the first one.
func Cheaper(system, than string, cost, more float64) table.Finding {
	return table.Finding{Claim: ClaimCheaper, Subject: system, Figures: []table.Measured{
		table.Named(system+", $ for an answer", stats.Number(cost)), table.Named(than+", $ for an answer", stats.Number(more))},
		Text: fmt.Sprintf("%s is %.0f %% cheaper than %s, and not clearly worse.", system, 100*(1-cost/more), than)}
}

// A Prompts says how much the prompt matters: what each of several systems gains from the worst to the best scenario, compared with the
// distance between systems.
type Prompts struct {
	Best, Worst string
	Gains       []float64
	Low, High   float64 // least and greatest points of the systems
}

// Finding returns whether the prompt changes points more than the choice of the system does.
func (p Prompts) Finding() table.Finding {
	low := slices.Min(p.Gains)
	high := slices.Max(p.Gains)
	f := table.Finding{Claim: ClaimPrompt, Subject: p.Best, Figures: []table.Measured{
		table.Named("least gain from "+p.Worst+" to "+p.Best, stats.Number(low)), table.Named("largest gain", stats.Number(high)),
		table.Named("distance of the systems", stats.Number(p.High-p.Low))}}
	answer := "Less than the choice of the system"
	than := stats.Mean(p.Gains) > p.High-p.Low
	if than {
		answer = "More than the choice of the system"
	}
	points := fmt.Sprintf("whose points lie between %s and %s", stats.Number(p.Low).Text(1), stats.Number(p.High).Text(1))
	f.Text = fmt.Sprintf("%s: scenario %s gets %s to %s points more than %s from each of %d systems, %s.", answer, p.Best,
		stats.Number(low).Text(1), stats.Number(high).Text(1), p.Worst, len(p.Gains), points)
	if low <= 0 {
		f.Text = fmt.Sprintf("Not in the same way for all: from scenario %s to %s the points of %d systems change by %s to %s.", p.Worst, p.Best,
			len(p.Gains), stats.Number(low).Signed(1), stats.Number(high).Signed(1))
	}
	return f
}

// mostInHeadline is the greatest number of names in a headline.
const mostInHeadline = 3

// someNames returns the first of many names, and how many others there are, as "a, b and 5 others".
func someNames(names []string, others string) string {
	if len(names) > mostInHeadline {
		names = append(names[:mostInHeadline-1:mostInHeadline-1], fmt.Sprintf("%d %s", len(names)-mostInHeadline+1, others))
	}
	return data.List(names)
}

// A Pair has two systems of an order, by one measure.
type Pair struct {
	A, B         string
	Points       [2]stats.Figure // of A and of B
	Measure      string          // what the points are: "human points", "points by NAME"
	Above        int             // 1: A is surely above B, -1: B is surely above A, 0: neither
	FewQuestions bool            // the points come from too few questions to say who is ahead
	Without      string          // the system without a place in the order; "": both have one
	Why          string          // clause on why it has no place; "": nothing orders systems
}

// Finding returns which of two systems is ahead, if that is sure.
func (p Pair) Finding() table.Finding {
	f := table.Finding{Claim: ClaimNotClear, Subject: p.A + " and " + p.B}
	for i, name := range []string{p.A, p.B} {
		if p.Points[i].Known {
			f.Figures = append(f.Figures, table.Named(name+", "+p.Measure, p.Points[i]))
		}
	}
	first := p.A
	second := p.B
	points := p.Points
	if p.Above < 0 {
		first = p.B
		second = p.A
		points = [2]stats.Figure{p.Points[1], p.Points[0]}
	}
	figures := fmt.Sprintf("%s and %s %s", points[0].Point().Text(1), points[1].Point().Text(1), p.Measure)
	switch {
	case p.Without != "" && p.Why == "":
		f.Claim, f.Text = ClaimNoOrder, fmt.Sprintf("No order of %s and %s: no judge may order the systems.", p.A, p.B)
	case p.Without != "":
		f.Claim, f.Text = ClaimNoOrder, fmt.Sprintf("No order of %s and %s: %s has no rank (%s).", p.A, p.B, p.Without, p.Why)
	case p.FewQuestions:
		f.Claim, f.Text = ClaimTooFew, fmt.Sprintf("%s and %s: too few questions to say who is ahead (%s).", p.A, p.B, figures)
	case p.Above != 0:
		f.Claim, f.Text = ClaimAhead, fmt.Sprintf("%s is ahead of %s: %s.", first, second, figures)
	default:
		f.Text = fmt.Sprintf("%s and %s: no clear difference, %s.", p.A, p.B, figures)
	}
	return f
}

// Pairs returns how many of all pairs of systems differ clearly.
func Pairs(clear, all int, measure string) table.Finding {
	return table.Finding{Claim: ClaimAhead, Subject: "systems", Figures: []table.Measured{
		table.Named("pairs that differ clearly", stats.Count(clear)),
		table.Named("pairs of systems", stats.Count(all))},
		Text: fmt.Sprintf("%d of %s differ clearly in %s.", clear, data.Plural(all, "pair of systems", "pairs of systems"), measure)}
}

// A Difference is the points of A minus the points of B, by one judge or by people, on questions and scenarios that both have (see Paired).
type Difference struct {
	By            string // a judge, or people
	A, B          string
	Value         stats.Figure // A minus B; N is the number of questions
	First, Second stats.Figure // means of A and of B, on the same questions
	P             stats.Figure // p-value of no difference
}

// ClearlyNonZero reports whether an interval excludes 0, and comes from enough questions.
func ClearlyNonZero(difference stats.Figure) bool {
	return difference.Interval() && (difference.AboveZero() || difference.BelowZero())
}

// Basis returns on how many questions the difference is based.
func (d Difference) Basis() string { return data.Plural(d.Value.N, "question", "questions") }

// Finding returns the difference as measured. It is evidence about an order, but does not order systems itself.
func (d Difference) Finding() table.Finding {
	name := d.A + " minus " + d.B
	return table.Finding{Claim: ClaimDifference, Subject: d.By, Figures: []table.Measured{table.Named(name, d.Value)},
		Text: fmt.Sprintf("By %s: %s is %s.", d.By, name, d.inPoints())}
}

// OrderCell returns whether A is ahead or behind, as a table cell.
func (d Difference) OrderCell() table.Cell {
	switch {
	case !d.Value.Known:
		return table.Cell{Text: "too few questions", Class: "quiet"}
	case !ClearlyNonZero(d.Value):
		return table.Cell{Text: "not clear", Class: "quiet"}
	case d.Value.AboveZero():
		return table.Cell{Text: "ahead", Class: "good"}
	}
	return table.Cell{Text: "behind", Class: "bad"}
}

// Changed returns whether a system's points differ between two runs, or two prompts. A is the first, and B the second.
func (d Difference) Changed() table.Finding {
	what := fmt.Sprintf("%s minus %s", d.A, d.B)
	f := table.Finding{Claim: ClaimNotClear, Subject: d.B, Figures: []table.Measured{table.Named(what, d.Value)}}
	switch {
	case !d.Value.Known:
		f.Claim, f.Text = ClaimTooFew, fmt.Sprintf("By %s, too few questions to say whether %s and %s differ", d.By, d.A, d.B)
	case !ClearlyNonZero(d.Value):
		f.Text = fmt.Sprintf("By %s, no clear difference of %s and %s", d.By, d.A, d.B)
	case d.Value.AboveZero():
		f.Claim, f.Text = ClaimChanged, fmt.Sprintf("By %s, %s has more points than %s", d.By, d.A, d.B)
	default:
		f.Claim, f.Text = ClaimChanged, fmt.Sprintf("By %s, %s has fewer points than %s", d.By, d.A, d.B)
	}
	f.Text += fmt.Sprintf(": %s is %s.", what, d.inPoints())
	return f
}

// inPoints returns the difference and its number of questions as text: "+1.90 [1.52, 2.31] points (50 questions)", or "not known (3
// questions; at least 5 are needed)".
func (d Difference) inPoints() string {
	if !d.Value.Known {
		return fmt.Sprintf("not known (%s; at least %d are needed)", d.Basis(), stats.FewClusters)
	}
	return fmt.Sprintf("%s points (%s)", d.Value.Signed(2), d.Basis())
}

// Changes returns how many of several differences are clear.
func Changes(clear, all int) table.Finding {
	return table.Finding{Claim: ClaimChanged, Subject: "systems", Figures: []table.Measured{
		table.Named("clear differences", stats.Count(clear)),
		table.Named("differences", stats.Count(all))},
		Text: fmt.Sprintf("%d of %d differences are clear (0 is outside the interval, which is not adjusted for their number).", clear, all)}
}

// Questions returns on how many questions each of two systems has more points, by one judge.
func Questions(judge, a, b string, wins, even, losses int) table.Finding {
	return table.Finding{Claim: ClaimEvidence, Subject: judge, Figures: []table.Measured{
		table.Named("questions with more points for "+a, stats.Count(wins)),
		table.Named("questions with more points for "+b, stats.Count(losses)),
		table.Named("questions with as many points", stats.Count(even))},
		Text: fmt.Sprintf("%s gives %s more points on %d of %d questions and %s on %d; %d are even.", judge, a, wins,
			wins+even+losses, b, losses, even)}
}

// ClearCriteria names the criteria on which a judge's difference has an interval on one side of 0. Intervals are not adjusted for the
// number of criteria.
func ClearCriteria(judge, system string, criteria []string) table.Finding {
	return table.Finding{Claim: ClaimCriterion, Subject: system,
		Text: fmt.Sprintf("By %s, %s is clearly better on %s.", judge, system, someNames(criteria, "other criteria"))}
}

// PairFindings returns what a judge and people say about a pair of systems on its own. The order may say less, because ranks are adjusted
// for all pairs. people may be nil. It returns nil if the judge agrees with the order, and people are nil or nothing is clear.
func PairFindings(order Pair, judge Difference, people *Difference) (all table.Findings) {
	if judge.side() == order.Above && (people == nil || order.Above == 0 && people.side() == 0) {
		return nil
	}
	text := "For this pair alone, " + judge.orderClause("puts", "shows")
	if people != nil {
		link := " and "
		if people.side() != judge.side() {
			link = ", but "
		}
		text += link + people.orderClause("put", "show")
	}
	return table.Findings{{Claim: ClaimAlone, Subject: judge.A + " and " + judge.B, Text: text + "."}}
}

// side returns 1 if A is surely ahead, -1 if B is, and else 0.
func (d Difference) side() int {
	switch {
	case !ClearlyNonZero(d.Value):
		return 0
	case d.Value.AboveZero():
		return 1
	}
	return -1
}

// orderClause returns a clause that says which system d.By puts ahead. puts and shows are its two verbs in the right number.
func (d Difference) orderClause(puts, shows string) string {
	switch side := d.side(); {
	case !d.Value.Known:
		return fmt.Sprintf("%s scored too few questions of both", d.By)
	case side > 0:
		return fmt.Sprintf("%s %s %s ahead %s", d.By, puts, d.A, d.gap())
	case side < 0:
		return fmt.Sprintf("%s %s %s ahead %s", d.By, puts, d.B, d.gap())
	}
	return fmt.Sprintf("%s %s no clear difference (%s)", d.By, shows, d.Basis())
}

// gap returns by how many points the leading system is ahead.
func (d Difference) gap() string {
	return fmt.Sprintf("by %s points (%s)", stats.Number(math.Abs(d.Value.Value)).Text(2), d.Basis())
}

// Opposite returns the criteria on which the interval of people's difference is on the other side of 0 than the judge's difference.
func Opposite(judge string, criteria []string) table.Finding {
	return table.Finding{Claim: ClaimOpposite, Subject: "people",
		Text: fmt.Sprintf("People clearly say the opposite of %s on %s.", judge, someNames(criteria, "other criteria"))}
}

// Opposed reports whether a difference is surely on the other side of 0 than another difference.
func Opposed(difference, other stats.Figure) bool {
	return ClearlyNonZero(difference) && other.Known && other.Value != 0 &&
		math.Signbit(difference.Value) != math.Signbit(other.Value)
}
