package bench

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/checks"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation"
)

// A leastFigure is one value of --fail-below: [[JUDGE/]CRITERION/]NAME[.low|.high]=X. The gate fails if the figure is below X.
type leastFigure struct {
	subject string // CRITERION or JUDGE/CRITERION; "" for all
	name    string // the figure as the user writes it, with .low or .high
	least   float64
}

// parseLeast parses --fail-below. It returns an error if a name is not a column of validation.csv, or if the gate could never pass or never
// fail.
func parseLeast(texts []string) (all []leastFigure, err error) {
	for _, text := range texts {
		path, number, found := cutLast(text, "=")
		least, ok := data.Number(number)
		subject, name, within := cutLast(path, "/")
		if !within {
			subject = ""
			name = path
		}
		if !found || !ok || name == "" {
			return nil, fmt.Errorf("--fail-below is %q; NAME=X is needed, for instance kappa.low=0.4 or quality/alpha=0.6", text)
		}
		low, high, err := validation.RangeOf(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--fail-below %s: %w", text, err)
		case least > high:
			return nil, fmt.Errorf("--fail-below %s: %s is at most %v", text, name, high)
		case least < low:
			return nil, fmt.Errorf("--fail-below %s: %s is never below %v, so that this gate never fails", text, name, low)
		}
		all = append(all, leastFigure{subject, name, least})
	}
	return all, nil
}

// cutLast is like strings.Cut, but cuts at the last sep.
func cutLast(text, sep string) (before, after string, found bool) {
	index := strings.LastIndex(text, sep)
	if index < 0 {
		return text, "", false
	}
	return text[:index], text[index+len(sep):], true
}

// parseRequired parses --require. It returns the criteria that need the answer yes, or nil for all.
func parseRequired(text string) (criteria []string, err error) {
	answer, list, some := strings.Cut(text, "=")
	if answer != string(trust.Yes) || some && strings.TrimSpace(list) == "" {
		return nil, fmt.Errorf("--require is %q; it must be yes, or yes=CRITERION,…", text)
	}
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			criteria = append(criteria, name)
		}
	}
	return criteria, nil
}

// gated reports whether the flags ask for a gate, which makes validate exit with 4 if a check fails.
func (f *validateFlags) gated() bool { return len(f.failBelow) > 0 || f.require != "" }

// names reports whether a name, CRITERION or JUDGE/CRITERION, fits a pairing of a judge's and people's criterion.
func names(name string, p *validation.Pairing) bool {
	return name == p.Criterion || name == p.PeoplesName || name == p.Judge+"/"+p.Criterion || name == p.Judge+"/"+p.PeoplesName
}

// named returns a usage error if no pairing fits a name that the flag of a gate has.
func named(flag, name string, r *validation.Result) error {
	if slices.ContainsFunc(r.Pairings, func(p *validation.Pairing) bool { return names(name, p) }) {
		return nil
	}
	return config.Usagef("%s names %q; there are %s", flag, name, data.Some(data.Each(r.Pairings,
		func(p *validation.Pairing) string { return p.Judge + "/" + p.Criterion })))
}

