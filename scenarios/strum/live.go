package strum

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/data"
	"compqa/llm/structured"
)

// pieces divides a sentence into pieces of at most size bytes. It is for texts without full stops. A piece ends after white space if there
// is some in its second half.
func pieces(sentence string, size int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(sentence) > size {
			end := size
			if space := strings.LastIndexAny(sentence[:size], " \t\n"); space >= size/2 {
				end = space + 1
			}
			for end > 1 && !utf8.RuneStart(sentence[end]) {
				end--
			}
			if !yield(sentence[:end]) {
				return
			}
			sentence = sentence[end:]
		}
		yield(sentence)
	}
}

// tiles divides the sources about one object (0 or 1) into tiles of at most TileBytes, the texts of one prompt. Only a sentence that is
// longer is divided.
func (s *Live) tiles(sources []data.Source, object int) (list [][]shownText) {
	other := [2]data.Favours{data.Object2, data.Object1}[object]
	size := 0
	for i, source := range sources {
		if source.Entity == string(other) {
			continue
		}
		for _, span := range sentences(source.Text) {
			for text := range pieces(span.Of(source.Text), s.o.TileBytes) {
				if len(list) == 0 || size+len(text) > s.o.TileBytes {
					list = append(list, nil)
					size = 0
				}
				size += len(text)
				last := &list[len(list)-1]
				if n := len(*last); n > 0 && (*last)[n-1].Number == i+1 {
					(*last)[n-1].Text += text
				} else {
					*last = append(*last, shownText{i + 1, structured.OneLine(source.Title), text})
				}
			}
		}
	}
	return list
}

// A tableBuild is the state of making one table.
type tableBuild struct {
	*Live
	*reader
	sources  []data.Source
	ask      Ask
	dropped  dropped
	progress func(done, tiles int) // called after each tile
}

// Table makes the table of a question's objects from sources. Calls are made one after the other; progress is called after each tile. If a
// call fails, the table is missing, and the error is a *Stopped.
func (s *Live) Table(ctx context.Context, q data.Question, sources []data.Source, progress func(done, tiles int),
	ask Ask) (data.ContrastTable, error) {
	m := &tableBuild{Live: s, reader: readerOf(q, sources), sources: sources, ask: ask, progress: progress}
	rows, err := m.rows(ctx)
	for _, stage := range []func(context.Context, []*row) ([]*row, error){m.contrast, m.improveRows, m.useful} {
		if err == nil {
			rows, err = stage(ctx, rows)
		}
	}
	if err != nil {
		return data.ContrastTable{}, err
	}
	for _, r := range rows {
		m.setRankInputs(r)
	}
	return tableOf(q, sources, rows, m.dropped), nil
}

