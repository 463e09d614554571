package summaries

import (
	"slices"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/data/sources"
	"compqa/stats"
)

// A PairScore compares the table of a pair of hotels with its gold table and with people's
// summaries.
type PairScore struct {
	// Attributes after merging, those that both tables have, and of these, those with the
	// same kind of cells.
	Gold, Predicted, Matched, SameKind int
	// Own and Other are the mean ROUGE-1 F of what the table says of a hotel with the people's
	// summaries of this hotel and of the other one.
	Own, Other float64
	// Values of the table, those whose quotes are all in their sources, and those with a
	// source about the other hotel.
	Values, Found, Wrong int
}

// F1 is the harmonic mean of precision and recall of attributes, 0 without a match.
func (s PairScore) F1() float64 {
	if s.Matched == 0 {
		return 0
	}
	return 2 * float64(s.Matched) / float64(s.Gold+s.Predicted)
}

// attributeClasses merges the names of attributes for hotels: each list is one attribute. They
// were chosen on the train and dev splits.
var attributeClasses = func() map[string]string {
	m := map[string]string{}
	for _, class := range []string{
		"dining food restaurant bar breakfast lounge meal", "facility facilities amenities amenity pool fitness gym spa",
		"value price cost rate charge charges",
		"internet wifi", "room bed bathroom", "noise sound", "decorations decor decoration design", "cleanliness hygiene", "security safety",
	} {
		names := strings.Fields(class)
		for _, name := range names {
			m[name] = names[0]
		}
	}
	return m
}()

// classOf is the attribute that a name stands for: the class of its last word that has one, as
// in "additional charges", else its words.
func classOf(name string) string {
	words := data.Words(name)
	for _, w := range slices.Backward(words) {
		for _, form := range []string{w, strings.TrimSuffix(w, "s")} {
			if class, known := attributeClasses[form]; known {
				return class
			}
		}
	}
	return strings.TrimSuffix(strings.Join(words, " "), "s")
}

// A cellKind says which parts of a row are filled: of which hotels, and whether they differ.
type cellKind struct {
	object1, object2, contrast bool
}

func (k cellKind) or(other cellKind) cellKind {
	return cellKind{k.object1 || other.object1, k.object2 || other.object2, k.contrast || other.contrast}
}

// kind is "both" for values that differ, "common" for values that are alike, else "a" or "b".
func (k cellKind) kind() string {
	switch {
	case k.object1 && k.object2 && k.contrast:
		return "both"
	case k.object1 && k.object2:
		return "common"
	case k.object1:
		return "a"
	}
	return "b"
}

func goldKinds(rows []sources.GoldRow) map[string]cellKind {
	kinds := map[string]cellKind{}
	for _, r := range rows {
		a, b, common := r.Own[0] != "", r.Own[1] != "", r.Common != ""
		kinds[classOf(r.Attribute)] = kinds[classOf(r.Attribute)].or(cellKind{a || common, b || common, a && b || common && (a || b)})
	}
	return kinds
}

func tableKinds(t data.ContrastTable) map[string]cellKind {
	kinds := map[string]cellKind{}
	for _, r := range t.Rows {
		kinds[classOf(r.Attribute)] = kinds[classOf(r.Attribute)].or(cellKind{len(r.Object1) > 0, len(r.Object2) > 0, r.Kind == data.RowContrast})
	}
	return kinds
}

// ScorePair scores the table of a pair of hotels. Attributes are merged by their names (see
// attributeClasses); a merged one has the cells of all its rows. A source belongs to its
// hotel in the pair, even if the system got another entity.
func ScorePair(p sources.HotelPair, t data.ContrastTable) PairScore {
	gold, table := goldKinds(p.Gold), tableKinds(t)
	s := PairScore{Gold: len(gold), Predicted: len(table)}
	for name, kind := range gold {
		own, found := table[name]
		if found {
			s.Matched++
		}
		if found && own.kind() == kind.kind() {
			s.SameKind++
		}
	}
	texts := map[string]data.Source{}
	for _, source := range p.Sources {
		texts[source.ID] = source
	}
	quotes := Attribution(t, nil, func(e data.Evidence) (is, known bool) {
		quote := folded(e.Quote)
		return quote != "" && strings.Contains(folded(texts[e.Source].Text), quote), texts[e.Source].ID != ""
	})
	s.Values, s.Found = quotes.Values, quotes.Found
	var said [2][]string
	for _, r := range t.Rows {
		for k, values := range r.Cells() {
			own := [2]string{string(data.Object1), string(data.Object2)}[k]
			for _, v := range values {
				said[k] = append(said[k], v.Value)
				if slices.ContainsFunc(v.Evidence, func(e data.Evidence) bool { return texts[e.Source].Entity != own }) {
					s.Wrong++
				}
			}
		}
	}
	s.Own, s.Other = RougeGap(p, [2]string{strings.Join(said[0], " "), strings.Join(said[1], " ")})
	return s
}

// folded is a text with single spaces.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// rougeWords are the words that ROUGE counts: runs of letters and digits. Lin 2004.
func rougeWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// RougeGap is the mean ROUGE-1 F of texts about two hotels with people's summaries of the same
// hotel, and of the other one.
func RougeGap(p sources.HotelPair, texts [2]string) (own, other float64) {
	var means [2][2]float64
	for k, text := range texts {
		words := rougeWords(text)
		for of, summaries := range p.Summaries {
			for _, summary := range summaries {
				means[k][of] += stats.Rouge1(words, rougeWords(summary)) / float64(len(summaries))
			}
		}
	}
	return (means[0][0] + means[1][1]) / 2, (means[0][1] + means[1][0]) / 2
}

// PeopleGap is RougeGap of each summary with those of the other people. A writer's own summary
// of the other hotel does not count.
func PeopleGap(p sources.HotelPair) (own, other float64) {
	n := 0.0
	for k, summaries := range p.Summaries {
		for i, text := range summaries {
			for j := range summaries {
				if i == j || j >= len(p.Summaries[1-k]) {
					continue
				}
				words := rougeWords(text)
				own += stats.Rouge1(words, rougeWords(summaries[j]))
				other += stats.Rouge1(words, rougeWords(p.Summaries[1-k][j]))
				n++
			}
		}
	}
	return own / max(n, 1), other / max(n, 1)
}

// GoldTexts returns the texts of the gold table that are about one hotel only, for each hotel.
func GoldTexts(p sources.HotelPair) [2]string {
	var texts [2][]string
	for _, r := range p.Gold {
		for k, own := range r.Own {
			texts[k] = append(texts[k], own)
		}
	}
	return [2]string{strings.Join(texts[0], " "), strings.Join(texts[1], " ")}
}

// LeadTexts are the first sentences of the reviews of each hotel, a baseline.
func LeadTexts(p sources.HotelPair) [2]string {
	var texts [2][]string
	for _, s := range p.Sources {
		k := 0
		if s.Entity == string(data.Object2) {
			k = 1
		}
		texts[k] = append(texts[k], firstSentence(s.Text))
	}
	return [2]string{strings.Join(texts[0], " "), strings.Join(texts[1], " ")}
}

// firstSentence ends with the first full stop, question or exclamation mark before white space.
func firstSentence(text string) string {
	text = strings.TrimSpace(text)
	for i := 0; i+1 < len(text); i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && strings.IndexByte(" \n\t\r", text[i+1]) >= 0 {
			return text[:i+1]
		}
	}
	return text
}
