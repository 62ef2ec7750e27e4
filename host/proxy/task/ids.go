package task

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// relatedTask is the key of _meta that names the task which a message belongs to.
const relatedTask = "io.modelcontextprotocol/related-task"

// IDs translates the ids of tasks in messages of one scope. A message without a task is
// returned unchanged.
type IDs struct {
	Memory *Memory
	Scope  flow.Scope
}

// ForClient replaces the server's id of the task that a message belongs to by the
// client's. raw is the params or the result of a message of the server.
func (i IDs) ForClient(server string, raw json.RawMessage) json.RawMessage {
	at, id := relatedID(raw)
	if id == "" {
		return raw
	}
	return jsonedit.WithText(raw, at, i.Memory.RecordSeen(i.Scope, server, id))
}

// TaskForClient is ForClient for a message that is about a task: its taskId is replaced
// as well.
func (i IDs) TaskForClient(server string, raw json.RawMessage) json.RawMessage {
	at := jsonedit.Member(raw, "taskId")
	if id := jsonedit.Text(raw, at); id != "" {
		raw = jsonedit.WithText(raw, at, i.Memory.RecordSeen(i.Scope, server, id))
	}
	return i.ForClient(server, raw)
}

// ForServer replaces the client's id of the task that a message belongs to by the
// server's. raw is the params or the result of a message of the client.
func (i IDs) ForServer(server string, raw json.RawMessage) json.RawMessage {
	at, wire := relatedID(raw)
	if wire == "" {
		return raw
	}
	t, known := i.Memory.Find(i.Scope, wire)
	if !known || t.Tool.Server != server {
		return raw
	}
	return jsonedit.WithText(raw, at, t.ID)
}

// relatedID returns the id of the task that a message belongs to.
func relatedID(raw []byte) (at jsonspan.Member, id string) {
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

// WithoutStatusText returns a task without the text of its state.
func WithoutStatusText(raw json.RawMessage) json.RawMessage {
	start := jsonspan.SkipBlank(raw, 0)
	if start == len(raw) || jsonspan.KindAt(raw, start) != jsonspan.Object {
		return raw
	}
	p := jsonedit.Patch{Source: raw}
	p.EditObject(start, func(key []byte) bool { return jsonspan.KeyIs(key, "statusMessage") })
	return p.Apply()
}
