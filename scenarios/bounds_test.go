package scenarios

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"compqa/data"
)

// TestHostileTemplates: a template ends soon, with little memory, and the error says why.
func TestHostileTemplates(t *testing.T) {
	user := func(body string) string { return `{{define "user"}}a prompt` + body + `{{end}}` }
	nested, doubled := "", `{{$x := "0123456789"}}`
	for range 12 {
		nested = "{{range $.L}}" + nested + "{{end}}"
	}
	for range 60 {
		doubled += `{{$x = print $x $x}}`
	}
	for name, c := range map[string]struct{ text, want string }{
		"a loop":           {user("{{range 100000000000}}{{end}}"), "cannot loop over numbers"},
		"a loop with text": {user("{{range $i := 100000000000}}x{{end}}"), "cannot loop over numbers"},
		"a computed loop":  {user("{{range $i := len .Question}}x{{end}}"), "cannot loop over numbers"},
		"recursion":        {user(`{{template "user" .}}`), "repeats or calls itself too often"},
		"a tree of calls":  {user(`{{template "t" .Question}}`) + `{{define "t"}}{{if .}}{{template "t" (slice . 1)}}{{template "t" (slice . 1)}}{{end}}{{end}}`, "repeats or calls itself too often"},
		"nested loops":     {user(strings.ReplaceAll(nested, "$.L", "$.Arguments")), "repeats or calls itself too often"},
		"doubled text":     {user(doubled), "longer than 1048576 bytes"},
		"numbered":         {user(strings.Repeat(`{{$x := numbered .Arguments}}`, 5000)), "longer than 1048576 bytes"},
		"wide":             {user(`{{printf "%1000000d%[1]1000000d" 1}}`), "widths of one or two digits"},
		"many operands":    {user(`{{print` + strings.Repeat(` "a"`, 30) + `}}`), "30 operands"},
		"long":             {user(strings.Repeat("x", 1<<20)), "at most 262144 are allowed"},
		"deep":             {user(strings.Repeat("{{if 1}}", 10_000) + strings.Repeat("{{end}}", 10_000)), ""},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		s, err := Parse("x", c.text)
		if err == nil {
			q := data.Question{Object1: "a", Object2: "b", Text: strings.Repeat("Which? ", 10)}
			for range 30 {
				q.Arguments = append(q.Arguments, data.Argument{Text: strings.Repeat("because ", 20)})
			}
			_, err = s.Render(q, true)
		}
		runtime.ReadMemStats(&after)
		if took, mb := time.Since(began), (after.TotalAlloc-before.TotalAlloc)>>20; took > time.Minute || mb > 500 {
			t.Errorf("%s: %s, %d MB", name, took, mb)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %.200v, want %q", name, err, c.want)
		}
	}
}

// TestOrdinaryTemplates: what templates usually do stays possible.
func TestOrdinaryTemplates(t *testing.T) {
	s, err := Parse("x", `{{define "user"}}{{range $i, $a := .Arguments}}{{printf "%2d" $i}} {{$a.Text | html}} {{else}}none{{end}}{{with .Aspect}}{{print . "!"}}{{end}} {{.Object1}}{{range .Arguments}}{{if eq .Favours "object1"}}{{break}}{{end}}{{end}}{{end}}`)
	if err != nil {
		t.Fatal(err)
	}
	q := data.Question{Object1: "tea", Object2: "mate", Aspect: "taste"}
	if p, err := s.Render(q, true); err != nil || p.User != "nonetaste! tea" {
		t.Errorf("%q, %v", p.User, err)
	}
	for i := range 500 {
		q.Arguments = append(q.Arguments, data.Argument{Text: fmt.Sprint("<", i), Favours: data.Object2})
	}
	if p, err := s.Render(q, true); err != nil || !strings.HasPrefix(p.User, "0 &lt;0  1 &lt;1") {
		t.Errorf("%.40q, %v", p.User, err)
	}
}

// TestTemplateFaults: the error lists what exists.
func TestTemplateFaults(t *testing.T) {
	for _, text := range []string{`{{define "user"}}{{.Objekt1}}{{end}}`, `{{define "user"}}{{nmbered .Arguments}}{{end}}`, `{{define "user"}}{{range .Arguments}}{{.Name}}{{end}}x{{end}}`} {
		_, err := Parse("x", text)
		if err == nil || !strings.Contains(err.Error(), ".Object1, .Object2, .Aspect, .Question, .Arguments (a list of {.Text, .Favours, .Aspect})") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add(`{{define "user"}}{{range .Arguments}}{{template "x" .}}{{end}}{{end}}{{define "x"}}{{len .Text}}{{end}}`)
	f.Add(`{{define "user"}}{{$x := .Question}}{{range .Arguments}}{{$x = printf "%s%s" $x $x}}{{end}}{{end}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse("x", text); err == nil {
			if p, err := s.Render(tramOrBus, true); err == nil && len(p.User) > mostText {
				t.Errorf("%d bytes", len(p.User))
			}
		}
	})
}
