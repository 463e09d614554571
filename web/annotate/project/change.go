package project

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"compqa/data"
	"compqa/rubric"
)

// A Change is what the owner changes in a running study. Submitted sheets do not change.
type Change struct {
	Settings        // the new settings; those that decide what sheets mean, such as Kind and Rubric, are ignored
	Items    []Item // new items, with their roles
	Overlap  int    // minimum number of overlap items, including new ones
}

// Change makes a new version of the study. Fields that are not to change must have their present values. It returns an error if nothing
// changes, if an added item exists, or if items would get fewer people or people fewer items. It records the texts, marks unchanged texts
// as seen, adds items, raises the number of overlap items, saves the settings and reads the project again.
func (p *Project) Change(c Change) error {
	var what []string
	changed := func(is bool, format string, args ...any) {
		if is {
			what = append(what, fmt.Sprintf(format, args...))
		}
	}
	changed(c.Guidelines != p.Guidelines, "guidelines")
	changed(c.Consent != p.Consent, "consent")
	changed(!reflect.DeepEqual(c.Check, p.Check), "questions of the check")
	changed(!reflect.DeepEqual(c.Before, p.Before), "questions before")
	changed(!reflect.DeepEqual(c.After, p.After), "questions after")
	changed(c.Title != p.Title, "title")
	changed(c.Contact != p.Contact, "contact")
	changed(c.Code != p.Code || !maps.Equal(c.Codes, p.Codes), "codes")
	changed(c.Hold != p.Hold, "a place is held for %d minutes instead of %d", c.Hold, p.Hold)
	changed(c.Width != p.Width, "width %v instead of %v", c.Width, p.Width)
	changed(c.AtOnce != p.AtOnce, "how a sheet is submitted")
	changed(len(c.Items) > 0, "%s more", data.Plural(len(c.Items), "item", "items"))
	changed(c.People != p.People, "%d people an item instead of %d", c.People, p.People)
	changed(c.Each != p.Each, "%s of a person instead of %s", atMost(c.Each), atMost(p.Each))
	several := len(data.Where(slices.Concat(p.Items, c.Items), func(it Item) bool { return it.Role == Overlap }))
	changed(c.Overlap > several, "%d items for several people instead of %d", c.Overlap, several)
	switch {
	case len(what) == 0:
		return fmt.Errorf("nothing changes: the study has these texts, items and people already")
	case c.People < p.People:
		return fmt.Errorf("each item has %s so far; fewer would leave sheets out, which annotate exclude does for a person",
			data.Plural(p.People, "person", "people"))
	}
	if p.Each > 0 && c.Each > 0 && c.Each < p.Each || c.Each > 0 && p.Each == 0 {
		return fmt.Errorf("a person may annotate %s so far; fewer would end the work of people who have more", atMost(p.Each))
	}
	err := p.write(func(tx *sql.Tx) error {
		texts, err := json.Marshal(c.Texts)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO versions (at, what, texts) VALUES (?, ?, ?)`, utc(p.Now()), strings.Join(what, ", "), string(texts))
		}
		last := len(p.Versions)
		for column, same := range map[string]bool{"consent_version": c.Texts.Consent == p.Consent,
			"read_version": c.Texts.Guidelines == p.Guidelines} {
			if err == nil { // an unchanged text counts as seen in the new version; the owner has seen all
				_, err = tx.Exec(`UPDATE annotators SET `+column+` = ?1 + 1 WHERE id = 0 OR ?2 AND `+column+` = ?1`, last, same)
			}
		}
		if err == nil {
			err = insertItems(tx, c.Items)
		}
		if err == nil {
			_, err = tx.Exec(`UPDATE items SET role = 'overlap' WHERE id IN (SELECT id FROM items WHERE role = 'main' ORDER BY id LIMIT ?)`,
				max(0, c.Overlap-several))
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE annotators SET planned = 0`); err != nil { // each person's number of items is computed again
			return err
		}
		set := p.Settings
		set.People = c.People
		set.Each = c.Each
		set.Title = c.Title
		set.Contact = c.Contact
		set.Code = c.Code
		set.Codes = c.Codes
		set.Hold = c.Hold
		set.Width = c.Width
		set.AtOnce = c.AtOnce
		settings, err := json.Marshal(set)
		if err == nil {
			_, err = tx.Exec(`UPDATE project SET settings = ?`, string(settings))
		}
		return err
	})
	if err == nil {
		err = p.readState()
	}
	if err != nil {
		return err
	}
	return p.findEarlier()
}

