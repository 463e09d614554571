package validation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/labels"
)

// LooksName is the name of the file in a folder of looks (--record DIR). A look is one analysis of a judge's data while they accumulate.
const LooksName = "looks.jsonl"

// A Looked is a line of the file: what one look added for one item. A line is written for an item that is new, that has its first label, or
// that a judge rated again. Item and question are hashes. Values without a number on one scale are missing.
type Looked struct {
	Look      int      `json:"look"` // number of the look, from 1
	Judge     string   `json:"judge"`
	Criterion string   `json:"criterion"`
	Item      string   `json:"item"`
	Question  string   `json:"question"`
	Rated     *float64 `json:"rated,omitempty"`             // the judge's value
	People    *float64 `json:"people,omitempty"`            // mean of people's values
	Same      *bool    `json:"same,omitempty"`              // the judge's value is the majority of people
	Low       float64  `json:"low"`                         // ends of the scale
	High      float64  `json:"high"`                        // … both 0: the scale has no ends
	Again     bool     `json:"again,omitempty"`             // the judge rated it again
	NotRandom bool     `json:"labels_not_random,omitempty"` // the labels of this look are no random sample
}

// Looks has the lines of all looks so far.
type Looks struct {
	Path  string `json:"-"`
	Lines []Looked
	Last  int
}

// UnmarshalJSON reads looks from an untrusted file, with a bound on the number of lines.
func (l *Looks) UnmarshalJSON(text []byte) error {
	var packed struct {
		Lines data.BoundedList[Looked]
		Last  int
	}
	err := json.Unmarshal(text, &packed)
	l.Lines = packed.Lines
	l.Last = packed.Last
	return err
}

// ReadLooks reads the looks in a folder. If the folder has none, the result is empty. An error says which line is wrong, why, and what to
// do.
func ReadLooks(dir string) (*Looks, error) {
	l := &Looks{Path: filepath.Join(dir, LooksName)}
	text, err := os.ReadFile(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	} else if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		looked, err := parseLooked(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: the line is damaged: %w: restore it from a copy of the file, or delete it: its item then belongs "+
				"to the next look at a log that has it", l.Path, i+1, err)
		}
		if looked.Look < max(1, l.Last) || looked.Look > l.Last+1 {
			return nil, fmt.Errorf("%s:%d: look %d follows look %d, so lines are missing or in another order: restore the file from a copy, "+
				"or begin again with another folder", l.Path, i+1, looked.Look, l.Last)
		}
		l.Last = looked.Look
		l.Lines = append(l.Lines, looked)
	}
	return l, nil
}

// parseLooked reads one line of the file.
func parseLooked(line string) (looked Looked, err error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	switch err := d.Decode(&looked); {
	case strings.TrimSpace(line) == "":
		return looked, errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return looked, errors.New("its end is missing")
	case err != nil:
		return looked, fmt.Errorf("it cannot be read (%w)", err)
	}
	end := d.InputOffset()
	if _, err := d.Token(); err != io.EOF {
		return looked, fmt.Errorf("it goes on after its item (character %d)", end)
	}
	return looked, looked.check()
}

func (line Looked) check() error {
	if slices.Contains([]string{line.Judge, line.Criterion, line.Item, line.Question}, "") {
		return errors.New("it needs judge, criterion, item and question")
	}
	return nil
}

// Write writes the lines of all looks.
func (l *Looks) Write(w io.Writer) error { return table.Lines(l.Lines)(w) }

// An AnyTimeRow is a row of any_time.csv: a figure over the looks since it last moved. With probability .95, the bounds contain the true
// figure at all these looks at once, unless it moves. If the bounds exclude the value of their own labels, the figure has probably moved.
// (Without a move this happens in at most 6 % of simulated streams of 20 looks.) Bounds then start again with the labels of the next look.
// With the labels that showed the move, they would contain the figure less often.
type AnyTimeRow struct {
	Of
	Figure   string       `csv:"figure"`
	Looks    int          `csv:"looks"`
	N        int          `csv:"n"`
	Value    stats.Figure `csv:"value"`
	Low      stats.Figure `csv:"low"`
	High     stats.Figure `csv:"high"`
	Weighted int          `csv:"looks_not_random"`
	Since    int          `csv:"since_look"` // the first look that counts for the figure

	left stats.Figure // value and bounds before the restart at look Since; no value: no restart
}

