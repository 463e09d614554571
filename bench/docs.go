package bench

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/docs"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// docsCommand builds `compqa docs`.
func docsCommand(streams cli.Streams) *cobra.Command {
	var asJSON cli.JSON[[]docsPage]
	var asYAML bool
	cmd := cli.Command("docs [TOPIC…]", "Print a page of the manual or the columns of a CSV file, search them, or list the pages",
		func(_ *cobra.Command, args []string) error {
			if asYAML {
				return printRubric(args, streams.Out)
			}
			if asJSON.On {
				return docsJSON(strings.Join(args, " "), asJSON, streams.Out)
			}
			text := pageList()
			err := error(nil)
			if len(args) > 0 {
				text, err = documented(strings.Join(args, " "))
			}
			if err == nil {
				_, err = io.WriteString(streams.Out, text)
			}
			return err
		})
	asJSON.Add(cmd.Flags())
	cmd.Flags().BoolVar(&asYAML, "yaml", false, "with the topic rubric: print the built-in rubric as a file to start from")
	cmd.ValidArgs = append(docs.Topics(), topicKeys, topicColumns)
	return cmd
}

// printRubric prints the built-in rubric in YAML. It returns a usage error for any topic other than rubric.
func printRubric(topics []string, out io.Writer) error {
	if len(topics) != 1 || topics[0] != "rubric" {
		return config.Usagef("--yaml prints the built-in rubric: compqa docs rubric --yaml")
	}
	_, err := out.Write(rubric.BuiltInYAML())
	return err
}

// A docsPage is a page of the manual, as `compqa docs --json` prints it.
type docsPage struct {
	Topic string `json:"topic"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"` // in Markdown; "" in a list of pages
}

// docsJSON prints the list of pages if topic is "", otherwise the text that docs prints about the topic.
func docsJSON(topic string, asJSON cli.JSON[[]docsPage], out io.Writer) error {
	var pages []docsPage
	if topic == "" {
		for _, name := range docs.Topics() {
			pages = append(pages, docsPage{Topic: name, Title: docs.Title(name)})
		}
		return asJSON.Print(out, pages)
	}
	text, err := documented(topic)
	if err != nil {
		return err
	}
	return asJSON.Print(out, []docsPage{{Topic: topic, Text: text}})
}

// Topics whose text the program generates from its schema and its tables.
const (
	topicKeys    = "keys"    // the keys of compqa.yaml
	topicColumns = "columns" // the columns of all CSV files
)

// pageList returns a list of the manual's pages with their titles.
func pageList() string {
	var b strings.Builder
	for _, group := range docs.Groups {
		fmt.Fprintf(&b, "%s:\n", group.Title)
		for _, topic := range group.Topics {
			fmt.Fprintf(&b, "  %-16s %s\n", topic, docs.Title(topic))
		}
	}
	fmt.Fprintf(&b, "Generated:\n  %-16s What each key of compqa.yaml means\n", topicKeys)
	fmt.Fprintf(&b, "  %-16s What the columns of all CSV files mean; compqa docs FILE.csv has those of one\n", topicColumns)
	b.WriteString("compqa docs WORD searches all of them.\n")
	return b.String()
}

// documented returns the text about a topic. It tries in order: a generated page, a page of the manual, the columns of a CSV file such as
// scores.csv, and a search for the words of the topic.
func documented(topic string) (string, error) {
	switch topic {
	case topicKeys:
		return config.Keys()
	case topicColumns:
		return report.Columns(), nil
	}
	if text, found := docs.Page(topic); found {
		return text, nil
	}
	var files []string // sections of files with one name in several folders
	for _, d := range report.Tables() {
		if strings.HasSuffix(topic, ".csv") && (d.File == topic || path.Base(d.File) == topic) {
			section, _ := strings.CutPrefix(d.Markdown(), "## ")
			files = append(files, section)
		}
	}
	if files != nil {
		return strings.Join(files, "\n"), nil
	}
	text, err := searched(topic)
	if err == nil && text == "" {
		err = config.Usagef("no page has %q%s", topic, data.Suggest(topic, "pages", append(docs.Topics(), topicKeys, topicColumns)))
	}
	return text, err
}

// mostHits is the largest number of parts that a search prints.
const mostHits = 12

