# Requires Go, make and git.
#   make bench                run the benchmark of compqa.yaml; reports go to results/runs/latest
#   make bench RELEASE=dir    include the CompQA authors' release from a checkout
#   make bench OFFLINE=1      do not try to fetch the release
#   make test                 run the tests
#   make soak                 run the tests that take minutes: kills, a storm of errors, a full disk, long simulations
export CGO_ENABLED ?= 0

GO_FILES = $(shell find . -name '*.go' -o -name '*.tmpl' -o -name '*.sql' -o -name '*.jsonl' -o -name '*.md' -o -name '*.txt') go.mod go.sum

.PHONY: bench test soak data reproduce bench-stats bench-run bench-scale test-ollama clean

bench: compqa
	@if [ -z "$(RELEASE)$(OFFLINE)" ] && [ ! -d release ]; then ./compqa fetch --timeout 10s --brief || true; fi
	@if [ -n "$(RELEASE)" ]; then ./compqa run --release "$(RELEASE)"; \
	elif [ -d release ]; then ./compqa run --release release; \
	else ./compqa run; fi

compqa: $(GO_FILES)
	go build -ldflags "-s -w" -o compqa .

test:
	go test -timeout 30m ./...

# Tests that take a minute or more and that `make test` skips: runs that are killed a
# hundred times, 10,000 calls to a failing server, a full disk, long simulations.
soak:
	COMPQA_SOAK=1 go test -count=1 -timeout 30m ./bench ./stats/agreement -run 'Killed|Storm|FullDisk|AnyConfigurations|Coverage|Forged|ChangedRecords'

# Fetch the authors' release with git into the folder release (ignored by git).
data: compqa
	@./compqa fetch

# Recompute the paper's tables from the release and show them beside the printed ones.
reproduce: compqa
	./compqa reproduce --release "$(or $(RELEASE),release)" --out results/runs/reproduced

# Speed of the statistics.
bench-stats:
	go test ./stats/... -run '^$$' -bench . -benchmem

# Measure the speed of a run: 10,000 calls to a test server.
bench-run: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" go test ./bench -run '^$$' -bench '^BenchmarkRun$$' -benchtime 3x

# Measure reports over records of 10,000 to 1,000,000 verdicts. Uses 1 GB in the
# temporary folder for some minutes (SCALE=100000 limits the size).
bench-scale: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" COMPQA_SCALE="$(SCALE)" go test ./bench -run '^$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 60m

# Run a whole benchmark against a real Ollama server. The server is built first (needs
# a C compiler) and kept in the user's cache folder.
test-ollama:
	COMPQA_TEST_OLLAMA=1 CGO_ENABLED=1 go test -count=1 -timeout 40m ./llm/ollamatest ./bench ./judges/pairwise -run 'RealServer|Ollama'

clean:
	rm -rf compqa results/runs
