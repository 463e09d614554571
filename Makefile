# Requires Go, make and git.
#   make bench                run the benchmark of compqa.yaml; reports go to results/runs/latest
#   make bench RELEASE=dir    include the CompQA authors' release from a checkout
#   make bench OFFLINE=1      do not try to fetch the release
#   make test                 run the tests, but for those that take long
#   make install              install compqa in Go's bin folder (go env GOBIN, or GOPATH/bin)
#   make dist                 build archives, wheels, .deb and .rpm for Linux, macOS and Windows, with checksums, in dist
#                             (PLATFORMS=linux/amd64 builds some alone, URL=ADDRESS is for Homebrew and scoop)
#   make image                build a container image with docker, podman or buildah (CERTIFICATES=FILE)
#   make golden               write the hashes of the golden outputs, and readable copies to dist/golden (after a wanted change)
#   make golden-diff REV=main show how the golden outputs differ from those of another revision
#   make reproduce            recompute the paper's tables from the release (make data fetches it)
#   make soak                 run the tests that take long: browsers, a queue, kills, many errors, simulations, the papers' data
#   make fuzz                 fuzz the readers of files (FUZZTIME=20s)
#   make bench-run, bench-scale, bench-records, bench-stats    measure the speed
#   make bench-web            measure the pages of a record with a million verdicts
#   make bench-labels         draw how precise people's rate is by the number of labels, random and chosen (labels.svg, labels.csv)
#   make pictures RUN=dir     make the pictures of the manual anew, from the record of a run with the release (needs chromium)
#   make bench-fleet          measure calls over a queue (starts PostgreSQL, which must be installed)
#   make test-ollama          run a benchmark against a real Ollama server (needs a C compiler)
#   make test-model           run the program against a small real language model (needs Python 3.10; fetches 130 MB)
#   make train-test           test the training recipes of judges/train (needs Python 3.11; fetches PyTorch)
#   make clean                delete what was built, and results/runs
export CGO_ENABLED ?= 0
# The same flags for every go command of this file, so that nothing is compiled twice. Programs without tables for debuggers
# are smaller and are linked in less time.
export GOFLAGS := -trimpath '-ldflags=-s -w' $(GOFLAGS)

GO_FILES = $(shell find . -name '*.go' -o -name '*.tmpl' -o -name '*.sql' -o -name '*.jsonl' -o -name '*.md' -o -name '*.txt' -o -name '*.yaml') go.mod go.sum

.PHONY: first-build help install image dist bench test soak fuzz golden golden-diff data reproduce bench-stats bench-run bench-scale bench-records bench-web bench-labels pictures bench-fleet test-ollama test-model train-test clean

bench: first-build compqa
	@if [ -z "$(RELEASE)$(OFFLINE)" ] && [ ! -d release ]; then ./compqa fetch --timeout 10s --brief || true; fi
	@if [ -n "$(RELEASE)" ]; then ./compqa run --release "$(RELEASE)"; \
	elif [ -d release ]; then ./compqa run --release release; \
	else ./compqa run; fi
	@command -v compqa >/dev/null || echo "Type ./compqa here where compqa is named; make install puts it on the PATH."

# Without this line the first build is silent for minutes.
first-build:
	@test -x compqa || echo "Building compqa with $$(GOTOOLCHAIN=local go env GOVERSION). The first time Go fetches and compiles 1.5 GB, which takes 5 to 15 minutes."

compqa: $(GO_FILES)
	go build -o compqa .

help:
	@sed -n 's/^#   //p' Makefile

install:
	go install .

