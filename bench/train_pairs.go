package bench

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/train"
)

// A labelledPair is a recorded pair with the source, the base and the bias of its set.
type labelledPair struct {
	data.Pair
	Source, Base, Bias string
	other              bool // whether the judge's better answer is not the label's
}

// judgments returns the contrasts for --kind dpo-judge: pairs of a right and a wrong judgment of the sampled judge, as Con-J makes them.
// With --no-rationale, the judgments are made from the labels. Contrasts that repeat the hint in their prompt are left out. With
// --rationales, so are those without a grade of high or low quality.
func (x *trainExport) judgments() ([]train.Example, error) {
	listed, err := x.labelledPairs()
	if err != nil {
		return nil, err
	}
	judge := "no rationale"
	recorded := map[[2]string][]pairwise.Judgment(nil)
	if !x.NoRationale {
		judge, recorded, err = x.sampled()
		if err != nil {
			return nil, err
		}
	}
	listed, err = x.biased(listed)
	if err != nil {
		return nil, err
	}
	var examples []train.Example
	count := map[string]int{} // number of contrasts by quality
	graded, err := x.graded(judge)
	if err != nil {
		return nil, err
	}
	leaked := 0
	for _, p := range listed {
		for _, order := range data.Orders {
			var made pairwise.Contrasts
			if shown := pairwise.OrderPair(p.Pair, order); x.NoRationale {
				made.List = []data.Contrast{pairwise.BareContrast(shown)}
			} else {
				made.Add(shown, recorded[[2]string{p.ID, order}], x.Product)
			}
			for i, c := range made.List {
				if leaksHint(c.Chosen[0].Content) || leaksHint(c.Rejected[0].Content) {
					leaked++
					continue
				}
				id := fmt.Sprintf("%s %s %d", p.ID, order, i)
				if x.Rationales != "" {
					x.qualities[id] = graded.quality(made.Sources[i], judge)
					count[x.qualities[id]]++
				}
				examples = append(examples, train.Example{ID: id, Question: x.unit(questionKey(p.Pair)), Prompt: c.Prompt,
					Chosen: c.Chosen[0].Content, Rejected: c.Rejected[0].Content, System: judge, Scenario: order, Source: p.Source})
			}
		}
	}
	x.card.DescribeAnswers(data.Each(listed, func(p labelledPair) data.Pair { return p.Pair }))
	prompt := conJPrompt()
	if x.NoRationale {
		prompt = pairwise.BareContrast(pairwise.OrderedPair{}).Prompt[0].Content
	}
	x.card.Prompts[judge] = fmt.Sprintf("%x", sha256.Sum256([]byte(prompt)))
	x.step(fmt.Sprintf("contrasts (%d others repeat the hint)", leaked), len(examples))
	if x.Rationales != "" {
		x.step("contrasts with a valid grade of the right judgment", len(examples)-count[""])
		x.step("contrasts that are right according to the grader", count[rationalesHigh]+count[rationalesLow])
		x.step("of these with rationales of high quality", count[rationalesHigh])
		examples = slices.DeleteFunc(examples, func(e train.Example) bool {
			return x.qualities[e.ID] != rationalesHigh && x.qualities[e.ID] != rationalesLow
		})
	}
	return examples, nil
}

