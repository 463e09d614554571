package judges

import (
	"encoding/json"
	"strings"
	"testing"

	"compqa/llm/structured"
	"compqa/rubric"
)

// ownRubric returns a rubric with half points, ids that are words, more than two levels, and levels out of order.
func ownRubric() rubric.Rubric {
	return rubric.Rubric{Name: "own", Step: 0.5, Measurement: "ordinal", Criteria: []rubric.Criterion{
		{ID: "tone", Group: "manner", Name: "tone", Text: "The tone is friendly.", Levels: []rubric.Level{{Points: 1, Text: "It is."}, {Points: 0.5, Text: "By half."}, {Points: 0, Text: "It is not."}}},
		{ID: "a \"b\"", Group: "matter", Name: "fairness", Text: "Both sides are heard.", Levels: []rubric.Level{{Points: -1, Text: "Neither."}, {Points: 3, Text: "Both."}}},
	}}
}

func TestSheetSchema(t *testing.T) {
	got := string(sheetSchema(ownRubric()))
	want := `{"type":"object","properties":{` +
		`"tone":{"type":"number","enum":[1,0.5,0]},` +
		`"a \"b\"":{"type":"integer","enum":[-1,3]}},` +
		`"required":["tone","a \"b\""],"additionalProperties":false}`
	if got != want {
		t.Errorf("schema\n%s\nwant\n%s", got, want)
	}
}

// The keys in the schema's text must be in the rubric's order, 2 before 10.
func TestSheetSchemaOfCQA(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			Type string
			Enum []float64
		}
		Required []string
	}
	text := sheetSchema(rubric.CQA())
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	last := -1
	for i, c := range rubric.CQA().Criteria {
		p := schema.Properties[c.ID]
		if schema.Required[i] != c.ID || p.Type != "integer" || len(p.Enum) != len(c.Levels) || p.Enum[len(p.Enum)-1] != c.Max() {
			t.Errorf("criterion %s: %v, required %v", c.ID, p, schema.Required[i])
		}
		index := strings.Index(string(text), structured.Text(c.ID)+":")
		if index <= last {
			t.Errorf("criterion %s is out of order", c.ID)
		}
		last = index
	}
	if len(schema.Properties) != 15 || len(schema.Required) != 15 {
		t.Errorf("%d properties, %d required; want 15 of each", len(schema.Properties), len(schema.Required))
	}
}