// searched returns the parts of the manual that contain words of a query, best first. If there are fewer than mostHits, descriptions of
// columns follow. It returns "" if nothing is found.
func searched(query string) (string, error) {
	keys, err := config.Keys()
	if err != nil {
		return "", err
	}
	parts := docs.Parts(topicKeys, keys)
	for _, topic := range docs.Topics() {
		text, _ := docs.Page(topic)
		parts = append(parts, docs.Parts(topic, text)...)
	}
	hits := docs.Search(parts, query)
	if len(hits) < mostHits { // pages explain, so they come before columns
		hits = append(hits, docs.Search(docs.Parts(topicColumns, report.Columns()), query)...)
	}
	var b strings.Builder
	for _, hit := range hits[:min(mostHits, len(hits))] {
		fmt.Fprintf(&b, "%s: %s\n", hit.Topic, hit.Heading)
		for _, line := range hit.Lines {
			if letters := []rune(line); len(letters) > 160 {
				line = string(letters[:159]) + "…"
			}
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	if more := len(hits) - mostHits; more > 0 {
		fmt.Fprintf(&b, "%s\n", data.Plural(more, "part has fewer of the words", "more parts have fewer of the words"))
	}
	return b.String(), nil
}

// schemaCommand builds `compqa schema`.
func schemaCommand(streams cli.Streams) *cobra.Command {
	return cli.Command("schema [COMMAND…]", "Print the JSON Schema of compqa.yaml, or of what a command prints with --json",
		func(cmd *cobra.Command, words []string) error {
			if len(words) == 0 {
				schema, err := config.Schema()
				if err == nil {
					_, err = streams.Out.Write(schema)
				}
				return err
			}
			found, rest, err := cmd.Root().Find(words)
			if err != nil || len(rest) > 0 || found == cmd.Root() {
				return config.Usagef("there is no command %q; `compqa --help` lists them", strings.Join(words, " "))
			}
			schema, err := cli.SchemaOf(found)
			if err == nil && schema == nil {
				err = config.Usagef("%s has no flag --json", found.CommandPath())
			}
			if err != nil {
				return err
			}
			return table.WriteJSON(streams.Out, schema)
		})
}

// manCommand builds `compqa man`, which writes the manual pages that `make dist` packs.
func manCommand(cli.Streams) *cobra.Command {
	cmd := cli.Command("man DIR", "Write a manual page for each command into a folder", func(cmd *cobra.Command, args []string) error {
		undated := time.Unix(0, 0).UTC() // so that the same program writes the same pages
		verbatim(cmd.Root())
		return inFolder("man", args[0], func(dir string) error {
			return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Section: "1", Source: "compqa", Date: &undated}, dir)
		})
	})
	number := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 { // the user may want to read a manual page
			return config.Usagef("usage: %s; `compqa docs` prints the manual", cmd.UseLine())
		}
		return number(cmd, args)
	}
	return cmd
}

// verbatim keeps the line breaks and special characters of help texts on manual pages, which cobra makes by way of Markdown.
func verbatim(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	if cmd.Long != "" {
		cmd.Long = "```\n" + cmd.Long + "\n```"
	}
	escape := func(f *pflag.Flag) { f.Usage = strings.NewReplacer("*", `\*`, "_", `\_`).Replace(f.Usage) }
	cmd.LocalFlags().VisitAll(escape)
	for _, sub := range cmd.Commands() {
		verbatim(sub)
	}
}

// exampleConfig is the configuration that `make bench` runs.
//
//go:embed example.yaml
var exampleConfig []byte

// initCommand builds `compqa init`.
func initCommand(streams cli.Streams) *cobra.Command {
	return cli.Command("init [DIR]", "Write a configuration with comments", func(_ *cobra.Command, args []string) error {
		return writeExample(append(args, ".")[0], streams.Out)
	})
}

// createFile writes a new file. It returns a usage error if the file exists.
func createFile(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return config.Usagef("%s exists; it is not replaced", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// writeExample writes the example configuration and its schema into a folder. It returns a usage error if the folder has a configuration.
func writeExample(dir string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, config.DefaultConfig)
	if err := createFile(path, "# yaml-language-server: $schema="+config.SchemaName+"\n"+string(exampleConfig)); err != nil {
		return err
	}
	schema, err := config.Schema()
	if err == nil {
		err = store.WriteOutput(filepath.Join(dir, config.SchemaName), func(w io.Writer) error { _, err := w.Write(schema); return err })
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: five systems and three judges that need no model.\nAdd models and judges there, then:\n  compqa "+
		"doctor           # checks providers, models and options\n  compqa estimate         # calls, tokens, cost and time\n  compqa run "+
		"--limit 2    # a short trial run\n", path)
	return err
}
