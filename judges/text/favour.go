package text

import (
	"cmp"

	"compqa/judges/text/lexical"
)

// favour returns which object a sentence favours: above 0 the first, below 0 the second, 0 neither. It votes clause by clause. A clause is
// about the first object that it names, or else the object that its block is about. Words of the lexicon praise or fault that object, and a
// negation before a word inverts it. An object after "than", "over" or "outperforms" is only what the clause compares with. Any other new
// name begins a new clause.
//
// It does not recognise irony, words that the lexicon lacks, and comparisons where more is worse ("a higher price").
func (a *Analysis) favour(s sentence) int {
	ws := a.tokensOf(s.words)
	if len(ws) > 0 && (ws[0].Word == "both" || ws[0].Word == "neither") {
		return 0
	}
	c := clause{subject: a.parts[s.block].about}
	for i := 0; i < len(ws); i++ {
		if n := int(ws[i].Length); n > 0 {
			c.meet(ws[i].Object, ws, i)
			i += n - 1
			continue
		}
		c.read(ws[i])
	}
	c.end()
	return c.votes
}

// A clause is the state of favour within one clause of a sentence.
type clause struct {
	subject    lexical.Objects
	polarity   int  // words praising the subject less words faulting it
	negation   int  // number of words that the last negation still inverts
	hasOpinion bool // a word that praises or faults was read
	votes      int  // of the clauses so far: for the first object less for the second
}

// meet handles the name of object o at ws[i]. The name is what the clause compares with, its subject, or the start of a new clause.
func (c *clause) meet(o lexical.Objects, ws []lexical.Token, i int) {
	switch {
	case comparedWith(ws, i), c.subject == o:
	case c.subject == 0 || !c.hasOpinion:
		c.subject |= o
	default:
		c.end()
		c.subject = o
	}
}

// comparedWith reports whether ws[i] is what something else is compared with, because one of the two words before it is like "than".
func comparedWith(ws []lexical.Token, i int) bool {
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		if ws[k].Class&lexical.Against != 0 {
			return true
		}
		if ws[k].Class&lexical.Stop == 0 {
			return false
		}
	}
	return false
}

// read handles a word that is not an object's name.
func (c *clause) read(t lexical.Token) {
	k := t.Class
	if k&lexical.Parting != 0 {
		c.end()
	}
	if c.negation > 0 {
		c.negation--
	}
	negates := k&lexical.Negating != 0
	if negates {
		c.negation = 4
	}
	if k&(lexical.Praising|lexical.Faulting) == 0 || negates && t.Word == "less" {
		return
	}
	c.hasOpinion = true
	if praised := k&lexical.Praising != 0; praised == (c.negation == 0 || negates) {
		c.polarity++
	} else {
		c.polarity--
	}
}

// end adds the vote of the clause that ends here, and starts the next clause.
func (c *clause) end() {
	switch sign := cmp.Compare(c.polarity, 0); c.subject {
	case lexical.First:
		c.votes += sign
	case lexical.Second:
		c.votes -= sign
	}
	*c = clause{votes: c.votes}
}

// sides counts the sentences that favour an object, separately for sentences that cite an argument and sentences with only a [generated]
// tag. The favoured object is read from a list of words (see favour), so most sentences count for neither. Of the built-in arguments, whose
// side is known, one in six gets a side, and three in four of these get the right one.
func (f *Features) sides(a *Analysis) {
	for _, s := range a.sentences {
		if s.role == sourcesRole || s.role == choiceRole {
			continue
		}
		var c lexical.Citations
		c.Add(s.text)
		if len(c.Numbers) == 0 && c.Generated == 0 {
			continue
		}
		if len(c.Numbers) == 0 {
			count(a.favour(s), &f.GeneratedFirst, &f.GeneratedSecond)
		} else {
			count(a.favour(s), &f.CitedFirst, &f.CitedSecond)
		}
	}
}

// count adds 1 to first if vote is above 0, to second if it is below 0.
func count(vote int, first, second *int) {
	switch {
	case vote > 0:
		*first++
	case vote < 0:
		*second++
	}
}
