package sources

import (
	"cmp"
	"fmt"
	"slices"

	"compqa/data"
)

// pairsOfPoints makes pairs from texts that people scored one by one, as SC2 does with the scores of CNN/DM (OpenAI's axis_evals). Every
// two texts for one question are a pair. Each person who scored both prefers the text with more points; equal points are a tie. If a person
// scored a text twice, the first score counts.
func pairsOfPoints(name string, log *Log) (set data.PreferenceSet) {
	type scored struct {
		*Item
		by map[string]float64
	}
	texts := map[string][]scored{}
	people := map[string][]string{} // raters, by question
	var order []string
	for _, s := range log.Values.All() {
		item := &log.Items[s.Item]
		list := texts[item.Question]
		if list == nil {
			order = append(order, item.Question)
		}
		index := slices.IndexFunc(list, func(other scored) bool { return other.Text == item.Text })
		if index < 0 {
			index = len(list)
			list = append(list, scored{item, map[string]float64{}})
		}
		if _, twice := list[index].by[s.Rater.Name]; !twice {
			list[index].by[s.Rater.Name], _ = data.Number(s.Value)
		}
		texts[item.Question] = list
		if !slices.Contains(people[item.Question], s.Rater.Name) {
			people[item.Question] = append(people[item.Question], s.Rater.Name)
		}
	}
	for n, question := range order {
		list := texts[question]
		for i, first := range list {
			about := first.About()
			for k, second := range list[i+1:] {
				p := data.Pair{ID: fmt.Sprintf("%s-%d-%d-%d", name, n+1, i+1, i+k+2), Question: question, A: first.Text, B: second.Text,
					Cluster: data.QuestionCluster(about.Group), Domain: cmp.Or(about.Columns[0], about.Columns[1], name), Label: data.NoChoice}
				if about.System != second.About().System {
					p.SystemA = about.System
					p.SystemB = second.About().System
				}
				before := len(set.Given)
				for _, person := range people[question] {
					x, one := first.by[person]
					y, other := second.by[person]
					if one && other {
						choice := data.Greater(x, y)
						by := data.Rater{Name: person, Kind: data.KindPerson, Method: "annotation", Order: data.OrderAB}
						set.Given = append(set.Given, preferenceOf(data.Rating{Series: data.Series{Rater: &by}, Value: string(choice)}, p.ID))
					}
				}
				if len(set.Given) > before {
					set.Pairs = append(set.Pairs, p)
				}
			}
		}
	}
	return set
}
