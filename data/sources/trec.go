package sources

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// readTREC makes pairs from TREC's judged documents, as SC2 does. For each topic and each two grades, the k-th document of the higher grade
// is paired with the k-th of the lower one; the former is better. A folder has one of two layouts:
//   - TREC: *qrels* (topic, iteration, document, grade), topics*.jsonl (id, query), and documents in other *.jsonl files (id, text, or the
//     Washington Post's contents).
//   - BEIR: qrels/*.tsv (topic, document, grade), queries.jsonl and corpus.jsonl.
//
// If a document is judged twice, the first judgment counts. Documents that are not in the folder are skipped.
func readTREC(folder string) ([]data.Pair, error) {
	qrels, err := (&Format{Files: "*qrels*"}).files(folder)
	if err != nil || len(qrels) == 0 {
		qrels, err = (&Format{Files: "*.tsv"}).files(filepath.Join(folder, "qrels"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s has no file *qrels*: topic, iteration, document, grade", folder)
	}
	topics, texts, err := trecTexts(folder)
	if err != nil {
		return nil, err
	}
	byTopic := map[string]map[int][]string{}
	judged := map[[2]string]bool{} // topic and document that were judged
	var order []string
	for _, path := range qrels {
		err := eachQrel(path, func(topic, doc string, grade int) error {
			if topics[topic] == "" {
				return fmt.Errorf("topic %s is in no topics*.jsonl", topic)
			}
			if _, known := texts[doc]; !known || judged[[2]string{topic, doc}] {
				return nil
			}
			judged[[2]string{topic, doc}] = true
			if byTopic[topic] == nil {
				byTopic[topic] = map[int][]string{}
				order = append(order, topic)
			}
			byTopic[topic][grade] = append(byTopic[topic][grade], doc)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var pairs []data.Pair
	for _, topic := range order {
		grades := byTopic[topic]
		levels := slices.Sorted(maps.Keys(grades))
		for i, high := range levels {
			for _, low := range levels[:i] {
				for k := range min(len(grades[high]), len(grades[low])) {
					better := grades[high][k]
					worse := grades[low][k]
					pairs = append(pairs, placed(data.Pair{Label: data.ChoiceA, ID: fmt.Sprintf("trec-news-%s-%s-%s", topic, better, worse),
						Question: topics[topic], Cluster: data.QuestionCluster(topics[topic]),
						Domain: fmt.Sprintf("grades %d and %d", high, low), A: texts[better], B: texts[worse]}))
				}
			}
		}
	}
	return pairs, nil
}

// trecTexts reads the texts of topics and documents, by id.
func trecTexts(folder string) (topics, texts map[string]string, err error) {
	topics = map[string]string{}
	texts = map[string]string{}
	for r, err := range (&Format{}).records(folder, quiet) {
		if err != nil {
			return nil, nil, err
		}
		id := r.text(paths{"num", "_id", "id", "docid", "DocID"})
		title := r.text(paths{"title"})
		text := r.text(paths{"text"})
		if id == "" {
			return nil, nil, r.Errorf("id is missing")
		}
		switch name := filepath.Base(r.File); {
		case strings.HasPrefix(name, "topics"):
			topics[id] = strings.TrimSpace(r.text(paths{"query"}) + " " + title)
		case strings.HasPrefix(name, "queries"):
			topics[id] = strings.TrimSpace(text)
		default:
			for _, part := range r.object().Get(`contents.#(subtype=="paragraph")#`).Array() {
				text += "\n\n" + textOf(part)
			}
			texts[id] = strings.TrimSpace(title + "\n\n" + strings.TrimSpace(text))
		}
	}
	return topics, texts, nil
}

// eachQrel calls a function for each relevance judgment in a file.
func eachQrel(path string, each func(topic, doc string, grade int) error) error {
	content, path, err := data.ReadText(path)
	if err != nil {
		return err
	}
	table := strings.HasSuffix(path, ".tsv")
	for i, line := range strings.Split(string(content), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || table && i == 0 && fields[len(fields)-1] == "score" {
			continue
		}
		var grade int
		_, err := fmt.Sscan(fields[len(fields)-1], &grade)
		if err != nil || len(fields) != 4 && (!table || len(fields) != 3) {
			err = fmt.Errorf("%q; topic, iteration, document and grade are needed", data.Clip(line))
		} else {
			err = each(fields[0], fields[len(fields)-2], grade)
		}
		if err != nil {
			return &data.LineError{Path: path, Line: i + 1, Err: err}
		}
	}
	return nil
}
