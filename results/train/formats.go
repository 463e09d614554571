package train

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"compqa/data"
)

// The formats of trainers, read in TRL 1.9.0, LLaMA-Factory 0.9.5 and axolotl 0.18.0.
const (
	FormatTRL          = "trl"
	FormatOpenAI       = "openai"
	FormatLlamaFactory = "llamafactory"
	FormatAxolotl      = "axolotl"
)

// Formats are all formats.
var Formats = []string{FormatTRL, FormatOpenAI, FormatLlamaFactory, FormatAxolotl}

type (
	completionLine struct {
		Prompt     []data.ChatMessage `json:"prompt"`
		Completion []data.ChatMessage `json:"completion"`
	}
	messagesLine struct {
		Messages []data.ChatMessage `json:"messages"`
	}
	openAIPairLine struct {
		Input     messagesLine       `json:"input"`
		Preferred []data.ChatMessage `json:"preferred_output"`
		Other     []data.ChatMessage `json:"non_preferred_output"`
	}
	rankingLine struct { // a list as chosen would be read as an ordinary conversation
		Messages []data.ChatMessage `json:"messages"`
		Chosen   data.ChatMessage   `json:"chosen"`
		Rejected data.ChatMessage   `json:"rejected"`
	}
)

// line is an example as a trainer reads it.
func (e Example) line(format string) any {
	chosen := []data.ChatMessage{{Role: "assistant", Content: e.Chosen}}
	rejected := []data.ChatMessage{{Role: "assistant", Content: e.Rejected}}
	whole := messagesLine{append(append([]data.ChatMessage(nil), e.Prompt...), chosen...)}
	switch {
	case format == FormatTRL && !e.Paired():
		return completionLine{e.Prompt, chosen}
	case !e.Paired():
		return whole
	case format == FormatOpenAI:
		return openAIPairLine{messagesLine{e.Prompt}, chosen, rejected}
	case format == FormatLlamaFactory:
		return rankingLine{e.Prompt, chosen[0], rejected[0]}
	}
	return data.Contrast{Prompt: e.Prompt, Chosen: chosen, Rejected: rejected}
}

// Write writes examples as JSON Lines.
func Write(w io.Writer, format string, examples []Example) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range examples {
		if err := enc.Encode(e.line(format)); err != nil {
			return err
		}
	}
	return nil
}

// Settings are the file that tells a trainer how to read train.jsonl; name is "" for a trainer
// that needs none.
func Settings(format string, paired bool) (name, text string) {
	switch format {
	case FormatLlamaFactory:
		info := func(file string) string {
			columns := `{"messages": "messages"}`
			if paired {
				columns = `{"messages": "messages", "chosen": "chosen", "rejected": "rejected"}`
			}
			return fmt.Sprintf(`{"file_name": %q, "formatting": "sharegpt", "ranking": %t, "columns": %s,
    "tags": {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant", "system_tag": "system"}}`, file, paired, columns)
		}
		return "dataset_info.json", fmt.Sprintf("{\n  \"compqa_train\": %s,\n  \"compqa_heldout\": %s\n}\n", info(TrainName), info(HeldOutName))
	case FormatAxolotl:
		lines := []string{"# A part of axolotl's configuration: add base_model, adapter and the rest."}
		if paired {
			lines = append(lines, "rl: dpo", `dpo_loss_type: ["sigmoid", "sft"]`, "dpo_loss_weights: [1.0, 1.0e-6]", "datasets:",
				"  - path: "+TrainName, "    ds_type: json", "    split: train", "    type: chat_template.default", "    field_messages: prompt", "    field_chosen: chosen", "    field_rejected: rejected")
		} else {
			lines = append(lines, "datasets:", "  - path: "+TrainName, "    ds_type: json", "    type: chat_template", "    field_messages: messages")
		}
		return "axolotl.yaml", strings.Join(lines, "\n") + "\n"
	}
	return "", ""
}
