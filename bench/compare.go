package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// comparing holds the flags of `compqa compare`.
type comparing struct {
	system, with, judge string
	scenario            string // of the first run; with names the scenario of the second run
	most, fewer         float64
	gate                bool // whether --fail-if-worse is set
	asJSON              cli.JSON[compare.JSON]
	format              string // format in which the gate's checks are printed
}

// compareCommand builds `compqa compare`.
func compareCommand(streams cli.Streams) *cobra.Command {
	var f comparing
	cmd := cli.Command("compare RUN [RUN] [--system S]", "Compare two runs, systems or prompts, question by question",
		func(cmd *cobra.Command, args []string) error {
			f.gate = cmd.Flags().Changed("fail-if-worse")
			switch {
			case !(f.most >= 0):
				return config.Usagef("--fail-if-worse is %v; it must be a number of points, 0 or more", f.most)
			case !(f.fewer >= 0 && f.fewer < 1):
				return config.Usagef("--accept-missing is %v; it must be a share, from 0 to less than 1", f.fewer)
			case f.format != "" && (!f.gate || f.asJSON.On):
				return config.Usagef("--format prints the checks of --fail-if-worse, in place of the table and of JSON")
			case !f.gate && cmd.Flags().Changed("accept-missing"):
				return config.Usagef("--accept-missing needs --fail-if-worse")
			}
			if err := knownGateFormat(f.format); err != nil {
				return err
			}
			if len(args) == 1 && f.with == "" {
				return config.Usagef("compare %s with what? Type compqa compare %[1]s --system A --with B for two systems, --scenario A --with B "+
					"for two prompts, or compqa compare %[1]s RUN for another run", args[0])
			}
			if len(args) == 1 { // compare the run with itself
				args = append(args, args[0])
			}
			return f.run(args, streams.Out)
		})
	cmd.Flags().StringVar(&f.system, "system", "", "compare the answers of the system `S` (default: of each system of the first run)")
	cmd.Flags().StringVar(&f.with, "with", "",
		"with those of the system `T` in the second run (default: the same system); with --scenario, those under the scenario T")
	cmd.Flags().StringVar(&f.scenario, "scenario", "", "compare the answers under the scenario `A`, that is, to its prompt")
	cmd.Flags().StringVar(&f.judge, "judge", "",
		"use the verdicts of the judge `NAME` (default: each judge of the first run, without floors and people)")
	cmd.Flags().Float64Var(&f.most, "fail-if-worse", 0,
		"exit with 4 if mean points fall by more than `POINTS` according to one of the judges, or answers are missing")
	cmd.Flags().Float64Var(&f.fewer, "accept-missing", 0,
		"with --fail-if-worse, accept that a judge has a smaller share of valid verdicts on a system, by up to this `SHARE` (0 to 1)")
	cmd.Flags().StringVar(&f.format, "format", "", "with --fail-if-worse, "+gateUsage)
	f.asJSON.Add(cmd.Flags())
	return cmd
}

// runNamed returns the folder of a run. dir may also be the name of a run in the project's folder of runs; an existing folder dir comes
// first.
func runNamed(dir string) string {
	named := filepath.Join(filepath.Dir(config.DefaultOut), dir)
	if _, err := os.Stat(dir); err != nil && filepath.IsLocal(dir) && data.IsFolder(named) {
		return named
	}
	return dir
}

// run loads the two runs, compares each pair of systems by each judge, prints the comparison or the checks of the gate, and returns an
// error if the gate fails.
func (f comparing) run(dirs []string, out io.Writer) error {
	dirs = data.Each(dirs, runNamed)
	var runs [2]*dataset.Dataset
	for i, dir := range dirs {
		if i > 0 && dir == dirs[0] {
			runs[i] = runs[0]
			continue
		}
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
			a := compare.Side{Dataset: runs[0], System: pair[0]}
			b := compare.Side{Dataset: runs[1], System: pair[1]}
			if f.scenario != "" {
				a.Scenario = f.scenario
				b.Scenario = cmp.Or(f.with, f.scenario)
			}
			if err := c.Add(judge, a, b); err != nil {
				return err
			}
		}
	}
	compared := slices.ContainsFunc(c.Rows, func(r compare.Row) bool { return r.Questions > 0 })
	if !compared && !(f.gate && len(c.Fewer(0)) > 0) {
		return config.Usagef("nothing can be compared: no judge scored answers of both to the same questions under the same scenarios")
	}
	if f.ofBoard(runs, systems) && f.format == "" {
		if err := f.ofOneRun(runs[0], systems[0], &c); err != nil {
			return err
		}
	}
	checks := f.checks(c, dirs[1])
	switch {
	case f.format != "":
		err = writeGate(out, f.format, "compqa compare", checks)
	case f.asJSON.On:
		err = f.asJSON.Print(out, compare.JSON{Findings: c.Findings(), Prompts: otherPrompts(runs), Rows: c.Rows, Moved: c.Moved})
	default:
		if differing := otherPrompts(runs); len(differing) > 0 {
			table.PrintWrapped(out, table.Printable("The prompts of the two runs differ: scenario "+strings.Join(differing, ", ")+"."))
		}
		err = c.Print(out)
	}
	if err != nil || !f.gate {
		return err
	}
	return gateFailed(checks)
}

