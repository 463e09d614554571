package annotate

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
	"compqa/web/annotate/project"
)

// A Datasheet is the report of a study: the parts of a human-evaluation data sheet (HEDS 3.0, Belz and Thomson 2025) that the record
// knows. Shares are in [0, 1], times in hours or seconds, money in the currency of the wage.
type Datasheet struct {
	Findings    table.Findings `json:"findings"` // the first is the headline
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Items       int            `json:"items"`
	Several     int            `json:"items_for_several_people"`
	People      int            `json:"people_per_such_item"`
	Systems     []SystemRow    `json:"systems"`
	Recruitment []Count        `json:"recruitment"`
	Excluded    []Exclusion    `json:"excluded"`
	Asked       []AskedRow     `json:"asked"`
	Check       []CheckedRow   `json:"check"`
	Versions    []VersionRow   `json:"versions"`
	Material    []Material     `json:"material"`
	Hours       stats.Figure   `json:"hours"`         // measured by the server, where the time is known
	Claimed     stats.Figure   `json:"claimed_hours"` // measured by the browsers, without pauses of a minute or more
	Timed       int            `json:"sheets_of_known_time"`
	Wage        stats.Figure   `json:"wage_per_hour"`
	Pay         stats.Figure   `json:"pay"`
	Work        []WorkRow      `json:"work"`
	Agreement   []AgreementRow `json:"agreement"`
	Checks      []CheckRow     `json:"checks"`
	FirstShare  table.Ranged   `json:"first_share"`
	Decided     int            `json:"decided_choices"`
	Chosen      []ChosenRow    `json:"chosen"`
	Criteria    []CriterionRow `json:"criteria"`
	HEDS        []HEDSRow      `json:"heds"`
	Missing     []string       `json:"to_be_added_by_the_authors"`
}

// A Count is the number of people of whom What is true.
type Count struct {
	What string `json:"what" csv:"what"`
	N    int    `json:"people" csv:"people"`
}

// A SystemRow has the numbers of a system's texts in the study and of the sheets about them.
type SystemRow struct {
	System string `json:"system" csv:"system"`
	Items  int    `json:"items" csv:"items"`
	Sheets int    `json:"sheets" csv:"sheets"` // that count
}

// An Exclusion is a person who is excluded, or whose data were deleted.
type Exclusion struct {
	Person string `json:"person" csv:"person"`
	Why    string `json:"why" csv:"why"`
	At     string `json:"at" csv:"at"`
	Sheets int    `json:"sheets" csv:"sheets"` // that do not count
}

// A Material is a text that people were shown, from a version of the study on.
type Material struct {
	What   string `json:"what" csv:"what"`
	From   int    `json:"from_version" csv:"from_version"`
	Length int    `json:"characters" csv:"characters"`
	SHA256 string `json:"sha256" csv:"sha256"`
}

// A WorkRow describes one person's work.
type WorkRow struct {
	Person  string       `json:"person" csv:"person"`
	State   string       `json:"state" csv:"state"`
	Sheets  int          `json:"sheets" csv:"sheets"`
	Skipped int          `json:"skipped" csv:"skipped"`
	Seconds stats.Figure `json:"median_seconds" csv:"median_seconds"`
	Early   stats.Figure `json:"median_seconds_first_half" csv:"first_half"`
	Late    stats.Figure `json:"median_seconds_second_half" csv:"second_half"`
	Flags   string       `json:"flags" csv:"flags"`
	Reasons string       `json:"reasons" csv:"reasons"` // see Reasons.String
	Strict  string       `json:"strict" csv:"strict"`   // see strict
}

// An AgreementRow is alpha of a criterion over the sheets that Whose names.
type AgreementRow struct {
	Criterion string       `json:"criterion" csv:"criterion"`
	Whose     string       `json:"whose" csv:"whose"`
	Level     string       `json:"level" csv:"level"`
	Items     int          `json:"items" csv:"items"`
	Alpha     table.Ranged `json:"alpha" csv:"alpha"`
}