// Names of the figures in any_time.csv.
const (
	anyAgreement  = "agreement"
	anyRate       = "rate_people"
	anyDifference = "judge_minus_people"
)

// wordsOfFigures has the words for the figures of any_time.csv in sentences.
var wordsOfFigures = map[string]string{anyAgreement: "agreement", anyRate: "what people give", anyDifference: "judge minus people"}

// A MovedRow is a row of moved.csv: what changed since the first look. Changes are later looks minus the first.
type MovedRow struct {
	Of
	Looks         int          `csv:"looks"`
	Moved         string       `csv:"moved"`
	Since         int          `csv:"since_look"`
	Items         int          `csv:"n_items"`
	Labelled      int          `csv:"n_labelled"`
	JudgeChange   stats.Figure `csv:"judge_change,judge_low,judge_high"`
	JudgeE        stats.Figure `csv:"judge_e"`
	AnchorsChange stats.Figure `csv:"anchors_change,anchors_low,anchors_high"`
	AnchorsE      stats.Figure `csv:"anchors_e"`
	JudgeFound    stats.Figure `csv:"judge_found"` // least change since the second look that these looks would find in 80 % of cases
	AnchorsFound  stats.Figure `csv:"anchors_found"`

	left []string // figures of any_time.csv that moved, in words
}

// A history has what all looks recorded about a criterion of a judge.
type history struct {
	items    map[string]*looked
	order    []*looked
	low      float64
	high     float64
	weighted map[int]bool
}

type looked struct {
	item, question string
	ratings        []labels.Rating // the judge's values, one for each look that recorded one; Cluster is filled in later
	label          *Looked         // the first line with a label
}

func newHistory() *history { return &history{items: map[string]*looked{}, weighted: map[int]bool{}} }

func (h *history) add(line Looked) {
	x := h.items[line.Item]
	if x == nil {
		x = &looked{item: line.Item, question: line.Question}
		h.items[line.Item] = x
		h.order = append(h.order, x)
	}
	if line.Rated != nil && (len(x.ratings) == 0 || line.Again) {
		x.ratings = append(x.ratings, labels.Rating{Look: line.Look, Judge: *line.Rated})
	}
	if x.label == nil && (line.People != nil || line.Same != nil) {
		x.label = &line
	}
	h.low = min(h.low, line.Low)
	h.high = max(h.high, line.High)
	if line.NotRandom {
		h.weighted[line.Look] = true
	}
}

// last returns the judge's latest value of the item, or nil if it has none.
func (x *looked) last() *float64 {
	if len(x.ratings) == 0 {
		return nil
	}
	return &x.ratings[len(x.ratings)-1].Judge
}

// look adds the data that are new since the last look, and computes the figures over all looks. It lists in r.Done what it kept, and why a
// criterion has no look.
func (r *Result) look(l *Looks) {
	histories := map[Of]*history{}
	for _, line := range l.Lines {
		key := Of{line.Judge, line.Criterion}
		if histories[key] == nil {
			histories[key] = newHistory()
		}
		histories[key].add(line)
	}
	number := l.Last + 1
	more := 0
	before := data.Set(data.Each(l.Lines, func(line Looked) string { return line.Judge }))
	for _, p := range r.Pairings {
		if !p.SameScale && !p.nominal() {
			r.Done = append(r.Done, fmt.Sprintf("%s: no look is kept, since judge and people have no common scale", r.name(p)))
			continue
		}
		h := histories[p.Of]
		if h == nil {
			h = newHistory()
			histories[p.Of] = h
			if len(before) > 0 && !slices.Contains(before, p.Judge) {
				r.Done = append(r.Done, fmt.Sprintf("%s: no earlier look in %s is of the judge %s, but of %s, so nothing can have moved; "+
					"a judge needs the same name at each look: --judge NAME=COLUMN", p.Criterion, l.Path, p.Judge, data.List(before)))
			}
		}
		for _, line := range p.looked(number, h) {
			h.add(line)
			l.Lines = append(l.Lines, line)
			more++
		}
	}
	if more > 0 {
		l.Last = number
	}
	for _, p := range r.Pairings {
		if h := histories[p.Of]; h != nil && l.Last > 0 {
			rows := h.anyTime(p, l.Last)
			r.AnyTime = append(r.AnyTime, rows...)
			row, ok := h.moved(p, l.Last)
			for _, figure := range rows {
				if figure.left.Known {
					row.left = append(row.left, wordsOfFigures[figure.Figure])
				}
			}
			if row.left != nil && row.Moved == labels.Nobody {
				row.Moved = trust.SomebodyMoved
			}
			if ok {
				r.Moved = append(r.Moved, row)
			}
		}
	}
	kept := fmt.Sprintf("Look %d is kept in %s", l.Last, l.Path)
	if more == 0 {
		kept = fmt.Sprintf("Nothing is new since look %d in %s, so that this is no further look", l.Last, l.Path)
	}
	r.Labels = append(r.Labels, r.anyTimeFindings()...)
	r.Done = append(r.Done, kept)
	r.looks = l
}

