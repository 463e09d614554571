package annotate

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"log"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/rubric"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// A study simulates a human study from a paper.
type study struct {
	name  string
	set   project.Settings
	items []project.Item
	// says returns the values that a person gives to an item, with a pair's sides in order ab.
	says func(person, item int) map[string]string
	// count compares exported figures with a count of what people said. figure reads a column of a file, in the row that begins with the
	// values row.
	count func(t *testing.T, said [][]map[string]string, figure func(file, column string, row ...string) float64)
}

// secondsPerKey is the time that an average typist needs for a key (Card, Moran and Newell 1980).
const secondsPerKey = 0.28

// TestSoakStudies: three people do the study of each paper by keyboard, to the end, and the owner sees them. The exported figures equal a
// count of what was entered.
//
// It logs the keys per item, next to those that the same sheet needs in other tools by their manuals. Label Studio needs a key for each
// choice or mark, one to get into a text, and Ctrl+Enter. Argilla needs Tab into the form, a key for each question, an arrow to the next
// one, and Enter.
func TestSoakStudies(t *testing.T) {
	sharedtest.Soak(t)
	for _, s := range []study{compqaStudy(), strumStudy(), sc2Study(), conjStudy()} {
		t.Run(s.name, func(t *testing.T) { s.play(t) })
	}
}

// play makes the study, lets three people do it in a browser, checks the pages and the number of keys, and compares the exported figures.
func (s study) play(t *testing.T) {
	dir := t.TempDir()
	s.set.Guidelines = "# How to judge\n\nRead **everything** first."
	s.set.Consent = "You take part of your own will."
	s.set.Code = "C0DE-" + s.name
	p := createIn(t, dir, s.set, s.items)
	server := New(p, log.New(t.Output(), "", 0))
	web := httptest.NewServer(server.Handler())
	t.Cleanup(web.Close)
	tab := browsertest.Start(t)
	said := make([][]map[string]string, 3)
	keys := 0
	asked := 0
	var took time.Duration
	for k, name := range []string{"ada", "bob", "cyn"} {
		said[k] = make([]map[string]string, len(s.items))
		tab.Do(chromedp.Navigate(web.URL + "/a/" + invite(t, p, name)))
		tab.Click("button")
		tab.See(`button[value="yes"]`)
		if k == 0 {
			tab.Axe(s.name + " consent")
		}
		tab.Click(`button[value="yes"]`)
		tab.See("fieldset")
		for _, q := range server.Project.CheckQuestions() {
			tab.Click(fmt.Sprintf(`input[name="q-%s"][value="%s"]`, q.ID, q.Right))
		}
		tab.Click("button.main")
		a := annotatorNamed(t, p, name)
		for n := 0; ; n++ {
			tab.Until(`document.title === "Done" || document.title.startsWith("Practice") || document.querySelector(".row.here") !== null`)
			if title(t, tab) == "Done" {
				break
			}
			if strings.HasPrefix(title(t, tab), "Practice") {
				tab.Axe(s.name + " feedback")
				tab.Click("a.main")
				tab.Until(`!document.title.startsWith("Practice")`)
				continue
			}
			if k == 0 && n == 0 {
				tab.Check(s.name, 320, 375, 1280)
				tab.Axe(s.name + " item")
				tab.Do(chromedp.EmulateViewport(1280, 800))
			}
			start := time.Now()
			pressed, buttons, main := s.fill(t, tab, p, a, k, said)
			if main {
				keys += pressed
				asked += buttons
				took = took + time.Since(start)
			}
		}
		if text := tab.Text(); !strings.Contains(text, s.set.Code) {
			t.Errorf("the completion code is missing: %s", text)
		}
	}
	sheets := 0.0 // number of sheets, each with all its stages
	for _, it := range s.items {
		if it.Role == project.Overlap {
			sheets += 3
		}
	}
	each := float64(keys) / sheets
	choices := float64(asked) / sheets
	t.Logf("%-8s compqa %4.1f keys, %4.1f s an item (browser %.1f s); Label Studio %4.1f keys, %4.1f s; Argilla %4.1f keys, %4.1f s", s.name, each,
		each*secondsPerKey, took.Seconds()/sheets, choices+2, (choices+2)*secondsPerKey, 2*choices+1, (2*choices+1)*secondsPerKey)
	if each > choices+2 {
		t.Errorf("%s takes more keys than in Label Studio", s.name)
	}
	tab.Do(chromedp.Navigate(web.URL + server.OwnerPath()))
	tab.Click("button")
	tab.Until(`document.querySelector("table") !== null`)
	if text := tab.Text(); strings.Count(text, "finished") != 3 {
		t.Errorf("the owner's page:\n%s", text)
	}
	tab.Check(s.name+"-owner", 320, 1280)
	tab.Axe(s.name + " owner")
	exported(t, p, dir, true)
	s.count(t, said, func(file, column string, row ...string) float64 {
		return cellOf(t, filepath.Join(dir, file), column, row)
	})
}

