package bench

import (
	"context"
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
	"compqa/bench/run"
	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// The parts of a large record (make bench-records): 50 systems under the four scenarios and ten judges, so that each question has 200
// answers and 2,000 verdicts.
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

// BenchmarkScale makes records of ten thousand to a million verdicts. It measures a report, the repeat of a finished run, and the start of
// the program. COMPQA_SCALE sets the largest number of verdicts.
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
			dir := b.TempDir()
			cfg := scaleConfig(b, url, verdicts/perQuestion)
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

// makeRecord makes the record of a completed run. It performs the tasks with invented replies, recorded under the keys of their calls. As
// in reality, points depend on the system, the question, the judge and chance.
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
	id, _, err := p.Begin(db)
	if err != nil {
		tb.Fatal(err)
	}
	sources, err := plan.NewPlanner(p, db, false)
	if err != nil {
		tb.Fatal(err)
	}
	g := &generator{plan: p, r: rand.New(rand.NewPCG(1, 2)), ability: map[string]float64{}, quality: map[string]float64{}}
	for stage, err := range sources.Stages("") {
		if err != nil {
			tb.Fatal(err)
		}
		for _, source := range stage.Sources {
			if err := g.do(db, source); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := db.FinishRun(id, time.Unix(int64(g.calls), 0)); err != nil {
		tb.Fatal(err)
	}
}

// A generator performs tasks with replies that it invents.
type generator struct {
	plan    *plan.Plan
	r       *rand.Rand
	ability map[string]float64 // by system
	quality map[string]float64 // by answer
	calls   int
	made    []madeUp // not written yet
}

type madeUp struct {
	item run.Item
	call store.Call
}

func (g *generator) do(db *store.Store, source run.Source) error {
	for t, err := range source.Tasks(context.Background()) {
		if err != nil {
			return err
		}
		if t.Settle != nil {
			t.Settle()
			continue
		}
		var call store.Call
		replies := run.Replay{Config: g.plan.Config, Find: func(key string) (store.Call, bool, error) {
			call = g.call(key, t)
			return call, true, nil
		}}
		item, err := t.Do(context.Background(), replies.Ask)
		if err != nil {
			return err
		}
		if g.made = append(g.made, madeUp{item, call}); len(g.made) == 1000 {
			if err := g.write(db); err != nil {
				return err
			}
		}
	}
	return g.write(db)
}

func (g *generator) write(db *store.Store) error {
	defer func() { g.made = nil }()
	return db.Write(func(b store.Batch) error {
		for _, m := range g.made {
			id, err := b.Call(m.call)
			if err == nil {
				err = m.item.Write(b, []int64{id})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// call returns the call of a task, with one attempt that has a price.
func (g *generator) call(key string, t run.Task) store.Call {
	g.calls++
	cell := t.Group.(*plan.Job)
	c := store.Call{Key: key, Provider: "local", Model: t.Party.Name, Payer: t.Party, Status: data.Valid, Finish: "stop",
		Request: []string{`{"model":"m","messages":[]}`}, Raw: `{"choices":[]}`}
	if cell.Of == nil {
		id := t.At.Subject
		if _, known := g.ability[cell.System]; !known {
			g.ability[cell.System] = g.r.NormFloat64()
		}
		g.quality[id] = g.ability[cell.System] + g.r.NormFloat64()
		c.Reply = scaleAnswer(g.r, "This", "That") + " " + id
	} else {
		c.Reply = g.sheet(cell, t.At.Subject)
	}
	prompt := 2000
	completion := 100
	cost := 0.001
	c.Attempts = []llm.Attempt{{Started: time.Unix(int64(g.calls), 0), Latency: time.Second, HTTPStatus: 200, Outcome: llm.Valid,
		Usage: llm.Usage{Prompt: &prompt, Completion: &completion}, Cost: &cost}}
	return c
}

// sheet returns a judge's reply about an answer.
func (g *generator) sheet(cell *plan.Job, answer string) string {
	severity := float64(len(cell.Judge)%3) / 4
	scores := data.Scores{}
	for _, criterion := range g.plan.Rubric.Criteria {
		points := 0.0
		for range int(criterion.Max()) {
			if g.quality[answer]-severity+g.r.NormFloat64() > -1 {
				points++
			}
		}
		scores[criterion.ID] = points
	}
	return string(config.Encoded(scores))
}
