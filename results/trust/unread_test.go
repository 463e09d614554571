package trust

import (
	"math"
	"slices"
	"strings"
	"testing"

	"compqa/stats"
	"compqa/stats/labels"
)

// asked returns n items with confidences in equal steps. Every third item has labels of two people. Below a confidence, the judge is wrong
// on every fifth item. The two people differ on every apart-th item.
func asked(n int, below float64, apart int) UnreadQuestion {
	u := UnreadQuestion{Judges: []string{"haiku"}, Word: stats.Shortest, Tests: 1}
	q := &u.Question
	q.Confidence = make([][]float64, 1)
	q.Wrong = make([][]bool, 1)
	q.Alpha = .1
	q.Delta = .05
	for i := range n {
		rank := i * 379 % n
		confidence := float64(rank) / float64(n)
		q.Confidence[0] = append(q.Confidence[0], confidence)
		if i%3 != 0 {
			continue
		}
		wrong := confidence < below && i%5 == 0
		q.Labelled = append(q.Labelled, i)
		q.Wrong[0] = append(q.Wrong[0], wrong)
		u.Values = append(u.Values, float64(i%2))
		differ := 0.0
		if apart > 0 && i/3%apart == 0 {
			differ = 1
		}
		u.Apart = append(u.Apart, differ)
	}
	return u
}

// TestUnreadSentences: each answer has a sentence with what may stand, how sure that is, on what it is based, and what is next. No sentence
// promises what is not shown.
func TestUnreadSentences(t *testing.T) {
	alone := asked(997, .5, 0)
	for k := range alone.Apart {
		alone.Apart[k] = math.NaN()
	}
	few := asked(997, .5, 0)
	few.Question.Labelled = few.Question.Labelled[:22]
	few.Question.Wrong[0] = few.Question.Wrong[0][:22]
	few.Values = few.Values[:22]
	surest := asked(997, .5, 0)
	for k, i := range surest.Question.Labelled {
		surest.Question.Confidence[0][i] += float64(k % 2)
	}
	points := asked(997, 0, 0)
	doubted := asked(997, 0, 0)
	notes := asked(997, .5, 0)
	points.Points = true
	for k := range points.Values {
		points.Values[k] = 4
	}
	doubted.Doubt = LabelsByVerdict
	notes.Criterion, notes.Skipped, notes.Without, notes.Tests, notes.Look = "clear", 3, 1, 2, 1
	notes.Question.Alpha = .2
	ofAll := asked(997, .5, 0)
	ofAll.Question.OfAll, ofAll.Question.Alpha = true, .05
	both := asked(997, .5, 0)
	both.Judges, both.Prices, both.Labels = []string{"haiku", "sonnet"}, []float64{.001, .02, .5}, 999
	both.Question.Confidence = append(both.Question.Confidence, slices.Clone(both.Question.Confidence[0]))
	both.Question.Wrong = append(both.Question.Wrong, make([]bool, len(both.Question.Labelled)))
	slices.Reverse(both.Question.Confidence[1])
	drawn := asked(997, .5, 0)
	drawn.Drawn = true
	unpriced := both
	unpriced.Prices, unpriced.Unpriced = nil, []string{"sonnet"}
	left := both
	left.Question.Sampled, left.Question.Confidence = true, [][]float64{both.Question.Confidence[0], slices.Clone(both.Question.Confidence[1])}
	for i := range left.Question.Confidence[1] {
		if !slices.Contains(left.Question.Labelled, i) {
			left.Question.Confidence[1][i] = labels.NotAsked
		}
	}
	for name, test := range map[string]struct {
		asked UnreadQuestion
		claim string
		parts []string
	}{
		"stands": {asked(997, .5, 0), ClaimUnread, []string{"haiku may decide alone on 60 % of the 664 unlabelled items (confidence ≥ 0.3992): " +
			"at most 10 % of these verdicts would differ from one person like those who labelled (95 % sure). Rests on: 333 labels, taken to be random, " +
			"7 differ in 200 there; one look. On average, not for each system. People do not differ from each other there.", "Next: people read the other 265 items."}},
		"drawn": {drawn, ClaimUnread, []string{"Rests on: 333 labels, drawn at random, 7 differ in 200 there; one look."}},
		"none": {asked(997, 2, 8), ClaimNoUnread, []string{"No verdict of haiku may stand unread at 90 % (95 % sure). Among the ",
			" surest labelled, ", " passes); people differ from each other on 15 % there: below 7 % is out of reach. Rests on: 333 labels, taken to be random; " +
				"one look. ", "Next: more labels hardly help"}},
		"one person": {func() UnreadQuestion { u := alone; u.Question.Alpha = .02; return u }(), ClaimNoUnread,
			[]string{"how far people differ from each other is not known."}},
		"too few": {few, ClaimFewMore, []string{"Too few to say: 22 labels lie above any threshold; for 90 % (95 % sure), 29 without an error are the least, about 120 " +
			"if 3 % are wrong.", "Next: label 98 more, drawn at random (--budget 98)."}},
		"few items": {asked(59, 0, 0), ClaimReadAll, []string{"Read them all: 59 items"}},
		"ceiling":   {asked(997, 0, 2), ClaimNoUnread, []string{"people differ from each other on 47 % or more at every threshold, so that below 24 % is out of reach"}},
		"warned":    {asked(997, 0, 7), ClaimUnread, []string{"People differ from each other on 14 % there: below 7 % is out of reach."}},
		"surest":    {surest, ClaimNoUnread, []string{"the labels are no random sample", "--budget N"}},
		"chosen":    {doubted, ClaimNoUnread, []string{"the labels are no random sample"}},
		"points":    {points, ClaimNoUnread, []string{"always giving 4 would pass, too (it differs on 0 % of "}},
		"nothing":   {UnreadQuestion{Judges: []string{"haiku"}, Tests: 1, Question: labels.Unread{Alpha: .1, Delta: .05}}, ClaimNoUnread, []string{"it says no confidence"}},
		"notes": {notes, ClaimUnread, []string{"may decide alone on clear on ", "look 1, which has 1/2 of the doubt of all; 2 criteria and judges together",
			"People's file has 3 places without a value", "People read 1 verdict without a confidence."}},
		"of all": {ofAll, ClaimUnread, []string{"haiku may decide alone on ", "at most 5 % of all verdicts are unread and differ from one person like"}},
		"cascade": {both, ClaimUnread, []string{"haiku, then sonnet may decide alone on ", "of the 664 unlabelled items (haiku: 531 items, ", "; sonnet: 133 items, ",
			"An item costs $0.", " on average, and $0.50 if people read all; the labels cost $499.50."}},
		"unpriced":  {unpriced, ClaimUnread, []string{"What an item costs is not said, as the price of a verdict of sonnet is not known."}},
		"not asked": {left, ClaimAsk, []string{"Not known yet: judges were not asked about ", "Next: ask sonnet about "}},
	} {
		d := test.asked.Decide()
		f := d.Finding()
		if f.Claim != test.claim {
			t.Errorf("%s: claim %q (%s), want %q: %s", name, f.Claim, d.Reason, test.claim, f.Text)
		}
		for _, part := range test.parts {
			if !strings.Contains(f.Text, part) {
				t.Errorf("%s: no %q in %q", name, part, f.Text)
			}
		}
		if strings.Contains(f.Text, "people agree") || strings.Contains(f.Text, "NaN") {
			t.Errorf("%s: %q", name, f.Text)
		}
	}
}