// labelledPairs returns the pairs with a known better answer. It is the label's answer, or with --by the one that a pairwise judge prefers
// in both orders. Pairs from published benchmarks are noted in x.sets.
func (x *trainExport) labelledPairs() ([]labelledPair, error) {
	sets, err := x.db.SetsWithPairs()
	if err != nil {
		return nil, err
	}
	var all []labelledPair
	for _, set := range sets {
		for _, p := range set.Pairs {
			all = append(all, labelledPair{Pair: p.Pair, Source: set.Source, Base: p.Base, Bias: set.Bias})
		}
	}
	x.card.Selection.By = cmp.Or(x.By, "the labels of the pairs")
	choices := map[string]data.Choice{}
	if x.By != "" && x.By != data.Human {
		choices, err = x.db.SettledChoices(x.By)
		if err != nil {
			return nil, err
		}
		if len(choices) == 0 {
			return nil, train.Refusal{Reason: fmt.Sprintf("%s has no pair on which a pairwise judge %q has the same choice in both orders", x.Run,
				x.By)}
		}
	}
	var listed []labelledPair
	var precision train.Precision
	for _, p := range all {
		label := p.Label
		if x.By != "" && x.By != data.Human {
			p.Label = choices[cmp.Or(p.Base, p.ID)]
		}
		if !p.Label.Decided() {
			continue
		}
		p.other = label.Decided() && p.Label != label
		listed = append(listed, p)
		x.unite(p.Pair)
		switch {
		case p.Base != "": // counted with the original pair
		case label == data.ChoiceTie:
			precision.Ties++
		case label.Decided():
			precision.Count(label == p.Label)
		}
		if p.Base == "" {
			x.pairs = append(x.pairs, p.Pair)
		}
		if name := train.BenchmarkOf(p.Question); name != "" { // not "" if a published benchmark has the question
			i := slices.IndexFunc(x.sets, func(s train.TestSet) bool { return s.Name == name })
			if i < 0 {
				i = len(x.sets)
				x.sets = append(x.sets, train.TestSet{Name: name, Keys: map[string]bool{}, Benchmark: true})
			}
			x.sets[i].Keys[questionKey(p.Pair)] = true
		}
	}
	if len(choices) > 0 {
		x.card.Selection.Precision = &precision
	}
	x.step("pairs with a better answer by "+x.card.Selection.By, len(listed))
	return listed, nil
}

// sampled returns the judge whose judgments are exported, and its recorded judgments by pair and order.
func (x *trainExport) sampled() (judge string, by map[[2]string][]pairwise.Judgment, err error) {
	judges, err := x.db.SampledJudges()
	switch {
	case err != nil:
		return "", nil, err
	case len(judges) == 0:
		return "", nil, train.Refusal{Reason: x.Run + " has no sampled judgments; `compqa pairwise sample --out " + x.Run + "` records them"}
	case x.Judge == "" && len(judges) > 1, x.Judge != "" && !slices.Contains(judges, x.Judge):
		return "", nil, train.Refusal{Reason: fmt.Sprintf("--judge is %q; the record has sampled judgments of %s", x.Judge, data.List(judges))}
	}
	judge = cmp.Or(x.Judge, judges[0])
	recorded, err := store.ResultsOf[store.RecordedJudgment](x.db, store.PlanCell{Kind: store.KindSample, Judge: judge})
	by = map[[2]string][]pairwise.Judgment{}
	for _, j := range recorded {
		key := [2]string{j.ID, j.Order}
		by[key] = append(by[key], pairwise.Judgment{Source: j.Source, Sample: j.Sample, Status: j.Status, Choice: j.Choice.In(j.Order),
			Text: j.Text, Reason: j.Reason})
	}
	return judge, by, err
}

// biased returns Con-J's mixture of pairs (4.4). A share --gamma of the questions, chosen by a seeded hash, has pairs with a bias that
// favours the better answer. The other questions have their original pairs. If a judge's better answer differs from the label's, the bias
// against the label favours it.
func (x *trainExport) biased(listed []labelledPair) ([]labelledPair, error) {
	bias := x.Bias + "-" + pairwise.TargetPreferred
	against := x.Bias + "-" + pairwise.TargetOther
	favoured := func(p labelledPair) bool { return p.Bias == bias && !p.other || p.Bias == against && p.other }
	if x.Gamma > 0 {
		x.card.Selection.Gamma = &x.Gamma
		x.card.Selection.Bias = x.Bias
		if !slices.ContainsFunc(listed, favoured) {
			return nil, train.Refusal{Reason: fmt.Sprintf("the record has no pairs with the bias %s; a set under pairs with inject: [%s] has "+
				"them, and `compqa pairwise sample` samples judgments", bias, bias)}
		}
	}
	kept := slices.DeleteFunc(listed, func(p labelledPair) bool {
		if train.Fraction(x.Seed, "gamma", x.unit(questionKey(p.Pair))) < x.Gamma {
			return !favoured(p)
		}
		return p.Bias != ""
	})
	x.step("pairs of the mixture", len(kept))
	return kept, nil
}

