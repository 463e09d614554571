package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"compqa/data"
)

// CoCoTripSplits are the splits of CoCoTrip (Iso et al. 2022; rows by AACSum), in order.
var CoCoTripSplits = []string{"train", "dev", "test"}

// A HotelPair is a pair of hotels of CoCoTrip: the reviews of both hotels as sources, the reference table (by AACSum), and summaries of
// each hotel that people wrote.
type HotelPair struct {
	Split     string
	Question  data.Question
	Sources   []data.Source // entity object1 or object2
	Gold      []GoldRow
	Summaries [2][]string // by hotel; the same index in both lists is the same writer
}

// A GoldRow is one attribute in the reference table: what both hotels have in common, and what is true of each alone. A part that does not
// apply is empty.
type GoldRow struct {
	Attribute, Common string
	Own               [2]string
}

// ReadCoCoTrip reads CoCoTrip from a folder: cocotrip_SPLIT_bench_dataset.json for each split, and
// human_references.json. Reviews are texts about hotels without a name, so the hotels are called by their numbers.
func ReadCoCoTrip(dir string) (pairs []HotelPair, err error) {
	people, err := whole[map[string][]cocotripSummaries](filepath.Join(dir, "human_references.json"))
	if err != nil {
		return nil, err
	}
	for _, split := range CoCoTripSplits {
		path := filepath.Join(dir, "cocotrip_"+split+"_bench_dataset.json")
		entries, err := whole[map[string]cocotripEntry](path)
		if err != nil {
			return nil, err
		}
		for i := range len(entries) {
			e, known := entries[strconv.Itoa(i)]
			if !known || i >= len(people[split]) {
				return nil, fmt.Errorf("%s: pair %d of %d, or its summaries in human_references.json, is missing", path, i, len(entries))
			}
			p, err := e.pair(people[split][i])
			if err != nil {
				return nil, fmt.Errorf("%s: pair %d: %w", path, i, err)
			}
			p.Split = split
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

// whole decodes a file that must be one JSON object.
func whole[T any](path string) (object T, err error) {
	items, documents, err := data.ReadItems[T](path)
	if err != nil {
		return object, err
	}
	if len(documents) != 1 || !documents[0].Value.IsObject() {
		return object, fmt.Errorf("%s must be one JSON object", path)
	}
	return items[0], nil
}

type cocotripSummaries struct {
	A   string   `json:"entity_a"`
	B   string   `json:"entity_b"`
	OfA []string `json:"entity_a_summary"`
	OfB []string `json:"entity_b_summary"`
}

type cocotripEntry struct {
	Info struct {
		A        string   `json:"entity_a_id"`
		B        string   `json:"entity_b_id"`
		ReviewsA []string `json:"entity_a_review"`
		ReviewsB []string `json:"entity_b_review"`
	} `json:"Reviews_info"`
	Rows []struct {
		Attribute string `json:"aspect"`
		Common    string `json:"comm"`
		Own       struct {
			A string `json:"entity_a"`
			B string `json:"entity_b"`
		} `json:"cont"`
	} `json:"Summarization"`
}

// pair checks one entry and combines it with the summaries of the same hotels.
func (e cocotripEntry) pair(people cocotripSummaries) (p HotelPair, err error) {
	a := e.Info.A
	b := e.Info.B
	switch {
	case a == "" || b == "" || a == b:
		return p, fmt.Errorf("the hotels are %q and %q; two different ones are needed", a, b)
	case people.A != a || people.B != b:
		return p, fmt.Errorf("the hotels are %s and %s, in human_references.json %s and %s", a, b, people.A, people.B)
	case len(e.Info.ReviewsA) == 0 || len(e.Info.ReviewsB) == 0 || len(people.OfA) == 0 || len(people.OfB) == 0:
		return p, errors.New("a hotel has no review or no summary")
	}
	q := data.Question{Object1: "hotel " + a, Object2: "hotel " + b}
	q.ID, q.Text = q.Pair(), data.DefaultQuestion(q.Object1, q.Object2, "")
	p = HotelPair{Question: q, Summaries: [2][]string{people.OfA, people.OfB}}
	for k, reviews := range [2][]string{e.Info.ReviewsA, e.Info.ReviewsB} {
		for i, text := range reviews {
			p.Sources = append(p.Sources, data.Source{ID: fmt.Sprintf("%c%d", 'a'+k, i+1), Entity: fmt.Sprintf("object%d", k+1), Text: text})
		}
	}
	for _, r := range e.Rows {
		row := GoldRow{strings.TrimSpace(r.Attribute), strings.TrimSpace(r.Common),
			[2]string{strings.TrimSpace(r.Own.A), strings.TrimSpace(r.Own.B)}}
		if row.Attribute == "" || row.Common == "" && row.Own == [2]string{} {
			return p, fmt.Errorf("a row of the gold table (%q) has no attribute or no text", r.Attribute)
		}
		p.Gold = append(p.Gold, row)
	}
	return p, nil
}
