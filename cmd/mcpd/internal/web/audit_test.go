package web_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
)

// entries waits until the log has n entries of an action, and returns them, newest first.
func (tm *fixture) entries(n int, filter string) (list []audit.Row) {
	tm.t.Helper()
	for range 100 {
		tm.get(tm.root, "/api/v1/audit?"+filter, &list)
		if len(list) >= n {
			return list
		}
		time.Sleep(20 * time.Millisecond) // the log is written in batches
	}
	tm.t.Fatalf("%d entries of %s, want %d", len(list), filter, n)
	return nil
}

// The entry of a call has the id that the client has chosen, if it is valid.
func TestTraceOfCalls(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		w := newWiki(t)
		tm.seed("kind: Project\nmetadata: {name: web}\nspec: {servers: [wiki]}\n---\nkind: Server\nmetadata: {name: wiki}\nspec: {url: '" + w.url + "'}\n")
		send := func(trace string) int {
			return tm.send(tm.root, "POST", "/api/v1/servers/wiki/mcp?project=web", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, api.HeaderTraceID, trace).status
		}
		for _, trace := range []string{"a b", "a\tb", "é", "a/b", strings.Repeat("x", 65)} {
			if status := send(trace); status != http.StatusBadRequest {
				t.Errorf("%q: status %d", trace, status)
			}
		}
		if len(w.got) > 0 {
			t.Errorf("%d calls reached the server", len(w.got))
		}
		want := "ABC-def_2." + strings.Repeat("x", 54)
		for range 2 { // unlike Mcpctl-Request-Id
			if status := send(want); status != 200 {
				t.Fatalf("status %d", status)
			}
		}
		for _, e := range tm.entries(2, "action=call&project=web") {
			if e.Trace != want {
				t.Errorf("trace %q", e.Trace)
			}
		}
	})
}

