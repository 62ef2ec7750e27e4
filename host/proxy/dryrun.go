package proxy

import (
	"context"
	"crypto/rand"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/greeting"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// Instructions are a project's instructions as a client of an unknown kind gets them.
// Characters are UTF-16 units, as clients count.
type Instructions struct {
	Text        string
	Controllers int      // characters of Text that controllers add
	Cut         int      // characters that do not fit
	Limit       int      // characters that clients show
	Unheard     []string // servers that have not declared yet whether they have instructions
}

// Characters returns the length of Text.
func (i Instructions) Characters() int { return greeting.Characters(i.Text) }

// dryRunParams are the params of initialize in a dry run.
const dryRunParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"","version":""}}`

// Instructions returns the instructions that a session of the project would get. It is a
// dry run: the controllers run for a temporary session and forget it. No server is
// started; the last handshakes count.
func (e *Endpoint) Instructions(ctx context.Context, subject string, p *Project) Instructions {
	scope := flow.Scope{Project: p.Name, Subject: subject, Session: rand.Text()}
	client := Client{ProtocolVersion: negotiate("2025-11-25")}
	s := newSession(ctx, e.core, scope, client, stream.NewHub())
	defer s.close(endedByClient)
	msg := jsonrpc.Message{Method: "initialize", Params: []byte(dryRunParams)}
	ownText := opening{s, &request{Message: msg, project: p, event: s.newEvent(msg)}}.ownInstructions(s.ctx)
	all := s.index.greetings(p)
	whole := greeting.Instructions(ownText, all)
	got := Instructions{Limit: s.profile.InstructionsChars, Text: greeting.Cut(whole, s.profile.InstructionsChars)}
	for _, server := range all {
		if server.Capabilities == nil {
			got.Unheard = append(got.Unheard, server.Name)
		}
	}
	got.Controllers = min(greeting.Characters(greeting.Instructions(ownText, nil)), got.Characters())
	got.Cut = greeting.Characters(whole) - got.Characters()
	return got
}
