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

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/docs"
	"compqa/results/report"
)

// docsCommand is `compqa docs`.
func docsCommand(streams run.Streams) *cobra.Command {
	cmd := run.Command("docs [TOPIC]", "Print a page of the manual or the columns of a CSV file, or list the pages",
		func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, topic := range docs.Topics() {
					if _, err := fmt.Fprintf(streams.Out, "  %-14s %s\n", topic, docs.Title(topic)); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintf(streams.Out, "  %-14s What the columns of all CSV files mean; compqa docs FILE.csv has those of one\n",
					topicColumns)
				return err
			}
			text, err := documented(args[0])
			if err == nil {
				_, err = io.WriteString(streams.Out, text)
			}
			return err
		})
	cmd.ValidArgs = append(docs.Topics(), topicColumns)
	return cmd
}

// topicColumns is the topic that describes the columns of all files.
const topicColumns = "columns"

// documented is a page of the manual, or the columns of all files or of one.
func documented(topic string) (string, error) {
	if topic == topicColumns {
		return report.Columns, nil
	}
	if text, found := docs.Page(topic); found {
		return text, nil
	}
	var files []string // of one name, in several folders
	for section := range strings.SplitSeq(report.Columns, "\n## ") {
		if name, _, _ := strings.Cut(section, "\n"); strings.HasSuffix(topic, ".csv") && (name == topic || path.Base(name) == topic) {
			files = append(files, strings.TrimSpace(section)+"\n")
		}
	}
	if files != nil {
		return strings.Join(files, "\n"), nil
	}
	return "", config.Usagef("there is no page %q%s", topic, data.Suggest(topic, "pages", append(docs.Topics(), topicColumns)))
}

// schemaCommand is `compqa schema`.
func schemaCommand(streams run.Streams) *cobra.Command {
	return run.Command("schema", "Print the JSON Schema of compqa.yaml, for editors", func(*cobra.Command, []string) error {
		schema, err := config.Schema()
		if err == nil {
			_, err = streams.Out.Write(schema)
		}
		return err
	})
}

// manCommand writes the manual pages that `make dist` packs.
func manCommand(run.Streams) *cobra.Command {
	cmd := run.Command("man DIR", "Write a manual page for each command into a folder", func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		undated := time.Unix(0, 0).UTC() // the same pages from the same program
		return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Section: "1", Source: "compqa", Date: &undated}, args[0])
	})
	cmd.Hidden = true
	number := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 { // perhaps to read it
			return config.Usagef("usage: %s; `compqa docs` prints the manual", cmd.UseLine())
		}
		return number(cmd, args)
	}
	return cmd
}

// exampleConfig is the configuration that `make bench` runs.
//
//go:embed example.yaml
var exampleConfig []byte

// initCommand is `compqa init`.
func initCommand(streams run.Streams) *cobra.Command {
	return run.Command("init [DIR]", "Write a configuration with comments", func(_ *cobra.Command, args []string) error {
		return writeExample(append(args, ".")[0], streams.Out)
	})
}

// writeExample writes the example configuration into a folder that has none.
func writeExample(dir string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, config.DefaultConfig)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return config.Usagef("%s exists; it is not replaced", path)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "# yaml-language-server: $schema=%s\n%s", config.SchemaName, exampleConfig)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	schema, err := config.Schema()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, config.SchemaName), schema, 0o644)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: five systems and three judges that need no model.\nAdd models and judges there, then:\n  compqa "+
		"doctor           # checks providers, models and options\n  compqa estimate         # calls, tokens, cost and time\n  compqa run "+
		"--limit 2    # a short trial run\n", path)
	return err
}
