// Command crash kills processes with SIGKILL while they are used: those of local modules
// during calls, and the daemon while it stores originals. It fails if a call has no answer
// or a wrong one, if an original whose ref a client has received is lost or differs, or if
// processes, files or goroutines are left.
//
//	make build && go run ./bench/crash
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/mcpctl/mcpctl/host/wasm"
)

func main() {
	ctx := context.Background()
	switch { // the processes of the runtime
	case len(os.Args) == 4 && os.Args[1] == "compile":
		os.Exit(wasm.CompileInto(ctx, os.Args[2], os.Args[3], os.Stdin, os.Stdout))
	case len(os.Args) == 2 && os.Args[1] == "worker":
		_ = wasm.ServeGuests(ctx, os.Stdin, os.Stdout)
		return
	}
	kills := flag.Int("kills", 500, "how often processes of modules, and the daemon, are killed")
	bin := flag.String("bin", "bin", "directory that contains mcpctl and mcplocal")
	flag.Parse()
	for _, run := range []func() error{
		func() error { return killWorkers(ctx, *kills) },
		func() error { return killDaemon(ctx, *bin, *kills) },
	} {
		if err := run(); err != nil {
			fmt.Fprintln(os.Stderr, "crash:", err)
			os.Exit(1)
		}
	}
}
