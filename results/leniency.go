package results

import "slices"

// A LeniencyRow says how many points more a judge gives a system than people do,
// on the answers that both scored. System AllSystems is all of them together.
type LeniencyRow struct {
	Judge      string `csv:"judge"`
	System     string `csv:"system"`
	N          int    `csv:"n"` // answers
	Difference Figure `csv:"mean_difference"`
	Low        Figure `csv:"ci_low"` // clustered by question
	High       Figure `csv:"ci_high"`
}

// AllSystems stands for all systems together.
const AllSystems = "all"

// scorers are the judges that a run is to find out about: neither floors nor
// people.
func (x *index) scorers() []int {
	var who []int
	for j, p := range x.Judges {
		if p.Kind != kindFloor && p.Kind != kindHuman {
			who = append(who, j)
		}
	}
	return who
}

// leniency is in the order of judges and systems.
func (x *index) leniency(people answerTotals) ([]LeniencyRow, error) {
	if !people.any() {
		return nil, nil
	}
	var c computer
	var rows []LeniencyRow
	for _, j := range x.scorers() {
		of := make([]sample, len(x.Systems)+1)
		x.eachDifference(x.answerTotals(j), people, func(answer int, difference float64) {
			system := x.cells[x.cellOf[answer]].system
			of[system].add(difference, x.question[answer])
			of[len(x.Systems)].add(difference, x.question[answer])
		})
		for s, values := range of {
			name := AllSystems
			if s < len(x.Systems) {
				name = x.Systems[s].Name
			}
			if e := c.mean(values); e.n > 0 {
				rows = append(rows, LeniencyRow{x.Judges[j].Name, name, e.n, e.value, e.low, e.high})
			}
		}
	}
	return rows, c.err
}

// eachDifference goes through the answers that both scored.
func (x *index) eachDifference(judge, other answerTotals, each func(answer int, difference float64)) {
	for a, c := range x.cellOf {
		ours, ok := judge.of(a)
		theirs, too := other.of(a)
		if ok && too && c >= 0 {
			each(a, ours-theirs)
		}
	}
}

// A preference is by how many points more a judge raises systems of its declared
// family above others than somebody else does: people, or the other judges that
// are of another family. Answers are compared within a scenario; the preference
// is the mean over the scenarios in which both sorts of systems answered.
type preference struct {
	systems       []string // of the judge's family
	judges        []string // the others
	people, panel estimate
}

// preference has no systems for a judge without a family, or alone in it.
func (x *index) preference(judge int, people answerTotals) (preference, error) {
	var p preference
	var c computer
	family := x.Judges[judge].Family
	kin := make([]bool, len(x.Systems))
	for s, system := range x.Systems {
		if kin[s] = family != "" && system.Family == family; kin[s] {
			p.systems = append(p.systems, system.Name)
		}
	}
	if p.systems == nil {
		return p, nil
	}
	own := x.answerTotals(judge)
	if people.any() {
		p.people = x.overKin(&c, kin, own, people)
	}
	var others []answerTotals
	for _, j := range x.scorers() {
		if j != judge && x.Judges[j].Family != family {
			p.judges = append(p.judges, x.Judges[j].Name)
			others = append(others, x.answerTotals(j))
		}
	}
	if others != nil {
		p.panel = x.overKin(&c, kin, own, x.sharedMean(others))
	}
	return p, c.err
}

// sharedMean is the mean of several judges' totals on the answers that all of
// them scored.
func (x *index) sharedMean(of []answerTotals) answerTotals {
	mean := answerTotals{make([]float64, len(x.Answers)), make([]int32, len(x.Answers))}
	for a := range x.Answers {
		sum, all := 0.0, true
		for _, t := range of {
			total, ok := t.of(a)
			sum, all = sum+total, all && ok
		}
		if all {
			mean.sum[a], mean.n[a] = sum/float64(len(of)), 1
		}
	}
	return mean
}

func (x *index) overKin(c *computer, kin []bool, own, other answerTotals) estimate {
	scenarios := x.scenarios()
	of := make([][2]sample, len(scenarios)) // others, kin
	x.eachDifference(own, other, func(answer int, difference float64) {
		cell := x.cells[x.cellOf[answer]]
		s := slices.Index(scenarios, cell.scenario)
		of[s][int(indicator(kin[cell.system]))].add(difference, x.question[answer])
	})
	of = slices.DeleteFunc(of, func(s [2]sample) bool { return s[0].values == nil || s[1].values == nil })
	var samples []sample
	var weights []float64
	for _, s := range of {
		samples = append(samples, s[1], s[0])
		weights = append(weights, 1/float64(len(of)), -1/float64(len(of)))
	}
	return c.contrast(samples, weights)
}
