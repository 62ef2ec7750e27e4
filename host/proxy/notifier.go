package proxy

import (
	"log/slog"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// notifier sends notifications of mcpctl and of controllers to the client.
type notifier struct {
	out      stream.Outlet
	interest *interest
	watch    *rereadWatch
	log      *slog.Logger
	project  string
}

// sendListChanged sends the list_changed of a list.
func (n notifier) sendListChanged(k catalog.Kind) {
	if k == catalog.Tools && n.out.IsListening() {
		n.watch.announce()
	}
	n.out.Send(stream.Notification(k.Changed(), nil), stream.Once)
}

// send sends notifications of controllers. It reports whether one of them makes the
// client read its tools again, and the client is listening.
func (n notifier) send(notes []abi.Note) (rereadsTools bool) {
	listening := n.out.IsListening()
	for _, note := range notes {
		if note.Method == abi.NoteMessage && !n.interest.acceptsLog(note.Params) {
			n.log.Debug("log message of a controller not passed on: below the client's level, or logging was not declared", "project", n.project)
			continue
		}
		urgency := stream.Droppable
		if strings.HasSuffix(note.Method, "/list_changed") {
			urgency = stream.Once
		}
		isTools := note.Method == catalog.Tools.Changed()
		if isTools && listening {
			n.watch.announce()
		}
		sent := n.out.Send(stream.Notification(note.Method, note.Params), urgency)
		rereadsTools = rereadsTools || sent && listening && isTools
	}
	return rereadsTools
}