// ofBoard reports whether two systems of one run are compared over all scenarios, as the run's leaderboard does.
func (f comparing) ofBoard(runs [2]*dataset.Dataset, systems [][2]string) bool {
	return runs[0] == runs[1] && f.scenario == "" && len(systems) == 1 && systems[0][0] != systems[0][1]
}

// ofOneRun takes the findings about two systems of one run from the run's leaderboard.
func (f comparing) ofOneRun(x *dataset.Dataset, systems [2]string, c *compare.Comparison) error {
	t, err := report.Ordered(x)
	if err != nil {
		return err
	}
	two, err := t.Two(systems[0], systems[1], report.Selection{Judge: f.judge})
	if err != nil {
		return err
	}
	c.Found = two.Findings()
	return nil
}

// checks returns the checks of --fail-if-worse. For each judge and system they say that the points have not fallen by more than the limit,
// and that no more verdicts are missing than before. second is the folder of the second run.
func (f comparing) checks(c compare.Comparison, second string) (checks []gateCheck) {
	worse := c.Worse(f.most)
	fewer := c.Fewer(f.fewer)
	for _, r := range c.Totals() {
		who := fmt.Sprintf("%s by %s", r.SystemB, r.Judge)
		points := gateCheck{Group: who, Name: fmt.Sprintf("points fall by at most %v", f.most), File: second,
			Passed: !slices.Contains(worse, r)}
		switch {
		case r.Questions == 0: // the check below says that answers are missing
		case !r.Difference.Known:
			points.Message = fmt.Sprintf("too few questions to compare (%d; at least %d are needed): %s", r.Questions, stats.FewClusters, who)
		case points.Passed:
			points.Message = fmt.Sprintf("%s: first minus second is %s points", who, r.Difference.Point().Signed(2))
		default:
			points.Message = fmt.Sprintf("worse by more than %v points: %s: first minus second is %s points", f.most, who,
				r.Difference.Point().Signed(2))
		}
		if points.Message != "" {
			checks = append(checks, points)
		}
		valid := gateCheck{Group: who, Name: "no more answers are missing", File: second, Passed: !slices.Contains(fewer, r)}
		if f.fewer > 0 {
			valid.Name = fmt.Sprintf("at most %v more answers are missing", f.fewer)
		}
		valid.Message = fmt.Sprintf("%s: %d of %d, before %d of %d", who, r.ValidB, r.PlannedB, r.ValidA, r.PlannedA)
		if r.Questions == 0 {
			valid.Message += ", none to the same question"
		}
		if !valid.Passed {
			valid.Message = "answers are missing in the second run (valid of planned verdicts): " + valid.Message
		}
		checks = append(checks, valid)
	}
	return checks
}

// otherPrompts returns the scenarios of both runs whose prompts differ.
func otherPrompts(runs [2]*dataset.Dataset) (scenarios []string) {
	var texts [2]map[string]string
	for i, x := range runs {
		texts[i] = map[string]string{}
		for _, made := range x.Run.Made {
			maps.Copy(texts[i], made.TemplateTexts())
		}
	}
	for scenario, text := range texts[0] {
		if other, has := texts[1][scenario]; has && other != text {
			scenarios = append(scenarios, scenario)
		}
	}
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	return scenarios
}

// systems returns the pairs of systems to compare: one system of the first run and one of the second.
func (f comparing) systems(runs [2]*dataset.Dataset, dirs []string) (pairs [][2]string, err error) {
	if f.scenario != "" {
		for i, scenario := range []string{f.scenario, cmp.Or(f.with, f.scenario)} {
			if !slices.Contains(runs[i].Scenarios(), scenario) {
				return nil, config.Usagef("%s has no scenario %q%s", dirs[i], scenario, data.Suggest(scenario, "scenarios", runs[i].Scenarios()))
			}
		}
		f.with = ""
	}
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

// knownName returns a usage error if a run has no system or judge with this name. what is "system" or "judge".
func knownName(name, what, dir string, participants []store.Participant) error {
	names := data.Each(participants, func(p store.Participant) string { return p.Name })
	if slices.Contains(names, name) {
		return nil
	}
	return config.Usagef("%s has no %s %q%s", dir, what, name, data.Suggest(name, what+"s", names))
}
