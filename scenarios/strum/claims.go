package strum

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// A claim holds what makes a statement true or false: its quantities, and the words that it affirms or denies. Statements with nearly the
// same words can be different claims: "10 hours" and "6 hours", "bright" and "not bright".
type claim struct {
	quantities []quantity
	reading    lexical.Reading
	affirmed   map[string]bool // stems and numbers that are not negated; without words on a scale, whose ends are compared
	negated    map[string]bool
}

// A quantity is a number and its unit, or "" if the unit is not known.
type quantity struct{ number, unit string }

// equals reports whether two quantities are equal. An unknown unit is equal to any unit.
func (a quantity) equals(b quantity) bool {
	return a.number == b.number && (a.unit == b.unit || a.unit == "" || b.unit == "")
}

// numberWords maps number words to digits. "one" is left out, because it is mostly a pronoun.
var numberWords = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
	"fifty": "50", "sixty": "60", "hundred": "100", "thousand": "1000", "million": "1000000"}

// units maps each form of a unit, in lower case, to the unit's first form.
var units = func() map[string]string {
	known := map[string]string{}
	for line := range strings.SplitSeq(`$ dollar dollars usd
		€ euro euros eur
		£ pounds-sterling gbp quid
		% percent
		second seconds sec secs s
		minute minutes min mins
		hour hours h hr hrs
		day days
		week weeks
		month months
		year years yr yrs
		mm millimeter millimeters millimetre millimetres
		cm centimeter centimeters centimetre centimetres
		m meter meters metre metres
		km kilometer kilometers kilometre kilometres
		mile miles mi
		inch inches "
		foot feet ft
		mg milligram milligrams
		g gram grams gr
		kg kilogram kilograms kilo kilos
		ounce ounces oz
		lb lbs pound pounds
		ton tons tonne tonnes
		ml milliliter milliliters millilitre millilitres
		l liter liters litre litres
		gallon gallons gal
		kb kilobyte kilobytes
		mb megabyte megabytes
		gb gigabyte gigabytes
		tb terabyte terabytes
		hz hertz
		mhz megahertz
		ghz gigahertz
		mp megapixel megapixels
		watt watts w
		kw kilowatt kilowatts
		mah
		volt volts v
		mph
		km/h kph kmh
		mpg
		°c celsius
		°f fahrenheit
		degree degrees °
		calorie calories kcal cal
		star stars
		point points
		gear gears
		seat seats
		person people persons`, "\n") {
		forms := strings.Fields(line)
		for _, form := range forms {
			known[form] = forms[0]
		}
	}
	return known
}()

// measures maps a unit to what it measures.
var measures = map[string]string{"$": "price", "€": "price", "£": "price", "mile": "distance", "km": "distance",
	"g": "weight", "kg": "weight", "lb": "weight", "ounce": "weight", "inch": "size"}

