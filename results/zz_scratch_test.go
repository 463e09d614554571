package results

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"compqa/data"
	"compqa/rubric"
)

func TestZZLarge(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	dir := "/tmp/reporter/large"
	if _, err := os.Stat(dir + "/run.db"); err != nil {
		f := fixture{rubric: rubric.CQA(), seed: 1}
		for s := range 25 {
			f.systems = append(f.systems, Party{Name: fmt.Sprintf("system-%02d", s), Kind: "model"})
		}
		for j := range 23 {
			f.judges = append(f.judges, Party{Name: fmt.Sprintf("judge-%02d", j), Kind: "model"})
		}
		f.judges = append(f.judges, Party{Name: "constant", Kind: "floor"}, Party{Name: "human", Kind: "human"})
		n := uint32(1)
		for s, sys := range f.systems {
			for sc := 1; sc <= 4; sc++ {
				for q := range 432 {
					id := fmt.Sprintf("%s/%d/a%d | b%d/1", sys.Name, sc, q, q)
					f.answers = append(f.answers, data.Answer{ID: id, Question: fmt.Sprintf("a%d | b%d", q, q), Object1: fmt.Sprintf("a%d", q), Object2: fmt.Sprintf("b%d", q), System: sys.Name, Scenario: fmt.Sprint(sc), Repeat: 1, Status: data.Valid, Text: "x"})
					for j, judge := range f.judges {
						if judge.Name == "human" && (s*432+q)%100 != 0 {
							continue
						}
						_ = j
						sc := data.Scores{}
						for _, c := range f.rubric.Criteria {
							n = n*1664525 + 1013904223
							p := float64((n >> 16) % uint32(c.Max()+1))
							if judge.Name == "constant" {
								p = c.Max()
							}
							sc[c.ID] = p
						}
						f.verdicts = append(f.verdicts, data.Verdict{Answer: id, Judge: judge.Name, Repeat: 1, Scores: sc})
					}
				}
			}
		}
		fmt.Println(len(f.verdicts))
		f.record(t, dir)
		return
	}
	start := time.Now()
	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("load", time.Since(start), len(run.Sheets))
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	fmt.Println("heap MB", m.HeapAlloc>>20, "sys", m.Sys>>20)
	start = time.Now()
	tb, err := compute(run)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("compute", time.Since(start))
	start = time.Now()
	if err := tb.write("/tmp/reporter/largeout"); err != nil {
		t.Fatal(err)
	}
	fmt.Println("write", time.Since(start))
	tb.print(io.Discard, "x")
	runtime.ReadMemStats(&m)
	fmt.Println("heap MB", m.HeapAlloc>>20, "sys", m.Sys>>20)
}
