package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

const goodPassword = "correct horse battery"

func setPassword(t *testing.T, s *mcpdtest.Server, user string) {
	t.Helper()
	if err := s.Access.SetPassword(t.Context(), user, nil, goodPassword); err != nil {
		t.Fatal(err)
	}
}

func login(t *testing.T, s *mcpdtest.Server, user, password string) mcpdtest.Answer {
	t.Helper()
	body, err := json.Marshal(map[string]string{"user": user, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	return s.Do(t, "", "POST", "/api/v1/auth/login", string(body))
}

func tokenOf(t *testing.T, a mcpdtest.Answer) string {
	t.Helper()
	var got api.LoggedIn
	a.Decode(t, &got)
	if a.Status != http.StatusOK || got.Token == "" {
		t.Fatalf("login: %+v", a)
	}
	return string(got.Token)
}

func whoami(t *testing.T, s *mcpdtest.Server, token string) int {
	t.Helper()
	return s.Do(t, token, "GET", "/api/v1/auth/whoami", "").Status
}

func TestLogin(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		for _, user := range []string{"editor", "disabled"} {
			setPassword(t, s, user)
		}
		s.Apply(t, disable)
		var whoIs api.Whoami
		s.Do(t, tokenOf(t, login(t, s, "editor", goodPassword)), "GET", "/api/v1/auth/whoami", "").Decode(t, &whoIs)
		if left := time.Until(whoIs.Expires); whoIs.Name != "editor" || whoIs.Kind != "User" || !slices.Equal(whoIs.Groups, []string{"editors"}) || left < 29*24*time.Hour || left > 30*24*time.Hour {
			t.Errorf("got %+v", whoIs)
		}
		// All failures are alike, so that nobody learns which users exist.
		want := login(t, s, "editor", "wrong password")
		if want.Status != http.StatusForbidden {
			t.Errorf("a wrong password: %+v", want)
		}
		for _, user := range []string{"nobody", "unknown", "disabled", "", "a\x00b", "\xff", "sa-robot", "EDITOR", strings.Repeat("x", 10_000)} {
			if got := login(t, s, user, goodPassword); got.Status != want.Status || got.Body != want.Body {
				t.Errorf("user %.20q: %+v, want %+v", user, got, want)
			}
		}
		if got := login(t, s, "disabled", "wrong password"); got.Status != want.Status || got.Body != want.Body {
			t.Errorf("a wrong password of a disabled user: %+v", got)
		}
		results := func() (all []string) {
			var rows []audit.Row
			s.Do(t, s.Token(t, "admin"), "GET", "/api/v1/audit?action=login&name=disabled", "").Decode(t, &rows)
			for _, r := range rows {
				all = append(all, r.Result)
			}
			slices.Sort(all)
			return all
		}
		wantResults := []string{"the user is disabled", "the user or the password is wrong"}
		deadline := time.Now().Add(10 * time.Second)
		for len(results()) < 2 && time.Now().Before(deadline) { // the log is written in batches
			time.Sleep(10 * time.Millisecond)
		}
		if got := results(); !slices.Equal(got, wantResults) {
			t.Errorf("audit log: %q", got)
		}
		for name, body := range map[string]string{
			"not JSON": "x", "two values": `{"user":"a","password":"b"}{}`, "another field": `{"user":"a","password":"b","otp":"c"}`, "a list": "[]", "empty": "",
			"a number": `{"user":1}`, "deep": strings.Repeat("[", 100_000),
		} {
			if got := s.Do(t, "", "POST", "/api/v1/auth/login", body, "Content-Type", "application/json"); got.Status != http.StatusBadRequest && got.Status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if got := s.Do(t, "", "POST", "/api/v1/auth/login", `{"user":"editor","password":"`+goodPassword+`"}`, "Content-Type", "text/plain"); got.Status != http.StatusBadRequest {
			t.Errorf("a form of a web page: %+v", got)
		}
		if got := login(t, s, "editor", strings.Repeat("x", 70<<10)); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a body of 70 KiB without a token: %d", got.Status)
		}
	})
}