func annotatorNamed(t *testing.T, p *project.Project, name string) project.Annotator {
	t.Helper()
	all, err := p.Annotators()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("nobody is named %s", name)
	return project.Annotator{}
}

func title(t *testing.T, tab *browsertest.Tab) string {
	t.Helper()
	title, err := chromedp.Run(tab.Context, chromedp.Title())
	if err != nil {
		t.Fatal(err)
	}
	return title
}

// fill fills in and submits the open stage of an item by keyboard. It returns the numbers of keys and of choices, and whether the item
// belongs to the study.
func (s study) fill(t *testing.T, tab *browsertest.Tab, p *project.Project, a project.Annotator, person int, said [][]map[string]string) (keys, buttons int, main bool) {
	t.Helper()
	at, err := chromedp.Run(tab.Context, chromedp.Location())
	if err != nil {
		t.Fatal(err)
	}
	blind := at[strings.LastIndex(at, "/")+1:]
	assigned, err := p.Assignment(a.ID, blind)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	it := assigned.About
	last, _ := p.Last(blind)
	index, _ := strconv.Atoi(it.Source)
	values := s.says(person, index)
	if assigned.Kind == project.Gold || assigned.Kind == project.Practice {
		values = it.Expected.Values
	}
	sheet := project.Sheet{Values: values}
	if main = assigned.Kind == project.Main || assigned.Kind == project.Overlap; main {
		said[person][index] = values
	}
	if assigned.Shown == data.OrderBA {
		sheet = sheet.In(data.OrderBA)
	}
	press := func(key string) { t.Helper(); keys++; tab.Do(chromedp.KeyEvent(key)) }
	const tabulator = "\t"
	hidden := map[string]bool{"same": sheet.Values["same"] == "none", "against": sheet.Values["against"] == "none"}
	ended := false // a choice has submitted the stage
	fields := p.Fields(it)
	for len(fields) > 0 && fields[len(fields)-1].Type != project.Buttons && sheet.Values[fields[len(fields)-1].ID] == "" {
		fields = fields[:len(fields)-1] // the removed fields need no key
	}
	for _, f := range fields {
		group, _, part := strings.Cut(f.ID, "-")
		if f.Stage != last.Sheet.Stage+1 || part && hidden[group] {
			continue
		}
		value := sheet.Values[f.ID]
		if letter, is := strings.CutPrefix(f.ID, "why-"); is && sheet.Values["choice-"+letter] == sheet.Values["choice"] &&
			(letter == "A" || sheet.Values["choice-A"] == sheet.Values["choice"]) {
			continue // the field is not asked
		}
		if ended = f.Type == project.Buttons; ended || value != "" {
			buttons++
		}
		switch f.Type {
		case project.Buttons:
			whole, half, _ := strings.Cut(value, ".")
			index := slices.IndexFunc(f.Options, func(o project.Option) bool { return o.Value == value })
			if key := f.Options[index].Key; key != "" {
				press(key)
			} else if half != "" {
				press(whole)
				press(".")
			}
		case project.List:
			press(cmp.Or(value, "0"))
		case project.Mark:
			press(cmp.Or(value, "0"))
		case project.Text:
			if value != "" {
				tab.Type("#f-"+f.ID, value)
			}
			press(tabulator)
		}
	}
	if !ended || !s.set.AtOnce {
		press("\r")
	}
	tab.Until(fmt.Sprintf(`location.href !== %q || document.getElementById("item") !== null && Number(document.getElementById("item").dataset.revision) > %d && document.querySelector(".row.here") !== null`, at, last.Revision))
	return keys, buttons, main
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// cellOf returns the number in a column of the first row that begins with the given values. A value "" matches any text.
func cellOf(t *testing.T, path, column string, row []string) float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
next:
	for _, line := range lines[1:] {
		for i, want := range row {
			if want != "" && line[i] != want {
				continue next
			}
		}
		for i, name := range lines[0] {
			if name == column {
				x, err := strconv.ParseFloat(line[i], 64)
				if err != nil {
					t.Fatalf("%s, %s of %v: %q", path, column, row, line[i])
				}
				return x
			}
		}
	}
	t.Fatalf("%s has no %s of %v", path, column, row)
	return 0
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: exported %v, counted %v", what, got, want)
	}
}

