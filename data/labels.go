package data

import (
	"fmt"
	"slices"
	"strings"
)

// Labels are a judge's labels for a summary, that is the contrastive table of an answer. Each field has one kind of labels; a judge may
// give only some kinds.
type Labels struct {
	Rows       []RowLabel   `json:"rows,omitempty"`       // one for each row
	Partition  [][]int      `json:"partition,omitempty"`  // groups of rows with the same attribute, numbered from 1
	Consistent []KeptValues `json:"consistent,omitempty"` // one for each row
	Support    []RowSupport `json:"support,omitempty"`    // one for each row
}

// The kinds of labels, in the order of tables.
const (
	LabelRows       = "rows"       // whether each row helps, and is relevant
	LabelPartition  = "partition"  // which attributes are the same
	LabelConsistent = "consistent" // which values of one object agree with each other
	LabelSupport    = "support"    // whether quotes support their values
)

// LabelKinds are all kinds of labels, in the order of tables.
var LabelKinds = []string{LabelRows, LabelPartition, LabelConsistent, LabelSupport}

// The labels of a row (Gunel et al., appendix A).
const (
	RowYes           = "YES"             // it helps the comparison
	RowOK            = "OK"              // neither helpful nor faulty
	RowBadExtraction = "NO-extraction"   // attribute or value make no sense
	RowInconsistent  = "NO-inconsistent" // values of one object contradict each other
	RowUndermerged   = "NO-undermerged"  // several values of one object say the same
	RowNotComparable = "NO-orthogonal"   // the objects' values are not about the same thing
)

// Further labels that people may give to a row.
const (
	RowUseful     = "useful"     // same as RowYes
	RowNotUseful  = "not useful" // without a reason
	RowUnlabelled = "-"
)

// RowLabelNames are the labels that a judge may give to a row.
var RowLabelNames = []string{RowYes, RowOK, RowBadExtraction, RowInconsistent, RowUndermerged, RowNotComparable}

// A RowLabel says whether a row helps the comparison. Relevant says whether it is relevant; nil if the judge did not say it.
type RowLabel struct {
	Label    string `json:"label"`
	Relevant *bool  `json:"relevant,omitempty"`
}

// Helps reports whether the label says that the row helps the comparison.
func (r RowLabel) Helps() bool { return r.Label == RowYes || r.Label == RowUseful }

// KeptValues has, for each object of a row, the numbers (from 1) of a largest set of values that do not contradict each other.
type KeptValues = ofObjects[int]

// RowSupport has the support of each value of a row.
type RowSupport = ofObjects[ValueSupport]

// ofObjects has labels for the values of both objects.
type ofObjects[T any] struct {
	Object1 []T `json:"object1"`
	Object2 []T `json:"object2"`
}

// A ValueSupport says whether the quotes of a value support it, and whether the value is about the other object.
type ValueSupport struct {
	Supported   bool `json:"supported"`
	WrongEntity bool `json:"wrong_entity"`
}

// Cells returns the values of the first and the second object.
func (r ContrastRow) Cells() [2][]ContrastValue { return [2][]ContrastValue{r.Object1, r.Object2} }

// Cells returns the labels of the first and the second object.
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

// Check reports whether the labels of a kind fit a table: each row and value has a label, and a partition has each row once. It returns
// Valid, or another status and the reason.
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

// checkPartition checks that each row from 1 to n is in exactly one group. It returns Valid, or Unparsed and the reason.
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

// checkKept checks the numbers of the values that are kept: distinct, from 1 to n, and at least one if n > 0. It returns what is wrong, or
// "".
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
	Status     Status `json:"status"` // for all kinds together
	Reason     string `json:"reason,omitempty"`
	Provenance string `json:"origin,omitempty"`
	Labels
}

var labelFields = append([]string{"id", "judge", "status", "reason", "origin"}, LabelKinds...)

// ReadLabels reads labels of summaries from JSON Lines or CSV: id (of the answer), judge, and any of rows, partition, consistent and
// support. In CSV, these four are cells with JSON. A line with a status other than valid has a reason and no labels. Whether labels fit the
// table is checked later, by Check.
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
