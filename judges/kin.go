package judges

import (
	"slices"
	"strings"
)

// kinFamilies are words in which one and the same thing is said of whatever is
// compared: an answer about speed may well say fast and slow throughout, and
// never speed. They are the common respects of comparison, without any field's
// own terms; an aspect in none of them is looked for in its own words alone.
var kinFamilies = []string{
	`speed fast faster fastest quick quicker quickly slow slower performance performs responsive velocity rapid swift smoother`,
	`price cost costs cheap cheaper expensive affordable affordability pricing money budget inexpensive`,
	`popularity popular fans audience widespread widely viewership followers spectators attendance viewers played participation users user millions`,
	`quality superior excellence excellent`,
	`power powerful strength strong stronger strongest processor processors cpu muscle might`,
	`taste tastes flavor flavour flavors delicious sweet bitter creamy savory`,
	`learning learn easy easier ease simple simpler difficult harder beginner beginners curve steep`,
	`efficiency efficient efficiently economy economical consumption mileage`,
	`reputation loyalty loyal brand renowned trust trusted respected`,
	`success successful revenue revenues profit profits growth market earnings sales`,
	`marketing advertising advertisements campaign campaigns promotion`,
	`features feature functionality functions options`,
	`texture smooth grain soft rough feel surface`,
	`education educational academic academics teaching faculty ranking rankings`,
	`photos photo photography image images picture pictures`,
	`diversity diverse variety varied range`,
	`safety safe safer secure security protection`,
	`comfort comfortable cozy ergonomic`,
	`durability durable lasting lifespan longevity sturdy`,
	`health healthy healthier nutrition nutritional nutrients`,
}

// kinOf maps a word to the families that it is in, a bit each.
var kinOf = func() map[word]uint32 {
	m := map[word]uint32{}
	for i, family := range kinFamilies {
		for w := range strings.FieldsSeq(family) {
			m[hashOf(w)] |= 1 << i
		}
	}
	return m
}()

// kinship is the share of an answer's words, and of its sentences, that are akin
// to an aspect: of a family with one of its words, or with one of its stems. A
// question without an aspect has nothing to be beside: both are 1.
func (a *analysis) kinship(aspect string) (words, sentences float64) {
	var families uint32
	var stems []word
	for _, t := range tokens(nil, clean(aspect)) {
		if t.class&stop == 0 {
			families |= kinOf[t.word]
			stems = append(stems, t.stem)
		}
	}
	if len(stems) == 0 {
		return 1, 1
	}
	n, akin, of, said := 0, 0, 0, 0
	for _, s := range a.sentences {
		if s.role == sourcesRole {
			continue
		}
		here := 0
		for _, t := range a.in(s.words) {
			if families != 0 && kinOf[t.word]&families != 0 || slices.Contains(stems, t.stem) {
				here++
			}
		}
		n += s.words.len()
		akin += here
		of++
		said += point(here > 0)
	}
	return share(akin, n), share(said, of)
}
