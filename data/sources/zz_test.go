package sources

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestZZ(t *testing.T) {
	for _, g := range []string{"inspect_ai/*", "promptfoo/*", "lm_eval/support-large/*", "alpaca_eval/*/ann*", "deepeval/*", "ragas/*", "mlflow/*", "labelstudio/*", "argilla/*", "people/*"} {
		files, _ := filepath.Glob("/work/shared/data/harness-logs/" + g)
		for _, f := range files {
			for _, people := range []bool{false, true} {
				log, err := Read(f, Options{People: people, Names: []string{"correct", "polite"}})
				if err != nil {
					fmt.Println(filepath.Base(f), people, "ERR", err)
					continue
				}
				by, crit, st := map[string]int{}, map[string]int{}, map[string]int{}
				for _, s := range log.Scores {
					by[s.By]++
					crit[s.Criterion]++
					st[string(s.Status)]++
				}
				fmt.Println(filepath.Base(f), people, log.Format, len(log.Items), len(log.Scores), by, crit, st, log.Notes)
				if len(log.Items) > 0 && os.Getenv("V") != "" {
					fmt.Printf("   %.300q\n", fmt.Sprintf("%+v", log.Items[0]))
				}
			}
		}
	}
}
