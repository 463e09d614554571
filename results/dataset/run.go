package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
)

// A Run has the planned rows of a record (or of several), in memory and in a fixed order. All tables are computed from it. Texts stay in
// the record.
type Run struct {
	Dirs      []string
	Made      []store.Provenance // of the latest run of each record
	Begun     string             // start time of the latest of these runs
	Rubric    rubric.Rubric
	Systems   []store.Participant // in the order of tables
	Judges    []store.Participant // in the order of tables, with people last
	Plan      []store.PlanCell
	Questions []data.Question
	Answers   []AnswerRow  // sorted by ID
	Sheets    []data.Given // sorted by judge (in order of tables), answer, repeat
	Unplaced  []store.Unplaced
	// Adaptations record what was learnt about the models during the run.
	Adaptations []store.Adaptation
	Costs       []store.CostAccount
	Used        map[string]float64 // by judge: dollars for the calls behind its verdicts, whoever made the calls
	Attacked    []store.AttackedAnswer
	LabelPlan   []store.PlanCell   // planned labels of contrastive tables
	Renamed     map[string]string  // by a system's name here: its name in its own record, if it was renamed
	Busy        map[string]float64 // by system with tables: seconds during which its calls were running
}

// A reader reads a record into Run.
type reader struct {
	*store.Store
	Run      *Run
	planned  map[store.CellKey]bool
	answerAt map[string]int // by ID of an answer: index in Run.Answers
	words
	endings map[endingKey]*data.Ending // shared by the sheets with equal results
	scores  data.Scores                // buffer for the verdict that is being read

	answerCalls, sheetCalls store.RowCalls

	rescore Rescore  // nil keeps verdicts as recorded
	but     []string // kinds of judges whose verdicts are not parsed again
	anew    Rereading
}

// loadRescored reads one record into memory. See LoadRescored for rescore and but.
func loadRescored(s *store.Store, dir string, rescore Rescore, but []string) (*Run, Rereading, error) {
	r := &reader{Store: s, rescore: rescore, but: but, Run: &Run{Dirs: []string{dir}}, planned: map[store.CellKey]bool{},
		words: words{}, endings: map[endingKey]*data.Ending{}}
	if err := r.rows(); err != nil {
		return nil, Rereading{}, store.WrapDBError("reading", s.Path, err)
	}
	slices.SortFunc(r.anew.Changes, func(a, b Change) int {
		return cmp.Or(r.Run.JudgeNamed(a.Judge)-r.Run.JudgeNamed(b.Judge), strings.Compare(a.Answer, b.Answer), a.Repeat-b.Repeat)
	})
	return r.Run, r.anew, nil
}

