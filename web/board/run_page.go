package board

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// A liveView has the values of one part of the page of a running run.
type liveView struct {
	Progress
	Part   string            // which part: the calls, invalid results, or "" for the progress
	Values map[string]string // texts by their place on the page
	Status string
	Shown  [2][]PartyProgress // parties to look at, and all others
	target func(table.Target) string
}

// Items returns the address of the list of a system's answers, or of the answers that a judge scored, with a status.
func (l *liveView) Items(kind, name string, status data.Status) string {
	if status == data.Skipped || status == data.Pending {
		return "" // such results are not recorded
	}
	by := "judge"
	if kind == store.KindAnswer {
		by = "system"
	}
	return l.target(*table.ToCounted(by, name, "status", string(status)))
}

// live returns the page "how far is the run, how long does it take, what does it cost, and what failed?".
func (v *view) live(string) (page, error) {
	now, _ := v.Live.Now()
	values, status := now.Texts()
	live := func(section table.Section) part {
		view := &liveView{Progress: now, Part: section.ID, Values: values, Status: status, target: v.target}
		for _, party := range now.Parties {
			group := int(dataset.Indicator(!party.Model && party.Invalid == 0 && party.Done >= party.Planned))
			view.Shown[group] = append(view.Shown[group], party)
		}
		if view.Shown[0] == nil {
			slices.Reverse(view.Shown[:])
		}
		return part{Shown: &table.Shown{Section: &section, Level: 2}, Live: view}
	}
	p := page{Title: values["title"], Live: "/events", Sections: []part{live(table.Section{})}}
	if v.s != nil && v.s.report != nil {
		p.Figures = v.s.number
		if s := v.s.report.SoFar(); !s.Empty() && (now.Done < now.Planned || now.Parties == nil) {
			s.Pane = table.Left
			p.Sections = append(p.Sections, part{Shown: v.titled(&s)})
		}
	}
	beside := table.Whole
	if len(p.Sections) > 1 {
		beside = table.Right
	}
	if now.Calls.Counts != nil {
		p.Sections = append(p.Sections, live(table.Section{ID: "calls", Title: "Calls", Pane: beside}))
	}
	if now.Reasons != nil {
		p.Sections = append(p.Sections, live(table.Section{ID: "not-valid", Title: "Results that are not valid", Pane: beside}))
	}
	return p, nil
}

// Texts returns the progress as texts, by their places on the page, and as one sentence.
func (p Progress) Texts() (values map[string]string, status string) {
	values = map[string]string{"title": p.title(), "done": fmt.Sprintf("%d of %d", p.Done, p.Planned), "invalid": strconv.Itoa(p.Invalid),
		"pending": strconv.Itoa(max(0, p.Planned-p.Done)), "rate": "", "cost": p.cost(), "changed": "", "ended": "",
		"waits": strings.Join(p.Waits, "\n"), "calls": p.Calls.text(), "repeated": ""}
	if p.Rate > 0 {
		values["rate"] = "; " + stats.Number(p.Rate).Text(1) + " a second"
	}
	if p.Repeated > 0 {
		values["repeated"] = fmt.Sprintf(" In the whole record, %d of %s were repeated.", p.Repeated, data.Plural(p.Attempts, "call", "calls"))
	}
	if ended, err := time.Parse(time.RFC3339Nano, p.Ended); err == nil {
		values["ended"] = " The last run ended at " + clock(ended) + "."
	} else if !p.Changed.IsZero() {
		values["changed"] = " Last change: " + clock(p.Changed) + "."
	}
	for _, y := range p.Parties {
		key := ":" + y.Kind + ":" + y.Name
		values["done"+key] = fmt.Sprintf("%d of %d", y.Done, y.Planned)
		values["invalid"+key], values["left"+key] = strconv.Itoa(y.Invalid), p.leftOf(y)
		if p.Attempts > 0 { // before that, the page has no columns for calls
			values["repeated"+key], values["cost"+key] = strconv.Itoa(y.Repeated), y.cost()
		}
	}
	return values, values["done"] + " done, " + values["invalid"] + " not valid"
}

// clock formats a time with its date, in UTC.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }

// title says in words how far the run is.
func (p Progress) title() string {
	share := ""
	if p.Planned > 0 {
		share = fmt.Sprintf("%d %% done", 100*p.Done/p.Planned)
	}
	switch {
	case p.Parties == nil:
		return "Nothing is counted yet"
	case p.Done >= p.Planned && p.Invalid == 0:
		return fmt.Sprintf("Done: all %d results are valid", p.Planned)
	case p.Done >= p.Planned:
		return fmt.Sprintf("Done: %d of %d results are valid", p.Done-p.Invalid, p.Planned)
	case p.Ended != "":
		return "The run ended with " + share
	case p.Left > 0 && p.Waiting != nil:
		return fmt.Sprintf("%s, at least %s left", share, table.Rough(p.Left))
	case p.Left > 0:
		return fmt.Sprintf("%s, about %s left", share, table.Rough(p.Left))
	}
	return share
}

