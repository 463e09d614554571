package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/data/sheets"
	"compqa/data/sources"
)

// A Reading says how to read the file of an entry. Its keys have the names and values of command-line flags (run.ReadingHelp).
type Reading struct {
	Missing codes     `yaml:"missing" json:"missing,omitempty"`
	Map     assigned  `yaml:"map" json:"map,omitempty"`
	Scale   perScales `yaml:"scale" json:"scale,omitempty"`

	FromFlags bool `yaml:"-" json:"-"` // errors name command-line flags instead of keys
}

// codes are values in a file that mean a missing value. In YAML, one value needs no list.
type codes []string

// UnmarshalYAML reads one value or a list of values.
func (c *codes) UnmarshalYAML(node *yaml.Node) error {
	nodes := node.Content
	if node.Kind == yaml.ScalarNode {
		nodes = []*yaml.Node{node}
	}
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || node.Kind == yaml.MappingNode {
			return fmt.Errorf("line %d: missing is a value or a list of values", node.Line)
		}
		*c = append(*c, n.Value)
	}
	return nil
}

// assigned maps what is needed to the columns of a file. In YAML it is {item: Nr} or "item=Nr".
type assigned map[string]string

// UnmarshalYAML reads a mapping or a text.
func (a *assigned) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && strings.Contains(node.Value, "=") {
		m, err := sources.ParseMap(node.Value)
		*a = m
		return err
	}
	m, err := scalars(node)
	*a = m
	if err != nil {
		return fmt.Errorf("line %d: map is a mapping of names to columns, for instance {item: Nr}: %w", node.Line, err)
	}
	return nil
}

// perScales maps criteria to their scales; "" stands for all criteria. In YAML it is 1..5, [no, yes], "Helpful=1..5" or {Helpful: 1..5,
// Clear: [no, yes]}.
type perScales map[string]string

// UnmarshalYAML reads a text, a list or a mapping.
func (p *perScales) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		text, err := listed(node)
		*p = perScales{"": text}
		if name, scale, named := strings.Cut(text, "="); named {
			*p = perScales{name: scale}
		}
		return err
	}
	m, err := scalars(node)
	*p = m
	return err
}

// scalars returns the values of a mapping by key. A list becomes its values joined with commas.
func scalars(node *yaml.Node) (map[string]string, error) {
	if node.Kind != yaml.MappingNode {
		return nil, errors.New("a mapping is needed")
	}
	m := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		text, err := listed(node.Content[i+1])
		if err != nil {
			return nil, err
		}
		m[node.Content[i].Value] = text
	}
	return m, nil
}

// listed returns a text as it is, and joins the texts of a list with commas.
func listed(node *yaml.Node) (string, error) {
	switch {
	case node.Kind == yaml.ScalarNode:
		return node.Value, nil
	case node.Kind != yaml.SequenceNode || slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }):
		return "", fmt.Errorf("line %d: a text or a list of texts is needed", node.Line)
	}
	var parts []string
	for _, n := range node.Content {
		parts = append(parts, n.Value)
	}
	return strings.Join(parts, ","), nil
}

// ReadingOptions returns the keys of an entry as options for package sources.
func (r Reading) ReadingOptions(repeats Repeats) sources.Options {
	return sources.Options{Missing: r.Missing, Map: r.Map, Scales: r.Scale, Repeats: repeats.Rule, Alone: true}
}

// Fault returns the error of reading the file. The error names the flags of a command, or the keys of an entry.
func (r Reading) Fault(err error) error {
	if r.FromFlags {
		return UsageError{Err: err}
	}
	return KeysError(err)
}

func (r Reading) isSet() bool { return r.Missing != nil || r.Map != nil || r.Scale != nil }

// Repeats is a number for judges that are asked: how often they score each answer. For a file of scores it is a rule: which value counts if
// one rater has several values for an item.
type Repeats struct {
	Times int    // 0 means 1
	Rule  string // sources.RepeatsFirst, RepeatsLast or RepeatsMean; "": unequal values are an error
}

// UnmarshalYAML reads a number or a rule.
func (r *Repeats) UnmarshalYAML(node *yaml.Node) error {
	if n, err := strconv.Atoi(node.Value); err == nil && node.Kind == yaml.ScalarNode {
		r.Times = n
		return nil
	}
	r.Rule = node.Value
	if r.Rule == "" {
		return fmt.Errorf("line %d: repeats is a number, or first, last or mean of a file", node.Line)
	}
	return nil
}

// MarshalJSON writes a number or a rule.
func (r Repeats) MarshalJSON() ([]byte, error) {
	if r.Rule != "" {
		return json.Marshal(r.Rule)
	}
	return json.Marshal(r.Times)
}

// UnmarshalJSON reads a number or a rule.
func (r *Repeats) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &r.Rule)
	}
	return json.Unmarshal(text, &r.Times)
}

// CheckRepeats returns an error for an unknown rule.
func CheckRepeats(rule string) error {
	if rule == "" || rule == sources.RepeatsFirst || rule == sources.RepeatsLast || rule == sources.RepeatsMean {
		return nil
	}
	return fmt.Errorf("repeats is %q; it must be %s, %s or %s", rule, sources.RepeatsFirst, sources.RepeatsLast, sources.RepeatsMean)
}

// check returns an error if an entry has reading keys that it cannot use. file reports whether the entry reads a file, and scores whether
// the file has scores.
func (r Reading) check(repeats Repeats, file, scores bool) error {
	return check(
		failIf(!file && (r.isSet() || repeats.Rule != ""),
			"missing, map, scale and repeats: first say how a file is read; they need provider: %s",
			ProviderFile),
		failIf(!scores && (r.Missing != nil || r.Scale != nil), "missing and scale are for files of scores; answers have map alone"),
		failIf(file && repeats.Times > 1, "repeats is %d; of a file it is %s, %s or %s, which says what counts of several values of a rater",
			repeats.Times, sources.RepeatsFirst, sources.RepeatsLast, sources.RepeatsMean),
		rule{CheckRepeats(repeats.Rule) != nil, CheckRepeats(repeats.Rule)})
}

var readingFlag = regexp.MustCompile(`--(missing|map|scale|repeats) `)

// AsKeys replaces the flags of commands in a text by the keys of an entry: "--map item=COLUMN" becomes "map: item=COLUMN".
func AsKeys(text string) string { return readingFlag.ReplaceAllString(text, "$1: ") }

// KeysError returns a UsageError that names keys of an entry in place of flags.
func KeysError(err error) error {
	if text := err.Error(); AsKeys(text) != text {
		err = errors.New(AsKeys(text))
	}
	return UsageError{Err: err}
}

func init() {
	data.Spreadsheets.Excel = func(r io.Reader, most int64) (data.Workbook, error) { return sheets.OpenExcel(r, most) }
	data.Spreadsheets.Parquet = sheets.Parquet
}