// A CheckRow says how often people gave the known values of gold items, or repeated their own values.
type CheckRow struct {
	What   string       `json:"what" csv:"what"`
	Items  int          `json:"items" csv:"items"`
	Values int          `json:"values" csv:"values"`
	Share  stats.Figure `json:"share" csv:"share"`
	Kappa  stats.Figure `json:"kappa" csv:"kappa"`
}

// Values of AgreementRow.Whose, CheckRow.What and CriterionRow.Size.
const (
	counting   = "sheets that count"
	repeated   = "items that a person got twice"
	continuous = "continuous"
)

// A CriterionRow describes a question that people answered about each item.
type CriterionRow struct {
	Criterion string `json:"criterion" csv:"criterion"`
	Asked     string `json:"asked" csv:"asked"`
	Size      string `json:"size" csv:"size"`       // number of options, or continuous
	Options   string `json:"options" csv:"options"` // with their meanings
	Level     string `json:"level" csv:"level"`
}

// MakeDatasheet computes the report of a study. wage is the pay per hour, or 0 if unknown. If names is false, people appear by their
// aliases.
func MakeDatasheet(p *project.Project, wage float64, names bool) (*Datasheet, error) {
	counted, err := Compute(p, Selection{})
	if err != nil {
		return nil, err
	}
	everyone, err := Compute(p, Selection{Everyone: true})
	if err != nil {
		return nil, err
	}
	work, err := p.Work()
	if err != nil {
		return nil, err
	}
	gone, err := p.Forgotten()
	if err != nil {
		return nil, err
	}
	d := &Datasheet{Title: cmp.Or(p.Title, "Annotation"), Kind: p.Kind, Items: counted.Items, People: p.People}
	for _, it := range p.Items {
		d.Several += int(dataset.Indicator(it.Role == project.Overlap))
	}
	declined, err := p.Declined()
	if err != nil {
		return nil, err
	}
	d.recruited(p, counted, gone, names)
	if declined > 0 {
		d.Recruitment = append(d.Recruitment, Count{"did not consent, and are not among those invited", declined})
	}
	d.systems(p, work)
	d.materials(p)
	d.versions(p, work)
	if err := d.countQuestions(p, counted.People); err != nil {
		return nil, err
	}
	d.worked(counted, work, names)
	if wage > 0 {
		d.Wage = stats.Number(wage)
		if d.Hours.Known {
			d.Pay = stats.Number(wage * d.Hours.Value)
		}
	}
	d.agreed(p, counted, everyone, work)
	if err := d.unflagged(p, counted); err != nil {
		return nil, err
	}
	d.checked(counted.People)
	if err := d.sides(work); err != nil {
		return nil, err
	}
	if p.Form().Sides {
		d.countChoices(p, work)
	}
	d.heds(p, counted)
	return d, nil
}

// recruited counts people by how far they came. The counts from "of those invited: finished" to "deleted on request" add up to those
// invited.
func (d *Datasheet) recruited(p *project.Project, r *Report, gone []project.Tombstone, names bool) {
	counts := map[string]int{}
	for _, a := range r.People {
		began := a.Done > 0
		counts["began"] += int(dataset.Indicator(began))
		counts["consented"] += int(dataset.Indicator(a.Consented != ""))
		switch {
		case a.Excluded != "":
			counts["excluded"]++
			d.Excluded = append(d.Excluded, Exclusion{a.Published(names), a.Excluded, a.ExcludedAt[:10], a.Left})
		case a.Stopped != "":
			counts["stopped"]++
		case !a.Passed && a.Tries >= project.MostTries:
			counts["failed"]++
		case !a.Passed:
			counts["never"]++
		case a.hasEnded() && a.Few:
			counts["few"]++
		case a.hasEnded():
			counts["finished"]++
		case a.Revoked:
			counts["revoked"]++
		default:
			counts["left"]++
		}
	}
	for _, stone := range gone {
		d.Excluded = append(d.Excluded, Exclusion{fmt.Sprint("p", stone.Annotator), "data deleted on request", stone.At[:10], stone.Sheets})
	}
	before := len(data.Where(r.People, func(a Person) bool { return a.Returns }))
	d.Recruitment = []Count{{"invited", len(r.People) + len(gone)}, {"finished an item at least", counts["began"]}}
	if p.Consent != "" {
		d.Recruitment = append(d.Recruitment, Count{"consented", counts["consented"]})
	}
	d.Recruitment = append(d.Recruitment, Count{"of those invited: finished", counts["finished"]},
		Count{"skipped more items than they judged", counts["few"]},
		Count{"did not finish (dropped out, or still at work)", counts["left"]}, Count{"link revoked before the end", counts["revoked"]},
		Count{"stopped, because they missed attention items", counts["stopped"]},
		Count{"failed the check of the guidelines twice", counts["failed"]}, Count{"did not pass the check so far", counts["never"]},
		Count{"excluded", counts["excluded"]}, Count{"deleted on request", len(gone)})
	if before > 0 {
		d.Recruitment = append(d.Recruitment, Count{"among those invited: labelled before, on the same run", before})
	}
}

