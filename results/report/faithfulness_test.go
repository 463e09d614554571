package report

import (
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/recordtest"
)

func TestFaithfulnessInPages(t *testing.T) {
	report := must(Compute(dataset.New(recordtest.Claims())))
	if page := report.argumentsDocument().Markdown(); !strings.Contains(page, "## Claims") || !strings.Contains(page, "| m      | 4        | faithful |       2 |      8 |") {
		t.Error(page)
	}
}
