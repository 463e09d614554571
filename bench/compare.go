package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// comparing are the flags of compare.
type comparing struct {
	system, with, judge string
	most, fewer         float64
	gate                bool // --fail-if-worse is set
	asJSON              bool
}

// compareCommand is `compqa compare`.
func compareCommand(streams run.Streams) *cobra.Command {
	var f comparing
	cmd := run.Command("compare RUN RUN [--system S] [--fail-if-worse POINTS]", "Compare two runs or two systems, question by question",
		func(cmd *cobra.Command, args []string) error {
			f.gate = cmd.Flags().Changed("fail-if-worse")
			switch {
			case !(f.most >= 0):
				return config.Usagef("--fail-if-worse is %v; it must be a number of points, 0 or more", f.most)
			case !(f.fewer >= 0 && f.fewer < 1):
				return config.Usagef("--accept-missing is %v; it must be a share, from 0 to less than 1", f.fewer)
			case !f.gate && cmd.Flags().Changed("accept-missing"):
				return config.Usagef("--accept-missing needs --fail-if-worse")
			}
			return f.run(args, streams.Out)
		})
	cmd.Flags().StringVar(&f.system, "system", "", "compare the answers of the system `S` (default: of each system of the first run)")
	cmd.Flags().StringVar(&f.with, "with", "", "with those of the system `T` in the second run (default: the same system)")
	cmd.Flags().StringVar(&f.judge, "judge", "",
		"use the verdicts of the judge `NAME` (default: each judge of the first run, without floors and people)")
	cmd.Flags().Float64Var(&f.most, "fail-if-worse", 0,
		"exit with 1 if mean points fall by more than `POINTS` according to one of the judges, or answers are missing")
	cmd.Flags().Float64Var(&f.fewer, "accept-missing", 0,
		"with --fail-if-worse, accept that a judge has a smaller share of valid verdicts on a system, by up to this `SHARE` (0 to 1)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f comparing) run(dirs []string, out io.Writer) error {
	var runs [2]*dataset.Dataset
	for i, dir := range dirs {
		loaded, err := dataset.Load(dir)
		if err != nil {
			return config.UsageError{Err: err}
		}
		runs[i] = dataset.New(loaded)
	}
	if !slices.Equal(runs[0].Rubric.IDs(), runs[1].Rubric.IDs()) {
		return config.Usagef("%s and %s have different rubrics: %s and %s", dirs[0], dirs[1], runs[0].Rubric.Name, runs[1].Rubric.Name)
	}
	systems, err := f.systems(runs, dirs)
	if err != nil {
		return err
	}
	judges := compare.Judges(runs[0])
	if f.judge != "" {
		for i, x := range runs {
			if err := knownName(f.judge, "judge", dirs[i], x.Judges); err != nil {
				return err
			}
		}
		judges = []string{f.judge}
	}
	var c compare.Comparison
	for _, judge := range judges {
		for _, pair := range systems {
			if err := c.Add(judge, compare.Side{Dataset: runs[0], System: pair[0]}, compare.Side{Dataset: runs[1], System: pair[1]}); err != nil {
				return err
			}
		}
	}
	compared := slices.ContainsFunc(c.Rows, func(r compare.Row) bool { return r.Questions > 0 })
	if !compared && !(f.gate && len(c.Fewer(0)) > 0) {
		return config.Usagef("nothing can be compared: no judge scored answers of both to the same questions under the same scenarios")
	}
	if f.asJSON {
		err = table.WriteJSON(out, map[string]any{"rows": table.Records(c.Rows), "moved": table.Records(c.Moved)})
	} else {
		err = c.Print(out)
	}
	if err != nil || !f.gate {
		return err
	}
	return f.failure(c)
}

// failure is the error of --fail-if-worse, nil if the second run passes.
func (f comparing) failure(c compare.Comparison) error {
	var faults []string
	say := func(title string, rows []compare.Row, of func(compare.Row) string) {
		if len(rows) > 0 {
			faults = append(faults, title+": "+strings.Join(data.Each(rows, of), "; "))
		}
	}
	say(fmt.Sprintf("worse by more than %v points", f.most), c.Worse(f.most), func(r compare.Row) string {
		return fmt.Sprintf("%s by %s: %.2f points", r.SystemB, r.Judge, *r.Difference.Value.Number)
	})
	say("answers are missing in the second run (valid of planned verdicts)", c.Fewer(f.fewer), func(r compare.Row) string {
		lost := fmt.Sprintf("%s by %s: %d of %d, before %d of %d", r.SystemB, r.Judge, r.ValidB, r.PlannedB, r.ValidA, r.PlannedA)
		if r.Questions == 0 {
			lost += ", none to the same question"
		}
		return lost
	})
	if faults == nil {
		return nil
	}
	return errors.New(strings.Join(faults, ". "))
}

// systems are the pairs of systems to compare.
func (f comparing) systems(runs [2]*dataset.Dataset, dirs []string) (pairs [][2]string, err error) {
	if f.system == "" && f.with == "" {
		for _, s := range runs[0].Systems {
			pairs = append(pairs, [2]string{s.Name, s.Name})
		}
		return pairs, nil
	}
	pair := [2]string{f.system, f.with}
	if f.system == "" {
		return nil, config.Usagef("--with needs --system, the system of the first run")
	}
	if f.with == "" {
		pair[1] = f.system
	}
	for i, x := range runs {
		if err := knownName(pair[i], "system", dirs[i], x.Systems); err != nil {
			return nil, err
		}
	}
	return [][2]string{pair}, nil
}

// knownName is an error if a run has no system or judge with a name.
func knownName(name, what, dir string, of []store.Participant) error {
	names := data.Each(of, func(p store.Participant) string { return p.Name })
	if slices.Contains(names, name) {
		return nil
	}
	return config.Usagef("%s has no %s %q%s", dir, what, name, data.Suggest(name, what+"s", names))
}