// systems counts the items and sheets of each system, by name. A pair counts for both systems.
func (d *Datasheet) systems(p *project.Project, work []project.Work) {
	items := map[string]int{}
	sheets := map[string]int{}
	for _, it := range p.Items {
		if it.Role == project.Main || it.Role == project.Overlap {
			for _, system := range it.Content.Systems {
				items[system]++
			}
		}
	}
	for _, w := range work {
		for _, system := range w.About.Content.Systems {
			sheets[system] += int(dataset.Indicator(w.Independent()))
		}
	}
	for _, system := range slices.Sorted(maps.Keys(items)) {
		d.Systems = append(d.Systems, SystemRow{system, items[system], sheets[system]})
	}
}

// materials lists the guidelines and consent texts of all versions, and the questions about an item.
func (d *Datasheet) materials(p *project.Project) {
	last := map[string]string{}
	for _, v := range p.Versions {
		for _, m := range []struct{ what, text string }{{"guidelines", v.Texts.Guidelines}, {"consent", v.Texts.Consent}} {
			if m.text != last[m.what] {
				last[m.what] = m.text
				d.Material = append(d.Material, Material{m.what, v.Version, len([]rune(m.text)), fmt.Sprintf("%x", sha256.Sum256([]byte(m.text)))})
			}
		}
	}
	if len(p.Items) == 0 {
		return
	}
	asked := map[string]bool{}
	for _, f := range p.Fields(p.Items[0]) {
		name := cmp.Or(f.Criterion, f.Name)
		if !f.Asked(nil) {
			name = project.Strength
		}
		if !f.Needed() || asked[name] {
			continue
		}
		asked[name] = true
		options := strings.Join(data.Each(f.Options, meaning), "; ")
		size := strconv.Itoa(len(f.Options))
		if f.Type == project.Number {
			size = continuous
			options = "any number from " + project.Points(f.Low) + " to " + project.Points(f.High)
			for _, l := range f.Levels {
				options += "; " + project.Points(l.Points) + ": " + l.Text
			}
		}
		if p.SeveralRight(f) {
			options += "; more than one may be right"
		}
		d.Criteria = append(d.Criteria, CriterionRow{name, cmp.Or(f.Text, f.Name), size, options, f.Level})
	}
}

// meaning returns the label of an option, followed by its meaning if it has one.
func meaning(o project.Option) string {
	if o.Text == "" || o.Text == o.Label {
		return o.Label
	}
	return o.Label + ": " + o.Text
}