// rows reads everything. It reads attempts in parallel with the rest, because both take similar time: for 300,000 verdicts with their
// calls, 1.0 s and 0.9 s of processor time.
func (r *reader) rows() error {
	var paid store.CallCosts
	var work errgroup.Group
	work.Go(func() (err error) {
		r.Run.Costs, paid, err = r.CostAccounts()
		return err
	})
	work.Go(func() error {
		for _, step := range []func() error{r.provenance, r.parties, r.lists, r.answers, r.labels, r.busy, r.sheets} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err := work.Wait(); err != nil {
		return err
	}
	paid.Each(r.answerCalls, func(row int, cost float64) { r.Run.Answers[row].Cost = &cost })
	paid.Each(r.sheetCalls, func(row int, cost float64) {
		r.Run.Sheets[row].Cost = cost
		r.Run.Sheets[row].Paid = true
	})
	r.Run.Used = map[string]float64{}
	paid.Each(r.sheetCalls.By(func(row int) int { return int(r.Run.Sheets[row].Rater) }),
		func(judge int, cost float64) { r.Run.Used[r.Run.Judges[judge].Name] = cost })
	r.Run.sortSheets()
	return nil
}

func (r *reader) provenance() error {
	made, found, err := r.Store.LatestRun(store.PartAnswers)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("it contains no run")
	}
	r.Run.Made = []store.Provenance{made.Provenance}
	r.Run.Begun = made.Started
	return json.Unmarshal([]byte(made.Rubric), &r.Run.Rubric)
}

func (r *reader) parties() error {
	for role, into := range map[string]*[]store.Participant{store.RoleSystem: &r.Run.Systems, store.RoleJudge: &r.Run.Judges} {
		var err error
		*into, err = r.Store.PlannedParties(role)
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.Run.Judges, compareJudges)
	return nil
}

// compareJudges sorts judges by kind, and people by name, because the order in which their files were imported has no meaning.
func compareJudges(a, b store.Participant) int {
	if order := cmp.Compare(store.KindRank[a.Kind], store.KindRank[b.Kind]); order != 0 || a.Kind != KindHuman {
		return order
	}
	return cmp.Compare(a.Name, b.Name)
}

// lists reads the rows that need no further work: the plans, questions, imported rows without an answer, adaptations and attacks.
func (r *reader) lists() error {
	var err error
	if r.Run.Plan, err = r.Store.Plan(store.OfPoints); err != nil {
		return err
	}
	if r.Run.Questions, err = r.Store.Questions(); err != nil {
		return err
	}
	if r.Run.Unplaced, err = r.Store.Unplaced(); err != nil {
		return err
	}
	if r.Run.Adaptations, err = r.Adaptations(); err != nil {
		return err
	}
	if r.Run.Attacked, err = r.Store.Attacked(); err != nil {
		return err
	}
	if r.Run.LabelPlan, err = r.Store.Plan(store.OfLabels); err != nil {
		return err
	}
	cells := slices.Concat(r.Run.Plan, r.Run.LabelPlan)
	for _, c := range cells {
		r.planned[c.Key()] = true
	}
	return checkPlanned(cells)
}

// checkPlanned returns an error if a planned number is negative.
func checkPlanned(cells []store.PlanCell) error {
	for _, c := range cells {
		if c.Planned < 0 {
			return fmt.Errorf("the record plans %d results (%s): it was changed by another program", c.Planned, c.Kind)
		}
	}
	return nil
}

// answer returns the planned answer with an ID, or nil if there is none.
func (r *reader) answer(id string) *AnswerRow {
	if index, planned := r.answerAt[id]; planned {
		return &r.Run.Answers[index]
	}
	return nil
}

// words stores one copy of each string that occurs in many rows.
type words map[string]string

// intern returns the stored copy of s.
func (w words) intern(s string) string {
	if known, ok := w[s]; ok {
		return known
	}
	w[s] = s
	return s
}

// jsonString matches a string literal in JSON.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Rename gives judges other names, all at the same time, so that swapping two names works. In the configuration, it changes only string
// literals that are exactly such a name.
func (r *Run) Rename(judges map[string]string) {
	named := func(name string) string { return cmp.Or(judges[name], name) }
	for i, j := range r.Judges {
		if judges[j.Name] != "" {
			r.Judges[i] = store.Participant{Name: judges[j.Name], Kind: j.Kind} // the family of an imported judge is its name
		}
	}
	for i := range r.Plan {
		r.Plan[i].Judge = named(r.Plan[i].Judge)
	}
	for i := range r.Unplaced {
		r.Unplaced[i].Judge = named(r.Unplaced[i].Judge)
	}
	for i := range r.Made {
		r.Made[i].Config = jsonString.ReplaceAllStringFunc(r.Made[i].Config, func(literal string) string {
			var name string
			if err := json.Unmarshal([]byte(literal), &name); err != nil || judges[name] == "" {
				return literal
			}
			other, err := json.Marshal(judges[name])
			if err != nil {
				return literal
			}
			return string(other)
		})
	}
}

// An AnswerRow is an answer without its texts.
type AnswerRow struct {
	ID, Question             string
	Object1, Object2, Aspect string
	System, Scenario         string
	Repeat                   int
	Status                   data.Status
	Reason                   string
	Words, Sentences         int
	store.Reading
	Pair    string         `db:"-"` // key of the object pair, which is the cluster of all intervals
	Claims  []AnswerClaims `db:"-"`
	Summary *Summary       `db:"-"` // nil if the record has no table and plans none
	Asked   *data.Question `db:"-"` // the question in the answer's own record
	Cost    *float64       `db:"-"` // in the currency of the price list; nil if nothing was paid
}

// Choice returns the object that the answer chooses, as a or b in the answer's order of objects. It returns "" if the answer is not valid
// or chooses none.
func (a *AnswerRow) Choice() data.Choice { return a.Favours.Choice() }

// Swapped reports whether the answer names the objects in the opposite order to its question.
func (a *AnswerRow) Swapped() bool {
	return a.Asked != nil && !data.SameName(a.Asked.Object1, a.Object1)
}

// Favoured returns the object that most arguments of the question favour, as a or b in the answer's order of objects.
func (a *AnswerRow) Favoured() data.Choice {
	switch {
	case a.Asked == nil:
		return ""
	case a.Swapped():
		return a.Asked.Favoured(nil).Swapped()
	}
	return a.Asked.Favoured(nil)
}

// Asks returns the question of an answer in short: its objects, in the answer's order, and the aspect.
func (a *AnswerRow) Asks() string { return data.InShort(a.Object1, a.Object2, a.Aspect, a.text()) }

// Subject returns the objects of an answer, or the text of its question if that has no objects.
func (a *AnswerRow) Subject() string { return data.InShort(a.Object1, a.Object2, "", a.text()) }

// text returns the text of the answer's question, or its ID if the question is unknown.
func (a *AnswerRow) text() string {
	if a.Asked == nil {
		return a.Question
	}
	return a.Asked.Text
}

// answers reads the planned answers, sorted by ID, with their contrastive tables.
func (r *reader) answers() error {
	questions := make(map[string]*data.Question, len(r.Run.Questions))
	for i, q := range r.Run.Questions {
		questions[q.ID] = &r.Run.Questions[i]
	}
	n, err := r.OnRecord(store.KindAnswer) // not from the plan, which may state any number
	if err != nil {
		return err
	}
	r.Run.Answers = make([]AnswerRow, 0, n)
	r.answerAt = make(map[string]int, n)
	sources, err := r.sources()
	if err != nil {
		return err
	}
	type row struct {
		AnswerRow
		Calls string
		Table *data.ContrastTable `db:"summary"`
	}
	return store.EachOf(r.Store, store.KindAnswer, func(a row) error {
		if !r.planned[store.CellKey{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario}] {
			return nil
		}
		for _, text := range []*string{&a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*text = r.intern(*text)
		}
		a.Favours = data.Favours(r.intern(string(a.Favours)))
		a.Asked = questions[a.Question]
		a.Pair = r.intern(data.ClusterOf(a.Object1, a.Object2, a.Question))
		if a.Table != nil {
			a.Table.Dropped = nil
			a.Summary = &Summary{Table: a.Table, Sources: sources(&a.AnswerRow)}
		}
		r.answerCalls.Add(len(r.Run.Answers), a.Calls)
		r.answerAt[a.ID] = len(r.Run.Answers)
		r.Run.Answers = append(r.Run.Answers, a.AnswerRow)
		return nil
	})
}

// An endingKey identifies equal results of verdicts (endings), so that sheets can share one.
type endingKey struct {
	status data.Status
	reason string
	scores [sha256.Size / 2]byte // hash of their JSON
	total  float64
}

// A sheetRow is a recorded verdict. Its scores and calls are JSON.
type sheetRow struct {
	Judge, Answer string
	Repeat        int
	Status        data.Status
	Scores        string
	Total         *float64
	Reason, Calls string
}

// A rescoredRow is a verdict that is parsed again, with its raw reply and the judged text.
type rescoredRow struct {
	sheetRow
	Raw, Judged string
}

// sheets reads the planned verdicts. If rescore is set, it parses them again.
func (r *reader) sheets() error {
	n, err := r.OnRecord(store.KindVerdict)
	if err != nil {
		return err
	}
	r.Run.Sheets = make([]data.Given, 0, n)
	r.sheetCalls = make(store.RowCalls, 0, n)
	judges := map[string]int{}
	for j, judge := range r.Run.Judges {
		judges[judge.Name] = j
	}
	add := func(v *sheetRow, reread func(judge store.Participant) error) (err error) {
		j, known := judges[v.Judge]
		index, placed := r.answerAt[v.Answer]
		if !known || !placed {
			return nil
		}
		a := &r.Run.Answers[index]
		if !r.planned[store.CellKey{Kind: store.KindVerdict, Judge: v.Judge, System: a.System, Scenario: a.Scenario}] {
			return nil
		}
		s := data.Given{Rater: int32(j), Item: int32(index), Repeat: int32(v.Repeat)}
		if reread != nil && r.rescore.due(r.Run.Judges[j], r.but) {
			err = reread(r.Run.Judges[j])
		}
		if err == nil {
			s.Ending, err = r.ending(v)
		}
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", v.Judge, v.Answer, err)
		}
		r.sheetCalls.Add(len(r.Run.Sheets), v.Calls)
		r.Run.Sheets = append(r.Run.Sheets, s)
		return nil
	}
	if !slices.ContainsFunc(r.Run.Judges, func(judge store.Participant) bool { return r.rescore.due(judge, r.but) }) {
		return store.EachOfUnordered(r.Store, store.KindVerdict, func(v sheetRow) error { return add(&v, nil) })
	}
	return store.EachJudgedText(r.Store, func(v rescoredRow) error {
		return add(&v.sheetRow, func(judge store.Participant) error { return r.reread(judge, &v) })
	})
}

