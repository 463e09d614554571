package lexical

import (
	"strings"
	"testing"

	"compqa/data"
)

// English answers are recognised, however short; for answers in other languages there is a reason.
func TestNotEnglish(t *testing.T) {
	english := data.Question{Text: data.DefaultQuestion("tea", "coffee", "")}
	for _, answer := range []string{"", "Tea", "Best option: Tea", "Tea is cheaper than coffee.", "1 2 3 …", "[3]",
		"Das Keyboard and Das Boot are not the same, and Los Angeles is not Las Vegas.", "Battery 10 h, price $35, weight 478 g",
		"Les Misérables: longer. Les Paul: louder.",
		"Tee und Kaffee (German for tea and coffee) differ in the price, and the first of them is cheaper than the other one."} {
		if reason := NotEnglish(english, answer); reason != "" {
			t.Errorf("%q: %s", answer, reason)
		}
	}
	for name, of := range map[string]struct{ question, answer, want string }{
		"German": {"Was ist besser, Tee oder Kaffee?", "Tee ist billiger als Kaffee, und in der Regel trinkt man ihn heiß. Für die meisten Menschen ist er " +
			"gesünder. So war es am Ende ein Kaffee, was also niemand in dem Haus so gern hat.", "4 different words are function words of other languages, and 0 words of English"},
		"German to the default question":      {english.Text, "Hunde brauchen täglich Auslauf und Katzen nicht.", "2 different words are function words of other languages"},
		"French":                              {english.Text, "Les chats sont moins chers que les chiens.", "2 different words are"},
		"Spanish":                             {english.Text, "El tren es más rápido para los viajes.", "3 different words are"},
		"Polish":                              {"", strings.Repeat("Psy potrzebują codziennych spacerów koty myją się same. ", 6), "function words of English are 0 of 48 words"},
		"Hungarian":                           {"", strings.Repeat("A kutyák hangosabbak mint macskák, de hűségesebbek. ", 6), "function words of English are 0 of 42 words"},
		"Greek":                               {english.Text, "Ο σκύλος είναι πιο πιστός από τη γάτα.", "0 % of the letters"},
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
