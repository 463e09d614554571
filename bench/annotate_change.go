package bench

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

// A studyChange holds the flags of `annotate change`.
type studyChange struct {
	studySetup
	more int
}

// annotateChangeCommand builds `compqa annotate change`.
func annotateChangeCommand(streams cli.Streams) *cobra.Command {
	var c studyChange
	cmd := onProject("change [DIR]", "Change the texts of a running study, add items, or more people for each item",
		func(p *project.Project, dir string, _ []string) error {
			unlock, err := project.Lock(dir)
			if err != nil {
				return config.Usagef("%w; sheets that people fill in meanwhile stay in their browsers", err)
			}
			defer unlock()
			return c.make(streams, p, dir)
		})
	set := cmd.Flags()
	set.StringVar(&c.study, "study", "", "the study as it is to be, a `FILE` in YAML: texts, questions, codes and how many items of a "+
		"person change")
	set.StringVar(&c.items, "items", "", "add the items of `FILE` that the study does not have")
	set.StringVar(&c.pairs, "pairs", "", "add the pairs of `FILE` that the study does not have")
	set.IntVar(&c.more, "more", 0, "add `N` items of the run, a seeded sample of those that the study does not have")
	set.IntVar(&c.people, "people", 0, "`N` people annotate each of the items that are for several people")
	set.StringVar(&c.overlap, "overlap", "", "several people annotate `N` items, or a share of them (default: as before)")
	c.reading.Add(set)
	return cmd
}

// make checks the flags, reads the changed study file and the items to add, and records the change as a new version of the study.
func (c *studyChange) make(streams cli.Streams, p *project.Project, dir string) error {
	if c.more < 0 || c.people < 0 || c.people > 5 {
		return config.Usagef("--more must not be negative, and --people is 1 to 5")
	}
	if c.more > 0 && c.items+c.pairs != "" {
		return config.Usagef("--more takes items of the run; --items and --pairs name files")
	}
	var err error
	c.from, err = c.reading.Options()
	if err != nil {
		return config.UsageError{Err: err}
	}
	c.from.Alone = true
	c.dir, c.Settings = dir, p.Settings
	if c.people > 0 {
		c.People = c.people
	}
	if err := c.changed(p); err != nil {
		return err
	}
	wanted := project.Change{Settings: c.Settings}
	if c.more > 0 || c.items+c.pairs != "" {
		wanted.Items, err = c.added(p)
		if err != nil {
			return err
		}
	}
	if c.overlap != "" {
		several := data.Where(slices.Concat(p.Items, wanted.Items), isStudyItem)
		wanted.Overlap, err = c.overlapOf(len(several))
		if err != nil {
			return err
		}
	}
	for _, sentence := range c.said {
		fmt.Fprintln(streams.Out, table.Printable(sentence))
	}
	if err := p.Change(wanted); err != nil {
		return config.UsageError{Err: err}
	}
	sayMissingTexts(streams.Out, dir, p.Texts, p.Items)
	last := p.Versions[len(p.Versions)-1]
	fmt.Fprintf(streams.Out, "Version %d of the study: %s. Sheets so far have the versions before.\nNext: compqa annotate serve %s\n",
		last.Version, last.What, dir)
	return nil
}

func isStudyItem(it project.Item) bool { return it.Role == project.Main || it.Role == project.Overlap }

// changed reads the study file, if --study names one, and puts its settings into c. It returns an error if the file changes something that
// is fixed in a running study.
func (c *studyChange) changed(p *project.Project) error {
	if c.study == "" {
		return nil
	}
	c.file = usualStudy(p.Kind)
	if err := c.file.load(c.study); err != nil {
		return err
	}
	if c.file.Rubric != "" {
		other, err := c.file.loadRubric()
		if err != nil {
			return err
		}
		if err := p.SameScale(other); err != nil {
			return c.file.wrong("rubric", err.Error())
		}
	}
	if err := c.file.same(p.Fixed); err != nil {
		return err
	}
	return c.file.settle(&c.Settings)
}

// added returns the items to add. They are for several people if all items of the study are so far. If the items come from the run, its
// rubric must have the scale of the study.
func (c *studyChange) added(p *project.Project) ([]project.Item, error) {
	db, err := c.openRun()
	if err != nil {
		return nil, err
	}
	if db != nil {
		defer db.Close()
	}
	if p.Form().Total != nil && c.more > 0 {
		now, err := db.Rubric()
		if err == nil {
			err = p.SameScale(now)
		}
		if err != nil {
			return nil, config.UsageError{Err: err}
		}
	}
	items, err := c.read(db)
	if err != nil {
		return nil, err
	}
	maskNames(items, p.Masked, p.Mask)
	added, kept, err := p.New(items)
	c.said = append(c.said, kept...)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	maskNames(added, c.numbered(), p.Mask)
	c.shuffle(added)
	if c.more > 0 && c.more < len(added) {
		added = added[:c.more]
	}
	role := project.Overlap
	if slices.ContainsFunc(p.Items, func(it project.Item) bool { return it.Role == project.Main }) {
		role = project.Main
	}
	for i := range added {
		added[i].Role = role
	}
	if before := len(items) - len(added); before > 0 && c.more == 0 {
		c.said = append(c.said, fmt.Sprintf("%s: in the study before, and left as it is", data.Plural(before, "item", "items")))
	}
	return added, nil
}