// rows extracts the values and merges them into one row for each attribute, before the stage of contrast.
func (m *tableBuild) rows(ctx context.Context) (rows []*row, err error) {
	extractions, err := m.extract(ctx)
	if err != nil {
		return nil, err
	}
	attributes, err := m.mergeAttributes(ctx, mergeAttributes(extractions))
	if err != nil {
		return nil, err
	}
	for _, a := range attributes {
		r, err := m.row(ctx, a)
		if err != nil {
			return nil, err
		}
		if len(r.Object1)+len(r.Object2) > 0 {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// promptAbout returns a prompt with the names of one object (0 or 1) and the other.
func (m *tableBuild) promptAbout(object int) prompt {
	names := [2]string{m.q.Object1, m.q.Object2}
	return prompt{Object: names[object], Other: names[1-object]}
}

// A statement is the JSON form of a value in a reply.
type statement struct {
	Number    int    `json:"number"` // number of the value that it replaces
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
	Quote     string `json:"quote"`
	Source    int    `json:"source"`
}

// extract asks for the values of both objects, tile by tile. Each tile's values are criticised and revised.
func (m *tableBuild) extract(ctx context.Context) (list []extraction, err error) {
	parts := [2][][]shownText{m.tiles(m.sources, 0), m.tiles(m.sources, 1)}
	done := 0
	for object, tiles := range parts {
		for i, texts := range tiles {
			p := m.promptAbout(object)
			p.Texts = texts
			stage := fmt.Sprintf("%s (%s, part %d of %d)", StageExtract, p.Object, i+1, len(tiles))
			var found []extraction
			if err := call(ctx, m, stage, "extract", p, func(statements []statement) error {
				for _, s := range statements {
					if x, ok := m.checked(object, texts, s); ok {
						found = append(found, x)
					}
				}
				return nil
			}); err != nil {
				return nil, err
			}
			found, err = m.improveValues(ctx, stage, object, p, found)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
			done++
			m.progress(done, len(parts[0])+len(parts[1]))
		}
	}
	return list, nil
}

// checked returns the extraction of a statement. found is false if its quote is not in its source, or does not have the value's numbers and
// negations. Then the statement is dropped.
func (m *tableBuild) checked(object int, texts []shownText, s statement) (x extraction, found bool) {
	x = extraction{object: object, attribute: structured.OneLine(s.Attribute), value: structured.OneLine(s.Value), order: s.Source - 1,
		evidence: data.Evidence{Quote: s.Quote}}
	if slices.ContainsFunc(texts, func(t shownText) bool { return t.Number == s.Source }) {
		source := m.sources[s.Source-1]
		x.evidence.Source = source.ID
		x.rank = cmp.Or(source.Rank, math.MaxInt32)
		if e, is := Find(source, s.Quote); is && x.attribute != "" && x.value != "" && m.claimOf(x.value).isIn(m.claimOf(s.Quote)) {
			x.evidence = e
			found = true
		}
	}
	if !found {
		m.dropped.extraction(Unattributed, x)
	}
	return x, found
}

// A grouping is the JSON form of one group of attributes or values that a model merges. Center is the number of the member that represents
// the group. Contradicting has the numbers of values of other groups.
type grouping struct {
	Center        int   `json:"center"`
	Members       []int `json:"members"`
	Contradicting []int `json:"contradicted_by"`
}

// partition checks that each number from 1 to n is in exactly one group, and that each group contains its center.
func partition(groups []grouping, n int) error {
	seen := map[int]bool{}
	for _, g := range groups {
		if !slices.Contains(g.Members, g.Center) {
			return fmt.Errorf("the center %d is no member of its group", g.Center)
		}
		for _, i := range g.Members {
			if i < 1 || i > n {
				return fmt.Errorf("there is no number %d", i)
			}
			if seen[i] {
				return fmt.Errorf("the number %d is in two groups", i)
			}
			seen[i] = true
		}
		for _, i := range g.Contradicting {
			if i < 1 || i > n || slices.Contains(g.Members, i) {
				return fmt.Errorf("contradicted_by names %d, which is no number of another group", i)
			}
		}
	}
	if len(seen) < n {
		return errors.New("some numbers are in no group")
	}
	return nil
}

// mergeAttributes asks which attributes are the same, up to mostNames in a call. Attributes whose names have the same words are already
// joined.
func (m *tableBuild) mergeAttributes(ctx context.Context, attributes []*attribute) (merged []*attribute, err error) {
	for some := range slices.Chunk(attributes, mostNames) {
		if len(some) == 1 {
			merged = append(merged, some...)
			continue
		}
		p := m.promptAbout(0)
		for i, a := range some {
			p.Values = append(p.Values, shownValue{Number: i + 1, Attribute: a.name})
		}
		if err := call(ctx, m, "merge attributes", "attributes", p, func(groups []grouping) error {
			if err := partition(groups, len(some)); err != nil {
				return err
			}
			for _, g := range groups {
				a := &attribute{name: some[g.Center-1].name}
				for _, i := range slices.Sorted(slices.Values(g.Members)) {
					a.extractions = append(a.extractions, some[i-1].extractions...)
				}
				merged = append(merged, a)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// row merges the values of an attribute, separately for each object. Before the model is asked, only equal values are joined.
func (m *tableBuild) row(ctx context.Context, a *attribute) (*row, error) {
	var cells [2][]data.ContrastValue
	for object := range cells {
		values, err := m.values(ctx, a.name, object, m.mergeEqual(a.extractionsOf(object)))
		if err != nil {
			return nil, err
		}
		outvoted := data.Each(values, func(v data.ContrastValue) bool { return len(v.Supporters) < len(v.Conflicts) })
		m.dispute(a.name, values)
		var minority, beyond [2][]data.ContrastValue
		cells[object], minority[object], beyond[object] = selected(values, outvoted)
		m.dropped.values(StageValues, Minority, a.name, minority)
		m.dropped.values(StageValues, BeyondBest, a.name, beyond)
	}
	return rowOf(a.name, a.members(), cells), nil
}

// A valueGroup is a group of values that say the same. against has the ids of the sources that contradict it.
type valueGroup struct {
	*cluster
	contradicting []string
}

// values asks which values of an attribute are the same, and which contradict each other. More than mostShown values are divided into
// several calls. The groups that result are asked about again, until one call shows all or a round joins none.
func (m *tableBuild) values(ctx context.Context, attribute string, object int, clusters []*cluster) ([]data.ContrastValue, error) {
	groups := data.Each(clusters, func(c *cluster) valueGroup { return valueGroup{cluster: c} })
	for {
		before := len(groups)
		var joined []valueGroup
		for some := range slices.Chunk(groups, mostShown) {
			list, err := m.join(ctx, attribute, object, some)
			if err != nil {
				return nil, err
			}
			joined = append(joined, list...)
		}
		groups = joined
		if before <= mostShown || len(groups) == before {
			break
		}
	}
	return data.Each(groups, func(g valueGroup) data.ContrastValue {
		v := data.ContrastValue{Value: g.extractions[0].value, Conflicts: g.contradicting}
		for _, x := range g.extractions {
			v.Evidence = append(v.Evidence, x.evidence)
			v.Supporters = append(v.Supporters, x.evidence.Source)
		}
		return withoutDuplicates(v)
	}), nil
}

// join asks about the values of one prompt. If a reply joins values with different numbers or negations, they stay apart, as groups that
// contradict each other.
func (m *tableBuild) join(ctx context.Context, attribute string, object int, some []valueGroup) (joined []valueGroup, err error) {
	if len(some) == 1 {
		return some, nil
	}
	p := m.promptAbout(object)
	for i, g := range some {
		p.Values = append(p.Values, shownValue{Number: i + 1, Attribute: attribute, Value: g.extractions[0].value})
	}
	var groups []grouping
	if err := call(ctx, m, fmt.Sprintf("%s (%s of %s)", StageValues, attribute, p.Object), "values", p, func(list []grouping) error {
		groups = list
		return partition(list, len(some))
	}); err != nil {
		return nil, err
	}
	for _, g := range groups {
		parts := map[int][]int{} // by center: the members that agree with it. A member that agrees with no center becomes one
		centers := []int{g.Center}
		for _, i := range slices.Sorted(slices.Values(g.Members)) {
			index := slices.IndexFunc(centers, func(center int) bool { return some[center-1].claim.agrees(some[i-1].claim) })
			if index < 0 {
				centers, index = append(centers, i), len(centers)
			}
			parts[centers[index]] = append(parts[centers[index]], i)
		}
		for _, center := range centers {
			whole := valueGroup{cluster: &cluster{claim: some[center-1].claim, extractions: slices.Clone(some[center-1].extractions)}}
			for _, i := range parts[center] {
				whole.contradicting = append(whole.contradicting, some[i-1].contradicting...)
				if i != center {
					whole.extractions = append(whole.extractions, some[i-1].extractions...)
				}
			}
			for _, i := range slices.Concat(g.Contradicting, g.Members) {
				if !slices.Contains(parts[center], i) {
					whole.contradicting = append(whole.contradicting, some[i-1].sources()...)
				}
			}
			joined = append(joined, whole)
		}
	}
	return joined, nil
}

// withoutDuplicates removes duplicate sources from a value. A source that both supports and contradicts it only supports it.
func withoutDuplicates(v data.ContrastValue) data.ContrastValue {
	v.Supporters, v.Conflicts = data.Set(v.Supporters), data.Set(v.Conflicts)
	v.Conflicts = slices.DeleteFunc(v.Conflicts, func(id string) bool { return slices.Contains(v.Supporters, id) })
	return v
}

// A placedValue is a value that a prompt shows, with the number of its row, from 1, and its object, 0 or 1.
type placedValue struct {
	data.ContrastValue
	row, object int
}

// rowsPrompt returns a prompt that shows rows. Values are numbered through all rows; from[n-1] is the value with number n.
func (m *tableBuild) rowsPrompt(rows []*row) (p prompt, from []placedValue) {
	p = m.promptAbout(0)
	for i, r := range rows {
		shown := shownRow{Number: i + 1, Attribute: r.Attribute}
		for k, values := range r.Cells() {
			shown.Cells[k].Object = m.promptAbout(k).Object
			for _, v := range values {
				from = append(from, placedValue{v, i + 1, k})
				support := data.Plural(len(v.Supporters), "source", "sources")
				if n := len(v.Conflicts); n > 0 {
					support += fmt.Sprintf(", %d against it", n)
				}
				shown.Cells[k].Values = append(shown.Cells[k].Values, shownValue{Number: len(from), Value: v.Value, Support: support})
			}
		}
		p.Rows = append(p.Rows, shown)
	}
	return p, from
}

// A rowReply is the JSON form of what a reply says about a row.
type rowReply struct {
	Row    int    `json:"row"`
	Kind   string `json:"kind"`
	Level  int    `json:"level"`
	Useful bool   `json:"useful"`
}

// judgeRows asks a model about rows, with the template name. keep returns the reason to drop a row, or "" to keep it.
func (m *tableBuild) judgeRows(ctx context.Context, stage, name string, rows []*row, keep func(*row,
	rowReply) (reason string)) (kept []*row,
	err error) {
	for some := range slices.Chunk(rows, mostShown) {
		p, _ := m.rowsPrompt(some)
		if err := call(ctx, m, stage, name, p, func(list []rowReply) error {
			seen := map[int]rowReply{}
			for _, j := range list {
				if _, twice := seen[j.Row]; twice || j.Row < 1 || j.Row > len(some) {
					return fmt.Errorf("row %d is there twice, or not among the rows", j.Row)
				}
				if name == "contrast" && (!slices.Contains(rowKinds, j.Kind) || j.Level < 0 || j.Level > 3) {
					return fmt.Errorf("row %d has the kind %q and the level %d", j.Row, j.Kind, j.Level)
				}
				seen[j.Row] = j
			}
			if len(seen) < len(some) {
				return fmt.Errorf("only %d of %d rows are there", len(seen), len(some))
			}
			for i, r := range some {
				if reason := keep(r, seen[i+1]); reason == "" {
					kept = append(kept, r)
				} else {
					m.dropped.row(stage, reason, r.ContrastRow)
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

const neither = "neither"

// contrast asks which rows contrast the objects. It drops rows that neither contrast nor are important. A row with an empty cell counts as
// important instead of contrasting.
func (m *tableBuild) contrast(ctx context.Context, rows []*row) (kept []*row, err error) {
	return m.judgeRows(ctx, StageContrast, "contrast", rows, func(r *row, j rowReply) string {
		r.Kind = j.Kind
		r.level = j.Level
		switch {
		case j.Kind == neither:
			r.Kind = data.RowImportant
			return "no contrast, not important"
		case j.Kind == data.RowContrast && (len(r.Object1) == 0 || len(r.Object2) == 0):
			r.Kind = data.RowImportant
			r.level = 0
		}
		return ""
	})
}

// useful asks which rows help to choose, and drops the other rows.
func (m *tableBuild) useful(ctx context.Context, rows []*row) (kept []*row, err error) {
	return m.judgeRows(ctx, StageUsefulness, "useful", rows, func(_ *row, j rowReply) string {
		if j.Useful {
			return ""
		}
		return "not useful"
	})
}

// setRankInputs sets what the rank of a row depends on, from the sources that it quotes.
func (m *tableBuild) setRankInputs(r *row) {
	behind := map[string]bool{}
	r.bestRank = math.MaxInt32
	r.firstSource = len(m.sources)
	for _, v := range slices.Concat(r.Object1, r.Object2) {
		for _, e := range v.Evidence {
			behind[e.Source] = true
			index := slices.IndexFunc(m.sources, func(s data.Source) bool { return s.ID == e.Source })
			r.bestRank = min(r.bestRank, cmp.Or(m.sources[index].Rank, math.MaxInt32))
			r.firstSource = min(r.firstSource, index)
		}
	}
	r.sources = len(behind)
}

// whiteSpace matches what unicode.IsSpace accepts.
const whiteSpace = `[\s\v\x{85}\pZ]+`

// Find finds a quote in a source's text. Any run of white space is equal to any other. The evidence has the characters of the source. The
// bool is false if the quote is not in the text.
func Find(s data.Source, quote string) (data.Evidence, bool) {
	words := data.Each(strings.Fields(quote), regexp.QuoteMeta)
	pattern, err := regexp.Compile(strings.Join(words, whiteSpace))
	if err != nil || len(words) == 0 { // the quote is not UTF-8, or is empty
		return data.Evidence{}, false
	}
	span := pattern.FindStringIndex(s.Text)
	if span == nil || structured.OneLine(s.Text[span[0]:span[1]]) != structured.OneLine(quote) {
		return data.Evidence{}, false
	}
	return data.Evidence{Source: s.ID, Start: span[0], End: span[1], Quote: s.Text[span[0]:span[1]]}, true
}
