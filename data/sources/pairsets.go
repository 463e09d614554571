package sources

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// eachRecord reads the records of a file, or of all files in a folder and below it whose names
// end in .jsonl, .jsonl.gz or .json (a list, or JSON Lines), in the order of their paths. Other
// fields than those of T do not matter.
func eachRecord[T any](path string, each func(file string, r T) error) error {
	var files []string
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		name := strings.TrimSuffix(p, ".gz")
		if err == nil && !d.IsDir() && (p == path || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json")) {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no file .jsonl, .jsonl.gz or .json; export other formats, for instance Parquet, as one of these", path)
	}
	slices.Sort(files)
	for _, file := range files {
		content, err := unpacked(file)
		if err != nil {
			return err
		}
		if trimmed := bytes.TrimSpace(content); len(trimmed) > 0 && trimmed[0] == '[' {
			var items []json.RawMessage
			if err := json.Unmarshal(content, &items); err != nil {
				return &data.LineError{Path: file, Line: errorLine(content, 0, err), Err: err}
			}
			lines := itemLines(content, 0, items)
			for i, item := range items {
				if err := decodeRecord(item, func(r T) error { return each(file, r) }); err != nil {
					return &data.LineError{Path: file, Line: lines[i], Err: err}
				}
			}
			continue
		}
		for i, line := range bytes.Split(content, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if err := decodeRecord(line, func(r T) error { return each(file, r) }); err != nil {
				return &data.LineError{Path: file, Line: i + 1, Err: err}
			}
		}
	}
	return nil
}

func decodeRecord[T any](text []byte, each func(T) error) error {
	var r T
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	return each(r)
}

// unpacked is the content of a file, in UTF-8.
func unpacked(path string) ([]byte, error) {
	if !strings.HasSuffix(path, ".gz") {
		content, _, err := data.ReadText(path)
		return content, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	const most = 4 << 30 // bytes unpacked
	content, err := io.ReadAll(io.LimitReader(z, most))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return content, nil
}

// placed is a pair of a better and a worse answer, of which one or the other is a, by a hash of
// the id, so that the place says nothing.
func placed(p data.Pair, better, worse string) data.Pair {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	p.A, p.B, p.Label = better, worse, data.ChoiceA
	if h.Sum32()%2 == 1 {
		p.A, p.B, p.Label = worse, better, data.ChoiceB
		p.SystemA, p.SystemB = p.SystemB, p.SystemA
	}
	p.Cluster = data.QuestionCluster(p.Question)
	return p
}

// turns are a text, or the messages of a dialogue.
type turns struct {
	text     string
	messages []message
}

type message struct{ Role, Content string }

func (s *turns) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.messages) == nil {
		return nil
	}
	if err := json.Unmarshal(text, &s.text); err != nil {
		return fmt.Errorf("chosen and rejected must be texts or lists of messages: %w", err)
	}
	return nil
}

