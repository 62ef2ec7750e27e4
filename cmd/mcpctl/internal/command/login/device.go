package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// deviceRun logs in by the issuer of the team server. The handle of the login, and the token, are
// never printed.
func deviceRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	started, err := s.Team().StartDevice(ctx, api.TeamDeviceStart{URL: opts.URL})
	if err != nil {
		return err
	}
	printCode(opts.F.IO, started.DeviceLogin)
	stop := opts.F.IO.ProgressOf(func() string { return "waiting until you confirm the login" })
	session, err := awaitSession(ctx, s.Team(), started)
	stop()
	if err != nil {
		return err
	}
	return printSession(opts.F.IO, opts.Output, session)
}

// printCode prints the address to open and the code to enter there.
func printCode(to *iostreams.Streams, l api.DeviceLogin) {
	fmt.Fprintf(to.ErrOut, "open %s\nand enter the code %s\n", iostreams.Line(l.VerificationURI), iostreams.Line(l.UserCode))
	if l.VerificationURIComplete != "" {
		fmt.Fprintf(to.ErrOut, "or open %s\n", iostreams.Line(l.VerificationURIComplete))
	}
	if !l.Expires.IsZero() {
		fmt.Fprintf(to.ErrOut, "the code is valid until %s\n", l.Expires.Local().Format("15:04"))
	}
}

// Limits of the pause between two polls, and of the polls without an answer in a row.
const (
	minPause    = time.Second
	maxPause    = 5 * time.Minute
	maxFailures = 5
)

// awaitSession polls a login that has begun until the user has confirmed it.
//
// Errors: those of PollDevice; abi.ErrUnavailable if ctx ends before.
func awaitSession(ctx context.Context, t api.Team, started api.TeamDeviceLogin) (api.TeamSession, error) {
	pause := time.Duration(min(started.Interval, int(maxPause/time.Second))) * time.Second
	for failures := 0; ; {
		pause = min(max(pause, minPause), maxPause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return api.TeamSession{}, notConfirmed(started.URL)
		}
		r, err := t.PollDevice(ctx, api.TeamDevicePoll{URL: started.URL, Handle: started.Handle})
		switch {
		case err == nil && r.Session != nil:
			return *r.Session, nil
		case ctx.Err() != nil:
			return api.TeamSession{}, notConfirmed(started.URL)
		case errors.Is(err, abi.ErrUnavailable) && failures < maxFailures: // RFC 8628 requires longer pauses too
			failures++
			pause += api.DeviceMore
			continue
		case err != nil:
			return api.TeamSession{}, err
		case r.State == api.DeviceSlowDown:
			pause += api.DeviceMore
		}
		failures = 0
	}
}

func notConfirmed(address string) error {
	p := problem.New(abi.ErrUnavailable, "the login was not confirmed")
	p.Cause = "it was interrupted before"
	return p.WithHint("mcpctl login %s --oidc", address)
}