// alphaOf computes Krippendorff's alpha by its definition: 1 minus the mean squared difference within units, divided by that between all
// values. units has the values of each unit.
func alphaOf(units [][]float64) float64 {
	var all []float64
	within := 0.0
	for _, u := range units {
		all = append(all, u...)
		for _, x := range u {
			for _, y := range u {
				within += (x - y) * (x - y) / float64(len(u)-1)
			}
		}
	}
	between := 0.0
	for _, x := range all {
		for _, y := range all {
			between += (x - y) * (x - y)
		}
	}
	n := float64(len(all))
	return 1 - (within/n)/(between/(n*(n-1)))
}

func items(n int, kind string, content func(i int) project.Content) (list []project.Item) {
	for i := range n {
		list = append(list, project.Item{Kind: kind, Source: strconv.Itoa(i), Cluster: "q" + strconv.Itoa(i/2), Role: project.Overlap, Content: content(i)})
	}
	return list
}

// compqaStudy returns the study of CompQA (Nikishina et al.): 15 criteria, with gold, repeated and practice items.
func compqaStudy() study {
	s := study{name: "compqa", set: project.Settings{People: 3, Checks: project.Checks{Gold: 2, Repeats: 2}, Examples: true}}
	s.items = items(6, project.Answer, func(i int) project.Content {
		return project.Content{Question: fmt.Sprintf("Which is better for a city, trams or buses? (%d)", i), A: ordinary}
	})
	for i, role := range []string{project.Practice, project.Example, project.Gold, project.Gold} {
		known := project.ScoreSheet(rubric.CQA().Full())
		known.Reason = "It fulfils every criterion."
		s.items = append(s.items, project.Item{Kind: project.Answer, Source: strconv.Itoa(100 + i), Cluster: "k" + strconv.Itoa(i), Role: role, Expected: &known,
			Content: project.Content{Question: "Which lasts longer?", A: ordinary}})
	}
	s.says = func(person, item int) map[string]string {
		scores := rubric.CQA().Full()
		for i, c := range rubric.CQA().Criteria {
			if (i+item*person+item)%4 == 0 {
				scores[c.ID] -= 0.5
			} else if (i+item)%3 == 0 {
				scores[c.ID]--
			}
		}
		return project.ScoreSheet(scores).Values
	}
	s.count = func(t *testing.T, said [][]map[string]string, figure func(string, string, ...string) float64) {
		var totals, each [][]float64
		for i := range 6 {
			totals = append(totals, nil)
			for person := range said {
				totals[i] = append(totals[i], rubric.CQA().Total(project.Sheet{Values: said[person][i]}.Scores()))
			}
			for _, c := range rubric.CQA().Criteria {
				var unit []float64
				for person := range said {
					unit = append(unit, project.Sheet{Values: said[person][i]}.Scores()[c.ID])
				}
				each = append(each, unit)
			}
		}
		same(t, "alpha of totals", figure(agreementTable.File, "alpha", project.Total, "all"), alphaOf(totals))
		same(t, "alpha of all scores", figure(agreementTable.File, "alpha", together, "all"), alphaOf(each))
		mean := 0.0
		for _, values := range totals {
			mean += (values[0] + values[1] + values[2]) / 18
		}
		same(t, "mean total", figure(figuresTable.File, "mean", data.Human, project.Total), mean)
	}
	return s
}

