package sources

import (
	"fmt"
	"strings"
	"testing"

	"compqa/data"
)

// TestOrigins checks that only people's own labels count. The origin of a label is in a column, or in Label Studio's results. A note counts
// the other labels and names the flag that counts all. An unknown origin is an error in a column that is named for origins; a column source
// with other words is not about origins.
func TestOrigins(t *testing.T) {
	studio := `[{"id": 1, "data": {"answer": "x"}, "annotations": [{"completed_by": {"email": "anna"}, "result": [
		{"from_name": "ok", "type": "choices", "origin": "manual", "value": {"choices": ["yes"]}}]}]},
		{"id": 2, "data": {"answer": "y"}, "annotations": [{"completed_by": {"email": "anna"}, "parent_prediction": 7, "result": [
		{"from_name": "ok", "type": "choices", "origin": "prediction", "value": {"choices": ["yes"]}}]}]},
		{"id": 3, "data": {"answer": "z"}, "annotations": [{"completed_by": {"email": "anna"}, "parent_prediction": 8, "result": [
		{"from_name": "ok", "type": "choices", "origin": "prediction-changed", "value": {"choices": ["no"]}}]}]},
		{"id": 4, "data": {"answer": "v"}, "annotations": [{"completed_by": {"email": "anna"}, "parent_prediction": 9, "result": [
		{"from_name": "ok", "type": "choices", "value": {"choices": ["no"]}}]}]}]`
	table := "id,ok,label_source\n1,yes,human\n2,no,gpt-4o\n3,no,human-verified\n4,yes,\n"
	for _, c := range []struct {
		name, content string
		flags         map[string]string
		scores        int
		said          string // note about labels that do not count, or an error
	}{
		{"people.csv", table, nil, 2, "of 4 labels in people's file 2 count as people's by the column label_source (a model's that a person " +
			"accepted: 1; a model's: 1; not said, and counted: 1; --map people.origin=none counts all)"},
		{"people.csv", table, map[string]string{"people.origin": "none"}, 4, ""},
		{"people.csv", "id,ok,where\n1,yes,person\n2,no,model\n", map[string]string{"people.origin": "where"}, 1, "(a model's: 1; "},
		{"people.csv", "id,ok,source\n1,yes,human\n2,no,model\n", nil, 1, "(a model's: 1; "},
		{"people.csv", "id,ok,source\n1,yes,reddit\n2,no,model\n", nil, 4, ""},
		{"people.csv", "id,ok,source\n1,yes,human\n2,no,human\n", nil, 4, ""},
		{"people.csv", "id,ok,label_source\n1,yes,human\n2,no,the north\n", nil, 0, `people.csv:3: the origin of a label is "the north"; it is person`},
		{"people.csv", "id,ok,label_source\n1,yes,model\n2,no,model\n", nil, 0, "of 2 labels in people's file 0 count"},
		{"people.csv", "id,annotator,ok\n1,Claude Monet,yes\n1,gpt-4o,no\n2,claude-3-opus,no\n2,Ann,yes\n", nil, 2,
			"of 4 labels in people's file 2 count as people's (a model's by the name of who gave them: 2; --map people.origin=none counts all)"},
		{"people.csv", "id,annotator,ok\n1,Ann,yes\n1,gpt-4o,no\n", map[string]string{"people.origin": "none"}, 2, ""},
		{"people.csv", "id,annotator,ok\n1,gpt-4o,no\n", nil, 0, "of 1 label in people's file 0 count as people's (a model's by the name"},
		{"people.csv", "id,ok,suggestion_accepted\n1,yes,no\n2,no,yes\n3,no,\n", nil, 2, "of 3 labels in people's file 2 count as people's by the column " +
			"suggestion_accepted (a model's that a person accepted: 1; not said, and counted: 1; --map people.origin=none counts all)"},
		{"people.csv", "id,ok,is_ai_generated\n1,yes,True\n2,no,False\n", nil, 1, "by the column is_ai_generated, taken to be about labels, not texts " +
			"(a model's: 1; "},
		{"people.csv", "id,ok,is_ai_generated\n1,yes,True\n2,no,False\n", map[string]string{"people.origin": "none"}, 2, ""},
		{"people.csv", "id,ok,is_ai_generated\n1,yes,partly\n2,no,no\n", nil, 4, ""},      // not a plain answer
		{"people.csv", "id,annotator,is_ai_generated\n1,Ann,yes\n2,Ben,no\n", nil, 2, ""}, // the column is what people judge
		{"people.csv", "id,annotator,ok,prelabeled\n1,gpt-4o,yes,0\n2,Ann,no,0\n", nil, 1, "(a model's by the name of who gave them: 1; "},
		{"people.csv", "id,ok,suggestion_accepted\n1,yes,edited\n2,no,accepted\n3,no,No\n4,no,not accepted\n", nil, 3,
			"of 4 labels in people's file 3 count as people's by the column suggestion_accepted (a model's that a person accepted: 1; "},
		{"people.csv", "id,ok,suggestion_accepted\n1,yes,yes\n2,no,later\n", nil, 0,
			`people.csv:3: the origin of a label is "later"; it is yes, no, accepted, edited, rejected or a similar word (--map people.origin=`},
		{"people.csv", "id,ok,suggestion_accepted\n1,yes,yes\n2,no,not edited\n", nil, 0, `people.csv:3: the origin of a label is "not edited"`},
		{"people.csv", "id,ok,suggestion_accepted\n1,yes,high\n2,no,low\n", nil, 4, ""}, // no answer at all
		{"people.csv", "id,ok,flag\n1,yes,yes\n2,no,no\n", map[string]string{"people.origin": "flag"}, 0, `people.csv:2: the origin of a label is "yes"`},
		{"people.json", studio, nil, 2, "2 count as people's (a model's that a person accepted: 2; "},
		{"people.json", studio, map[string]string{"people.origin": "none"}, 4, ""},
		{"people.jsonl", `{"id": "1", "kind": "answer", "judge": "human:a", "assignment": "main", "revisions": 1, "version": 1, "value_q": 1, "origin": "person"}
			{"id": "2", "kind": "answer", "judge": "human:a", "assignment": "main", "revisions": 1, "version": 1, "value_q": 1, "origin": "accepted"}`,
			nil, 1, "(a model's that a person accepted: 1; "},
	} {
		path := write(t, c.name, strings.ReplaceAll(c.content, "\n\t\t\t", "\n"))
		log, err := Read(path, Options{People: true, Map: c.flags, Names: []string{"ok", "q"}})
		if err != nil {
			if c.scores > 0 || !strings.Contains(err.Error(), c.said) {
				t.Errorf("%s: %v", c.content, err)
			}
			continue
		}
		if said := log.NotPeoples(); log.Values.Len() != c.scores || !strings.Contains(said, c.said) || (said == "") != (c.said == "") {
			t.Errorf("%s: %d scores, %q", c.content, log.Values.Len(), said)
		}
	}
}