// Looks returns all looks including this one, or nil if no looks are kept.
func (r *Result) Looks() *Looks { return r.looks }

// looked returns the lines that this look adds for a criterion: items that are new or have their first label. If the judge changed any
// value of an item that an earlier look had, all such items are added again. Otherwise the log only repeats earlier values.
func (p *Pairing) looked(look int, before *history) (lines []Looked) {
	low := 0.0
	high := 0.0
	if !p.nominal() {
		low = p.PeopleScale.Low
		high = p.PeopleScale.High
		if p.PeopleScale.Kind == scales.Binary {
			low = 0
			high = 1
		}
	}
	hash := func(text string) string { sum := sha256.Sum256([]byte(text)); return hex.EncodeToString(sum[:12]) }
	again := false
	for i, v := range p.judge.Values {
		line := Looked{Look: look, Judge: p.Judge, Criterion: p.Criterion, Item: hash(p.unitKeys[i]), Question: hash(p.questions[i]),
			Low: low, High: high, NotRandom: p.sampling.chosen()}
		if !v.Given() {
			continue
		}
		if strings.HasPrefix(p.questions[i], "\x00") {
			line.Question = line.Item // the item has no question, and is its own cluster
		}
		if !p.nominal() {
			rated := v.Number()
			line.Rated = &rated
			line.Low = min(low, rated)
			line.High = max(high, rated)
			if m := p.mean.Values[i]; m.Given() {
				people := m.Number()
				line.People = &people
				line.Low = min(line.Low, people)
				line.High = max(line.High, people)
			}
		}
		if m := p.most.Values[i]; m.Given() {
			same := m.Number() == v.Number()
			line.Same = &same
		}
		lines = append(lines, line)
		if x := before.items[line.Item]; x != nil && x.last() != nil && line.Rated != nil && *x.last() != *line.Rated {
			again = true
		}
	}
	for k := range lines {
		lines[k].Again = again && before.items[lines[k].Item] != nil
	}
	return data.Where(lines, func(line Looked) bool {
		x := before.items[line.Item]
		return x == nil || again || x.label == nil && (line.People != nil || line.Same != nil)
	})
}

// surelyChosen is the p-value below which the labels of a look count as not random. A limit of 5 % would suspect one of twenty random
// samples.
const surelyChosen = 0.001

// chosen reports whether labels are not a random sample. Labels that all have the same inclusion probability are a random sample.
func (s sampling) chosen() bool {
	return s.name == designInclusion && !s.equal || len(s.Differences) > 0 && s.Differences[0].P < surelyChosen
}

// anyTime returns the figures over all looks. They have no values if the labels of some look are no random sample. Each question counts
// once, with the mean of its items that were labelled at the same first look. Within a look, questions are ordered by their hashes, which
// do not depend on values.
func (h *history) anyTime(p *Pairing, looks int) (rows []AnyTimeRow) {
	labelled := data.Where(h.order, func(x *looked) bool { return x.label != nil })
	slices.SortFunc(labelled, func(a, b *looked) int {
		return cmp.Or(a.label.Look-b.label.Look, cmp.Compare(a.question, b.question), cmp.Compare(a.item, b.item))
	})
	first := map[string]int{} // look at which a question had its first label
	for _, x := range labelled {
		if first[x.question] == 0 {
			first[x.question] = x.label.Look
		}
	}
	add := func(figure string, low, high float64, value func(l *Looked) (float64, bool)) {
		var means, n []float64
		var lookOf []int // look of each mean
		index := map[string]int{}
		for _, x := range labelled {
			v, has := value(x.label)
			if !has || first[x.question] != x.label.Look {
				continue
			}
			k, known := index[x.question]
			if !known {
				k = len(means)
				index[x.question] = k
				means = append(means, 0)
				n = append(n, 0)
				lookOf = append(lookOf, x.label.Look)
			}
			means[k], n[k] = means[k]+v, n[k]+1
		}
		for k := range means {
			means[k] /= n[k]
		}
		row := AnyTimeRow{Of: p.Of, Figure: figure, Looks: looks, N: len(means), Since: 1, Weighted: len(h.weighted)}
		if len(means) > 0 && (row.Weighted > 0 || row.follow(means, lookOf, low, high)) {
			rows = append(rows, row)
		}
	}
	add(anyAgreement, 0, 1, func(l *Looked) (float64, bool) {
		if l.Same == nil {
			return 0, false
		}
		if *l.Same {
			return 1, true
		}
		return 0, true
	})
	if h.high > h.low {
		add(anyRate, h.low, h.high, func(l *Looked) (float64, bool) {
			if l.People == nil {
				return 0, false
			}
			return *l.People, true
		})
		width := h.high - h.low
		add(anyDifference, -width, width, func(l *Looked) (float64, bool) {
			if l.People == nil || l.Rated == nil {
				return 0, false
			}
			return *l.Rated - *l.People, true
		})
	}
	return rows
}

