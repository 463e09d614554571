package validation

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/table"
	"compqa/results/validation/scales"
)

// A Result is all that is said about the judges of a study: the rows of the tables, and sentences.
type Result struct {
	*Study
	Pairings      []*Pairing
	Unpaired      []string // criteria of judges that people do not have
	Rows          []Row
	Cells         []Cell
	Systems       []SystemRow
	Differences   []DifferenceRow
	Slices        []SliceRow
	Drift         []DriftRow
	Disagreements []Disagreement
	ToLabel       []Label
	Sentences     []string // on labels that are needed

	most map[*Pairing][2]*Row // the rows of Mean and Majority
}

// worstShown is the number of disagreements that are listed.
const worstShown = 10

// Compute computes everything. since is an older log of the same judges, whose log now is given with it.
func (s *Study) Compute(now, since *sources.Log) (*Result, error) {
	r := &Result{Study: s, most: map[*Pairing][2]*Row{}}
	var err error
	if r.Pairings, r.Unpaired, err = s.Pairings(); err != nil {
		return nil, err
	}
	for _, p := range r.Pairings {
		rows := s.Rows(p)
		var heads [2]*Row
		for i := range rows {
			if at := slices.Index([]string{Mean, Majority}, rows[i].Reference); at >= 0 {
				heads[at] = &rows[i]
			}
		}
		r.most[p] = heads
		r.Rows = append(r.Rows, rows...)
		r.Cells = append(r.Cells, s.Confusion(p)...)
		r.Systems = append(r.Systems, s.Systems(p)...)
		r.Differences = append(r.Differences, s.Differences(p)...)
		r.Slices = append(r.Slices, s.Slices(p)...)
		r.Disagreements = append(r.Disagreements, s.Worst(p, worstShown)...)
	}
	slices.SortStableFunc(r.Disagreements, func(a, b Disagreement) int { return -cmp.Compare(*a.Gap.Number, *b.Gap.Number) })
	r.Disagreements = r.Disagreements[:min(worstShown, len(r.Disagreements))]
	if since != nil { // a study of it in which the new judges are the people
		o := s.o
		o.Join = ByText
		old, err := NewStudy(since, now, o)
		if err == nil {
			r.Drift, err = Drift(old)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.o.LabelsFor > 0 {
		r.labels()
	}
	return r, nil
}

// labels says how many labels would give the width that was asked for, and which items to label.
func (r *Result) labels() {
	pairings := r.Pairings
	if len(pairings) == 0 {
		for _, judge := range r.Judges {
			if !judge.Extra {
				pairings = append(pairings, &Pairing{Judge: judge})
			}
		}
	}
	for _, p := range pairings {
		of := p
		if p.judge.Values == nil {
			of = nil
		}
		n, has, most, items := r.LabelsFor(p.Judge, of, r.o.LabelsFor)
		if n == 0 {
			continue
		}
		if n > most {
			r.Sentences = append(r.Sentences, fmt.Sprintf("%s: ± %v is out of reach: labels for all %s would not give it", r.name(p),
				r.o.LabelsFor, data.Plural(most, "judged item", "judged items")))
		} else {
			r.Sentences = append(r.Sentences, fmt.Sprintf("%s: %s labelled would give ± %v; %d are", r.name(p), data.Plural(n,
				"item", "items"), r.o.LabelsFor, has))
		}
		if len(items) > len(r.ToLabel) {
			r.ToLabel = items
		}
	}
}

// Free is an error if a folder has the report of a validation, which another report would replace.
func Free(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "tables", FileName)); err == nil {
		return fmt.Errorf("%s has the report of compqa validate, which this report would replace: choose another folder with --out", dir)
	}
	return nil
}

// A tableOf is a table of a result: its name, and its rows for a file and for JSON.
type tableOf struct {
	name    string
	rows    int
	csv     func(io.Writer) error
	records func() []map[string]any
}

func rowsOf[R any](name string, rows []R) tableOf {
	return tableOf{name, len(rows), table.CSV(rows), func() []map[string]any { return table.Records(rows) }}
}

