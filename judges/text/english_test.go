package text

import (
	"strings"
	"testing"

	"compqa/data"
)

// Answers in English are known, however short; answers in other languages are not, with the reason.
func TestNotEnglish(t *testing.T) {
	english := data.Question{Text: data.DefaultQuestion("tea", "coffee", "")}
	for _, answer := range []string{"", "Tea", "Best option: Tea", "Tea is cheaper than coffee.", "1 2 3 …", "[3]",
		"Tee und Kaffee (German for tea and coffee) differ in the price, and the first of them is cheaper than the other one."} {
		if reason := NotEnglish(english, answer); reason != "" {
			t.Errorf("%q: %s", answer, reason)
		}
	}
	for name, of := range map[string]struct{ question, answer, want string }{
		"German": {"Was ist besser, Tee oder Kaffee?", "Tee ist billiger als Kaffee, und in der Regel trinkt man ihn heiß. Für die meisten Menschen ist er " +
			"gesünder. So war es am Ende ein Kaffee, was also niemand in dem Haus so gern hat.", "function words of English are 0 of"},
		"short German":                        {"Was ist besser, Tee oder Kaffee?", "Tee.", "function words of English are 0 of 7 words"},
		"Russian":                             {"Что лучше, чай или кофе?", "Чай дешевле кофе. Кофе крепче чая.", "0 % of the letters"},
		"Chinese":                             {"茶和咖啡哪个更好？", "茶比咖啡便宜。咖啡比茶浓。", "0 % of the letters"},
		"Arabic":                              {"أيهما أفضل، الشاي أم القهوة؟", "الشاي أرخص من القهوة. القهوة أقوى من الشاي.", "0 % of the letters"},
		"long Russian to an English question": {english.Text, strings.Repeat("Чай дешевле кофе. Кофе крепче чая. ", 9), "0 % of the letters"},
	} {
		if reason := NotEnglish(data.Question{Text: of.question}, of.answer); !strings.HasPrefix(reason, "it reads English only: "+of.want) {
			t.Errorf("%s: %q, want %q", name, reason, of.want)
		}
	}
	for _, q := range data.CQA50() {
		if reason := NotEnglish(q, data.References()[q.Pair()]); reason != "" {
			t.Errorf("the reference of %s: %s", q.ID, reason)
		}
	}
}
