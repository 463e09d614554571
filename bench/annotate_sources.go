package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
	"compqa/web/annotate/project"
)

// openRun opens the record of a run or of a validation. It returns nil if there is none and the items are in a file.
func (f *studySetup) openRun() (*store.Store, error) {
	db, err := store.Open(f.dir)
	if f.pairs+f.items != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return db, err
}

// rubric returns the rubric in the study file, or else the run's rubric. Comparisons of pairs use only the study file's rubric. Kinds that
// are not scored have no rubric.
func (f *studySetup) rubric(db *store.Store) (rubric.Rubric, error) {
	switch {
	case f.Pairs.Dimensions:
		return f.file.loadDimensions()
	case project.FormOf(f.Kind).Total == nil:
		return rubric.Rubric{}, nil
	case f.file.Rubric != "":
		return f.file.loadRubric()
	case db == nil:
		return rubric.Rubric{}, config.Usagef("%s does not say what people score: name a rubric in the file of the study, as rubric: FILE, "+
			"or rubric: %s for the built-in one", f.items, rubric.CQA().Name)
	}
	return db.Rubric()
}

// read reads the items of the study from the source that the flags select: a file of pairs or of items, or a selection of the run's
// answers.
func (f *studySetup) read(db *store.Store) ([]project.Item, error) {
	switch {
	case f.pairs != "":
		set, err := sources.ReadPairs(f.pairs, "", f.from)
		if err != nil {
			return nil, config.UsageError{Err: err}
		}
		f.said = append(f.said, fmt.Sprintf("%s: %s: %s", f.pairs, data.Plural(len(set.Pairs), "pair", "pairs"), set.Source))
		return data.Each(set.Pairs, f.pair), nil
	case f.items != "":
		return f.freeItems()
	case f.next > 0:
		return f.nextAnswers(db)
	case f.worst > 0:
		return f.worstAnswers(db)
	case !project.FormOf(f.Kind).Sides:
		return f.answers(db)
	}
	return f.compared(db)
}

// nextFile is the file in the study's folder that lists the items chosen by --next, with their probabilities.
const nextFile = "to_label.csv"

// nextAnswers returns the answers of a run that people should label next. It chooses them as compqa validate --budget does.
func (f *studySetup) nextAnswers(db *store.Store) (items []project.Item, err error) {
	units, err := answersToLabel(f.dir, f.next, f.Seed)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	all, err := f.answers(db)
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for _, u := range units {
		chosen[u.ID] = true
	}
	f.said = append(f.said, fmt.Sprintf("%s has the %s with their probabilities; after `compqa annotate apply %s` "+
		"`compqa validate %s --inclusion %s --out OUT` weights by them", filepath.Join(f.dir, nextFile), data.Plural(len(units), "item", "items"),
		f.dir, f.dir, filepath.Join(f.dir, nextFile)))
	return data.Where(all, func(it project.Item) bool { return chosen[it.Source] }),
		table.WriteFiles(f.dir, map[string]func(io.Writer) error{nextFile: table.CSV(units)})
}

// worstAnswers returns the answers of a run on which a judge differs most from people.
func (f *studySetup) worstAnswers(db *store.Store) ([]project.Item, error) {
	ids, err := answersToReview(f.dir, f.worst)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	all, err := f.answers(db)
	f.said = append(f.said, fmt.Sprintf("the %s on which judges and people differ most; what people say of them "+
		"is no random sample, so use it to "+
		"find faults, not to measure the judge", data.Plural(len(ids), "answer", "answers")))
	return data.Where(all, func(it project.Item) bool { return slices.Contains(ids, it.Source) }), err
}

