// Command bench measures the overhead of mcpctl for a tools/call: the same client calls the
// same upstream directly, through a plain relay (the minimum for any proxy), and through the
// daemon. Absolute times depend on the machine; compare only ratios within one run.
//
//	make bench            # the table of the README
//	go run ./bench -calls 200
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

func main() {
	calls := flag.Int("calls", 0, "calls per address, size and number of sessions (0: a default for each size)")
	bin := flag.String("bin", "bin", "directory that contains mcpctl and mcplocal")
	flag.Parse()
	if flag.NArg() > 0 {
		exit(runChild(flag.Args()))
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, *bin, *calls))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runChild runs a server in a child process of this program.
func runChild(args []string) error {
	if args[0] == "relay" && len(args) == 2 {
		return serveRelay(args[1])
	}
	return serveUpstream()
}

func run(ctx context.Context, bin string, calls int) error {
	up, err := spawn(ctx, "upstream")
	if err != nil {
		return err
	}
	defer up.Close()
	relay, err := spawn(ctx, "relay", up.url)
	if err != nil {
		return err
	}
	defer relay.Close()
	d, err := rig.Start(ctx, bin, up.url)
	if err != nil {
		return err
	}
	defer d.Stop()

	if err := measureLatency(ctx, addresses{direct: up.url, relay: relay.url, mcpctl: d.Endpoint("through")}, calls); err != nil {
		return err
	}
	if err := compareStateless(ctx, up.url, d.Endpoint("through"), calls); err != nil {
		return err
	}
	if err := compareCached(ctx, d, calls); err != nil {
		return err
	}
	if err := measureGate(ctx, d, calls); err != nil {
		return err
	}
	return measureGuest(ctx, bin)
}
