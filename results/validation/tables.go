package validation

import (
	"maps"
	"reflect"
	"slices"

	"compqa/results/checks"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
)

// FileName is the name of the first table. Every validation has it.
const FileName = "validation.csv"

// Tables of a validation, in the order of its JSON and its page.
var (
	validationTable = table.Def[Row]{File: FileName, Views: []table.View[Row]{
		{Title: "Against each person, their mean and their majority", In: Row.ofPeople, Words: 3, Shown: []string{"judge", "criterion",
			"reference", "n", "agreement", "kappa=kappa (unweighted)", "kappa_weighted=kappa (quadratic)", "ac1", "level=level of alpha",
			"alpha", "spearman"}},
		{Title: "Rates (positive: yes, pass; negative: no, fail)", In: Row.hasRates, Words: 3, Shown: []string{"judge", "criterion",
			"reference", "tpr", "tnr", "precision", "f1", "rate_judge", "rate_people", "rate_corrected", "floor_constant",
			"floor_shuffled"}}}}
	confusionTable = table.Def[ConfusionRow]{File: "confusion.csv", Views: []table.View[ConfusionRow]{
		{Title: "Values of people and of the judge", Words: 4, Shown: []string{"judge", "criterion", "people", "judged", "count"}}}}
	systemsTable = table.Def[SystemRow]{File: "systems.csv", Views: []table.View[SystemRow]{
		{Title: "Systems in people's units", Words: 3, Shown: []string{"judge", "criterion", "system", "rank", "n_judged", "n_labelled",
			"judge_mean", "predicted"}}}}
	differencesTable = table.Def[DifferenceRow]{File: "differences.csv", Views: []table.View[DifferenceRow]{
		{Title: "Differences of systems", Words: 4, Shown: []string{"judge", "criterion", "system_a", "system_b", "n_questions",
			"difference", "p_adjusted"}}}}
	slicesTable = table.Def[SliceRow]{File: "slices.csv", Views: []table.View[SliceRow]{
		{Title: "Slices", Words: 4, Shown: []string{"judge", "criterion", "column", "value", "n", "alpha=alpha (interval)", "mae",
			"p_adjusted"}}}}
	driftTable = table.Def[DriftRow]{File: "drift.csv", Views: []table.View[DriftRow]{
		{Title: "What has changed", Words: 2, Shown: []string{"judge", "criterion", "n_same_text", "agreement", "of_judge", "change",
			"of_answers"}}}}
	disagreementsTable = table.Def[Disagreement]{File: "disagreements.csv"}
	toLabelTable       = table.Def[ToLabel]{File: "to_label.csv"}
	anyTimeTable       = table.Def[AnyTimeRow]{File: "any_time.csv", Views: []table.View[AnyTimeRow]{
		{Title: "At any time", Words: 3, Shown: []string{"judge", "criterion", "figure", "looks", "n", "value", "low", "high"},
			About: "Over all looks of --record, each question once. The bounds contain the true figure at all looks together in 95 % of " +
				"cases, if the labelled items of each look are a random sample."}}}
	movedTable = table.Def[MovedRow]{File: "moved.csv", Views: []table.View[MovedRow]{
		{Title: "Who has moved", Words: 3, Shown: []string{"judge", "criterion", "looks", "moved", "since_look", "judge_change",
			"anchors_change"},
			About: "Later looks minus the first: of the judge's mean, and of judge minus people on labelled items (anchors). Over all looks " +
				"together, somebody is named though nobody moved in at most 5 % of cases."}}}
	togetherTable = table.Def[TogetherRow]{File: "together.csv", Views: []table.View[TogetherRow]{
		{Title: "All judges together", Words: 3, About: trust.AboutTogether, Shown: []string{"criterion", "system", "judges", "n_items",
			"n_labelled", "mean:3", "basis", "labels_alone:3", "together:3", "explained", "next_labels", "next_items", "why"}}}}
	unreadTable = table.Def[UnreadRow]{File: "unread.csv", Views: []table.View[UnreadRow]{
		{Title: "What may stand unread", Words: 2, About: trust.AboutUnread, Shown: []string{"judge", "criterion", "threshold:3",
			"labelled", "wrong", "pool", "p:4", "level:4", "stands"}}}}
	setsTable = table.Def[SetRow]{File: "sets.csv", Views: []table.View[SetRow]{
		{Title: "Several right answers", Words: 2, About: trust.AboutSets, Shown: []string{"judge", "criterion", "n:0", "options:0", "several",
			"alpha_people", "forced", "distance:3", "distance_people:3"}}}}
	severityTable = table.Def[raters.Severity]{File: "severity.csv", Views: []table.View[raters.Severity]{
		{Title: "Who is strict, and who is random", Words: 4, About: trust.AboutSeverity, Shown: []string{"judge", "criterion", "rater",
			"kind", "n", "severity+2", "infit", "outfit", "note"}}}}
	escalationTable = table.Def[EscalationRow]{File: "escalation.csv", Views: []table.View[EscalationRow]{
		{Title: "Who decides at each step", Words: 3, About: trust.AboutUnread, Shown: []string{"step", "judge", "criterion", "threshold:3",
			"items", "labelled", "wrong", "p:4", "level:4", "stands", "cost:4"}}}}
	decidedTable = table.Def[DecidedRow]{File: "decided.csv"}
)

