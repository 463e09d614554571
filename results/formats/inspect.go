package formats

import (
	"encoding/json"
	"io"

	"compqa/data"
	"compqa/rubric"
)

// inspectLog writes the answers of a system as a log of inspect_ai (version 2, JSON). Each judge is a scorer whose value has
// the points of each criterion; a verdict that is not valid has no score, and its status is in the metadata of the sample.
func inspectLog(w io.Writer, answers []answerRow, verdicts map[string][]data.Verdict, r rubric.Rubric) error {
	const when = "1970-01-01T00:00:00+00:00" // the same file from the same record
	type object = map[string]any
	system, samples := answers[0].System, []object(nil)
	epochs := 1
	ids := map[string]bool{}
	for _, a := range answers {
		epochs = max(epochs, a.Repeat)
		id := a.Scenario + "/" + a.QuestionID
		ids[id] = true
		scores, invalid := object{}, object{}
		for _, v := range verdicts[a.ID] {
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
		reply := object{"role": "assistant", "content": a.Text, "source": "generate"}
		samples = append(samples, object{"id": id, "epoch": max(1, a.Repeat), "input": a.Question, "target": "", "scores": scores,
			"messages": []object{{"role": "user", "content": a.Question}, reply},
			"output":   object{"model": system, "choices": []object{{"message": reply, "stop_reason": "stop"}}},
			"metadata": object{"answer": a.ID, "object1": a.Object1, "object2": a.Object2, "aspect": a.Aspect, "scenario": a.Scenario,
				"status": a.Status, "not_valid": invalid}})
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