# The same sources and the same Go give the same files: archives with the manual, and wheels for pip.
VERSION ?= $(or $(shell git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null | sed 's/^v//'),0.0.0$(shell git rev-parse --short=12 HEAD 2>/dev/null | sed 's/^/+g/'))
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# The address under which the archives can be fetched, for Homebrew and scoop.
URL ?= https://example.org/compqa
# What is packed for platforms other than this one. The tests take a small program, as compqa compiles for six minutes of a processor
# for a platform for which nothing is compiled yet.
FOREIGN ?= .
# Makes .deb and .rpm; it is fetched and built into dist/tools.
NFPM = github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0
dist: compqa
	@rm -rf dist && mkdir -p dist/tools && ./compqa man dist/man && go build -o dist/tools/wheel ./python
	GOBIN="$(CURDIR)/dist/tools" go install $(NFPM)
	@set -e; for platform in $(PLATFORMS); do \
		os=$${platform%/*}; arch=$${platform#*/}; name=compqa_$${os}_$$arch; mkdir dist/$$name; \
		if [ $$platform = $$(go env GOHOSTOS)/$$(go env GOHOSTARCH) ]; then program=.; else program=$(FOREIGN); fi; \
		GOOS=$$os GOARCH=$$arch go build -o dist/$$name/compqa$$(GOOS=$$os go env GOEXE) $$program; \
		dist/tools/wheel $(VERSION) $$platform dist/$$name/compqa* dist; \
		cp -r README.md CHANGELOG.md docs examples dist/man dist/$$name; \
		if [ $$os = linux ]; then for format in deb rpm; do SOURCE_DATE_EPOCH=0 ARCH=$$arch VERSION=$(VERSION) FILES=dist/$$name \
			dist/tools/nfpm package -f python/packages/nfpm.yaml -p $$format -t dist/; done; fi; \
		if [ $$os = windows ]; then dist/tools/wheel --zip dist/$$name dist/$$name.zip; else \
		tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rwX -C dist -cf - $$name | gzip -n9 > dist/$$name.tar.gz; \
		echo dist/$$name.tar.gz; fi; rm -r dist/$$name; done
	@rm -r dist/man dist/tools; cd dist && sha256sum $$(ls | grep '^compqa') > SHA256SUMS; \
	for template in compqa.rb compqa.json; do \
		sed -e 's|@VERSION@|$(VERSION)|; s|@URL@|$(URL)|' $$(awk '{print "-e s|@" $$2 "@|" $$1 "|"}' SHA256SUMS) ../python/packages/$$template > $$template; done

CERTIFICATES ?= $(firstword $(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem))
BUILD_IMAGE ?= $(firstword $(foreach program,docker podman buildah,$(shell command -v $(program))))
image:
	@test -n "$(CERTIFICATES)" || { echo "no file with CA certificates: make image CERTIFICATES=FILE"; exit 1; }
	@test -n "$(BUILD_IMAGE)" || { echo "docker, podman or buildah is needed"; exit 1; }
	@mkdir -p dist/image && cp -L "$(CERTIFICATES)" dist/image/ca-certificates.crt
	GOOS=linux CGO_ENABLED=0 go build -o dist/image/compqa .
	$(BUILD_IMAGE) build $(IMAGE_FLAGS) -t compqa .

