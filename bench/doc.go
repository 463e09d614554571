/*
Package bench runs the benchmark: configuration, plan, run, command line. This is
the manual; `compqa COMMAND --help` says what each flag does.

# Commands

	run        have models answer and judges score, and write the reports
	estimate   calls, tokens, money and time of a run, before anything is asked
	report     compute the reports of one or several runs from their records
	reproduce  recompute the CompQA paper's tables from its authors' release
	judge      have a judge score answers from a file
	pairwise   run, report, sample: which of two answers is better (SC2, Con-J and
	           what they are compared with)
	agree      agreement of any table of annotations
	calibrate  learn from people's scores: the judge surface, or another one calibrated
	attack     spoil answers on purpose, and see what a judge notices
	import     take answers, verdicts and annotations that exist into a run
	export     pack a run and its tables into one file
	verify     recompute every table of such a file, offline, and tell the first difference
	fetch      fetch the authors' release by git
	models     list the configuration's models and judges, and entries to copy
	doctor     check the configuration, its providers and models
	version    say which compqa this is

# Exit codes

	0  done
	1  failed: the record, the network or the disk; what was recorded is intact
	2  usage, configuration or input: told with file and line, nothing was done
	3  done, but some answers or verdicts of live models are not valid or not there
	   (a budget is used up, a provider stays away); imported invalid verdicts and
	   skipped cells do not count

# What a run is

A configuration (compqa.yaml) names questions, scenarios, models and judges. The
plan is their product: a cell is a system under a scenario, and for verdicts also
a judge. A run works through the plan and records every answer, verdict and call
in DIR/run.db before anything is computed from it. In every table

	planned = valid + unparsed + incomplete + out_of_range + unknown_criterion
	          + refused + truncated + failed + skipped + pending

and means, deviations and all statistics are over the valid ones alone.

The same command again goes on where the last one stopped. A cell whose
ingredients changed (the model's options, the template, the questions, the
rubric) is made anew; the replies to calls that were made before are taken from
the record by their key, the hash of all that affects a reply. What the
configuration no longer names stays on record and out of the reports.

A provider that cannot be reached is skipped with a line that says why, and its
cells are counted as skipped; --strict makes it an error. Ctrl-C finishes what is
under way, a second one stops at once.

A reply is on disk (SQLite, synchronous) before it is parsed. A process that is
killed has its calls under way to ask again: at most as many as a provider's
concurrency, and where that is above 64 also those whose replies were on their way to
the disk, at most three quarters of what exceeds 64. One process writes a record at a
time; a second one is refused and told which process holds it. --reuse DIR takes the
replies to calls with the same key from an earlier run, and notes where each is from.

-v logs every request to a model on standard error (key of the call, number of the
attempt, wait, latency, status, reason, pause before the next); --log-format json
makes a record of every line there, and without -v logs the requests that fail. No
key of a provider stands in either.

# Providers

How many calls are under way at a provider at once is found: it begins at the
declared concurrency (or what --concurrency puts in its place), is halved when the
provider answers 429, 503 or 529, and grows again with its successes. What
Retry-After asks for holds for all calls of the provider, and the limits that
replies tell in their headers (x-ratelimit-*, anthropic-ratelimit-*) are kept before
they are passed. rpm and tpm are limits of one's own, which no minute passes. A call
is tried again after 408, 409, 425, 429, 5xx, a time-out and a broken connection:
retries times (4), after pauses that double from backoff (1s) with up to a quarter
of chance, of max_wait (5m) in all. timeout (5m) bounds each try.

A provider that only fails, eight times in a row and to several calls, or that
answers 429 even to one call at a time, is down: it is asked again after 1, 2, 4 …
60 seconds by one call at a time, which counts as nobody's retry, and is taken up
when it answers. After give_up (10m) the rest of its calls ends as pending, and the
other providers go on. One that refuses eight calls in a row because the key does
not count or the credit is used up (401, insufficient_quota) is given up at once.
What is pending is asked by the same command; what failed, was refused or was cut
needs --retry-failed. The screen says what each provider's calls wait for, and for
how long.

# Money

Prices are in US dollars a million tokens: of input (the prompt), cached (the part
of it from the provider's cache; input's where it is not given), output (the
reply), reasoning (the part of it that is thought; output's). A price is looked up
in the entry of the model or judge, then in prices by the model's name (* stands
for any text, the longest pattern counts), then in a built-in list of models at
their makers' own addresses (OpenAI, Anthropic, Google). Ollama is free. What has
no price anywhere is unknown, never 0; {input: 0, output: 0} declares that it is
free.

Each attempt has its cost on record: retries, repairs and what came of nothing. An
attempt that the provider refused with a status of its own costs nothing. Where a
server tells no tokens, the cost is by four bytes to a token and marked as
estimated; after a time-out or a broken connection it is what was set aside.
costs.csv and costs.md sum it up by system and judge, over all runs of a record,
with agreement for money: alpha of totals by the dollars of a thousand verdicts.

A budget (run: {budget: 5}, --budget 5, budget of a provider) is what may be spent
on the record in all, by pairwise judges too. A call is made only when what is spent
and what is set aside for the calls under way leave enough for the most it may cost:
its prompt at three bytes to a token, and its limit of tokens (max_tokens); without
one 2048, or one and a half times the longest reply seen, for which a model's first
request goes alone. A longer reply alone can pass the budget: set max_tokens for
batches and for models that think. When a call does not fit, the calls under way
come to their end, the reports are written and the run ends with code 3; what is
left is pending, and the same command with a larger budget goes on. What is free
goes on meanwhile. A budget over a model without a price is refused before anything
is asked. `compqa estimate` reckons answers and verdicts, not pairs.

batch: true on a model or judge has its calls answered by OpenAI's Batch interface
(or that of a server like it), at the share of the price that batch gives (0.5).
A batch may take a day. Its id is on record before the run waits for it (looking
every batch_poll, 30s), so that a run that was closed, or killed, collects it by
the same command, and the replies go on record under the keys that single calls
would have. What a batch had no time for, and repairs, go into another batch; what
failed in it for a passing reason is asked by itself at the full price; what is
refused as a whole stays pending.

# Files

compqa.yaml, by example (the one at the root is commented):

	dataset: cqa50                 # built in, or a path
	aspect_in_prompt: false
	scenarios: [1, 2, 3, 4]        # built-in ids, or {id: mine, template: path}
	rubric: cqa                    # built in, or a path
	providers:
	  openai: {type: openai, base_url: https://api.openai.com/v1, api_key_env: OPENAI_API_KEY,
	    rpm: 500, tpm: 200000, concurrency: 32, timeout: 5m, retries: 4, backoff: 1s, max_wait: 5m,
	    give_up: 10m, budget: 5, batch_poll: 30s}
	prices:                        # US dollars a million tokens; the built-in ones need no entry
	  gpt-4o*: {input: 2.50, cached: 1.25, output: 10, batch: 0.5}
	models:
	  - {name: gpt-4o, provider: openai, model: gpt-4o-2024-11-20, choices: 3, family: gpt}
	  - {name: template, provider: baseline}
	  - {name: mine, provider: file, path: answers.jsonl}
	judges:
	  - {name: surface, provider: embedded}
	  - {name: gpt-4o-judge, provider: openai, model: gpt-4o-2024-11-20, examples: 2, sample: 200,
	    batch: true, price: {input: 2.50, cached: 1.25, output: 10}}
	  - {name: gpt-4o-judge+calibrated, provider: calibrated, path: gpt-4o-judge.jsonl}
	  - {name: people, provider: file, path: annotations.csv}
	run: {seed: 1, concurrency: 32, repair: 1, budget: 0}

A calibrated judge asks nobody: its verdicts are computed from those of the judge
that its file (written by `compqa calibrate --judge NAME`) was fitted to, when a run
has them, and stand in every report of the run. Where people's scores were learnt
from an answer's question, the model that speaks was fitted without that question,
so that its agreement with people is not of what was learnt; so it is with surface.

Judges of pairs stand under pairwise, which `compqa pairwise --help` explains:

	pairwise:
	  - {name: sc2, method: sc2, provider: openai, model: gpt-4o-2024-11-20, sample: 200}

A judge that costs money scores imported answers (those of the release) only with
imported: true. sample: N has it score N answers, the same for every judge, in
proportion to systems and scenarios.

Questions, answers, verdicts are JSON Lines, or CSV with the same names:

	questions  id (optional), object1, object2, aspect, question, arguments
	answers    id, object1, object2, aspect, text; optional system, scenario, repeat
	verdicts   id (the answer's), judge, status, scores, total; optional reason, raw,
	           repeat; in CSV the scores are columns c1, c2, …
	pairs      id, question, a, b; optional label (a, b, tie, none), cluster, domain,
	           object1, object2, aspect, system_a, system_b

`compqa agree` takes any table of ratings, one row a rating: unit, rater, value,
optional criterion and cluster; other columns are not looked at.

Human annotations are verdicts of judges human (a mean, any fraction of a point),
human:1, human:2 and so on (single annotators).

A rubric of one's own is YAML:

	name: brief
	step: 1                        # points between two scores; 0: any
	measurement: ordinal           # nominal, ordinal, interval or ratio
	criteria:
	  - id: "1"
	    group: content
	    name: correct
	    text: The answer is correct.
	    levels:
	      - {points: 0, text: It is not.}
	      - {points: 1, text: It is.}

A scenario of one's own is a Go text template with a block "user" and, for a role,
a block "system"; it may use .Object1, .Object2, .Aspect, .Question, .Arguments,
and {{numbered .Arguments}}. A template that shows arguments is not used for
questions that have none: that cell is skipped.

# Published runs

`compqa export` packs a run's record, configuration and tables with their hashes;
the same record gives the same bytes. `compqa verify` needs nothing but that file.
It reads replies and computes tables anew, has embedded judges score and baselines
answer again, and has every model's answer, verdict and preference come about again
from the calls on record: the key of a call is a hash of what was asked, so that a
reply cannot be put under another prompt, answer or judge. What it finds is a
difference between the file and itself. It cannot show that the servers said what
is on record, nor what was left out before the export; planned says how many answers
and verdicts there were to be.

`compqa report --reparse` computes the reports by the parser of the present compqa
and says what is different from the record, which it leaves as it is: a record is
what a run found, and reports can be computed from it as often as one likes.

# Secrets

Keys come from the environment variables that the configuration names
(api_key_env). They are sent to their provider and nowhere else: they are not
recorded, logged or part of an error.
*/
package bench