func TestLoginsThatFailHaveToWait(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		setPassword(t, s, "editor")
		for range 5 {
			if got := login(t, s, "editor", "wrong password"); got.Status != http.StatusForbidden {
				t.Fatalf("one of the first tries: %+v", got)
			}
		}
		got := login(t, s, "editor", goodPassword)
		if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" || !strings.Contains(got.Body, "E_LIMIT") {
			t.Errorf("the sixth try: %+v", got)
		}
		if got := login(t, s, "viewer", "wrong password"); got.Status != http.StatusForbidden {
			t.Errorf("another user: %+v", got)
		}
		time.Sleep(1100 * time.Millisecond) // the first wait is a second
		tokenOf(t, login(t, s, "editor", goodPassword))
		if got := login(t, s, "editor", "wrong password"); got.Status != http.StatusForbidden {
			t.Errorf("a try after a success: %+v", got)
		}
	})
}

// Each failed login has one entry in the audit log, and no entry is lost for its name.
func TestLoginsAreAudited(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		names := []string{"unknown", "a\x00b", "a\xffb", "a\U0010ffffb", strings.Repeat("long", 1000)}
		for _, name := range names {
			login(t, s, name, goodPassword)
		}
		var entries []audit.Row
		for deadline := time.Now().Add(5 * time.Second); len(entries) < len(names) && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			all, err := audit.List(t.Context(), s.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			entries = slices.DeleteFunc(all, func(e audit.Row) bool { return e.Decision != audit.Denied })
		}
		if len(entries) != len(names) {
			t.Errorf("%d entries, want %d: %+v", len(entries), len(names), entries)
		}
		if _, err := audit.Verify(t.Context(), s.DB, s.Keys, nil); err != nil {
			t.Error(err)
		}
		if s.Audit.Dropped() > 0 || strings.Contains(fmt.Sprint(entries), goodPassword) || strings.Contains(s.Log.String(), goodPassword) {
			t.Errorf("dropped %d, entries %+v", s.Audit.Dropped(), entries)
		}
	})
}

// Logins that are refused without a check of the password have one entry for each wait.
func TestThrottledLoginsAreAuditedOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		want, refused, waits := 0, 0, false
		for range 30 {
			isRefused := login(t, s, "editor", "wrong password").Status == http.StatusTooManyRequests
			if isRefused {
				refused++
			}
			if !isRefused || !waits {
				want++
			}
			waits = isRefused
		}
		if err := s.Audit.RecordStrict(t.Context(), audit.Entry{Time: time.Now(), Actor: "test", Action: "end", Decision: audit.Allowed}); err != nil { // after the others
			t.Fatal(err)
		}
		all, err := audit.List(t.Context(), s.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Action: "login", Limit: 1000})
		if err != nil || len(all) != want || refused == 0 {
			t.Errorf("%d entries, want %d; %d logins refused; %v", len(all), want, refused, err)
		}
	})
}

func TestLogout(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token, other := s.Token(t, "viewer"), s.Token(t, "viewer")
		if got := s.Do(t, token, "POST", "/api/v1/auth/logout", ""); got.Status != http.StatusOK {
			t.Errorf("logout: %+v", got)
		}
		if got := s.Do(t, token, "POST", "/api/v1/auth/logout", ""); got.Status != http.StatusUnauthorized {
			t.Errorf("logout, twice: %+v", got)
		}
		if a, b := whoami(t, s, token), whoami(t, s, other); a != 401 || b != 200 {
			t.Errorf("the token: %d, another one: %d", a, b)
		}
	})
}