// TestOriginsAskedOfTheOtherSide checks that a column such as is_ai_generated is a criterion, not an origin, if the judge has it as a
// criterion too.
func TestOriginsAskedOfTheOtherSide(t *testing.T) {
	path := write(t, "people.csv", "id,annotator,ok,is_ai_generated\n1,Ann,yes,yes\n2,Ben,no,no\n")
	log, err := Read(path, Options{People: true, Names: []string{"ok", "is_ai_generated"}})
	if err != nil || log.Values.Len() != 4 || log.NotPeoples() != "" {
		t.Errorf("%v, %+v", err, log)
	}
}

// TestOriginsOfOneFile checks that a judge's rows in a file of judges and people do not count as people's labels that a model gave.
func TestOriginsOfOneFile(t *testing.T) {
	path := write(t, "both.csv", "id,rater,rater_type,ok\n1,anna,human,yes\n1,bot,model,yes\n2,anna,human,no\n2,bot,model,no\n")
	for _, names := range [][]string{nil, {"bot"}} {
		log, err := Read(path, Options{People: true, Names: []string{"ok"}, Other: []string{path}, JudgeNames: names})
		if err != nil || log.Values.Len() != 2 || log.NotPeoples() != "" {
			t.Errorf("%v: %v, %+v", names, err, log)
		}
	}
}

