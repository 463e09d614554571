package sources

import (
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// TestCasesOfPairs5 checks the numbers of pairs, clusters, wins and ties in the files of shared/cases5/pairs, or the reason why a file is
// refused. If answers contain GOOD and BAD, each decided label must favour the GOOD one.
func TestCasesOfPairs5(t *testing.T) {
	for file, want := range map[string]struct {
		pairs, clusters, wins, ties int
		says, refused               string
	}{
		"alpacafarm.jsonl":           {pairs: 12, clusters: 12, wins: 12},
		"b_system.jsonl":             {pairs: 6, clusters: 6, wins: 6},
		"b_multiturn.jsonl":          {pairs: 6, clusters: 6, wins: 6},
		"images.jsonl":               {pairs: 12, clusters: 12, wins: 12, says: "12 questions with an image"},
		"ragrb.jsonl":                {pairs: 12, clusters: 12, wins: 12},
		"distilabel_orca.jsonl":      {pairs: 12, clusters: 12, wins: 8, ties: 4},
		"contradict.jsonl":           {pairs: 12, clusters: 12, wins: 6, says: "6 pairs again with another choice: a conflict"},
		"ab.csv":                     {refused: "--map choice.system=winner"},
		"ppe_bok.jsonl":              {pairs: 48, clusters: 12, wins: 48},
		"scores_ab.jsonl":            {pairs: 12, clusters: 12, wins: 11, ties: 1, says: "12 labels by the scores of both answers"},
		"human_judge_winner.jsonl":   {pairs: 12, clusters: 12, wins: 12},
		"refused/c_arenahard.jsonl":  {refused: "neither the question nor the answers are in the file"},
		"refused/empty.jsonl":        {pairs: 11, clusters: 11, wins: 11, says: "1 row without one of the answers left out"},
		"refused/mmrb.jsonl":         {pairs: 12, clusters: 12, wins: 12, says: "an image"},
		"refused/nectar.jsonl":       {pairs: 24, clusters: 12, wins: 24},
		"refused/openai_pref.jsonl":  {pairs: 12, clusters: 12, wins: 12},
		"refused/prometheus.jsonl":   {pairs: 12, clusters: 12, wins: -1},
		"refused/search_arena.jsonl": {pairs: 12, clusters: 12, wins: -1},
		"refused/shp.jsonl":          {pairs: 12, clusters: 12, wins: -1},
		"refused/vlrb.jsonl":         {pairs: 12, clusters: 12, wins: -1, says: "an image"},
		"refused/wildbench.jsonl":    {pairs: 12, clusters: 12, wins: -1},
		"refused/tie*.jsonl":         {pairs: 2, clusters: 2, ties: 2},
		"refused/word*.jsonl":        {pairs: 2, clusters: 2, wins: 2},
	} {
		files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "cases5", "pairs"), filepath.FromSlash(file)))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %d files, %v", file, len(files), err)
		}
		for _, path := range files {
			set, err := ReadPairs(path, "", Options{})
			if want.refused != "" {
				if err == nil || !strings.Contains(err.Error(), want.refused) {
					t.Errorf("%s: %v, want %s", path, err, want.refused)
				}
				continue
			}
			clusters := map[string]bool{}
			wins := 0
			ties := 0
			for _, p := range set.Pairs {
				clusters[p.Cluster] = true
				better := p.A
				worse := p.B
				if p.Label == data.ChoiceB {
					better, worse = worse, better
				}
				switch {
				case p.Label == data.ChoiceTie:
					ties++
				case p.Label.Decided():
					wins++
					if strings.Contains(worse, "GOOD") && strings.Contains(better, "BAD") && !strings.Contains(file, "word") {
						t.Errorf("%s: %+v", path, p)
					}
				}
			}
			if err != nil || len(set.Pairs) != want.pairs || len(clusters) != want.clusters || want.wins >= 0 && (wins != want.wins || ties != want.ties) ||
				!strings.Contains(set.Source, want.says) {
				t.Errorf("%s: %d pairs in %d clusters, %d wins, %d ties; %s, %v", path, len(set.Pairs), len(clusters), wins, ties, set.Source, err)
			}
		}
	}
}

