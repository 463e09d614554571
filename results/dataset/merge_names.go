package dataset

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// sameness is whether two runs agree on a name.
type sameness int

const (
	nothingShared sameness = iota
	agreed
	contradicted
)

// names gives every party of every run its name in the merged run. Runs that agree on
// a name share it.
func (m *merger) names(of func(*Run) []store.Participant, same func(name string, a, b int) sameness) []map[string]string {
	renamed := make([]map[string]string, len(m.runs))
	for r := range renamed {
		renamed[r] = map[string]string{}
	}
	for r, run := range m.runs {
		for _, p := range of(run) {
			if _, done := renamed[r][p.Name]; done {
				continue
			}
			sets := m.sets(p.Name, of, same)
			for _, set := range sets {
				name := p.Name
				if len(sets) > 1 {
					name += " (" + m.labels[set[0]] + ")"
				}
				for _, member := range set {
					renamed[member][p.Name] = name
				}
			}
		}
	}
	return renamed
}

// sets groups the runs that have a name by whether they agree on it.
func (m *merger) sets(name string, of func(*Run) []store.Participant, same func(name string, a, b int) sameness) [][]int {
	var sets [][]int
	for r, run := range m.runs {
		i := store.Named(of(run), name)
		if i < 0 {
			continue
		}
		differs := func(other int) bool {
			switch same(name, other, r) {
			case agreed:
				return false
			case contradicted:
				return true
			}
			theirs := of(m.runs[other])
			p, q := of(run)[i], theirs[store.Named(theirs, name)]
			return q.Kind != p.Kind || q.About != p.About
		}
		at := slices.IndexFunc(sets, func(set []int) bool { return !slices.ContainsFunc(set, differs) })
		if at < 0 {
			sets, at = append(sets, nil), len(sets)
		}
		sets[at] = append(sets[at], r)
	}
	return sets
}

// sameAnswers compares the texts of a system's answers in two runs.
func (m *merger) sameAnswers(system string, a, b int) sameness {
	ours, theirs := m.runs[a].Answers, m.runs[b].Answers
	return compareShared(len(ours), len(theirs),
		func(i, k int) int { return cmp.Compare(ours[i].ID, theirs[k].ID) },
		func(i, k int) bool {
			return ours[i].System == system && theirs[k].System == system && ours[i].Status == data.Valid && theirs[k].Status == data.Valid
		},
		func(i, k int) bool { return m.texts[a][i] == m.texts[b][k] })
}

// sameVerdicts compares a judge's scores of the same answers in two runs.
func (m *merger) sameVerdicts(judge string, a, b int) sameness {
	ours, theirs := m.runs[a].SheetsOf(m.runs[a].JudgeNamed(judge)), m.runs[b].SheetsOf(m.runs[b].JudgeNamed(judge))
	return compareShared(len(ours), len(theirs),
		func(i, k int) int {
			return cmp.Or(cmp.Compare(m.answers[a][ours[i].Answer], m.answers[b][theirs[k].Answer]), cmp.Compare(ours[i].Repeat, theirs[k].Repeat))
		},
		func(i, k int) bool { return ours[i].Status == data.Valid && theirs[k].Status == data.Valid },
		func(i, k int) bool { return slices.Equal(ours[i].Scores, theirs[k].Scores) })
}

// compareShared compares the items that two sorted lists share, and that count.
func compareShared(ours, theirs int, order func(i, k int) int, counts, equal func(i, k int) bool) sameness {
	found := nothingShared
	for i, k := 0, 0; i < ours && k < theirs; {
		sign := order(i, k)
		if sign == 0 && counts(i, k) {
			if !equal(i, k) {
				return contradicted
			}
			found = agreed
		}
		if sign <= 0 {
			i++
		}
		if sign >= 0 {
			k++
		}
	}
	return found
}

// parties are the parties of all runs with their new names, as described in the first
// run.
func (m *merger) parties(of func(*Run) []store.Participant, renamed []map[string]string) []store.Participant {
	var all []store.Participant
	for r, run := range m.runs {
		for _, p := range of(run) {
			p.Name = renamed[r][p.Name]
			if store.Named(all, p.Name) < 0 {
				all = append(all, p)
			}
		}
	}
	return all
}