func (r *Result) tables() []tableOf {
	return []tableOf{rowsOf("validation", r.Rows), rowsOf("confusion", r.Cells), rowsOf("systems", r.Systems),
		rowsOf("differences", r.Differences), rowsOf("slices", r.Slices), rowsOf("drift", r.Drift),
		rowsOf("disagreements", r.Disagreements), rowsOf("to_label", r.ToLabel)}
}

// FileName is the name of the first table, which every validation has.
const FileName = "validation.csv"

// Files are the tables, by the names of their files; those without rows have nil.
func (r *Result) Files() map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{}
	for _, t := range r.tables() {
		if files[t.name+".csv"] = nil; t.rows > 0 {
			files[t.name+".csv"] = t.csv
		}
	}
	return files
}

// Figure is a figure of a judge's criterion by its name in validation.csv: of the people's mean, or
// of their majority where the mean has none.
func (r *Result) Figure(p *Pairing, name string) (table.Figure, bool) {
	for _, row := range r.most[p] {
		of := map[string]table.Bounded{"alpha": row.Alpha, "kappa": row.Kappa, "kappa_weighted": row.Weighted, "agreement": row.Agreement,
			"spearman": row.Spearman, "tpr": row.TPR, "tnr": row.TNR, "precision": row.Precision, "f1": row.F1, "ac1": row.AC1}
		f, known := of[name]
		if !known {
			return f.Value, false
		}
		if f.Known() {
			return f.Value, true
		}
	}
	return table.Figure{}, true
}

// joined says what was matched, in lines for the terminal.
func (r *Result) joined() (lines []string) {
	j := r.Join
	if j.Items == 0 {
		return []string{fmt.Sprintf("%s of judges; no scores of people", data.Plural(j.Records, "record", "records"))}
	}
	line := fmt.Sprintf("Joined by %s: %d of %s that people scored, %d of %s of judges", j.Method, j.Joined,
		data.Plural(j.Items, "item", "items"), j.Matched, data.Plural(j.Records, "record", "records"))
	for _, of := range []struct {
		n         int
		one, many string
		examples  []string
	}{{j.Items - j.Joined, "item without a record", "items without a record", j.UnmatchedItems},
		{j.Records - j.Matched, "record without people", "records without people", j.UnmatchedRecords}} {
		named := slices.DeleteFunc(slices.Clone(of.examples), func(s string) bool { return s == "" })
		if of.n > 0 && len(named) == 0 {
			line += "; " + data.Plural(of.n, of.one, of.many)
		} else if of.n > 0 {
			line += fmt.Sprintf("; %s (%s)", data.Plural(of.n, of.one, of.many), strings.Join(named, ", "))
		}
	}
	lines = append(lines, line)
	var more []string
	if j.Hint != "" {
		more = append(more, j.Hint)
	}
	if j.Several > 0 {
		more = append(more, fmt.Sprintf("several records of %s: %s", data.Plural(j.Several, "item", "items"),
			map[bool]string{true: "their mean", false: "the first of the lowest epoch counts"}[r.o.EpochsMean]))
	}
	if n := j.Same + j.Other; n > 0 {
		more = append(more, fmt.Sprintf("%s repeated by a person, %d with another value: the first counts",
			data.Plural(n, "value", "values"), j.Other))
	}
	if len(more) > 0 {
		lines = append(lines, strings.Join(more, "; "))
	}
	return lines
}