// TestCasesOfChoices5 checks choices on the pairs of shared/cases5/pairs/pairs.jsonl: all are right after the column of orders is applied,
// and names in a column model are not persons.
func TestCasesOfChoices5(t *testing.T) {
	pairs, err := data.ReadPairs(sharedtest.Path(t, "cases5", "pairs", "pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]data.Pair{}
	for _, p := range pairs {
		byID[p.ID] = p
	}
	for file, want := range map[string]struct {
		judge  string
		orders map[string]int
	}{
		"judge_orders.csv": {"gpt", map[string]int{data.OrderAB: 30, data.OrderBA: 30}},
		"model_judge.csv":  {"gpt-5", map[string]int{data.OrderAB: 30}},
		"swapped.csv":      {"human:anna", map[string]int{data.OrderAB: 15, data.OrderBA: 15}},
	} {
		given, _, _, err := ReadPreferences(sharedtest.Path(t, "cases5", "pairs", file), func(id string) (data.Pair, bool) {
			p, known := byID[id]
			return p, known
		}, Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		orders := map[string]int{}
		for _, p := range given {
			orders[p.Order]++
			if p.Judge != want.judge || data.Choice(p.Choice) != byID[p.ID].Label {
				t.Errorf("%s: %+v, the label is %s", file, p, byID[p.ID].Label)
			}
		}
		if orders[data.OrderAB] != want.orders[data.OrderAB] || orders[data.OrderBA] != want.orders[data.OrderBA] {
			t.Errorf("%s: %v, want %v", file, orders, want.orders)
		}
	}
}

// TestPairsNotUnderstood checks that pairs with unclear columns are refused, and that the error says how to go on.
func TestPairsNotUnderstood(t *testing.T) {
	const head = "question,response_a,response_b,"
	for content, want := range map[string]string{
		head + "winner,vote\nQ?,x,y,a,b\nR?,v,w,b,a\n":                 "several columns have choices: winner and vote",
		head + "label\nQ?,x,y,0\nR?,v,w,1\n":                           "label has the numbers 0 and 1, and nothing says which answer each one is",
		head + "winner,second_winner_x\nQ?,x,y,a,b\nR?,v,w,b,a\n":      "the column second_winner_x is not read: its values are choices",
		head + "winner,score_of_judge\nQ?,x,y,a,4\nR?,v,w,b,3\n":       "the column score_of_judge is not read: its name may be of",
		head + "winner,order\nQ?,x,y,1,ab\nR?,v,w,2,ba\n":              "winner names an answer, and order says in which order they were shown",
		head + "winner,order\nQ?,x,y,left,first\nR?,v,w,left,b then a": `an order is ab or ba`,
		head + "winner,swapped\nQ?,x,y,a,true\nR?,v,w,b,false\n":       "--map choice.shown=winner",
		head + "winner,ghi\n" + strings.Repeat("Q?,x,y,a,"+strings.Repeat("long text ", 9)+"\n", 2) + "R?,v,w,a," + strings.Repeat("other text ", 9):    "its texts may be something",
		"question,response_a,response_b\n\"x and y: first answer of twenty, second answer of twenty\",first answer of twenty,second answer of twenty\n": "the question has the texts of both answers",
	} {
		set, err := ReadPairs(written(t, map[string]string{"p.csv": content})+"/p.csv", "", Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %s", content, set, err, want)
		}
	}
}

// TestPairsByMap checks that the flags which these errors name work: what a choice names, further texts, and columns to leave out.
func TestPairsByMap(t *testing.T) {
	ab := sharedtest.Path(t, "cases5", "pairs", "ab.csv")
	set, err := ReadPairs(ab, "", Options{Alone: true, Map: map[string]string{"choice.system": "winner"}})
	wins := map[string]int{}
	for _, p := range set.Pairs {
		wins[map[data.Choice]string{data.ChoiceA: p.SystemA, data.ChoiceB: p.SystemB}[p.Label]]++
	}
	if err != nil || wins["A"] != 30 || wins["B"] != 10 {
		t.Errorf("%v, %v; want 30 : 10", wins, err)
	}
	for content, c := range map[string]struct {
		m        map[string]string
		label    data.Choice
		question string
	}{
		"question,response_a,response_b,winner,swapped\nQ?,x,y,a,true\n": {map[string]string{"choice.shown": "winner"}, "b", "Q?"},
		"question,response_a,response_b,winner,order\nQ?,x,y,A,ba\n":     {map[string]string{"choice.side": "winner"}, "a", "Q?"},
		"question,response_a,response_b,winner,vote\nQ?,x,y,a,b\n":       {map[string]string{"choice": "vote", "left": "winner"}, "b", "Q?"},
		"question,response_a,response_b,winner,hint of it\nQ?,x,y,a,H\n": {map[string]string{"context": "hint of it"}, "a", "Q?\n\nHint of it: H"},
	} {
		set, err := ReadPairs(written(t, map[string]string{"p.csv": content})+"/p.csv", "", Options{Alone: true, Map: c.m})
		if err != nil || set.Pairs[0].Label != c.label || set.Pairs[0].Question != c.question {
			t.Errorf("%s: %+v, %v", content, set, err)
		}
	}
}

// TestAdviceOfLayouts checks the advice for a column that a published layout does not read: it names only flags that the layout accepts,
// and they work.
func TestAdviceOfLayouts(t *testing.T) {
	chosen := `{"prompt": "Q%d?", "chosen": "x%d", "rejected": "y%d", "preference": "%s", "chosen_score": %d, "rejected_score": 3}` + "\n"
	rows := strings.NewReplacer("%d", "1", "%s", "A").Replace(chosen) + strings.NewReplacer("%d", "3", "%s", "B").Replace(chosen)
	path := filepath.Join(written(t, map[string]string{"p.jsonl": rows}), "p.jsonl")
	for _, c := range []struct {
		m    map[string]string
		says string
	}{
		{nil, "has a choice already; show it to the judge: --map context=preference, or leave it out: --map left=preference"},
		{map[string]string{"choice": "preference"}, "does not take --map choice=preference; rename the column, or leave it out: --map left=preference"},
		{map[string]string{"left": "preference"}, ""}, {map[string]string{"context": "preference"}, ""},
	} {
		set, err := ReadPairs(path, "", Options{Map: c.m})
		switch {
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%v: %v", c.m, err)
		case c.says == "" && (err != nil || len(set.Pairs) != 2 || better(set.Pairs[0]) != "x1 > y1" || better(set.Pairs[1]) != "x3 > y3" ||
			!strings.Contains(set.Source, "(1 choice whose answers have equal scores: the choice counts)")):
			t.Errorf("%v: %+v, %v", c.m, set, err)
		}
	}
	vote := strings.Replace(modelVote("gpt", "ant", `"A"`, "expert_0"), `"turn"`, `"shown_first": "A", "turn"`, 1)
	path = filepath.Join(written(t, map[string]string{"v.jsonl": vote + strings.Replace(vote, `first": "A"`, `first": "B"`, 1)}), "v.jsonl")
	for role, says := range map[string]string{"order": "does not take --map order=shown_first", "left": "", "": "give it that name; or leave it out"} {
		m := map[string]string{role: "shown_first"}
		if role == "" {
			m = nil
		}
		if _, err := ReadPairs(path, "", Options{Map: m}); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", role, err)
		}
	}
}
