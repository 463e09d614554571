package project

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// MostAttention is the maximum number of attention items of a person.
const MostAttention = 6

// leastMissed is the minimum probability with which random choices must miss an attention item that asks for choices.
const leastMissed = .95

// WordMissed is the probability that somebody who does not read misses an attention item that asks for a word.
const WordMissed = .98

// AttentionItems returns the attention items of a study: copies of items with an instruction at the end of the text. It says what to
// choose on all criteria or, where random choices could meet that, which word to write. Their sides are in the same order for everybody.
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

// choiceForAll returns an option that all fields have, but not as their first or last. missed is the probability that random choices miss
// it on at least one field, or 0 without such an option. number selects one of several options.
func (p *Project) choiceForAll(it Item, number int) (value string, missed float64) {
	if it.Content.B != "" {
		return "", 0 // one choice between two answers is often met by chance
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

// AttentionChance returns the probability that somebody who does not read misses an attention item.
func (p *Project) AttentionChance(it Item) float64 {
	if it.Expected.Reason != "" {
		return WordMissed
	}
	_, missed := p.choiceForAll(it, 0)
	return missed
}

// Missed reports whether a sheet, in order ab, does not follow the instruction of an attention item.
func (it Item) Missed(s Sheet) bool {
	for id, value := range it.Expected.Values {
		if s.Values[id] != value {
			return true
		}
	}
	return !strings.Contains(strings.ToLower(s.Reason), it.Expected.Reason)
}

// StopsAt returns the number of missed attention items at which a person is stopped; 0: never. With two or three attention items, .2 to
// 1.8 % of honest people miss two.
func (c Checks) StopsAt() int {
	switch {
	case c.Attention < 2:
		return 0
	case c.Attention <= 3:
		return 2
	}
	return 3
}

// stop stops a person who has now missed too many attention items.
func (p *Project) stop(tx *sql.Tx, annotator int64) error {
	limit := p.StopsAt()
	sheets, err := store.Select[Work](p.s, fmt.Sprintf(workOf, `a.annotator = ? AND a.kind = 'attention' AND a.state = 'submit'`),
		annotator)
	if err != nil {
		return err
	}
	missed := 1 // the present one, which is not committed yet
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
