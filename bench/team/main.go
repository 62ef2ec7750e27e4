// Command team measures the goals of the team server with the built mcpd, over HTTP. It
// prints one line for each goal with its figures and bars, and fails if a bar is missed or a goal
// cannot be measured.
//
//	make build team && go run ./bench/team            # all goals
//	go run ./bench/team -postgres index watch         # some, also on PostgreSQL
//
// Goals with several replicas start a private PostgreSQL server. Absolute times depend on the
// machine; ratios compare with a request that does nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// goal is one property of the team server that is measured.
type goal struct {
	name string
	what string
	run  func(*bench, context.Context) ([]figure, error)
}

var goals = []goal{
	{"index", "the index of a project's prompts, with 100,000 prompts in the store", (*bench).index},
	{"watch", "10,000 watchers of two replicas", (*bench).watch},
	{"kill", "calls of servers while replicas are killed", (*bench).kill},
	{"rbac", "decisions about rights", (*bench).rbac},
	{"store", "the same tests of the store on both engines", (*bench).store},
	{"backup", "backup and restore across engines", (*bench).backup},
	{"history", "the order of writes, reads and changes while processes are killed and paused", (*bench).history},
	{"apply", "apply of 1,000 objects", (*bench).apply},
}

// figure is a measured value and its bar.
type figure struct {
	text string // the value, and the bar if there is one
	ok   bool
}

// atMost returns a figure that must not exceed a bar.
func atMost(what string, got, bar time.Duration) figure {
	return figure{fmt.Sprintf("%s %v (bar %v)", what, round(got), bar), got <= bar}
}

// round shortens a duration to about three digits.
func round(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d > 10*time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}

// exactly returns a figure that must have a value.
func exactly(what string, got, want int) figure {
	if got == want {
		return figure{fmt.Sprintf("%d %s", got, what), true}
	}
	return figure{fmt.Sprintf("%d %s (bar %d)", got, what, want), false}
}

// note returns a figure without a bar.
func note(format string, args ...any) figure { return figure{fmt.Sprintf(format, args...), true} }

// bench is one run of this program.
type bench struct {
	mcpd     string // the program
	postgres bool   // measure PostgreSQL too, where SQLite suffices
	keep     bool
	dir      string // for homes and databases

	prompts  int
	watchers int
	minutes  time.Duration // of the goals kill and history
	clients  int
	rate     float64
	checks   int

	server *postgres // started when it is first needed
}

func main() {
	b := &bench{}
	bin := flag.String("bin", "bin", "directory that contains mcpd")
	flag.BoolVar(&b.postgres, "postgres", false, "measure index and apply on PostgreSQL too")
	flag.BoolVar(&b.keep, "keep", false, "keep homes, databases and logs")
	flag.IntVar(&b.prompts, "prompts", 100_000, "prompts in the store, for index")
	flag.IntVar(&b.watchers, "watchers", 10_000, "watchers")
	flag.DurationVar(&b.minutes, "time", 5*time.Minute, "time of kill; history takes a fifth of it for each engine")
	flag.IntVar(&b.clients, "clients", 500, "clients of kill")
	flag.Float64Var(&b.rate, "rate", 0.5, "calls of each client of kill in a second")
	flag.IntVar(&b.checks, "checks", 5000, "policies that rbac compares, with 200 decisions each")
	flag.Usage = usage
	flag.Parse()
	b.mcpd = filepath.Join(*bin, "mcpd")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "team:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: go run ./bench/team [flags] [goal ...]")
	for _, g := range goals {
		fmt.Fprintf(os.Stderr, "  %-8s %s\n", g.name, g.what)
	}
	flag.PrintDefaults()
}

var errMissed = errors.New("a bar was missed")

// run measures the named goals, all without names.
func (b *bench) run(ctx context.Context, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(goals, func(g goal) bool { return g.name == name }) {
			return fmt.Errorf("goal %q is unknown", name)
		}
	}
	if _, err := os.Stat(b.mcpd); err != nil {
		return fmt.Errorf("%w; make team", err)
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "bench-team-"); err != nil {
		return err
	}
	defer b.close()
	missed := false
	for _, g := range goals {
		if len(names) > 0 && !slices.Contains(names, g.name) {
			continue
		}
		figures, err := g.run(b, ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			figures = append(figures, figure{err.Error(), false})
		}
		result, texts := "ok", []string{}
		for _, f := range figures {
			texts = append(texts, f.text)
			if !f.ok {
				result, missed = "MISSED", true
			}
		}
		fmt.Printf("%-8s %-6s %s\n", g.name, result, strings.Join(texts, ", "))
	}
	if missed {
		return errMissed
	}
	return nil
}

func (b *bench) close() {
	if b.server != nil {
		b.server.stop()
	}
	if b.keep {
		fmt.Fprintln(os.Stderr, "team: kept", b.dir)
		return
	}
	os.RemoveAll(b.dir)
}

// progress reports on stderr what takes long.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// quantile returns the value below which a part of the sorted times is.
func quantile(sorted []time.Duration, part float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}
