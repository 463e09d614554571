package dataset

import (
	"crypto/sha256"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// sameness says whether two runs agree on what a name stands for.
type sameness int

const (
	nothingShared sameness = iota // they have no common answers or verdicts
	agreed
	contradicted
)

// names gives each system (or judge) of each run its name in the merged run. It also lists the parties under these names, as the first run
// describes them. Runs that agree on a name share it. If not all agree, each group of runs that agree adds the folder of its first run to
// the name. same compares a name in two runs. If the runs share nothing, equal descriptions agree.
func (m *merger) names(participants func(*Run) []store.Participant, same func(name string, a, b int) sameness) (renamed []map[string]string,
	parties []store.Participant) {
	sets := map[string][][]int{} // by name: groups of runs that agree on it
	for r, run := range m.runs {
		for _, p := range participants(run) {
			differs := func(other int) bool {
				switch same(p.Name, other, r) {
				case agreed:
					return false
				case contradicted:
					return true
				}
				theirs := participants(m.runs[other])
				q := theirs[store.Named(theirs, p.Name)]
				return q.Kind != p.Kind || q.About != p.About
			}
			all := sets[p.Name]
			index := slices.IndexFunc(all, func(set []int) bool { return !slices.ContainsFunc(set, differs) })
			if index < 0 {
				index = len(all)
				all = append(all, nil)
			}
			all[index] = append(all[index], r)
			sets[p.Name] = all
		}
	}
	for range m.runs {
		renamed = append(renamed, map[string]string{})
	}
	for recorded, all := range sets {
		for _, set := range all {
			name := recorded
			if len(all) > 1 {
				name += " (" + m.labels[set[0]] + ")"
			}
			for _, r := range set {
				renamed[r][recorded] = name
			}
		}
	}
	for r, run := range m.runs {
		for _, p := range participants(run) {
			p.Name = renamed[r][p.Name]
			if store.Named(parties, p.Name) < 0 {
				parties = append(parties, p)
			}
		}
	}
	return renamed, parties
}

// sameAnswers compares the texts of a system's valid answers that two runs share.
func (m *merger) sameAnswers(system string, a, b int) sameness {
	hashes := func(r int) map[string][sha256.Size]byte {
		texts := map[string][sha256.Size]byte{}
		for _, row := range m.runs[r].Answers {
			if row.System == system && row.Status == data.Valid {
				texts[row.ID] = m.texts[r][row.ID]
			}
		}
		return texts
	}
	return compareShared(hashes(a), hashes(b), func(x, y [sha256.Size]byte) bool { return x == y })
}

// sameVerdicts compares a judge's valid scores of the answers that two runs share.
func (m *merger) sameVerdicts(judge string, a, b int) sameness {
	values := func(r int) map[[2]int][]float64 {
		scores := map[[2]int][]float64{}
		for _, s := range m.runs[r].SheetsOf(m.runs[r].JudgeNamed(judge)) {
			if s.Status == data.Valid {
				scores[[2]int{m.answers[r][s.Item], int(s.Repeat)}] = s.Scores
			}
		}
		return scores
	}
	return compareShared(values(a), values(b), slices.Equal[[]float64])
}

// compareShared returns agreed if all shared items are equal, contradicted if one differs, and nothingShared if there are none.
func compareShared[K comparable, V any](ours, theirs map[K]V, equal func(a, b V) bool) sameness {
	found := nothingShared
	for key, item := range ours {
		if other, shared := theirs[key]; shared && !equal(item, other) {
			return contradicted
		} else if shared {
			found = agreed
		}
	}
	return found
}
