// Package ui implements `mcpctl ui`, which opens the page of the daemon in a browser.
package ui

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// Options contains the flags.
type Options struct {
	F      *factory.Factory
	NoOpen bool
	Open   func(url string) error // opens a browser; nil if there is none
}

// NewCmdUI creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdUI(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Open the page that shows what the model saw",
		Long: `Open the page of the daemon in a browser: tokens of each tool, the steps of each call, which sections of an original the
model has read, the differences between the original and the text that was sent, and answers that are held. The
address contains a ticket that is valid once and for 60 s. Without a desktop the address is printed instead.`,
		Example: `  mcpctl ui
  mcpctl ui --no-open`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if program := browser(runtime.GOOS, f.Env); program != nil {
				opts.Open = func(url string) error { return exec.Command(program[0], append(program[1:], url)...).Start() }
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return uiRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.NoOpen, "no-open", false, "print the address and open no browser")
	return cmd
}

func uiRun(ctx context.Context, opts *Options) error {
	daemon, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	st, err := daemon.Status(ctx)
	if err != nil {
		return err
	}
	ticket, err := daemon.PageTicket(ctx)
	if err != nil {
		return err
	}
	url := st.Listening + "/ui/#t=" + ticket.Ticket
	if !opts.NoOpen && opts.Open != nil {
		if err = opts.Open(url); err == nil {
			fmt.Fprintf(opts.F.IO.Out, "opened %s/ui/ in the browser\n", st.Listening)
			return nil
		}
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: the browser cannot be started: %v\n", err)
	}
	fmt.Fprintln(opts.F.IO.Out, url)
	fmt.Fprintln(opts.F.IO.ErrOut, "the address is valid once, and for 60 s")
	return nil
}

// browser returns the program that opens an address, nil if the system has no desktop.
func browser(goos string, env func(string) string) []string {
	switch {
	case env("BROWSER") != "":
		return []string{env("BROWSER")}
	case goos == "darwin":
		return []string{"open"}
	case goos == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
