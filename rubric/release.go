package rubric

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Release names the rubric that the authors of the CompQA paper publish in the README of their release, and the prompt of a judge that uses
// it. The authors' sentences are read from a checkout, and are not part of this program.
const Release = "release"

// ReleasePlaces are the placeholders in the authors' prompt for a question and an answer.
var ReleasePlaces = []string{"{aspect_text}", "{object1}", "{object2}", "{comparison}"}

var (
	releaseHeading   = regexp.MustCompile(`(?i)^#+\s*full evaluation prompt\s*$`)
	releaseCriterion = regexp.MustCompile(`^\s*(\d+)\.\s+(.*\S):\s*(\d+)\s*-\s*(\d+)\s*$`)
	releaseLevel     = regexp.MustCompile(`^\s*-\s+(.*\S)\s+-\s+(\d+)\s+points?\s*$`)
)

// ReadRelease reads the authors' prompt, and the criteria in it, from the text of a README. path is the file's name for errors. Groups and
// short names come from the built-in rubric, which has the same criteria.
func ReadRelease(path, text string) (r Rubric, prompt string, err error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	from := -1
	to := -1
	for i := slices.IndexFunc(lines, releaseHeading.MatchString) + 1; i > 0 && i < len(lines) && to < 0; i++ {
		if fence := strings.HasPrefix(lines[i], "```"); fence && from < 0 {
			from = i + 1
		} else if fence {
			to = i
		}
	}
	if to < 0 {
		return r, "", fmt.Errorf("%s: there is no section \"Full Evaluation Prompt\" with a block of text; it should be the README of the "+
			"authors' release", path)
	}
	prompt = strings.Join(lines[from:to], "\n")
	r = CQA()
	r.Name = Release
	known := r.Criteria
	r.Criteria = nil
	for i := from; i < to; i++ {
		if m := releaseCriterion.FindStringSubmatch(lines[i]); m != nil {
			k := slices.IndexFunc(known, func(c Criterion) bool { return c.ID == m[1] })
			if k < 0 {
				return r, "", fmt.Errorf("%s:%d: criterion %s is not one of the paper's 15", path, i+1, m[1])
			}
			r.Criteria = append(r.Criteria, Criterion{ID: m[1], Group: known[k].Group, Name: known[k].Name, Text: m[2]})
		} else if m := releaseLevel.FindStringSubmatch(lines[i]); m != nil && len(r.Criteria) > 0 {
			points, _ := strconv.ParseFloat(m[2], 64)
			c := &r.Criteria[len(r.Criteria)-1]
			c.Levels = append(c.Levels, Level{points, m[1]})
		}
	}
	if err := r.Validate(); err != nil {
		return r, "", fmt.Errorf("%s: %w", path, err)
	}
	if err := r.RequireCQA(); err != nil || r.Max() != CQA().Max() {
		return r, "", fmt.Errorf("%s: the prompt has the criteria %s and %v points; the paper has 15 criteria and %v points", path,
			strings.Join(r.IDs(), ", "), r.Max(), CQA().Max())
	}
	for _, place := range ReleasePlaces {
		if strings.Count(prompt, place) != 1 {
			return r, "", fmt.Errorf("%s: the prompt must have %s once", path, place)
		}
	}
	return r, prompt, nil
}
