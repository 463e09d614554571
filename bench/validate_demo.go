package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
)

// demoNext says what to look at in the demo's figures.
var demoNext = []string{
	"What to look at:",
	`- "people" is the alpha of people among themselves: as much as a judge can be asked for. Where it is low, make the criterion clearer ` +
		"first.",
	`- "careful" agrees with people about as they do with each other: it can stand in for one of them on polite. On correct, 56 items are ` +
		"too few to exclude that it agrees less by more than the margin.",
	`- "generous" passes nearly everything: its TNR is low, and of what it passes people would pass far less ("people would pass").`,
	"- n counts items that both sides scored: 4 of careful's 60 verdicts failed, which is counted and is no score.",
	"Which verdicts may stand unread, an example of 1500 items shows: compqa validate --demo --unread .9 --out unread",
	"Then take your own files: compqa validate LOG --people FILE",
}

// unreadDemoNext says what to look at in the figures of the demo with --unread.
var unreadDemoNext = []string{
	"What to look at:",
	`- "careful" says how sure it is of each of 1500 verdicts, and two people labelled 400 of the items, drawn at random. Where it is sure ` +
		"enough, few of its verdicts would differ from a person's: these may stand unread, and people read the rest.",
	"- tables/unread.csv has each threshold: how many labels lie above it, how many differ, and how surely the share is small enough.",
	`- --unread .95 asks for more, --sure .99 for more certainty. "No verdict" and "too few labels" are the usual answers of real judges.`,
	"Then take your own files: compqa validate LOG --people FILE --unread .9 --map confidence=COLUMN",
}

// printDemoNext prints what to look at in the figures of the demo that the flags ask for.
func (f *validateFlags) printDemoNext(w io.Writer) {
	lines := demoNext
	switch {
	case f.options.Together != "":
		lines = togetherDemoNext
	case f.options.Unread > 0:
		lines = unreadDemoNext
	}
	fmt.Fprintln(w)
	for _, line := range lines {
		table.PrintWrapped(w, line)
	}
}

// writeDemo writes the files of the demo that the flags ask for, and prints the command that validates them. It returns an error if a file
// exists and has been changed. files are the logs to validate, and created the files that did not exist before.
func (f *validateFlags) writeDemo(streams cli.Streams) (files, created []string, err error) {
	name := "demo"
	rows := demoRows
	switch {
	case f.options.Together != "":
		name = "demo-together"
		rows = togetherDemoRows
	case f.options.Unread > 0:
		name = "demo-unread"
		rows = unreadDemoRows
	}
	log := filepath.Join(f.out, name+"-log.csv")
	f.people = filepath.Join(f.out, name+"-people.csv")
	judged, scored := rows()
	texts := map[string]string{log: csvText(judged), f.people: csvText(scored)}
	for path, text := range texts {
		there, err := os.ReadFile(path)
		switch {
		case err == nil && string(there) != text:
			return nil, nil, config.Usagef("%s was changed, and --demo would replace it: name another folder with --out, or validate it: "+
				"compqa validate %s --people %s --out DIR", path, log, f.people)
		case err == nil:
			delete(texts, path)
		}
	}
	for path, text := range texts {
		created = append(created, path)
		if err := store.WriteOutput(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return nil, created, err
		}
	}
	if !f.json.On {
		fmt.Fprintf(streams.Out, "$ %s\n", f.command([]string{log}, "--people", f.people))
	}
	return []string{log}, created, nil
}

func removeFiles(paths []string) {
	for _, path := range paths {
		os.Remove(path)
	}
}

// csvText returns the rows as CSV.
func csvText(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.WriteAll(rows) // writing to a strings.Builder cannot fail
	return b.String()
}

func yesOrNo(passes bool) string {
	if passes {
		return "yes"
	}
	return "no"
}

// demoRows returns an example: 60 answers of two systems to 30 questions, scored by three people and two judges. Each answer has a hidden
// quality. People and the careful judge score it with a little noise, but the generous judge's scores hardly depend on it.
func demoRows() (judged, scored [][]string) {
	r := rand.New(rand.NewPCG(7, 60))
	judged = [][]string{{"id", "question", "answer", "system", "judge", "correct", "polite"}}
	scored = [][]string{{"id", "annotator", "correct", "polite"}}
	points := func(x float64) string { return strconv.Itoa(max(1, min(5, int(3.5+x)))) }
	for i := range 60 {
		id := fmt.Sprintf("a%02d", i+1)
		system := []string{"short", "long"}[i%2]
		question := fmt.Sprintf("How do I return order %d?", 1001+i/2)
		answer := fmt.Sprintf("Open Orders, choose order %d, then Return.", 1001+i/2)
		if system == "long" {
			answer += strings.Repeat(" Please keep the box and the receipt until the money is back.", 1+i%3)
		}
		quality := r.NormFloat64() + 0.2
		manner := r.NormFloat64()
		careful := yesOrNo(quality+0.45*r.NormFloat64() > 0)
		if i%17 == 5 {
			careful = ""
		}
		judged = append(judged, []string{id, question, answer, system, "careful", careful, points(manner + 0.5*r.NormFloat64())},
			[]string{id, question, answer, system, "generous", yesOrNo(0.3*quality+0.5*r.NormFloat64() > -0.9),
				points(0.3*manner + 1 + 0.5*r.NormFloat64())})
		for _, person := range []string{"Anna", "Ben", "Chloé"} {
			scored = append(scored, []string{id, person, yesOrNo(quality+0.45*r.NormFloat64() > 0), points(manner + 0.5*r.NormFloat64())})
		}
	}
	return judged, scored
}

// unreadDemoRows returns an example of a judge that reports its confidence: 1500 answers, of which two people labelled a random 400.
func unreadDemoRows() (judged, scored [][]string) {
	r := rand.New(rand.NewPCG(7, 1500))
	judged = [][]string{{"id", "judge", "correct", "confidence"}}
	scored = [][]string{{"id", "annotator", "correct"}}
	labelled := data.Among(r.Perm(1500)[:400])
	for i := range 1500 {
		id := fmt.Sprintf("a%04d", i+1)
		quality := r.NormFloat64() + 0.2
		seen := quality + 0.35*r.NormFloat64()
		confidence := strconv.FormatFloat(math.Erf(math.Abs(seen)/0.7)/2+.5, 'f', 3, 64)
		judged = append(judged, []string{id, "careful", yesOrNo(seen > 0), confidence})
		for _, person := range []string{"Anna", "Ben"} {
			if labelled[i] {
				scored = append(scored, []string{id, person, yesOrNo(quality+0.25*r.NormFloat64() > 0)})
			}
		}
	}
	return judged, scored
}
