package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/devicelogin"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc/oidctest"
	"github.com/mcpctl/mcpctl/host/secret"
)

// withIssuer connects a team to a fake issuer.
func withIssuer(t *testing.T, tm *fixture) *oidctest.Issuer {
	is := oidctest.New(t)
	tm.Logins = devicelogin.New(oidc.Config{Issuer: is.URL, ClientID: oidctest.ClientID, GroupsClaim: "groups", Now: is.Time}, tm.Keys)
	tm.Access.SetIssuer(is.URL)
	return is
}

// person are the claims of a user.
func person(subject, name string, groups ...string) map[string]any {
	return map[string]any{"sub": subject, "preferred_username": name, "email": name + "@example.com", "email_verified": true, "groups": groups}
}

// begin begins a login and returns its handle and its number at the issuer.
func (tm *fixture) begin() api.DeviceLogin {
	tm.t.Helper()
	r := tm.send("", "POST", "/api/v1/auth/device", "")
	var l api.DeviceLogin
	if err := json.Unmarshal(r.body, &l); r.status != 200 || err != nil {
		tm.t.Fatalf("device: %d %s", r.status, r.body)
	}
	return l
}

func (tm *fixture) poll(l api.DeviceLogin) (reply, api.DeviceResult) {
	tm.t.Helper()
	r := tm.send("", "POST", "/api/v1/auth/device/poll", map[string]string{"handle": string(l.Handle)})
	var d api.DeviceResult
	if r.status == 200 {
		if err := json.Unmarshal(r.body, &d); err != nil {
			tm.t.Fatal(err)
		}
	}
	return r, d
}

// logIn performs a login that a user confirms at once. number counts the logins of the issuer.
func (tm *fixture) logIn(is *oidctest.Issuer, user map[string]any) (reply, api.DeviceResult) {
	tm.t.Helper()
	l := tm.begin()
	is.Mu.Lock()
	n := is.Requests["/device"]
	is.Mu.Unlock()
	is.Confirm(secret.New(fmt.Sprintf("device-code-%d", n)), user)
	return tm.poll(l)
}

func TestDeviceLogin(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		is := withIssuer(t, tm)
		l := tm.begin()
		if l.UserCode != "WDJB-MJHT" || l.VerificationURI != is.URL+"/activate" || l.Interval != 5 || !l.Expires.Equal(is.Time().Add(10*time.Minute)) {
			t.Errorf("got %+v", l)
		}
		if strings.Contains(string(l.Handle), "device-code") {
			t.Error("the handle shows the device code")
		}
		for _, step := range []struct {
			wait time.Duration
			want string
		}{{0, api.DevicePending}, {time.Second, api.DeviceSlowDown}, {5 * time.Second, api.DevicePending}} {
			is.Advance(step.wait)
			if r, d := tm.poll(l); d.State != step.want || d.LoggedIn != nil {
				t.Errorf("after %v: %d %s, want %s", step.wait, r.status, r.body, step.want)
			}
		}
		if n := is.Requests["/token"]; n != 2 {
			t.Errorf("the issuer got %d polls, want those that are not too early", n)
		}
		is.Confirm(secret.New("device-code-1"), person("00u1", "anna", "web"))
		is.Advance(6 * time.Second)
		r, d := tm.poll(l)
		if d.State != api.DeviceDone || d.LoggedIn == nil || d.User != "anna" {
			t.Fatalf("got %d %s", r.status, r.body)
		}
		var who api.Whoami
		tm.get(string(d.Token), "/api/v1/auth/whoami", &who)
		if who.Name != "anna" || who.Groups != nil {
			t.Errorf("whoami %+v", who)
		}
		is.Advance(6 * time.Second)
		if r, _ := tm.poll(l); r.status != http.StatusGone || !strings.Contains(r.problem(), "expired") {
			t.Errorf("a handle that was used: %d %s", r.status, r.problem())
		}
		// The handle is not bound to a process: another one with the same keys continues.
		l = tm.begin()
		tm.Logins = devicelogin.New(oidc.Config{Issuer: is.URL, ClientID: oidctest.ClientID, Now: is.Time}, tm.Keys)
		is.Confirm(secret.New("device-code-2"), person("00u1", "renamed"))
		if _, d := tm.poll(l); d.LoggedIn == nil || d.User != "anna" {
			t.Errorf("another process: %+v", d)
		}
		if v, err := audit.Verify(t.Context(), tm.DB, tm.Keys, nil); err != nil || v.Rows == 0 {
			t.Errorf("audit: %+v, %v", v, err)
		}
	})
}

