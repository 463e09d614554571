package summaries

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/stats"
)

// A CoCoTripRow has the figures of a system on a split of CoCoTrip, with intervals clustered by pair of hotels. Texts that are not tables
// have only the ROUGE figures.
type CoCoTripRow struct {
	System      string       `csv:"system"`
	Split       string       `csv:"split"`
	Pairs       int          `csv:"pairs"`
	F1          stats.Figure `csv:"attribute_f1,attribute_f1_low,attribute_f1_high"`
	Kinds       stats.Figure `csv:"kind_accuracy,kind_accuracy_low,kind_accuracy_high"` // share of the matched attributes
	Own         stats.Figure `csv:"rouge1_own"`
	Other       stats.Figure `csv:"rouge1_other"`
	Gap         stats.Figure `csv:"rouge1_gap,rouge1_gap_low,rouge1_gap_high"`
	Values      stats.Figure `csv:"values"` // number of values in all tables
	QuotesFound stats.Figure `csv:"quotes_found"`
	WrongEntity stats.Figure `csv:"wrong_entity"`
}

// CoCoTrip scores the tables of a system, one for each pair of hotels. For comparison, it also scores the first sentences of the reviews,
// the rows of the gold tables, and people's summaries against each other.
func CoCoTrip(system string, pairs []sources.HotelPair, tables []data.ContrastTable) ([]CoCoTripRow, error) {
	var rows []CoCoTripRow
	var calc dataset.Calculator
	names := []string{system, "first sentences", "gold rows", people}
	for _, part := range []string{"train+dev", "test"} { // systems are tuned on train+dev and reported on test
		var f1, kinds dataset.Sample
		var found, wrong ratio
		samples := make([]dataset.Sample, len(names))
		other := make([]dataset.Sample, len(names))
		gaps := make([]dataset.Sample, len(names))
		for i, p := range pairs {
			if !slices.Contains(strings.Split(part, "+"), p.Split) {
				continue
			}
			score := ScorePair(p, tables[i])
			f1.Add(score.F1(), i)
			for k := range score.Matched {
				kinds.Add(dataset.Indicator(k < score.SameKind), i)
			}
			found = ratio{found.part + score.Found, found.total + score.Values}
			wrong = ratio{wrong.part + score.Wrong,
				wrong.total + score.Values}
			for k, gap := range []rougeGap{score.rougeGap, gapOf(p, leadTexts(p)), gapOf(p, goldTexts(p)), peopleGap(p)} {
				samples[k].Add(gap.Own, i)
				other[k].Add(gap.Other, i)
				gaps[k].Add(gap.Own-gap.Other, i)
			}
		}
		for k, name := range names {
			r := CoCoTripRow{System: name, Split: part, Pairs: len(gaps[k].Values), Own: calc.Mean(samples[k]).Point(),
				Other: calc.Mean(other[k]).Point(),
				Gap:   calc.Mean(gaps[k])}
			if k == 0 {
				r.F1, r.Kinds, r.Values = calc.Mean(f1), calc.Mean(kinds), stats.Count(found.total)
				r.QuotesFound, r.WrongEntity = found.figure(), wrong.figure()
			}
			if r.Pairs > 0 {
				rows = append(rows, r)
			}
		}
	}
	return rows, calc.Err
}

// A PairScore compares the table of a pair of hotels with its gold table, and with people's summaries.
type PairScore struct {
	// Numbers of attributes, after merging: of the gold table, of the system's table, in both, and in both with the same kind of cells.
	Gold, Predicted, Matched, SameKind int
	rougeGap                           // of what the table says about each hotel
	// Numbers of values in the table: all, those whose quotes are all in their sources, and those with a source about the other hotel.
	Values, Found, Wrong int
}

// F1 returns the harmonic mean of precision and recall of attributes. It is 0 if no attribute matches.
func (s PairScore) F1() float64 {
	if s.Matched == 0 {
		return 0
	}
	return 2 * float64(s.Matched) / float64(s.Gold+s.Predicted)
}

// attributeClasses merges names of attributes for hotels: all names of a line are one attribute. The lines were chosen on the train and dev
// splits.
var attributeClasses = []string{
	"dining food restaurant bar breakfast lounge meal", "facility facilities amenities amenity pool fitness gym spa",
	"value price cost rate charge charges",
	"internet wifi", "room bed bathroom", "noise sound", "decorations decor decoration design", "cleanliness hygiene", "security safety",
}

// classOf returns the attribute that a name stands for. It is the class of the last word that has one: "additional charges" is "value".
// Without such a word, it is the name itself.
func classOf(name string) string {
	words := data.Words(name)
	for _, w := range slices.Backward(words) {
		for _, form := range []string{w, strings.TrimSuffix(w, "s")} {
			for _, class := range attributeClasses {
				if names := strings.Fields(class); slices.Contains(names, form) {
					return names[0]
				}
			}
		}
	}
	return strings.TrimSuffix(strings.Join(words, " "), "s")
}

