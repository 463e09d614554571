package bench

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/train"
	"compqa/scenarios"
)

// The kinds of training data.
const (
	trainKindSFT     = "sft"         // answers with high points
	trainKindAnswers = "dpo-answers" // pairs of a better and a worse answer
	trainKindJudge   = "dpo-judge"   // pairs of judgments, as Con-J uses them
	trainKindReward  = "reward"      // pairs of a better and a worse answer, for a reward model that returns one number
	trainKindStrum   = "strum"       // the calls of the stages of STRUM
)

var trainKinds = []string{trainKindSFT, trainKindAnswers, trainKindJudge, trainKindReward, trainKindStrum}

// trainFlags holds the flags of `compqa train export`.
type trainFlags struct {
	Kind, Run, By, Second, Judge, Format, Out   string
	Min, Margin, HeldOut, Gamma                 float64
	Bias, Rationales                            string
	MostPairs, Size                             int
	Mix                                         []int
	Seed                                        int64
	TestSets                                    []string
	OnBenchmark, Product, NoRationale, Pairwise bool
}

// check returns an error if a flag has an invalid value, or does not fit the kind of training data.
func (f trainFlags) check() error {
	switch {
	case !slices.Contains(trainKinds, f.Kind):
		return fmt.Errorf("--kind is %q%s", f.Kind, data.Suggest(f.Kind, "kinds", trainKinds))
	case !slices.Contains(train.Formats, f.Format):
		return fmt.Errorf("--format is %q%s", f.Format, data.Suggest(f.Format, "formats", train.Formats))
	case f.By == "" && (f.Kind == trainKindSFT || f.Kind == trainKindAnswers):
		return fmt.Errorf("--kind %s needs --by, the judge that selects", f.Kind)
	case f.HeldOut < 0 || f.HeldOut >= 1:
		return fmt.Errorf("--heldout is %v; it must be a share of the questions, at least 0 and below 1", f.HeldOut)
	case f.Gamma < 0 || f.Gamma > 1:
		return fmt.Errorf("--gamma is %v; it must be a share of the questions, from 0 to 1", f.Gamma)
	case f.Rationales != "" && f.Rationales != rationalesHigh && f.Rationales != rationalesLow:
		return fmt.Errorf("--rationales is %q; it must be %s or %s", f.Rationales, rationalesHigh, rationalesLow)
	case f.Rationales != "" && (f.Kind != trainKindJudge || f.NoRationale):
		return fmt.Errorf("--rationales is for --kind %s with rationales", trainKindJudge)
	case f.Gamma > 0 && f.Kind != trainKindJudge && f.Kind != trainKindReward:
		return fmt.Errorf("--gamma is for --kind %s or %s", trainKindJudge, trainKindReward)
	case f.Pairwise && (f.Kind != trainKindReward || f.Format != train.FormatTRL):
		return fmt.Errorf("--pairwise is for --kind %s in the format %s", trainKindReward, train.FormatTRL)
	case f.Margin < 0 || f.MostPairs < 1 || f.Size < 0:
		return errors.New("--margin must be points, 0 or more, --most a number of pairs, 1 or more, and --size a number of examples")
	case len(f.Mix) != len(strumStages):
		return fmt.Errorf("--mix has %d numbers; it must have %d, for the stages extract, merge and compare", len(f.Mix), len(strumStages))
	}
	return nil
}

// A trainExport is an export in progress.
type trainExport struct {
	trainFlags
	db         *store.Store
	made       store.Provenance
	card       train.Card
	sources    map[string]string // source to its licence
	also       map[string]bool   // sources of rejected answers
	sets       []train.TestSet
	pairs      []data.Pair       // labelled pairs, of which those of held-out questions are written
	units      map[string]string // key of a question to another key of the same question; see unit
	qualities  map[string]string // id of an example to the quality of its rationale, with --rationales
	scenarios  map[string]scenarios.Scenario
	questions  map[string]data.Question
	withAspect bool // whether the prompts of scenarios mention the aspect
}

