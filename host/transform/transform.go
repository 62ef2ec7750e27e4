// Package transform runs the pipeline over one Content on its way to the client, and
// reads stored Content back.
//
// Transform is the middle part of the straight line of a tools/call, from the answer of
// a server to the text that the client reads; Read answers read_section. The package
// does not decide which stages apply: a Plan does.
package transform

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/section"
)

// SampleScope is the scope of runs that try out a stage or a proxymodel. They are no
// live traffic: failures are not recorded and lines of guests are not logged.
var SampleScope = flow.Scope{Project: "lab", Subject: sampleSubject}

// sampleSubject is the subject of all samples. No user has a name with a zero byte.
const sampleSubject = "\x00sample"

func isSample(scope flow.Scope) bool { return scope.Subject == sampleSubject }

// Plan decides how the content of a project is transformed. Implementations are safe
// for concurrent use.
type Plan interface {
	// Resolve returns the proxymodel of a Content. It waits until the modules are
	// loaded, if the proxymodel may only seem invalid.
	Resolve(ctx context.Context, project string, c flow.Content) (*proxymodel.Model, error)
	// Fallback returns the step that indexes content above the limit of a project; ok is
	// false if no module has its role.
	Fallback(ctx context.Context) (step proxymodel.Step, ok bool)
	// Owner returns the scope under which content is stored for scope.
	Owner(scope flow.Scope) flow.Scope
	// LLMIdentity identifies the LLM of a project in cache keys.
	LLMIdentity(project string) string
	// NoLLM returns why no LLM is available to a project; empty if one may be.
	NoLLM(project string) string
	// Epoch changes whenever equal content may be transformed differently.
	Epoch() uint64
}

// Modules provides the stages of modules. Implementations are safe for concurrent use.
type Modules interface {
	// Stage returns the stage or filter that has this role now. release must be called
	// after its last run.
	Stage(ctx context.Context, role string) (s Stage, release func(), err error)
	// ReportFailure reports a failed run; see registry.Registry.
	ReportFailure(f registry.Failure) (registry.Rollback, bool)
}

// Stage is a stage or filter of a loaded module.
type Stage struct {
	Runner     pipeline.Runner
	Role       abi.Role
	Index      int // of the role in its module
	ModuleHash string
	Language   string // of the module's source, as mcpctl stage inspect prints it
}

// Parts are the parts that a Transformer works with. All are required but Cache and Cleaner.
type Parts struct {
	Plan     Plan
	Modules  Modules
	Pipeline *pipeline.Pipeline
	Contents *content.Store
	Cache    *cache.Cache // counts hits of results that are shown again; nil offline
	Events   *event.Ring
	Failures *failure.Log
	GuestLog *guestlog.Log
	Sections section.Settings
	Log      *slog.Logger

	// Cleaner returns a function that removes the secrets of servers from a text; nil: none.
	Cleaner func() func(string) string
}

// Transformer transforms Content and reads it back. It is safe for concurrent use.
type Transformer struct {
	Parts
	tokens    tokenCounts
	docs      docCache
	forgotten atomic.Uint64 // number of calls of ForgetShown
}

// New returns a Transformer.
func New(p Parts) *Transformer { return &Transformer{Parts: p} }

// Transform turns one Content of a server into the text that the client reads: the
// middle part of the straight line of proxy.Session.CallTool. The steps are numbered
// as in ARCHITECTURE.md.
//
// Errors: only those that must keep the Content from the client: its proxymodel is
// invalid, so it is not known which filters apply; or ctx ended.
func (t *Transformer) Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	owner := t.Plan.Owner(scope) // before the filters are resolved: of two versions the older one
	model, err := t.Plan.Resolve(ctx, scope.Project, c)
	if err != nil {
		return flow.Shown{}, err
	}
	return t.run(ctx, scope, owner, c, model)
}

// Sample transforms a Content with a given proxymodel in SampleScope.
//
// Errors: as of Transform.
func (t *Transformer) Sample(ctx context.Context, c flow.Content, model *proxymodel.Model) (flow.Shown, error) {
	return t.run(ctx, SampleScope, t.Plan.Owner(SampleScope), c, model)
}

