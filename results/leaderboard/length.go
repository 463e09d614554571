package leaderboard

import (
	"math"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// lengthControl sets the length-controlled points of a judge's rows: the mean that the system
// would have if its answers had the judge's mean log length (Dubois et al. 2024, AlpacaEval 2,
// with a linear model of points in place of a logistic one of preferences):
//
//	points = system and scenario + question + β·log(words) + error
//	length-controlled mean = mean - β·(mean log(words) of the cell - mean log(words) of all)
//
// β is estimated by least squares. System and question take their means off points and
// lengths, so that it is not the effect of better systems that write more, or of questions
// that need more words. Answers count with their first valid verdict. Over all scenarios it is
// the mean of the scenarios. It is missing if lengths do not vary within systems and questions,
// or for an answer without words.
func (b *board) lengthControl(rows []LeaderboardRow) {
	var points, lengths []float64
	var cells, questions []int
	last := dataset.Unrecorded
	for _, s := range b.SheetsOf(b.judge) {
		words, cell := b.Answers[s.Answer].Words, b.CellOf[s.Answer]
		if s.Status != data.Valid || s.Answer == last || cell < 0 || words == 0 {
			continue
		}
		last = s.Answer
		points, lengths = append(points, s.Total), append(lengths, math.Log(float64(words)))
		cells, questions = append(cells, cell), append(questions, b.Question[s.Answer])
	}
	if len(points) == 0 {
		return
	}
	p, l := within(points, cells, questions), within(lengths, cells, questions)
	product, squares := 0.0, 0.0
	for i := range l {
		product, squares = product+p[i]*l[i], squares+l[i]*l[i]
	}
	if squares < 1e-9*float64(len(l)) {
		return
	}
	sums, n, all := make([]float64, len(b.Cells)), make([]float64, len(b.Cells)), 0.0
	for i, c := range cells {
		sums[c], n[c], all = sums[c]+lengths[i], n[c]+1, all+lengths[i]/float64(len(lengths))
	}
	for i := range rows {
		r := &rows[i]
		shift, of := 0.0, table.Where(b.cellsOfRow(r), func(c int) bool { return n[c] > 0 })
		if !r.Mean.Known() || len(of) == 0 {
			continue
		}
		for _, c := range of {
			shift += product / squares * (sums[c]/n[c] - all) / float64(len(of))
		}
		r.LengthControlled = table.Number(*r.Mean.Number - shift)
	}
}

// within takes the means of cells and of questions off, in turn until they no longer change:
// with unequal cells one turn is not enough.
func within(values []float64, cells, questions []int) []float64 {
	const turns = 20
	for range turns {
		before := values
		values = dataset.Centred(dataset.Centred(values, cells), questions)
		far := 0.0
		for i := range values {
			far = max(far, math.Abs(values[i]-before[i]))
		}
		if far < 1e-6 {
			break
		}
	}
	return values
}
