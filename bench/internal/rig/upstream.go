package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Upstream is a minimal MCP server, so that its own time is small.
type Upstream struct {
	// Tools are the names of the tools.
	Tools []string
	// Result returns the result object of a tools/call, in JSON.
	Result func(tool string, args json.RawMessage) ([]byte, error)
}

func (u Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var msg struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &msg) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if msg.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := []byte(`{}`)
	switch msg.Method {
	case "initialize":
		result = []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`)
		w.Header().Set("Mcp-Session-Id", "bench")
	case "tools/list":
		result = u.list()
	case "tools/call":
		if result, err = u.Result(msg.Params.Name, msg.Params.Arguments); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, result)
}

func (u Upstream) list() []byte {
	var tools []string
	for _, name := range u.Tools {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
	}
	return []byte(`{"tools":[` + strings.Join(tools, ",") + `]}`)
}

// Text returns a result object with one text.
func Text(text string) []byte {
	return encode(map[string]any{"content": textBlocks(text)})
}

// WrappedText returns a result object with one text, which structuredContent repeats as its
// only member.
func WrappedText(text string) []byte {
	return encode(map[string]any{"content": textBlocks(text), "structuredContent": map[string]string{"content": text}})
}

func textBlocks(text string) []any { return []any{map[string]string{"type": "text", "text": text}} }

func encode(v map[string]any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings always encode
	return bytes.TrimSpace(b.Bytes())
}