func TestDeviceLoginRefusals(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		for _, path := range []string{"/api/v1/auth/device", "/api/v1/auth/device/poll"} {
			if r := tm.send("", "POST", path, "{}"); r.status != http.StatusNotFound || !strings.Contains(r.problem(), "log in with a password") {
				t.Errorf("%s without an issuer: %d %s", path, r.status, r.problem())
			}
		}
		is := withIssuer(t, tm)
		l := tm.begin()
		is.Decline(secret.New("device-code-1"))
		if r, _ := tm.poll(l); r.status != http.StatusForbidden || !strings.Contains(r.problem(), "declined") {
			t.Errorf("declined: %d %s", r.status, r.problem())
		}
		l = tm.begin()
		is.Advance(11 * time.Minute)
		if r, _ := tm.poll(l); r.status != http.StatusGone {
			t.Errorf("expired: %d %s", r.status, r.problem())
		}
		handle := string(tm.begin().Handle)
		for name, text := range map[string]string{
			"empty": "", "no ciphertext": "x", "unknown key": "x" + handle[strings.IndexByte(handle, '.'):], "changed": handle[:len(handle)-2] + "AA",
			"long": handle + strings.Repeat("A", 9<<10), "not base64": handle + "!", "a device code": "device-code-3",
		} {
			if r, _ := tm.poll(api.DeviceLogin{Handle: api.Credential(text)}); r.status != http.StatusGone {
				t.Errorf("handle %s: %d %s", name, r.status, r.problem())
			}
		}
		for name, body := range map[string]string{"no JSON": "x", "unknown field": `{"handle":"x","token":"y"}`} {
			if r := tm.send("", "POST", "/api/v1/auth/device/poll", body); r.status != http.StatusBadRequest {
				t.Errorf("%s: %d %s", name, r.status, r.problem())
			}
		}
		is.Handlers["/device"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
		if r := tm.send("", "POST", "/api/v1/auth/device", ""); r.status != http.StatusServiceUnavailable {
			t.Errorf("the issuer fails: %d %s", r.status, r.problem())
		}
		delete(is.Handlers, "/device")
		for range 30 {
			if r := tm.send("", "POST", "/api/v1/auth/device", ""); r.status == http.StatusTooManyRequests {
				return
			}
		}
		t.Error("30 logins of one address in a minute")
	})
}