// ofPeople reports whether the row compares the judge with one person, or with the mean or the majority of people.
func (r Row) ofPeople() bool {
	return r.Reference != Among && r.Reference != All && r.Reference != Single
}

func (r Row) hasRates() bool { return r.ofPeople() && (r.TPR.Known || r.Corrected.Known) }

// Catalogue returns all tables of the result. The catalogue of an empty result lists which tables can exist.
func (r *Result) Catalogue() *table.Catalogue {
	c := &table.Catalogue{}
	table.Put(c, validationTable, r.Rows)
	table.Put(c, confusionTable, r.Cells)
	table.Put(c, systemsTable, r.Systems)
	table.Put(c, differencesTable, r.Differences)
	table.Put(c, slicesTable, r.Slices)
	table.Put(c, driftTable, r.Drift)
	table.Put(c, disagreementsTable, r.Disagreements)
	table.Put(c, toLabelTable, r.ToLabel)
	table.Put(c, dataset.FragilityTable, r.Fragility)
	table.Put(c, anyTimeTable, r.AnyTime)
	table.Put(c, movedTable, r.Moved)
	table.Put(c, unreadTable, r.Unread)
	table.Put(c, togetherTable, r.Together)
	table.Put(c, severityTable, r.severities())
	table.Put(c, escalationTable, r.Escalation)
	table.Put(c, decidedTable, r.Decided)
	table.Put(c, setsTable, r.Sets)
	return c
}

// severities returns the rows of severity.csv of all decisions.
func (r *Result) severities() (rows []raters.Severity) {
	for _, p := range r.different() {
		rows = append(rows, p.decision.Severities.Rows...)
	}
	return rows
}

// Escalated returns the tables of judges that decide together in a cascade.
func (r *Result) Escalated() *table.Catalogue {
	c := &table.Catalogue{}
	table.Put(c, escalationTable, r.Escalation)
	table.Put(c, decidedTable, r.Decided)
	return c
}

// EscalationSections returns the sections of a page that show the steps of a cascade.
func (r *Result) EscalationSections() []table.Section { return escalationTable.Sections(r.Escalation) }

// JSON is the result for other programs: its tables by the names of their files, and its sentences.
type JSON struct {
	Read     []string       `json:"read"` // what was read, for each side
	Join     Join           `json:"join"`
	Unpaired []string       `json:"unpaired"` // criteria of judges that people do not have
	Failed   map[string]int `json:"failed"`   // number of records for which a judge has no value, by reason
	Notes    []string       `json:"notes"`
	Findings table.Findings `json:"findings"` // the headline, each decision, and all other conclusions
	Tables   *table.Catalogue
	Checks   table.Rows[checks.Finding] `json:"checks"` // findings of possible wrong readings
}

// MarshalJSON writes each table under its name in place of the catalogue.
func (j JSON) MarshalJSON() ([]byte, error) { return table.InJSON(j) }

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (j JSON) JSONType() reflect.Type {
	return table.JSONTypeWith(reflect.TypeFor[JSON](), new(Result).Catalogue().Definitions()...)
}

// JSON returns the result with its tables and conclusions.
func (r *Result) JSON() JSON {
	failed := map[string]int{}
	maps.Copy(failed, r.Failed)
	return JSON{Join: r.Join, Unpaired: r.Unpaired, Failed: failed, Notes: slices.Concat(r.joined(), r.Notes, r.Done),
		Findings: r.Concluded.All(), Tables: r.Catalogue(), Checks: r.Findings}
}
