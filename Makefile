# Go, make and git are all that is needed.
#   make bench                the benchmark of compqa.yaml; the reports are in results/runs/latest
#   make bench RELEASE=dir    with the CompQA authors' release from a checkout
#   make bench OFFLINE=1      without trying to fetch it
#   make test                 the tests
export CGO_ENABLED ?= 0

GO_FILES = $(shell find . -name '*.go' -o -name '*.tmpl' -o -name '*.sql' -o -name '*.jsonl') go.mod go.sum

.PHONY: bench test data reproduce bench-stats bench-run bench-scale test-ollama clean

bench: compqa
	@if [ -z "$(RELEASE)$(OFFLINE)" ] && [ ! -d release ]; then ./compqa fetch --timeout 10s --brief || true; fi
	@if [ -n "$(RELEASE)" ]; then ./compqa run --release "$(RELEASE)"; \
	elif [ -d release ]; then ./compqa run --release release; \
	else ./compqa run; fi

compqa: $(GO_FILES)
	go build -o compqa .

test:
	go test -timeout 30m ./...

# The authors' release, by git, into the folder release (which git ignores).
data: compqa
	@./compqa fetch

# The paper's tables, recomputed from the release beside what is printed.
reproduce: compqa
	./compqa reproduce --release "$(or $(RELEASE),release)" --out results/runs/reproduced

# Speed of the statistics.
bench-stats:
	go test ./stats/... -run '^$$' -bench . -benchmem

# Speed of a run: 10,000 calls to a server that is made for it.
bench-run: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" go test ./bench -run '^$$' -bench '^BenchmarkRun$$' -benchtime 3x

# Records of ten thousand to a million verdicts, 1 GB in the temporary folder for
# some minutes (SCALE=100000 makes fewer).
bench-scale: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" COMPQA_SCALE="$(SCALE)" go test ./bench -run '^$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 60m

# A whole benchmark against a real Ollama server, which is built first (needs a C
# compiler) and kept in the user's cache folder.
test-ollama:
	COMPQA_TEST_OLLAMA=1 CGO_ENABLED=1 go test -count=1 -timeout 40m ./llm/ollamatest ./bench ./judges/pairwise -run 'RealServer|Ollama'

clean:
	rm -rf compqa results/runs
