package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesOfPeople has peculiarities of spreadsheets that people write, each with what validate says about it.
func TestTablesOfPeople(t *testing.T) {
	dir := t.TempDir()
	write := func(name, header string, row func(i int) string) string {
		text := header
		for i := range 24 {
			text += row(i)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	value := func(i int) int { return 1 + (i*7/3)%5 }
	judged := func(i int) int { return 1 + (i*7/3+i%2)%5 }
	judge := write("judge.csv", "id,quality,tone\n", func(i int) string { return fmt.Sprintf("%d,%d,%d\n", i, judged(i), value(i*5)) })
	one := write("one.csv", "id,quality\n", func(i int) string { return fmt.Sprintf("%d,%d\n", i, judged(i)) })
	for _, c := range []struct {
		log, people string
		flags       []string
		code        int
		says        string
	}{
		{write("reply.csv", "id,reply\n", func(i int) string { return fmt.Sprintf(`%d,"{""quality"": %d, ""why"": ""so""}"`+"\n", i, judged(i)) }),
			one, nil, 0, "reply.quality  1–5    24"},
		{write("fenced.jsonl", "", func(i int) string {
			return fmt.Sprintf(`{"id": %d, "output": "`+"```json\\n{\\\"quality\\\": %d}\\n```"+`"}`+"\n", i, judged(i))
		}), one, nil, 0, "output.quality  1–5    24"},
		{one, write("by.csv", "id,segment,quality\n", func(i int) string { return fmt.Sprintf("%d,%c,%d\n", i, 'a'+i%2, value(i)) }),
			[]string{"--by", "segment"}, 0, "quality where segment is b: "},
		{judge, write("likely.csv", "id,Quality of the answer,tone\n", func(i int) string { return fmt.Sprintf("%d,%d,%d\n", i, value(i), value(i*3)) }),
			nil, 0, `quality; perhaps --pair "quality=Quality of the answer"`},
		{judge, write("again.csv", "id,quality,tone\n", func(i int) string { return fmt.Sprintf("%d,%d,%d\n", i/2, value(i), 1+i/2%5) }),
			nil, 0, "No figure of quality: "},
		{one, write("blank.csv", "id,answer,quality\n", func(i int) string { return fmt.Sprintf("%d,Answer %d,\n", i, i) }),
			nil, exitUsage, "nobody has filled in " + filepath.Join(dir, "blank.csv") + ": quality is empty in all 24 rows"},
		{write("result_df.json", `{"columns": ["id", "quality"], "data": [`, func(i int) string {
			return fmt.Sprintf("[%d, %d]%s", i, judged(i), map[bool]string{true: ",", false: "]}"}[i < 23])
		}), one, nil, exitUsage, `orient="records"`},
	} {
		args := append([]string{"validate", c.log, "--people", c.people, "--out", filepath.Join(t.TempDir(), "out")}, c.flags...)
		code, out, errs := compqa(args...)
		if code != c.code || !strings.Contains(unwrapped(out+errs), unwrapped(c.says)) {
			t.Errorf("%s with %s: exit code %d without %q:\n%s%s", c.log, c.people, code, c.says, out, errs)
		}
	}
	// A gate must not pass on the rest of a file in which another criterion is read wrongly.
	code, _, errs := compqa("validate", judge, "--people", filepath.Join(dir, "again.csv"), "--out", filepath.Join(dir, "out"), "--fail-below",
		"alpha=-1")
	if code != exitUsage || !strings.Contains(unwrapped(errs), "no gate on a reading that is not checked") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// unwrapped returns a text on one line with single spaces.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }
