package leaderboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/results/store"
	"compqa/stats"
)

// What orders the systems.
const (
	ByPeople      = "people"       // people's scores of every ranked system
	ByHumanPoints = "human points" // predicted points of people
	ByJudge       = "judge"        // the opinion of one judge
)

// An Order is the order of the systems on the board, and who makes it.
type Order struct {
	By       string // "": nobody
	Judge    string // whose points these are, or whose points are corrected by people
	Sentence string // the first line of the board
	Unread   string // names the judges of whose verdicts many cannot be read, see dataset.UnreadText
	Places   []Place
}

// A Place is the place of a system. A baseline has no rank next to other systems.
type Place struct {
	System                  string
	Baseline                bool
	Rank, RankLow, RankHigh stats.Figure // of a place that may still be ranked, Rank is missing without a reason
	Few                     bool         // the range is from too few common questions to be shown
	Above                   []string     // the systems that it is surely above, by the tests that give the ranks their ranges
	Points                  stats.Figure
	Uncut                   stats.Figure // Points before they are cut off at the ends of the scale, where they are predicted
	Basis                   string       // people, people+judge, transfer, judge
	Verdicts                int          // of a thin place
}

// Thin reports whether a place has no rank because it has too few verdicts, or people scored too few of its answers.
func (s Place) Thin() bool { return thin(s.Rank) }

// SortPlaces puts the best first, and those without points last, by name.
func SortPlaces(all []Place) {
	slices.SortStableFunc(all, func(a, b Place) int {
		if !a.Points.Known && !b.Points.Known {
			return cmp.Compare(a.System, b.System)
		}
		return cmp.Or(stats.CompareFigures(a.Points.Point(), b.Points.Point(), -1), cmp.Compare(a.Rank.Text(0), b.Rank.Text(0)))
	})
}

// Tiers numbers the tiers of places in order, from 1: a system begins a new tier where one of the tier before is surely above it, so that
// the systems of a tier cannot be told apart. Places without a rank have 0.
func Tiers(places []Place) (tiers []int) {
	tier, first := 1, 0
	for i, p := range places {
		if !p.Rank.Known {
			tiers = append(tiers, 0)
			continue
		}
		if slices.ContainsFunc(places[first:i], func(above Place) bool { return slices.Contains(above.Above, p.System) }) {
			tier++
			first = i
		}
		tiers = append(tiers, tier)
	}
	return tiers
}

// RankText is the rank, and its range if that has more ranks than one: "2 (1–3)"; "2 (?)" if that is not known; "too few (7 of 10)" where
// the system has too few verdicts for one.
func (s Place) RankText() string {
	switch {
	case s.Thin() && s.Verdicts < LeastVerdicts:
		return fmt.Sprintf("%s (%d of %d)", TooFewMark, s.Verdicts, LeastVerdicts)
	case s.Thin():
		return fmt.Sprintf("%s (%d)", TooFewMark, s.Verdicts)
	}
	if s.Few && s.Rank.Known {
		return s.Rank.Text(0) + " (?)"
	}
	if s.RankLow.Text(0) == s.RankHigh.Text(0) {
		return s.Rank.Text(0)
	}
	return s.Rank.Text(0) + " (" + s.RankLow.Text(0) + "–" + s.RankHigh.Text(0) + ")"
}

// Points returns the mean of a row with its 95 % interval, in points.
func (r LeaderboardRow) Points() stats.Figure {
	points := stats.Bound(r.Mean, r.CILow, r.CIHigh)
	points.Few = r.few
	return points
}

// PointsName returns the heading of the points in the order.
func (o Order) PointsName() string {
	if o.By == ByJudge || o.By == "" {
		return "points"
	}
	return "human points"
}

// PlotTitle returns the title of the plot that is ordered like the board.
func (o Order) PlotTitle() string {
	if o.By == ByJudge || o.By == "" {
		return "Points by " + o.Judge
	}
	return "Human points"
}

// RankedSystems returns all systems in the order of the board.
func (t *Tables) RankedSystems() []store.Participant {
	place := map[string]int{}
	for i, s := range t.Places {
		place[s.System] = i
	}
	inPlace := func(a, b store.Participant) int { return cmp.Compare(place[a.Name], place[b.Name]) }
	return slices.SortedStableFunc(slices.Values(t.Systems), inPlace)
}

// HeadlineText says who orders the systems, and what a reader has to know before the ranking.
func (t *Tables) HeadlineText() string {
	return strings.TrimSpace(t.Sentence+" "+t.Unread) + t.TrainedText()
}
