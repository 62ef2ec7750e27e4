// Command bench measures what mcpctl adds to a tools/call, as ratios within one
// run: the same client and the same upstream, direct, through a plain relay (the
// floor of any proxy), and through the daemon. Absolute times depend on the
// machine; compare ratios only.
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
	calls := flag.Int("calls", 0, "calls per way, size and number of sessions (0: chosen by size)")
	bin := flag.String("bin", "bin", "folder with mcplocal")
	flag.Parse()
	if flag.NArg() > 0 {
		exit(child(flag.Args()))
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

// child is what the program does when it is started by itself.
func child(args []string) error {
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

	if err := latency(ctx, ways{direct: up.url, relay: relay.url, ours: d.Endpoint("through")}, calls); err != nil {
		return err
	}
	if err := cached(ctx, d, calls); err != nil {
		return err
	}
	if err := gate(ctx, d, calls); err != nil {
		return err
	}
	return guestTime(ctx, bin)
}
