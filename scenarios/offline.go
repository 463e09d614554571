package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/scenarios/strum"
)

// An Offline is a system that answers from the question's data, without a model or a network, and always with the same text. It is a
// baseline: it shows what points a judge gives for form alone. It does not read the prompt. It uses the question's arguments or reference
// in every scenario, even if the prompt does not show them.
type Offline struct {
	Name    string
	Version int // increased when its answers change, because it is part of their identity
	Does    string
	Tables  bool // its answers are rendered from tables; it can take sources from a file
	English bool // it reads and writes English, and skips texts in other languages
	answer  func(q data.Question, sources []data.Source, s Scenario) data.Answer
}

// Answer answers a question. Without an answer, the status and the reason say why. sources is nil, unless the configuration names a
// file of sources.
func (o Offline) Answer(q data.Question, sources []data.Source, s Scenario) data.Answer {
	if reason := o.UnreadableReason(q, sources); reason != "" {
		return data.Answer{Status: data.Skipped, Reason: reason}
	}
	return o.answer(q, sources, s)
}

// UnreadableReason returns why the system cannot read the question's arguments, or the sources if there are any. It returns "" if it can.
func (o Offline) UnreadableReason(q data.Question, sources []data.Source) string {
	if !o.English {
		return ""
	}
	texts := data.Each(q.Arguments, func(a data.Argument) string { return a.Text })
	if sources != nil {
		texts = data.Each(sources, func(s data.Source) string { return s.Text })
	}
	return lexical.NotEnglish(q, strings.Join(texts, "\n"))
}

// Offlines lists the offline systems.
var Offlines = []Offline{
	{"extractive", 1, "lists the question's arguments unchanged, without introduction or choice", false, false, texts(extractive)},
	{"template", 1, "groups the question's arguments by aspect in the scenario's structure and chooses by majority; English only", false, true,
		texts(fromTemplate)},
	{"reference", 1, "gives the reference answer written for the built-in question", false, false, texts(reference)},
	{"strum", strum.Version, "makes a contrastive table with citations from the question's arguments or from sources; English only",
		true, true,
		contrastive(false)},
	{"strum+choice", strum.Version, "like strum, and chooses by the majority of the contrasting rows: on 27 of 50 built-in questions as " +
		"the references do; English only", true, true,
		contrastive(true)},
}

// texts adapts a function that returns a text without a table. If the text is "", the answer is skipped for the reason.
func texts(answer func(data.Question, Scenario) (text, reason string)) func(data.Question, []data.Source, Scenario) data.Answer {
	return func(q data.Question, _ []data.Source, s Scenario) data.Answer {
		text, reason := answer(q, s)
		if text == "" {
			return data.Answer{Status: data.Skipped, Reason: reason}
		}
		return data.Answer{Status: data.Valid, Text: text}
	}
}

// contrastive returns a function that answers with a contrastive table as text. choice says whether the answer ends with a choice.
func contrastive(choice bool) func(data.Question, []data.Source, Scenario) data.Answer {
	return func(q data.Question, sources []data.Source, _ Scenario) data.Answer {
		if sources == nil {
			sources = strum.SourcesOf(q)
		}
		if len(sources) == 0 {
			return data.Answer{Status: data.Skipped, Reason: noArguments}
		}
		return strum.Answer(q, strum.Offline(q, sources), sources, choice)
	}
}

// OfflineNamed returns the offline system with this name.
func OfflineNamed(name string) (Offline, bool) {
	return data.First(Offlines, func(o Offline) bool { return o.Name == name })
}

const noArguments = "the question has no arguments"

// extractive lists the question's arguments.
func extractive(q data.Question, _ Scenario) (string, string) {
	if len(q.Arguments) == 0 {
		return "", noArguments
	}
	return strings.Join(data.Each(q.Arguments, func(a data.Argument) string { return "- " + a.Text }), "\n"), ""
}

// reference returns the reference answer to a built-in question.
func reference(q data.Question, _ Scenario) (string, string) {
	text, ok := data.References()[q.Pair()]
	if !ok {
		return "", "no reference answer was written for this question"
	}
	return text, ""
}

// A group is the numbers of the arguments on one aspect, from 0, in their order.
type group struct {
	aspect  string
	numbers []int
}

// fromTemplate fills in the structure that scenarios 3 and 4 ask for, with citations if the scenario shows arguments. Scenarios 1 and 2 ask
// for no structure; for them the same arguments become running text.
func fromTemplate(q data.Question, s Scenario) (string, string) {
	if len(q.Arguments) == 0 {
		return "", noArguments
	}
	groups := byAspect(q.Arguments)
	if s.ID == "1" || s.ID == "2" {
		return runningText(q, groups), ""
	}
	return structured(q, groups, s.NeedsArguments), ""
}

// byAspect groups arguments by aspect. The aspect with the most arguments comes first, as an approximation of "general aspects first".
func byAspect(arguments []data.Argument) []group {
	var groups []group
	for i, a := range arguments {
		aspect := cmp.Or(a.Aspect, "in general")
		index := slices.IndexFunc(groups, func(g group) bool { return g.aspect == aspect })
		if index < 0 {
			groups = append(groups, group{aspect: aspect})
			index = len(groups) - 1
		}
		groups[index].numbers = append(groups[index].numbers, i)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return len(b.numbers) - len(a.numbers) })
	return groups
}

// runningText returns a paragraph for each aspect, after one that names the aspects.
func runningText(q data.Question, groups []group) string {
	paragraphs := []string{fmt.Sprintf("%s and %s can be compared on %s.", q.Object1, q.Object2, data.List(aspects(groups)))}
	for _, g := range groups {
		paragraphs = append(paragraphs, strings.Join(data.Each(g.numbers, func(n int) string { return q.Arguments[n].Text }), " "))
	}
	return strings.Join(paragraphs, "\n\n")
}

// structured returns a summary, a list of aspects with their arguments, a choice by majority, and with cite the list of arguments.
func structured(q data.Question, groups []group, cite bool) string {
	favouring := func(o data.Favours) int {
		return len(data.Where(q.Arguments, func(a data.Argument) bool { return a.Favours == o }))
	}
	for1 := favouring(data.Object1)
	for2 := favouring(data.Object2)
	choice := data.Greater(for1, for2).Named(q.Object1, q.Object2, "Neither")
	var b strings.Builder
	fmt.Fprintf(&b, "**Summary**\n%s and %s are compared on %s. Of %d arguments, %d speak for %s and %d for %s.\n\n**Main aspects**\n",
		q.Object1, q.Object2, data.List(aspects(groups)), len(q.Arguments), for1, q.Object1, for2, q.Object2)
	for _, g := range groups {
		fmt.Fprintf(&b, "- **%s**:", data.Capital(g.aspect))
		for _, n := range g.numbers {
			b.WriteString(" " + q.Arguments[n].Text)
			if cite {
				fmt.Fprintf(&b, " [%d]", n+1)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n**Best option**: %s\n", choice)
	if cite {
		fmt.Fprintf(&b, "\n**Arguments used**\n%s\n", numbered(q.Arguments))
	}
	return strings.TrimSpace(b.String())
}

func aspects(groups []group) []string {
	return data.Each(groups, func(g group) string { return g.aspect })
}
