package verify

import (
	"slices"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// recheck returns a Recheck of a record with the judges rules, gpt and human:1.
func recheck() *Recheck {
	people := []store.Participant{{Name: "rules", Kind: config.KindEmbedded}, {Name: "gpt", Kind: config.KindModel}, {Name: "human:1", Kind: config.KindHuman}}
	return &Recheck{run: &dataset.Run{Judges: people}, plan: &plan.Plan{Config: &config.Config{}}, replies: true,
		madeRows: map[string]rowSet{}, taskCounts: map[partyOf]*taskCount{}, plannedCounts: map[partyOf]int{}, entry: func(judge string) string { return judge },
		rests: restCounts{}, notRun: restCounts{}, notSampled: restCounts{}, missing: restCounts{}}
}

// TestWhy: each result on record has one reason. It depends on who made the result, and whether a task made it again.
func TestWhy(t *testing.T) {
	for _, test := range []struct {
		what string
		kind string
		made bool
		store.Result
		want string
	}{
		{"rules again", store.KindVerdict, true, store.Result{Party: "rules", By: config.KindEmbedded, Status: data.Valid, Active: true}, ""},
		{"rules without a task", store.KindVerdict, false, store.Result{Party: "rules", By: config.KindEmbedded, Status: data.Valid, Active: true}, unplanned},
		{"a baseline's answer", store.KindAnswer, true, store.Result{Party: "template", By: config.ProviderBaseline, Status: data.Valid, Active: true}, ""},
		{"a calibrated judge", store.KindVerdict, false, store.Result{Party: "x", By: config.KindEmbedded, Origin: config.ProviderCalibrated, Status: data.Valid, Active: true}, ofCalibration},
		{"a model", store.KindVerdict, true, store.Result{Party: "gpt", By: config.KindModel, Status: data.Valid, Active: true}, ofModels},
		{"a model without a task", store.KindVerdict, false, store.Result{Party: "gpt", By: config.KindModel, Status: data.Valid, Active: true}, unplanned},
		{"a model that nobody asked", store.KindVerdict, true, store.Result{Party: "gpt", By: config.KindModel, Status: data.Skipped, Active: true}, ""},
		{"a preference that cannot be read", store.KindPreference, true, store.Result{Party: "gpt", By: config.KindModel, Status: data.Unparsed, Active: true},
			"replies of a model, not valid: unparsed"},
		{"a verdict that cannot be read, which invalid counts", store.KindVerdict, true, store.Result{Party: "gpt", By: config.KindModel, Status: data.Unparsed, Active: true}, ""},
		{"a person", store.KindPreference, false, store.Result{Party: "human:1", By: config.KindHuman, Status: data.Valid, Active: true}, ofPeople},
		{"people's mean, which means counts", store.KindVerdict, false, store.Result{Party: data.Human, By: config.KindHuman, Status: data.Valid, Active: true}, ""},
		{"an import", store.KindAnswer, false, store.Result{Party: "x", By: config.KindImported, Status: data.Valid, Active: true}, ofImport},
		{"a file", store.KindPreference, false, store.Result{Party: "x", By: config.KindFile, Status: data.Valid, Active: true}, ofFile},
		{"a party that the record does not have", store.KindVerdict, true, store.Result{Party: "x", Status: data.Valid, Active: true}, unplanned},
		{"labels by rules", store.KindLabel, true, store.Result{Party: data.OfflineClaims, Status: data.Valid, Active: true}, ""},
		{"an earlier configuration", store.KindVerdict, true, store.Result{Party: "rules", By: config.KindEmbedded, Status: data.Valid}, ofEarlier},
		{"a sampled judgment", store.KindSample, true, store.Result{Party: "gpt", By: config.KindModel, Status: data.Valid, Active: true}, ofModels},
		{"one without a task", store.KindSample, false, store.Result{Party: "gpt", By: config.KindModel, Status: data.Valid, Active: true},
			"replies of a model; no task of the configuration makes them"},
		{"a grade", store.KindGrade, false, store.Result{Party: "ann", Status: data.Valid, Active: true}, "grades by people or a model; no task of the configuration makes them"},
	} {
		c := recheck()
		if test.made {
			c.madeRows[test.kind] = rowSet{}
			c.madeRows[test.kind].add(test.Row)
		}
		if got := c.reason(store.Kinds[kindRank(test.kind)], test.Result); got != test.want {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
	c := recheck()
	c.replies = false
	c.madeRows[store.KindVerdict] = rowSet{0: 1}
	got := c.reason(store.Kinds[kindRank(store.KindVerdict)], store.Result{Party: "gpt", By: config.KindModel, Status: data.Valid, Active: true})
	if got != "replies of a model, which are not in the export" {
		t.Errorf("without replies: %q", got)
	}
}

// TestLacks: what a cell lacks is missing if its party has other results, and was not made if the party has none. Preferences on record
// without a plan are a difference.
func TestLacks(t *testing.T) {
	verdicts := store.Due{Kind: store.KindVerdict, Judge: "rules", System: "template", Scenario: "1"}
	pairs := store.Due{Kind: store.KindPreference, Judge: "gpt", Method: "direct", Dataset: "own", Order: "ab"}
	labels := store.Due{Kind: data.LabelClaims, Judge: "rules", System: "template", Scenario: "1"}
	for _, test := range []struct {
		what  string
		cell  cell
		found int // results of the party
		walk  *taskCount
		want  string // the name of the list and the line in it
	}{
		{"all", cell{store.Covered{Due: verdicts, Active: true, Planned: 40, Recorded: 40}, 0}, 40, nil, ""},
		{"some", cell{store.Covered{Due: verdicts, Active: true, Planned: 40, Recorded: 30}, 0}, 30, nil, "missing: 10 verdicts of rules: the run did not finish"},
		{"some, with a note", cell{store.Covered{Due: verdicts, Active: true, Planned: 40, Recorded: 30, Note: "no key"}, 0}, 30, nil, "missing: 10 verdicts of rules: no key"},
		{"none", cell{store.Covered{Due: verdicts, Active: true, Planned: 40}, 0}, 0, nil, "absent: 40 verdicts of rules: none is on record"},
		{"none of labels", cell{store.Covered{Due: labels, Active: true, Planned: 4}, 0}, 0, nil, "absent: 4 label (claims)s of rules: none is on record"},
		{"some preferences", cell{store.Covered{Due: pairs, Active: true, Planned: 9, Recorded: 8}, 9}, 8, &taskCount{}, "missing: 1 preference of gpt: nothing on record shows why"},
		{"pairs that came later", cell{store.Covered{Due: pairs, Active: true, Planned: 9, Recorded: 9}, 12}, 9, &taskCount{},
			"absent: 3 preferences of gpt: pairs of the set own that it was not asked about"},
		{"pairs outside a sample", cell{store.Covered{Due: pairs, Active: true, Planned: 9, Recorded: 9}, 12}, 9, &taskCount{sampled: true}, ""},
		{"pairs of a baseline", cell{store.Covered{Due: pairs, Active: true, Floor: true, Planned: 9, Recorded: 9}, 12}, 9, nil,
			"absent: 3 preferences of gpt: pairs of the set own that it was not asked about"},
		{"a set that was left out", cell{store.Covered{Due: pairs}, 12}, 0, &taskCount{}, "absent: 12 preferences of gpt: it was not asked about the set own"},
		{"an earlier plan", cell{store.Covered{Due: pairs, Recorded: 3}, 0}, 0, nil, ""},
		{"no plan", cell{store.Covered{Due: pairs, Recorded: 3}, 12}, 0, &taskCount{}, "difference: preferences of gpt on the set own, order ab, are recorded, but not planned"},
	} {
		c := recheck()
		c.taskCounts[test.cell.owner()] = test.walk
		if test.walk == nil {
			delete(c.taskCounts, test.cell.owner())
		}
		found := recordedCounts{map[partyOf]int{test.cell.owner(): test.found}, map[string]int{"template": 9},
			map[string]string{store.PartAnswers: "the run did not finish", store.PartPairs: "nothing on record shows why"}}
		n, err := c.addMissing(test.cell, found)
		var lines []string
		for _, list := range []struct {
			name string
			set  restCounts
		}{{"missing", c.missing}, {"absent", c.notRun}, {"outside", c.notSampled}} {
			for _, r := range list.set.sorted() {
				lines = append(lines, list.name+": "+r.String())
			}
		}
		if err != nil {
			lines = append(lines, "difference: "+strings.TrimPrefix(err.Error(), "first difference: "))
		} else if n != c.missing.total()+c.notRun.total() {
			t.Errorf("%s: %d, of which %v are listed", test.what, n, lines)
		}
		if got := strings.Join(lines, "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
	c := recheck()
	n, err := c.addMissing(cell{store.Covered{Due: verdicts, Active: true, Planned: 40}, 0}, recordedCounts{results: map[partyOf]int{}})
	if lines := c.notRun.sorted(); n != 40 || err != nil || len(lines) != 1 || lines[0].Why != "no answer of template is on record" {
		t.Errorf("without answers: %d, %v, %v", n, err, lines)
	}
}

// TestWithoutCells: a task without a result is missing if its cell has other results in its place. It is also missing if the party has
// other results, but no cell in the recorded plan.
func TestWithoutCells(t *testing.T) {
	c := recheck()
	planned := partyOf{kind: store.KindVerdict, party: "rules"}
	half := partyOf{kind: store.KindVerdict, party: "half"}
	none := partyOf{kind: store.KindVerdict, party: "none"}
	c.plannedCounts[planned] = 40
	c.taskCounts[planned] = &taskCount{tasks: 40, missing: 12}
	c.taskCounts[half] = &taskCount{tasks: 4, missing: 2}
	c.taskCounts[none] = &taskCount{tasks: 4, missing: 4}
	c.addTasksWithoutCells(map[partyOf]int{planned: 10})
	want := []Rest{{store.KindVerdict, "half", 2, "nothing on record shows why"}, {store.KindVerdict, "rules", 2, "on record are others in their place"}}
	if got := c.missing.sorted(); !slices.Equal(got, want) {
		t.Errorf("missing: %v", got)
	}
	if got, want := c.notRun.sorted(), []Rest{{store.KindVerdict, "none", 4, "none is on record"}}; !slices.Equal(got, want) {
		t.Errorf("absent: %v", got)
	}
}
