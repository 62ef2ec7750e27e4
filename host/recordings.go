package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/recording"
)

// Recordings returns the operations on the recordings of sessions.
func (s Storage) Recordings() Recordings { return Recordings(s) }

// Recordings starts, lists and reads the recordings of the home.
type Recordings struct{ h *Host }

func (r Recordings) dir() recording.Dir { return recording.Dir(r.h.opts.Home.Recordings()) }

// Start records a project until a time. A later call replaces the time.
//
// Errors: abi.ErrNotFound for an unknown project; abi.ErrUnavailable offline.
func (r Recordings) Start(project string, until time.Time) error {
	if r.h.recorder == nil {
		return fmt.Errorf("%w: only a daemon records", abi.ErrUnavailable)
	}
	if _, err := r.h.config.Project(project); err != nil {
		return err
	}
	r.h.recorder.Start(project, until)
	return nil
}

// Stop ends what Start began, once everything is on disk.
func (r Recordings) Stop(ctx context.Context, project string) error {
	if r.h.recorder == nil {
		return nil
	}
	return r.h.recorder.Stop(ctx, project)
}

// Active returns the projects that are recorded, sorted.
func (r Recordings) Active() []string {
	var names []string
	if r.h.recorder != nil {
		names = r.h.recorder.Active()
	}
	for _, o := range r.h.Snapshot().List(object.KindProject) {
		if o.(*object.Project).Spec.Recording {
			names = append(names, string(o.Key().Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// List returns the recordings of a project, or of all projects with "", oldest first.
// They are complete until now.
func (r Recordings) List(ctx context.Context, project string) ([]recording.File, error) {
	if r.h.recorder != nil {
		if err := r.h.recorder.Sync(ctx); err != nil {
			return nil, err
		}
	}
	return r.dir().List(project)
}

// Read returns the bytes of a recording.
//
// Errors: abi.ErrNotFound.
func (r Recordings) Read(ctx context.Context, name string) ([]byte, error) {
	if _, err := r.List(ctx, ""); err != nil {
		return nil, err
	}
	f, err := r.dir().Find(name)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(f.Path)
}

// Remove deletes a recording. A session that is recorded in it is not recorded further.
//
// Errors: abi.ErrNotFound.
func (r Recordings) Remove(name string) error { return r.dir().Remove(name) }

// Describe returns the Header of a recording of a project that would begin now, without
// the fields of the session. It waits until modules are loaded first.
//
// Errors: abi.ErrNotFound.
func (r Recordings) Describe(ctx context.Context, project string) (recording.Header, error) {
	if err := r.h.config.Ready(ctx); err != nil {
		return recording.Header{}, err
	}
	if _, err := r.h.config.Project(project); err != nil {
		return recording.Header{}, err
	}
	return recordingSource(r).Describe(project), nil
}

// newRecorder returns the Recorder of an open home, nil offline.
func newRecorder(h *Host) *recording.Recorder {
	if h.opts.Offline {
		return nil
	}
	s := h.opts.Settings
	return recording.New(recording.Options{
		Dir: Recordings{h}.dir(), Source: recordingSource{h}, Always: recordingSource{h}.isRecorded, Log: h.log,
		MaxBytes: s.RecordingsBytes, FileBytes: s.RecordingFileBytes, MaxFiles: s.RecordingFiles,
	})
}

// isRecorded reports whether a project says that it is recorded.
func (s recordingSource) isRecorded(project string) bool {
	o, ok := s.h.Snapshot().Get(object.Key{Kind: object.KindProject, Name: object.Name(project)})
	return ok && o.(*object.Project).Spec.Recording
}

// upstreamsOf returns the connections of sessions to servers: those of a replay, or the pool.
func upstreamsOf(h *Host) proxy.Upstreams {
	if h.opts.Upstreams != nil {
		return h.opts.Upstreams
	}
	return h.pool
}

// recordLog implements proxy.Records with a Host.
type recordLog struct{ h *Host }

var _ proxy.Records = recordLog{}

// Wants implements proxy.Records.
func (l recordLog) Wants(scope flow.Scope) bool {
	return l.h.recorder != nil && l.h.recorder.Wants(scope.Project)
}

// Add implements proxy.Records. If filters read the answer, their output is recorded in
// place of the server's bytes, or nothing if it is not stored.
func (l recordLog) Add(r proxy.Record) {
	e := r.Event
	x := recording.Exchange{
		Scope: e.Scope, Client: e.Client, Request: e.Request, Time: e.Start, Took: e.Duration, Waited: e.Upstream,
		Method: e.Method, Label: e.Label, Args: e.Args, Hint: r.Hint, Called: e.Called, RoutedArgs: e.RoutedArgs,
		Upstream: r.Upstream, Refs: e.Refs, Reply: r.Reply, IsError: e.Failed || e.Code != 0, Error: e.Error, Hold: e.Hold.Outcome,
	}
	if r.AfterFilters != nil && (r.Upstream.Result != nil || r.Upstream.Error != nil) {
		x.Upstream, x.Filtered = flow.Reply{}, func() ([]byte, bool) { return l.filtered(r) }
	}
	l.h.recorder.Add(x)
}

// filtered returns the server's result after the filters.
func (l recordLog) filtered(r proxy.Record) (raw []byte, ok bool) {
	var originals [][]byte
	for _, ref := range r.Event.Refs {
		b, _, err := l.h.contents.Get(l.h.config.Owner(r.Event.Scope), ref)
		if err != nil {
			return nil, false
		}
		originals = append(originals, b)
	}
	return r.AfterFilters(originals)
}

// recordingSource implements recording.Source with a Host.
type recordingSource struct{ h *Host }

// Describe implements recording.Source.
func (s recordingSource) Describe(project string) recording.Header {
	h := recording.Header{Version: s.h.opts.Version, Models: make(map[string]string), Modules: make(map[string]string), Settings: s.settings()}
	o, ok := s.h.Snapshot().Get(object.Key{Kind: object.KindProject, Name: object.Name(project)})
	if !ok {
		return h
	}
	p := o.(*object.Project)
	h.ProxyModel, h.Spec = string(p.Spec.ProxyModel.Name), specOf(p)
	names := []object.Name{p.Spec.ProxyModel.Name}
	for _, list := range [][]object.Override{p.Spec.Overrides.Prompts, p.Spec.Overrides.ToolResults, p.Spec.Overrides.Resources} {
		for _, item := range list {
			names = append(names, item.Model.Name)
		}
	}
	for _, name := range names {
		s.addModel(&h, name)
	}
	return h
}

// addModel adds a proxymodel and the modules of its roles to a Header.
func (s recordingSource) addModel(h *recording.Header, name object.Name) {
	m, ok := s.h.Snapshot().ProxyModel(name)
	if !ok {
		return
	}
	sum := sha256.Sum256(specOf(m))
	h.Models[string(name)] = hex.EncodeToString(sum[:8])
	plan, err := s.h.config.State().Plan.Model(string(name))
	if err != nil {
		return
	}
	roles := make(map[string]bool)
	for _, step := range slices.Concat(plan.Controllers, plan.Steps) {
		roles[step.Type] = true
	}
	for _, st := range s.h.modules.Status() {
		if roles[st.Name] {
			h.Modules[st.Name] = st.Hash
		}
	}
}

// specOf returns the spec of an object as JSON.
func specOf(o object.Object) json.RawMessage {
	text, err := object.EncodeJSON(o)
	var v struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err == nil {
		_ = json.Unmarshal(text, &v) // just encoded
	}
	return v.Spec
}

// settings returns the settings of the home that shape answers.
func (s recordingSource) settings() map[string]string {
	o := s.h.opts.Settings
	return map[string]string{
		"leafSize": fmt.Sprint(cmp.Or(o.LeafSize, 3000)), "maxLines": fmt.Sprint(cmp.Or(o.MaxLines, 24)),
		"maxIndexBytes": fmt.Sprint(cmp.Or(o.MaxIndexBytes, 4096)), "maxIndexTokens": fmt.Sprint(cmp.Or(o.MaxIndexTokens, 1000)),
		"maxWholeBytes": fmt.Sprint(cmp.Or(o.MaxWholeBytes, 40000)),
	}
}

// Tools implements recording.Source.
func (s recordingSource) Tools(project string) (tools []recording.Tool) {
	p, err := s.h.config.Project(project)
	if err != nil {
		return nil
	}
	for _, t := range s.h.endpoint.ServerTools("", p) {
		tools = append(tools, recording.Tool{Server: t.Server, Definition: t.Definition})
	}
	return tools
}