// export writes training data of a record with its card. It collects the examples of the kind, filters them in several steps that the card
// counts, and splits them into training and held-out examples.
// The filters remove: examples without a text, examples that judges are shown, duplicates, and too many pairs per prompt or calls per
// stage. Questions of evaluation sets are refused. With --rationales only one quality is kept, with --size only a subset.
func (x *trainExport) export(out io.Writer) (err error) {
	if err := x.check(); err != nil {
		return config.UsageError{Err: err}
	}
	x.db, err = store.Open(x.Run)
	if err != nil {
		return err
	}
	defer x.db.Close()
	x.sources = map[string]string{}
	x.also = map[string]bool{}
	x.units = map[string]string{}
	x.qualities = map[string]string{}
	if err := x.begin(); err != nil {
		return err
	}
	makes := map[string]func() ([]train.Example, error){trainKindSFT: x.answers, trainKindAnswers: x.answers, trainKindJudge: x.judgments,
		trainKindReward: x.rewards, trainKindStrum: x.stages}
	examples, err := makes[x.Kind]()
	if err != nil {
		return err
	}
	examples = train.WithTexts(examples, x.Kind != trainKindSFT && x.Kind != trainKindStrum)
	x.step("with texts", len(examples))
	ofPeople, err := x.examplesOfPeople()
	if err != nil {
		return err
	}
	examples = train.WithoutTexts(examples, slices.Concat(judges.ExampleTexts(), pairwise.ExampleTexts(), ofPeople))
	x.step("without examples that judges are shown", len(examples))
	within := train.Anywhere
	if x.Kind != trainKindSFT {
		within = train.Example.PromptText
	}
	examples, same, near := train.WithoutDuplicates(examples, within)
	x.step(fmt.Sprintf("without duplicates (%d with the same text, %d with nearly the same)", same, near), len(examples))
	switch x.Kind {
	case trainKindAnswers:
		examples = train.Most(examples, x.MostPairs, x.Seed)
		x.step(fmt.Sprintf("at most %d pairs per prompt", x.MostPairs), len(examples))
	case trainKindStrum:
		examples = x.mixed(examples)
		x.step("mixed", len(examples))
	}
	if len(examples) == 0 {
		return train.Refusal{Reason: "no data are left to train on: " + x.steps()}
	}
	if err := x.checkOverlap(examples); err != nil {
		return err
	}
	training, heldOut := train.Split(examples, x.HeldOut, x.Seed)
	if len(training) == 0 {
		return train.Refusal{Reason: "all questions are held out; lower --heldout or use another --seed"}
	}
	if x.Rationales != "" {
		training = x.ofQuality(training)
		heldOut = x.ofQuality(heldOut)
		if len(training) == 0 {
			return train.Refusal{Reason: "contrasts with rationales of high and of low quality are needed, for sets of one size: " + x.steps()}
		}
		x.step("rationales of "+x.Rationales+" quality, as many as of the other quality", len(training)+len(heldOut))
	}
	if x.Size > 0 {
		if len(training) < x.Size {
			return train.Refusal{Reason: fmt.Sprintf("--size is %d, but there are %d examples to train on", x.Size, len(training))}
		}
		training = train.Subset(training, x.Size, x.Seed, "size")
	}
	x.card.Describe(training, heldOut)
	for _, key := range slices.Sorted(maps.Keys(x.units)) {
		if slices.Contains(x.card.Splits.Questions, x.unit(key)) {
			x.card.Splits.Also = append(x.card.Splits.Also, key)
		}
	}
	if err := x.write(training, heldOut); err != nil {
		return err
	}
	fmt.Fprintln(out, x.steps())
	for _, line := range x.card.Summary() {
		fmt.Fprintln(out, line)
	}
	_, err = fmt.Fprintf(out, "%s describes it\n", filepath.Join(x.Out, train.CardText))
	return err
}

func (x *trainExport) step(what string, n int) {
	x.card.Steps = append(x.card.Steps, train.Step{Step: what, N: n})
}

func (x *trainExport) steps() string {
	return strings.Join(data.Each(x.card.Steps, func(s train.Step) string { return fmt.Sprintf("%s: %d", s.Step, s.N) }), "; ")
}

// begin reads the origin of the record and begins the card. A record that has only pairs has no rubric.
func (x *trainExport) begin() error {
	program, revision := cli.BuildVersion()
	made, found, err := x.db.LatestRun(store.PartAnswers)
	identity := ""
	if found {
		x.made = made.Provenance
		identity, err = x.db.Identity()
		if err == nil {
			r, failed := x.db.Rubric()
			x.card.Rubric = r.Name
			err = failed
		}
	}
	if err != nil {
		return err
	}
	x.card.MadeBy = strings.TrimSpace(program + " " + revision)
	x.card.Kind = x.Kind
	x.card.Format = x.Format
	x.card.Run = identity
	x.card.Dataset = x.made.Dataset
	x.card.RubricHash = x.made.RubricHash
	x.card.Prompts = map[string]string{}
	x.card.Files = map[string]string{}
	x.card.Overlap = map[string]int{}
	x.card.Splits.Seed = x.Seed
	x.card.Splits.Share = x.HeldOut
	x.card.Selection.By = x.By
	return nil
}

// examplesOfPeople returns the answers that judges were shown with people's score sheets (examples_from: people), in any recorded
// configuration.
func (x *trainExport) examplesOfPeople() ([]string, error) {
	configs, err := x.db.Configs()
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, text := range configs {
		var shown struct {
			Judges []struct {
				Sheets []judges.Example `json:"examples_of_people"`
			}
		}
		err := json.Unmarshal([]byte(text), &shown)
		if err != nil {
			return nil, fmt.Errorf("reading a recorded configuration: %w", err)
		}
		for _, j := range shown.Judges {
			texts = append(texts, data.Each(j.Sheets, func(e judges.Example) string { return e.Answer })...)
		}
	}
	return texts, nil
}

