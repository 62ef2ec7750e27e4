package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

// twin is a copy of a home, open in this process and served on its own socket, to which
// no other process can connect.
type twin struct {
	home    string
	scratch *scratch // that holds it
	host    *host.Host
	service *manage.Service
	server  *http.Server
	project string
	model   string
	llm     string
}

// openTwin copies the home, changes the project in the copy as the options require, and
// serves it. The caller closes it.
func openTwin(ctx context.Context, opts *Options, script script.Script) (_ *twin, err error) {
	done := opts.F.IO.Progress("compiling stages")
	defer done()
	from, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	t := &twin{project: opts.Project}
	if t.scratch, err = copyHome(from); err != nil {
		return nil, err
	}
	t.home = t.scratch.dir
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if opts.FakeLLM {
		if err := fakeLLM(t.home, script.Answers); err != nil {
			return nil, err
		}
	}
	if err := t.open(ctx, opts); err != nil {
		return nil, err
	}
	if err := t.prepare(ctx, opts); err != nil {
		return nil, err
	}
	return t, t.serve()
}

func (t *twin) open(ctx context.Context, opts *Options) error {
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
	t.host, err = host.Open(ctx, host.Options{Home: homedir.Dir(t.home), Version: release.Version, Settings: manage.HostSettings(settings)})
	if err != nil {
		return err
	}
	t.service = manage.New(t.host, manage.Endpoint{PID: os.Getpid()})
	_, err = t.service.Stages(ctx) // compiled: no call waits for that
	return err
}

// prepare makes the project served by the wanted proxymodel and the fake.
func (t *twin) prepare(ctx context.Context, opts *Options) error {
	base, err := t.service.Object(ctx, "project", "", opts.Project)
	if err != nil {
		return err
	}
	if opts.Model != "" {
		if _, err := t.service.Object(ctx, "proxymodel", "", opts.Model); err != nil {
			return err
		}
	}
	text, model, err := manifest(base.Manifest, opts)
	if err != nil {
		return err
	}
	applied, err := t.service.Apply(ctx, api.ApplyRequest{File: opts.Project, YAML: string(text)})
	if err != nil {
		return err
	}
	for _, a := range applied {
		for _, w := range a.Warning {
			fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s\n", w)
		}
	}
	t.model, t.llm = model, "fake"
	if !opts.FakeLLM {
		t.llm = t.host.LLM().Resolution(opts.Project)
	}
	return nil
}

// manifest is the project as the options want it, in JSON, and its proxymodel.
func manifest(base json.RawMessage, opts *Options) (text []byte, model string, err error) {
	var o struct {
		Kind     string                     `json:"kind"`
		Metadata json.RawMessage            `json:"metadata"`
		Spec     map[string]json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(base, &o); err != nil {
		return nil, "", err
	}
	o.Spec["proxyMode"] = json.RawMessage(`"proxy"`) // a project in direct mode is played as it would be in the other
	if opts.FakeLLM {
		delete(o.Spec, "llmProvider")
	}
	if opts.Model != "" {
		if o.Spec["proxyModel"], err = json.Marshal(opts.Model); err != nil {
			return nil, "", err
		}
		delete(o.Spec, "proxyModelOverrides") // nothing chooses another one
	}
	model = string(object.DefaultProxyModel)
	if written, ok := o.Spec["proxyModel"]; ok {
		err = json.Unmarshal(written, &model)
	}
	if err == nil {
		text, err = json.Marshal(o)
	}
	return text, model, err
}

// serve opens the socket of the home, in a directory that only the owner can enter.
func (t *twin) serve() error {
	l, err := net.Listen("unix", homedir.Dir(t.home).Socket())
	if err != nil {
		return err
	}
	t.server = &http.Server{Handler: t.host.Endpoint(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = t.server.Serve(l) }() // ends with Close
	return nil
}

// client reaches the socket.
func (t *twin) client() *http.Client { return api.NewClient(homedir.Dir(t.home).Socket()).HTTP() }

// Close ends servers and guests, and removes the home.
func (t *twin) Close() error {
	var errs []error
	if t.server != nil {
		errs = append(errs, t.server.Close())
	}
	if t.host != nil {
		errs = append(errs, t.host.Close())
	}
	return errors.Join(append(errs, t.scratch.remove())...)
}
