package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/results/store"
)

// What a large record is made of (make bench-scale): 50 systems under the four
// scenarios and ten judges, so that each question brings 200 answers and 2,000
// verdicts.
const (
	scaleSystems = 50
	scaleJudges  = 10
	perQuestion  = scaleSystems * 4 * scaleJudges
)

// Limits for a million verdicts.
const (
	reportLimit       = 12 * time.Second
	reportMemoryLimit = 450 << 20
	resumeLimit       = 15 * time.Second
	helpLimit         = 30 * time.Millisecond
)

// BenchmarkScale makes records of ten thousand to a million verdicts and measures
// what is done with them: a report, a finished run that is taken up again, and
// the program's start. COMPQA_SCALE sets the largest number of verdicts.
func BenchmarkScale(b *testing.B) {
	most := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("COMPQA_SCALE")); err == nil {
		most = n
	}
	url := startSlowServer(b, 0)
	for b.Loop() {
		fmt.Printf("\n%d systems, 4 scenarios, %d judges, every verdict with its call (load %s)\n\n", scaleSystems, scaleJudges, load())
		fmt.Printf("| verdicts | record | report | memory | a finished run again |\n|---|---|---|---|---|\n")
		for verdicts := 10_000; verdicts <= most; verdicts *= 10 {
			dir, cfg := b.TempDir(), scaleConfig(b, url, verdicts/perQuestion)
			makeRecord(b, cfg, dir)
			report := measured(b, "report", dir)
			measured(b, "run", "--config", cfg, "--out", dir)
			again := measured(b, "run", "--config", cfg, "--out", dir)
			size, err := os.Stat(filepath.Join(dir, store.RecordName))
			if err != nil {
				b.Fatal(err)
			}
			fmt.Printf("| %d | %d MB | %.2f s | %d MB | %.2f s |\n", verdicts, size.Size()>>20, report.wall.Seconds(), report.memory>>20, again.wall.Seconds())
			b.ReportMetric(report.wall.Seconds(), fmt.Sprintf("s-report-%d", verdicts))
			b.ReportMetric(again.wall.Seconds(), fmt.Sprintf("s-resume-%d", verdicts))
			os.RemoveAll(dir)
		}
		fmt.Printf("| limit at a million | | %.0f s | %d MB | %.0f s |\n", reportLimit.Seconds(), reportMemoryLimit>>20, resumeLimit.Seconds())
		help := time.Hour
		for range 10 {
			help = min(help, measured(b, "--help").wall)
		}
		fmt.Printf("\ncompqa --help: %.0f ms at best of ten (limit %.0f ms)\n", help.Seconds()*1e3, helpLimit.Seconds()*1e3)
	}
}

func scaleConfig(tb testing.TB, url string, questions int) string {
	tb.Helper()
	dir := tb.TempDir()
	var set, text strings.Builder
	set.WriteString("object1,object2,aspect,arguments\n")
	for i := range questions {
		fmt.Fprintf(&set, "thing %d,other thing %d,speed,\"[\"\"Thing %d is faster than other thing %d.\"\"]\"\n", i, i, i, i)
	}
	fmt.Fprintf(&text, "dataset: questions.csv\nproviders:\n  local: {type: openai, base_url: %s/v1}\nmodels:\n", url)
	for i := range scaleSystems {
		fmt.Fprintf(&text, "  - {name: model-%d, provider: local, model: model-%d}\n", i+1, i+1)
	}
	text.WriteString("judges:\n")
	for i := range scaleJudges {
		fmt.Fprintf(&text, "  - {name: judge-%d, provider: local, model: judge-%d}\n", i+1, i+1)
	}
	for name, content := range map[string]string{"questions.csv": set.String(), "scale.yaml": text.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return filepath.Join(dir, "scale.yaml")
}

// makeRecord makes the record of a run that has asked everything its
// configuration asks for. Points depend on system, question and judge, as real
// ones do, and on chance.
func makeRecord(tb testing.TB, cfg, dir string) {
	tb.Helper()
	c, err := config.Load(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	db, err := store.Create(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	p, err := plan.New(c, 0)
	if err != nil {
		tb.Fatal(err)
	}
	if _, _, err := p.Begin(db); err != nil {
		tb.Fatal(err)
	}
	g := &generator{plan: p, r: rand.New(rand.NewPCG(1, 2)), quality: map[string]float64{}}
	for _, cell := range p.Answers {
		g.write(tb, db, func(b store.Batch) error { return g.answers(b, cell) })
	}
	for _, cell := range p.Judged {
		g.write(tb, db, func(b store.Batch) error { return g.verdicts(b, cell) })
	}
}

// A generator makes up answers and verdicts.
type generator struct {
	plan    *plan.Plan
	r       *rand.Rand
	quality map[string]float64 // of each answer
	calls   int
}

func (g *generator) write(tb testing.TB, db *store.Store, do func(store.Batch) error) {
	tb.Helper()
	if err := db.Write(do); err != nil {
		tb.Fatal(err)
	}
}

func (g *generator) answers(b store.Batch, cell *plan.Cell) error {
	ability := g.r.NormFloat64()
	for _, it := range cell.Items {
		g.quality[it.ID] = ability + g.r.NormFloat64()
		key, err := g.call(b, store.Party{Kind: store.KindAnswer, Name: cell.System}, "an answer")
		if err != nil {
			return err
		}
		a := data.Answer{ID: it.ID, Question: it.Question.ID, Object1: it.Question.Object1, Object2: it.Question.Object2, Aspect: it.Question.Aspect,
			System: cell.System, Scenario: cell.Scenario, Repeat: it.Repeat, Status: data.Valid, Text: "An answer."}
		if err := b.Answer(a, store.Size{Words: 200 + g.r.IntN(100), Sentences: 14 + g.r.IntN(5)}, []int64{key}); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) verdicts(b store.Batch, cell *plan.Cell) error {
	severity := float64(len(cell.Judge)%3) / 4
	for _, id := range cell.Of.IDs {
		scores := data.Scores{}
		for _, criterion := range g.plan.Rubric.Criteria {
			points := 0.0
			for range int(criterion.Max()) {
				if g.quality[id]-severity+g.r.NormFloat64() > -1 {
					points++
				}
			}
			scores[criterion.ID] = points
		}
		raw := fmt.Sprint(scores)
		key, err := g.call(b, store.Party{Kind: store.KindVerdict, Name: cell.Judge}, raw)
		if err != nil {
			return err
		}
		v := scoring.Settle(g.plan.Rubric, data.Verdict{Answer: id, Judge: cell.Judge, Repeat: 1, Scores: scores, Raw: raw})
		if err := b.Verdict(v, []int64{key}); err != nil {
			return err
		}
	}
	return nil
}

// call records a call with one attempt that has a price.
func (g *generator) call(b store.Batch, payer store.Party, reply string) (id int64, err error) {
	g.calls++
	key := config.HashOf(g.calls)
	prompt, completion, cost := 2000, 100, 0.001
	return b.Call(store.Call{Key: key, Provider: "local", Model: payer.Name, Payer: payer, Status: data.Valid, Reply: reply, Finish: "stop",
		Request: []string{`{"model":"m","messages":[]}`}, Raw: `{"choices":[]}`,
		Attempts: []llm.Attempt{{Started: time.Unix(int64(g.calls), 0), Latency: time.Second, HTTPStatus: 200, Outcome: llm.Valid,
			Usage: llm.Usage{Prompt: &prompt, Completion: &completion}, Cost: &cost}}})
}
