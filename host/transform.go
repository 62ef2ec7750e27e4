package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
)

// Transform takes one Content of a server to what the client reads: it is the
// middle of the straight line that proxy.Session.CallTool begins and ends. The
// steps are numbered as in ARCHITECTURE.md.
//
// Errors: only what must keep the Content from the client: its proxymodel is
// broken, so nobody can say whether a filter belongs before it; or ctx ended.
func (h *Host) Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	owner := h.owner(scope) // before the filters are known: of two versions the older one
	model, err := h.resolve(ctx, scope.Project, c)
	if err != nil {
		return flow.Shown{}, err
	}
	return h.transform(ctx, scope, owner, c, model)
}

func (h *Host) transform(ctx context.Context, scope, owner flow.Scope, c flow.Content, model *proxymodel.Model) (flow.Shown, error) {
	shown := flow.Shown{Run: flow.RunReport{Model: model.Name}}
	req, release := h.request(ctx, scope, c, model)
	defer release()

	sum := sha256.Sum256(c.Bytes)
	shown.Tokens = h.tokens.of(sum, c.Bytes)
	req.Hash = &sum
	filtered := pipeline.Result{Final: true}
	if !c.Filtered {
		var err error
		if filtered, err = h.filter(ctx, &req, &shown); err != nil || shown.Blocked != "" { // 5 filters
			return shown, err
		}
		c, sum = req.Content, *req.Hash //                                from here on this is the original
	}
	if c.OnlyFilters {
		shown.Final = filtered.Final
		return shown, nil
	}
	ref, stored := h.contents.PutSum(owner, c.Bytes, sum, infoOf(c)) //   6 the original, before any stage
	if stored != nil {
		// What cannot be stored is not transformed.
		shown.Run.Stages = append(shown.Run.Stages, h.notStored(stored))
		return shown, nil
	}
	shown.Ref = ref
	res, err := h.pipe.Run(ctx, req) //                                   8 stages
	if err != nil {
		return flow.Shown{}, err
	}
	shown.LLMWaited = res.LLMWaited
	h.tell(&shown, res, scope, c)
	if res.Blocked != "" {
		shown.Blocked = res.Blocked
		return shown, nil
	}
	if res.Limited && !res.Changed && model.CanSection() && len(c.Bytes) >= pipeline.LargeContent {
		inWindows(&res, c)
	}
	shown.Run.Type, shown.Final = res.Tree.Type, filtered.Final && res.Final
	doc, stored := h.keep(owner, ref, c, res) //                          9 sections
	if stored != nil {
		shown.Run.Stages = append(shown.Run.Stages, h.notStored(stored))
		return shown, nil
	}
	if text, meta, ok := finish(doc, c.Bytes, res, ref); ok {
		shown.Changed, shown.Text, shown.Meta = true, text, meta
	}
	return shown, nil
}

// filter runs the filters of a request and puts what they leave in the place of
// its Content. If they change nothing, the server's own bytes remain.
func (h *Host) filter(ctx context.Context, req *pipeline.Request, shown *flow.Shown) (pipeline.Result, error) {
	res, err := h.pipe.Filter(ctx, withMinimalEscapes(*req))
	if err != nil {
		*shown = flow.Shown{}
		return res, err
	}
	h.tell(shown, res, req.Scope, req.Content)
	shown.Blocked = res.Blocked
	if res.Blocked == "" && res.Changed {
		shown.Changed, shown.Text = true, res.Bytes
		req.Content.Bytes, req.Hash = res.Bytes, &res.Hash
	}
	return res, nil
}

// withMinimalEscapes returns the request that filters read: a JSON object or array
// has only the escapes that JSON requires. Otherwise "\/" and "\u0070" would hide
// a secret from a filter and not from a client, which decodes them.
func withMinimalEscapes(req pipeline.Request) pipeline.Request {
	if !slices.ContainsFunc(req.Steps, func(s pipeline.Step) bool { return s.Role.Kind == abi.KindFilter }) {
		return req
	}
	text := minimalEscapes(req.Content.Bytes, req.Content.Part.Kind == abi.PartStructured)
	if bytes.Equal(text, req.Content.Bytes) {
		return req
	}
	sum := sha256.Sum256(text)
	req.Content.Bytes, req.Hash = text, &sum
	return req
}

// minimalEscapes returns a content as filters read it: a JSON object or array, or any JSON
// of structuredContent, has only the escapes that JSON requires.
func minimalEscapes(b []byte, structured bool) []byte {
	kind := jsonspan.KindAt(b, jsonspan.SkipBlank(b, 0))
	if kind != jsonspan.Object && kind != jsonspan.Array && !structured || jsonspan.Valid(b) != nil {
		return b
	}
	return jsonspan.MinimizeEscapes(b)
}

// Filter does steps 5 and 6 of Transform alone, for a result that controllers
// look at before the stages. It implements proxy.Transformer.
func (h *Host) Filter(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	owner := h.owner(scope)
	model, err := h.resolve(ctx, scope.Project, c)
	if err != nil {
		return flow.Shown{}, err
	}
	shown := flow.Shown{Run: flow.RunReport{Model: model.Name}}
	req, release := h.request(ctx, scope, c, model)
	defer release()

	sum := sha256.Sum256(c.Bytes)
	shown.Tokens = h.tokens.of(sum, c.Bytes)
	req.Hash = &sum
	if _, err := h.filter(ctx, &req, &shown); err != nil || shown.Blocked != "" || c.OnlyFilters {
		return shown, err
	}
	ref, err := h.contents.PutSum(owner, req.Content.Bytes, *req.Hash, infoOf(c))
	if err != nil { // the stages, which come next, try again and say so
		return shown, nil
	}
	shown.Ref = ref
	return shown, nil
}