// noEarlier returns an error if the run has sheets or labels of an earlier study whose annotation.db is gone. The new study would replace
// them.
func (f *studySetup) noEarlier(db *store.Store) error {
	file := filepath.Join(appliedFolder, project.VerdictsFile)
	earlier := 0
	err := db.EachBroughtVerdict("verdicts "+file, nil, func(store.BroughtVerdict) error {
		earlier++
		return nil
	})
	if _, failed := os.Stat(filepath.Join(f.dir, project.FileName)); err != nil || failed == nil {
		return err
	}
	labels := filepath.Join(f.dir, appliedFolder, project.LabelsFile)
	if _, failed := os.Stat(labels); project.FormOf(f.Kind).File == project.LabelsFile && failed == nil {
		return config.Usagef("%s has the labels of an earlier study, which `compqa annotate apply` would replace; rename the file first, and "+
			"its path under summary_judges in compqa.yaml", labels)
	}
	if earlier == 0 {
		return nil
	}
	return config.Usagef("the run has %s of an earlier study, which `compqa annotate apply` would replace; import them under another name "+
		"first: cp %s FILE, then compqa import --out %s --verdicts FILE",
		data.Plural(earlier, "score sheet", "score sheets"), filepath.Join(f.dir, file), f.dir)
}

func (f *studySetup) system(name string) {
	if name != "" && !slices.Contains(f.systems, name) {
		f.systems = append(f.systems, name)
	}
}

func (f *studySetup) pair(p data.Pair) project.Item {
	f.system(p.SystemA)
	f.system(p.SystemB)
	return project.Item{Kind: f.Kind, Source: p.ID, Cluster: cmp.Or(p.Cluster, p.ID), Content: project.Content{Question: p.Question,
		Object1: p.Object1, Object2: p.Object2, A: p.A, B: p.B, Label: p.Label,
		Systems: data.Where([]string{p.SystemA, p.SystemB}, func(name string) bool { return name != "" })}}
}

// freeItems reads items that are not answers of a run from a file. Each item must have an id and a text.
func (f *studySetup) freeItems() (items []project.Item, _ error) {
	sheet, err := sources.OpenSheet(f.items)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	reading, err := sheet.Read(f.from)
	if err != nil {
		return nil, config.UsageError{Err: fmt.Errorf("%s: %w", f.items, err)}
	}
	names := data.Each(sheet.Columns, func(c *sources.Column) string { return c.Path })
	seen := map[string]int{}
	for row, fault := range sheet.Rows(func(text string) { f.said = append(f.said, text) }) {
		if fault != nil {
			return nil, config.UsageError{Err: fault}
		}
		get := func(role string) string {
			if reading.Column(role) == "" {
				return ""
			}
			return row.Text(reading.Column(role))
		}
		id := get(sources.RoleItem)
		text := get(sources.RoleText)
		switch {
		case id == "" || text == "":
			return nil, config.UsageError{Err: row.Errorf("an item needs id and text (--map item=COLUMN,text=COLUMN); there is %s",
				strings.Join(names, ", "))}
		case seen[id] > 0:
			return nil, config.UsageError{Err: row.Errorf("item %q is also on line %d", id, seen[id])}
		}
		seen[id] = row.Line
		items = append(items, project.Item{Kind: f.Kind, Source: id,
			Cluster: cmp.Or(get(sources.RoleGroup), get(sources.RoleQuestion), id),
			Content: project.Content{Question: get(sources.RoleQuestion), A: text}})
	}
	read := data.Where(data.Each([]string{sources.RoleItem, sources.RoleText, sources.RoleQuestion, sources.RoleGroup}, reading.Column),
		func(c string) bool { return c != "" })
	said := fmt.Sprintf("%s: %s, from the columns %s", f.items, data.Plural(len(items), "item", "items"), strings.Join(read, ", "))
	if left := data.Where(names, func(c string) bool { return !slices.Contains(read, c) }); left != nil {
		said += "; left out: " + data.Clip(strings.Join(left, ", "))
	}
	f.said = append(f.said, said)
	return items, nil
}