// worked adds each person's sheets and times.
func (d *Datasheet) worked(r *Report, work []project.Work, names bool) {
	var total, claimed int64
	measured := strict(r.everyone())
	for _, a := range r.People {
		var times []int64 // milliseconds, in the order of the work
		for _, w := range work {
			if w.Annotator == a.ID {
				total += w.Server
				claimed += w.Active
			}
			if w.Annotator == a.ID && w.Last.Kind == project.Submit && w.Kind != project.Practice && w.Server > 0 {
				times = append(times, w.Server)
			}
		}
		row := WorkRow{Person: a.Published(names), State: a.State(), Sheets: a.Sheets + a.Left, Skipped: a.Skipped,
			Flags: data.List(a.Alerts), Reasons: a.Reasons.String(), Strict: measured[a.Name]}
		if half := len(times) / 2; half > 0 {
			seconds := func(milliseconds []int64) stats.Figure { return stats.Number(float64(median(milliseconds)) / 1000) }
			row.Seconds, row.Early, row.Late = seconds(times), seconds(times[:half]), seconds(times[half:])
		}
		d.Timed += len(times)
		d.Work = append(d.Work, row)
	}
	if total > 0 {
		d.Hours, d.Claimed = stats.Number(float64(total)/3600_000), stats.Number(float64(claimed)/3600_000)
	}
}

// checked sums up the gold, repeated and attention items of people who are not excluded.
func (d *Datasheet) checked(people []Person) {
	var gold, self compared
	attention := 0
	missed := 0
	for _, a := range people {
		if a.Excluded == "" {
			self = self.plus(a.Self)
			gold = gold.plus(a.Gold)
			attention += a.Looked.Attention
			missed += a.Looked.Missed
		}
	}
	d.Checks = data.Where([]CheckRow{gold.row("known items (gold)"), self.row(repeated),
		{What: "attention items", Items: attention, Values: attention, Share: stats.Ratio(attention-missed, attention)}},
		func(r CheckRow) bool { return r.Values > 0 })
}

// unflagged adds alpha without the people who have a flag, to show how much they change it.
func (d *Datasheet) unflagged(p *project.Project, counted *Report) error {
	flagged := data.Where(counted.People, func(a Person) bool { return a.Looked.Flag() != "" && a.Excluded == "" })
	if len(flagged) == 0 {
		return nil
	}
	without, err := Compute(p, Selection{Without: data.Each(flagged, func(a Person) string { return a.Name })})
	if err != nil {
		return err
	}
	for _, a := range without.Agreement {
		d.Agreement = append(d.Agreement, AgreementRow{a.Criterion, "without people with a flag", a.Level, a.Items,
			table.Ranged{Figure: a.Alpha}})
	}
	return nil
}

// agreed adds alpha over the sheets that count, over all sheets, and over each half of the items, ordered by the time of their last sheet.
func (d *Datasheet) agreed(p *project.Project, counted, everyone *Report, work []project.Work) {
	add := func(whose string, list []Agreement) {
		for _, a := range list {
			d.Agreement = append(d.Agreement, AgreementRow{a.Criterion, whose, a.Level, a.Items, table.Ranged{Figure: a.Alpha}})
		}
	}
	d.Findings = counted.Findings()
	add(counting, counted.Agreement)
	if counted.Left > 0 {
		add("with excluded people", everyone.Agreement)
	}
	ended := map[int64]string{}
	works := map[int64][]*project.Work{}
	for i := range work {
		w := &work[i]
		if w.Independent() {
			ended[w.Item] = max(ended[w.Item], w.Last.At)
			works[w.Item] = append(works[w.Item], w)
		}
	}
	var list []int64
	for item, sheets := range works {
		if len(sheets) > 1 {
			list = append(list, item)
		}
	}
	slices.SortFunc(list, func(a, b int64) int { return cmp.Or(cmp.Compare(ended[a], ended[b]), cmp.Compare(a, b)) })
	for i, half := range [][]int64{list[:len(list)/2], list[len(list)/2:]} {
		r := &Report{Width: p.Width}
		some := map[int64][]*project.Work{}
		for _, item := range half {
			some[item] = works[item]
		}
		r.gather(p, some)
		r.agree(p, data.Where(r.everyone(), func(t raters.Table) bool { return isTotal(t) || p.Form().Total == nil }))
		add([]string{"first half of the items", "second half of the items"}[i], r.Agreement)
	}
}

