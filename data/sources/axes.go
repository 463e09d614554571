package sources

import (
	"cmp"
	"fmt"

	"compqa/data"
)

// readAxes makes pairs of scored summaries, as SC2 does with those of CNN/DM (OpenAI's axis_evals):
// a line has info with the text that is summarised, one summary with scores on axes, and the worker.
// Two summaries of a text are a pair; each worker who scored both prefers the one with more points on
// the axis overall, and equal points are a tie.
func readAxes(path string) (set data.PreferenceSet, err error) {
	files, err := (&Format{}).files(path)
	if err != nil {
		return set, err
	}
	type summary struct {
		text, policy string
		by           map[string]float64 // points by worker
	}
	type article struct {
		question, domain string
		list             []*summary
		workers          []string
	}
	articles := map[string]*article{}
	var order []string
	for _, file := range files {
		for doc, err := range data.Documents(file, func(string) {}) {
			if err != nil {
				return set, err
			}
			r := &scope{Document: &doc, value: doc.Value}
			key, text, overall := r.text(paths{"info.article", "info.post"}), r.text(paths{"summary.text"}), doc.Value.Get("summary.axes.overall")
			worker := cmp.Or(r.text(paths{"worker"}), "1")
			points, known := data.Number(overall.String())
			if key == "" || text == "" || !known {
				return set, r.Errorf("info.article, summary.text or summary.axes.overall is missing")
			}
			a := articles[key]
			if a == nil {
				a = &article{question: "Summarise: " + r.text(paths{"{info.title?}\n\n{info.article}", "{info.title?}\n\n{info.post}"}),
					domain: cmp.Or(r.text(paths{"info.site", "info.subreddit"}), "axes")}
				articles[key], order = a, append(order, key)
			}
			at := -1
			for i, s := range a.list {
				if s.text == text {
					at = i
				}
			}
			if at < 0 {
				at, a.list = len(a.list), append(a.list, &summary{text, r.text(paths{"summary.policy"}), map[string]float64{}})
			}
			if _, twice := a.list[at].by[worker]; !twice { // the first scores of a worker count
				a.list[at].by[worker], a.workers = points, append(a.workers, worker)
			}
		}
	}
	for n, key := range order {
		a := articles[key]
		for i, first := range a.list {
			for k, second := range a.list[i+1:] {
				p := data.Pair{ID: fmt.Sprintf("axes-%d-%d-%d", n+1, i+1, i+k+2), Question: a.question, Cluster: data.QuestionCluster(key),
					Domain: a.domain, A: first.text, B: second.text, Label: data.NoChoice}
				if first.policy != second.policy {
					p.SystemA, p.SystemB = first.policy, second.policy
				}
				seen := map[string]bool{}
				for _, worker := range a.workers {
					x, one := first.by[worker]
					y, other := second.by[worker]
					if !one || !other || seen[worker] {
						continue
					}
					seen[worker] = true
					choice := map[int]data.Choice{-1: data.ChoiceB, 0: data.ChoiceTie, 1: data.ChoiceA}[cmp.Compare(x, y)]
					set.Given = append(set.Given, data.Preference{ID: p.ID, Judge: data.Human + ":" + worker, Method: "annotation",
						Order: data.OrderAB, Status: data.Valid, Choice: string(choice)})
				}
				if len(seen) > 0 {
					set.Pairs = append(set.Pairs, p)
				}
			}
		}
	}
	if len(set.Pairs) == 0 {
		return set, fmt.Errorf("%s: no worker scored two summaries of a text", path)
	}
	labelled(&set, true)
	return set, nil
}
