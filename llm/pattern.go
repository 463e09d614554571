package llm

import "sync"

// Pattern is a request that many are made of, which differ in Messages and Seed
// alone: what else they hold is encoded once. Nobody may change it afterwards.
func (r Request) Pattern() Request {
	r.pattern = &pattern{texts: map[form]string{}}
	return r
}

// A pattern holds what requests have in common, in JSON.
type pattern struct {
	mu    sync.Mutex
	texts map[form]string // a server's dialect may change, and each repeat has its seed
}

// A form is one of the ways in which it is encoded.
type form struct {
	canonical bool    // for the key; else for a server that speaks
	way       dialect // in this way
	seeded    bool
	seed      int64
}

// mostForms is how many are kept.
const mostForms = 64

// encodedOnce is what encode makes of a request in a form, at once where that has
// been made of its pattern before.
func (r *Request) encodedOnce(f form, encode func() (string, error)) (string, error) {
	if r.pattern == nil {
		return encode()
	}
	if r.Seed != nil {
		f.seeded, f.seed = true, *r.Seed
	}
	r.pattern.mu.Lock()
	text, known := r.pattern.texts[f]
	r.pattern.mu.Unlock()
	if known {
		return text, nil
	}
	text, err := encode()
	r.pattern.mu.Lock()
	defer r.pattern.mu.Unlock()
	if err == nil && len(r.pattern.texts) < mostForms {
		r.pattern.texts[f] = text
	}
	return text, err
}
