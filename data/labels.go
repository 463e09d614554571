package data

import (
	"fmt"
	"slices"
	"strings"
)

// Labels are what a judge says about a summary, the contrastive table of an answer. Each list
// is of one kind; a judge may give some of them only.
type Labels struct {
	Rows       []RowLabel   `json:"rows,omitempty"`       // of each row
	Partition  [][]int      `json:"partition,omitempty"`  // groups of rows with the same attribute, numbered from 1
	Consistent []KeptValues `json:"consistent,omitempty"` // of each row
	Support    []RowSupport `json:"support,omitempty"`    // of each row
}

// The kinds of labels, in the order of tables.
const (
	LabelRows       = "rows"       // whether each row helps, and is relevant
	LabelPartition  = "partition"  // which attributes are the same
	LabelConsistent = "consistent" // which values of an object agree with each other
	LabelSupport    = "support"    // whether quotes support their values
)

// LabelKinds are the kinds of labels.
var LabelKinds = []string{LabelRows, LabelPartition, LabelConsistent, LabelSupport}

// The labels of a row (Gunel et al., appendix A).
const (
	RowYes           = "YES"             // it helps the comparison
	RowOK            = "OK"              // neither helpful nor faulty
	RowBadExtraction = "NO-extraction"   // attribute or value make no sense
	RowInconsistent  = "NO-inconsistent" // the values of one object contradict each other
	RowUndermerged   = "NO-undermerged"  // values of one object say the same
	RowNotComparable = "NO-orthogonal"   // the objects' values are not about the same thing
)

// What people may say of a row instead.
const (
	RowUseful     = "useful"     // as YES
	RowNotUseful  = "not useful" // why is not said
	RowUnlabelled = "-"
)

// RowLabelNames are the labels of a row.
var RowLabelNames = []string{RowYes, RowOK, RowBadExtraction, RowInconsistent, RowUndermerged, RowNotComparable}

// A RowLabel says whether a row helps, and whether it is relevant to the comparison; nil: not said.
type RowLabel struct {
	Label    string `json:"label"`
	Relevant *bool  `json:"relevant,omitempty"`
}

// Helps reports whether the label says that the row helps the comparison.
func (r RowLabel) Helps() bool { return r.Label == RowYes || r.Label == RowUseful }

// KeptValues are the numbers, from 1, of a largest set of values without a contradiction, for each object of a row.
type KeptValues = ofObjects[int]

// RowSupport is the support of each value of a row.
type RowSupport = ofObjects[ValueSupport]

// ofObjects are labels of the values of both objects.
type ofObjects[T any] struct {
	Object1 []T `json:"object1"`
	Object2 []T `json:"object2"`
}

// ValueSupport reports whether its quotes support a value, and whether it is about the other object.
type ValueSupport struct {
	Supported   bool `json:"supported"`
	WrongEntity bool `json:"wrong_entity"`
}

// Cells returns the values of both objects.
func (r ContrastRow) Cells() [2][]ContrastValue { return [2][]ContrastValue{r.Object1, r.Object2} }

// Cells returns the labels of both objects.
func (o ofObjects[T]) Cells() [2][]T { return [2][]T{o.Object1, o.Object2} }

// Has reports whether there are labels of a kind.
func (l Labels) Has(kind string) bool {
	return map[string]bool{LabelRows: l.Rows != nil, LabelPartition: l.Partition != nil, LabelConsistent: l.Consistent != nil,
		LabelSupport: l.Support != nil}[kind]
}

// Of returns the labels of one kind.
func (l Labels) Of(kind string) (labels Labels) {
	switch kind {
	case LabelRows:
		labels.Rows = l.Rows
	case LabelPartition:
		labels.Partition = l.Partition
	case LabelConsistent:
		labels.Consistent = l.Consistent
	case LabelSupport:
		labels.Support = l.Support
	}
	return labels
}

