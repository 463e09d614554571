package bench

import (
	"strings"

	"github.com/spf13/cobra"

	"compqa/data/sources"
	"compqa/results/store"
)

// outputs says what the commands write. The first key is the command, the second a flag or the number of an argument from the left. For a
// folder, the value says which existing folders the command may write into. For a file, the value is nil.
var outputs = map[string]map[string]*store.Output{
	"agree":                       {"out": nil},
	"annotate backup":             {"1": nil},
	"annotate export":             {"out": {}},
	"annotate import-labelstudio": {"out": nil},
	"annotate init":               {"1": {Any: true}},
	"annotate report":             {"out": {Content: store.ContentStudy}},
	"doctor":                      {"out": {Content: store.ContentRun, Any: true}}, // a later run writes to it
	"estimate":                    {"out": {Content: store.ContentRun, Any: true}},
	"export":                      {"out": nil}, // with --format a folder, which is new or empty
	"fetch":                       {"out": {}},
	"import":                      {"out": {Content: store.ContentRun, Any: true, Beside: []string{sources.ReadingName}}},
	"init":                        {"1": {}},
	"judge":                       {"out": nil},
	"judge calibrate":             {"out": nil, "systems": nil},
	"judge score":                 {"out": nil},
	"man":                         {"1": {}},
	"pairwise calibrate":          {"out": nil},
	"pairwise import":             {"out": {Content: store.ContentRun, Beside: []string{sources.ReadingName}}},
	"pairwise sample":             {"out": {Content: store.ContentRun}},
	"reproduce":                   {"out": {}},
	"run":                         {"out": {Content: store.ContentRun}},
	"serve":                       {"write": {}},
	"strum":                       {"out": {Content: store.ContentStrum}},
	"train export":                {"out": {}},
}

// checkOutputs returns an error, before a command begins, if it must not write to one of its outputs. The command later opens its outputs
// by the same rules.
func checkOutputs(cmd *cobra.Command, args []string) error {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	value := func(name string) string {
		if f := cmd.Flags().Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	for name, folder := range outputs[path] {
		to := value(name)
		if name == "1" && len(args) > 0 {
			to = args[0]
		}
		var err error
		switch {
		case to == "", value("format") != "" && path == "export":
		case folder == nil, value("cam") != "" && path == "import":
			err = store.CheckFile(to)
		default:
			err = store.CheckFolder(to, outputOf(path, *folder))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outputOf returns the rule o for an output of a command, with the command's name in it.
func outputOf(command string, o store.Output) store.Output {
	o.Command = command
	return o
}

// againIn lets a command write files beside a record into the record's folder, in place of earlier ones. Either all files of write are
// kept, or none.
func againIn(command, dir string, write func(dir string) error) error {
	return store.InFolder(dir, store.Output{Command: command, Any: true, Again: true}, write)
}

// inFolder lets a command write its files into a folder, by the command's rule in outputs. Either all files of write are kept, or none.
func inFolder(command, dir string, write func(dir string) error) error {
	o := store.Output{}
	for _, folder := range outputs[command] {
		if folder != nil {
			o = *folder
		}
	}
	return store.InFolder(dir, outputOf(command, o), write)
}
