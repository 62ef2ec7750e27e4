package proxy

import (
	"context"
	"crypto/rand"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Instructions are what a client of no known name would get of a project's
// instructions. Characters are UTF-16 units, as clients count.
type Instructions struct {
	Text        string
	Controllers int      // characters of Text that controllers say
	Cut         int      // characters that do not fit
	Limit       int      // characters that clients show
	Unheard     []string // servers that have not said yet whether they have any
}

// Characters counts Text.
func (i Instructions) Characters() int { return characters(i.Text) }

// rehearsed is what stands in for the client's initialize.
const rehearsed = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"","version":""}}`

// Instructions finds out what a session of the project would be told: its
// controllers are asked by a session that is none, and forget it. No server is
// started; what they said at their last handshake counts.
func (e *Endpoint) Instructions(ctx context.Context, subject string, p *Project) Instructions {
	s := &Session{e: e, scope: flow.Scope{Project: p.Name, Subject: subject, Session: rand.Text()}, profile: anyClient}
	s.client.ProtocolVersion = agreed("2025-11-25")
	s.links.byName = make(map[string]*link)
	s.ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	e.steer(s)
	defer s.endSteering("client")
	msg := jsonrpc.Message{Method: "initialize", Params: []byte(rehearsed)}
	said := s.greetingOf(s.ctx, &request{Message: msg, project: p, event: s.event(msg)})
	got := Instructions{Limit: s.profile.InstructionsChars}
	var all []greeting
	for _, server := range p.Servers {
		caps, text := e.catalog.greeting(subject, server)
		all = append(all, greeting{server.Name, caps, text})
		if caps == nil {
			got.Unheard = append(got.Unheard, server.Name)
		}
	}
	whole := joined(said, all)
	got.Text = cutLines(whole, got.Limit)
	got.Controllers = min(characters(joined(said, nil)), got.Characters())
	got.Cut = characters(whole) - got.Characters()
	return got
}
