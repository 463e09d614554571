package bench

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// A readCase is one or two files in ../shared/cases5/tables with the right figure, which scikit-learn, scipy or krippendorff computed.
type readCase struct {
	log, people string // in ../shared/cases5/tables or a folder beside it; without people, the command is compqa agree --units log
	flags       []string
	judge       string // "" for the first judge
	criterion   string // "" for the first criterion
	n           float64
	figure      string // column of a row that compares the judge with people's mean or majority
	want        float64
	says        string // text in the output
	refused     string // text in the error; "" if the files are read
}

var readCases = []readCase{
	{log: "promptfoo_human.json", people: "promptfoo_people.csv", criterion: "pass", n: 60, figure: "agreement", want: .75},
	{log: "promptfoo_human.json", people: "promptfoo_human.json", criterion: "pass", n: 45, figure: "kappa", want: .507},
	{log: "argilla1.jsonl", people: "argilla1.jsonl", n: 60, figure: "kappa_weighted", want: .748},
	{log: "argilla1_judge.csv", people: "argilla1.jsonl", n: 60, figure: "alpha", want: .75},
	{log: "pairs_judge.csv", people: "pairs_people_left.csv", n: 80, figure: "kappa", want: .791},
	{log: "pairs_judge.csv", people: "pairs_people_model.csv", n: 80, figure: "kappa", want: .791},
	{log: "reliability_llm.csv", people: "reliability_people.csv", criterion: "ArtBias", n: 339, figure: "alpha", want: .547},
	{log: "reliability_llm.csv", people: "reliability_people.csv", criterion: "Type", n: 339, figure: "alpha", want: .503},
	{log: "reliability_llm.csv", people: "reliability_people.csv", criterion: "LedePres", n: 339, figure: "alpha", want: .344},
	{log: "criteria_judge.csv", people: "criteria_people.csv", criterion: "Clarity", n: 60, figure: "alpha", want: .795},
	{log: "criteria_judge.csv", people: "criteria_people.csv", criterion: "Depth", n: 60, figure: "alpha", want: -.035},
	{log: "q_judge.csv", people: "two_header_rows.csv", n: 60, figure: "alpha", want: .795},
	{log: "email_judge.csv", people: "email_long.csv", n: 60, figure: "alpha", want: .795, says: "120 values of 2 people"},
	{log: "likert_judge.csv", people: "likert_en.csv", n: 60, figure: "alpha", want: .81},
	{log: "two_judges.csv", people: "two_judges.csv", judge: "gpt4", n: 60, figure: "alpha", want: .75},
	{log: "two_judges.csv", people: "two_judges.csv", judge: "claude", n: 60, figure: "alpha", want: .874},
	{log: "phoenix_annotations.csv", people: "phoenix_annotations.csv", n: 45, figure: "kappa", want: .464},
	{log: "fh_j.jsonl", people: "fh_h.jsonl", judge: "local-b", n: 20, figure: "kappa", want: .286},
	{log: "fh_j.jsonl", people: "fh_h.jsonl", judge: "api", n: 20, figure: "kappa", want: .528},
	{log: "l2.tsv", people: "h2.tsv", n: 160, figure: "alpha", want: .898},
	{log: "llm.qrels", people: "human.qrels", n: 120, figure: "alpha", want: .845},
	{log: "vertex.csv", people: "vertex.csv", criterion: "fluency", n: 40, figure: "alpha", want: .938},
	{log: "vertex_pair.csv", people: "vertex_pair.csv", n: 97, figure: "agreement", want: .34},
	{log: "os_judge.json", people: "os_people.json", n: 18, figure: "alpha", want: .072},
	{log: "flip_judge.csv", people: "flip_people_with_consensus.csv", n: 60, figure: "alpha", want: .85, says: "180 values of 3 people"},

	{log: "quepid.csv", people: "quepid.csv", n: 28, figure: "alpha", want: .057, says: `"LATER" among numbers`},

	{log: "judgekeeper-coding-results.csv", people: "judgekeeper-coding-labels.csv", criterion: "verdict", n: 60, figure: "kappa", want: .967},
	{log: "spelling_judge.csv", people: "spelling_people.csv", n: 60, figure: "kappa", want: .499},
	{log: "disjoint_judge.csv", people: "disjoint_people.csv", n: 60, figure: "agreement", want: 1},
	{log: "zeros_judge.csv", people: "zeros_people.csv", n: 60, figure: "alpha", want: .75},
	{log: "systems_judge.csv", people: "systems_people.csv", n: 120, figure: "alpha", want: .774},
	{log: "percent_judge.csv", people: "percent_people.csv", n: 60, figure: "mean_difference", want: 2.333},
	{log: "q_judge.csv", people: "dates.xlsx", refused: "20 of people's values are dates"},
	{log: "none_j.csv", people: "none_h.csv", refused: `--scale "stance=labels:against,favor,none"`},
	{log: "none_j.csv", people: "none_h.csv", flags: []string{"--scale", "stance=labels:against,favor,none"},
		n: 40, figure: "kappa", want: .442},
	{log: "otj.jsonl", people: "otp.csv", refused: `--scale "label=labels:full,none,partial,refused"`},
	{log: "otj.jsonl", people: "otp.csv", flags: []string{"--scale", "label=labels:full,none,partial,refused"},
		n: 40, figure: "kappa", want: .795},
	{log: "na_j.csv", people: "na_h.csv", refused: `--scale "verdict=labels:n/a,no,yes"`},
	{log: "na_j.csv", people: "na_h.csv", flags: []string{"--scale", "verdict=labels:n/a,no,yes"}, n: 40, figure: "kappa", want: .806},
	{log: "q_judge.csv", people: "reannotated.csv", refused: "--repeats first|last|mean"},
	{log: "q_judge.csv", people: "reannotated.csv", flags: []string{"--repeats", "last"}, n: 60, figure: "alpha", want: .75},
	{log: "q_judge.csv", people: "reannotated.csv", flags: []string{"--repeats", "first"}, n: 60, figure: "alpha", want: .649},
	{log: "copy_judge.csv", people: "copy_people.csv", n: 60, figure: "alpha", want: .798, says: "equals a on 60 of 60 items"},
	{log: "../start/swapped/judge.csv", people: "../start/swapped/labels.csv", criterion: "quality", n: 292, figure: "alpha", want: .552},
	{log: "../start/swapped/judge.csv", people: "../start/swapped/labels.csv", criterion: "passes", figure: "alpha", want: .36},
	{log: "../start/swapped/judge.csv", people: "../start/swapped/only_q.csv", criterion: "quality", n: 292, figure: "alpha", want: .552},
	{log: "../start/swapped/judge.csv", people: "../start/swapped/two_scales.csv", criterion: "quality", n: 292, figure: "alpha", want: .552},

	{log: "consensus_long.csv", figure: "alpha", want: .799, says: "3 people"},
	{log: "case.csv", figure: "alpha", want: .881, says: "2 people"},
	{log: "mqm.tsv", refused: "rows are not ratings"},
	{log: "consensus_wide.csv", figure: "alpha", want: .799, says: "3 people"},
	{log: "two_header_rows.csv", criterion: "Quality", figure: "alpha", want: .799},
	{log: "two_header_rows.csv", criterion: "Fluency", figure: "alpha", want: .657},
	{log: "ocs_pivot.csv", criterion: "score", figure: "alpha", want: .742, says: "2 people"},
	{log: "matrix_noid.csv", figure: "alpha", want: .768},
	{log: "gforms.csv", figure: "alpha", want: .799},
	{log: "email_long.csv", figure: "alpha", want: .799},
	{log: "kripp.csv", figure: "alpha", want: .849, says: "4 people"},
	{log: "kripp.csv", flags: []string{"--level", "nominal"}, figure: "alpha", want: .743},
	{log: "kripp.csv", flags: []string{"--level", "ordinal"}, figure: "alpha", want: .815},
	{log: "metajudge-summeval-coherence.csv", figure: "alpha", want: .559},
	{log: "metajudge-summeval-coherence.csv", flags: []string{"--level", "ordinal"}, figure: "alpha", want: .554},
	{log: "quepid.csv", figure: "alpha", want: .012, says: "3 people"},
	{log: "potato.jsonl", criterion: "quality", figure: "alpha", want: -.23, says: "2 criteria"},
	{log: "appen.csv", flags: []string{"--level", "nominal"}, figure: "alpha", want: -.188, says: "1 criterion"},
}