// follow computes the row's value and bounds from means of questions in [low, high]. lookOf has the look of each mean, in ascending order.
// After a look whose bounds exclude their own value, it starts again with the next look. It returns false if there are no bounds.
func (row *AnyTimeRow) follow(means []float64, lookOf []int, low, high float64) bool {
	start := 0
	for end := 1; end <= len(means); end++ {
		if end < len(means) && lookOf[end] == lookOf[end-1] {
			continue
		}
		s, err := labels.MeanSequence(means[start:end], low, high, level)
		if err != nil {
			return false
		}
		figure := stats.WithInterval(s.Value, s.Low, s.High)
		row.N, row.Value, row.Low, row.High = s.N, figure.Point(), figure.Lower(), figure.Upper()
		if s.Value < s.Low || s.Value > s.High {
			start = end
			row.Since = lookOf[end-1] + 1
			row.left = figure
			row.N = 0
			row.Value = stats.Figure{}
			row.Low = stats.Figure{}
			row.High = stats.Figure{}
		}
	}
	return true
}

// moved computes what changed since the first look. ok is false if there are no numbers or no second look.
func (h *history) moved(p *Pairing, looks int) (row MovedRow, ok bool) {
	row = MovedRow{Of: p.Of, Looks: looks}
	var ratings []labels.Rating
	clusters := map[string]int{}
	for _, x := range h.order {
		if clusters[x.question] == 0 {
			clusters[x.question] = len(clusters) + 1
		}
		for _, rating := range x.ratings {
			rating.Cluster = clusters[x.question]
			row.Items++
			if x.label != nil && x.label.People != nil {
				rating.People = *x.label.People
				rating.Labelled = true
				row.Labelled++
			}
			ratings = append(ratings, rating)
		}
	}
	earlier := slices.ContainsFunc(ratings, func(rating labels.Rating) bool { return rating.Look < looks })
	if !earlier || !(h.high > h.low) {
		return row, false
	}
	d := labels.FindDrift(ratings, h.high-h.low, level)
	row.Moved = d.Moved
	row.Since = min(d.AllItems.Since, d.Anchors.Since)
	if row.Since == 0 {
		row.Since = max(d.AllItems.Since, d.Anchors.Since)
	}
	fill := func(c labels.Change) (change stats.Figure, e, found stats.Figure) {
		if c.SE > 0 {
			change = estimated(c.Estimate)
			e = stats.Number(math.Min(c.E, 1e300))
			found = stats.Number(c.Found)
		}
		return change, e, found
	}
	row.JudgeChange, row.JudgeE, row.JudgeFound = fill(d.AllItems)
	row.AnchorsChange, row.AnchorsE, row.AnchorsFound = fill(d.Anchors)
	return row, true
}

// part returns the figure and its bounds in words, as part of a sentence.
func (row AnyTimeRow) part() string {
	since := ""
	if row.Since > 1 {
		since = fmt.Sprintf(" (since look %d)", row.Since)
	}
	name := wordsOfFigures[row.Figure]
	if row.Figure == anyRate {
		name = "people give"
	}
	return name + " " + row.text(stats.Bound(row.Value, row.Low, row.High)) + since
}

// text returns a figure with two decimals, and the sign if it is a difference.
func (row AnyTimeRow) text(b stats.Figure) string {
	if row.Figure == anyDifference {
		return b.Signed(2)
	}
	return b.Text(2)
}