func (t *Transformer) run(ctx context.Context, scope, owner flow.Scope, c flow.Content, model *proxymodel.Model) (flow.Shown, error) {
	shown := flow.Shown{Run: flow.RunReport{Model: model.Name}}
	req, release := t.request(ctx, scope, c, model)
	defer release()

	sum := sha256.Sum256(c.Bytes)
	shown.Tokens = t.tokens.count(sum, c.Bytes)
	req.Hash = &sum
	filtered := pipeline.Result{Final: true}
	if !c.Filtered {
		var err error
		if filtered, err = t.filter(ctx, &req, &shown); err != nil || shown.Blocked != "" { // 5 filters
			return shown, err
		}
		c, sum = req.Content, *req.Hash //                                from here on this is the original
	}
	if c.OnlyFilters {
		shown.Final = filtered.Final
		return shown, nil
	}
	ref, stored := t.Contents.PutSum(owner, c.Bytes, sum, infoOf(c)) //   6 the original, before any stage
	if stored != nil {
		// Content that cannot be stored is not transformed.
		shown.Run.Stages = append(shown.Run.Stages, t.notStored(stored))
		return shown, nil
	}
	shown.Ref = ref
	var checked bool
	req.Arguments, checked = t.arguments(ctx, req)
	res, err := t.Pipeline.Run(ctx, req) //                                   8 stages
	if err != nil {
		return flow.Shown{}, err
	}
	shown.LLMWaited = res.LLMWaited
	t.report(&shown, res, scope, c)
	if res.Blocked != "" {
		shown.Blocked = res.Blocked
		return shown, nil
	}
	if res.Limited && !res.Changed && model.CanSection() && len(c.Bytes) >= pipeline.LargeContent {
		showWindows(&res, fmt.Sprintf("%d bytes, too large for a stage to index", len(c.Bytes)))
	}
	shown.Run.Type, shown.Final = res.Tree.Type, filtered.Final && res.Final && checked
	doc, stored := t.keep(owner, ref, c, res) //                          9 sections
	if stored != nil {
		shown.Run.Stages = append(shown.Run.Stages, t.notStored(stored))
		return shown, nil
	}
	if text, meta, ok := finish(doc, c.Bytes, res, ref); ok {
		shown.Changed, shown.Text, shown.Meta = true, text, meta
	}
	return shown, nil
}

// Recompute runs the stages of a filtered Content without any cache, for a comparison with
// shared results. It stores and reports nothing. Stages that read arguments get none.
//
// Errors: as of Transform.
func (t *Transformer) Recompute(ctx context.Context, scope flow.Scope, c flow.Content) ([]pipeline.Recomputed, error) {
	model, err := t.Plan.Resolve(ctx, scope.Project, c)
	if err != nil {
		return nil, err
	}
	req, release := t.request(ctx, scope, c, model)
	defer release()
	return t.Pipeline.Recompute(ctx, req)
}

// filter runs the filters of a request and replaces its Content by their output. If
// they change nothing, the server's own bytes remain.
func (t *Transformer) filter(ctx context.Context, req *pipeline.Request, shown *flow.Shown) (pipeline.Result, error) {
	res, err := t.Pipeline.Filter(ctx, withMinimalEscapes(*req))
	if err != nil {
		*shown = flow.Shown{}
		return res, err
	}
	t.report(shown, res, req.Scope, req.Content)
	shown.Blocked = res.Blocked
	if res.Blocked == "" && res.Changed {
		shown.Changed, shown.Text = true, res.Bytes
		req.Content.Bytes, req.Hash = res.Bytes, &res.Hash
	}
	return res, nil
}

// withMinimalEscapes returns the request for the filters, whose JSON text has only the
// escapes that JSON requires. Otherwise "\/" and "\u0070" would hide a secret from a
// filter but not from a client, which decodes them.
func withMinimalEscapes(req pipeline.Request) pipeline.Request {
	if !slices.ContainsFunc(req.Steps, func(s pipeline.Step) bool { return s.Role.Kind == abi.KindFilter }) {
		return req
	}
	text := MinimizeEscapes(req.Content.Bytes, req.Content.Part.Kind == abi.PartStructured)
	if bytes.Equal(text, req.Content.Bytes) {
		return req
	}
	sum := sha256.Sum256(text)
	req.Content.Bytes, req.Hash = text, &sum
	return req
}

// MinimizeEscapes returns a content as filters read it: a JSON object or array, or any
// JSON value of structuredContent, has only the escapes that JSON requires.
func MinimizeEscapes(b []byte, structured bool) []byte {
	kind := jsonspan.KindAt(b, jsonspan.SkipBlank(b, 0))
	if kind != jsonspan.Object && kind != jsonspan.Array && !structured || jsonspan.Valid(b) != nil {
		return b
	}
	return jsonspan.MinimizeEscapes(b)
}

// Filter performs only steps 5 and 6 of Transform, for a result that controllers read
// before the stages run. It implements view.Transformer.
func (t *Transformer) Filter(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	owner := t.Plan.Owner(scope)
	model, err := t.Plan.Resolve(ctx, scope.Project, c)
	if err != nil {
		return flow.Shown{}, err
	}
	shown := flow.Shown{Run: flow.RunReport{Model: model.Name}}
	req, release := t.request(ctx, scope, c, model)
	defer release()

	sum := sha256.Sum256(c.Bytes)
	shown.Tokens = t.tokens.count(sum, c.Bytes)
	req.Hash = &sum
	if _, err := t.filter(ctx, &req, &shown); err != nil || shown.Blocked != "" || c.OnlyFilters {
		return shown, err
	}
	ref, err := t.Contents.PutSum(owner, req.Content.Bytes, *req.Hash, infoOf(c))
	if err != nil { // the stages run next: they try again and report it
		return shown, nil
	}
	shown.Ref = ref
	return shown, nil
}

