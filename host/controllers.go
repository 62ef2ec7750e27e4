package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/registry"
)

// controllers implements the interfaces of host/controller and host/proxy with a
// Host.
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

// Chain implements controller.Source.
func (c controllers) Chain(project string) *controller.Chain {
	return c.h.config.State().Chains[project]
}

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
	b, _, err := c.h.contents.Get(c.h.config.Owner(scope), ref)
	return b, err
}

// contentMeta describes a stored content to a controller.
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
	b, info, err := c.h.contents.Get(c.h.config.Owner(scope), ref)
	if err != nil {
		return nil, err
	}
	since, err := c.h.contents.Since(c.h.config.Owner(scope), ref)
	if err != nil {
		return nil, err
	}
	meta := contentMeta{Ref: ref, Source: info.Source, ContentType: info.Type, MIME: info.MIME, Bytes: len(b),
		Lines: bytes.Count(b, []byte{'\n'}), Tokens: c.h.transformer.CountTokens(b), CreatedMs: since.UnixMilli()}
	if len(b) > 0 && b[len(b)-1] != '\n' {
		meta.Lines++
	}
	if view, _, err := c.h.contents.View(c.h.config.Owner(scope), ref); err == nil { // otherwise no stage has processed it
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

// hookEnded records the failure and the log lines of a hook. It reports failures
// caused by the module to the registry, which rolls back a new version that keeps
// failing.
func (h *Host) hookEnded(e controller.Ending) {
	r := e.Report
	h.failures.NoteHook(e.Project, r, e.Ran, time.Now())
	h.guestLog.Write(guestlog.Origin{Role: r.Role, Project: e.Project, Source: string(r.Hook)}, r.Log, time.Now())
	if !e.Ran || !e.ModuleFault {
		return
	}
	gone, gaveWay := h.modules.ReportFailure(registry.Failure{Hash: r.ModuleHash, Role: r.Role, Cause: e.Err})
	if gaveWay {
		h.events.Add(event.Event{Type: event.StageReloaded,
			Change: &event.Change{Name: gone.File, From: gone.From, To: gone.To, Reason: gone.Reason}})
	}
}
