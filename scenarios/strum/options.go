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

// A Role is the task of a model.
type Role string

const (
	RoleExtract  Role = "extract"  // values from texts, and their critiques
	RoleContrast Role = "contrast" // all that follows: merging, contrast, critiques, usefulness
)

// Roles has the names of the roles for which an entry may name other models.
var Roles = []string{string(RoleExtract), string(RoleContrast)}

// The methods of a live system.
const (
	Method       = "strum"
	MethodChoice = "strum+choice" // with a choice by majority
)

// Methods are all methods.
var Methods = []string{Method, MethodChoice}

// DefaultRounds is the number of times that the critiques are repeated at most.
const DefaultRounds = 2

// TileTokens is the size of the texts in one prompt. A longer sentence has its own tile.
const TileTokens = 3000

const bytesOfToken = 4 // of English text

// A Model is a model name and the options of its requests, as in llm.Request.
type Model struct {
	Name           string
	Options, Extra map[string]any
	Examples       int `json:",omitempty"` // made-up examples of each stage, 0 to MostExamples
}

// Options are the models of the stages, and how often texts are criticised and repaired.
type Options struct {
	Models    map[Role]Model
	Rounds    int
	Critiques []string // names; nil: all
	Repair    int      // times an invalid reply is asked for again
	TileBytes int      // 0: TileTokens
}

// An Ask sends a request to the model of a role. The caller records requests and replies.
type Ask func(context.Context, Role, llm.Request) (llm.Reply, error)

// A Live is the system whose stages are asked of models.
type Live struct {
	o         Options
	critiques map[string][]critique // by stage
}

// New builds a live system. An error names an unknown critique.
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

// Fingerprint identifies everything that the tables depend on, apart from the servers.
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

// Calls returns the number of calls for one table as estimates assume it: each critique finds no
// fault, and six attributes have several values of both objects.
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
