package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
)

// controllers is the Host as host/controller and the endpoint see it.
type controllers struct{ h *Host }

var (
	_ controller.Source   = controllers{}
	_ controller.Contents = controllers{}
	_ proxy.Controllers   = controllers{}
)

func (h *Host) openControllers() {
	c := controllers{h}
	h.chains = controller.Open(controller.Options{Source: c, Contents: c, Prompts: h.prompts, Ended: h.hookEnded})
}

// projectChains makes the chain of each project: the controllers of its base
// ProxyModel. One that is broken has none; while modules are loaded for the first
// time nobody can say which it has.
func (s *state) projectChains(loaded <-chan struct{}, limits abi.GuestLimits) map[string]*controller.Chain {
	chains := make(map[string]*controller.Chain)
	for _, o := range s.snapshot.List(object.KindProject) {
		p := o.(*object.Project)
		plan, err := s.plan.Project(string(p.Name()))
		if err != nil {
			continue
		}
		switch model, err := plan.Model(); {
		case err == nil && len(model.Controllers) > 0:
			chains[plan.Name] = controller.NewChain(p.IsGated(), members(model.Controllers, limits))
		case err != nil && s.early:
			chains[plan.Name] = controller.Early(loaded)
		}
	}
	return chains
}

// gatedProjects returns the projects with a controller for gated projects alone. One
// whose ProxyModel is broken counts as gated: its sessions get nothing in any case.
func (s *state) gatedProjects() map[string]bool {
	gates := make(map[string]bool)
	for _, o := range s.snapshot.List(object.KindProject) {
		p := o.(*object.Project)
		if !p.IsGated() {
			continue
		}
		plan, err := s.plan.Project(string(p.Name()))
		if err != nil {
			continue
		}
		model, err := plan.Model()
		gates[plan.Name] = err != nil || slices.ContainsFunc(model.Controllers, func(c proxymodel.Step) bool { return c.GatedOnly })
	}
	return gates
}

func members(steps []proxymodel.Step, limits abi.GuestLimits) []controller.Member {
	list := make([]controller.Member, len(steps))
	for i, s := range steps {
		list[i] = controller.Member{
			Role:   abi.Role{Name: s.Type, Kind: s.Kind, LLM: s.LLM, Hooks: s.Hooks, GatedOnly: s.GatedOnly},
			Config: s.Config, Block: s.OnFailure == object.OnFailureBlock, Limits: narrowed(s.GuestLimits(), limits),
		}
	}
	return list
}

// narrowed is what an entry asks for where that is less than the host gives.
func narrowed(l, host abi.GuestLimits) abi.GuestLimits {
	narrow := func(asked *int, given, byDefault int) {
		if most := cmp.Or(given, byDefault); *asked <= 0 || *asked > most {
			*asked = most
		}
	}
	narrow(&l.OutputBytes, host.OutputBytes, abi.LimitOutputBytes)
	narrow(&l.Sections, host.Sections, abi.LimitSections)
	narrow(&l.MemoryBytes, host.MemoryBytes, abi.LimitMemoryBytes)
	narrow(&l.LLMMillis, host.LLMMillis, abi.LimitLLMMillis)
	narrow(&l.LLMRequests, host.LLMRequests, abi.LimitLLMRequests)
	return l
}

// Chain implements controller.Source.
func (c controllers) Chain(project string) *controller.Chain { return c.h.state.Load().chains[project] }

// Acquire implements controller.Source.
func (c controllers) Acquire(ctx context.Context, role string) (controller.Player, func(), error) {
	handle, release, err := c.h.modules.Acquire(ctx, role)
	if err != nil {
		return controller.Player{}, nil, err
	}
	runner, err := handle.Module.Controller(role)
	if err != nil {
		release()
		return controller.Player{}, nil, err
	}
	return controller.Player{Runner: runner, Hash: handle.Hash, Index: handle.Index}, release, nil
}

// Content implements controller.Contents.
func (c controllers) Content(scope flow.Scope, ref string) ([]byte, error) {
	b, _, err := c.h.contents.Get(c.h.owner(scope), ref)
	return b, err
}

// contentMeta is what a controller reads of a stored content.
type contentMeta struct {
	Ref         string          `json:"ref"`
	Source      string          `json:"source"`
	ContentType abi.ContentType `json:"contentType"`
	MIME        string          `json:"mime"`
	Bytes       int             `json:"bytes"`
	Lines       int             `json:"lines"` // the last one may lack its end
	Tokens      int             `json:"tokens"`
	Sections    int             `json:"sections"`
	CreatedMs   int64           `json:"createdMs"`
}

// ContentMeta implements controller.Contents.
func (c controllers) ContentMeta(scope flow.Scope, ref string) ([]byte, error) {
	b, info, err := c.h.contents.Get(c.h.owner(scope), ref)
	if err != nil {
		return nil, err
	}
	since, err := c.h.contents.Since(c.h.owner(scope), ref)
	if err != nil {
		return nil, err
	}
	meta := contentMeta{Ref: ref, Source: info.Source, ContentType: info.Type, MIME: info.MIME, Bytes: len(b),
		Lines: bytes.Count(b, []byte{'\n'}), Tokens: c.h.transformer.CountTokens(b), CreatedMs: since.UnixMilli()}
	if len(b) > 0 && b[len(b)-1] != '\n' {
		meta.Lines++
	}
	if view, _, err := c.h.contents.View(c.h.owner(scope), ref); err == nil { // else nothing was made of it
		meta.Sections = len(view.Tree.Sections)
	}
	return json.Marshal(meta)
}

// Section implements controller.Contents.
func (c controllers) Section(_ context.Context, scope flow.Scope, ref, section string) ([]byte, error) {
	doc, err := c.h.transformer.Doc(scope, ref)
	if err != nil {
		return nil, fmt.Errorf("%w: nothing stored under ref %.40q", abi.ErrNotFound, ref)
	}
	return doc.Read(ref, section).Text, nil
}

// hookEnded keeps failures for those who look after the home, and reports those
// that speak against a module to the registry, which takes a new version back that
// keeps failing.
func (h *Host) hookEnded(e controller.Ending) {
	r := e.Report
	h.failures.NoteHook(e.Project, r, e.Ran, time.Now())
	h.guestLog.Write(guestlog.Origin{Role: r.Role, Project: e.Project, Source: string(r.Hook)}, r.Log, time.Now())
	if !e.Ran || !e.Against {
		return
	}
	gone, gaveWay := h.modules.ReportFailure(registry.Failure{Hash: r.ModuleHash, Role: r.Role, Cause: e.Err})
	if gaveWay {
		h.events.Add(event.Event{Type: event.StageReloaded,
			Change: &event.Change{Name: gone.File, From: gone.From, To: gone.To, Reason: gone.Reason}})
	}
}
