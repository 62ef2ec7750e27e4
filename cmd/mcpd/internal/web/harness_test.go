package web_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

// fixture is a running server with the administrator "root".
type fixture struct {
	*mcpdtest.Server
	t    *testing.T
	root string // token
}

// eachEngine runs f with a fixture on each engine.
func eachEngine(t *testing.T, f func(t *testing.T, tm *fixture)) {
	databasetest.Each(t, func(t *testing.T, address string) { f(t, newFixture(t, address)) })
}

func newFixture(t *testing.T, address string) *fixture {
	t.Helper()
	tm := &fixture{Server: mcpdtest.Start(t, address), t: t}
	tm.seed("kind: User\nmetadata: {name: root}\n---\nkind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: root}], verbs: [admin]}\n")
	tm.root = tm.token("root")
	return tm
}

// seed stores objects without a request.
func (tm *fixture) seed(yaml string) {
	tm.t.Helper()
	tm.Apply(tm.t, yaml)
}

// token returns a new token of a login of a user.
func (tm *fixture) token(user object.Name) string {
	tm.t.Helper()
	text, _, err := tm.Access.Issue(tm.t.Context(), access.Grant{Kind: object.KindUser, Name: user, Life: time.Hour, By: "test"})
	if err != nil {
		tm.t.Fatal(err)
	}
	return text.Reveal()
}

// reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// problem returns the message of a failed request.
func (r reply) problem() string {
	var body struct{ Error *problem.Problem }
	if json.Unmarshal(r.body, &body) != nil || body.Error == nil {
		return string(r.body)
	}
	return body.Error.Error()
}

// send sends a request. A body that is not a text is encoded as JSON. header has names and
// values.
func (tm *fixture) send(token, method, path string, body any, header ...string) reply {
	tm.t.Helper()
	text, isText := body.(string)
	if body != nil && !isText {
		b, err := json.Marshal(body)
		if err != nil {
			tm.t.Fatal(err)
		}
		text = string(b)
	}
	a := tm.Do(tm.t, token, method, path, text, append([]string{"Content-Type", "application/json"}, header...)...)
	return reply{a.Status, a.Header, []byte(a.Body)}
}

// get decodes the answer to a request that must succeed.
func (tm *fixture) get(token, path string, into any) {
	tm.t.Helper()
	r := tm.send(token, "GET", path, nil)
	if r.status != http.StatusOK {
		tm.t.Fatalf("GET %s: %d %s", path, r.status, r.body)
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		tm.t.Fatal(err)
	}
}