var (
	citation = regexp.MustCompile(`\[[0-9, –-]+\]`)
	amount   = regexp.MustCompile(`(?i)([$€£])?\s?(\d[\d,]*(?:\.\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
		`fifteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million)\b)\+?(?:[\s-]?(%|°[cf]?|"|[a-z]+(?:/h)?))?`)
)

// quantitiesIn returns the quantities of a text, sorted, each once.
func quantitiesIn(text string) (list []quantity) {
	for _, m := range amount.FindAllStringSubmatch(citation.ReplaceAllString(text, ""), -1) {
		number := strings.ToLower(strings.ReplaceAll(m[2], ",", ""))
		if digits, spelled := numberWords[number]; spelled {
			number = digits
		}
		if strings.Contains(number, ".") {
			number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
		}
		unit := units[strings.ToLower(m[3])]
		if m[1] != "" {
			unit = m[1]
		}
		list = append(list, quantity{number, unit})
	}
	slices.SortFunc(list, func(a, b quantity) int { return strings.Compare(a.number+" "+a.unit, b.number+" "+b.unit) })
	return slices.Compact(list)
}

// denying are words that deny the words around them, as "not" does.
var denying = map[string]bool{"prohibited": true, "forbidden": true, "banned": true, "disallowed": true, "lacks": true, "lack": true,
	"lacking": true, "missing": true, "unavailable": true, "absent": true}

// claimOf reads the claim of a text. The objects' names are left out, because the number in "iPhone 14" is not a quantity.
func (r *reader) claimOf(text string) claim {
	c := claim{reading: lexical.Read(r.names, text, 0), affirmed: map[string]bool{}, negated: map[string]bool{}}
	c.quantities = quantitiesIn(r.withoutNames(text))
	denied := c.reading.Denied
	for _, w := range c.reading.Words {
		if denying[w.Word] {
			denied = denied != !w.Negated
		}
	}
	for _, w := range c.reading.Words {
		key := cmp.Or(numberWords[w.Word], w.Stem())
		switch {
		case w.Poles != nil || denying[w.Word]:
		case w.Negated != denied:
			c.negated[key] = true
		default:
			c.affirmed[key] = true
		}
	}
	return c
}

// withoutNames returns a text without the objects' names.
func (r *reader) withoutNames(text string) string {
	words := r.tokens(text)
	from := 0
	var b strings.Builder
	i := 0
	for w, ok := data.NextWord(text, 0); ok && i < len(words); w, ok = data.NextWord(text, w.End) {
		if n := int(words[i].Length); n > 0 {
			b.WriteString(text[from:w.Start])
			for range n - 1 {
				w, _ = data.NextWord(text, w.End)
			}
			from = w.End
			i += n
			continue
		}
		i++
	}
	return b.String() + text[from:]
}

// subject returns what a claim is about: its words without quantities and negations, sorted.
func (c claim) subject() string {
	var words []string
	for _, w := range c.reading.Words {
		if !lexical.IsDigit(w.Word[0]) && numberWords[w.Word] == "" {
			words = append(words, w.Stem())
		}
	}
	return strings.Join(data.Set(words), " ")
}

// opposes reports whether two claims cannot both be true: they have words at opposite ends of a scale, or one affirms what the other
// denies.
func (c claim) opposes(other claim) bool {
	if lexical.Opposed(c.reading, other.reading) {
		return true
	}
	denies := func(a, b claim) bool {
		for stem := range a.negated {
			if b.affirmed[stem] && !b.negated[stem] && !a.affirmed[stem] {
				return true
			}
		}
		return false
	}
	return denies(c, other) || denies(other, c)
}

// isIn reports whether a quote supports the claim: it has all quantities of the claim, and does not oppose it.
func (c claim) isIn(quote claim) bool {
	for _, q := range c.quantities {
		if !slices.ContainsFunc(quote.quantities, q.equals) {
			return false
		}
	}
	return !c.opposes(quote)
}

// agrees reports whether two claims count as one: they have the same quantities, and do not oppose each other.
func (c claim) agrees(other claim) bool {
	return len(c.quantities) == len(other.quantities) && c.isIn(other) && other.isIn(c)
}

// variants are words that, after a product's name, name another product: "iPhone 14 Pro".
var variants = strings.Fields("pro max plus mini ultra lite air se xl fe neo gt turbo premium deluxe classic note fold flip sport " +
	"hybrid junior ii iii iv vi")

// another reports whether a text names an entity whose name only resembles an object's: the name and a variant ("iPhone 14 Pro"), or a part
// of the name and another number ("Pixel 6" for Pixel 7).
func (r *reader) another(text string) bool {
	words := r.tokens(text)
	i := 0
	for w, ok := data.NextWord(text, 0); ok && i < len(words); w, ok = data.NextWord(text, w.End) {
		length := max(1, int(words[i].Length))
		object := words[i].Object
		for range length - 1 {
			w, _ = data.NextWord(text, w.End)
		}
		i += length
		next, more := data.NextWord(text, w.End)
		if object == 0 || !more || i >= len(words) || words[i].Length > 0 || next.Start != w.End+1 ||
			!strings.Contains(" -", text[w.End:next.Start]) {
			continue
		}
		if lexical.IsUpper(text[next.Start]) && slices.Contains(variants, next.Text) || r.isOtherNumber(object, text, next) {
			return true
		}
	}
	return false
}

// isOtherNumber reports whether a word after a part of an object's name is the number of a model, rather than a quantity.
func (r *reader) isOtherNumber(object lexical.Objects, text string, word data.Word) bool {
	const longest = 4 // digits
	name := [...]string{"", r.q.Object1, r.q.Object2, ""}[object]
	if !strings.ContainsAny(name, "0123456789") || len(word.Text) > longest || strings.Trim(word.Text, "0123456789") != "" {
		return false
	}
	after, _ := data.NextWord(text, word.End)
	return units[after.Text] == ""
}
