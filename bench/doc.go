/*
Package bench runs the benchmark: configuration, plan, run, command line. This is
the manual; `compqa COMMAND --help` says what each flag does.

# Commands

	run        have models answer and judges score, and write the reports
	report     compute the reports of one or several runs from their records
	reproduce  recompute the CompQA paper's tables from its authors' release
	judge      have a judge score answers from a file
	pairwise   run, report, sample: which of two answers is better (SC2, Con-J and
	           what they are compared with)
	agree      agreement of any table of annotations
	import     take answers, verdicts and annotations that exist into a run
	fetch      fetch the authors' release by git
	models     list the configuration's models and judges, and entries to copy
	doctor     check the configuration, its providers and models
	version    say which compqa this is

# Exit codes

	0  done
	1  failed: the record, the network or the disk; what was recorded is intact
	2  usage, configuration or input: told with file and line, nothing was done
	3  done, but some answers or verdicts of live models are not valid; imported
	   invalid verdicts and skipped cells do not count

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

# Files

compqa.yaml, by example (the one at the root is commented):

	dataset: cqa50                 # built in, or a path
	aspect_in_prompt: false
	scenarios: [1, 2, 3, 4]        # built-in ids, or {id: mine, template: path}
	rubric: cqa                    # built in, or a path
	providers:
	  openai: {type: openai, base_url: https://api.openai.com/v1, api_key_env: OPENAI_API_KEY}
	models:
	  - {name: gpt-4o, provider: openai, model: gpt-4o-2024-11-20, choices: 3, family: gpt}
	  - {name: template, provider: baseline}
	  - {name: mine, provider: file, path: answers.jsonl}
	judges:
	  - {name: rules, provider: embedded}
	  - {name: gpt-4o-judge, provider: openai, model: gpt-4o-2024-11-20, examples: 2, sample: 200}
	  - {name: people, provider: file, path: annotations.csv}
	run: {seed: 1, concurrency: 32, repair: 1}

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

# Secrets

Keys come from the environment variables that the configuration names
(api_key_env). They are sent to their provider and nowhere else: they are not
recorded, logged or part of an error.
*/
package bench