// hinted matches rationales that mention the hint in their prompt.
var hinted = regexp.MustCompile(
	`(?i)\b(hint(s|ed)?\b|(it is|is|as|was|were|i am|i was|we are|been|already) ` +
		`(known|given|told|stated|instructed|informed|specified|indicated)\b[^.]{0,60}\b(better|worse|prefer)|(according to|as per|` +
		`based on|following|per) the (prompt|instructions?|task|statement|given information)\b|as (was|is|has been) ` +
		`(said|told|known|given)\b|given that answer [12]\b)`)

// leaksHint reports whether a judgment repeats the hint about the better answer, or the prompt itself. A judge trained on it would mention
// hints that it does not get.
func leaksHint(judgment string) bool {
	var j struct {
		Rationale string `json:"rationale"`
	}
	text := judgment
	if json.Unmarshal([]byte(judgment), &j) == nil && j.Rationale != "" {
		text = j.Rationale
	}
	words := data.Words(conJPrompt()) // all prompts of Con-J begin with the same words
	return hinted.MatchString(text) || strings.Contains(strings.Join(data.Words(text), " "), strings.Join(words[:min(12, len(words))], " "))
}

// conJPrompt returns Con-J's prompt for an empty pair.
func conJPrompt() string { return pairwise.NeutralPrompt(pairwise.OrderedPair{}) }

// writeHeldOutPairs writes the labelled pairs of the held-out questions, on which the trained judge is evaluated.
func (x *trainExport) writeHeldOutPairs(w io.Writer) error {
	for _, p := range x.pairs {
		if !train.IsHeldOut(x.unit(questionKey(p)), x.HeldOut, x.Seed) {
			continue
		}
		fields := map[string]string{"id": p.ID, "question": p.Question, "a": p.A, "b": p.B, "label": string(p.Label), "cluster": p.Cluster,
			"domain": p.Domain}
		if p.Object1 != "" {
			fields["object1"] = p.Object1
			fields["object2"] = p.Object2
			fields["aspect"] = p.Aspect
		}
		if p.SystemA != p.SystemB {
			fields["system_a"] = p.SystemA
			fields["system_b"] = p.SystemB
		}
		if err := table.WriteLine(w, fields); err != nil {
			return err
		}
	}
	return nil
}

// rewards returns pairs of a better and a worse answer for the scalar reward models that Con-J is compared with (Ye et al. 2024, 2.2). An
// example has the question and one answer. With --pairwise, it has the question and both answers, with the better answer first in the
// chosen text and second in the rejected text.
func (x *trainExport) rewards() ([]train.Example, error) {
	listed, err := x.labelledPairs()
	if err == nil {
		listed, err = x.biased(listed)
	}
	if err != nil {
		return nil, err
	}
	x.card.Selection.Pairwise = x.Pairwise
	var examples []train.Example
	for _, p := range listed {
		e := train.Example{ID: p.ID, Question: x.unit(questionKey(p.Pair)), Chosen: p.A, Rejected: p.B, Source: p.Source}
		e.System = cmp.Or(p.SystemA, "-")
		e.Scenario = data.OrderAB
		if p.Label == data.ChoiceB {
			e.Chosen = p.B
			e.Rejected = p.A
			e.System = cmp.Or(p.SystemB, "-")
		}
		if x.Pairwise {
			better := data.OrderAB
			worse := data.OrderBA
			if p.Label == data.ChoiceB {
				better, worse = worse, better
			}
			e.Chosen, e.Rejected = pairwise.ScalarPair(pairwise.OrderPair(p.Pair, better)), pairwise.ScalarPair(pairwise.OrderPair(p.Pair, worse))
		} else {
			e.Prompt = []data.ChatMessage{{Role: "user", Content: p.Question}}
		}
		examples = append(examples, e)
	}
	x.step("pairs for a reward model", len(examples))
	return examples, nil
}