// failures says for how many records a judge has no value, with the most frequent reasons.
func (r *Result) failures() string {
	total := 0
	reasons := slices.SortedFunc(maps.Keys(r.Failed), func(a, b string) int { return cmp.Or(r.Failed[b]-r.Failed[a], strings.Compare(a, b)) })
	var parts []string
	for i, reason := range reasons {
		if total += r.Failed[reason]; i < 2 {
			parts = append(parts, fmt.Sprintf("%d × %q", r.Failed[reason], data.Clip(reason)))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("The judge gave no value %s, which counts as missing: %s", data.Plural(total, "time", "times"),
		strings.Join(parts, ", "))
}

// name is the judge's criterion, with the judge where there are several.
func (r *Result) name(p *Pairing) string {
	if slices.ContainsFunc(r.Pairings, func(q *Pairing) bool { return q.Judge.By != p.Judge.By }) {
		return p.Judge.Criterion + " (" + p.Judge.By + ")"
	}
	return p.Judge.Criterion
}

// alerts are sentences about a pairing that a reader must know.
func (r *Result) alerts(p *Pairing, threshold float64) (lines []string) {
	name := r.name(p)
	switch {
	case p.Why != "":
		lines = append(lines, name+": "+p.Why)
	case p.Mapped != "":
		lines = append(lines, name+": "+p.Mapped)
	}
	if degenerate := r.Degenerate(p); degenerate != "" {
		lines = append(lines, name+": "+degenerate)
	}
	mean, most := r.most[p][0], r.most[p][1]
	if p.ties > 0 && most.TPR.Known() {
		lines = append(lines, fmt.Sprintf("%s: people are tied on %s, which rates leave out", name, data.Plural(p.ties, "item", "items")))
	}
	if most.TPR.Known() && mean.Corrected.Known() {
		lines = append(lines,
			fmt.Sprintf("%s: finds %s of what people pass (TPR) and %s of what they fail (TNR); passes %s, people would pass %s",
				name, most.TPR.Text(2), most.TNR.Text(2), mean.RateJudge.Text(2), mean.Corrected.Text(2)))
	}
	switch mean.Replaces {
	case "yes":
		lines = append(lines, name+": may stand in for a person (alternative-annotator test, ε = 0.15)")
	case "no":
		lines = append(lines, fmt.Sprintf("%s: may not stand in for a person: it wins against %.0f %% of them (alternative-annotator test, "+
			"ε = 0.15)",
			name, 100**mean.Winning.Number))
	}
	if b := mean.Length; b.Above() || b.Below() {
		lines = append(lines, fmt.Sprintf("%s: for twice as many words the judge gives %s more than people do", name, b.Signed(2)))
	}
	if b := mean.FamilyBias; b.Above() || b.Below() {
		lines = append(lines, fmt.Sprintf("%s: to systems of the judge's own family (%s) it gives %s more than people do, compared with others",
			name, mean.Family, b.Signed(2)))
	}
	if n := MoreLabels(*mean, threshold); n > 0 {
		lines = append(lines, fmt.Sprintf("%s: about %d more labelled items would decide whether alpha is above %v", name, n, threshold))
	}
	return lines
}

// changes says what changed since the older logs.
func (r *Result) changes() (lines []string) {
	for _, d := range r.Drift {
		lines = append(lines,
			fmt.Sprintf("%s: mean %s before, %s now; of the change of %s the judge made %s on %s with the same text, "+
				"where %s of its values are the same",
				d.Criterion, d.Old.Text(2), d.New.Text(2), table.Bounded{Value: d.Change}.Signed(2), d.OfJudge.Signed(2), data.Plural(d.N,
					"item", "items"), d.Agreement.Value.Text(2)))
	}
	return lines
}

// sliced says for which values of a column the judge is worse or better than for the others.
func (r *Result) sliced() (lines []string) {
	for _, row := range r.Slices {
		if row.Adjusted.Known() && *row.Adjusted.Number < 0.05 {
			lines = append(lines, fmt.Sprintf("%s where %s is %s: alpha %s, and the judge is off by %s on average, otherwise than elsewhere (p %s)",
				row.Criterion, row.Column, row.Value, row.Alpha.Text(2), row.MAE.Text(2), row.Adjusted.Text(3)))
		}
	}
	if len(lines) == 0 && len(r.Slices) > 0 {
		lines = []string{fmt.Sprintf("By %s: the judge's error differs for no value (slices.csv)", strings.Join(r.o.Columns, ", "))}
	} else if len(lines) == 0 && len(r.o.Columns) > 0 && len(r.Pairings) > 0 {
		lines = []string{fmt.Sprintf("By %s: no value has %d items that people scored, or the log has no such column",
			strings.Join(r.o.Columns, ", "), leastSlice)}
	}
	return lines
}

// ranking says in people's units how the systems are, on the first criterion that has people's scores.
func (r *Result) ranking() []string {
	var parts []string
	for _, s := range r.Systems {
		if s.Criterion == r.Systems[0].Criterion && s.Judge == r.Systems[0].Judge && s.Predicted.Known() {
			parts = append(parts, s.System+" "+s.Predicted.Text(2))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	line := fmt.Sprintf("Systems in people's units, %s: %s", r.Systems[0].Criterion, strings.Join(parts[:min(4, len(parts))], ", "))
	if d := r.Differences; len(parts) == 2 && len(d) > 0 {
		line += fmt.Sprintf("; difference %s", d[0].Difference.Signed(2))
	}
	return []string{line}
}

// summary has one row a pairing.
func (r *Result) summary() *table.Table {
	t := table.New(2, "criterion", "scale", "n", "agree", "kappa", "alpha", "people", "rho")
	for _, p := range r.Pairings {
		mean, most := r.most[p][0], r.most[p][1]
		kappa := most.Kappa
		if p.PeopleScale.Kind == scales.Ordinal {
			kappa = most.Weighted
		}
		among := r.Rows[slices.IndexFunc(r.Rows, func(row Row) bool {
			return row.Reference == Among && row.Judge == p.Judge.By && row.Criterion == p.Judge.Criterion && row.PeoplesName == p.Criterion
		})]
		t.Add(r.name(p), p.PeopleScale.Short(), fmt.Sprint(mean.N), most.Agreement.Value.Text(2), kappa.Text(2),
			mean.Alpha.Text(2), among.Alpha.Value.Text(2), mean.Spearman.Value.Text(2))
	}
	return t
}

// mostLines is the number of lines of a result on the terminal.
const mostLines = 24

// Print writes the result for the terminal, in at most 24 lines. threshold is the least alpha that is
// enough.
func (r *Result) Print(w io.Writer, threshold float64, place string) error {
	lines := r.joined()
	if of := r.failures(); of != "" {
		lines = append(lines, of)
	}
	t := r.summary()
	var alerts []string
	for _, p := range r.Pairings {
		alerts = append(alerts, r.alerts(p, threshold)...)
	}
	alerts = slices.Concat(r.changes(), r.ranking(), r.sliced(), r.Sentences, alerts)
	if len(r.Unpaired) > 0 && len(r.People) > 0 {
		alerts = append(alerts, "Not compared, since people have no such criterion (--pair): "+data.Clip(strings.Join(r.Unpaired, ", ")))
	}
	alerts = append(alerts, r.Notes...)
	left := mostLines - len(lines) - 4 // an empty line, two of the header, and the last
	if shown := max(1, left/2); len(t.Rows) > shown {
		alerts = append([]string{fmt.Sprintf("%d more criteria are in validation.csv", len(t.Rows)-shown)}, alerts...)
		t.Rows = t.Rows[:shown]
	}
	for _, line := range lines {
		fmt.Fprintln(w, table.Printable(line))
	}
	if len(t.Rows) > 0 {
		fmt.Fprintln(w)
		if err := t.Shortened().Terminal(w); err != nil {
			return err
		}
	}
	for _, line := range alerts[:min(len(alerts), max(0, left-len(t.Rows)))] {
		fmt.Fprintln(w, table.Printable(line))
	}
	_, err := fmt.Fprintln(w, place)
	return err
}

// JSON is the result for other programs.
func (r *Result) JSON() map[string]any {
	all := map[string]any{"join": r.Join, "unpaired": r.Unpaired, "notes": append(r.Notes, r.Sentences...)}
	for _, t := range r.tables() {
		all[t.name] = t.records()
	}
	return all
}