// ReadChosen returns a reader of pairs of a chosen and a rejected answer: those of RewardBench
// (prompt, chosen, rejected, subset), of HH-RLHF (two dialogues: what they have in common, up to
// the last reply, is the prompt), and of Skywork-Reward-Preference, which Con-J's open judge is
// trained on (two lists of messages). Dialogues whose first messages differ have no prompt and
// are left out, which the source says. HH-RLHF's red-team-attempts are no pairs.
func ReadChosen(name, source string) func(path string) (data.PreferenceSet, error) {
	return func(path string) (data.PreferenceSet, error) {
		set := data.PreferenceSet{Name: name, Source: source}
		type row struct {
			Subset, Source   string
			ID               json.RawMessage // a number or a text
			Prompt           *turns
			Chosen, Rejected *turns
			ChosenModel      string `json:"chosen_model"`
			RejectedModel    string `json:"rejected_model"`
		}
		known, left := map[string]bool{}, 0
		err := eachRecord(path, func(file string, r row) error {
			if r.Chosen == nil || r.Rejected == nil {
				if filepath.Base(filepath.Dir(file)) == "red-team-attempts" {
					return nil
				}
				return errors.New("chosen or rejected is missing")
			}
			id, number := strings.Trim(string(r.ID), `"`), fmt.Sprint(len(set.Pairs)+left+1)
			if id == "" || id == "null" {
				id = number
			}
			if known[id] { // those of RewardBench are of its subsets
				id += "-" + number
			}
			known[id] = true
			p := data.Pair{ID: name + "-" + id, Domain: r.Subset, SystemA: r.ChosenModel, SystemB: r.RejectedModel}
			if p.Domain == "" {
				p.Domain = r.Source
			}
			if p.SystemA == p.SystemB {
				p.SystemA, p.SystemB = "", ""
			}
			prompt, better, worse := prompted(*r.Chosen, *r.Rejected)
			if r.Prompt != nil {
				if prompt = r.Prompt.text; r.Prompt.messages != nil {
					prompt = dialogue(r.Prompt.messages)
				}
			}
			if p.Question = strings.TrimSpace(prompt); p.Question == "" {
				left++
				return nil
			}
			set.Pairs = append(set.Pairs, placed(p, better, worse))
			return nil
		})
		if left > 0 {
			set.Source += fmt.Sprintf(" (%s without a prompt or a common beginning left out)", data.Plural(left, "pair", "pairs"))
			if len(set.Pairs) == 0 && err == nil {
				err = fmt.Errorf("%s: no pair has a prompt or answers with a common beginning", path)
			}
		}
		return set, err
	}
}

// prompted parts two dialogues into what they have in common, up to the last reply, and the
// replies. Two plain texts have no common prompt.
func prompted(chosen, rejected turns) (prompt, better, worse string) {
	if chosen.messages == nil || rejected.messages == nil {
		const reply = "\n\nAssistant:"
		n := 0
		for n < min(len(chosen.text), len(rejected.text)) && chosen.text[n] == rejected.text[n] {
			n++
		}
		// The last reply that both begin with.
		if at := strings.LastIndex(chosen.text[:n], reply); at >= 0 {
			at += len(reply)
			return chosen.text[:at-len(reply)], strings.TrimSpace(chosen.text[at:]), strings.TrimSpace(rejected.text[at:])
		}
		return "", chosen.text, rejected.text
	}
	x, y, n := chosen.messages, rejected.messages, 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	if n == len(x) || n == len(y) { // equal, or one continues the other
		n = max(0, min(len(x), len(y))-1)
	}
	return dialogue(x[:n]), dialogue(x[n:]), dialogue(y[n:])
}

// dialogue is the text of messages, with roles where there are several.
func dialogue(messages []message) string {
	if len(messages) == 1 {
		return messages[0].Content
	}
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n\n", m.Role, m.Content)
	}
	return strings.TrimSpace(b.String())
}

// judgeBenchChoices are JudgeBench's decisions.
var judgeBenchChoices = map[string]data.Choice{"A>B": data.ChoiceA, "B>A": data.ChoiceB, "A=B": data.ChoiceTie}

