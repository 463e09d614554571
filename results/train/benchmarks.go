package train

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
	"sync"

	"compqa/data"
)

// benchmarkHashes has a line for each question of a published benchmark of judges: its name and
// the hash of the folded question. The questions themselves are not part of this program.
//
//go:embed benchmarks.txt
var benchmarkHashes string

var benchmarks = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(benchmarkHashes) {
		if name, hash, found := strings.Cut(strings.TrimSpace(line), " "); found && name != "#" {
			names[hash] = name
		}
	}
	return names
})

// BenchmarkOf is the name of the published benchmark that has a question, whatever file the
// question comes from; "" if none of those known here has it.
func BenchmarkOf(question string) string { return benchmarks()[questionHash(question)] }

// questionHash is the beginning of the SHA-256 of a question in lower case without differences of
// spacing.
func questionHash(question string) string {
	sum := sha256.Sum256([]byte(data.QuestionCluster(question)))
	return hex.EncodeToString(sum[:8])
}