// sides computes how often people chose the answer that was shown first.
func (d *Datasheet) sides(work []project.Work) error {
	first := 0
	for _, w := range work {
		choice := w.Last.Sheet.Values["choice"]
		if w.Independent() && (choice == project.First || choice == project.Second) {
			d.Decided++
			first += int(dataset.Indicator(choice == project.First))
		}
	}
	if d.Decided == 0 {
		return nil
	}
	share, err := stats.Wilson(first, d.Decided, dataset.Confidence)
	if err == nil {
		d.FirstShare = table.Ranged{Figure: stats.WithInterval(share.Share, share.Low, share.High)}
	}
	return err
}

// A ChosenRow says how often people chose a system's answer, or some other value, on a criterion of pairs.
type ChosenRow struct {
	Criterion string       `json:"criterion" csv:"criterion"`
	Value     string       `json:"value" csv:"value"` // the system whose answer was chosen, or an option
	Sheets    int          `json:"sheets" csv:"sheets"`
	Share     stats.Figure `json:"share" csv:"share"` // among the sheets with a value of the criterion
}

// countChoices counts what people chose, by criterion. A chosen answer counts for its system, or for its side in the file if the system is
// unknown.
func (d *Datasheet) countChoices(p *project.Project, work []project.Work) {
	for _, f := range p.Fields(project.Item{Kind: p.Kind}) {
		if f.Stage > 1 || f.Type != project.Buttons {
			continue
		}
		counts := map[string]int{}
		n := 0
		for _, w := range work {
			value, given := w.Last.Sheet.In(w.Shown).Values[f.ID]
			if !w.Independent() || !given {
				continue
			}
			o, _ := f.Option(value)
			label := o.Label
			if side := slices.Index([]string{project.First, project.Second}, value); side >= 0 {
				label = []string{"a", "b"}[side]
				if systems := w.About.Content.Systems; len(systems) == 2 {
					label = systems[side]
				}
			}
			counts[label] = counts[label] + 1
			n++
		}
		for _, label := range slices.Sorted(maps.Keys(counts)) {
			d.Chosen = append(d.Chosen, ChosenRow{cmp.Or(f.Criterion, project.Strength), label, counts[label], stats.Ratio(counts[label], n)})
		}
	}
}

// plus returns the values of both c and other.
func (c compared) plus(other compared) compared {
	return compared{items: c.items + other.items, values: slices.Concat(c.values, other.values)}
}

// row returns the row of a check: the share of equal values, and kappa.
func (c compared) row(what string) CheckRow {
	kappa, same, n := c.measure()
	r := CheckRow{What: what, Items: c.items, Values: n}
	if n > 0 {
		r.Share = stats.Number(float64(same) / float64(n))
	}
	if kappa.Known {
		r.Kappa = stats.Number(kappa.Value)
	}
	return r
}