func atMost(each int) string {
	if each == 0 {
		return "any number of items"
	}
	return "at most " + data.Plural(each, "item", "items")
}

// New returns the items that the study does not have. It returns an error if an item with a known id has another text, question or table
// rows, which people may have judged. Other differences are ignored, and kept describes them in words.
func (p *Project) New(items []Item) (added []Item, kept []string, err error) {
	known := map[[2]string]Item{}
	for _, it := range p.Items {
		known[[2]string{it.Kind, it.Source}] = it
	}
	others := map[string][]string{} // ids of items, by what has changed
	for _, it := range items {
		before, is := known[[2]string{it.Kind, it.Source}]
		if !is {
			added = append(added, it)
			continue
		}
		judged, other := before.Content.changed(it.Content)
		if judged != "" {
			return nil, nil, fmt.Errorf("item %s has %s than in the study; people may have judged it already, so give the new one another id",
				it.Source, judged)
		}
		if other != "" {
			others[other] = append(others[other], it.Source)
		}
	}
	for _, other := range slices.Sorted(maps.Keys(others)) {
		ids := others[other]
		kept = append(kept, fmt.Sprintf("%s now with %s (%s): the study keeps what its people see; "+
			"for the new one make another study, in another folder", data.Plural(len(ids), "item is", "items are"), other,
			data.Clip(strings.Join(ids, ", "))))
	}
	return added, kept, nil
}

// changed says in words how other differs: judged in a part that people judge, or else rest in another part. Both are "" without a
// difference.
func (c Content) changed(other Content) (judged, rest string) {
	differs := func(a, b any) bool { // compares as JSON, as recorded
		first, _ := json.Marshal(a) // texts and numbers give no error
		second, _ := json.Marshal(b)
		return string(first) != string(second)
	}
	switch {
	case c.A != other.A || c.B != other.B:
		return "another text", ""
	case c.Question != other.Question || c.Object1 != other.Object1 || c.Object2 != other.Object2:
		return "another question", ""
	case differs(append([]data.ContrastRow{}, c.Rows...), append([]data.ContrastRow{}, other.Rows...)):
		return "other rows in its table", ""
	case differs(append([]Attachment{}, c.Attachments...), append([]Attachment{}, other.Attachments...)):
		return "", "other tables or rationales of judges"
	case c.Label != other.Label:
		return "", "another answer known as the better one"
	}
	return "", ""
}

// SameScale returns an error that names the first difference if a rubric is not that of the study.
func (p *Project) SameScale(r rubric.Rubric) error {
	if reflect.DeepEqual(p.Rubric.IDs(), r.IDs()) {
		for i, c := range p.Rubric.Criteria {
			if !reflect.DeepEqual(c, r.Criteria[i]) {
				return scaleChanged(fmt.Sprintf("criterion %s is not the same", c.ID))
			}
		}
		if p.Rubric.Step == r.Step && p.Rubric.Measurement == r.Measurement {
			return nil
		}
		return scaleChanged("its steps or its level of measurement are not the same")
	}
	return scaleChanged("its criteria are " + strings.Join(r.IDs(), ", "))
}

func scaleChanged(how string) error {
	return fmt.Errorf("the scale of a running study cannot change: %s. Sheets on two scales cannot be compared, averaged or agree; "+
		"make a new study in another folder", how)
}
