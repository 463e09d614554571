package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/scoring"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	pages "compqa/web/annotate"
)

// annotateLabelStudioCommand builds `compqa annotate import-labelstudio`.
func annotateLabelStudioCommand(streams cli.Streams) *cobra.Command {
	var file, id, out, path string
	var reading cli.Reading
	cmd := cli.Command("import-labelstudio [DIR] --in FILE --out FILE",
		"Convert an export of Label Studio or another tool to verdicts or preferences", func(_ *cobra.Command, args []string) error {
			criteria, err := studyRubric(append(args, "")[0], path) // without DIR the built-in rubric
			if err != nil {
				return err
			}
			o, err := reading.Options()
			if err != nil {
				return config.UsageError{Err: err}
			}
			o.Alone = true
			if id != "" {
				if o.Map == nil {
					o.Map = map[string]string{}
				}
				o.Map["item"] = id
			}
			return convertLabelStudio(streams, file, out, criteria, o)
		})
	cmd.Flags().StringVar(&file, "in", "", "the `FILE` that Label Studio exported")
	cmd.Flags().StringVar(&id, "id", "",
		"the `PATH` in a task of the id of the answer or pair, for instance data.id, as --map item=PATH (default: as the format says)")
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` of verdicts or preferences to write")
	cmd.Flags().StringVar(&path, "rubric", "", "use the rubric of `FILE` (default: that of the run in DIR, else the built-in one)")
	reading.Add(cmd.Flags())
	cli.Require(cmd, "in", "out")
	return cmd
}

// convertLabelStudio reads an export of Label Studio or another tool and writes a file of preferences or verdicts. Where people chose the
// left or the right text, it writes preferences, with the pair's text a on the left. Otherwise it writes verdicts. Person 7 becomes
// human:7. An incomplete sheet keeps its status. If a person gave several values, the last one counts, unless o.Repeats says otherwise.
func convertLabelStudio(streams cli.Streams, file, out string, criteria rubric.Rubric, o sources.Options) error {
	o.Repeats = cmp.Or(o.Repeats, sources.RepeatsLast)
	preferences, scored, err := labelStudioSides(file, o)
	if err != nil {
		return config.UsageError{Err: err}
	}
	var verdicts []data.Verdict
	var other []string
	if preferences == nil || scored {
		read, others, _, err := parties.ReadScores(file, criteria,
			parties.Reading{People: true, Known: func(string) bool { return true }, Flags: o, All: true})
		if err != nil && preferences == nil {
			return config.UsageError{Err: err}
		}
		other = others
		for _, v := range read {
			v = scoring.Settle(criteria, v)
			verdicts = append(verdicts, data.Verdict{Answer: v.Answer, Judge: personName(v.Judge), Status: v.Status,
				Scores: v.Scores, Total: v.Total,
				Reason: v.Reason})
		}
	}
	if len(verdicts) > 0 && len(preferences) > 0 {
		return config.Usagef("%s holds both scores and pairwise results; export the two projects separately", file)
	}
	write := table.Lines(verdicts)
	if len(preferences) > 0 {
		write = table.Lines(preferences)
	}
	if err := store.WriteOutput(out, write); err != nil {
		return err
	}
	fmt.Fprintf(streams.Out, "%s: %d verdicts, %d preferences\n", out, len(verdicts), len(preferences))
	if len(other) > 0 {
		fmt.Fprintf(streams.Out, "Left out, because rubric %s has no such criterion: %s\n", criteria.Name, strings.Join(other, ", "))
	}
	return nil
}

// labelStudioSides returns as preferences the values "left" and "right" of an export. scored reports whether the export also has other
// values.
func labelStudioSides(file string, o sources.Options) (list []data.Preference, scored bool, err error) {
	o.People = true
	if sources.FormatOf(file) == "label-studio-pairs" {
		o.Format = "label-studio" // only the sides count, not the texts
	}
	log, err := sources.Read(file, o)
	if err != nil {
		return nil, false, err
	}
	for _, s := range log.Values.All() {
		choice, is := map[string]data.Choice{"left": data.ChoiceA, "right": data.ChoiceB}[s.Value]
		scored = scored || !is
		if !is {
			continue
		}
		p := data.Preference{ID: log.Items[s.Item].ID, Judge: personName(s.Rater.Name), Order: data.OrderAB, Status: data.Valid,
			Choice: string(choice)}
		index := slices.IndexFunc(list, func(other data.Preference) bool { return other.ID == p.ID && other.Judge == p.Judge })
		switch {
		case index < 0:
			list = append(list, p)
		case o.Repeats != sources.RepeatsFirst:
			list[index] = p
		}
	}
	return list, scored, nil
}

func personName(name string) string {
	return pages.Judge(strings.TrimPrefix(strings.TrimPrefix(name, pages.Judge("")), "user")) // our own export has human:p1
}

// studyRubric returns the rubric in the file path. Without a path it returns the rubric of the run in dir, and without dir the built-in
// rubric.
func studyRubric(dir, path string) (rubric.Rubric, error) {
	switch {
	case path != "":
		return (&config.Config{Rubric: path}).LoadRubric()
	case dir == "":
		return rubric.CQA(), nil
	}
	db, err := store.Open(dir)
	if err != nil {
		return rubric.Rubric{}, err
	}
	defer db.Close()
	return db.Rubric()
}