// ending returns the result of a verdict, which equal verdicts share. A sheet that is recorded as valid but lacks a score is an error.
func (r *reader) ending(v *sheetRow) (*data.Ending, error) {
	key := endingKey{status: v.Status, reason: v.Reason}
	if v.Status == data.Valid || v.Status == data.Partial {
		sum := sha256.Sum256([]byte(v.Scores))
		copy(key.scores[:], sum[:])
	}
	if v.Status == data.Valid {
		if v.Total == nil {
			return nil, errors.New("it is recorded as valid but has no total")
		}
		key.total = *v.Total
	}
	if known := r.endings[key]; known != nil {
		return known, nil
	}
	made := &data.Ending{Status: v.Status, Reason: v.Reason, Total: key.total}
	if v.Status == data.Valid || v.Status == data.Partial {
		clear(r.scores)
		if err := json.Unmarshal([]byte(v.Scores), &r.scores); err != nil {
			return nil, err
		}
		made.Scores = make([]float64, 0, len(r.Run.Rubric.Criteria))
		for _, c := range r.Run.Rubric.Criteria {
			points, ok := r.scores[c.ID]
			if !ok && v.Status == data.Partial {
				points = math.NaN()
			} else if !ok {
				return nil, fmt.Errorf("it is recorded as valid, but criterion %s has no score", c.ID)
			}
			made.Scores = append(made.Scores, points)
		}
	}
	r.endings[key] = made
	return made, nil
}

func (run *Run) sortSheets() { slices.SortFunc(run.Sheets, data.CompareSheets) }