// Check decides whether labels of a kind fit a table: every row and value has one, and a
// partition has every row once. The reason says what is wrong.
func (l Labels) Check(kind string, t ContrastTable) (Status, string) {
	n := map[string]int{LabelRows: len(l.Rows), LabelPartition: len(t.Rows), LabelConsistent: len(l.Consistent),
		LabelSupport: len(l.Support)}[kind]
	switch {
	case len(t.Rows) == 0:
		return Empty, "the table has no rows"
	case n < len(t.Rows):
		return Incomplete, fmt.Sprintf("%s has %s, and the table %d", kind, Plural(n, "row", "rows"), len(t.Rows))
	case n > len(t.Rows):
		return OutOfRange, fmt.Sprintf("%s has %s, and the table %d", kind, Plural(n, "row", "rows"), len(t.Rows))
	}
	if kind == LabelPartition {
		return checkPartition(l.Partition, len(t.Rows))
	}
	for i, row := range t.Rows {
		for k, values := range row.Cells() {
			where := fmt.Sprintf("%s, row %d, object%d: ", kind, i+1, k+1)
			switch kind {
			case LabelRows:
				if names := append(slices.Clone(RowLabelNames), RowUseful, RowNotUseful, RowUnlabelled); !slices.Contains(names, l.Rows[i].Label) {
					return OutOfRange, fmt.Sprintf("rows, row %d: the label is %q; one of %s", i+1, Clip(l.Rows[i].Label), strings.Join(names, ", "))
				}
			case LabelConsistent:
				if wrong := checkKept(l.Consistent[i].Cells()[k], len(values)); wrong != "" {
					return OutOfRange, where + wrong
				}
			case LabelSupport:
				if has := len(l.Support[i].Cells()[k]); has < len(values) {
					return Incomplete, where + fmt.Sprintf("%d of %s have a label", has, Plural(len(values), "value", "values"))
				} else if has > len(values) {
					return OutOfRange, where + fmt.Sprintf("%d labels for %s", has, Plural(len(values), "value", "values"))
				}
			}
		}
	}
	return Valid, ""
}

// checkPartition: every row is in one group. Anything else is not a partition.
func checkPartition(groups [][]int, n int) (Status, string) {
	seen := make([]bool, n+1)
	rows := 0
	for _, group := range groups {
		for _, row := range group {
			switch {
			case row < 1 || row > n:
				return Unparsed, fmt.Sprintf("partition: there is no row %d; rows are 1 to %d", row, n)
			case seen[row]:
				return Unparsed, fmt.Sprintf("partition: row %d is there twice", row)
			}
			seen[row] = true
			rows++
		}
		if len(group) == 0 {
			return Unparsed, "partition: a group is empty"
		}
	}
	if rows < n {
		return Unparsed, fmt.Sprintf("partition: row %d is in no group", slices.Index(seen[1:], false)+1)
	}
	return Valid, ""
}

// checkKept: the numbers of values that are kept are distinct, in range, and at least one.
func checkKept(kept []int, n int) string {
	seen := map[int]bool{}
	for _, v := range kept {
		if v < 1 || v > n || seen[v] {
			return fmt.Sprintf("%v: the numbers of values to keep are distinct and from 1 to %d", kept, n)
		}
		seen[v] = true
	}
	if n > 0 && len(kept) == 0 {
		return "no value is kept; one value never contradicts itself"
	}
	return ""
}

// SummaryLabels are the labels that a judge gives to one answer.
type SummaryLabels struct {
	Answer     string `json:"id"`
	Judge      string `json:"judge"`
	Status     Status `json:"status"` // of all kinds
	Reason     string `json:"reason,omitempty"`
	Provenance string `json:"origin,omitempty"`
	Labels
}

var labelFields = append([]string{"id", "judge", "status", "reason", "origin"}, LabelKinds...)

// ReadLabels reads labels of summaries from JSON Lines or CSV: id (of the answer), judge, and any of rows, partition,
// consistent and support; in CSV each is a cell with JSON. A line with a status other than valid has no labels, and a
// reason instead. Whether labels fit the table is decided when both are there: see Check.
func ReadLabels(path string) ([]SummaryLabels, error) {
	return readRecords(path, labelFields, "labels", func(r *row) (SummaryLabels, []string) {
		l := SummaryLabels{Answer: r.need("id"), Judge: r.need("judge"), Reason: r.text("reason"), Status: r.status()}
		if err := CheckOrigin(l.Judge, r.text("origin")); err != nil {
			r.fail("%v", err)
		}
		given := 0
		for i, into := range []any{&l.Rows, &l.Partition, &l.Consistent, &l.Support} {
			if r.decode(LabelKinds[i], into, "it must be a list of "+LabelKinds[i]+" labels") {
				given++
			}
		}
		switch {
		case l.Status == Valid && given == 0:
			r.fail("there are no labels; at least one of %s is needed", strings.Join(LabelKinds, ", "))
		case l.Status != Valid && given > 0:
			r.fail("the status is %s, but there are labels", l.Status)
		}
		return l, []string{fmt.Sprintf("labels of judge %q for answer %q", l.Judge, l.Answer)}
	})
}
