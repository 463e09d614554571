package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// mostOptions is the greatest number of options of a criterion whose values are sets.
const mostOptions = 20

// A SetRow is a row of sets.csv: how close a judge's sets of options are to people's sets.
type SetRow struct {
	Of
	N        int          `csv:"n"` // items with a value of the judge and of two people
	Options  int          `csv:"options"`
	Several  stats.Figure `csv:"several"`
	Alpha    stats.Figure `csv:"alpha_people,alpha_people_low,alpha_people_high"`
	Forced   stats.Figure `csv:"forced,forced_low,forced_high"`
	Distance stats.Figure `csv:"distance,distance_low,distance_high"`
	People   stats.Figure `csv:"distance_people,distance_people_low,distance_people_high"`
}

var (
	between = regexp.MustCompile(`[|;]`)
	commas  = regexp.MustCompile(`[,/+&\n]`) // separators that people also write between options
)

// SetOf returns the options in a value, in their order and in canonical form. "Kind|rude" and ["kind", "rude"] are both kind and rude.
func SetOf(value string) (options []string) {
	if strings.HasPrefix(value, "[") && json.Unmarshal([]byte(value), &options) != nil {
		options = nil
	}
	if options == nil {
		options = between.Split(value, -1)
	}
	var distinct []string
	for _, option := range options {
		if option = scales.Canonical(option); option != "" && !slices.Contains(distinct, option) {
			distinct = append(distinct, option)
		}
	}
	return distinct
}

// optionOf returns the name of the yes/no criterion that says whether an option is in a set, as "tone: rude".
func optionOf(criterion, option string) string { return criterion + ": " + option }

// declaredSet returns the name with which --sets declares a criterion, or "" if it does not.
func (o *Options) declaredSet(criterion string) string {
	name, _ := data.First(o.Sets, func(name string) bool { return sources.SameCriterion(criterion, name) })
	return name
}

// splitSets prepares the criteria of --sets for analysis. The first option of each set becomes the value of the criterion. For each option
// it adds a yes/no criterion. An empty set is a missing value. options has the options of each name in --sets. An error names a criterion
// that does not exist, has too many options or only one, or uses other separators.
func (o *Options) splitSets(logs ...*sources.Log) (options map[string][]string, err error) {
	if len(o.Sets) == 0 {
		return nil, nil
	}
	options = map[string][]string{}
	ratings := make([][]data.Rating, len(logs))
	places := make([][]data.RowPlace, len(logs)) // places of ratings in the log
	var criteria []string
	for side, log := range logs {
		empty := map[string]int{}
		log.Values.Delete(func(rating data.Rating) bool {
			is := o.declaredSet(rating.ID) != "" && rating.Value != "" && len(SetOf(rating.Value)) == 0
			if is {
				empty[rating.ID]++
			}
			return is
		})
		for _, criterion := range slices.Sorted(maps.Keys(empty)) {
			log.Notes = append(log.Notes, fmt.Sprintf("%s: %s without an answer (as |) left out", criterion,
				data.Plural(empty[criterion], "set", "sets")))
		}
		for place, rating := range log.Values.All() {
			criteria = append(criteria, rating.ID)
			if name := o.declaredSet(rating.ID); name != "" {
				ratings[side] = append(ratings[side], rating)
				places[side] = append(places[side], place)
				options[name] = data.Set(append(options[name], SetOf(rating.Value)...))
			}
		}
	}
	for _, name := range o.Sets {
		n := len(options[name])
		if n == 0 {
			return nil, fmt.Errorf("--sets %s: no criterion %[1]s; criteria are %s", name, data.Some(data.Set(criteria)))
		}
		for _, option := range options[name] {
			if parts := partsOf(option, options[name]); len(parts) > 1 {
				return nil, fmt.Errorf("--sets %s: %q is a list of other answers; between answers of a set write | or ;, as %s, or a list in "+
					"JSON, as %s", name, option, strings.Join(parts, "|"), `["`+strings.Join(parts, `", "`)+`"]`)
			}
		}
		if n < 2 || n > mostOptions {
			return nil, fmt.Errorf("--sets %s: judges and people have %s with this name; 2 to %d can be compared", name,
				data.Plural(n, "answer", "answers"), mostOptions)
		}
	}
	for side, log := range logs {
		for k, rating := range ratings[side] {
			set := SetOf(rating.Value)
			whole := *rating.Measured
			if len(set) > 0 {
				rating.Value = set[0]
				log.Values.Set(places[side][k], rating)
			}
			for _, option := range options[o.declaredSet(whole.ID)] {
				part := whole
				part.ID = optionOf(whole.ID, option)
				rating.Measured = &part
				switch {
				case slices.Contains(set, option):
					rating.Value = "yes"
				case len(set) > 0:
					rating.Value = "no"
				}
				log.Values.Add(rating)
			}
		}
	}
	return options, nil
}

