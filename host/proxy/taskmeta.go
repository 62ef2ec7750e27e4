package proxy

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// relatedTask is the key of _meta that names the task which a message belongs to.
const relatedTask = "io.modelcontextprotocol/related-task"

// relatedTaskID finds the id of the task that a message belongs to.
func relatedTaskID(raw []byte) (at jsonspan.Member, id string) {
	if !bytes.Contains(raw, []byte("related-task")) {
		return jsonspan.Member{}, ""
	}
	meta := jsonedit.Member(raw, "_meta")
	if meta.End == 0 {
		return jsonspan.Member{}, ""
	}
	related := jsonedit.MemberAt(raw, meta.Start, relatedTask)
	if related.End == 0 {
		return jsonspan.Member{}, ""
	}
	at = jsonedit.MemberAt(raw, related.Start, "taskId")
	return at, jsonedit.Text(raw, at)
}

// relatedForClient puts the client's id of a task into the params or the result of a
// message of its server.
func (s *Session) relatedForClient(server string, raw json.RawMessage) json.RawMessage {
	at, id := relatedTaskID(raw)
	if id == "" {
		return raw
	}
	return jsonedit.WithText(raw, at, s.e.tasks.noteSeen(s.scope, server, id))
}

// tasksForClient is relatedForClient for a message that is itself about a task: its
// taskId is that of the server as well.
func (s *Session) tasksForClient(server string, raw json.RawMessage) json.RawMessage {
	at := jsonedit.Member(raw, "taskId")
	if id := jsonedit.Text(raw, at); id != "" {
		raw = jsonedit.WithText(raw, at, s.e.tasks.noteSeen(s.scope, server, id))
	}
	return s.relatedForClient(server, raw)
}

// relatedForServer puts the server's id of a task into the params or the result of a
// message of the client.
func (s *Session) relatedForServer(server string, raw json.RawMessage) json.RawMessage {
	at, wire := relatedTaskID(raw)
	if wire == "" {
		return raw
	}
	t, known := s.e.tasks.find(s.scope, wire)
	if !known || t.tool.Server != server {
		return raw
	}
	return jsonedit.WithText(raw, at, t.id)
}