// TestCasesOfReading: the program finds from a file alone what its columns are.
func TestCasesOfReading(t *testing.T) {
	folder := sharedtest.Path(t, "cases5", "tables")
	for _, c := range readCases {
		log := filepath.Join(folder, c.log)
		t.Run(strings.Join([]string{c.log, c.people, c.judge + c.criterion, strings.Join(c.flags, " ")}, " "), func(t *testing.T) {
			args := append([]string{"agree", "--json", "--units", log}, c.flags...)
			if c.people != "" {
				args = append([]string{"validate", "--json", "--out", t.TempDir(), log, "--people", filepath.Join(folder, c.people)}, c.flags...)
			}
			code, out, stderr := compqa(args...)
			if c.refused != "" {
				if code != exitUsage || !strings.Contains(stderr, c.refused) {
					t.Errorf("exit code %d, and %q does not say %q", code, stderr, c.refused)
				}
				return
			}
			if code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			var result struct {
				Validation, Agreement []map[string]any
				Read, Notes           []string
				Findings              []finding
			}
			if err := json.Unmarshal([]byte(out), &result); err != nil {
				t.Fatal(err)
			}
			n, got := c.row(append(result.Validation, result.Agreement...))
			if math.Abs(got-c.want) > .00051 || c.n > 0 && n != c.n {
				t.Errorf("%s is %v of %v, want %v of %v", c.figure, got, n, c.want, c.n)
			}
			if read := strings.Join(slices.Concat(result.Read, textsOf(result.Findings), result.Notes), "\n"); !strings.Contains(read, c.says) {
				t.Errorf("%q does not say %q", read, c.says)
			}
		})
	}
}

// row returns the number of items and the figure of the case's row. The figure is NaN if there is none.
func (c *readCase) row(rows []map[string]any) (n, figure float64) {
	figure = math.NaN()
	for _, row := range rows {
		mean := row["reference"] == "people:mean" || row["reference"] == nil
		of := row["judge"]
		if c.judge != "" && of != c.judge || c.criterion != "" && row["criterion"] != c.criterion {
			continue
		}
		if x, is := row["n"].(float64); is && mean && n == 0 {
			n = x
		}
		x, is := row[c.figure].(float64)
		if is && math.IsNaN(figure) && (mean || row["reference"] == "people:majority") {
			figure = x
		}
	}
	return n, figure
}