// checks returns the checks of --require and --fail-below for each judge and criterion that the flags name.
func (f *validateFlags) checks(files []string, r *validation.Result) (all []gateCheck, err error) {
	group := func(p *validation.Pairing) string { return p.Judge + " / " + p.Criterion }
	for _, name := range f.required {
		if err := named("--require", name, r); err != nil {
			return nil, err
		}
	}
	for _, p := range r.Pairings {
		if f.require == "" || f.required != nil && !slices.ContainsFunc(f.required, func(name string) bool { return names(name, p) }) {
			continue
		}
		d := p.Decision()
		all = append(all, gateCheck{Group: group(p), Name: "in place of one person: yes", File: files[0], Passed: d.AppliesEverywhere(),
			Message: d.Finding().Text})
	}
	if f.require != "" && f.required == nil {
		all = append(all, notCompared(files[0], r)...)
	}
	for _, wanted := range f.least {
		if wanted.subject != "" {
			if err := named("--fail-below", wanted.subject, r); err != nil {
				return nil, err
			}
		}
		for _, p := range r.Pairings {
			if wanted.subject != "" && !names(wanted.subject, p) {
				continue
			}
			if err := p.CannotHave(wanted.name); err != nil {
				return nil, config.Usagef("--fail-below %s: %w", wanted.name, err)
			}
			name := p.FigureName(wanted.name)
			c := gateCheck{Group: group(p), Name: fmt.Sprintf("%s >= %v", name, wanted.least), File: files[0],
				Message: fmt.Sprintf("%s has no %s", group(p), name)}
			if figure := p.Figure(wanted.name); figure.Known {
				c.Passed = figure.Value >= wanted.least
				c.Message = fmt.Sprintf("%s of %s is %s", name, group(p), figure.Text(3))
				if !c.Passed {
					c.Message += fmt.Sprintf(", below %v", wanted.least)
				}
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// notCompared returns a failed check for each of the judge's criteria that people do not have. It applies if --require names no criteria,
// and so is about all of them.
func notCompared(file string, r *validation.Result) (all []gateCheck) {
	if len(r.People) == 0 {
		return nil
	}
	compared := strings.Join(data.Set(data.Each(r.Pairings, func(p *validation.Pairing) string { return p.Criterion })), ",")
	for _, criterion := range data.Set(slices.Clone(r.Unpaired)) {
		all = append(all, gateCheck{Group: criterion, Name: "in place of one person: yes", File: file,
			Message: fmt.Sprintf("%s is not compared: people have no such criterion. Name theirs (--pair %q), or check the others alone: "+
				"--require %q", criterion, criterion+"=CRITERION", "yes="+compared)})
	}
	return all
}

// gateRefused returns an error if a figure depends on a reading of a file that may be wrong: an open question of a check, or an assumption
// about a column. A gate must not pass or fail on it.
func (f *validateFlags) gateRefused(files []string, r *validation.Result) error {
	if open := r.Unanswered(); len(open) > 0 {
		return config.Usagef("no gate on a reading that is not checked:\n  %s", strings.Join(data.Each(open, checks.Finding.Sentence), "\n  "))
	}
	if len(r.Assumed) == 0 || f.set.Lookup("reading") == nil {
		return nil
	}
	first := r.Assumed[0]
	return config.Usagef("no gate on an assumed reading, as that column %q is %s (%s). Look at %s; if it is right:\n  %s", first.Column,
		first.What(), data.Plural(len(r.Assumed), "column is assumed", "columns are assumed"), filepath.Join(f.out, sources.ReadingName),
		f.command(files, "--reading", filepath.Join(f.out, sources.ReadingName)))
}

// parseGate parses the flags of the gate.
func (f *validateFlags) parseGate() (err error) {
	f.least, err = parseLeast(f.failBelow)
	if err != nil {
		return err
	}
	if f.require != "" {
		f.required, err = parseRequired(f.require)
		if err != nil {
			return err
		}
	}
	for _, wanted := range f.least {
		if wanted.name == "alpha" {
			f.options.Limit = cmp.Or(f.options.Limit, wanted.least)
		}
	}
	if f.format != "" && (!f.gated() || f.json.On) {
		return errors.New("--format prints the checks of --require and --fail-below, in place of the table and of JSON")
	}
	return knownGateFormat(f.format)
}

// printPlan prints how many items and people a study needs. If files are given, it computes this from their values as those of a pilot
// study. It writes no files.
func (f *validateFlags) printPlan(streams cli.Streams, files []string) error {
	plan, err := trust.ParsePlan(f.plan)
	if err != nil {
		return config.UsageError{Err: err}
	}
	plan.Seed = f.options.Seed
	if f.set.Changed("margin") {
		plan.Margin = f.options.Margin
	}
	if plan.Pilot != (len(files) > 0) {
		return config.Usagef("--plan is before there are values, without LOG and --people, or from those of a pilot: " +
			"compqa validate LOG --people FILE --plan pilot")
	}
	var lines []string
	if !plan.Pilot {
		lines = plan.Sentences()
	} else {
		result, err := f.compute(files)
		if err != nil {
			return err
		}
		lines, err = result.PlansOfPilot(plan)
		if err != nil {
			return config.UsageError{Err: err}
		}
	}
	for _, line := range lines {
		table.PrintWrapped(streams.Out, table.Printable(line))
	}
	return nil
}
