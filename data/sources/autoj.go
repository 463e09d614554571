package sources

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"compqa/data"
)

// autoJGroups are auto-j's groups of scenarios (Li et al. 2024, as in the project's constants),
// which become the domains of its pairs.
var autoJGroups = map[string]string{
	"Summarization":         "post_summarization text_summarization note_summarization",
	"Exam Questions":        "math_reasoning solving_exam_question_with_math solving_exam_question_without_math",
	"Code":                  "code_simplification code_generation explaining_code code_correction_rewriting code_to_code_translation",
	"Rewriting":             "text_simplification language_polishing instructional_rewriting text_correction paraphrasing",
	"Creative Writing":      "writing_song_lyrics writing_social_media_post writing_blog_post writing_personal_essay creative_writing writing_advertisement writing_marketing_materials writing_presentation_script counterfactual",
	"Functional Writing":    "writing_product_description writing_job_application writing_news_article writing_biography writing_email writing_legal_document writing_technical_document writing_scientific_paper functional_writing writing_cooking_recipe",
	"General Communication": "asking_how_to_question open_question analyzing_general explaining_general seeking_advice recommendation value_judgement verifying_fact chitchat roleplay planning brainstorming",
	"NLP Tasks":             "ranking text_to_text_translation data_analysis classification_identification title_generation question_generation reading_comprehension keywords_extraction information_extraction topic_modeling others",
}

// autoJChoices are the labels of pairs and outputs.
var autoJChoices = map[int]data.Choice{0: data.ChoiceA, 1: data.ChoiceB, 2: data.ChoiceTie}

// ReadAutoJ reads auto-j's pairs (Li et al. 2024) from a checkout, and the outputs of judges that
// are there: data/test/testdata_pairwise.jsonl with its labels, data/outputs/pairwise_NAME.jsonl
// with an output (0, 1 or 2 for a tie) a pair, and data/outputs/pairwise_exchange_NAME.jsonl for
// the other order, in which 0 is the answer shown first, the pair's b. A pair's place is its id.
func ReadAutoJ(folder string) (data.PreferenceSet, error) {
	set := data.PreferenceSet{Name: "auto-j", Source: "auto-j"}
	test := filepath.Join(folder, "data", "test", "testdata_pairwise.jsonl")
	outputs := filepath.Join(folder, "data", "outputs")
	if !exists(test) { // the files alone
		test, outputs = filepath.Join(folder, "testdata_pairwise.jsonl"), folder
	}
	groupOf := map[string]string{}
	for group, scenarios := range autoJGroups {
		for _, s := range strings.Fields(scenarios) {
			groupOf[s] = group
		}
	}
	type row struct {
		Scenario, Prompt string
		Label            *int
		A                *string `json:"response 1"`
		B                *string `json:"response 2"`
	}
	err := eachRecord(test, func(_ string, r row) error {
		label, ok := data.NoChoice, false
		if r.Label != nil {
			label, ok = autoJChoices[*r.Label]
		}
		switch {
		case !ok:
			return fmt.Errorf("label is %v; it must be 0, 1 or 2", deref(r.Label))
		case r.Prompt == "" || r.A == nil || r.B == nil:
			return fmt.Errorf(`prompt, "response 1" or "response 2" is missing`)
		}
		p := data.Pair{ID: fmt.Sprint("auto-j-", len(set.Pairs)+1), Question: r.Prompt, A: *r.A, B: *r.B, Label: label, Domain: groupOf[r.Scenario]}
		if p.Domain == "" {
			p.Domain = r.Scenario
		}
		p.Cluster = data.QuestionCluster(p.Question)
		set.Pairs = append(set.Pairs, p)
		return nil
	})
	if err != nil {
		return set, err
	}
	files, err := filepath.Glob(filepath.Join(outputs, "pairwise_*.jsonl"))
	if err != nil {
		return set, err
	}
	for _, path := range files {
		if err := autoJOutputs(path, &set); err != nil {
			return set, err
		}
	}
	return set, nil
}

// autoJOutputs reads the outputs of a judge in one order.
func autoJOutputs(path string, set *data.PreferenceSet) error {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "pairwise_"), ".jsonl")
	name, exchanged := strings.CutPrefix(name, "exchange_")
	order := data.OrderAB
	if exchanged {
		order = data.OrderBA
	}
	name = strings.TrimSuffix(name, "_output")
	if name == "example" {
		name = "auto-j" // whose outputs the example is
	}
	at := 0
	err := eachRecord(path, func(_ string, r struct{ Output json.RawMessage }) error {
		if at++; at > len(set.Pairs) {
			return fmt.Errorf("there are %d pairs, but more outputs", len(set.Pairs))
		}
		p := data.Preference{ID: set.Pairs[at-1].ID, Judge: name, Method: "auto-j", Order: order, Status: data.Unparsed}
		output := -1
		json.Unmarshal(r.Output, &output) // what is no number is no output
		if choice, ok := autoJChoices[output]; ok {
			if exchanged {
				choice = choice.Swapped()
			}
			p.Status, p.Choice = data.Valid, string(choice)
		} else {
			p.Reason = fmt.Sprintf("the published output is %s", data.Clip(string(r.Output)))
		}
		set.Given = append(set.Given, p)
		return nil
	})
	if err == nil && at < len(set.Pairs) {
		err = fmt.Errorf("%s has %d outputs; there are %d pairs", path, at, len(set.Pairs))
	}
	return err
}