// ReadJudgeBenchPairs reads JudgeBench's pairs (Tan et al. 2024): records with question,
// response_A, response_B and label, and those of outputs, which have judge_name and one judgment
// for each order too; the second one's decision is on the answers in the other order.
func ReadJudgeBenchPairs(path string) (data.PreferenceSet, error) {
	set := data.PreferenceSet{Name: "judgebench", Source: "JudgeBench"}
	known := map[string]bool{}
	type row struct {
		ID        string `json:"pair_id"`
		Source    string
		Question  string
		A         *string `json:"response_A"`
		B         *string `json:"response_B"`
		Label     string
		Judge     string `json:"judge_name"`
		Judgments []*struct{ Decision *string }
	}
	err := eachRecord(path, func(file string, r row) error {
		label, ok := judgeBenchChoices[r.Label]
		if !ok || r.ID == "" || r.A == nil || r.B == nil {
			return fmt.Errorf("pair_id, response_A or response_B is missing, or label is %q; it must be A>B or B>A", r.Label)
		}
		p := data.Pair{ID: "judgebench-" + r.ID, Question: r.Question, A: *r.A, B: *r.B, Label: label, Domain: r.Source, Cluster: data.QuestionCluster(r.Question)}
		if !known[p.ID] {
			known[p.ID] = true
			set.Pairs = append(set.Pairs, p)
		}
		for i, j := range r.Judgments {
			if i >= len(data.Orders) {
				break
			}
			given := data.Preference{ID: p.ID, Judge: r.Judge, Method: "judgebench", Order: data.Orders[i], Status: data.Unparsed, Reason: "no decision"}
			if _, model, found := strings.Cut(filepath.Base(file), "judge_model="); found {
				given.Judge, given.Method = strings.TrimSuffix(strings.TrimSuffix(model, ".gz"), ".jsonl"), r.Judge
			}
			if j != nil && j.Decision != nil {
				if c, ok := judgeBenchChoices[*j.Decision]; ok {
					if given.Order == data.OrderBA {
						c = c.Swapped()
					}
					given.Status, given.Choice, given.Reason = data.Valid, string(c), ""
				} else {
					given.Reason = fmt.Sprintf("the decision is %q", data.Clip(*j.Decision))
				}
			}
			set.Given = append(set.Given, given)
		}
		return nil
	})
	return set, err
}

// ReadMTBench reads MT-Bench's human judgments (Zheng et al. 2023): records with question_id,
// model_a, model_b, winner, judge, turn, conversation_a and conversation_b. A pair of answers to
// a question and turn is a pair whichever model is model_a; its label is the majority of people.
// Winners of models may be "tie (inconsistent)" and "error", and their judge is a list.
func ReadMTBench(path string) (data.PreferenceSet, error) {
	set := data.PreferenceSet{Name: "mt-bench", Source: "MT-Bench human judgments"}
	type row struct {
		Question json.Number `json:"question_id"`
		ModelA   string      `json:"model_a"`
		ModelB   string      `json:"model_b"`
		Winner   string
		Judge    json.RawMessage
		Turn     int
		A        []message `json:"conversation_a"`
		B        []message `json:"conversation_b"`
	}
	known := map[string]bool{}
	err := eachRecord(path, func(file string, r row) error {
		winner, _, _ := strings.Cut(r.Winner, " (")
		choice := map[string]data.Choice{"model_a": data.ChoiceA, "model_b": data.ChoiceB, "tie": data.ChoiceTie, "error": data.NoChoice}[winner]
		if choice == "" || r.ModelA == "" || r.ModelA == r.ModelB || len(r.A) == 0 || len(r.B) == 0 {
			return fmt.Errorf("winner is %q, or a model or conversation is missing", data.Clip(r.Winner))
		}
		if r.ModelB < r.ModelA {
			r.ModelA, r.ModelB, r.A, r.B, choice = r.ModelB, r.ModelA, r.B, r.A, choice.Swapped()
		}
		id := fmt.Sprintf("mt-bench-%s-%d-%s-%s", r.Question, max(1, r.Turn), r.ModelA, r.ModelB)
		if !known[id] {
			known[id] = true
			n := min(2*max(1, r.Turn), len(r.A), len(r.B)) // a question and an answer a turn
			p := data.Pair{ID: id, Question: dialogue(r.A[:1]), A: dialogue(r.A[1:n]), B: dialogue(r.B[1:n]), Cluster: "mt-bench-" + r.Question.String(), Domain: fmt.Sprintf("turn %d", max(1, r.Turn)), SystemA: r.ModelA, SystemB: r.ModelB}
			set.Pairs = append(set.Pairs, p)
		}
		var judge string
		var parts []string
		if json.Unmarshal(r.Judge, &parts) == nil {
			judge = strings.Join(parts, "-")
		} else if json.Unmarshal(r.Judge, &judge); strings.HasPrefix(judge, "expert") || strings.HasPrefix(judge, "author") {
			judge = "human:" + judge
		}
		if judge == "" {
			return errors.New("judge is missing")
		}
		given := data.Preference{ID: id, Judge: judge, Method: "annotation", Order: data.OrderAB, Status: data.Valid, Choice: string(choice)}
		if choice == data.NoChoice {
			given.Status, given.Choice, given.Reason = data.Unparsed, "", "the winner is error"
		}
		set.Given = append(set.Given, given)
		return nil
	})
	labelled(&set)
	return set, err
}