# Each package is tested by a program of its own. Most tests wait now and then: two at a time for each processor. With
# GOGC=400 they use more memory and less time. go vet is a step of its own (.ci/run). The tests of ./bench that take long need up to 50
# minutes where all others run beside them on two processors: a package may take two hours.
GO_TEST = n=$$((2 * $$(getconf _NPROCESSORS_ONLN))); GOGC=400 go test -vet=off -p $$n -parallel $$n
# .ci/tests.go prints what failed, and lists at the end what was skipped.
LISTED = ; echo "exit $$?"; } | go run .ci/tests.go
test:
	@{ $(GO_TEST) -json -timeout 120m $(if $(SKIP),-skip '$(SKIP)') ./... $(LISTED)

# The tests that `make test` leaves out, whose names begin with TestSoak: browsers, PostgreSQL, runs that are killed a
# hundred times, 10,000 calls to a failing server, a full disk, simulations, forged records, the papers' data, and the
# README's commands from a fresh clone. Readers of files are fuzzed for a minute each. COMPQA_SOAK=1 make test runs these tests with all
# others, and make fuzz the readers (FUZZTIME=20s): every test once.
FUZZTIME ?= 60s
soak:
	@export COMPQA_SOAK=1; { $(GO_TEST) -json -timeout 120m -run '^TestSoak' \
		$$(grep -rl --include='*_test.go' '^func TestSoak' . | xargs -n1 dirname | sort -u) $(LISTED)
	$(MAKE) fuzz

# Every fuzz target of the tree, or those of a pattern (FUZZ='Fuzz(Read|Pairs)'), for FUZZTIME each.
fuzz:
	.ci/fuzz $(FUZZTIME) $(and $(FUZZ),'$(FUZZ)')

# Golden outputs (bench/golden_test.go, CONTRIBUTING.md). COMPQA_SOAK=1 adds those that take long; GOLDEN=live takes one group alone.
GOLDEN_TEST = go test -count=1 -vet=off ./bench -timeout 120m -run '^Test(Soak)?Golden$$$(and $(GOLDEN),/^$(GOLDEN)$$)'
golden:
	rm -rf dist/golden
	COMPQA_UPDATE=1 COMPQA_GOLDEN=dist/golden $(GOLDEN_TEST)

# The other revision's program is built in a folder of its own and runs the same commands as this one's.
REV ?= HEAD
golden-diff:
	@rm -rf dist/golden && mkdir -p dist/golden && git worktree prune && git worktree add --quiet --detach dist/golden/tree "$(REV)"
	@trap 'git worktree remove --force dist/golden/tree' EXIT; set -e; \
	(cd dist/golden/tree && go build -o ../program-before .); go build -o dist/golden/program-after .; \
	for side in before after; do COMPQA_PROGRAM="$(CURDIR)/dist/golden/program-$$side" COMPQA_GOLDEN=dist/golden/$$side $(GOLDEN_TEST); done
	@cd dist/golden && diff -ruN before after && echo "The golden outputs are those of $(REV)."

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

# Measure commands on 100,000 and 500,000 verdicts and on as many ratings, pairs, sheets and calls, in processor seconds and memory:
# medians of three rounds, the exponent of growth, and the ratios to another version (BEFORE=program, BEFORE_FILES=dir for a record and a
# study that it can read) and to other programs (PYTHON=python3 with pandas, krippendorff, scipy, duckdb and evalica). SCALE=100000 sets
# the larger size, ROUNDS=1 the rounds, ROWS='^(validate|agree)$$' selects rows. Uses 3 GB in the temporary folder.
bench-scale: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" COMPQA_SCALE="$(SCALE)" COMPQA_BEFORE="$(BEFORE)" COMPQA_BEFORE_FILES="$(BEFORE_FILES)" \
		COMPQA_PYTHON="$(PYTHON)" COMPQA_ROUNDS="$(ROUNDS)" COMPQA_ROWS='$(ROWS)' \
		go test ./bench -run '^$$' -bench '^BenchmarkScaleCommands$$' -benchtime 1x -timeout 180m

# Measure reports over records of 10,000 to 1,000,000 verdicts, and finished runs that are taken up again (SCALE=100000 limits the size).
bench-records: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" COMPQA_SCALE="$(SCALE)" go test ./bench -run '^$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 60m

# Measure the pages of a large record (SCALE=100000 for a smaller one): until the first page, 50
# browsers, 200 that watch a run.
bench-web: compqa
	COMPQA_PROGRAM="$(CURDIR)/compqa" COMPQA_SCALE="$(SCALE)" go test ./bench -run '^$$' -bench '^BenchmarkWeb$$' -benchtime 1x -timeout 60m

# Labels chosen by `validate --budget` against labels at random: the half-width of the interval of people's rate, its coverage and the
# labels saved, on four sets with people's labels below COMPQA_SHARED. FIGURE=dir sets the folder.
bench-labels:
	COMPQA_FIGURE="$(abspath $(or $(FIGURE),results/labels))" go test ./results/validation -run '^$$' -bench '^BenchmarkLabels$$' -benchtime 1x -timeout 30m

# Make docs/*.png anew: the pages of a run, and those of a study that two people play by keyboard. The largest difference of judge and
# people is the answer that is shown.
PICTURES = dist/pictures
pictures:
	@test -f "$(RUN)/run.db" || { echo "make pictures RUN=dir: the folder of a run (make bench RELEASE=dir makes results/runs/latest)"; exit 2; }
	rm -rf $(PICTURES) && mkdir -p $(PICTURES)
	COMPQA_SOAK=1 COMPQA_RUN="$(abspath $(RUN))" COMPQA_SCREENSHOTS="$(CURDIR)/$(PICTURES)" go test -count=1 -vet=off \
		-run '^(TestSoakPictures|TestSoakKeyboard)$$' ./web/board ./web/annotate
	cd $(PICTURES) && cp ranking-1280-light.png ../../docs/serve-ranking.png && cp answer-1280-light.png ../../docs/serve-answer.png && \
		cp score-1280-light.png ../../docs/annotate-score.png && cp owner-1280-light.png ../../docs/annotate-owner.png && \
		cp score-375-light.png ../../docs/annotate-phone.png

# Measure calls of two seconds that workers make over one PostgreSQL database, which is started
# for it (FLEET=100000 sets their number).
bench-fleet:
	COMPQA_FLEET="$(FLEET)" go test ./bench -run '^$$' -bench '^BenchmarkFleet$$' -benchtime 1x -timeout 30m

# Run a whole benchmark against a real Ollama server. The server is built first (needs
# a C compiler) and kept in the user's cache folder.
OLLAMA = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/compqa/ollama/v0.6.5
test-ollama:
	test -x $(OLLAMA)/ollama || GOBIN=$(OLLAMA) CGO_ENABLED=1 GOFLAGS= go install github.com/ollama/ollama@v0.6.5
	COMPQA_TEST_OLLAMA=$(OLLAMA)/ollama go test -count=1 -vet=off -timeout 40m ./llm/ollamatest ./bench ./judges/pairwise -run 'RealServer|Ollama'

# Run the whole program against a real language model of 98 MB, which with its server is installed
# into a cache folder first; where they cannot be had, it says so.
test-model:
	llm/modeltest/test.sh

# Test judges/train on a tiny random model. Python packages are installed into a cache folder
# first; where they cannot be had, it says so.
train-test:
	judges/train/test.sh

clean:
	rm -rf compqa dist results/runs
