package formats

import (
	"encoding/json"
	"io"

	"compqa/data"
	"compqa/rubric"
)

// inspectLog writes the answers of a system as a log of inspect_ai (version 2, JSON). Each judge is a
// scorer whose value has the points of each criterion; a verdict that is not valid has no score, and
// its status is in the metadata of the sample.
func inspectLog(w io.Writer, system string, items []item, r rubric.Rubric) error {
	const when = "1970-01-01T00:00:00+00:00" // the same file from the same record
	type object = map[string]any
	var samples []object
	epochs := 1
	ids := map[string]bool{}
	for _, i := range items {
		a := i.answer
		epochs = max(epochs, a.Repeat)
		id := a.Scenario + "/" + a.Question
		ids[id] = true
		scores, invalid := object{}, object{}
		for _, v := range i.verdicts {
			if v.Status != data.Valid {
				invalid[v.Judge] = string(v.Status)
				continue
			}
			if _, first := scores[v.Judge]; first {
				continue // a second verdict of the same judge
			}
			value := object{}
			for _, c := range r.Criteria {
				value[c.ID] = v.Scores[c.ID]
			}
			scores[v.Judge] = object{"value": value, "explanation": v.Reason, "metadata": object{"total": v.Total}}
		}
		text := a.Text
		samples = append(samples, object{"id": id, "epoch": max(1, a.Repeat), "input": i.question, "target": "", "scores": scores,
			"messages": []object{{"role": "user", "content": i.question}, {"role": "assistant", "content": text, "source": "generate"}},
			"output": object{"model": system, "choices": []object{{"message": object{"role": "assistant", "content": text, "source": "generate"},
				"stop_reason": "stop"}}},
			"metadata": object{"answer": a.ID, "object1": a.Object1, "object2": a.Object2, "aspect": a.Aspect, "scenario": a.Scenario,
				"status": string(a.Status), "not_valid": invalid}})
	}
	log := object{"version": 2, "status": "success", "samples": samples,
		"eval": object{"run_id": "compqa", "task_id": "compqa", "eval_id": "compqa-" + system, "created": when, "task": "compqa", "model": system,
			"dataset": object{"name": "compqa", "samples": len(ids)}, "config": object{"epochs": epochs}},
		"plan":    object{"name": "plan", "steps": []object{}},
		"results": object{"total_samples": len(samples), "completed_samples": len(samples), "scores": []object{}},
		"stats":   object{"started_at": when, "completed_at": when, "model_usage": object{}}}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(log)
}