// labelled makes the majority of people the label of each pair. A second preference of a judge on
// a pair is left out, which the source says.
func labelled(set *data.PreferenceSet) {
	seen, votes, before := map[[4]string]bool{}, map[string][]data.Choice{}, len(set.Given)
	set.Given = slices.DeleteFunc(set.Given, func(p data.Preference) bool {
		key := [4]string{p.ID, p.Judge, p.Method, p.Order}
		if seen[key] {
			return true
		}
		seen[key] = true
		if data.IsHuman(p.Judge) && p.Status == data.Valid {
			votes[p.ID] = append(votes[p.ID], data.Choice(p.Choice))
		}
		return false
	})
	if again := before - len(set.Given); again > 0 {
		set.Source += fmt.Sprintf(" (%s of a judge on the same pair again left out)", data.Plural(again, "preference", "preferences"))
	}
	for i := range set.Pairs {
		set.Pairs[i].Label, _ = data.Majority(votes[set.Pairs[i].ID])
	}
}

// ReadAlpacaEval reads AlpacaEval's annotations: records with instruction, output_1, output_2,
// preference (1 or 2; a number between, from the nearer one; 0, 1.5 or null is a tie or none) and
// annotator or annotator_index. Annotators with a number, as in the cross-annotations of people,
// are human:N, and the label of a pair is their majority.
func ReadAlpacaEval(path string) (data.PreferenceSet, error) {
	set := data.PreferenceSet{Name: "alpaca-eval", Source: "AlpacaEval annotations"}
	type row struct {
		Instruction string
		Output1     *string `json:"output_1"`
		Output2     *string `json:"output_2"`
		Generator1  string  `json:"generator_1"`
		Generator2  string  `json:"generator_2"`
		Preference  *float64
		Annotator   json.RawMessage
		Index       *float64 `json:"annotator_index"`
		Dataset     string
	}
	at := map[[3]string]int{}
	err := eachRecord(path, func(file string, r row) error {
		if r.Instruction == "" || r.Output1 == nil || r.Output2 == nil {
			return errors.New("instruction, output_1 or output_2 is missing")
		}
		key := [3]string{r.Instruction, *r.Output1, *r.Output2}
		i, known := at[key]
		if !known {
			i = len(set.Pairs)
			at[key] = i
			p := data.Pair{ID: fmt.Sprint("alpaca-eval-", i+1), Question: r.Instruction, A: *r.Output1, B: *r.Output2, Cluster: data.QuestionCluster(r.Instruction), Domain: r.Dataset}
			if r.Generator1 != r.Generator2 {
				p.SystemA, p.SystemB = r.Generator1, r.Generator2
			}
			set.Pairs = append(set.Pairs, p)
		}
		given := data.Preference{ID: set.Pairs[i].ID, Judge: strings.Trim(string(r.Annotator), `"`), Method: "alpaca-eval", Order: data.OrderAB, Status: data.Unparsed, Reason: "the preference is null"}
		if r.Index != nil {
			given.Judge = fmt.Sprint("human:", *r.Index)
		}
		if given.Judge == "" || given.Judge == "null" {
			return errors.New("annotator or annotator_index is missing")
		}
		if v := r.Preference; v != nil {
			choice := data.ChoiceTie
			switch {
			case *v < 0 || *v > 2:
				return fmt.Errorf("preference is %v; it must be from 1 to 2, or 0", *v)
			case *v >= 1 && *v < 1.5:
				choice = data.ChoiceA
			case *v > 1.5:
				choice = data.ChoiceB
			}
			given.Status, given.Choice, given.Reason = data.Valid, string(choice), ""
		}
		set.Given = append(set.Given, given)
		return nil
	})
	labelled(&set)
	return set, err
}

