package data

import (
	"strings"
	"testing"
)

// TestReadLabels checks that people may give only some kinds of labels, and that the error of an invalid label names its line.
func TestReadLabels(t *testing.T) {
	list, err := ReadLabels(write(t, "l.jsonl", `{"id": "1", "judge": "human:anna", "rows": [{"label": "YES", "relevant": true}, {"label": "OK"}], "partition": [[1], [2]]}
{"id": "2", "judge": "human:anna", "status": "skipped", "reason": "too long"}
`))
	if err != nil || len(list) != 2 || !list[0].Has(LabelRows) || list[0].Has(LabelSupport) || *list[0].Rows[0].Relevant != true || list[0].Rows[1].Relevant != nil || list[1].Status != Skipped {
		t.Fatalf("%+v, %v", list, err)
	}
	for row, want := range map[string]string{
		`{"id": "1", "judge": "human:a"}`:                                                 "there are no labels",
		`{"id": "1", "judge": "human:a", "rows": null}`:                                   "there are no labels",
		`{"id": "1", "judge": "human:a", "rows": [{"lable": "YES"}]}`:                     `unknown field "lable"`,
		`{"id": "1", "judge": "human:a", "partition": [1]}`:                               "it must be a list of partition labels",
		`{"id": "1", "judge": "human:a", "status": "failed", "partition": [[1]]}`:         "there are labels",
		`{"id": "1", "rows": []}`:                                                         "judge is missing",
		`{"id": "1", "judge": "human:a", "consistent": [{"object1": [1], "object3": 2}]}`: "object3",
	} {
		if _, err := ReadLabels(write(t, "l.jsonl", row)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "l.jsonl:1: ") {
			t.Errorf("%s: %v, want %q", row, err, want)
		}
	}
}

// TestCheckLabels checks the status of labels that fit their table and of labels that do not.
func TestCheckLabels(t *testing.T) {
	value := []ContrastValue{{Value: "x"}}
	two := ContrastTable{Rows: []ContrastRow{{Attribute: "a", Object1: append(value, value...)}, {Attribute: "b", Object2: value}}}
	yes := RowLabel{Label: RowYes}
	for _, of := range []struct {
		kind   string
		table  ContrastTable
		labels Labels
		want   Status
	}{
		{LabelRows, two, Labels{Rows: []RowLabel{yes, yes}}, Valid},
		{LabelRows, two, Labels{Rows: []RowLabel{yes}}, Incomplete},
		{LabelRows, two, Labels{Rows: []RowLabel{yes, yes, yes}}, OutOfRange},
		{LabelRows, two, Labels{Rows: []RowLabel{yes, {Label: "yes"}}}, OutOfRange},
		{LabelRows, ContrastTable{}, Labels{}, Empty},
		{LabelPartition, two, Labels{Partition: [][]int{{2, 1}}}, Valid},
		{LabelPartition, two, Labels{Partition: [][]int{{1}}}, Unparsed},
		{LabelPartition, two, Labels{Partition: [][]int{{1}, {1, 2}}}, Unparsed},
		{LabelPartition, two, Labels{Partition: [][]int{{1, 2, 3}}}, Unparsed},
		{LabelPartition, two, Labels{Partition: [][]int{{1, 2}, {}}}, Unparsed},
		{LabelPartition, two, Labels{}, Unparsed},
		{LabelConsistent, two, Labels{Consistent: []KeptValues{{Object1: []int{2}}, {Object2: []int{1}}}}, Valid},
		{LabelConsistent, two, Labels{Consistent: []KeptValues{{Object1: []int{3}}, {Object2: []int{1}}}}, OutOfRange},
		{LabelConsistent, two, Labels{Consistent: []KeptValues{{}, {Object2: []int{1}}}}, OutOfRange},
		{LabelSupport, two, Labels{Support: []RowSupport{{Object1: make([]ValueSupport, 2)}, {Object2: make([]ValueSupport, 1)}}}, Valid},
		{LabelSupport, two, Labels{Support: []RowSupport{{Object1: make([]ValueSupport, 1)}, {Object2: make([]ValueSupport, 1)}}}, Incomplete},
		{LabelSupport, two, Labels{Support: []RowSupport{{Object1: make([]ValueSupport, 2)}, {Object1: make([]ValueSupport, 1), Object2: make([]ValueSupport, 1)}}}, OutOfRange},
	} {
		if got, reason := of.labels.Check(of.kind, of.table); got != of.want || (reason == "") != (got == Valid) {
			t.Errorf("%s, %+v: %s (%s), want %s", of.kind, of.labels, got, reason, of.want)
		}
	}
}
