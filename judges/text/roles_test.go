package text

import "testing"

func TestRoles(t *testing.T) {
	for name, want := range map[string]role{
		"Summary": summaryRole, "Summary (100 words)": summaryRole, "Comparison Summary": summaryRole,
		"Introduction": introRole, "Brief overview": introRole, "Background": introRole,
		"Main Aspects of Comparison": bodyRole, "Bullet-point list of main aspects": bodyRole, "Key differences": bodyRole,
		"Tea vs. Coffee": bodyRole, "Pros": bodyRole, "Arguments in favor of tea": bodyRole,
		"The Best Option": choiceRole, "Better option": choiceRole, "Winner": choiceRole, "Final verdict": choiceRole, "Best": choiceRole,
		"My final decision": choiceRole, "Recommendation": choiceRole, "Answer": choiceRole,
		"Conclusion": conclusionRole, "Final thoughts": conclusionRole, "Overall": conclusionRole, "In summary": conclusionRole, "In short": conclusionRole,
		"Used Arguments": sourcesRole, "Numbered list of used arguments": sourcesRole, "Arguments used": sourcesRole, "References": sourcesRole, "Note": sourcesRole,
		"Price": noRole, "Best use case": noRole, "Overall performance": noRole, "Ease of use": noRole, "Tea": noRole, "": noRole, "価格": noRole,
	} {
		if got := roleOf(name); got != want {
			t.Errorf("%q has role %d, want %d", name, got, want)
		}
	}
}