// leftOf returns in words how much time a party still needs.
func (p Progress) leftOf(y PartyProgress) string {
	switch missing := y.Planned - y.Done; {
	case missing <= 0:
		return "done"
	case p.Ended != "":
		return fmt.Sprintf("%d missing", missing)
	case y.Left > 0:
		return table.Rough(y.Left) + " left"
	case y.Done == 0:
		return "waits for its turn"
	}
	return "not moving"
}

// cost returns the cost of a party's calls so far, without calls of unknown price.
func (y PartyProgress) cost() string {
	switch {
	case y.Number == 0:
		return stats.Missing
	case y.Unpriced == y.Number:
		return "no price"
	case y.Unpriced > 0:
		return "over " + dollars(y.Cost)
	}
	return dollars(y.Cost)
}

// cost says what the calls have cost and what all planned results will cost. The estimate is, for each party with calls, its cost so far
// times planned/done. It assumes that imported results cost as much as the party's others.
func (p Progress) cost() string {
	if p.Attempts == 0 {
		return " No model was asked."
	}
	text := " " + dollars(p.Cost) + " so far"
	total := p.Cost
	without := []string(nil)
	for _, y := range p.Parties {
		switch {
		case y.Done >= y.Planned || !y.Model:
		case y.Done == 0 || y.Number == 0:
			without = append(without, y.Name)
		default:
			total += y.Cost * float64(y.Planned-y.Done) / float64(y.Done)
		}
	}
	if total > p.Cost && p.Ended == "" {
		text += ", about " + dollars(total) + " with all answers and verdicts"
		if n := len(without); n > 0 {
			has := "have"
			if n == 1 {
				has = "has"
			}
			text += fmt.Sprintf(" without %s, which %s not begun", data.List(without[:min(3, n)]), has)
		}
	}
	if p.Unpriced > 0 {
		text += fmt.Sprintf("; %s no known price", data.Plural(p.Unpriced, "call has", "calls have"))
	}
	return text + "."
}

// dollars formats a cost in US dollars with as many decimals as are meaningful.
func dollars(cost float64) string {
	decimals := 2
	if cost < 0.1 {
		decimals = 4
	}
	return "$" + stats.Number(cost).Text(decimals)
}

// Calls counts the attempts of the latest stretch of calls without a break of ten minutes, over time.
type Calls struct {
	From, To time.Time
	Counts   []int // number of attempts in each of several equal intervals; nil: no attempts
}

const (
	callBars = 48
	longest  = 10 * time.Minute // maximum time between two calls of one stretch
	perBar   = 100.0 / callBars
)

// callsOf computes Calls from the number of attempts in each second.
func callsOf(times map[string]int) (c Calls) {
	const layout = "2006-01-02T15:04:05"
	seconds := slices.Sorted(maps.Keys(times))
	if len(seconds) == 0 {
		return c
	}
	began := func(i int) time.Time {
		t, err := time.Parse(layout, seconds[i])
		if err != nil {
			return time.Time{} // another program wrote the record
		}
		return t
	}
	first := len(seconds) - 1
	for first > 0 && began(first).Sub(began(first-1)) <= longest {
		first--
	}
	c.From, c.To = began(first), began(len(seconds)-1).Add(time.Second)
	c.Counts = make([]int, callBars)
	for i := first; i < len(seconds); i++ {
		bin := int(float64(began(i).Sub(c.From)) / float64(c.To.Sub(c.From)) * callBars)
		c.Counts[min(bin, callBars-1)] += times[seconds[i]]
	}
	return c
}

// text says in words how many calls there were, and in what time.
func (c Calls) text() string {
	n := 0
	for _, count := range c.Counts {
		n += count
	}
	if n == 0 {
		return ""
	}
	elapsed := c.To.Sub(c.From)
	return fmt.Sprintf("%s in %s, %s a second; from %s to %s UTC.", data.Plural(n, "call", "calls"), table.Rough(elapsed),
		stats.Number(float64(n)/elapsed.Seconds()).Text(1), c.From.Format("15:04:05"), c.To.Format("15:04:05"))
}

// Heights returns the counts in percent of the largest count.
func (c Calls) Heights() []float64 {
	largest := slices.Max(append(slices.Clone(c.Counts), 1))
	return data.Each(c.Counts, func(n int) float64 { return float64(1000*n/largest) / 10 })
}

// Plot draws a bar for each interval. The words above the plot have the figures.
func (c Calls) Plot() template.HTML {
	var s strings.Builder
	s.WriteString(`<svg class="calls" aria-hidden="true" preserveAspectRatio="none">`)
	for i, height := range c.Heights() {
		fmt.Fprintf(&s, `<rect x="%.2f%%" width="%.2f%%" y="%.1f%%" height="%.1f%%"></rect>`, float64(i)*perBar, perBar*.8, 100-height, height)
	}
	return template.HTML(s.String() + "</svg>")
}
