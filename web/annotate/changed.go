package annotate

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/web/annotate/project"
)

// A changedLine is a line of a comparison of two texts.
type changedLine struct {
	Sign string // "+": only in the new text; "-": only in the old one; "": in both
	Text string
}

// mostCompared is the maximum number of pairs of lines to compare (8 MB, a few ms). If there are more, all differing lines are shown as
// replaced.
const mostCompared = 1_000_000

// changedLines compares two texts line by line, by their longest common subsequence. It shortens a long stretch of equal lines to the two
// lines next to each change.
func changedLines(before, after string) []changedLine {
	a := strings.Split(before, "\n")
	b := strings.Split(after, "\n")
	first := 0
	last := 0 // first and last: numbers of equal lines at the beginning and at the end
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	for last < min(len(a), len(b))-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	signed := func(sign string, texts []string) []changedLine {
		return data.Each(texts, func(text string) changedLine { return changedLine{sign, text} })
	}
	lines := signed("", a[:first])
	oldLines := a[first : len(a)-last]
	newLines := b[first : len(b)-last]
	if len(oldLines)*len(newLines) <= mostCompared {
		lines = append(lines, comparedLines(oldLines, newLines)...)
	} else {
		lines = append(append(lines, signed("-", oldLines)...), signed("+", newLines)...)
	}
	return shortened(append(lines, signed("", a[len(a)-last:])...))
}

// comparedLines returns the lines of both texts, and a line of their longest common subsequence once.
func comparedLines(a, b []string) (lines []changedLine) {
	common := make([][]int, len(a)+1) // [i][j] is the length of the longest common subsequence of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, changedLine{"", a[i]})
			i++
			j++
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, changedLine{"-", a[i]})
			i++
		default:
			lines = append(lines, changedLine{"+", b[j]})
			j++
		}
	}
	return lines
}

// shortened keeps changed lines and up to two equal lines before and after each. It replaces the other lines by "…".
func shortened(lines []changedLine) (short []changedLine) {
	const near = 2
	left := false
	for i, line := range lines {
		around := lines[max(0, i-near):min(len(lines), i+near+1)]
		if line.Sign != "" || slices.ContainsFunc(around, func(l changedLine) bool { return l.Sign != "" }) {
			short = append(short, line)
			left = false
		} else if !left {
			short = append(short, changedLine{"", "…"})
			left = true
		}
	}
	return short
}

// A guidelineChange describes how a version of the study changed the guidelines.
type guidelineChange struct {
	Version int
	At      string
	Lines   []changedLine
}

// guidelineChanges returns the changes of the guidelines from version to version, the newest first.
func guidelineChanges(p *project.Project) (list []guidelineChange) {
	for i := len(p.Versions) - 1; i > 0; i-- {
		v := p.Versions[i]
		before := p.Versions[i-1].Texts.Guidelines
		if v.Texts.Guidelines != before {
			list = append(list, guidelineChange{v.Version, v.At[:16], changedLines(before, v.Texts.Guidelines)})
		}
	}
	return list
}

// Guidelines returns each different text of the guidelines, by a file name with the number of the version that introduced it.
func Guidelines(p *project.Project) map[string]string {
	texts := map[string]string{}
	before := ""
	for _, v := range p.Versions {
		if v.Texts.Guidelines != before {
			before = v.Texts.Guidelines
			texts[fmt.Sprintf("guidelines-version%d.md", v.Version)] = before
		}
	}
	return texts
}
