package table

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"compqa/stats"
)

type Keyed struct {
	Name string `csv:"name"`
}

type measured struct {
	Keyed
	N     int          `csv:"n"`
	Alpha stats.Figure `csv:"alpha,alpha_low,alpha_high"`
	Mean  stats.Figure `csv:"mean,ci_low,ci_high"`
	Notes Names        `csv:"-"`
}

var measurements = []measured{
	{Keyed: Keyed{"a"}, N: 3, Alpha: stats.Bound(stats.Number(0.5), stats.Number(0.25), stats.Number(0.75)), Mean: stats.Number(1), Notes: Names{"x", "y"}},
	{Keyed: Keyed{"b"}},
}

// A struct defines the columns of CSV, including those of embedded structs and of bounds.
func TestColumns(t *testing.T) {
	var b strings.Builder
	if err := CSV(measurements)(&b); err != nil {
		t.Fatal(err)
	}
	if want := "name,n,alpha,alpha_low,alpha_high,mean,ci_low,ci_high\na,3,0.5,0.25,0.75,1,,\nb,0,,,,,,\n"; b.String() != want {
		t.Errorf("%s, want\n%s", b.String(), want)
	}
}

func TestFrom(t *testing.T) {
	got := From(1, measurements, "name", "alpha:1=agreement", "mean+2", "Notes=notes").Markdown()
	want := `| name |      agreement |  mean | notes |
| ---- | -------------: | ----: | ----: |
| a    | 0.5 [0.2, 0.8] | +1.00 |  x; y |
| b    |              – |     – |       |

`
	if got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a view of an unknown column")
		}
	}()
	From(1, measurements, "absent")
}

// The cells of a grid may be set in any order.
func TestGridAndPage(t *testing.T) {
	grid := NewGrid("system")
	grid.Set("1", "j", "a")
	grid.Set("2", "k", "b")
	grid.Set("3", "j", "b")
	page := Page("Points", "Of two judges.", Section{Title: "By system", Table: &grid.Table}, Section{Title: "Left out", Table: &Table{}})
	want := `# Points

Of two judges.

## By system

| system |   j |   k |
| ------ | --: | --: |
| a      |   1 |     |
| b      |   3 |   2 |
`
	if page != want {
		t.Errorf("\n%s, want\n%s", page, want)
	}
}

// Bounds from too few questions are in files, but not shown.
func TestTooFewQuestions(t *testing.T) {
	b := stats.WithInterval(6, -6.7, 18.7)
	b.Few = true
	if text := b.Text(1); text != "6.0" || b.Interval() {
		t.Error(text)
	}
	view := New(1, "system", "points")
	view.Add("a", b)
	var screen strings.Builder
	if err := view.TerminalWidth(&screen, 80); err != nil || !strings.HasSuffix(screen.String(), FewNote+"\n") || view.Below() != FewNote {
		t.Errorf("%v: %q, %q", err, screen.String(), view.Below())
	}
	view = New(1, "system", "points")
	if view.Add("a", b.Point()); view.Below() != "" {
		t.Error(view.Below())
	}
}

func TestViewAsCSV(t *testing.T) {
	few := stats.WithInterval(1.25, -3, 9)
	few.Few = true
	view := New(1, "system", "points", "mean", "scored")
	view.Add(Cell{Text: "a", Mark: "†"}, stats.WithInterval(2.5, 2, 3), CellText(stats.Number(17.5), stats.Number(1.5), 9, 10), Cell{Text: "9 of 80", Value: stats.Count(9)})
	view.Add("b", few, stats.Figure{}, 4)
	var b strings.Builder
	const want = "system,system mark,points,points low,points high,mean,mean deviation,mean n,scored,scored as shown\n" +
		"a,†,2.5,2,3,17.5,1.5,9,9,9 of 80\nb,,1.25,,,,,,4,\n"
	if err := view.WriteCSV(&b); err != nil || b.String() != want {
		t.Errorf("%s\nwant\n%s%v", b.String(), want, err)
	}
}

// In JSON, a figure is a number, and a Ranged is an object with its interval. A missing figure is null in both.
func TestFiguresInJSON(t *testing.T) {
	got, err := json.Marshal(struct {
		Number, Missing   stats.Figure
		Interval, Without Ranged
	}{stats.WithInterval(1, 0, 2), stats.Figure{}, Ranged{stats.WithInterval(1, 0, 2)}, Ranged{stats.Number(1)}})
	want := `{"Number":1,"Missing":null,"Interval":{"value":1,"low":0,"high":2},"Without":{"value":1,"low":null,"high":null}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestReasons checks that a column of reasons says why the figures named by its tag are missing, with each reason once. Pages give the
// reason at the figure.
func TestReasons(t *testing.T) {
	type row struct {
		Name       string       `csv:"name"`
		Alpha, Rho stats.Figure `csv:"-"`
		Note       Reasons      `csv:"note" figures:"Alpha,Rho"`
	}
	constant := fmt.Errorf("rho: %w", stats.ErrConstant)
	rows := []row{{Name: "a", Alpha: stats.Number(1)}, {Name: "b", Alpha: stats.MissingFigure(constant), Rho: stats.MissingFigure(constant)},
		{Name: "c", Alpha: stats.Figure{Known: true, Why: stats.ErrZeroWidth}, Rho: stats.MissingFigure(stats.NotEnough("two pairs"))}}
	var b strings.Builder
	const want = "name,note\na,\nb,one side has the same value everywhere\nc,the standard error is zero; two pairs\n"
	if err := CSV(rows)(&b); err != nil || b.String() != want {
		t.Errorf("%s\nwant\n%s%v", b.String(), want, err)
	}
	text, err := json.Marshal(Rows[row](rows[:2]))
	if err != nil || string(text) != `[{"name":"a","note":""},{"name":"b","note":"one side has the same value everywhere"}]` {
		t.Errorf("%s, %v", text, err)
	}
	shown := (&Shown{Section: &Section{Table: From(1, rows, "name", "Alpha", "Rho")}}).Rows()
	for i, title := range []string{"", "one side has the same value everywhere", "no interval: the standard error is zero"} {
		if cell := shown[i].Cells[1]; cell.Whole != title {
			t.Errorf("row %d: title %q, want %q", i, cell.Whole, title)
		}
	}
}