// A new password ends all logins of the user, and no API token.
func TestPasswordChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		for _, user := range []string{"editor", "viewer"} {
			setPassword(t, s, user)
		}
		first, second := tokenOf(t, login(t, s, "editor", goodPassword)), tokenOf(t, login(t, s, "editor", goodPassword))
		other, program := tokenOf(t, login(t, s, "viewer", goodPassword)), s.Token(t, "editor")
		change := func(token, user, old, text string) int {
			return s.Do(t, token, "POST", "/api/v1/auth/password", fmt.Sprintf(`{"user":%q,"old":%q,"new":%q}`, user, old, text)).Status
		}
		for name, tt := range map[string]struct {
			token, user, old, text string
			want                   int
		}{
			"a wrong old one":    {first, "", "wrong password", "a new password", 403},
			"no old one":         {first, "editor", "", "a new password", 403},
			"too short":          {first, "editor", goodPassword, "short", 422},
			"the name":           {s.Token(t, "admin"), "stranger", "", "stranger", 422},
			"of another user":    {first, "viewer", goodPassword, "a new password", 403},
			"an unknown user":    {s.Token(t, "admin"), "unknown", "", "a new password", 404},
			"a service account":  {s.Token(t, "sa-robot"), "", goodPassword, "a new password", 403},
			"by its own account": {s.Token(t, "sa-robot"), "sa-robot", goodPassword, "a new password", 403},
		} {
			if got := change(tt.token, tt.user, tt.old, tt.text); got != tt.want {
				t.Errorf("%s: %d, want %d", name, got, tt.want)
			}
		}
		if whoami(t, s, first) != 200 {
			t.Error("a failed change has ended the login")
		}
		if got := change(first, "", goodPassword, "a new password"); got != 200 {
			t.Errorf("change: %d", got)
		}
		for name, tt := range map[string]struct {
			token string
			want  int
		}{"its own login": {first, 401}, "another login": {second, 401}, "a login of another user": {other, 200}, "an API token": {program, 200}} {
			if got := whoami(t, s, tt.token); got != tt.want {
				t.Errorf("%s: %d, want %d", name, got, tt.want)
			}
		}
		if got := login(t, s, "editor", goodPassword); got.Status != 403 {
			t.Errorf("the old password: %+v", got)
		}
		if got := change(s.Token(t, "admin"), "editor", "", goodPassword); got != 200 {
			t.Errorf("by an administrator: %d", got)
		}
		tokenOf(t, login(t, s, "editor", goodPassword))
	})
}

func TestTokens(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		viewer, admin := s.Token(t, "viewer"), s.Token(t, "admin")
		for name, tt := range map[string]struct {
			token, body string
			want        int
		}{
			"no name":                   {viewer, `{}`, 400},
			"a long name":               {viewer, `{"name":"` + strings.Repeat("x", 101) + `"}`, 400},
			"a name with NUL":           {viewer, `{"name":"a\u0000b"}`, 400},
			"a short life":              {viewer, `{"name":"x","ttl":"59s"}`, 400},
			"a long life":               {viewer, `{"name":"x","ttl":"9000h"}`, 400},
			"a negative life":           {viewer, `{"name":"x","ttl":"-1h"}`, 400},
			"no duration":               {viewer, `{"name":"x","ttl":"1 day"}`, 400},
			"a service account":         {viewer, `{"name":"x","serviceAccount":"sa-robot"}`, 403},
			"an unknown one":            {admin, `{"name":"x","serviceAccount":"none"}`, 404},
			"a user as service account": {admin, `{"name":"x","serviceAccount":"viewer"}`, 404},
			"its own":                   {viewer, `{"name":"ä 😀","ttl":"1h"}`, 200},
			"of a service account":      {admin, `{"name":"x","serviceAccount":"sa-robot"}`, 200},
		} {
			if got := s.Do(t, tt.token, "POST", "/api/v1/tokens", tt.body); got.Status != tt.want {
				t.Errorf("%s: %+v, want %d", name, got, tt.want)
			}
		}
		list := func(token string) (out []api.Token) {
			s.Do(t, token, "GET", "/api/v1/tokens", "").Decode(t, &out)
			return out
		}
		own := list(viewer)
		if len(own) != 2 || len(list(admin)) != 4 {
			t.Errorf("the viewer sees %d tokens, the administrator %d", len(own), len(list(admin)))
		}
		for _, token := range own {
			if token.User != "viewer" || token.Token != "" {
				t.Errorf("got %+v", token)
			}
		}
		var created api.Token
		s.Do(t, viewer, "POST", "/api/v1/tokens", `{"name":"mine"}`).Decode(t, &created)
		if got := s.Do(t, viewer, "POST", "/api/v1/tokens", `{"name":"mine"}`); got.Status != 409 || !strings.Contains(got.Body, "mcpctl token list") {
			t.Errorf("a second token of the name: %+v", got)
		}
		if whoami(t, s, string(created.Token)) != 200 {
			t.Error("a new token is not valid")
		}
		if got := s.Do(t, s.Token(t, "editor"), "DELETE", "/api/v1/tokens/"+created.ID, ""); got.Status != 404 {
			t.Errorf("of another user: %+v", got)
		}
		if got := s.Do(t, viewer, "DELETE", "/api/v1/tokens/"+created.ID, ""); got.Status != 200 {
			t.Errorf("revoke: %+v", got)
		}
		if whoami(t, s, string(created.Token)) != 401 {
			t.Error("a revoked token is valid")
		}
		if got := s.Do(t, admin, "DELETE", "/api/v1/tokens/"+own[0].ID, ""); got.Status != 200 {
			t.Errorf("by an administrator: %+v", got)
		}
	})
}

