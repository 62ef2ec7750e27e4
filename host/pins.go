package host

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pin"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/trust"
)

// toolPins compares the tools of servers with the approved ones. It reports changes as events,
// in the log and in the record of decisions.
type toolPins struct {
	*pin.Store
	home    homedir.Dir
	log     *slog.Logger
	events  *event.Ring
	objects func() *store.Snapshot

	isReplay bool // lists are recorded ones, which are not compared
}

// open opens the approved definitions of tools.
func (p *toolPins) open() {
	p.Store = pin.Open(pin.Options{Home: p.home, Log: p.log, Now: time.Now, Policy: p.policy, Recorded: p.recorded, Changed: p.changed})
}

// policy returns the policy of a server. One that was deleted has none.
func (p *toolPins) policy(server string) string {
	s, ok := p.objects().Server(object.Name(server))
	if !ok || p.isReplay {
		return object.PinOff
	}
	return s.Spec.Pinning
}

// recorded reports the first list of a server.
func (p *toolPins) recorded(server string, tools int) {
	p.decide(trust.Decision{Action: "pin", Kind: trust.KindServer, Name: server, Why: fmt.Sprintf("the definitions of %d tools were recorded at the first use", tools)})
}

// changed reports a definition that is not approved.
func (p *toolPins) changed(c pin.Change) {
	label, why := c.Server+"/"+c.Tool, "the definition of the tool has changed"
	if c.Approved == "" {
		why = "the tool is new"
	}
	if c.Last {
		why += "; further changes are not reported until it is approved"
	}
	action := "change"
	if c.Policy == object.PinHold {
		action = "hold"
	}
	p.log.Warn("a tool is not as it was approved", "server", c.Server, "tool", c.Tool, "why", why, "pinning", c.Policy)
	p.events.Add(event.Event{Type: event.ToolChanged, Server: c.Server, Source: label,
		Change: &event.Change{Name: c.Tool, From: c.Approved, To: c.SHA256, Reason: why}})
	p.decide(trust.Decision{Action: action, Kind: trust.KindTool, Name: label, SHA256: c.SHA256, Why: why})
}

func (p *toolPins) decide(d trust.Decision) {
	if err := trust.Record(p.home.TrustLog(), d); err != nil {
		p.log.Warn("a decision about the tools of a server cannot be recorded", "name", d.Name, "error", err)
	}
}

// forget removes the definitions of a deleted server: another one of the same name is
// recorded at its first use.
func (p *toolPins) forget(key object.Key) {
	if key.Kind != object.KindServer {
		return
	}
	if err := p.Forget(string(key.Name)); err != nil {
		p.log.Warn("the definitions of a deleted server's tools cannot be removed", "server", key.Name, "error", err)
	}
}