// checkOverlap compares the examples' questions with evaluation sets: cqa50, published benchmarks, and --testset. An overlap is an error,
// unless --train-on-benchmark allows benchmarks. The card then names the benchmarks.
func (x *trainExport) checkOverlap(examples []train.Example) error {
	sets := append([]train.TestSet{{Name: data.CQA50Name, Keys: train.KeysOf(data.CQA50()), Benchmark: true}}, x.sets...)
	for _, path := range x.TestSets {
		set, err := readTestSet(path)
		if err != nil {
			return config.UsageError{Err: err}
		}
		sets = append(sets, set)
	}
	asked, err := x.db.Questions()
	if err != nil {
		return err
	}
	for _, set := range sets {
		for _, key := range slices.Collect(maps.Keys(set.Keys)) {
			set.Keys[x.unit(key)] = true
		}
		for _, q := range asked { // a set without objects has only the question's text as key
			if set.Keys[data.QuestionCluster(q.Text)] {
				set.Keys[x.unit(q.Pair())] = true
			}
		}
	}
	err = train.CheckOverlap(examples, sets, x.OnBenchmark)
	x.card.Benchmarks = []string{}
	x.card.TrainedOn = "export of " + cmp.Or(x.card.Run, x.Run)
	for _, set := range sets {
		x.card.Overlap[set.Name] = len(set.Overlaps)
		if len(set.Overlaps) > 0 {
			x.card.Benchmarks = append(x.card.Benchmarks, set.Name)
		}
	}
	if len(x.card.Benchmarks) > 0 {
		x.card.TrainedOn = strings.Join(x.card.Benchmarks, ", ")
	}
	return err
}

// readTestSet reads the questions of a set of pairs in any format, or of a file of questions.
func readTestSet(path string) (train.TestSet, error) {
	set := train.TestSet{Name: path, Keys: map[string]bool{}}
	if pairs, err := sources.ReadPairs(path, "", sources.Options{}); err == nil {
		for _, p := range pairs.Pairs {
			set.Keys[questionKey(p)] = true
			set.Keys[data.QuestionCluster(p.Question)] = true
		}
		return set, nil
	}
	questions, err := data.ReadQuestions(path)
	if err != nil {
		return set, fmt.Errorf("%w (--testset must be a file of questions or of pairs)", err)
	}
	set.Keys = train.KeysOf(questions)
	return set, nil
}

// unite records that the key of a pair's question and the key of its text are the same question. Without this, objects or clusters given in
// a file could give one question two keys.
func (x *trainExport) unite(p data.Pair) {
	if question, text := x.unit(questionKey(p)), x.unit(data.QuestionCluster(p.Question)); question != text {
		x.units[text] = question
	}
}

// unit returns the key that represents all keys of a question.
func (x *trainExport) unit(key string) string {
	for x.units[key] != "" {
		key = x.units[key]
	}
	return key
}

// questionKey returns the key by which questions are split: the question's objects in either order, or the pair's cluster if the question
// compares no objects.
func questionKey(p data.Pair) string {
	if q, comparative := p.Comparative(); comparative {
		return q.Pair()
	}
	return p.Cluster
}

// write writes the training and held-out examples, for judges and reward models also the held-out pairs, and the card.
func (x *trainExport) write(training, heldOut []train.Example) error {
	files := map[string]func(io.Writer) error{}
	add := func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		x.card.Files[name] = fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
		files[name] = table.Text(b.String())
		return nil
	}
	err := errors.Join(
		add(train.TrainName, func(w io.Writer) error { return train.Write(w, x.Format, training) }),
		add(train.HeldOutName, func(w io.Writer) error { return train.Write(w, x.Format, heldOut) }))
	if x.Kind == trainKindJudge || x.Kind == trainKindReward {
		err = errors.Join(err, add(train.PairsName, x.writeHeldOutPairs))
	}
	x.card.Licences = map[string]string{}
	for source := range x.card.Counts.Source {
		x.also[source] = true
	}
	for source := range x.also {
		x.card.Licences[source] = cmp.Or(x.sources[source], "unknown")
	}
	card, encoding := json.MarshalIndent(x.card, "", "  ")
	if err := errors.Join(err, encoding); err != nil {
		return err
	}
	files[train.CardName], files[train.CardText] = table.Text(string(card)+"\n"), table.Text(x.card.Markdown())
	return store.InFolder(x.Out, store.Output{Command: "train export"}, func(dir string) error { return table.WriteFiles(dir, files) })
}