// A user who is deleted and created again has none of the old tokens, passwords and rights.
func TestDeletedUserIsForgotten(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		setPassword(t, s, "viewer")
		token := tokenOf(t, login(t, s, "viewer", goodPassword))
		s.Delete(t, object.Key{Kind: object.KindUser, Name: "viewer"})
		if whoami(t, s, token) != 401 {
			t.Error("the token of a deleted user is valid")
		}
		s.Apply(t, "kind: User\nmetadata: {name: viewer}\n")
		if whoami(t, s, token) != 401 {
			t.Error("the token is valid again")
		}
		if mark := func(name object.Name) uint64 { return s.Access.Mark(access.Caller{Kind: object.KindUser, Name: name}) }; mark("viewer") != mark("nobody") {
			t.Error("the user has rights again")
		}
		if got := login(t, s, "viewer", goodPassword); got.Status != 403 {
			t.Errorf("the password is valid again: %+v", got)
		}
	})
}

func TestCanI(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		for _, tt := range []struct {
			caller, body string
			want         string
		}{
			{"viewer", `{"verb":"view","kind":"prompt","name":"a","project":"p"}`, `{"allowed":true,"by":["views"]}`},
			{"viewer", `{"verb":"edit","kind":"prompt","name":"a","project":"p"}`, `{"allowed":false}`},
			{"editor", `{"verb":"edit","kind":"Prompts","name":"none","project":"p"}`, `{"allowed":true,"by":["edits"]}`},
			{"admin", `{"verb":"admin","kind":"user"}`, `{"allowed":true,"by":["admins"]}`},
			{"stranger", `{"verb":"view","kind":"project","name":"other"}`, `{"allowed":true,"by":["strangers"]}`},
			{"stranger", `{"verb":"view","kind":"project","name":"p"}`, `{"allowed":false}`},
			{"sa-robot", `{"verb":"run","kind":"server","name":"s","project":"p"}`, `{"allowed":true,"by":["robots"]}`},
			{"sa-robot", `{"verb":"view","kind":"server","name":"s"}`, `{"allowed":true}`}, // because it may run it
			{"sa-robot", `{"verb":"view","kind":"server","name":"unused"}`, `{"allowed":false}`},
			{"nobody", `{"verb":"fly","kind":"server"}`, `verb \"fly\" is unknown`},
			{"nobody", `{"verb":"view","kind":"cloud"}`, `kind \"cloud\" is unknown`},
		} {
			if got := s.Do(t, s.Token(t, tt.caller), "POST", "/api/v1/auth/can-i", tt.body); !strings.Contains(got.Body, tt.want) {
				t.Errorf("%s, %s: %s, want %s", tt.caller, tt.body, got.Body, tt.want)
			}
		}
	})
}