// ReadTLDR reads the comparisons of OpenAI's summaries (Stiennon et al. 2020), which SC2 uses:
// records with info (post or article), two summaries, choice (0 or 1) and worker. A pair that
// several workers compared has their majority as its label.
func ReadTLDR(path string) (data.PreferenceSet, error) {
	set := data.PreferenceSet{Name: "tldr", Source: "TL;DR comparisons"}
	type row struct {
		Info      struct{ ID, Post, Article, Title, Subreddit string }
		Summaries []struct{ Text, Policy string }
		Choice    *int
		Worker    string
	}
	at := map[[3]string]int{}
	err := eachRecord(path, func(file string, r row) error {
		if len(r.Summaries) != 2 || r.Choice == nil || *r.Choice < 0 || *r.Choice > 1 {
			return fmt.Errorf("two summaries and a choice of 0 or 1 are needed; there are %d, and choice is %v", len(r.Summaries), deref(r.Choice))
		}
		post, domain := r.Info.Post, "r/"+r.Info.Subreddit
		if post == "" {
			post, domain = r.Info.Article, "news"
		}
		if post == "" {
			return errors.New("info has neither post nor article")
		}
		x, y, choice := r.Summaries[0], r.Summaries[1], []data.Choice{data.ChoiceA, data.ChoiceB}[*r.Choice]
		key := [3]string{post, x.Text, y.Text}
		i, known := at[key]
		if !known {
			if other, swapped := at[[3]string{post, y.Text, x.Text}]; swapped {
				i, choice = other, choice.Swapped()
			} else {
				i = len(set.Pairs)
				at[key] = i
				p := data.Pair{ID: fmt.Sprint("tldr-", i+1), Question: "Summarise: " + strings.TrimSpace(r.Info.Title+"\n\n"+post), A: x.Text, B: y.Text, Domain: domain, Cluster: data.QuestionCluster(post)}
				if x.Policy != y.Policy {
					p.SystemA, p.SystemB = x.Policy, y.Policy
				}
				set.Pairs = append(set.Pairs, p)
			}
		}
		worker := r.Worker
		if worker == "" {
			worker = "1"
		}
		set.Given = append(set.Given, data.Preference{ID: set.Pairs[i].ID, Judge: "human:" + worker, Method: "annotation", Order: data.OrderAB, Status: data.Valid, Choice: string(choice)})
		return nil
	})
	labelled(&set)
	return set, err
}

