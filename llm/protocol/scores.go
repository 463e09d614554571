package protocol

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"compqa/llm"
)

// scoringPaths has the path of each type of scoring server. Such a server replies to a conversation with a number. The number is the text
// of the reply. Options of generation are not sent. The servers are:
//   - a reward model behind vLLM's /classify or /pooling (docs.vllm.ai, "Pooling Models"), which uses the server's chat template. It is
//     asked without its activation, so numbers are logits.
//   - a reward model behind text-embeddings-inference's /predict, which has no chat template. One message is sent as a text; a question and
//     its answer are sent as a pair of texts.
var scoringPaths = map[string]string{llm.TypeClassify: "/classify", llm.TypePooling: "/pooling", llm.TypePredict: "/predict"}

// newScores returns the protocol of a scoring server; see scoringPaths.
func newScores(e *Endpoint, p llm.Provider, _ func(string)) (Protocol, error) {
	path := scoringPaths[p.Type]
	c := &Chat{Endpoint: e, path: path, body: scoringBody, parse: parseScore, models: func(ctx context.Context) ([]string, error) {
		return servedModels(ctx, e)
	}}
	if p.Type == llm.TypePredict {
		c.body = predictBody
		c.parse = parsePrediction
		c.models = func(ctx context.Context) ([]string, error) {
			var about struct {
				Model string `json:"model_id"`
			}
			text, err := e.Fetch(ctx, http.MethodGet, "/info", nil)
			if err == nil {
				err = json.Unmarshal(text, &about)
			}
			return []string{about.Model}, err
		}
	}
	return c, nil
}

// servedModels returns the names of the models that a vLLM server lists.
func servedModels(ctx context.Context, e *Endpoint) (names []string, err error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	text, err := e.Fetch(ctx, http.MethodGet, "/v1/models", nil)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, err
}

type scoredMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// scoringBody returns the JSON of a request to /classify or /pooling.
func scoringBody(req llm.Request) ([]byte, error) {
	messages := make([]scoredMessage, len(req.Messages))
	for i, m := range req.Messages {
		messages[i] = scoredMessage{m.Role, m.Text()}
	}
	return withExtra(map[string]any{"model": req.Model, "messages": messages, "add_generation_prompt": false, "use_activation": false}, req)
}

// predictBody returns the JSON of a request to /predict: one text, or a pair of texts.
func predictBody(req llm.Request) ([]byte, error) {
	texts := make([]string, len(req.Messages))
	for i, m := range req.Messages {
		texts[i] = m.Text()
	}
	var inputs any
	switch len(texts) {
	case 1:
		inputs = texts[0]
	case 2:
		inputs = texts
	default:
		return nil, llm.Errorf(llm.Misconfigured, "a server of type %s scores one text or a pair of texts, not %d messages", llm.TypePredict,
			len(texts))
	}
	return withExtra(map[string]any{"inputs": inputs, "raw_scores": true, "truncate": false}, req)
}

// withExtra returns the JSON of fields with the request's Extra added.
func withExtra(fields map[string]any, req llm.Request) ([]byte, error) {
	body, err := json.Marshal(fields)
	if err == nil {
		body, err = setFields(body, req.Extra)
	}
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "writing the request: %s", err)
	}
	return body, nil
}

// parseScore reads {"data": [{"probs": [x]}]} of /classify, or {"data": [{"data": [x]}]} of /pooling.
func parseScore(reply *llm.Reply) error {
	var r struct {
		Error json.RawMessage `json:"error"`
		Model string          `json:"model"`
		Data  []struct {
			Probs []float64       `json:"probs"`
			Data  json.RawMessage `json:"data"`
		} `json:"data"`
		Usage struct {
			Prompt *int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := decodeReply(reply.Raw, &r, &r.Error, unreadable); err != nil {
		return err
	}
	reply.Model = r.Model
	reply.Usage.Prompt = r.Usage.Prompt
	if len(r.Data) != 1 {
		return ReplyError(llm.Failed, "the reply has %d results; one conversation has one", len(r.Data))
	}
	numbers := r.Data[0].Probs
	if numbers == nil && isPresent(r.Data[0].Data) {
		if err := json.Unmarshal(r.Data[0].Data, &numbers); err != nil {
			return ReplyError(llm.Failed, "the model gives numbers to tokens and not to the conversation: serve it with one number "+
				"(vllm serve --runner pooling --convert classify), as type %s", llm.TypeClassify)
		}
	}
	return oneScore(reply, numbers)
}

// parsePrediction reads [{"score": x, "label": "LABEL_0"}].
func parsePrediction(reply *llm.Reply) error {
	var list []struct {
		Score float64 `json:"score"`
	}
	if strings.HasPrefix(strings.TrimSpace(reply.Raw), "{") {
		if e := bodyError(reply.Raw); e != nil {
			return e
		}
	}
	if err := json.Unmarshal([]byte(reply.Raw), &list); err != nil {
		return unreadable(err)
	}
	numbers := make([]float64, len(list))
	for i, x := range list {
		numbers[i] = x.Score
	}
	return oneScore(reply, numbers)
}

// oneScore sets the text of a reply to its only number. Several numbers are an error: they come from a classifier with several classes,
// which is not a reward model.
func oneScore(reply *llm.Reply, numbers []float64) error {
	if len(numbers) != 1 {
		return ReplyError(llm.Failed, "the model gives %d numbers; a reward model gives one (num_labels 1)", len(numbers))
	}
	reply.Text = strconv.FormatFloat(numbers[0], 'g', -1, 64)
	reply.Finish = "stop"
	return nil
}
