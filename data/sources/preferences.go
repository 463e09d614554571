package sources

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
)

// ReadPreferences reads preferences on pairs, in the form of data.ReadPreferences or in the words of other programs: the id of
// a pair, a choice (winner, preference, label …), and who chose (annotator, judge …). find returns the id of a pair that a
// file means, "" for one that is not known. Whoever is not in a column named judge is a person. Values that are missing are
// left out, and counted in the note. Of several choices of one rater on a pair, which are faults, Options.Repeats counts the first.
func ReadPreferences(path string, find func(id string) string, o Options) (given []data.Preference, note string, err error) {
	columns, first, err := firstColumns(path)
	flagged := o.Map != nil || o.Missing != nil || o.Repeats != ""
	if err != nil || !flagged && slices.Contains(columns, "judge") && slices.Contains(columns, "choice") {
		given, err = data.ReadPreferences(path, func(id string) bool { return find(id) != "" })
		return given, "", err
	}
	o.People, o.Alone = true, true
	mapped, err := o.columnsOf(columns, first)
	if err != nil {
		return nil, "", err
	}
	used := data.Among(slices.Collect(maps.Values(mapped)))
	column := func(role string) string {
		if mapped[role] != "" {
			return mapped[role]
		}
		for _, name := range names().Roles[role] {
			for _, c := range columns {
				if !used[c] && folded(c) == folded(name) {
					used[c] = true
					return c
				}
			}
		}
		return ""
	}
	id, choice := column("id"), column("choice")
	by, reason := column("by"), column("reason")
	if id == "" || choice == "" {
		return nil, "", first.Errorf("preferences need the id of a pair and a choice, in columns such as id and winner; there are %s",
			strings.Join(columns, ", "))
	}
	person := !slices.Contains(names().Judges, folded(by))
	missing, again, lines := 0, 0, map[[2]string]int{}
	var faults []error
	f := &Format{Rows: tablesOfPairs}
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return nil, "", err
		}
		p := data.Preference{Order: data.OrderAB, Status: data.Valid, Judge: record.text(paths{by}), Rationale: record.text(paths{reason})}
		written, value := record.text(paths{id}), valueOf(record.get(choice))
		p.ID = find(written)
		word, known := chosen(firstSecond, value, "", "")
		p.Choice = string(word)
		if person {
			p.Judge = strings.TrimSuffix(data.Human+":"+strings.TrimPrefix(p.Judge, data.Human+":"), ":")
		}
		key := [2]string{p.ID, p.Judge}
		switch {
		case o.missing(value):
			missing++
			continue
		case lines[key] > 0 && o.Repeats == RepeatsFirst:
			again++
			continue
		case p.ID == "":
			faults = append(faults, record.Errorf("no pair has the id %q", data.Clip(written)))
		case !known:
			faults = append(faults, notOne(record, choice, value, firstSecond))
		case lines[key] > 0:
			faults = append(faults, record.Errorf("%s has chosen on pair %q before, on line %d (--repeats first counts the first choice)",
				p.Judge, p.ID, lines[key]))
		default:
			given = append(given, p)
		}
		lines[key] = record.Line
		if len(faults) == 20 {
			break
		}
	}
	if faults != nil {
		return nil, "", errors.Join(faults...)
	}
	if len(given) == 0 {
		return nil, "", fmt.Errorf("%s has no preferences", path)
	}
	note = fmt.Sprintf("%s: %s, from the columns %s and %s", path, data.Plural(len(given), "preference", "preferences"), id, choice)
	if missing > 0 {
		note += fmt.Sprintf("; left out: %s without a choice", data.Plural(missing, "row", "rows"))
	}
	if again > 0 {
		note += fmt.Sprintf("; left out: %s", data.Plural(again, "later choice on the same pair", "later choices on the same pair"))
	}
	return given, note, nil
}
