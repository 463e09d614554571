package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// CoCoTripSplits are the splits of CoCoTrip (Iso et al. 2022; rows by AACSum), in order.
var CoCoTripSplits = []string{"train", "dev", "test"}

// A HotelPair is a pair of hotels of CoCoTrip: the reviews of each as sources, the gold table
// (AACSum), and people's summaries of each hotel.
type HotelPair struct {
	Split     string
	Question  data.Question
	Sources   []data.Source // entity object1 or object2
	Gold      []GoldRow
	Summaries [2][]string // by hotel; one writer has the same place in both lists
}

// A GoldRow is one attribute: what both hotels have in common, and what each has of its own. A
// part that does not apply is empty.
type GoldRow struct {
	Attribute, Common string
	Own               [2]string
}

// ReadCoCoTrip reads CoCoTrip from a folder: cocotrip_SPLIT_bench_dataset.json for each split,
// and human_references.json. Reviews are texts about hotels without a name, so the hotels are
// called by their numbers.
func ReadCoCoTrip(dir string) (pairs []HotelPair, err error) {
	people, err := whole(filepath.Join(dir, "human_references.json"))
	if err != nil {
		return nil, err
	}
	for _, split := range CoCoTripSplits {
		path := filepath.Join(dir, "cocotrip_"+split+"_bench_dataset.json")
		root, err := whole(path)
		if err != nil {
			return nil, err
		}
		entries, summaries := root.Map(), people.Get(split).Array()
		for i := range len(entries) {
			e, known := entries[strconv.Itoa(i)]
			if !known || i >= len(summaries) {
				return nil, fmt.Errorf("%s: pair %d of %d, or its summaries in human_references.json, is missing", path, i, len(entries))
			}
			p, err := hotelPair(e, summaries[i])
			if err != nil {
				return nil, fmt.Errorf("%s: pair %d: %w", path, i, err)
			}
			p.Split = split
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

// whole is the JSON document in a file.
func whole(path string) (root gjson.Result, err error) {
	for doc, err := range data.Documents(path, nil) {
		return doc.Root, err
	}
	return root, nil
}

func hotelPair(e, people gjson.Result) (p HotelPair, err error) {
	var hotels, names [2]string
	complete := true
	for k, letter := range []string{"a", "b"} {
		name, info := "entity_"+letter, e.Get("Reviews_info")
		hotels[k], names[k] = info.Get(name+"_id").String(), people.Get(name).String()
		for i, review := range info.Get(name + "_review").Array() {
			p.Sources = append(p.Sources, data.Source{ID: letter + strconv.Itoa(i+1), Entity: fmt.Sprintf("object%d", k+1), Text: review.String()})
		}
		p.Summaries[k] = data.Each(people.Get(name+"_summary").Array(), gjson.Result.String)
		complete = complete && info.Get(name+"_review.0").Exists() && len(p.Summaries[k]) > 0
	}
	switch {
	case hotels[0] == "" || hotels[1] == "" || hotels[0] == hotels[1]:
		return p, fmt.Errorf("the hotels are %q and %q; two different ones are needed", hotels[0], hotels[1])
	case names != hotels:
		return p, fmt.Errorf("the hotels are %s and %s, in human_references.json %s and %s", hotels[0], hotels[1], names[0], names[1])
	case !complete:
		return p, errors.New("a hotel has no review or no summary")
	}
	q := data.Question{Object1: "hotel " + hotels[0], Object2: "hotel " + hotels[1]}
	q.ID, q.Text = q.Pair(), data.DefaultQuestion(q.Object1, q.Object2, "")
	p.Question = q
	for _, r := range e.Get("Summarization").Array() {
		part := func(path string) string { return strings.TrimSpace(r.Get(path).String()) }
		row := GoldRow{part("aspect"), part("comm"), [2]string{part("cont.entity_a"), part("cont.entity_b")}}
		if row.Attribute == "" || row.Common == "" && row.Own == [2]string{} {
			return p, fmt.Errorf("a row of the gold table (%q) has no attribute or no text", r.Get("aspect").String())
		}
		p.Gold = append(p.Gold, row)
	}
	return p, nil
}
