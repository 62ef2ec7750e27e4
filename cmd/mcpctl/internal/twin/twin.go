// Package twin opens a copy of a home in this process, for commands that play sessions
// without the daemon and without a trace in the home: console and replay.
package twin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// Options of Open. F is required.
type Options struct {
	F       *factory.Factory
	Prepare func(home string) error // changes the copy before it is opened; may be nil
	Adjust  func(*host.Options)     // may be nil
	SameRef bool                    // stored contents get the refs that they have in the home
}

// Twin is a copy of a home, open in this process. Serve makes it reachable on its own
// socket, to which no other process can connect.
type Twin struct {
	Host    *host.Host
	Service *manage.Service

	home    string
	scratch *scratch // that holds it
	server  *http.Server
}

// Open copies the home and opens the copy. It returns once all stages are compiled, so
// that no call waits for that. The caller closes the Twin.
func Open(ctx context.Context, opts Options) (_ *Twin, err error) {
	from, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	t := &Twin{}
	if t.scratch, err = copyHome(from); err != nil {
		return nil, err
	}
	t.home = t.scratch.dir
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if opts.SameRef {
		if err := copyTree(filepath.Join(from, "ref.key"), filepath.Join(t.home, "ref.key"), 1); err != nil {
			return nil, err
		}
	}
	if opts.Prepare != nil {
		if err := opts.Prepare(t.home); err != nil {
			return nil, err
		}
	}
	return t, t.open(ctx, opts)
}

func (t *Twin) open(ctx context.Context, opts Options) error {
	f := *opts.F
	f.Env = func(key string) string {
		if key == "MCPCTL_HOME" {
			return t.home
		}
		return opts.F.Env(key)
	}
	settings, err := f.Settings()
	if err != nil {
		return err
	}
	o := host.Options{Home: homedir.Dir(t.home), Version: release.Version, Settings: manage.HostSettings(settings)}
	if opts.Adjust != nil {
		opts.Adjust(&o)
	}
	if t.Host, err = host.Open(ctx, o); err != nil {
		return err
	}
	t.Service = manage.New(t.Host, manage.Endpoint{PID: os.Getpid()}, nil)
	_, err = t.Service.Stages(ctx)
	return err
}

// Apply applies objects in the copy, and returns the warnings about them.
func (t *Twin) Apply(ctx context.Context, name string, yaml []byte) (warnings []string, err error) {
	applied, err := t.Service.Apply(ctx, api.ApplyRequest{File: name, YAML: string(yaml)})
	for _, a := range applied {
		warnings = append(warnings, a.Warning...)
	}
	return warnings, err
}

// Serve opens the socket of the copy, in a directory that only the owner can enter.
func (t *Twin) Serve() error {
	l, err := net.Listen("unix", homedir.Dir(t.home).Socket())
	if err != nil {
		return err
	}
	t.server = &http.Server{Handler: t.Host.Endpoint(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = t.server.Serve(l) }() // ends with Close
	return nil
}

// Client returns a client for the socket.
func (t *Twin) Client() *http.Client { return api.NewClient(homedir.Dir(t.home).Socket()).HTTP() }

// Endpoint returns the address of a project's endpoint for Client.
func Endpoint(project string) string { return fmt.Sprintf("http://localhost/projects/%s/mcp", project) }

// Close ends servers and guests, and removes the copy.
func (t *Twin) Close() error {
	var errs []error
	if t.server != nil {
		errs = append(errs, t.server.Close())
	}
	if t.Host != nil {
		errs = append(errs, t.Host.Close())
	}
	return errors.Join(append(errs, t.scratch.remove())...)
}