// A cellKind says which cells of a row are filled, and whether they contrast the hotels.
type cellKind struct{ first, second, contrasts bool }

// and merges the kinds of two rows: a cell is filled, or contrasts, if it does in either row.
func (k cellKind) and(other cellKind) cellKind {
	return cellKind{k.first || other.first, k.second || other.second, k.contrasts || other.contrasts}
}

// same reports whether two rows fill the same cells. If both cells are filled, the rows must also agree on whether they contrast.
func (k cellKind) same(other cellKind) bool {
	return k == other || k.first == other.first && k.second == other.second && !(k.first && k.second)
}

// ScorePair scores the table of a pair of hotels. It merges attributes by their names (see attributeClasses); a merged attribute has the
// cells of all its rows. A source belongs to its hotel in the pair, even if the system was told another entity.
func ScorePair(p sources.HotelPair, t data.ContrastTable) PairScore {
	gold := map[string]cellKind{}
	predicted := map[string]cellKind{}
	for _, r := range p.Gold {
		a := r.Own[0] != ""
		b := r.Own[1] != ""
		common := r.Common != ""
		class := classOf(r.Attribute)
		gold[class] = gold[class].and(cellKind{a || common, b || common, a && b || common && (a || b)})
	}
	for _, r := range t.Rows {
		class := classOf(r.Attribute)
		predicted[class] = predicted[class].and(cellKind{len(r.Object1) > 0, len(r.Object2) > 0, r.Kind == data.RowContrast})
	}
	s := PairScore{Gold: len(gold), Predicted: len(predicted)}
	for name, kind := range gold {
		if guess, found := predicted[name]; found {
			s.Matched++
			s.SameKind += int(dataset.Indicator(guess.same(kind)))
		}
	}
	texts := map[string]string{}
	entities := map[string]string{}
	for _, source := range p.Sources {
		texts[source.ID] = source.Text
		entities[source.ID] = source.Entity
	}
	var quotes attributed
	quotes.add(t, nil, texts)
	s.Values = quotes.found.total
	s.Found = quotes.found.part
	var said [2][]string
	for _, r := range t.Rows {
		for k, values := range r.Cells() {
			name := [2]string{string(data.Object1), string(data.Object2)}[k]
			for _, v := range values {
				said[k] = append(said[k], v.Value)
				if slices.ContainsFunc(v.Evidence, func(e data.Evidence) bool { return entities[e.Source] != name }) {
					s.Wrong++
				}
			}
		}
	}
	s.rougeGap = gapOf(p, said)
	return s
}

// rougeWords returns the words that ROUGE counts: runs of letters and digits, in lower case (Lin 2004).
func rougeWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// A rougeGap has the mean ROUGE-1 F of texts about two hotels. Own compares a text with people's summaries of the same hotel, Other with
// their summaries of the other hotel.
type rougeGap struct{ Own, Other float64 }

// gapOf returns the gap of the texts about each hotel.
func gapOf(p sources.HotelPair, texts [2][]string) rougeGap {
	var means [2][2]float64
	for k, text := range texts {
		words := rougeWords(strings.Join(text, " "))
		for object, summaries := range p.Summaries {
			for _, summary := range summaries {
				means[k][object] += stats.Rouge1(words, rougeWords(summary)) / float64(len(summaries))
			}
		}
	}
	return rougeGap{(means[0][0] + means[1][1]) / 2, (means[0][1] + means[1][0]) / 2}
}

// peopleGap returns the mean gap of each summary with the summaries of the other people. A writer's own summary of the other hotel does not
// count.
func peopleGap(p sources.HotelPair) (gap rougeGap) {
	n := 0.0
	for k, summaries := range p.Summaries {
		for i, text := range summaries {
			for j := range min(len(summaries), len(p.Summaries[1-k])) {
				if words := rougeWords(text); i != j {
					gap.Own += stats.Rouge1(words, rougeWords(summaries[j]))
					gap.Other += stats.Rouge1(words, rougeWords(p.Summaries[1-k][j]))
					n++
				}
			}
		}
	}
	return rougeGap{gap.Own / max(n, 1), gap.Other / max(n, 1)}
}

// goldTexts returns, for each hotel, the texts of the gold table that are about this hotel only.
func goldTexts(p sources.HotelPair) (texts [2][]string) {
	for _, r := range p.Gold {
		for k, name := range r.Own {
			texts[k] = append(texts[k], name)
		}
	}
	return texts
}

// leadTexts returns, for each hotel, the first sentences of its reviews, as a baseline.
func leadTexts(p sources.HotelPair) (texts [2][]string) {
	for _, s := range p.Sources {
		k := int(dataset.Indicator(s.Entity == string(data.Object2)))
		texts[k] = append(texts[k], firstSentence(s.Text))
	}
	return texts
}

var sentenceEnd = regexp.MustCompile(`[.!?][ \n\t\r]`)

func firstSentence(text string) string {
	text = strings.TrimSpace(text)
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		return text[:end[0]+1]
	}
	return text
}
