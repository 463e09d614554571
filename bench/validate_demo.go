package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"

	"compqa/bench/run"
	"compqa/results/store"
)

// validateDemoNext says what to look at in the figures of the demo.
const validateDemoNext = `
What to look at:
- "people" is the alpha of people among themselves: as much as a judge can be asked for. Where it is low, make the criterion clearer first.
- "careful" agrees with people about as they do with each other: it may stand in for one of them on polite. On correct, 56 items are too
  few to exclude that it agrees less by more than the margin.
- "generous" passes nearly everything: its TNR is low, and of what it passes people would pass far less ("people would pass").
- n counts items that both sides scored: 4 of careful's 60 verdicts failed, which is counted and is no score.
Then take your own files: compqa validate LOG --people FILE
`

// writeDemo writes the example of --demo, and says what is done with it.
func (f *validateFlags) writeDemo(streams run.Streams) (files []string, err error) {
	log, people, err := writeValidateDemo(f.out)
	if err != nil {
		return nil, err
	}
	f.people = people
	if !f.json.On {
		fmt.Fprintf(streams.Out, "$ compqa validate %s --people %s\n", log, people)
	}
	return []string{log}, nil
}

// writeDemo writes an example into a folder: 60 answers of two systems to 30 questions, scored by three people and two judges.
// Each answer has a quality; people see it with a little noise, the careful judge with as much, the generous one hardly.
func writeValidateDemo(dir string) (log, people string, err error) {
	r := rand.New(rand.NewPCG(7, 60))
	judged := [][]string{{"id", "question", "answer", "system", "judge", "correct", "polite"}}
	scored := [][]string{{"id", "annotator", "correct", "polite"}}
	word := func(passes bool) string { return map[bool]string{true: "yes", false: "no"}[passes] }
	points := func(x float64) string { return strconv.Itoa(max(1, min(5, int(3.5+x)))) }
	for i := range 60 {
		id, system := fmt.Sprintf("a%02d", i+1), []string{"short", "long"}[i%2]
		question, answer := fmt.Sprintf("How do I return order %d?", 1001+i/2),
			fmt.Sprintf("Open Orders, choose order %d, then Return.", 1001+i/2)
		if system == "long" {
			answer += strings.Repeat(" Please keep the box and the receipt until the money is back.", 1+i%3)
		}
		quality, manner := r.NormFloat64()+0.2, r.NormFloat64()
		careful := word(quality+0.45*r.NormFloat64() > 0)
		if i%17 == 5 {
			careful = ""
		}
		judged = append(judged, []string{id, question, answer, system, "careful", careful, points(manner + 0.5*r.NormFloat64())},
			[]string{id, question, answer, system, "generous", word(0.3*quality+0.5*r.NormFloat64() > -0.9),
				points(0.3*manner + 1 + 0.5*r.NormFloat64())})
		for _, person := range []string{"Anna", "Ben", "Chloé"} {
			scored = append(scored, []string{id, person, word(quality+0.45*r.NormFloat64() > 0), points(manner + 0.5*r.NormFloat64())})
		}
	}
	log, people = filepath.Join(dir, "demo-log.csv"), filepath.Join(dir, "demo-people.csv")
	if err := writeDemoRows(log, judged); err != nil {
		return "", "", err
	}
	return log, people, writeDemoRows(people, scored)
}

func writeDemoRows(path string, rows [][]string) error {
	return store.WriteOutput(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}