// strumStudy returns the study of STRUM-LLM (Gunel et al., appendix A): six labels of rows, rows of the same attribute, contradicting
// values.
func strumStudy() study {
	value := func(texts ...string) (list []data.ContrastValue) {
		for _, text := range texts {
			list = append(list, data.ContrastValue{Value: text, Evidence: []data.Evidence{{Source: "review", Quote: "it is " + text}}})
		}
		return list
	}
	labels := []string{"YES", "OK", "NO-extraction", "NO-inconsistent", "NO-undermerged", "NO-orthogonal"}
	s := study{name: "strum", set: project.Settings{People: 3, AtOnce: true}}
	s.items = items(3, project.Table, func(i int) project.Content {
		rows := []data.ContrastRow{{Attribute: "price", Object1: value("high"), Object2: value("low")},
			{Attribute: "cost", Object1: value("high", "not high", "much"), Object2: value("low")}, {Attribute: "speed", Object1: value("fast"), Object2: value("slow")}}
		return project.Content{Question: "Tram or bus?", Object1: "tram", Object2: "bus", Rows: rows[:3-i%2]}
	})
	s.says = func(person, item int) map[string]string {
		v := map[string]string{"same": "none", "against": "none"}
		for row := range 3 - item%2 {
			v["row-"+strconv.Itoa(row+1)] = labels[(row*(person+1)+item)%6]
		}
		if person == 0 {
			v["same"] = "marked"
			v["same-2"] = "1"
		}
		if person < 2 {
			v["against"] = "marked"
			v["against-2-1-2"] = "1"
		}
		return v
	}
	s.count = func(t *testing.T, said [][]map[string]string, figure func(string, string, ...string) float64) {
		macro := 0.0
		helps := 0.0
		rows := 0.0
		redundant := 0.0
		against := 0.0
		for person, name := range []string{"ada", "bob", "cyn"} {
			first := 0.0
			for item := range 3 {
				n := 3 - item%2
				yes := 0.0
				for row := range n {
					if said[person][item]["row-"+strconv.Itoa(row+1)] == "YES" {
						yes++
					}
				}
				first += yes / float64(n) / 3
				helps += yes
				rows += float64(n)
				if said[person][item]["same"] == "marked" {
					redundant += 1 / float64(n) / 9
				}
				if said[person][item]["against"] == "marked" {
					against += 1.0 / 9
				}
			}
			same(t, "CHS by "+name, figure(figuresTable.File, "mean", Judge(name), project.Helps), first)
			macro += first / 3
		}
		same(t, "CHS, macro", figure(figuresTable.File, "mean", data.Human, project.Helps), macro)
		same(t, "CHS, micro", figure(figuresTable.File, "mean_of_values", data.Human, project.Helps), helps/rows)
		same(t, "redundancy", figure(figuresTable.File, "mean", data.Human, project.Redundancy), redundant)
		same(t, "contradictions", figure(figuresTable.File, "mean", data.Human, project.Contradictions), against)
	}
	return s
}

func pairContent(i int, attachments ...project.Attachment) project.Content {
	return project.Content{Question: fmt.Sprintf("Which answer is better? (%d)", i), A: ordinary, B: "A bus." + strings.Repeat(" It is cheap.", i+1), Label: data.ChoiceA,
		Attachments: attachments}
}

// sc2Study returns the study of SC2 (Yan et al. 2024, section 6.5): a choice, then another choice and a rating with each of two tables.
func sc2Study() study {
	s := study{name: "sc2", set: project.Settings{People: 3, AtOnce: true}}
	table := "| Aspect | Only the first | Both | Only the second |\n|---|---|---|---|\n| price | low | | high |\n"
	s.items = items(4, project.Stages, func(i int) project.Content {
		return pairContent(i, project.Attachment{Judge: "draws-1", Text: table, Swapped: table}, project.Attachment{Judge: "draws-8", Text: table, Swapped: table})
	})
	choices := []string{project.First, project.Second, project.Tie}
	s.says = func(person, item int) map[string]string {
		v := map[string]string{"choice": choices[(person+item)%3], "choice-A": choices[item%2], "choice-B": project.First,
			"helpful-A": strconv.Itoa(1 + (person+item)%5), "helpful-B": strconv.Itoa(2 + item%4)}
		for _, letter := range []string{"A", "B"} {
			if v["choice-"+letter] != v["choice"] {
				v["why-"+letter] = "the table says more"
			}
		}
		return v
	}
	s.count = func(t *testing.T, said [][]map[string]string, figure func(string, string, ...string) float64) {
		score := map[string]float64{project.First: 1, project.Second: -1, project.Tie: 0}
		for field, row := range map[string]string{"choice": "before", "choice-A": "draws-1", "choice-B": "draws-8"} {
			mean := 0.0
			gain := 0.0
			better := 0.0
			for _, person := range said {
				for _, v := range person {
					mean += score[v[field]] / 12
					gain += (score[v[field]] - score[v["choice"]]) / 12
					if score[v[field]] > score[v["choice"]] {
						better++
					}
				}
			}
			same(t, "score "+row, figure(studyTable.File, "score", row), mean)
			if field != "choice" {
				same(t, "gain "+row, figure(studyTable.File, "gain", row), gain)
				same(t, "better "+row, figure(studyTable.File, "better", row), better)
			}
		}
		helpful := 0.0
		for _, person := range said {
			for _, v := range person {
				helpful += float64(number(v["helpful-A"])) / 12
			}
		}
		same(t, "rating of draws-1", figure(figuresTable.File, "mean", data.Human, "helpful", "draws-1"), helpful)
	}
	return s
}