// TestOriginIsNotRecorded checks that values under a person's name that do not come from the person are not imported.
func TestOriginIsNotRecorded(t *testing.T) {
	for _, origin := range []string{"", data.OriginPerson, data.OriginAccepted, data.OriginModel} {
		field := ""
		if origin != "" {
			field = `, "origin": "` + origin + `"`
		}
		verdict := `{"id": "1", "judge": "human:a", "status": "valid", "scores": {"q": 1}` + field + "}\n"
		_, verdicts := ReadVerdicts(write(t, "v.jsonl", verdict), []string{"q"}, func(string) bool { return true }, Options{})
		choice := `{"id": "1", "judge": "human:a", "order": "ab", "choice": "a"` + field + "}\n"
		_, _, _, preferences := ReadPreferences(write(t, "p.jsonl", choice), func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true },
			Options{})
		labels := `{"id": "1", "judge": "human:a", "rows": ["good"]` + field + "}\n"
		_, rows := data.ReadLabels(write(t, "l.jsonl", labels))
		for _, err := range []error{verdicts, preferences, rows} {
			refused := err != nil && strings.Contains(err.Error(), ":1: the origin of a value of human:a is "+origin)
			if want := origin == data.OriginAccepted || origin == data.OriginModel; refused != want {
				t.Errorf("%q: %v", origin, err)
			}
		}
	}
}

// TestWritersOfTexts checks that a column of yes and no is about texts if the data show it: it is the same for all raters of a text, in
// rows or in columns, or for all texts of a system. It is about labels if it goes with raters, varies among the raters of a text, or nothing
// shows what it is about.
func TestWritersOfTexts(t *testing.T) {
	table := func(header string, n int, row func(i int, yes string) string) string {
		for i := range n {
			header += "\n" + row(i, []string{"yes", "no"}[i%2])
		}
		return header + "\n"
	}
	pairs := func(name string, n int, second func(i int, yes string) string) string { // two raters of n texts
		return table("id,annotator,ok,"+name, n, func(i int, yes string) string {
			return fmt.Sprintf("%d,Ann,yes,%s\n%[1]d,Ben,no,%[3]s", i, yes, second(i, yes))
		})
	}
	equal := func(_ int, yes string) string { return yes }
	for _, c := range []struct {
		name, content, column, why string // why: of the role RoleWriter; "": the role is RoleOrigin
		left                       int    // labels that are not people's
	}{
		{"rows", pairs("is_ai_generated", 10, equal), "is_ai_generated", "the same for all raters of a text", 0},
		{"nine texts", pairs("is_ai_generated", 9, equal), "is_ai_generated", "", 10},
		{"one differs", pairs("is_ai_generated", 30, func(i int, yes string) string {
			if i == 7 {
				return "yes"
			}
			return yes
		}), "is_ai_generated", "", 31},
		{"by rater", strings.ReplaceAll(pairs("is_ai_generated", 30, func(int, string) string { return "yes" }), "Ann,yes,yes", "Ann,yes,no"),
			"is_ai_generated", "", 30},
		{"columns", table("id,rater 1,rater 2,ai_generated", 10, func(i int, yes string) string { return fmt.Sprintf("%d,yes,no,%s", i, yes) }),
			"ai_generated", "the same for all raters of a text", 0},
		{"systems", table("id,system,ok,is_ai_generated", 12, func(i int, yes string) string {
			return fmt.Sprintf("%d,%s,yes,%s", i, map[string]string{"yes": "gpt", "no": "author"}[yes], yes)
		}), "is_ai_generated", "the same for all texts of a system", 0},
		{"source", strings.NewReplacer(",yes\n", ",human\n", "yes,yes", "yes,human", ",no\n", ",llama\n", "yes,no", "yes,llama").Replace(
			pairs("source", 10, equal)), "source", "the same for all raters of a text", 0},
		{"one label each", table("id,ok,is_ai_generated", 30, func(i int, yes string) string { return fmt.Sprintf("%d,yes,%s", i, yes) }),
			"is_ai_generated", "", 15},
		{"prelabelled", pairs("prelabeled", 30, equal), "prelabeled", "", 30}, // its name says that it is about labels
	} {
		path := write(t, "people.csv", c.content)
		log, err := Read(path, Options{People: true, Names: []string{"ok", "score"}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		role := RoleOrigin
		if c.why != "" {
			role = RoleWriter
		}
		read := log.Readings[0].columns(role)
		if len(read) != 1 || read[0].Column != c.column || log.notOwn() != c.left || !strings.HasPrefix(read[0].Why, c.why) {
			t.Errorf("%s: %+v, %d left out", c.name, log.Readings[0].Columns, log.notOwn())
		}
		again, err := Read(path, Options{People: true, Names: []string{"ok", "score"}, Map: map[string]string{"people.origin": c.column}})
		if err != nil || again.notOwn() == 0 || len(again.Readings[0].columns(RoleOrigin)) != 1 {
			t.Errorf("%s: mapped: %v, %+v", c.name, err, again)
		}
	}
}
