package judges

// sides says for which object the sentences speak that cite an argument, and
// those that are tagged as made up, wherever in the comparison they stand. A
// sentence that does both cites. What a sentence speaks for is read from a list
// of words (see favour), so that most sentences speak for neither: of the
// built-in arguments, whose side is known, one in six is told, and three in four
// of these are told right.
func (f *Features) sides(a *analysis) {
	for _, s := range a.sentences {
		if s.role == sourcesRole || s.role == choiceRole {
			continue
		}
		c := a.cited.empty()
		c.add(s.text)
		if len(c.numbers) == 0 && c.generated == 0 {
			continue
		}
		first, second := &f.CitedFirst, &f.CitedSecond
		if len(c.numbers) == 0 {
			first, second = &f.GeneratedFirst, &f.GeneratedSecond
		}
		switch vote := a.favour(s); {
		case vote > 0:
			*first++
		case vote < 0:
			*second++
		}
	}
}