func TestCallsAreRecorded(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		w := newWiki(t)
		project := func(name, more string) string {
			return "kind: Project\nmetadata: {name: " + name + "}\nspec: {servers: [wiki]" + more + "}\n---\n"
		}
		tm.seed(project("web", "") + project("open", ", auditArguments: true") + project("strict", ", audit: strict") +
			"kind: Server\nmetadata: {name: wiki}\nspec: {url: '" + w.url + "'}\n---\nkind: User\nmetadata: {name: rudi}\n---\n" +
			"kind: RbacBinding\nmetadata: {name: runs}\nspec: {subjects: [{user: rudi}], verbs: [run], kinds: [Server]}\n")
		rudi := tm.token("rudi")
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"canary"}}}`
		send := func(project string) reply {
			return tm.send(rudi, "POST", "/api/v1/servers/wiki/mcp?project="+project, call)
		}
		for _, p := range []string{"web", "open", "strict"} {
			if r := send(p); r.status != 200 {
				t.Fatalf("%s: %d %s", p, r.status, r.problem())
			}
		}
		got := tm.entries(1, "action=call&project=web")[0]
		if got.Actor != "user rudi" || got.Name != "wiki" || got.Result != "status 200" || got.Latency <= 0 || !strings.HasPrefix(got.Detail, "tools/call search hmac:") {
			t.Errorf("web: %+v", got)
		}
		if got := tm.entries(1, "action=call&project=open")[0]; got.Detail != `tools/call search {"q":"canary"}` {
			t.Errorf("open: %+v", got)
		}
		both := tm.entries(2, "action=call&project=strict")
		if both[0].Result != "status 200" || both[1].Result != "sent" || both[0].Trace != both[1].Trace || both[0].Trace == "" {
			t.Errorf("strict: %+v", both)
		}

		// Somebody has added a row, so that the log of this process cannot continue.
		last := tm.entries(4, "action=call")[0]
		err := tm.DB.Write(t.Context(), func(tx *database.Tx) error {
			return tx.AddAudit(t.Context(), query.AddAuditParams{Writer: last.Writer, Seq: last.Seq + 1, PrevHash: []byte{}, Hash: []byte{}})
		})
		if err != nil {
			t.Fatal(err)
		}
		calls := len(w.got)
		for _, p := range []string{"strict", ""} { // outside of a project: as in the strictest one that uses the server
			if r := send(p); r.status != http.StatusServiceUnavailable || !strings.Contains(r.problem(), "cannot be recorded") {
				t.Errorf("strict, %q: %d %s", p, r.status, r.problem())
			}
		}
		if len(w.got) != calls {
			t.Errorf("%d calls reached the server", len(w.got)-calls)
		}
		if r := send("web"); r.status != 200 {
			t.Errorf("best effort: %d %s", r.status, r.problem())
		}
		if r := tm.send(tm.root, "POST", "/api/v1/audit/verify", nil); r.status != 422 || !strings.Contains(r.problem(), "was changed") {
			t.Errorf("verify: %d %s", r.status, r.problem())
		}
	})
}

func TestAuditRoutes(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		for i := range 7 {
			tm.seed(fmt.Sprintf("kind: Prompt\nmetadata: {name: p%d, project: x}\nspec: {content: a}\n", i))
		}
		tm.seed("kind: User\nmetadata: {name: rudi}\n")
		rudi := tm.token("rudi")
		for _, path := range []string{"/api/v1/audit", "/api/v1/audit/export"} {
			if r := tm.send(rudi, "GET", path, nil); r.status != http.StatusForbidden {
				t.Errorf("%s by a user: %d", path, r.status)
			}
		}
		tm.entries(2, "decision=denied")
		var names []string
		for path := "/api/v1/audit?kind=Prompt&limit=3"; path != ""; {
			r := tm.send(tm.root, "GET", path, nil)
			var list []audit.Row
			if err := json.Unmarshal(r.body, &list); err != nil || r.status != 200 {
				t.Fatalf("%s: %d %s", path, r.status, r.body)
			}
			for _, row := range list {
				names = append(names, row.Name)
			}
			path, _, _ = strings.Cut(strings.TrimPrefix(r.header.Get("Link"), "<"), ">")
		}
		if got := strings.Join(names, " "); got != "p6 p5 p4 p3 p2 p1 p0" {
			t.Errorf("pages: %s", got)
		}
		for _, query := range []string{"limit=0", "limit=1001", "limit=x", "since=yesterday", "until=1", "decision=maybe", "cursor=x", "cursor=e30x", "actor=" + strings.Repeat("x", 200), "name=%FF"} {
			if r := tm.send(tm.root, "GET", "/api/v1/audit?"+query, nil); r.status != http.StatusBadRequest {
				t.Errorf("%s: %d %s", query, r.status, r.body)
			}
		}
		r := tm.send(tm.root, "GET", "/api/v1/audit/export", nil)
		type end struct {
			End  bool
			Rows int64
		}
		rows, done := 0, end{}
		for lines := bufio.NewScanner(bytes.NewReader(r.body)); lines.Scan(); {
			var row audit.Row
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			if row.Writer != "" {
				rows++
			}
			done = end{}
			_ = json.Unmarshal(lines.Bytes(), &done)
		}
		if rows < 10 || !done.End || done.Rows != int64(rows) {
			t.Errorf("export: %d rows, end %+v", rows, done)
		}

		r = tm.send(tm.root, "POST", "/api/v1/audit/verify", nil)
		var v audit.Verified
		if err := json.Unmarshal(r.body, &v); err != nil || r.status != 200 || len(v.Anchors) != 2 {
			t.Fatalf("verify: %d %s", r.status, r.body)
		}
		if r := tm.send(tm.root, "POST", "/api/v1/audit/verify", map[string]any{"anchors": v.Anchors}); r.status != 200 {
			t.Errorf("verify with anchors: %d %s", r.status, r.body)
		}
		v.Anchors[0].Hash = "00"
		if r := tm.send(tm.root, "POST", "/api/v1/audit/verify", map[string]any{"anchors": v.Anchors}); r.status != 422 || !strings.Contains(r.problem(), "the anchor row") {
			t.Errorf("verify with another anchor: %d %s", r.status, r.body)
		}
		if r := tm.send(tm.root, "POST", "/api/v1/audit/verify", `{"anchor":1}`); r.status != 400 {
			t.Errorf("verify with an unknown field: %d %s", r.status, r.body)
		}
	})
}
