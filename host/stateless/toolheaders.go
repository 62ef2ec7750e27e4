package stateless

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// ToolHeaders are the arguments that headers repeat, for the tools of a server. The zero value is empty. It is
// safe for concurrent use.
type ToolHeaders struct {
	mu     sync.Mutex
	params map[string][]Param
}

// Record reads one page of a list of tools.
func (t *ToolHeaders) Record(result json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.params == nil {
		t.params = make(map[string][]Param)
	}
	jsonedit.Elements(result, jsonedit.Member(result, "tools"), func(m jsonspan.Member) {
		tool := result[m.Start:m.End]
		schema := jsonedit.Member(tool, "inputSchema")
		params, err := ParamHeaders(tool[schema.Start:schema.End])
		if name := jsonedit.MemberText(tool, "name"); err == nil && len(params) > 0 {
			t.params[name] = params
		} else {
			delete(t.params, name)
		}
	})
}

// Set sets the headers of a tools/call.
func (t *ToolHeaders) Set(h http.Header, params json.RawMessage) {
	t.mu.Lock()
	all := t.params[jsonedit.MemberText(params, "name")]
	t.mu.Unlock()
	arguments := jsonedit.Member(params, "arguments")
	SetParamHeaders(h, all, params[arguments.Start:arguments.End])
}