// notStored reports that content is passed on as it is because its original, or
// the way into it, could not be kept.
func (h *Host) notStored(err error) flow.StageReport {
	h.failures.NoteNotStored(err, time.Now())
	return flow.StageReport{Outcome: "failed", Error: err.Error() + ", content passed on unchanged"}
}

// inWindows takes the place of a stage that gave up at a limit: content that is
// too large for a guest is still read by a map, of windows. Smaller content
// passes whole.
func inWindows(res *pipeline.Result, c flow.Content) {
	res.Bytes = fmt.Appendf(nil, "%d bytes, too large for a stage to index: shown in windows\n", len(c.Bytes))
	res.Hash = sha256.Sum256(res.Bytes)
	res.Marks = []abi.Mark{{Offset: len(res.Bytes), Section: -1}}
	res.Changed = true
}

// resolve finds the proxymodel of a Content. While modules are loaded for the
// first time one that seems broken may only be early.
func (h *Host) resolve(ctx context.Context, project string, c flow.Content) (*proxymodel.Model, error) {
	model, err := h.state.Load().plan.Resolve(project, c.Type, c.Source)
	if err == nil {
		return model, nil
	}
	select {
	case <-h.loaded:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return h.state.Load().plan.Resolve(project, c.Type, c.Source)
}

// request makes the pipeline's request; release gives its modules back.
func (h *Host) request(ctx context.Context, scope flow.Scope, c flow.Content, model *proxymodel.Model) (req pipeline.Request, release func()) {
	req = pipeline.Request{Scope: scope, Cacheable: model.Cacheable, Content: c, Sample: scope == labScope, Steps: make([]pipeline.Step, len(model.Steps))}
	releases := make([]func(), len(model.Steps))
	for i, s := range model.Steps {
		req.Steps[i], releases[i] = h.step(ctx, scope.Project, s)
	}
	return req, func() {
		for _, r := range releases {
			r()
		}
	}
}

// step makes one entry of a proxymodel ready to run, with the module that plays
// its role at this moment.
func (h *Host) step(ctx context.Context, project string, s proxymodel.Step) (pipeline.Step, func()) {
	step := pipeline.Step{
		Role:   abi.Role{Name: s.Type, Kind: s.Kind, LLM: s.LLM},
		Config: s.Config, OnFailure: s.OnFailure, Limits: guestLimits(s),
	}
	handle, release, err := h.modules.Acquire(ctx, s.Type)
	if err != nil {
		step.Runner = missing{err}
		return step, func() {}
	}
	step.Role, step.RoleIndex, step.ModuleHash = handle.Role, handle.Index, handle.Hash
	if s.LLM != abi.LLMNone {
		step.LLMIdentity, step.NoLLM = h.runtime.LLMIdentity(project), h.noLLM(project)
	}
	guest, err := handle.Module.(module).Guest(s.Type)
	if err != nil {
		release()
		step.Runner = missing{err}
		return step, func() {}
	}
	step.Runner = guest
	return step, release
}

func guestLimits(s proxymodel.Step) abi.GuestLimits {
	return abi.GuestLimits{
		OutputBytes: int(s.Limits.Output), Sections: s.Limits.Sections, MemoryBytes: int(s.Limits.Memory),
		LLMMillis: int(s.Limits.LLMTime.Milliseconds()), LLMRequests: s.Limits.LLMRequests,
		TimeMillis: int(s.Limits.Time.Milliseconds()),
	}
}

// tell adds what the pipeline reported, and hands failures to the registry,
// which takes a new version back that keeps failing.
func (h *Host) tell(shown *flow.Shown, res pipeline.Result, scope flow.Scope, c flow.Content) {
	shown.Run.Stages = append(shown.Run.Stages, res.Report...)
	if scope == labScope {
		return // a trial is nobody's traffic
	}
	h.failures.NoteStages(scope.Project, c.Source, res.Report, time.Now())
	for _, r := range res.Report {
		h.guestLog.Write(guestlog.Origin{Role: r.Role, Project: scope.Project, Source: c.Source}, r.Log, time.Now())
	}
	for _, o := range res.Opened {
		h.log.Warn("stage out of service", "stage", o.Role, "project", scope.Project, "cause", o.Cause)
		h.events.Add(event.Event{Type: event.StageFailed, Project: scope.Project, Source: c.Source,
			Change: &event.Change{Name: o.Role, From: "in service", To: "out of service", Reason: o.Cause}})
	}
	for _, f := range res.Failed {
		gone, gaveWay := h.modules.ReportFailure(registry.Failure{Hash: f.ModuleHash, Role: f.Role, Cause: f.Err})
		if gaveWay {
			h.events.Add(event.Event{Type: event.StageReloaded,
				Change: &event.Change{Name: gone.File, From: gone.From, To: gone.To, Reason: gone.Reason}})
		}
	}
}

func infoOf(c flow.Content) content.Info {
	return content.Info{Type: c.Type, Source: c.Source, MIME: c.MIME, Hint: c.Hint, Part: c.Part}
}
