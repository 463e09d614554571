package strum

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

// A Role is the task of a model in the making of a table.
type Role string

const (
	RoleExtract  Role = "extract"  // extracts values from texts, and criticises them
	RoleContrast Role = "contrast" // all later stages: merging, contrast, critiques of rows, usefulness
)

// Roles are the names of the roles for which an entry of the configuration can name models.
var Roles = []string{string(RoleExtract), string(RoleContrast)}

// The methods of a live system.
const (
	Method       = "strum"
	MethodChoice = "strum+choice" // with a choice by majority
)

// Methods are the names of all methods.
var Methods = []string{Method, MethodChoice}

// DefaultRounds is the maximum number of rounds of critiques.
const DefaultRounds = 2

// TileTokens is the maximum size of the texts in one prompt, in tokens. A longer sentence is divided.
const TileTokens = 3000

const bytesOfToken = 4 // of English text

// A Model is a model name and the options of its requests, as in llm.Request.
type Model struct {
	Name           string
	Options, Extra map[string]any
	Examples       int `json:",omitempty"` // number of made-up examples in the prompt of each stage, 0 to MostExamples
}

// Options say which models make the stages of a table, and how often their results are criticised and repaired.
type Options struct {
	Models    map[Role]Model
	Rounds    int      // maximum number of rounds of critiques
	Critiques []string // names of the critiques; nil means all
	Repair    int      // how often an invalid reply is asked for again
	TileBytes int      // maximum size of the texts in one prompt; 0 means TileTokens
}

// An Ask sends a request to the model of a role. The caller records requests and replies.
type Ask func(context.Context, Role, llm.Request) (llm.Reply, error)

// A Live is a system that makes tables with models.
type Live struct {
	o         Options
	critiques map[string][]critique // by stage
}

// New builds a live system. It returns an error if a critique is unknown.
func New(o Options) (*Live, error) {
	o.TileBytes = cmp.Or(o.TileBytes, TileTokens*bytesOfToken)
	for _, name := range o.Critiques {
		if !slices.Contains(CritiqueNames(), name) {
			return nil, fmt.Errorf("there is no critique %q%s", name, data.Suggest(name, "critiques", CritiqueNames()))
		}
	}
	s := &Live{o: o, critiques: map[string][]critique{}}
	for _, c := range critiques {
		if o.Rounds > 0 && (o.Critiques == nil || slices.Contains(o.Critiques, c.Name)) {
			s.critiques[c.stage] = append(s.critiques[c.stage], c)
		}
	}
	return s, nil
}

// Fingerprint returns a hash of everything that the tables depend on, apart from the servers.
func (s *Live) Fingerprint() (string, error) {
	texts := map[string]string{}
	for _, name := range data.Must(fs.Glob(files, "templates/*.tmpl")) {
		texts[name] = string(data.Must(files.ReadFile(name)))
	}
	schemas := map[string]json.RawMessage{}
	for name, f := range forms {
		schemas[name] = f.schema()
	}
	o := s.o
	o.Critiques = nil
	for _, m := range o.Models {
		if m.Examples > 0 {
			texts["examples.json"] = string(examplesText)
		}
	}
	return structured.Fingerprint(o, s.critiques, critiques, texts, schemas, Version, stagesVersion)
}

// Calls estimates the number of calls for one table. It assumes that each critique finds no fault, and that six attributes have several
// values of both objects:
//
//	tiles · (1 + critiques of values) + 1 + 2 · 6 + 1 + critiques of rows + 1
func (s *Live) Calls(sources []data.Source) int {
	const assumedAttributes = 6
	tiles := 0
	for object := range 2 {
		tiles += len(s.tiles(sources, object))
	}
	return tiles*(1+len(s.critiques[StageExtract])) + 1 + 2*assumedAttributes + 1 + len(s.critiques[StageContrast]) + 1
}
