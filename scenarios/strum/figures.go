package strum

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// A figure is the only quantity with a known unit in a statement: 38 hours, 249 euros, 13 dollars a day.
type figure struct {
	number     string
	measure    string // the unit, what it is counted by ("per day"), and the process; figures of one measure can be compared
	onlyFigure bool   // the statement says nothing besides the figure: "The battery lasts about 38 hours"
}

var (
	// plainly are stems of words that only say that an attribute has a size.
	plainly = data.Set(data.Stems("lasts lasted last life costs cost price priced paid pay weighs weight measures runs ran holds gets " +
		"got says " +
		"tested measured reported real total fully about approximately roughly around only just exactly"))
	// processes are stems of words for something else than the size of an attribute: "The battery charges fully in 2 hours".
	processes = data.Set(data.Stems("charge charges charged charging recharge recharges recharging refill boot boots start starts heat " +
		"heats warm " +
		"warms wait waited walk drive deliver delivered delivery arrive arrived repair repaired replace replaced warranty guarantee"))
	// relative are words of figures that are differences, bounds or discounts: "100 euros more".
	relative = strings.Fields("more less fewer than cheaper dearer longer shorter lighter heavier over least off extra discount deposit fee " +
		"fees tax")
)

// figureIn returns the figure in a value of an attribute. ok is false if the value has no figure, several, or a difference or bound. The
// process is read from the quote.
func (r *reader) figureIn(attribute, value, quote string) (f figure, ok bool) {
	quantities := quantitiesIn(r.withoutNames(value))
	if len(quantities) != 1 || quantities[0].unit == "" {
		return f, false
	}
	words := r.tokens(value)
	if slices.ContainsFunc(words, func(w lexical.Token) bool {
		return slices.Contains(relative, w.Word)
	}) {
		return f, false
	}
	f = figure{number: quantities[0].number, measure: quantities[0].unit, onlyFigure: true}
	named := data.Stems(attribute)
	for i, w := range words {
		stem := data.Stem(w.Word)
		isUnit := units[w.Word] != "" || lexical.IsDigit(w.Word[0]) || numberWords[w.Word] != ""
		counted := i > 0 && slices.Contains([]string{"a", "an", "per", "each"}, words[i-1].Word) && isUnit
		switch {
		case counted: // a day, per month
			f.measure += " per " + stem
		case w.Class&lexical.Stop != 0 || w.Length > 0 || isUnit || slices.Contains(named, stem) || slices.Contains(plainly, stem):
		case w.Class&lexical.Hedging == 0:
			f.onlyFigure = false
		}
	}
	for _, stem := range data.Set(data.Stems(quote)) {
		if slices.Contains(processes, stem) && !slices.Contains(named, stem) {
			f.measure += ", " + stem
		}
	}
	return f, true
}

// dispute adds Conflicts to the values of one attribute of one object. A source conflicts with a value if it gives another figure of the
// same measure, whatever else it says: "38 hours in our test", "24 hours with noise cancellation on". At least one value of the measure
// must be plain. Otherwise the figures may be of different things, such as the walk to a beach and the walk to a station.
func (r *reader) dispute(attribute string, values []data.ContrastValue) {
	byMeasure := map[string][]int{}
	plain := map[string]bool{}
	figures := make([]figure, len(values))
	for i, v := range values {
		f, ok := r.figureIn(attribute, v.Value, v.Evidence[0].Quote)
		if !ok {
			continue
		}
		figures[i] = f
		byMeasure[f.measure] = append(byMeasure[f.measure], i)
		plain[f.measure] = plain[f.measure] || f.onlyFigure
	}
	for measure, indices := range byMeasure {
		indices = indices[:min(len(indices), mostCompared)]
		for _, i := range indices {
			for _, k := range indices {
				if plain[measure] && figures[i].number != figures[k].number {
					values[i].Conflicts = append(values[i].Conflicts, values[k].Supporters...)
				}
			}
			values[i] = withoutDuplicates(values[i])
		}
	}
}
