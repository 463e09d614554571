package annotate

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// TestSoakAxe: axe-core finds no fault on any page of a study, from the link to the end, for each kind of item, nor on the owner's pages.
func TestSoakAxe(t *testing.T) {
	sharedtest.Soak(t)
	dir := t.TempDir()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rule.png"), picture.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var items []project.Item
	for i, role := range []string{project.Overlap, project.Overlap, project.Practice, project.Example} {
		it := project.Item{Kind: project.Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: role,
			Content: project.Content{Question: "Which?", A: ordinary + "\n![A rule](rule.png)\n\n![](https://example.org/x.png)"}}
		if role == project.Practice || role == project.Example {
			expected := project.ScoreSheet(data.Scores{})
			for id := range 15 {
				expected.Values[fmt.Sprint(id+1)] = "0"
			}
			expected.Reason = "It says nothing."
			it.Expected = &expected
		}
		items = append(items, it)
	}
	low := 18.0
	questions := project.Questions{
		Check: []project.Question{{ID: "a", Text: "One?", Type: "choice", Options: []string{"yes", "no"}, Right: "yes"},
			{ID: "b", Text: "Two?", Type: "choice", Options: []string{"yes", "no"}, Right: "no"}},
		Before: []project.Question{{ID: "age", Text: "How old are you?", Type: "number", Min: &low},
			{ID: "english", Text: "Is English your first language?", Type: "choice", Options: []string{"yes", "no"}}},
		After: []project.Question{{ID: "hard", Text: "What was hard?", Type: "text", Optional: true}}}
	texts := project.Texts{Consent: "# Consent\n\nDo you agree?", Guidelines: "# Guide\n\nRead.\n\n![](rule.png)", Questions: questions}
	p := createIn(t, dir, project.Settings{Code: "DONE", Examples: true, Texts: texts}, items)
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	tab := browsertest.Start(t)
	tab.Allowed = "/replies/before" // an incomplete form gets status 422
	page := func(name, path, selector string) {
		t.Helper()
		tab.Open(server.URL+path, selector)
		tab.Axe(name)
	}
	for k, name := range []string{"anna", "ben"} {
		axe := func(name string) {
			if k == 0 {
				tab.Axe(name)
			}
		}
		tab.Open(server.URL+"/a/"+invite(t, p, name), "button")
		axe("start")
		tab.Click("button")
		tab.See("button[value=yes]")
		axe("consent")
		tab.Click("button[value=yes]")
		tab.See("#q-age")
		axe("questions before")
		tab.Click("button.main")
		tab.See(".warn")
		axe("a question that is not answered")
		tab.Type("#q-age", "33")
		tab.Click("input[name=q-english][value=yes]")
		tab.Click("button.main")
		tab.See("input[name=q-a]")
		axe("check")
		tab.Click("input[name=q-a][value=yes]")
		tab.Click("input[name=q-b][value=no]")
		tab.Click("button.main")
		tab.Until(`document.getElementById("sheet") !== null && document.querySelector(".row.here") !== null`)
		axe("item")
		a := annotatorNamed(t, p, name)
		for n := range 3 {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			values := map[string]string{}
			for id := range 15 {
				values[fmt.Sprint(id+1)] = []string{"0", "1"}[(id*k+n)%2]
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Values: values, Reason: "a remark"}, Nonce: next}); err != nil {
				t.Fatal(err)
			}
			if n == 0 && k == 0 {
				page("feedback", "/feedback/"+next, "table")
				page("guidelines", "/guidelines", "main")
				page("examples", "/examples", "article")
			}
		}
		tab.Open(server.URL+"/work", "#q-hard")
		axe("questions after")
		tab.Click("button.main")
		tab.See(".code")
		axe("done")
	}
	texts.Guidelines += "\n\nTwice."
	if err := p.Change(withTexts(p, texts)); err != nil {
		t.Fatal(err)
	}
	page("changed guidelines", "/work", ".note")
	tab.Click("button.main")
	tab.See(".code")
	tab.Click("form.leave button")
	tab.Until(`document.body.innerText.includes("logged out")`)
	tab.Axe("message")
	if err := p.Exclude("ben", "the same everywhere", ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Include("ben"); err != nil {
		t.Fatal(err)
	}
	blind, err := p.ToAdjudicate(1)
	if err != nil {
		t.Fatal(err)
	}
	tab.Open(server.URL+s.OwnerPath(), "button")
	tab.Click("button")
	tab.See("#live table")
	tab.Axe("owner")
	page("owner's decision", "/owner/item/"+blind, "#sheet .row.here")
	for kind, it := range map[string]project.Item{project.Table: tableItem(), project.Pair: {}, project.Stages: {}, project.Rationales: {}} {
		if kind != project.Table {
			it = project.Item{Kind: kind, Source: "x", Cluster: "c", Role: project.Overlap, Content: pairContent(1,
				project.Attachment{Judge: "j", Text: "| Only the first | Both |\n|---|---|\n| a | b |", Choice: data.ChoiceA})}
		}
		p := createIn(t, t.TempDir(), project.Settings{}, []project.Item{it})
		s := New(p, quiet())
		server := httptest.NewServer(s.Handler())
		t.Cleanup(server.Close)
		a := admit(t, tab, p, server.URL, "anna")
		tab.Axe(kind)
		if p.StagesOf(p.Items[0]) > 1 {
			next, err := p.Next(a)
			if err == nil {
				_, err = p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: chosen(project.First), Nonce: next})
			}
			if err != nil {
				t.Fatal(err)
			}
			tab.Open(server.URL+"/work", "#sheet")
			tab.Until(`document.querySelectorAll("#sheet .locked").length > 0`)
			tab.Axe(kind + ", second stage")
		}
		tab.Open(server.URL+s.OwnerPath(), "button")
		tab.Click("button")
		tab.See("#live")
		tab.Axe("owner of " + kind)
	}
}
