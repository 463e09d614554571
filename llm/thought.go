package llm

import (
	"regexp"
	"strings"
	"unicode"
)

// A thoughtForm is how a family of models marks reasoning inside a reply if the server does not separate it.
type thoughtForm struct {
	families    string // the models that write it
	open, close *regexp.Regexp
	begins      *regexp.Regexp // open at the beginning of a text
	atStart     bool           // only at the beginning of a reply; elsewhere the opening is ordinary text
	source      string         // where the form is documented
}

// form returns the form with these opening and closing marks.
func form(families, open, close, source string) thoughtForm {
	return thoughtForm{families: families, open: regexp.MustCompile(open), close: regexp.MustCompile(close),
		begins: regexp.MustCompile(`^(?:` + open + `)`), source: source}
}

// firstForm returns a form whose opening mark counts only at the beginning of a reply.
func firstForm(families, open, close, source string) thoughtForm {
	f := form(families, `^\s*`+open, close, source)
	f.atStart = true
	return f
}

const (
	thinkNames = `(?:think|thinking|thought|reasoning)`
	thinkOpen  = `(?i)<(?:\w+:)?` + thinkNames + `(?::[^\s>]+)?>`
	thinkClose = `(?i)</(?:\w+:)?` + thinkNames + `(?::[^\s>]+)?>`
)

// thoughtForms has the forms of all families that document how they mark reasoning, or have a parser for it (November 2026).
var thoughtForms = []thoughtForm{
	form("DeepSeek R1, V3.1, V4; Qwen3, QwQ; GLM 4.5 and later; MiniMax M2, M3 (mm:think); Kimi K2; Step 3; ERNIE 4.5; Hunyuan, HY 4 "+
		"(think:SUFFIX); OLMo 3; Nemotron 3; Phi 4; Seed-OSS (seed:think); prompts for Claude and Gemini (thinking, thought, reasoning)",
		thinkOpen, thinkClose, "vLLM, vllm/reasoning: deepseek_r1, seedoss, minimax_m3, hy_v4"),
	form("Magistral, Ministral 3, Mistral Small 4", `\[THINK\]`, `\[/THINK\]`, "vLLM, vllm/reasoning: mistral"),
	form("Kimi-VL, Kimi-Dev", `◁think▷`, `◁/think▷`, "the model card of Kimi-VL"),
	form("Kimi K3", `<\|open\|>\s*think\s*<\|sep\|>`, `<\|close\|>\s*think\s*<\|sep\|>`, "vLLM, vllm/reasoning: kimi_k3"),
	form("Gemma 4", `<\|channel>thought\n`, `<channel\|>`, "ai.google.dev/gemma/docs/core/prompt-formatting-gemma4"),
	form("Command A Reasoning, Command R7B", `<\|START_THINKING\|>`, `<\|END_THINKING\|>`, "vLLM, vllm/reasoning: cohere_command"),
	form("Apertus", `<\|inner_prefix\|>`, `<\|inner_suffix\|>`, "vLLM, vllm/reasoning: apertus"),
	firstForm("Granite 3.2", `(?i:Here's|Here is) my thought process:`, `(?i:Here's|Here is) my response:`, "vLLM, vllm/reasoning: granite"),
	firstForm("HyperCLOVA X Seed Think", `/think\n`, `<\|im_end\|>\n<\|im_start\|>assistant`,
		"vLLM, vllm/reasoning: hyperclovax_seed_think_14b"),
	firstForm("Muse Glimmer", `(?:<\|start\|>\s*assistant\s*)?to=self<\|message\|>`,
		`<\|eom\|>(?:\s*<\|start\|>\s*assistant)?(?:\s*(?:to=user)?<\|message\|>)?`, "vLLM, vllm/reasoning: muse_glimmer_utils"),
}

const (
	channelMark = "<|channel|>"      // of gpt-oss's harmony format (OpenAI, openai/harmony)
	finalMark   = "final<|message|>" // begins the final channel, which has the answer
)

var (
	harmonyEnd = regexp.MustCompile(`(?s)<\|(?:end|return)\|>.*$`)
	// plainHarmony matches harmony text that lost its special tokens: "analysisWe compare".
	plainHarmony = regexp.MustCompile(`^\s*(?:analysis|commentary)[^\s:a-z]`)
	// plainThought matches Gemma 4's reasoning that lost its special tokens. Its end is unknown.
	plainThought = regexp.MustCompile(`^\s*(?:thought|thinking)\n`)
	// wrappers matches marks around an answer.
	wrappers = regexp.MustCompile(`^\s*<(?:answer|response)>\n|\n</(?:answer|response)>\s*$|` +
		`<\|(?:open|close)\|>\s*(?:response|message)\s*<\|sep\|>|<\|(?:START|END)_(?:RESPONSE|TEXT)\|>`)
	// stops matches tokens that end a reply, if the server does not remove them.
	stops = regexp.MustCompile(`(?:\s*(?:<\|(?:im_end|eot_id|end|return|eom|eot|endoftext|end_of_text|end_of_msg|END_OF_TURN_TOKEN)\|>|` +
		`</s>|<end_of_turn>|<turn\|>|<seed:eos>|\[EOS\]))+\s*$`)
)

