package strum

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// An opinion is a property on which texts can contradict each other, and on which side a text
// stands: {"price", -1} is expensive.
type opinion struct {
	property string
	side     int
}

// polar gives the opinion of a word.
var polar = func() map[string]*opinion {
	m := map[string]*opinion{}
	for _, of := range [][3]string{
		{"quality", "good great excellent fantastic wonderful superb perfect nice lovely amazing awesome outstanding best better top strong impressive beautiful", "bad poor terrible awful horrible worst worse mediocre disappointing disappointed weak lousy dreadful ugly"},
		{"cleanliness", "clean spotless immaculate", "dirty filthy stained mouldy moldy smelly grubby"},
		{"kindness", "friendly helpful kind polite courteous welcoming attentive", "rude unfriendly unhelpful impolite arrogant"},
		{"price", "cheap affordable inexpensive reasonable cheaper", "expensive overpriced pricey costly dear"},
		{"noise", "quiet silent peaceful quieter", "noisy loud noisier louder"},
		{"size", "large spacious big huge roomy larger bigger", "small tiny cramped smaller"},
		{"comfort", "comfortable comfy cosy cozy", "uncomfortable hard lumpy"},
		{"speed", "fast quick rapid faster quicker", "slow sluggish slower"},
		{"effort", "easy simple easier simpler", "difficult complicated harder"},
		{"age", "modern new renovated updated", "old dated outdated worn"},
		{"safety", "safe safer secure", "unsafe dangerous risky"},
		{"reliability", "reliable durable sturdy", "unreliable fragile faulty"},
	} {
		for i, side := range []int{1, -1} {
			for _, w := range strings.Fields(of[i+1]) {
				m[w] = &opinion{of[0], side}
			}
		}
	}
	return m
}()

// reach is the number of words over which a negation has effect.
const reach = 3

// opinionsOf are the opinions in a text, sorted. A negation before a word inverts it.
func opinionsOf(text string) (list []opinion) {
	left := 0
	for _, w := range stems(text) {
		if lexical.Lexicon[w]&lexical.Negating != 0 {
			left = reach + 1
		}
		if o := polar[w]; o != nil {
			held := *o
			if left > 0 {
				held.side = -held.side
			}
			list = append(list, held)
		}
		left = max(0, left-1)
	}
	slices.SortFunc(list, func(a, b opinion) int {
		return cmp.Or(strings.Compare(a.property, b.property), cmp.Compare(a.side, b.side))
	})
	return slices.Compact(list)
}

// tendency is positive for a text that praises, and negative for one that faults.
func tendency(text string) int {
	sum := 0
	for _, o := range opinionsOf(text) {
		sum += o.side
	}
	return sum
}

// Choose returns the object that the majority of contrasting rows favours. In a row, each
// source has a vote: an argument for the object that it favours, another text for the object
// that it praises, or against the object that it criticises. If the numbers of rows are
// equal, the votes decide; "" is a tie.
func Choose(q data.Question, t data.ContrastTable, sources []data.Source) string {
	byID := map[string]data.Source{}
	for _, s := range sources {
		byID[s.ID] = s
	}
	rows, votes := 0, 0
	for _, r := range t.Rows {
		if r.Kind != data.RowContrast {
			continue
		}
		vote := rowVotes(q, r, byID)
		votes += vote
		rows += cmp.Compare(vote, 0)
	}
	switch cmp.Compare(cmp.Or(rows, votes), 0) {
	case 1:
		return q.Object1
	case -1:
		return q.Object2
	}
	return ""
}

// rowVotes are the votes of a row for the first object less those for the second.
func rowVotes(q data.Question, r data.ContrastRow, byID map[string]data.Source) int {
	sum := 0
	voted := map[string]bool{}
	for k, values := range [2][]data.ContrastValue{r.Object1, r.Object2} {
		sign := 1 - 2*k
		for _, v := range values {
			for _, e := range v.Evidence {
				a := argumentOf(q, byID[e.Source])
				switch {
				case a == nil:
					sum += sign * cmp.Compare(tendency(e.Quote), 0)
				case !voted[e.Source] && a.Favours == data.Object1:
					sum++
				case !voted[e.Source] && a.Favours == data.Object2:
					sum--
				}
				voted[e.Source] = voted[e.Source] || a != nil
			}
		}
	}
	return sum
}
