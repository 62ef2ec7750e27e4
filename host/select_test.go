package host

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
)

// newSelectRig returns a host with six events of the session "test", numbered by their
// requests. The texts of some are stored.
func newSelectRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], gated: false}\n"})
	put := func(text string) string {
		ref, err := r.Host.contents.Put(r.Host.config.Owner(flow.Scope{Project: "home"}), []byte(text), content.Info{Type: abi.ToolResult, Source: "up/get"})
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	zebra, shown, huge := put("a striped Zebra"), put("an animal"), put("zebra "+strings.Repeat("x", maxSearchedText))
	for i, e := range []event.Event{
		{Type: event.ToolCall, Project: "home", Source: "up/get", Refs: []string{zebra}},
		{Type: event.ToolCall, Project: "home", Source: "up/put", IsError: true, Refs: []string{huge}},
		{Type: event.ContentOriginal, Project: "home", Source: "up/get", Refs: []string{zebra}},
		{Type: event.PromptGet, Project: "home", Source: "up/zoo", Shown: []string{shown}},
		{Type: event.ToolCall, Project: "work", Source: "up/get", Refs: []string{zebra}}, // a ref of another project
		{Type: event.ContentTransformed, Project: "home", Shown: []string{shown}},
	} {
		e.Session, e.Request = "test", uint64(i+1)
		r.Host.events.Add(e)
	}
	return r
}

var selections = []struct {
	rule, query string
	want        string
}{
	{"the default view hides stored contents", "", "1 2 4 5"},
	{"so does a query without a type", "tool:*", "1 2 4 5"},
	{"a type shows them", "type:content_*", "3 6"},
	{"all types", "type:*", "1 2 3 4 5 6"},
	{"a word of an original, in its project only", "zebra", "1"},
	{"a word of a shown text", "animal", "4"},
	{"a word of a field", "zoo", "4"},
	{"a negated word", "-zebra", "2 4 5"},
	{"a flag", "err", "2"},
}

func TestSelect(t *testing.T) {
	r := newSelectRig(t)
	for _, c := range selections {
		match, err := r.Studio().Select(c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range r.Events(0, event.Query{Session: "test", Match: match}) {
			got = append(got, fmt.Sprint(e.Request))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got events %q, want %q", c.rule, s, c.want)
		}
	}
}

// The stream has the query language, after and limit; an invalid parameter is refused
// before it starts.
func TestInspectSelects(t *testing.T) {
	r := newSelectRig(t)
	web := httptest.NewServer(r.Inspect(func(w http.ResponseWriter, err error) {
		if !errors.Is(err, abi.ErrConfig) {
			t.Errorf("error %v", err)
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
	}))
	defer web.Close()
	first := r.Events(0, event.Query{Session: "test"})[0].ID
	type row struct{ rule, params, want string }
	rows := []row{
		{"after an event", fmt.Sprint("after=", first+1), "4 5"},
		{"the newest", "limit=2", "4 5"},
		{"the newest of a query", "limit=1&l=type:tool_call", "5"},
		{"a type as a parameter", "type=content_original", "3"},
		{"a project and a query", "project=home&l=" + url.QueryEscape("tool:get type:*"), "1 3"},
	}
	for _, c := range selections {
		rows = append(rows, row{c.rule, "l=" + url.QueryEscape(c.query), c.want})
	}
	for _, c := range rows {
		resp, err := http.Get(web.URL + "?session=test&" + c.params)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		var got []string
		for len(got) < len(strings.Fields(c.want)) && lines.Scan() {
			var e event.Event
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &e) == nil {
				got = append(got, fmt.Sprint(e.Request))
			}
		}
		resp.Body.Close()
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got events %q, want %q", c.rule, s, c.want)
		}
	}
	for _, params := range []string{"l=toool:x", "after=x", "limit=-1"} {
		resp, err := http.Get(web.URL + "?" + params)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", params, resp.Status)
		}
	}
}
