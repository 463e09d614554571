package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// otherNames has names of columns of validation.csv that tables and text use instead.
var otherNames = map[string]string{"rho": "spearman", "rate": "rate_corrected"}

// columnOf returns the column of validation.csv that a name means. The suffixes .low and .high mean the bounds of its interval.
func columnOf(name string) string {
	base, bound, _ := strings.Cut(name, ".")
	if other := otherNames[base]; other != "" {
		base = other
	}
	if bound == "" {
		return base
	}
	if base == "rate_corrected" {
		base = "corrected"
	}
	return base + "_" + bound
}

// RangeOf returns the least and the greatest value that the figure with a name can have. It returns an error if no column has the name.
func RangeOf(name string) (low, high float64, err error) {
	column := columnOf(name)
	if _, is := table.FigureNamed(Row{}, column); !is {
		return 0, 0, fmt.Errorf("there is no figure %q; a name is a column of validation.csv, as single, people, difference, agreement, kappa, "+
			"kappa_weighted, alpha, rho, tpr, tnr, precision, f1, ac1, rate, with .low or .high for its bounds", name)
	}
	is := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(column, prefix) })
	}
	switch {
	case is("rate_", "corrected_", "mean_difference", "length_bias", "family_bias", "lambda"):
		return math.Inf(-1), math.Inf(1), nil
	case is("mae", "n_effective"):
		return 0, math.Inf(1), nil
	case is("difference"): // a difference of two alphas
		return -2, 2, nil
	case is("agreement", "tpr", "tnr", "precision", "f1", "rogan_gladen", "floor_", "winning_rate", "advantage_probability", "epsilon",
		"margin"):
		return 0, 1, nil
	}
	return -1, 1, nil
}

// Figure returns a figure of the pairing by its name: that of people's mean, or else that of their majority. For labels without order,
// which have no mean, alpha is that of single people.
func (p *Pairing) Figure(name string) stats.Figure {
	for _, row := range []*Row{p.alphaRow(), p.row(Mean), p.row(Majority)} {
		if f, _ := table.FigureNamed(*row, columnOf(name)); f.Known {
			return f
		}
	}
	return stats.Figure{}
}

// CannotHave returns an error if a criterion on this scale cannot have a figure, for instance TPR without yes and no.
func (p *Pairing) CannotHave(name string) error {
	column, _, _ := strings.Cut(columnOf(name), "_low")
	column, _, _ = strings.Cut(column, "_high")
	switch {
	case !p.SameScale:
		return nil // the figure is missing for a reason that is reported elsewhere
	case slices.Contains([]string{"tpr", "tnr", "precision", "f1", "rogan_gladen"}, column) && !p.rated():
		return fmt.Errorf("%s has no %s: its values are %s, and not yes and no", p.Criterion, name, p.PeopleScale.Short())
	case slices.Contains([]string{"agreement", "kappa", "kappa_weighted", "ac1", "floor_constant", "floor_shuffled"}, column) &&
		p.PeopleScale.Kind == scales.Continuous:
		return fmt.Errorf("%s has no %s: its values are measurements (%s), and no categories", p.Criterion, name, p.PeopleScale.Short())
	case slices.Contains([]string{"spearman", "mae", "mean_difference", "rate_judge", "rate_people", "rate_corrected", "corrected",
		"kappa_weighted", "length_bias", "family_bias"}, column) && p.nominal():
		return fmt.Errorf("%s has no %s: its labels have no order", p.Criterion, name)
	}
	return nil
}

// FigureName returns the name of a figure with the level of alpha or the weights of kappa, as "alpha (interval)".
func (p *Pairing) FigureName(name string) string {
	base, bound, _ := strings.Cut(name, ".")
	names := map[string]string{"alpha": fmt.Sprintf("alpha (%s)", p.level()), "kappa": "kappa (unweighted)",
		"kappa_weighted": "kappa_weighted (quadratic)"}
	if names[base] != "" {
		name = names[base]
		if bound != "" {
			name += "." + bound
		}
	}
	return name
}