// A name at the issuer gives no right that exists before the first login.
func TestIdentities(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		is := withIssuer(t, tm)
		tm.seed("kind: User\nmetadata: {name: local}\n---\nkind: Group\nmetadata: {name: ops}\nspec: {members: [later]}\n---\n" +
			"kind: RbacBinding\nmetadata: {name: b}\nspec: {subjects: [{user: bound}], verbs: [view]}\n---\n" +
			"kind: Group\nmetadata: {name: web}\nspec: {members: []}\n---\nkind: Group\nmetadata: {name: admins}\nspec: {issuerGroup: sysops}\n---\n" +
			"kind: RbacBinding\nmetadata: {name: ops-admin}\nspec: {subjects: [{group: admins}], verbs: [admin]}\n")
		// refused checks that a login is refused: the audit log has the reason, the answer has not.
		refusals := 0
		refused := func(user map[string]any, want string) {
			t.Helper()
			r, _ := tm.logIn(is, user)
			if r.status != http.StatusForbidden || !strings.HasPrefix(r.problem(), "this login is not permitted; ask an administrator") {
				t.Errorf("%v: %d %s", user, r.status, r.problem())
			}
			refusals++
			if last := tm.entries(refusals, "action=login&decision=denied")[0]; !strings.Contains(last.Result, want) {
				t.Errorf("%v: the audit log has %+v, want %s", user, last, want)
			}
		}
		for name, want := range map[string]string{
			"root": "a user of that name exists", "local": "a user of that name exists", "later": `group "ops" has that user`, "bound": `rbacbinding "b" has that user`,
		} {
			refused(person("sub-"+name, name), want)
		}
		groups := func(user map[string]any) string {
			r, d := tm.logIn(is, user)
			if d.LoggedIn == nil {
				t.Fatalf("%v: %d %s", user, r.status, r.problem())
			}
			var who api.Whoami
			tm.get(string(d.Token), "/api/v1/auth/whoami", &who)
			admin := tm.send(string(d.Token), "GET", "/api/v1/identities", nil).status == http.StatusOK
			return fmt.Sprint(who.Name, who.Groups, admin)
		}
		for _, step := range []struct {
			user map[string]any
			want string
		}{
			{person("s1", "anna", "web", "ops"), "anna[] false"}, // groups of the issuer are no Groups
			{person("s1", "anna", "sysops"), "anna[admins] true"},
			{person("s1", "anna"), "anna[] false"},
			{person("s1", "root", "sysops"), "anna[admins] true"}, // the name of a known identity does not matter
		} {
			if got := groups(step.user); got != step.want {
				t.Errorf("%v: %s, want %s", step.user, got, step.want)
			}
		}

		bind := func(issuer, subject, user string) reply {
			return tm.send(tm.root, "PUT", "/api/v1/identities", map[string]string{"issuer": issuer, "subject": subject, "user": user})
		}
		for name, c := range map[string]struct {
			r      reply
			status int
		}{
			"unknown user":            {bind(is.URL, "sub-local", "nobody"), http.StatusNotFound},
			"no valid name":           {bind(is.URL, "sub-local", "A B"), http.StatusBadRequest},
			"no subject":              {bind(is.URL, "", "local"), http.StatusBadRequest},
			"identity of another":     {bind(is.URL, "s1", "local"), http.StatusConflict},
			"user with an identity":   {bind(is.URL, "s9", "anna"), http.StatusConflict},
			"groups":                  {tm.send(tm.root, "PUT", "/api/v1/identities", `{"issuer":"x","subject":"y","user":"local","groups":["a"]}`), http.StatusBadRequest},
			"by no administrator":     {tm.send(tm.token("local"), "PUT", "/api/v1/identities", `{}`), http.StatusForbidden},
			"forget one with a user":  {tm.send(tm.root, "DELETE", "/api/v1/identities?subject=s1&issuer="+is.URL, nil), http.StatusNotFound},
			"an administrator's bind": {bind(is.URL, "sub-local", "local"), http.StatusOK},
		} {
			if c.r.status != c.status {
				t.Errorf("%s: %d %s, want %d", name, c.r.status, c.r.problem(), c.status)
			}
		}
		if got := groups(person("sub-local", "whatever")); got != "local[] false" {
			t.Errorf("a bound identity: %s", got)
		}

		tm.seed("kind: User\nmetadata: {name: local}\nspec: {disabled: true}\n")
		refused(person("sub-local", "local"), "is disabled")
		if r := tm.send(tm.root, "DELETE", "/api/v1/users/anna", nil); r.status != http.StatusOK {
			t.Fatalf("delete: %d %s", r.status, r.problem())
		}
		tm.seed("kind: User\nmetadata: {name: anna}\n") // another person
		refused(person("s1", "anna", "sysops"), "was deleted")
		if r := tm.send(tm.root, "DELETE", "/api/v1/identities?subject=s1&issuer="+is.URL, nil); r.status != http.StatusOK {
			t.Errorf("forget: %d %s", r.status, r.problem())
		}
		refused(person("s1", "anna"), "a user of that name exists")
		if got := groups(person("s1", "anna2", "sysops")); got != "anna2[admins] true" {
			t.Errorf("first login with a free name: %s", got)
		}
		var all []api.Identity
		tm.get(tm.root, "/api/v1/identities", &all)
		want := []api.Identity{{Issuer: is.URL, Subject: "s1", User: "anna2", Groups: []string{"sysops"}}, {Issuer: is.URL, Subject: "sub-local", User: "local"}}
		if !reflect.DeepEqual(all, want) {
			t.Errorf("got %+v", all)
		}
	})
}