// partsOf returns the other options that an option lists with a separator that SetOf does not read, as "kind, rude". It returns nil if the
// option is not such a list.
func partsOf(option string, options []string) (parts []string) {
	for _, part := range commas.Split(option, -1) {
		part = scales.Canonical(part)
		if !slices.Contains(options, part) {
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// A setRater has a rater's set of options for each unit (0: none), and the first option of each set.
type setRater struct {
	by, criterion string
	sets          []agreement.Set
	first         []string
}

// setRaters returns the raters in some series that rated a criterion of --sets.
func (s *Study) setRaters(all []*Series, name string) (list []setRater) {
	for _, whole := range all {
		if s.o.declaredSet(whole.ID) != name || s.besideOthers(whole) {
			continue
		}
		r := setRater{by: whole.Rater.Name, criterion: whole.ID, sets: make([]agreement.Set, len(s.Units))}
		for i := range s.Units {
			r.first = append(r.first, whole.Value(i))
		}
		for k, option := range s.options[name] {
			for _, part := range all {
				if part.Rater.Name != whole.Rater.Name || part.ID != optionOf(whole.ID, option) {
					continue
				}
				for i := range s.Units {
					if part.Value(i) == "yes" {
						r.sets[i] |= 1 << k
					}
				}
			}
		}
		list = append(list, r)
	}
	return list
}

// A setItem has the figures of one judge on an item that people rated, too: the share of people whose first option equals the judge's
// (forced), and the distance between the sets.
type setItem struct{ forced, distance float64 }

// sets compares judges with people on each criterion of --sets: by forced choice (the first option) and by sets. It fills in r.Sets and
// r.Accepted.
func (r *Result) sets() {
	for _, name := range r.o.Sets {
		people := r.setRaters(r.People, name)
		judges := r.setRaters(r.Judges, name)
		units := make([][]agreement.Set, len(r.Units)) // people's sets on each unit
		firsts := make([][]string, len(r.Units))
		for i := range units {
			for _, p := range people {
				if p.sets[i] != 0 {
					units[i] = append(units[i], p.sets[i])
					firsts[i] = append(firsts[i], p.first[i])
				}
			}
		}
		found := trust.SetsFound{Criterion: name, Alphabetical: r.alphabetical(people, name)}
		var several, apart sample
		for i, sets := range units {
			if len(sets) > 1 {
				several.add(dataset.Indicator(accepted(sets, len(r.options[name])) > 1), r.Clusters[i])
			}
			if len(sets) > 2 {
				sum := 0.0
				for k, set := range sets {
					sum += setDistance(set, slices.Delete(slices.Clone(sets), k, k+1), len(r.options[name])) / float64(len(sets))
				}
				apart.add(sum, r.Clusters[i])
			}
		}
		found.Several, found.People, found.Items = several.figure(0, 1), apart.figure(0, 1), len(several.values)
		if found.Items == 0 {
			r.Accepted = append(r.Accepted, found.Finding())
			continue
		}
		found.Alpha = raters.SetAlpha(units, r.Clusters, level)
		measured := make([]map[int]setItem, len(judges))
		for j, judge := range judges {
			var forced, distance sample
			measured[j] = map[int]setItem{}
			for i, sets := range units {
				if judge.sets[i] == 0 || len(sets) < 2 {
					continue
				}
				item := setItem{distance: setDistance(judge.sets[i], sets, len(r.options[name]))}
				for _, first := range firsts[i] {
					item.forced += dataset.Indicator(first == judge.first[i]) / float64(len(sets))
				}
				measured[j][i] = item
				forced.add(item.forced, r.Clusters[i])
				distance.add(item.distance, r.Clusters[i])
			}
			one := trust.SetJudge{Name: judge.by, Items: len(forced.values), Forced: forced.figure(0, 1),
				Distance: distance.figure(0, 1)}
			if found.Alphabetical {
				one.Forced = stats.Figure{}
			}
			found.Judges = append(found.Judges, one)
			r.Sets = append(r.Sets, SetRow{Of{judge.by, judge.criterion}, one.Items, len(r.options[name]), found.Several, found.Alpha, one.Forced,
				one.Distance, found.People})
		}
		first, second := found.Firsts()
		if first != second {
			var forced, distance sample
			for i := range units {
				a, both := measured[first][i]
				b, also := measured[second][i]
				if both && also {
					forced.add(a.forced-b.forced, r.Clusters[i])
					distance.add(a.distance-b.distance, r.Clusters[i])
				}
			}
			found.ForcedApart, found.Apart = forced.figure(-1, 1), distance.figure(-1, 1)
		}
		if f := found.Finding(); f.Text != "" {
			r.Accepted = append(r.Accepted, f)
		}
	}
}

// alphabetical reports whether all sets of several options are in alphabetical order, if there are ten or more. Their first option is then
// perhaps no choice.
func (s *Study) alphabetical(people []setRater, name string) bool {
	several := 0
	for _, p := range people {
		for i, set := range p.sets {
			if set&(set-1) == 0 { // the set has only one option
				continue
			}
			several++
			lowest := slices.IndexFunc(s.options[name], func(option string) bool { return option == p.first[i] })
			if lowest < 0 || set&(1<<lowest-1) != 0 {
				return false
			}
		}
	}
	return several >= 10
}

// accepted returns the number of options that at least half of the people accept.
func accepted(sets []agreement.Set, options int) (n int) {
	for k := range options {
		if 2*shareOf(sets, k) >= 1 {
			n++
		}
	}
	return n
}

// shareOf returns the share of sets that have an option.
func shareOf(sets []agreement.Set, option int) float64 {
	n := 0
	for _, set := range sets {
		n += int(set >> option & 1)
	}
	return float64(n) / float64(len(sets))
}

// setDistance returns the mean over options of the squared distance between a set and the share of people who accept the option. It
// subtracts what a sample of so few people adds on average:
//
//	Σ ((x - p)² - p(1 - p)/(m - 1)) / options        x: 1 or 0, p: the share of m people
func setDistance(set agreement.Set, people []agreement.Set, options int) (sum float64) {
	for k := range options {
		p := shareOf(people, k)
		x := float64(set>>k&1) - p
		sum += x*x - p*(1-p)/float64(len(people)-1)
	}
	return sum / float64(options)
}

// A sample has values and the cluster of each value.
type sample struct {
	values   []float64
	clusters []int
}

func (s *sample) add(value float64, cluster int) {
	s.values = append(s.values, value)
	s.clusters = append(s.clusters, cluster)
}

// figure returns the mean with its interval. The bounds are limited to the possible range.
func (s *sample) figure(least, most float64) stats.Figure {
	if len(s.values) == 0 {
		return stats.Figure{}
	}
	f := figureOf(stats.MeanInterval(s.values, s.clusters, level))
	f.Low = max(least, f.Low)
	f.High = min(most, f.High)
	return f
}

// figureOf returns an estimate as a figure. If err is not nil, the figure has no bounds, or is missing without a value.
func figureOf(e stats.Estimate, err error) stats.Figure {
	switch {
	case !stats.IsFinite(e.Value) || err != nil && e.N == 0 && e.Value == 0:
		return stats.Figure{}
	case err != nil:
		return stats.Number(e.Value)
	}
	return stats.WithInterval(e.Value, e.Low, e.High)
}