// Document returns the datasheet as a document for readers.
func (d *Datasheet) Document() table.Document {
	heading := func(number, title string) string { return title + " (HEDS 3.0, " + number + ")" }
	recruited := table.Section{ID: "recruitment", Title: heading("3.2", "People"), Table: table.From(1, d.Recruitment, "what", "people:0")}
	if len(d.Excluded) == 0 {
		recruited.About = "Nobody was excluded, and nobody's data were deleted."
	}
	design := fmt.Sprintf("%s of kind %s; %d of them for %s.", data.Plural(d.Items, "item", "items"), d.Kind, d.Several,
		data.Plural(d.People, "person", "people"))
	hours := "No time is known."
	if d.Hours.Known {
		hours = fmt.Sprintf("%s hours with items, measured by the server; %d sheets have a known time. The browsers claim %s hours.",
			d.Hours.Text(1), d.Timed, d.Claimed.Text(1))
	}
	if d.Pay.Known {
		hours += fmt.Sprintf(" At %s an hour this is %s.", d.Wage.Text(2), d.Pay.Text(2))
	}
	sections := []table.Section{recruited}
	if len(d.Excluded) > 0 {
		sections = append(sections, table.Section{ID: "excluded", Title: "Excluded and deleted",
			Table: table.From(3, d.Excluded, "person", "why", "at", "sheets:0=sheets that do not count")})
	}
	if len(d.Asked) > 0 {
		sections = append(sections, table.Section{ID: "asked", Title: heading("3.2", "What people said about themselves"),
			About: "Of people who are not excluded. A small count may show who somebody is: look before you publish it.",
			Table: table.From(3, d.Asked, "question", "moment", "answer", "people:0")})
	}
	if len(d.Check) > 0 {
		sections = append(sections, table.Section{ID: "check", Title: heading("3.3", "The check of the guidelines"),
			About: "Answers of everybody, in all attempts; two failed attempts end a person's part.",
			Table: table.From(2, d.Check, "question", "version:0", "answers:0", "wrong:0")})
	}
	sections = append(sections,
		table.Section{ID: "design", Title: heading("3.1 and 3.3", "Items and design"), Verdict: design,
			About: "Guidelines and consent are named by the SHA-256 of their text.",
			Table: table.From(2, d.Material, "what", "sha256", "from_version:0=from version", "characters:0")},
		table.Section{ID: "systems", Title: heading("3.1.1", "Items of each system"),
			About: "A pair counts for both of its systems. Where the file of the items does not name them, there are none.",
			Table: table.From(1, d.Systems, "system", "items:0", "sheets:0=sheets that count")},
		table.Section{ID: "versions", Title: "Versions of the study",
			About: "Sheets are those submitted by people who had seen this version's texts.",
			Table: table.From(3, d.Versions, "version:0", "at", "what", "sheets:0")},
		table.Section{ID: "criteria", Title: heading("4", "Criteria"),
			Table: table.From(4, d.Criteria, "criterion", "asked", "size", "options", "level")},
		table.Section{ID: "work", Title: heading("3.3", "Work, time and pay"), Verdict: hours,
			About: "Seconds are the median time of an item, from the page that the server sent to the sheet that it got; more than ten " +
				"minutes without " +
				"a sign of the person count as ten. Browsers claim the time without pauses of a minute and more, never more than the server " +
				"measured. Severity: logits, mean over criteria, above 0 stricter than people's mean; random: outfit surely above 1, and at least 1.3.",
			Table: table.From(4, d.Work, "person", "state", "flags", "reasons", "strict=strict, random", "sheets:0", "skipped:0",
				"median_seconds:0=seconds", "first_half:0=in the first half", "second_half:0=in the second half")},
		table.Section{ID: "agreement", Title: heading("4", "Agreement between people"),
			About: "Krippendorff's alpha; 95 % intervals by question. Halves are of the items by the time of their last sheet.",
			Table: table.From(3, d.Agreement, "criterion", "whose", "level", "items:0", "alpha")},
		table.Section{ID: "checks", Title: heading("3.3", "Checks of quality"),
			About: "Shares of equal values; kappa corrects for chance, is pooled over criteria, and is nominal: " +
				"near values are as different as far ones.",
			Table: table.From(1, d.Checks, "what", "items:0", "values:0", "share", "kappa")})
	if d.Chosen != nil {
		sections = append(sections, table.Section{ID: "chosen", Title: "What people chose",
			About: "Sheets that count; the side of an answer is random. Strengths of systems, with intervals, are in pairwise report.",
			Table: table.From(2, d.Chosen, "criterion", "value", "sheets:0", "share")})
	}
	if d.Decided > 0 {
		sections = append(sections, table.Section{ID: "sides", Title: "Position bias of people",
			Verdict: fmt.Sprintf("People chose the answer that they saw first in %s of %d decided choices; the sides were random.",
				d.FirstShare.Text(2), d.Decided)})
	}
	sections = append(sections, d.hedsSection())
	return table.Document{ID: "study", Title: d.Findings.Headline(),
		Lead:     d.Title + ": what a human-evaluation data sheet asks for, from the record of the study.",
		Sections: sections}
}
