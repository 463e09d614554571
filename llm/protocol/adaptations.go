package protocol

import (
	"slices"
	"sync"

	"compqa/llm"
)

// Adaptations have what was learnt about the models of one server.
type Adaptations struct {
	learned func(llm.Adaptation) // may be nil

	mu    sync.Mutex
	known map[[2]string]llm.Adaptation // by model and parameter
}

// NewAdaptations takes known adaptations, and a function that is called for each new or
// changed adaptation, possibly concurrently; nil: none.
func NewAdaptations(known []llm.Adaptation, learned func(llm.Adaptation)) *Adaptations {
	a := &Adaptations{learned: learned, known: map[[2]string]llm.Adaptation{}}
	for _, x := range known {
		a.known[[2]string{x.Model, x.Parameter}] = x
	}
	return a
}

// Value returns the replacement of a parameter; false: none is known.
func (a *Adaptations) Value(model, parameter string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, known := a.known[[2]string{model, parameter}]
	return x.Value, known
}

// Set adds or replaces an adaptation.
func (a *Adaptations) Set(x llm.Adaptation) {
	a.mu.Lock()
	at := [2]string{x.Model, x.Parameter}
	before, known := a.known[at]
	a.known[at] = x
	a.mu.Unlock()
	if a.learned != nil && (!known || before.Value != x.Value) {
		a.learned(x)
	}
}

// Unacceptable reports whether a server has rejected a request for its form or its
// parameters.
func Unacceptable(e *llm.Error) bool {
	return slices.Contains([]int{400, 415, 422, 501}, e.HTTPStatus) && e.Kind != llm.Refused
}
