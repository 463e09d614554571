package project

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// MostAttention are the most attention items of a person: more would be a study of its own.
const MostAttention = 6

// leastMissed is the probability with which somebody who chooses at random has to miss an attention item that asks for a choice.
const leastMissed = .95

// WordMissed is the probability with which somebody who does not look misses an attention item that asks for a word.
const WordMissed = .98

// AttentionItems returns the attention items of a study: copies of items that say at their end what to choose on all criteria or, where a
// choice is easily met by chance, which word to write. Sides are the same for everybody.
func (p *Project) AttentionItems(hosts []Item) (items []Item) {
	words := strings.Split(p.Say("attention_words"), ", ")
	for i := range min(p.Attention, MostAttention) {
		host := hosts[i*len(hosts)/p.Attention]
		it := Item{Kind: FormOf(host.Kind).OneSide, Source: fmt.Sprint("compqa-attention-", i+1), Role: Attention, Content: host.Content}
		it.Cluster = it.Source
		it.Content.Attachments = nil
		it.Content.Systems = nil
		instruction := ""
		if value, chance := p.choiceForAll(it, i); chance >= leastMissed {
			it.Expected = &Sheet{Values: map[string]string{}}
			for _, f := range p.Fields(it) {
				if f.Type != Several {
					it.Expected.Values[f.ID] = value
				}
			}
			instruction = p.Say("attention_choose", "value", Half(value))
		} else {
			it.Expected = &Sheet{Reason: words[i%len(words)]}
			instruction = p.Say("attention_word", "word", it.Expected.Reason)
		}
		text := &it.Content.A
		if FormOf(it.Kind).Rows {
			text = &it.Content.Question
		}
		*text = strings.TrimSpace(*text + "\n\n" + instruction)
		items = append(items, it)
	}
	return items
}

// choiceForAll is an option that all fields have, but the first and the last one, and how probably somebody who chooses at random misses
// it on one field at least; 0: no option does.
func (p *Project) choiceForAll(it Item, number int) (value string, missed float64) {
	if it.Content.B != "" {
		return "", 0 // a choice between two answers is easily met
	}
	var common []string
	met := 1.0
	fields := data.Where(p.Fields(it), func(f Field) bool { return f.Type != Several })
	for i, f := range fields {
		if f.Type != Buttons || len(f.Options) < 3 {
			return "", 0
		}
		met /= float64(len(f.Options))
		var inner []string
		for _, o := range f.Options[1 : len(f.Options)-1] {
			inner = append(inner, o.Value)
		}
		if i == 0 {
			common = inner
		}
		common = slices.DeleteFunc(common, func(value string) bool { return !slices.Contains(inner, value) })
	}
	if len(common) == 0 {
		return "", 0
	}
	return common[number%len(common)], 1 - met
}

// AttentionChance returns the probability with which somebody who does not look misses an attention item.
func (p *Project) AttentionChance(it Item) float64 {
	if it.Expected.Reason != "" {
		return WordMissed
	}
	_, missed := p.choiceForAll(it, 0)
	return missed
}

// Missed reports whether a sheet, in the order ab, is not what an attention item asks for.
func (it Item) Missed(s Sheet) bool {
	for id, value := range it.Expected.Values {
		if s.Values[id] != value {
			return true
		}
	}
	return !strings.Contains(strings.ToLower(s.Reason), it.Expected.Reason)
}

// StopsAt returns the number of missed attention items at which a person's part ends; 0: never. Of two or three, honest people miss two in
// .2 to 1.8 % of all cases.
func (c Checks) StopsAt() int {
	switch {
	case c.Attention < 2:
		return 0
	case c.Attention <= 3:
		return 2
	}
	return 3
}

// stop ends a person's part if enough attention items are missed.
func (p *Project) stop(tx *sql.Tx, annotator int64) error {
	limit := p.StopsAt()
	sheets, err := store.Select[Work](p.s, fmt.Sprintf(workOf, `a.annotator = ? AND a.kind = 'attention' AND a.state = 'submit'`),
		annotator)
	if err != nil {
		return err
	}
	missed := 1 // the one that is not committed yet
	for _, w := range sheets {
		if p.Item(w.Item).Missed(w.Last.Sheet.In(w.Shown)) {
			missed++
		}
	}
	if limit > 0 && missed >= limit {
		_, err = tx.Exec(`UPDATE annotators SET stopped = ? WHERE id = ?`, utc(p.Now()), annotator)
	}
	return err
}
