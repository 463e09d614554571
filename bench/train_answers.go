package bench

import (
	"encoding/json"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/train"
	"compqa/scenarios"
)

// answers returns training examples with their prompts: good answers for --kind sft, or pairs of a better and a worse answer for
// dpo-answers. The judge --by selects them. For pairs, a second judge must agree.
func (x *trainExport) answers() ([]train.Example, error) {
	opinion, err := x.opinionOf(x.By, x.Kind == trainKindAnswers)
	if err != nil {
		return nil, err
	}
	answers, err := train.ReadAnswers(x.db, x.By)
	if err != nil {
		return nil, err
	}
	x.card.Selection.Statuses = answers.Statuses
	x.step("valid answers", len(answers.List))
	var examples []train.Example
	var precision train.Precision
	if x.Kind == trainKindSFT {
		x.card.Selection.Min = x.Min
		examples, precision = answers.Good(x.Min)
	} else {
		x.card.Selection.Margin = x.Margin
		if err := x.second(answers); err != nil {
			return nil, err
		}
		examples, precision = answers.Pairs(opinion, x.Margin)
	}
	if x.By != data.Human {
		x.card.Selection.Precision = &precision
	}
	x.step("selected by "+x.By+x.card.Selection.Criteria(), len(examples))
	return x.withPrompts(answers, examples)
}

// second chooses the judge that must agree on pairs of answers: the one that --second names, or else the first other judge that gives
// points and is neither a floor nor a person. If people select the pairs, no second judge is needed.
func (x *trainExport) second(answers *train.Answers) error {
	name := x.Second
	if name == "" && x.By != data.Human {
		judges, err := x.db.JudgesWithPoints()
		if err != nil {
			return err
		}
		others := data.Where(judges, func(judge string) bool { return judge != x.By })
		if len(others) == 0 {
			return train.Refusal{Reason: "the record has no second judge to compare with " + x.By + "; name one with --second, or use --second none"}
		}
		name = others[0]
	}
	if name == "" || name == "none" {
		return nil
	}
	opinion, err := x.opinionOf(name, true)
	x.card.Selection.Second = name
	answers.Second = opinion
	return err
}

// opinionOf returns the opinion of a judge: its points if it gives any, or else its preferences. paired says that answers are compared, so
// that judges without points are accepted.
func (x *trainExport) opinionOf(judge string, paired bool) (train.Opinion, error) {
	points, err := train.Points(x.db, judge)
	if err != nil || len(points) > 0 {
		return train.ByPoints(points), err
	}
	names, err := x.db.JudgesWithResults(paired)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, judge) {
		return nil, train.Refusal{Reason: fmt.Sprintf("%s has no valid verdict of a judge %q%s", x.Run, judge,
			data.Suggest(judge, "judges", names))}
	}
	return train.ByPreference(x.db, judge)
}

// withPrompts adds to each example the prompt of its chosen answer: the recorded prompt, or the rendered template. It leaves out an
// imported answer to a template with arguments, because it is unknown which arguments the model saw.
func (x *trainExport) withPrompts(graded *train.Answers, examples []train.Example) ([]train.Example, error) {
	var declared struct {
		AspectInPrompt bool `json:"aspect_in_prompt"`
		Judges         []dataset.DeclarationOfAJudge
	}
	if err := json.Unmarshal([]byte(x.made.Config), &declared); err != nil {
		return nil, err
	}
	x.withAspect = declared.AspectInPrompt
	x.scenarios = map[string]scenarios.Scenario{}
	for _, j := range declared.Judges {
		if selects := j.Name == x.By || j.Name == x.card.Selection.Second; selects && j.TrainedOn != "" {
			x.card.Selection.Fitted = append(x.card.Selection.Fitted, j.Name)
		}
	}
	for id, text := range x.made.TemplateTexts() {
		sc, err := scenarios.Parse(id, text)
		if err != nil {
			return nil, err
		}
		x.scenarios[id] = sc
		x.card.Prompts[id] = sc.Hash
	}
	questions, err := x.db.Questions()
	if err != nil {
		return nil, err
	}
	x.questions = data.By(questions, func(q data.Question) string { return q.ID })
	systems, err := x.systemSources()
	if err != nil {
		return nil, err
	}
	answers := data.By(graded.List, func(a store.SourcedAnswer) string { return a.ID })
	var complete []train.Example
	for _, e := range examples {
		chosen, rejected := e.AnswerIDs()
		a := answers[chosen]
		e.Prompt, err = x.prompt(a)
		if err != nil {
			return nil, fmt.Errorf("the prompt of %s: %w", a.ID, err)
		}
		if e.Prompt == nil {
			continue
		}
		sourceOf := func(a store.SourcedAnswer) string {
			if a.Origin != "" {
				return a.Origin
			}
			return systems[a.System]
		}
		e.Source = sourceOf(a)
		if other, paired := answers[rejected]; paired {
			x.also[sourceOf(other)] = true
		}
		complete = append(complete, e)
	}
	x.step("with a known prompt", len(complete))
	return complete, nil
}

// prompt returns the prompt of an answer, or nil if it is unknown. It tries in order: the recorded request of the answer's only call, the
// question's text without a template, and the rendered template.
func (x *trainExport) prompt(a store.SourcedAnswer) ([]data.ChatMessage, error) {
	if len(a.Calls) == 1 {
		asked, err := x.asked(a.Calls[0])
		return asked.Messages, err
	}
	q, known := x.questions[a.Question]
	imported := a.Origin != ""
	if !known || imported {
		q = data.QuestionOf(a.Answer)
	}
	sc, known := x.scenarios[a.Scenario]
	if !known {
		return []data.ChatMessage{{Role: "user", Content: q.Text}}, nil
	}
	if imported && sc.NeedsArguments {
		return nil, nil
	}
	prompt, err := sc.Render(q, x.withAspect)
	if err != nil {
		return nil, err
	}
	var messages []data.ChatMessage
	if prompt.System != "" {
		messages = append(messages, data.ChatMessage{Role: "system", Content: prompt.System})
	}
	return append(messages, data.ChatMessage{Role: "user", Content: prompt.User}), nil
}

// A recordedRequest has the messages and the name of the reply's schema of a recorded call.
type recordedRequest struct {
	Messages []data.ChatMessage `json:"messages"`
	Schema   string             `json:"schema_name"`
}

func (x *trainExport) asked(call string) (r recordedRequest, err error) {
	text, err := x.db.CallRequest(call)
	if err == nil {
		err = json.Unmarshal([]byte(text), &r)
	}
	return r, err
}

// systemSources maps the name of each system to the source of its answers. It also notes the licence of each source in x.sources.
func (x *trainExport) systemSources() (map[string]string, error) {
	systems, err := x.db.Parties(store.RoleSystem)
	if err != nil {
		return nil, err
	}
	x.sources["release"] = "not stated: ask the authors of the release"
	sources := map[string]string{}
	for _, s := range systems {
		switch s.Kind {
		case config.KindModel:
			sources[s.Name] = s.About
			x.sources[s.About] = "the terms of the model and of its provider"
		case config.ProviderBaseline:
			sources[s.Name] = "compqa " + s.Name
			x.sources["compqa "+s.Name] = "the licence of compqa and of the questions"
		default:
			sources[s.Name] = s.Name
		}
	}
	return sources, nil
}
