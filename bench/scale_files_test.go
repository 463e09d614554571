package bench

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/web/annotate/project"
)

// scaleFile writes a file for a scale test and returns its path.
func scaleFile(tb testing.TB, path string, write func(io.Writer) error) string {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		tb.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// scaleAnswer returns a text of about 250 words, with abbreviations, numbers and citations as in real answers.
func scaleAnswer(r *rand.Rand, object1, object2 string) string {
	words := strings.Fields("speed memory the community of users is larger and libraries are better documented in many cases while support " +
		"for older hardware remains a problem e.g. on servers without an update which costs time money patience vs. alternatives that " +
		"were tested by approx. half as many people and therefore have fewer known faults but also fewer features to offer")
	var b strings.Builder
	for n := 0; n < 250; {
		length := 8 + r.IntN(16)
		fmt.Fprintf(&b, "%s", []string{object1, object2, "The first", "The second", "However, it"}[r.IntN(5)])
		for range length {
			b.WriteByte(' ')
			b.WriteString(words[r.IntN(len(words))])
		}
		b.WriteString([]string{".", ". ", " since version 3.5. ", " [1]. ", " [2]. ", "! "}[r.IntN(6)])
		b.WriteByte(' ')
		if n += length; r.IntN(5) == 0 {
			b.WriteString("\n\n")
		}
	}
	fmt.Fprintf(&b, "\n\nBest option: %s", []string{object1, object2}[r.IntN(2)])
	return b.String()
}

// importFiles writes answers of 50 systems in 4 scenarios, this many verdicts of ten judges, and scores of three people on a tenth of the
// answers.
func importFiles(tb testing.TB, dir string, criteria rubric.Rubric, verdicts int) (answers, judged, people string) {
	tb.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var ids []string
	answers = scaleFile(tb, filepath.Join(dir, "answers.jsonl"), func(w io.Writer) error {
		out := json.NewEncoder(w)
		for q := range verdicts / perQuestion {
			object1 := fmt.Sprint("thing ", q)
			object2 := fmt.Sprint("other thing ", q)
			for system := range scaleSystems {
				for _, scenario := range []string{"a", "b", "c", "d"} {
					id := fmt.Sprintf("model-%d/%s/%d", system+1, scenario, q)
					ids = append(ids, id)
					if err := out.Encode(map[string]any{"id": id, "object1": object1, "object2": object2, "aspect": "speed",
						"system": fmt.Sprint("model-", system+1), "scenario": scenario, "text": scaleAnswer(r, object1, object2)}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	sheets := func(name string, judges []string, ids []string) string {
		return scaleFile(tb, filepath.Join(dir, name), func(w io.Writer) error {
			out := json.NewEncoder(w)
			for _, judge := range judges {
				for i, id := range ids {
					scores := data.Scores{}
					for _, c := range criteria.Criteria {
						scores[c.ID] = float64(r.IntN(int(c.Max())+1) * (i % 5) / 4)
					}
					reason := fmt.Sprintf("The answer names %s and gives %d reasons.", id, r.IntN(9))
					if err := out.Encode(map[string]any{"id": id, "judge": judge, "scores": scores, "reason": reason}); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	judges := make([]string, scaleJudges)
	for i := range judges {
		judges[i] = fmt.Sprint("judge-", i+1)
	}
	var tenth []string
	for i := 0; i < len(ids); i += 10 {
		tenth = append(tenth, ids[i])
	}
	return answers, sheets("verdicts.jsonl", judges, ids), sheets("people.jsonl", []string{"1", "2", "3"}, tenth)
}

// validateFiles writes a judge's scores in wide form, with a column per criterion, and people's scores in long form.
func validateFiles(tb testing.TB, dir string, items, criteria, people int) (judged, human string) {
	tb.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	truth := make([]int, items*criteria)
	table := func(name string, rows func(*csv.Writer)) string {
		return scaleFile(tb, filepath.Join(dir, name), func(w io.Writer) error {
			out := csv.NewWriter(w)
			rows(out)
			out.Flush()
			return out.Error()
		})
	}
	near := func(x int) string { return strconv.Itoa(min(5, max(1, x+r.IntN(3)-1))) }
	judged = table("judge.csv", func(w *csv.Writer) {
		row := []string{"id", "text"}
		for c := range criteria {
			row = append(row, fmt.Sprint("criterion ", c+1))
		}
		w.Write(row)
		for i := range items {
			row = append(row[:0], fmt.Sprint("item-", i+1), scaleAnswer(r, "this", "that")[:120])
			for c := range criteria {
				truth[i*criteria+c] = 1 + r.IntN(5)
				row = append(row, near(truth[i*criteria+c]))
			}
			w.Write(row)
		}
	})
	human = table("people.csv", func(w *csv.Writer) {
		row := []string{"id", "annotator"}
		for c := range criteria {
			row = append(row, fmt.Sprint("criterion ", c+1))
		}
		w.Write(row)
		for i := range items {
			for p := range people {
				row = append(row[:0], fmt.Sprint("item-", i+1), fmt.Sprint("person-", p+1))
				for c := range criteria {
					row = append(row, near(truth[i*criteria+c]))
				}
				w.Write(row)
			}
		}
	})
	return judged, human
}

// ratingsFile writes this many ratings by three people on a five-point scale: unit, annotator, value.
func ratingsFile(tb testing.TB, path string, ratings int) string {
	tb.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	return scaleFile(tb, path, func(w io.Writer) error {
		fmt.Fprintln(w, "unit,annotator,value")
		for i := range ratings / 3 {
			truth := 1 + r.IntN(5)
			for p := range 3 {
				fmt.Fprintf(w, "u%d,p%d,%d\n", i, p+1, min(5, max(1, truth+r.IntN(3)-1)))
			}
		}
		return nil
	})
}

// pairsFile writes pairs of short answers of ten systems, with the answer that people prefer.
func pairsFile(tb testing.TB, path string, pairs int) string {
	tb.Helper()
	r := rand.New(rand.NewPCG(9, 10))
	return scaleFile(tb, path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		out.Write([]string{"id", "question", "a", "b", "label", "system_a", "system_b"})
		for i := range pairs {
			a := r.IntN(10)
			b := (a + 1 + r.IntN(9)) % 10
			out.Write([]string{fmt.Sprint("pair-", i), fmt.Sprintf("Is thing %d faster than other thing %d?", i, i), scaleAnswer(r, "this", "that")[:200],
				scaleAnswer(r, "this", "that")[:200], []string{"a", "b", "tie"}[r.IntN(3)], fmt.Sprint("system-", a), fmt.Sprint("system-", b)})
		}
		out.Flush()
		return out.Error()
	})
}

// annotationFile makes a study in a folder, with this many sheets of five people on answers.
func annotationFile(tb testing.TB, dir string, sheets int) {
	tb.Helper()
	const people = 5
	r := rand.New(rand.NewPCG(11, 12))
	items := make([]project.Item, sheets/people)
	for i := range items {
		name := fmt.Sprint("answer-", i+1)
		items[i] = project.Item{Kind: project.Answer, Role: project.Overlap, Source: name, Cluster: fmt.Sprint("question-", i/4),
			Content: project.Content{Question: "Is this better than that?", A: scaleAnswer(r, "this", "that")}}
	}
	try := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	_, err := project.Create(dir, project.Settings{Kind: project.Answer, Rubric: rubric.CQA(), People: people, Width: .2, NoCheck: true}, items)
	try(err)
	p, err := project.Open(dir)
	try(err)
	for i := range people {
		_, err := p.Invite(fmt.Sprint("person-", i+1))
		try(err)
	}
	// The pages write to the disk once per sheet. Here one transaction writes all sheets.
	db, err := store.Connect(filepath.Join(dir, project.FileName), url.Values{})
	try(err)
	tx, err := db.Begin()
	try(err)
	for annotator := 1; annotator <= people; annotator++ {
		for i, it := range p.Items {
			scores := data.Scores{}
			for _, c := range rubric.CQA().Criteria {
				scores[c.ID] = float64(r.IntN(int(c.Max())+1) * (i % 5) / 4)
			}
			body, err := json.Marshal(project.ScoreSheet(scores))
			try(err)
			blind := fmt.Sprintf("%d-%d", annotator, it.ID)
			at := "2026-11-28T10:00:00.000000Z"
			_, err = tx.Exec(`INSERT INTO assignments (annotator, item, kind, blind, position, shown, revision, state, ended, total)
				VALUES (?, ?, 'overlap', ?, ?, 'ab', 1, 'submit', 1, ?)`, annotator, it.ID, blind, i, rubric.CQA().Total(scores))
			try(err)
			_, err = tx.Exec(`INSERT INTO events (annotator, item, revision, kind, body, active_ms, server_ms, pasted, writing_ms, view, at,
				nonce, version) VALUES (?, ?, 1, 'submit', ?, 20000, 21000, 0, 0, 'rendered', ?, ?, 1)`, annotator, blind, string(body), at, blind)
			try(err)
		}
	}
	try(tx.Commit())
	try(db.Close())
	try(p.Close())
}