// TestUnreadShares: several criteria and looks share the error probability. However many looks there are, all together have no more than
// one alone.
func TestUnreadShares(t *testing.T) {
	levels := func(tests, look int) float64 {
		u := asked(997, .5, 0)
		u.Tests = tests
		u.Look = look
		return u.Decide().Level
	}
	alone := levels(1, 0)
	all := 0.0
	for look := range 40 {
		all += levels(1, look+1)
	}
	if all > alone || levels(4, 0) > alone/3 || levels(1, 1) < alone/3 {
		t.Errorf("levels: alone %v, of 40 looks together %v, of four criteria each %v", alone, all, levels(4, 0))
	}
}

// TestUnreadMore: more labels are called useless only if the share of wrong verdicts is surely above the limit. Their recommended number is
// the number that the test needs, and never more than the unlabelled items.
func TestUnreadMore(t *testing.T) {
	next := func(items, labelled, wrong int) string {
		u := asked(3*items, 0, 0)
		q := &u.Question
		q.Confidence[0] = slices.Repeat([]float64{1}, items)
		q.Labelled = nil
		q.Wrong[0] = nil
		u.Values = nil
		u.Apart = nil
		for i := range labelled {
			q.Labelled = append(q.Labelled, i)
			q.Wrong[0] = append(q.Wrong[0], i < wrong)
			u.Values = append(u.Values, float64(i%2))
			u.Apart = append(u.Apart, math.NaN())
		}
		return u.Decide().Finding().Next
	}
	for _, c := range []struct {
		items, labelled, wrong int
		want                   string
	}{
		{100, 40, 1, "label about 18 more, drawn at random (--budget 18)"},
		{200, 40, 2, "more labels are hardly worth it (1 % to 17 % differ there): another judge or confidence may do better"},
		{400, 32, 3, "more labels are hardly worth it (3 % to 24 % differ there): another judge or confidence may do better"},
		{400, 32, 4, "more differ there than may, by chance or not (5 % to 28 %): more labels say which; another judge or confidence may do better"},
		{400, 40, 20, "more labels hardly help, since more differ there than may; another judge or confidence does"},
	} {
		if got := next(c.items, c.labelled, c.wrong); got != c.want {
			t.Errorf("%d wrong of %d labels of %d items: %q, want %q", c.wrong, c.labelled, c.items, got, c.want)
		}
	}
}
