package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
)

// MostAspects is the number of aspects that a pair is compared on: five, as in SC2.
const MostAspects = 5

// longestAspect is the maximum number of words of an aspect; a longer list item is a sentence.
const longestAspect = 8

var aspectItem = regexp.MustCompile(`^(?:[-*•+]|\d+[.):])\s*(.+)$`)

// readAspects reads the list of aspects after the last line "Aspects:" of a reply, or all list items without such a line. The name of
// an aspect ends at a colon or dash.
func readAspects(reply string) []string {
	if i := strings.LastIndex(strings.ToLower(reply), "aspects:"); i >= 0 {
		reply = reply[i+len("aspects:"):]
	}
	var list []string
	for line := range strings.Lines(reply) {
		m := aspectItem.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		name, _, _ := strings.Cut(strings.NewReplacer(" – ", ":", " — ", ":", " - ", ":").Replace(m[1]), ":")
		name = strings.Join(strings.Fields(strings.Trim(name, " .,;*_`\"'")), " ")
		if n := len(strings.Fields(name)); n == 0 || n > longestAspect {
			continue
		}
		if !slices.ContainsFunc(list, func(a string) bool { return sameAspect(a, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// sameAspect compares names by their words, regardless of order and plural s.
func sameAspect(a, b string) bool { return lexical.NameKey(a) == lexical.NameKey(b) }

// A tallied is an aspect and the number of samples that name it.
type tallied struct {
	name  string
	count int
}

// tallyAspects counts for each aspect how many lists name it. The most frequent aspect comes first; equally frequent ones keep the order of
// appearance.
func tallyAspects(lists [][]string) []tallied {
	index := map[string]int{}
	var all []tallied
	for _, list := range lists {
		for _, name := range list {
			key := lexical.NameKey(name)
			i, known := index[key]
			if !known {
				i = len(all)
				index[key] = i
				all = append(all, tallied{name: name})
			}
			all[i].count++
		}
	}
	slices.SortStableFunc(all, func(a, b tallied) int { return cmp.Compare(b.count, a.count) })
	return all
}

// aspects returns the aspects to compare a pair on: those of the options, if there are any. Else it asks a model for lists several times,
// and returns the aspects that most lists name: self-consistency (Wang et al. 2023) over lists.
func (j *judge) aspects(ctx context.Context, s OrderedPair, ask Ask) ([]string, *Opinion) {
	if !j.online() {
		return j.o.Aspects, nil
	}
	p := prompt{shownPair: s.pair(letters), Limit: MostAspects}
	req := j.request(RoleAspects, render("sc2/aspects.tmpl", p), sampling)
	wanted := instructions("sc2/aspects.tmpl", p)
	var lists [][]string
	_, fault := samples(ctx, ask, repeated{RoleAspects, req, j.o.AspectSamples, "lists of aspects"}, func(_ int, reply string) string {
		list := readAspects(reply)
		if len(list) == 0 {
			return "no list of aspects in the reply"
		}
		list = slices.DeleteFunc(list, wanted.Repeats)
		if len(list) == 0 {
			return "the aspects in the reply repeat the prompt"
		}
		lists = append(lists, list)
		return ""
	})
	if fault != nil {
		return nil, fault
	}
	all := tallyAspects(lists)
	return data.Each(all[:min(MostAspects, len(all))], func(a tallied) string { return a.name }), nil
}

// ExtractAspects returns SC2's offline aspects: five for a whole corpus. It asks for the aspects of every answer; one more call
// consolidates the most frequent ones to five. Replies without a list are ignored. It returns an error if a call fails, or if the last
// reply names fewer than five aspects. Up to atOnce calls of ask run concurrently.
func ExtractAspects(ctx context.Context, m Model, corpus []OrderedPair, atOnce int, ask Ask) ([]string, error) {
	lists := make([][]string, 2*len(corpus))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, p := range corpus {
		for k, text := range []string{p.First, p.Second} {
			group.Go(func() error {
				list, err := m.aspectsOf(ctx, p, text, ask)
				if err != nil {
					return fmt.Errorf("aspects of an answer of pair %s: %w", p.ID, err)
				}
				lists[2*i+k] = list
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := tallyAspects(lists)
	if all == nil {
		return nil, fmt.Errorf("none of %d replies names an aspect", len(lists))
	}
	p := prompt{Limit: MostAspects, Counted: data.Each(all[:min(mostCounted, len(all))], func(a tallied) string {
		return fmt.Sprintf("%s (%d)", a.name, a.count)
	})}
	p.Mark = structured.Mark(p.Counted...)
	messages := render("sc2/consolidate.tmpl", p)
	reply, err := ask(ctx, RoleAspects, 1, m.request(messages, deciding))
	if err != nil {
		return nil, fmt.Errorf("consolidating the aspects: %w", err)
	}
	names := slices.DeleteFunc(readAspects(reply.Text), instructions("sc2/consolidate.tmpl", p).Repeats)
	if len(names) < MostAspects {
		return nil, fmt.Errorf("consolidating the aspects: the reply names %d, not %d", len(names), MostAspects)
	}
	return names[:MostAspects], nil
}

// aspectsOf asks for the aspects on which one answer could be compared.
func (m Model) aspectsOf(ctx context.Context, s OrderedPair, text string, ask Ask) ([]string, error) {
	p := prompt{shownPair: OrderedPair{Question: s.Question, First: text, task: s.task}.pair(letters), Limit: MostAspects}
	reply, err := ask(ctx, RoleAspects, 1, m.request(render("sc2/extract.tmpl", p), deciding))
	return slices.DeleteFunc(readAspects(reply.Text), instructions("sc2/extract.tmpl", p).Repeats), err
}

// mostCounted is the maximum number of aspects that are consolidated: the most frequent ones.
const mostCounted = 150

// ExtractCalls returns the number of calls that ExtractAspects makes for a corpus.
func ExtractCalls(pairs int) int { return 2*pairs + 1 }
