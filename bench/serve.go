package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/report"
	"compqa/web/board"
	"compqa/web/shell"
)

// defaultListen is the default value of --listen.
const defaultListen = "127.0.0.1:8086"

// serveCommand builds `compqa serve`.
func serveCommand(streams cli.Streams) *cobra.Command {
	var listen, out string
	var hosts []string
	s := &board.Site{}
	cmd := cli.OnRun("serve [DIR…]", "Show the results in the browser: ranking, agreement, answers, a running benchmark",
		func(cmd *cobra.Command, dirs []string) error {
			if out != "" {
				return writeSite(s, dirs, out, streams)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), cli.StopSignals()...)
			defer stop()
			b, err := board.Open(dirs, log.New(streams.Err, "", 0))
			if err != nil {
				return config.UsageError{Err: err}
			}
			defer b.Close()
			return serve(ctx, b, listen, hosts, func(l *shell.Listener, token string) {
				announce(streams.Out, l, token, "The pages are at %s (Ctrl-C stops the server)\n")
			})
		})
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "the `ADDRESS` to listen on; from other machines, open the printed link first")
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "another host `NAME` of the server, for example that of a proxy")
	cmd.Flags().StringVar(&out, "write", "", "write the pages as files into the folder `DIR` instead, for a folder or a static host")
	siteFlags(cmd, s)
	return cmd
}

// serve serves a board until ctx ends. It calls ready with the listener and the owner's token. The token is "" if only this machine can
// connect, so that every browser has access.
func serve(ctx context.Context, b *board.Board, listen string, hosts []string, ready func(l *shell.Listener, token string)) error {
	l, err := shell.Listen(listen)
	if err != nil {
		return config.UsageError{Err: err}
	}
	token := ""
	if !shell.Local(listen) {
		token = rand.Text()
		if host, _, err := net.SplitHostPort(listen); err == nil && host != "" {
			hosts = append(hosts, host)
		}
	}
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { b.Watch(ctx) })
	defer watching.Wait()
	defer stop()
	ready(l, token)
	return shell.Serve(ctx, l, b.Handler(token, hosts...))
}

// announce prints the addresses of the pages, and a warning if other machines can connect.
func announce(w io.Writer, l *shell.Listener, token, text string) {
	for i, address := range l.Addresses {
		if address += "/"; token != "" {
			address += "o/" + token
		}
		if i > 0 {
			text = "From other machines: %s\n"
		}
		fmt.Fprintf(w, text, address)
	}
	if l.Warning != "" {
		fmt.Fprintln(w, "Warning: "+l.Warning)
	}
}

// serveBeside serves the pages of a run at the address listen while the run goes on. If listen is "", it does nothing. The caller must call
// end with the error of the run. Unless the run failed or was stopped, end waits for Ctrl-C. It then ends the server.
func serveBeside(ctx context.Context, listen, dir string, e *run.Engine, streams cli.Streams) (end func(failed error), err error) {
	if listen == "" {
		return func(error) {}, nil
	}
	b, err := board.Open([]string{dir}, log.New(streams.Err, "", 0))
	if err != nil {
		return func(error) {}, err
	}
	b.Live.Waits = e.Waits
	b.Live.Left = e.Left
	serving, stop := context.WithCancel(ctx)
	address := make(chan string, 1)
	served := make(chan error, 1)
	go func() {
		served <- serve(serving, b, listen, nil, func(l *shell.Listener, token string) {
			announce(streams.Err, l, token, "The pages are at %s\n")
			fmt.Fprintf(streams.Err, "The running benchmark is at %s/live\n", l.Addresses[0])
			address <- l.Addresses[0] + "/"
		})
	}()
	var origin string
	select {
	case origin = <-address:
	case err := <-served:
		stop()
		b.Close()
		return func(error) {}, err
	}
	return func(failed error) {
		if failed == nil || errors.Is(failed, cli.ErrIncomplete) {
			fmt.Fprintf(streams.Err, "The pages stay at %s until Ctrl-C.\n", origin)
			waiting, release := signal.NotifyContext(ctx, cli.StopSignals()...)
			<-waiting.Done()
			release()
		}
		stop()
		<-served
		b.Close()
	}, nil
}

// siteFlags adds the flags for pages that are written as files.
func siteFlags(cmd *cobra.Command, s *board.Site) {
	cmd.Flags().BoolVar(&s.Texts, "texts", true, "of pages as files: include the texts of answers and arguments")
	cmd.Flags().IntVar(&s.Limit, "pages", 10000,
		"of pages as files: write at most `N` pages, starting with those closest to the first page; 0: all")
}

// writeSite writes the pages of runs as files into a folder.
func writeSite(s *board.Site, dirs []string, out string, streams cli.Streams) error {
	if s.Limit < 0 {
		return config.Usagef("--pages %d must not be negative", s.Limit)
	}
	for _, dir := range dirs {
		if err := report.CheckSums(dir); err != nil {
			return config.UsageError{Err: err}
		}
	}
	b, err := board.Open(dirs, log.New(streams.Err, "", 0))
	if err != nil {
		return config.UsageError{Err: err}
	}
	defer b.Close()
	b.Blind = true
	if err := b.Load(); err != nil {
		return err
	}
	err = inFolder("serve", out, func(dir string) error {
		return s.Write(b, dir, func(files int) {
			if files%1000 == 0 {
				fmt.Fprintf(streams.Err, "%d files\n", files)
			}
		})
	})
	if err != nil {
		return fmt.Errorf("writing the pages: %w", err)
	}
	_, err = fmt.Fprintf(streams.Out, "%s: %s, %.1f MB; open %s\nLeft out: %s.\n", out, data.Plural(s.Files, "file", "files"),
		float64(s.Bytes)/1e6, filepath.Join(out, "index.html"), s.LeftOut())
	return err
}