// ReadTRECNews makes pairs of TREC's judged documents, as SC2 does: for each topic, each document
// of a grade is paired with the next one of every lower grade, and the more relevant one is
// better. A folder has *qrels* (topic, iteration, document, grade), topics*.jsonl (id, query) and
// documents in other *.jsonl (id, text, or the Washington Post's contents); or BEIR's
// qrels/*.tsv (topic, document, grade), queries.jsonl and corpus.jsonl. Of judgments on the same
// document the first counts.
func ReadTRECNews(folder string) (data.PreferenceSet, error) {
	set := data.PreferenceSet{Name: "trec-news", Source: "TREC News qrels"}
	qrels, err := filepath.Glob(filepath.Join(folder, "*qrels*"))
	if len(qrels) == 1 && filepath.Base(qrels[0]) == "qrels" {
		if tables, _ := filepath.Glob(filepath.Join(qrels[0], "*.tsv")); len(tables) > 0 {
			qrels = tables
		}
	}
	if err == nil && len(qrels) == 0 {
		err = fmt.Errorf("%s has no file *qrels*: topic, iteration, document, grade", folder)
	}
	if err != nil {
		return set, err
	}
	topics, texts := map[string]string{}, map[string]string{}
	type row struct {
		Number             json.RawMessage `json:"num"`
		BEIR               json.RawMessage `json:"_id"`
		ID, DocID          json.RawMessage
		Query, Title, Text string
		Contents           contents
	}
	err = eachRecord(folder, func(file string, r row) error {
		id := ""
		for _, other := range []json.RawMessage{r.Number, r.BEIR, r.ID, r.DocID} {
			if text, ok := data.ScalarText(other); ok && id == "" {
				id = text
			}
		}
		if id == "" {
			return errors.New("id is missing")
		}
		switch name := filepath.Base(file); {
		case strings.HasPrefix(name, "topics"):
			topics[id] = strings.TrimSpace(r.Query + " " + r.Title)
		case strings.HasPrefix(name, "queries"):
			topics[id] = strings.TrimSpace(r.Text)
		default:
			texts[id] = strings.TrimSpace(r.Title + "\n\n" + r.Text + string(r.Contents))
		}
		return nil
	})
	if err != nil {
		return set, err
	}
	byTopic, judged := map[string]map[int][]string{}, map[[2]string]bool{} // documents by topic and grade
	var order []string
	for _, path := range qrels {
		content, path, err := data.ReadText(path)
		if err != nil {
			return set, err
		}
		for i, line := range strings.Split(string(content), "\n") {
			fields := strings.Fields(line)
			if len(fields) == 0 {
				continue
			}
			at := func(format string, args ...any) error {
				return &data.LineError{Path: path, Line: i + 1, Err: fmt.Errorf(format, args...)}
			}
			table := strings.HasSuffix(path, ".tsv") && len(fields) == 3
			if table && i == 0 && fields[2] == "score" {
				continue
			}
			var grade int
			if _, err := fmt.Sscan(fields[len(fields)-1], &grade); err != nil || len(fields) != 4 && !table {
				return set, at("%q; topic, iteration, document and grade are needed", data.Clip(line))
			}
			topic, doc := fields[0], fields[len(fields)-2]
			if topics[topic] == "" {
				return set, at("topic %s is in no topics*.jsonl", topic)
			}
			if _, known := texts[doc]; !known || judged[[2]string{topic, doc}] {
				continue // documents may be a part of the collection
			}
			judged[[2]string{topic, doc}] = true
			if byTopic[topic] == nil {
				byTopic[topic], order = map[int][]string{}, append(order, topic)
			}
			byTopic[topic][grade] = append(byTopic[topic][grade], doc)
		}
	}
	for _, topic := range order {
		grades := byTopic[topic]
		var levels []int
		for g := range grades {
			levels = append(levels, g)
		}
		slices.Sort(levels)
		for i, high := range levels {
			for _, low := range levels[:i] {
				for k := range min(len(grades[high]), len(grades[low])) {
					better, worse := grades[high][k], grades[low][k]
					p := data.Pair{ID: fmt.Sprintf("trec-news-%s-%s-%s", topic, better, worse), Question: topics[topic], Domain: fmt.Sprintf("grades %d and %d", high, low)}
					set.Pairs = append(set.Pairs, placed(p, texts[better], texts[worse]))
				}
			}
		}
	}
	return set, nil
}

// contents are a text, or the parts of an article of the Washington Post, of which the
// paragraphs are its text.
type contents string

func (c *contents) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '[' {
		return json.Unmarshal(text, (*string)(c))
	}
	var parts []*struct {
		Subtype string
		Content any
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	var paragraphs []string
	for _, p := range parts {
		if p != nil && p.Subtype == "paragraph" {
			paragraphs = append(paragraphs, fmt.Sprint(p.Content))
		}
	}
	*c = contents(strings.Join(paragraphs, "\n\n"))
	return nil
}