// answers returns the valid answers of the run as items. If people label tables, it returns the answers' contrastive tables.
func (f *studySetup) answers(db *store.Store) (items []project.Item, err error) {
	texts, err := db.QuestionTexts()
	if err != nil {
		return nil, err
	}
	cells, err := db.AnswerCells(false)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		f.system(c.System)
		err := db.EachAnswer(c.System, c.Scenario, func(a data.Answer) error {
			if a.Status != data.Valid {
				return nil
			}
			it := project.Item{Kind: f.Kind, Source: a.ID, Cluster: a.Pair(), Content: project.Content{A: a.Text, Systems: []string{c.System},
				Object1:  a.Object1,
				Object2:  a.Object2,
				Question: cmp.Or(texts[a.Question], data.DefaultQuestion(a.Object1, a.Object2, ""))}}
			if project.FormOf(f.Kind).Rows {
				if a.Table == nil || len(a.Table.Rows) == 0 {
					return nil
				}
				it.Content.A = ""
				it.Content.Rows = a.Table.Rows
				for i := range it.Content.Rows {
					it.Content.Rows[i].Members = nil
				}
			}
			items = append(items, it)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// compared returns the pairs of the run as items. The kind of study says which texts by judges are attached to a pair: tables, rationales,
// or nothing. Tables come from judges of the method sc2, from their first round (Yan et al. 2024, section 6.5). Rationales are shown
// with the sides in the order that they were written for.
func (f *studySetup) compared(db *store.Store) (items []project.Item, err error) {
	type given struct {
		pair        data.Pair
		attachments map[string][]project.Attachment // by the order of the sides
	}
	givens := map[string]*given{}
	judges := map[string]bool{}
	form := project.FormOf(f.Kind)
	err = db.EachPreference(func(p store.PairPreference) error {
		if givens[p.ID] == nil {
			givens[p.ID] = &given{p.Pair, map[string][]project.Attachment{}}
		}
		if _, round := store.BaseOf(p.Judge); form.Attached == "" || p.Status != data.Valid || data.IsHuman(p.Judge) || round > 1 {
			return nil
		}
		var detail data.Detail
		a := project.Attachment{Judge: p.Judge, Method: p.Method, Choice: data.Choice(p.Choice), Text: p.Rationale}
		if form.Attached == project.Tables {
			if p.Order != data.OrderAB || json.Unmarshal([]byte(p.Detail), &detail) != nil || len(detail.Table) == 0 ||
				form.Every && !p.Pair.Label.Decided() {
				return nil
			}
			a.Text, a.Swapped = shownTable(detail.Table), shownTable(pairwise.Table(detail.Table).Exchanged())
		}
		if strings.TrimSpace(a.Text) != "" {
			judges[p.Judge] = true
			givens[p.ID].attachments[p.Order] = append(givens[p.ID].attachments[p.Order], a)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for id, g := range givens {
		it := f.pair(g.pair)
		rng := stats.NewRNG(f.Seed, "attachments "+id)
		order := data.OrderAB
		if form.Attached == project.RationaleTexts {
			order = data.Orders[rng.Intn(2)]
			if len(g.attachments[order]) == 0 {
				order = map[string]string{data.OrderAB: data.OrderBA, data.OrderBA: data.OrderAB}[order]
			}
			it.Shown = order
		}
		list := g.attachments[order]
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		it.Content.Attachments = list
		if form.Attached == "" || len(list) > 0 && (!form.Every || len(list) == len(judges)) {
			items = append(items, it)
		}
	}
	if len(items) == 0 && form.Every {
		return nil, config.Usagef("%s has no pair with a known better answer and a table of each judge of method sc2; "+
			"SC2's study compares draws: 1 with draws: 8", f.dir)
	}
	return items, nil
}

// shownTable returns a table in Markdown without the names of the sides.
func shownTable(t pairwise.Table) string {
	return strings.Replace(t.Markdown(), "| Only A | Both | Only B |", "| Only the first | Both | Only the second |", 1)
}
