package scenarios

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"compqa/data"
)

// TestHostileTemplates checks that a hostile template ends soon, with little memory, and that the error says why.
func TestHostileTemplates(t *testing.T) {
	user := func(body string) string { return `{{define "user"}}a prompt` + body + `{{end}}` }
	for name, c := range map[string]struct{ text, want string }{
		"a loop":           {user("{{range 100000000000}}{{end}}"), "range needs .Arguments"},
		"a loop with text": {user("{{range $i := 100000000000}}x{{end}}"), "range needs .Arguments"},
		"a computed loop":  {user("{{range $i := len .Question}}x{{end}}"), "range needs .Arguments"},
		"recursion":        {user(`{{template "user" .}}`), "a block cannot call another one"},
		"a hidden call":    {user(`{{if .Aspect}}{{else}}{{with .Question}}{{template "user" .}}{{end}}{{end}}`), "a block cannot call another one"},
		"nested loops":     {user("{{range .Arguments}}{{if .}}{{range $.Arguments}}{{end}}{{end}}{{end}}"), "cannot hold another range"},
		"a list in a loop": {user("{{range .Arguments}}{{numbered $.Arguments}}{{end}}"), "cannot hold another range or numbered"},
		"doubled text":     {user(`{{$x := print .Question .Question}}`), "print is not available"},
		"numbered":         {user(strings.Repeat(`{{numbered .Arguments}}`, 2500)), "longer than 1048576 bytes"},
		"wide":             {user(`{{printf "%1000000d%[1]1000000d" 1}}`), "printf is not available"},
		"long":             {user(strings.Repeat("x", 1<<20)), "at most 65536 are allowed"},
		"deep":             {user(strings.Repeat("{{if 1}}", 4_000) + strings.Repeat("{{end}}", 4_000)), ""},
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

// TestManyArguments checks that many arguments take little time, in loops and in lists that are not shown.
func TestManyArguments(t *testing.T) {
	q := tramOrBus
	q.Arguments = make([]data.Argument, 300_000)
	for _, body := range []string{"{{range .Arguments}}{{end}}", "{{$x := numbered .Arguments}}"} {
		s, err := Parse("x", `{{define "user"}}a prompt`+strings.Repeat(body, 2000)+`{{end}}`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Render(q, true); !errors.Is(err, errWork) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestOrdinaryTemplates checks that usual templates are accepted.
func TestOrdinaryTemplates(t *testing.T) {
	s, err := Parse("x", `{{define "user"}}{{range $i, $a := .Arguments}}{{$i}} {{$a.Text}} {{else}}none{{end}}{{with .Aspect}}{{.}}!{{end}} {{.Object1}}{{range .Arguments}}{{if eq .Favours "object1"}}{{break}}{{end}}{{end}}{{end}}`)
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
	if p, err := s.Render(q, true); err != nil || !strings.HasPrefix(p.User, "0 <0 1 <1") {
		t.Errorf("%.40q, %v", p.User, err)
	}
}

// TestTemplateFaults checks that the error lists what a template can use.
func TestTemplateFaults(t *testing.T) {
	for _, text := range []string{`{{define "user"}}{{.Objekt1}}{{end}}`, `{{define "user"}}{{nmbered .Arguments}}{{end}}`, `{{define "user"}}{{range .Arguments}}{{.Name}}{{end}}x{{end}}`} {
		_, err := Parse("x", text)
		if err == nil || !strings.Contains(err.Error(), ".Object1, .Object2, .Aspect, .Question, .Arguments (a list of {.Text, .Favours, .Aspect})") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add(`{{define "user"}}{{range .Arguments}}{{len .Text}}{{end}}{{end}}`)
	f.Add(`{{define "user"}}{{$x := .Question}}{{range .Arguments}}{{$x = printf "%s%s" $x $x}}{{end}}{{end}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse("x", text); err == nil {
			if p, err := s.Render(tramOrBus, true); err == nil && len(p.User) > mostText {
				t.Errorf("%d bytes", len(p.User))
			}
		}
	})
}
