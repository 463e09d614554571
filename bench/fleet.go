package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/llm/fleet"
	"compqa/results/table"
)

// workerCommand builds `compqa fleet worker`.
func workerCommand(streams cli.Streams) *cobra.Command {
	var queue, file, providers, metrics string
	var concurrency int
	cmd := cli.Command("worker --queue URL --config FILE", "Make the calls of runs on other machines",
		func(cmd *cobra.Command, _ []string) error {
			if concurrency < 0 || concurrency > config.MostAtOnce {
				return config.Usagef("--concurrency is %d; it must be a number of calls, at most %d", concurrency, config.MostAtOnce)
			}
			loaded, err := config.LoadProviders(file, providers)
			if err != nil {
				return err
			}
			o := fleet.Options{URL: queue, Key: os.Getenv(fleet.KeyEnv), Providers: loaded, Concurrency: concurrency, Version: cli.FleetVersion(),
				Getenv: os.Getenv, Notice: func(text string) { fmt.Fprintf(streams.Err, "%s %s\n", time.Now().Format(time.TimeOnly), text) }}
			return work(cmd.Context(), o, metrics)
		})
	cmd.Flags().StringVar(&queue, "queue", "", "the queue's PostgreSQL `URL`, as of compqa run --queue")
	cmd.Flags().StringVar(&file, "config", "",
		"a `FILE` with the section providers, as in compqa.yaml: calls go to these addresses, with these keys, and nowhere else")
	cmd.Flags().StringVar(&providers, "providers", "", "take only calls of these providers of the file, `NAME,NAME`")
	cmd.Flags().IntVar(&concurrency, "concurrency", 0, "at most `N` calls in flight per provider here (default: the file's concurrency)")
	cmd.Flags().StringVar(&metrics, "metrics", "", "serve counters for Prometheus at `ADDRESS`, such as 127.0.0.1:9100")
	cli.Require(cmd, "queue", "config")
	return cmd
}

// work runs a worker. After the first Ctrl-C the worker finishes its calls. The second Ctrl-C abandons them.
func work(ctx context.Context, o fleet.Options, metrics string) error {
	w, err := fleet.NewWorker(ctx, o)
	if err != nil {
		return err
	}
	if metrics != "" {
		listener, err := net.Listen("tcp", metrics)
		if err != nil {
			return config.Usagef("--metrics: %w", err)
		}
		server := &http.Server{Handler: http.HandlerFunc(w.Metrics), ReadHeaderTimeout: 5 * time.Second}
		go server.Serve(listener)
		defer server.Close()
		o.Notice("counters at http://" + listener.Addr().String() + "/metrics")
	}
	begin, stop := context.WithCancel(ctx)
	defer stop()
	kill, done := cli.Interruptible(ctx, stop)
	defer done()
	err = w.Run(begin, kill)
	if errors.Is(err, context.Canceled) {
		return cli.ErrInterrupted
	}
	return err
}

// fleetCommand builds `compqa fleet` with the subcommands worker, status, drain and purge.
func fleetCommand(streams cli.Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "fleet", Short: "Make the calls of runs on other machines, and show these workers"}
	cmd.AddCommand(workerCommand(streams),
		onFleet(streams, "status --queue URL", "Show workers, waiting calls and runs",
			func(ctx context.Context, queue string, _ []string) (fleet.Status, func() error, error) {
				s, err := fleet.ReadStatus(ctx, queue)
				return s, func() error { return printFleet(streams, s) }, err
			}),
		onFleet(streams, "drain --queue URL [WORKER...]", "Let workers finish their calls and end",
			func(ctx context.Context, queue string, ids []string) (drained, func() error, error) {
				n, err := fleet.Drain(ctx, queue, ids)
				return drained{n}, func() error {
					_, err := fmt.Fprintf(streams.Out, "%s finish their calls and end\n", data.Plural(int(n), "worker", "workers"))
					return err
				}, err
			}),
		onFleet(streams, "purge --queue URL", "Delete calls that no worker has begun, and replies that no run has recorded",
			func(ctx context.Context, queue string, _ []string) (purged, func() error, error) {
				calls, replies, err := fleet.Purge(ctx, queue)
				return purged{calls, replies}, func() error {
					_, err := fmt.Fprintf(streams.Out, "deleted %s and %s\n", data.Plural(int(calls), "call", "calls"),
						data.Plural(int(replies), "reply", "replies"))
					return err
				}, err
			}))
	return cmd
}

// drained and purged are what `fleet drain --json` and `fleet purge --json` print.
type (
	drained struct {
		Workers int64 `json:"workers"`
	}
	purged struct {
		Calls   int64 `json:"calls"`
		Replies int64 `json:"replies"`
	}
)

// onFleet returns a command on a queue. do returns the value that --json prints, and a function that prints it in words.
func onFleet[T any](streams cli.Streams, use, short string,
	do func(ctx context.Context, queue string, args []string) (T, func() error, error),
) *cobra.Command {
	var queue string
	var asJSON cli.JSON[T]
	cmd := cli.Command(use, short, func(cmd *cobra.Command, args []string) error {
		value, inWords, err := do(cmd.Context(), queue, args)
		switch {
		case err != nil:
			return err
		case asJSON.On:
			return asJSON.Print(streams.Out, value)
		}
		return inWords()
	})
	cmd.Flags().StringVar(&queue, "queue", "", "the queue's PostgreSQL `URL`")
	asJSON.Add(cmd.Flags())
	cli.Require(cmd, "queue")
	return cmd
}

// printFleet prints the status of a fleet as tables of workers, providers and runs.
func printFleet(streams cli.Streams, s fleet.Status) error {
	workers := table.New(3, "worker", "state", "providers", "in flight", "done", "failed", "per minute", "seen")
	for _, w := range s.Workers {
		workers.Add(w.ID, w.State, w.Providers, strconv.Itoa(w.InFlight), strconv.FormatInt(w.Done, 10), strconv.FormatInt(w.Failed, 10),
			strconv.FormatFloat(w.PerMinute, 'f', 0, 64), fmt.Sprintf("%.0f s ago", w.Silent))
	}
	providers := table.New(2, "provider", "asked by", "workers", "waiting", "running", "oldest waiting")
	for _, p := range s.Providers {
		providers.Add(p.Name, "compqa "+p.Version, strconv.Itoa(p.Workers), strconv.Itoa(p.Waiting), strconv.Itoa(p.Running),
			table.Rough(time.Duration(p.OldestSeconds*float64(time.Second))))
	}
	runs := table.New(2, "run", "on", "calls", "seen")
	for _, r := range s.Runs {
		role, id, _ := strings.Cut(r.Run, "/")
		runs.Add(role+"/"+id[:min(len(id), 8)], r.Host, strconv.Itoa(r.Calls), fmt.Sprintf("%.0f s ago", r.Silent))
	}
	for _, t := range []*table.Table{workers, providers, runs} {
		if t.Rows == nil {
			continue
		}
		if err := t.Terminal(streams.Out); err != nil {
			return err
		}
		fmt.Fprintln(streams.Out)
	}
	for _, w := range s.Workers {
		if w.Refused != "" {
			fmt.Fprintf(streams.Out, "%s takes no calls of %s\n", w.ID, w.Refused)
		}
	}
	_, err := fmt.Fprintf(streams.Out, "%s; %s not yet recorded by its run\n", data.Plural(len(s.Workers), "worker", "workers"),
		data.Plural(s.Replies, "reply", "replies"))
	return err
}