// SplitThought separates the reasoning at the beginning of a text from the answer. It knows the forms of all families:
//   - `<think>Go compiles.</think>Go`: the blocks at the beginning are the reasoning.
//   - `<think>Go compiles`: a block without an end leaves no answer.
//   - `Go compiles.</think>Go`: a closing mark without an opening one ends a block that the chat template opened.
//
// Marks after that are part of the answer.
func SplitThought(text string) (answer, thought string) {
	if answer, thought, is := harmony(text); is {
		return answer, thought
	}
	var thoughts []string
	rest := text
	for {
		inner, after, is := leadingThought(rest)
		if !is {
			break
		}
		thoughts = append(thoughts, strings.TrimSpace(inner))
		rest = after
	}
	if len(thoughts) > 0 {
		return strings.TrimLeft(rest, " \t\r\n"), strings.Join(thoughts, "\n\n")
	}
	for _, f := range thoughtForms {
		if f.atStart {
			continue
		}
		end := f.close.FindStringIndex(text)
		if end != nil && !f.open.MatchString(text[:end[0]]) {
			return strings.TrimLeft(text[end[1]:], " \t\r\n"), strings.TrimSpace(text[:end[0]])
		}
	}
	return text, ""
}

// leadingThought returns the reasoning at the beginning of a text, and the text after it. after is "" if the reasoning has no end. is is
// false if the text does not begin with reasoning.
func leadingThought(text string) (inner, after string, is bool) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	for _, f := range thoughtForms {
		begin := f.begins.FindStringIndex(text)
		if begin == nil {
			continue
		}
		body := text[begin[1]:]
		end := f.close.FindStringIndex(body)
		if end == nil {
			return body, "", true
		}
		return body[:end[0]], body[end[1]:], true
	}
	return "", "", false
}

// harmony separates the channels of a gpt-oss reply. Only the final channel is the answer. is is false for other texts.
func harmony(text string) (answer, thought string, is bool) {
	mark := ""
	last := -1
	switch {
	case strings.Contains(text, channelMark):
		mark = finalMark
	case plainHarmony.MatchString(text):
		mark = "assistantfinal"
	default:
		return "", "", false
	}
	last = strings.LastIndex(text, mark)
	if last < 0 {
		return "", strings.TrimSpace(text), true
	}
	answer = harmonyEnd.ReplaceAllString(text[last+len(mark):], "")
	return strings.TrimLeft(answer, " \t\r\n"), strings.TrimSpace(text[:last]), true
}

// WithoutThought returns a judge's reply without reasoning and special tokens. It removes reasoning anywhere, because a draft in it is not
// a decision. ok is false if the reply is only reasoning, or if its reasoning has no end. shown returns what the prompt shows. A
// mark in shown may be quoted in the reply, so there it counts only at the beginning of the reply.
func WithoutThought(reply string, shown func() string) (text string, ok bool) {
	text = reply
	if answer, _, is := harmony(text); is {
		if strings.TrimSpace(answer) == "" {
			return "", false
		}
		text = answer
	}
	if plainThought.MatchString(text) {
		return "", false
	}
	for _, f := range thoughtForms {
		text, ok = f.removed(text, shown)
		if !ok {
			return "", false
		}
	}
	if strings.Contains(text, "<") || strings.Contains(text, "[EOS]") { // otherwise nothing can match, and trying takes long
		text = stops.ReplaceAllString(wrappers.ReplaceAllString(text, "\n"), "")
	}
	return text, true
}

// removed returns a text without reasoning in this form. The result is false if the reasoning has no end.
func (f thoughtForm) removed(text string, shown func() string) (string, bool) {
	if f.atStart && !f.open.MatchString(text) {
		return text, true
	}
	for closed := false; ; {
		begin := f.open.FindStringIndex(text)
		end := f.close.FindStringIndex(text)
		switch {
		case begin != nil && (end == nil || begin[0] < end[0]):
			if strings.TrimSpace(text[:begin[0]]) != "" && f.open.MatchString(shown()) {
				return text, true
			}
			if end == nil {
				return "", false
			}
			text = text[:begin[0]] + "\n" + text[end[1]:]
			closed = true
		case end != nil && !closed && !f.atStart && !f.close.MatchString(shown()):
			before := len(text)
			if begin != nil {
				before = begin[0]
			}
			ends := f.close.FindAllStringIndex(text[:before], -1)
			text = text[ends[len(ends)-1][1]:]
		default:
			return text, true
		}
	}
}
