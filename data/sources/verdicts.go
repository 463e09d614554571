package sources

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// ReadVerdicts reads a file of verdicts in this project's own format. It returns nil if the file has another format, is also read for the
// other side, or if flags say what its values are. In a table, the score on the criterion with an id is in the column "c"+id. Package
// rubric checks later whether scores are complete and in range.
//
// known reports whether an answer exists; a verdict on an unknown answer is an error. Several verdicts of a judge on an answer are an error
// too, unless Options.Repeats says which counts.
func ReadVerdicts(path string, criteria []string, known func(answer string) bool, o Options) (*data.VerdictList, error) {
	columns, _, err := (&Format{}).firstColumns(path, "verdicts")
	if err != nil {
		return nil, err
	}
	f, err := ownFormat(ownVerdicts, columns, criteria)
	if err != nil || f == nil || o.Missing != nil || o.Map != nil || len(o.Scales) > 0 || o.shared(path) {
		return nil, err
	}
	columns = data.Each(criteria, func(id string) string { return "c" + id })
	r := &verdictReader{criteria: criteria, columns: columns, known: known, o: o, list: &data.VerdictList{},
		places: map[data.VerdictPlace]verdictPlace{}, repeated: map[data.VerdictPlace][]data.Verdict{}}
	if err := f.each(path, "verdicts", r.read); err != nil {
		return nil, err
	}
	return r.list, nil
}

// A verdictReader reads verdicts in this project's own format.
type verdictReader struct {
	criteria []string
	columns  []string // columns of the scores, one for each of criteria
	known    func(answer string) bool
	o        Options
	list     *data.VerdictList
	places   map[data.VerdictPlace]verdictPlace
	repeated map[data.VerdictPlace][]data.Verdict // valid verdicts of which the mean counts
}

// A verdictPlace is the position of a judge's first verdict on an answer.
type verdictPlace struct{ line, index int32 } // line in the file, index in the list

// read reads one verdict.
func (r *verdictReader) read(record *scope) error {
	text := func(field string) string { // not a copy: the list copies what it keeps
		value, _ := record.member(field)
		return textOf(value)
	}
	v := data.Verdict{Answer: asName(text("id")), Judge: asName(text("judge")), Status: cmp.Or(data.Status(text("status")), data.Valid),
		Reason: text("reason"), Raw: text("raw"), Repeat: 1}
	if n, given := record.number("repeat"); given {
		v.Repeat = int(n)
	}
	if total, given := record.number("total"); given {
		v.Total = &total
	}
	if err := data.CheckOrigin(v.Judge, text("origin")); err != nil {
		return record.Errorf("%v", err)
	}
	var err error
	v.Scores, err = r.scores(record)
	if err != nil {
		return err
	}
	if v.Status == data.Valid && v.Total != nil && len(v.Scores) > 0 && !near(sumOf(v.Scores), *v.Total) {
		return record.Errorf("total is %v, but the scores add up to %v", *v.Total, sumOf(v.Scores))
	}
	if !r.known(v.Answer) {
		return record.Errorf("no answer has the id %q", v.Answer)
	}
	return r.add(record, v)
}

// scores returns the scores of a verdict, from the object in the field scores and from the columns of the criteria.
func (r *verdictReader) scores(record *scope) (data.Scores, error) {
	scores := data.Scores{}
	object := record.get("scores")
	text := object.Raw
	if record.Table != nil {
		text = object.Str
	}
	if text != "" && object.Type != gjson.Null {
		read, err := data.ParseScores(text)
		if err != nil {
			return nil, record.Errorf("scores is %s; an object of criterion to points is needed", data.Clip(text))
		}
		scores = read
	}
	for i, column := range r.columns {
		if points, given := record.number(column); given {
			scores[r.criteria[i]] = points
		}
	}
	return scores, nil
}

// number returns the number in a field. given is false if the field is missing or has no number.
func (s *scope) number(field string) (x float64, given bool) {
	value, known := s.member(field)
	if !known {
		return 0, false
	}
	return data.Number(valueOf(value))
}

// sumOf returns the sum of scores, added in the order of criteria.
func sumOf(scores data.Scores) (sum float64) {
	for _, id := range slices.Sorted(maps.Keys(scores)) {
		sum += scores[id]
	}
	return sum
}

// near reports whether two sums are equal up to rounding.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(x)) }

// add adds a verdict. If the judge has a verdict on the answer, Options.Repeats decides which counts.
func (r *verdictReader) add(record *scope, v data.Verdict) error {
	place := r.list.Place(v)
	first, twice := r.places[place]
	if !twice {
		r.places[place] = verdictPlace{int32(record.Line), int32(r.list.Len())}
		r.list.Add(v)
		return nil
	}
	index := int(first.index)
	switch r.o.Repeats {
	case "":
		return record.Errorf("duplicate verdict of judge %q on answer %q, repeat %d: it is also on line %d (a column repeat tells them apart; "+
			"--repeats first|last|mean says which counts)", v.Judge, v.Answer, v.Repeat, first.line)
	case RepeatsLast:
		r.list.Set(index, v)
	case RepeatsMean:
		if before := r.list.At(index); r.repeated[place] == nil && before.Status == data.Valid {
			r.repeated[place] = append(r.repeated[place], before)
		}
		if v.Status == data.Valid {
			r.repeated[place] = append(r.repeated[place], v)
			r.list.Set(index, meanOf(r.repeated[place]))
		}
	}
	return nil
}

// meanOf returns the first verdict, with the mean of all verdicts' scores on each criterion and no total.
func meanOf(verdicts []data.Verdict) data.Verdict {
	points := map[string][]float64{}
	for _, v := range verdicts {
		for id, x := range v.Scores {
			points[id] = append(points[id], x)
		}
	}
	pooled := verdicts[0]
	pooled.Total = nil
	pooled.Scores = data.Scores{}
	for id, list := range points {
		pooled.Scores[id] = mean(list)
	}
	return pooled
}