// conjStudy returns the study of Con-J (Ye et al., section 4.5): a preference, then scales for the rationales of two judges.
func conjStudy() study {
	s := study{name: "conj", set: project.Settings{People: 3, AtOnce: true}}
	s.items = items(4, project.Rationales, func(i int) project.Content {
		return pairContent(i, project.Attachment{Judge: "con-j", Method: "con-j", Text: "The first is better, since it says more.", Choice: data.ChoiceA},
			project.Attachment{Judge: "direct", Method: "direct", Text: "The second is short.", Choice: data.ChoiceB})
	})
	for i := range s.items {
		s.items[i].Shown = []string{data.OrderAB, data.OrderBA}[i%2]
	}
	s.says = func(person, item int) map[string]string {
		return map[string]string{"choice": []string{project.First, project.Second, project.Tie}[(person*item)%3],
			"correctness-A": strconv.Itoa(1 + (person+item)%5), "consistency-A": strconv.Itoa(1 + item%3),
			"correctness-B": strconv.Itoa(5 - item), "consistency-B": strconv.Itoa(1 + person)}
	}
	s.count = func(t *testing.T, said [][]map[string]string, figure func(string, string, ...string) float64) {
		for letter, judge := range map[string]string{"A": "con-j", "B": "direct"} {
			for _, scale := range []string{"correctness", "consistency"} {
				sum := 0.0
				for _, person := range said {
					for _, v := range person {
						sum += float64(number(v[scale+"-"+letter]))
					}
				}
				same(t, scale+" of "+judge, figure(figuresTable.File, "mean", data.Human, scale, judge), sum/12)
			}
		}
		same(t, "a grade", figure(GradesFile, "correctness", "1", "con-j", "", "", Judge("bob")), 3)
	}
	return s
}

// TestSoakSheetReadAloud: a screen reader reads a sheet in the order of its text: the question, the answer, each criterion with its
// requirement, each level with its points and text, the number of open criteria, and the button. At 200 % zoom, nothing is wider than the
// screen and the bar is visible.
func TestSoakSheetReadAloud(t *testing.T) {
	sharedtest.Soak(t)
	p := createIn(t, t.TempDir(), project.Settings{}, items(1, project.Answer, func(int) project.Content {
		return project.Content{Question: "Which is better, trams or buses?", A: ordinary}
	}))
	web := httptest.NewServer(New(p, quiet()).Handler())
	t.Cleanup(web.Close)
	tab := browsertest.Start(t)
	admit(t, tab, p, web.URL, "ada")
	tab.Until(`document.querySelector(".row.here") !== null`)
	want := []string{"heading | Which is better, trams or buses?", "Trams and buses both carry many people.", "columnheader | Tram", "cell | 30 years", "form | Your sheet",
		"heading | STRUCTURE"}
	for _, c := range rubric.CQA().Criteria {
		want = append(want, fmt.Sprintf("radiogroup | %s %s", c.ID, c.Name))
		for _, l := range c.Levels {
			want = append(want, fmt.Sprintf("radio | %s %s", project.Points(l.Points), l.Text))
		}
	}
	want = append(want, "textbox | Remark, or the reason of a skip or flag", "15 open", "button | Skip (s)", "button | Submit (Enter)")
	read := tab.Read()
	if missing := firstMissing(read, want); missing != "" {
		t.Fatalf("%q is not read after what stands before it:\n%s", missing, read)
	}
	for _, c := range rubric.CQA().Criteria[:1] { // only the open criterion shows its description
		if !strings.Contains(read, "| "+c.Text) {
			t.Errorf("the requirement of %s is not read", c.Name)
		}
	}
	tab.Do(chromedp.EmulateViewport(375, 500), chromedp.Reload())
	tab.Until(`document.querySelector(".row.here") !== null && scrollY === 0`) // the answer comes first
	tab.Do(chromedp.EmulateViewport(640, 400))
	tab.Until(`document.documentElement.scrollWidth <= innerWidth`)
	tab.Until(`(() => { const f = document.querySelector("footer").getBoundingClientRect(); return f.bottom <= innerHeight && f.height < innerHeight / 3; })()`)
}

// firstMissing returns the first wanted text that does not follow the texts before it, or "" if all are there in order.
func firstMissing(read string, want []string) string {
	for _, text := range want {
		_, after, found := strings.Cut(read, text)
		if !found {
			return text
		}
		read = after
	}
	return ""
}
