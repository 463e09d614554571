package verify

import (
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/archive"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/stats"
)

// A personal is one person's score sheet on an answer.
type personSheet struct {
	person, origin string
	*data.Ending
}

// checkMeans recomputes people's mean score of each answer. This needs the sheets of at least two people, one sheet each, from the same
// source as the mean. Any other recorded mean is listed, because nothing shows whose mean it is. A mean that differs is an error.
func (c *Recheck) checkMeans() error {
	human := store.Named(c.run.Judges, data.Human)
	if human < 0 || c.run.Judges[human].Kind != dataset.KindHuman {
		return nil
	}
	origins, err := c.db.PeoplesOrigins()
	if err != nil {
		return err
	}
	means := map[int32]int{}
	single := map[int32][]personSheet{}
	for _, s := range c.run.Sheets {
		judge := c.run.Judges[s.Rater]
		id := c.run.Answers[s.Item].ID
		switch {
		case s.Rater == int32(human):
			means[s.Item]++
		case judge.Kind == dataset.KindHuman && strings.HasPrefix(judge.Name, data.Human+":") && judge.Name != dataset.Adjudicated &&
			s.Scores != nil:
			origin := origins[store.SheetKey{Judge: judge.Name, Answer: id, Repeat: int(s.Repeat)}]
			single[s.Item] = append(single[s.Item], personSheet{judge.Name, origin, s.Ending})
		}
	}
	for _, s := range c.run.Sheets {
		if s.Rater != int32(human) {
			continue
		}
		id := c.run.Answers[s.Item].ID
		origin := origins[store.SheetKey{Judge: data.Human, Answer: id, Repeat: int(s.Repeat)}]
		sheets := single[s.Item]
		if s.Scores == nil || means[s.Item] > 1 || !eachOnce(sheets) {
			c.rests.add(store.KindVerdict, data.Human, 1, recordedMean)
			continue
		}
		criterion, mean := c.differingMean(s.Ending, sheets)
		switch {
		case criterion < 0:
			continue
		case slices.ContainsFunc(sheets, func(p personSheet) bool { return p.origin != origin }):
			c.rests.add(store.KindVerdict, data.Human, 1, recordedMean+"; it differs from the mean of the single sheets, which are of "+
				"another import")
		default:
			return archive.Differ("verdict of %s on answer %s: criterion %s is recorded as %s, but the mean of the %d single sheets is %s",
				data.Human, id, c.run.Rubric.Criteria[criterion].ID, pointsOrNone(s.Scores[criterion]), len(sheets), pointsOrNone(mean))
		}
	}
	return nil
}

// recordedMean is the reason listed for a mean that is not recomputed.
const recordedMean = "recorded mean, not recomputed"

// eachOnce reports whether the sheets are by at least two people, with one sheet of each.
func eachOnce(sheets []personSheet) bool {
	seen := map[string]bool{}
	for _, p := range sheets {
		if seen[p.person] {
			return false
		}
		seen[p.person] = true
	}
	return len(seen) > 1
}

// differingMean returns the first criterion whose recorded mean differs from the mean of the sheets, and that mean. Sheets without points
// on a criterion do not count for it. If every criterion agrees, it returns -1.
func (c *Recheck) differingMean(recorded *data.Ending, sheets []personSheet) (criterion int, mean float64) {
	for k := range c.run.Rubric.Criteria {
		sum := 0.0
		n := 0
		for _, p := range sheets {
			if points := p.Scores[k]; !math.IsNaN(points) {
				sum += points
				n++
			}
		}
		given := recorded.Scores[k]
		if n == 0 && math.IsNaN(given) || n > 0 && math.Abs(given-sum/float64(n)) <= dataset.MeanTolerance {
			continue
		}
		return k, sum / float64(n)
	}
	return -1, 0
}

func pointsOrNone(points float64) string {
	if math.IsNaN(points) {
		return "without points"
	}
	return stats.Shortest(points)
}
