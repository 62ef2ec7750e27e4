package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/twin"
)

// session is one client at work.
type session struct {
	t      *stand
	client *demo.Client
	lists  *lists
	end    context.CancelFunc
	report report
	tools  []demo.Listed     // as the client knows them
	seen   map[string]uint64 // the newest event that was read, by method
}

// openSession initializes and lists the tools, as every client does. The caller
// closes it.
func openSession(ctx context.Context, t *stand, who script.Client) (_ *session, err error) {
	ctx, end := context.WithCancel(ctx)
	se := &session{t: t, lists: newLists(ctx), end: end, seen: make(map[string]uint64)}
	defer func() {
		if err != nil {
			se.Close()
		}
	}()
	hello := demo.Options{Name: who.Name, Version: who.Version, Notify: se.lists.handleNotification}
	if se.client, err = demo.Open(ctx, t.Client(), twin.Endpoint(t.project), hello); err != nil {
		return nil, err
	}
	se.lists.of(se.client)
	se.report = report{Project: t.project, ProxyModel: t.model, LLM: t.llm, Client: clientOf(hello), Steps: []step{}}
	began, err := se.happened(ctx, "initialize")
	if err != nil {
		return nil, err
	}
	se.report.Initialize = greeting{Instructions: se.client.Instructions(), Hooks: began.Hooks}
	if se.tools, err = se.client.Tools(ctx); err != nil {
		return nil, se.explainListRefusal(ctx, err)
	}
	se.report.Listed, err = se.listing(ctx)
	return se, err
}

// Close ends the session.
func (se *session) Close() {
	if se.client != nil {
		_ = se.client.Close() // its home goes next
	}
	se.end()
	_, _ = se.lists.settled() // the result is not needed
}

// listing returns the tools that the client has just read.
func (se *session) listing(ctx context.Context) (listing, error) {
	l := listing{Tools: []string{}}
	for _, t := range se.tools {
		l.Tools = append(l.Tools, t.Name)
	}
	did, err := se.happened(ctx, "tools/list")
	l.Hooks = did.Hooks
	return l, err
}

// relisted returns the tools if the client was notified of a change and they differ:
// servers that have just started send the notification too.
func (se *session) relisted(ctx context.Context) (*listing, error) {
	list, err := se.lists.settled()
	if err != nil {
		return nil, se.explainListRefusal(ctx, err)
	}
	if list == nil || slices.Equal(list, se.tools) {
		return nil, nil
	}
	se.tools = list
	now, err := se.listing(ctx)
	return &now, err
}

// explainListRefusal returns the error of a tools/list without a server's secrets.
func (se *session) explainListRefusal(ctx context.Context, err error) error {
	return fmt.Errorf("tools/list of project %q: %w", se.t.project, demo.ExplainRefusal(ctx, se.t.Service, se.t.project, "tools/list", err))
}

// happened returns the stages and controllers that ran for the newest request of a method,
// if it is newer than the request of the last call.
func (se *session) happened(ctx context.Context, method string) (did ran, err error) {
	events, err := se.t.Service.Events(ctx, api.EventQuery{Project: se.t.project})
	if err != nil {
		return ran{}, err
	}
	for _, e := range events {
		if e.ID <= se.seen[method] || e.Method != method {
			continue
		}
		did = ran{}
		if err := json.Unmarshal(e.Raw, &did); err != nil {
			return ran{}, err
		}
		se.seen[method] = e.ID
	}
	return did, nil
}

// step makes a call of the script, and reads its sections.
//
// Errors: those of the connection; an answer that is an error is none.
func (se *session) step(ctx context.Context, c script.Call) (s step, err error) {
	s = step{Tool: c.Tool, Wire: se.wire(c.Tool)}
	args, err := c.Args()
	if err != nil {
		return s, err
	}
	if args != nil {
		if s.Arguments, err = c.Arguments.MarshalJSON(); err != nil {
			return s, err
		}
	}
	if s.answer, err = se.call(ctx, s.Wire, args); err != nil {
		return s, err
	}
	for _, id := range c.Sections {
		read := reading{Section: id}
		if s.Ref == "" {
			read.Note = "not read: the answer has no sections"
		} else if read.answer, err = se.call(ctx, "read_section", map[string]any{"ref": s.Ref, "section": id}); err != nil {
			return s, err
		}
		s.Sections = append(s.Sections, read)
	}
	if s.Relisted, err = se.relisted(ctx); err != nil {
		return s, err
	}
	s.Failed = s.fault(c.Expect)
	return s, nil
}

// call makes one call, and reads the stages and controllers that ran for it.
func (se *session) call(ctx context.Context, tool string, args map[string]any) (a answer, err error) {
	got, err := se.client.Call(ctx, tool, args)
	var refused *demo.Refusal
	switch {
	case errors.As(err, &refused):
		a.IsError, a.Error = true, demo.ExplainRefusal(ctx, se.t.Service, se.t.project, "tools/call", err).Error()
	case err != nil:
		return a, err
	default:
		a.Blocks, a.Ref, a.IsError, a.text = got.Blocks, got.Ref, got.IsError, string(got.Text)
	}
	a.ran, err = se.happened(ctx, "tools/call")
	return a, err
}

// wire returns the client's name of a tool: a listed name, a hidden name, or the label
// server/tool. An unknown name is called unchanged, and the answer lists the known ones.
func (se *session) wire(tool string) string {
	for _, n := range se.t.Host.Tools(se.t.project).Tools {
		if n.Label == tool {
			return n.Wire
		}
	}
	if server, name, ok := strings.Cut(tool, "/"); ok {
		return server + "__" + name
	}
	return tool
}

func clientOf(o demo.Options) string {
	name, version := o.ClientInfo()
	return name + " " + version
}
