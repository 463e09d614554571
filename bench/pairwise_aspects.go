package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/pairwise"
)

// aspectsOf are the aspects that an entry's file holds. Where there is no such
// file yet, they are extracted from pairs, consolidated, and kept in it.
func (r *pairwiseRun) aspectsOf(ctx context.Context, ref *PairwiseRef) ([]string, error) {
	path := r.config.aspectsPath(*ref)
	if path == "" {
		return nil, nil
	}
	names, found, err := readAspects(path)
	if err != nil || found {
		return names, err
	}
	models, lanes := r.config.pairwiseModels(*ref)
	if fault := r.faults[lanes[pairwise.RoleAspects]]; fault != "" {
		return someAspects, nil // nothing of this entry can be asked
	}
	corpus := r.corpus()
	fmt.Fprintf(r.streams.Err, "%s: extracting aspects from %d pairs (%d calls)\n", ref.Name, len(corpus), pairwise.ExtractCalls(len(corpus)))
	names, err = pairwise.ExtractAspects(ctx, models[pairwise.RoleAspects], corpus, r.config.lanes()[lanes[pairwise.RoleAspects]], r.askUntilStopped(ref.Name, lanes))
	if err != nil {
		if r.stopped(ctx) {
			return nil, errStopped
		}
		return nil, fmt.Errorf("pairwise judge %q: %w; write %s by hand, or set aspects to online", ref.Name, err, path)
	}
	return names, writeAspects(path, names, fmt.Sprintf("%d pairs of %s, by %s", len(corpus), r.sets[0].Name, models[pairwise.RoleAspects].Name))
}

// corpusPairs is how many pairs aspects are extracted from, as in SC2's paper.
const corpusPairs = 50

// corpus are pairs drawn by the seed.
func (r *pairwiseRun) corpus() []data.Pair {
	var ids []string
	at := map[string]data.Pair{}
	for _, set := range r.sets {
		if set.Base != "" {
			continue
		}
		for _, p := range set.Pairs {
			ids = append(ids, p.ID)
			at[p.ID] = p.Pair
		}
	}
	var pairs []data.Pair
	for _, id := range slices.Sorted(maps.Keys(smallest(ids, min(corpusPairs, len(ids)), r.config.Run.Seed))) {
		pairs = append(pairs, at[id])
	}
	return pairs
}

// writeAspects keeps aspects in a file, which has its name when it is complete.
func writeAspects(path string, names []string, from string) error {
	var b strings.Builder
	b.WriteString("# Aspects that pairs of answers are compared on. They may be edited.\naspects:\n")
	for _, name := range names {
		fmt.Fprintf(&b, "  - %s\n", yamlText(name))
	}
	fmt.Fprintf(&b, "from: %s\n", yamlText(from))
	f, err := os.CreateTemp(filepath.Dir(path), ".aspects-*")
	if err != nil {
		return fmt.Errorf("keeping the aspects: %w", err)
	}
	_, err = io.WriteString(f, b.String())
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("keeping the aspects: %w", err)
	}
	return os.Rename(f.Name(), path)
}

// yamlText is a text as YAML's double-quoted form, which JSON's is.
func yamlText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has one
	}
	return string(text)
}