// notStored returns the report of content that passes through unchanged because its
// original, or its sections, could not be stored.
func (t *Transformer) notStored(err error) flow.StageReport {
	t.Failures.NoteNotStored(err, time.Now())
	return flow.StageReport{Outcome: "failed", Error: err.Error() + ", content passed on unchanged"}
}

// showWindows replaces a result by an index of windows, for content that no stage can
// index. why is the reason that the model reads.
func showWindows(res *pipeline.Result, why string) {
	res.Bytes = []byte(why + ": shown in windows\n")
	res.Hash = sha256.Sum256(res.Bytes)
	res.Marks = []abi.Mark{{Offset: len(res.Bytes), Section: -1}}
	res.Changed = true
}

// request returns the request for the pipeline. release releases its modules.
func (t *Transformer) request(ctx context.Context, scope flow.Scope, c flow.Content, model *proxymodel.Model) (req pipeline.Request, release func()) {
	req = pipeline.Request{Scope: scope, Cacheable: model.Cacheable, Model: model.Name, Content: c, Sample: isSample(scope), Steps: make([]pipeline.Step, len(model.Steps))}
	releases := make([]func(), len(model.Steps))
	for i, s := range model.Steps {
		req.Steps[i], releases[i] = t.step(ctx, scope.Project, s)
	}
	return req, func() {
		for _, r := range releases {
			r()
		}
	}
}

// step prepares one entry of a proxymodel, with the module that has its role now.
func (t *Transformer) step(ctx context.Context, project string, s proxymodel.Step) (step pipeline.Step, release func()) {
	step = pipeline.Step{
		Role:   abi.Role{Name: s.Type, Kind: s.Kind, LLM: s.LLM},
		Config: s.Config, OnFailure: s.OnFailure, Limits: s.GuestLimits(),
	}
	stage, release, err := t.Modules.Stage(ctx, s.Type)
	if err != nil {
		step.Runner = missingRole{err}
		return step, func() {}
	}
	step.Runner, step.Role, step.RoleIndex, step.ModuleHash = stage.Runner, stage.Role, stage.Index, stage.ModuleHash
	if s.LLM != abi.LLMNone {
		step.LLMIdentity, step.NoLLM = t.Plan.LLMIdentity(project), t.Plan.NoLLM(project)
	}
	return step, release
}

// missingRole is the runner of a role that no module has. The step fails with the
// reason, and its policy decides about the content.
type missingRole struct{ err error }

// Run implements pipeline.Runner.
func (m missingRole) Run(context.Context, abi.Call) (abi.Output, error) { return abi.Output{}, m.err }

// report records the reports of the pipeline. Failures go to the registry, which
// replaces a new version of a module that keeps failing by the previous one.
func (t *Transformer) report(shown *flow.Shown, res pipeline.Result, scope flow.Scope, c flow.Content) {
	shown.Run.Stages = append(shown.Run.Stages, res.Report...)
	if isSample(scope) {
		return // no live traffic
	}
	t.Failures.NoteStages(scope.Project, c.Source, res.Report, time.Now())
	for _, r := range res.Report {
		t.GuestLog.Write(guestlog.Origin{Role: r.Role, Project: scope.Project, Source: c.Source}, r.Log, time.Now())
	}
	for _, o := range res.Opened {
		t.Log.Warn("stage out of service", "stage", o.Role, "project", scope.Project, "cause", o.Cause)
		t.Events.Add(event.Event{Type: event.StageFailed, Project: scope.Project, Source: c.Source,
			Change: &event.Change{Name: o.Role, From: "in service", To: "out of service", Reason: o.Cause}})
	}
	for _, f := range res.Failed {
		gone, gaveWay := t.Modules.ReportFailure(registry.Failure{Hash: f.ModuleHash, Role: f.Role, Cause: f.Err})
		if gaveWay {
			t.Events.Add(event.Event{Type: event.StageReloaded,
				Change: &event.Change{Name: gone.File, From: gone.From, To: gone.To, Reason: gone.Reason}})
		}
	}
}

// infoOf returns the description of a Content for the store.
func infoOf(c flow.Content) content.Info {
	return content.Info{Type: c.Type, Source: c.Source, MIME: c.MIME, Hint: c.Hint, Part: c.Part, Wrapper: c.Wrapper}
}
