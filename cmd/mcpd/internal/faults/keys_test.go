package faults

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestDamagedKeys(t *testing.T) {
	good := "a MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"
	for name, tt := range map[string]struct {
		text, code, want string
		mode             os.FileMode
	}{
		"empty":          {"", "E_INVALID", "contains no key", 0o600},
		"a comment":      {"# nothing\n", "E_INVALID", "contains no key", 0o600},
		"no base64":      {"a ???\n", "E_INVALID", "keys:1: want an id and 32 bytes in base64", 0o600},
		"a short key":    {good + "b MDEy\n", "E_INVALID", "keys:2: want an id", 0o600},
		"no id":          {"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n", "E_INVALID", "keys:1: want an id", 0o600},
		"an id twice":    {good + good, "E_INVALID", "used twice", 0o600},
		"binary":         {"\x00\xff\x00", "E_INVALID", "keys:1: want an id", 0o600},
		"too large":      {strings.Repeat("# x\n", 20_000), "E_LIMIT", "over 64 KiB", 0o600},
		"others read it": {good, "E_DENIED", "chmod 600", 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			file := filepath.Join(home, "keys")
			write(t, file, []byte(tt.text))
			if err := errors.Join(os.Chmod(home, 0o700), os.Chmod(file, tt.mode)); err != nil {
				t.Fatal(err)
			}
			_, err := run(t, home, "", "migrate")
			p := problem.From(err)
			if err == nil || p.Code != tt.code || !strings.Contains(p.Message+p.Hint, tt.want) || strings.Contains(err.Error(), "MDEy") {
				t.Errorf("got %+v", p)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != tt.text {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

const secretServer = "kind: Server\nmetadata: {name: s}\nspec: {url: 'http://127.0.0.1:1/', headers: {A: canary-3}}\n"

// The file of keys was lost: all else works, and the credentials are there again with it.
func TestMissingKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, token := start(t, address)
		s.Apply(t, secretServer+"---\n"+prompt("a", "x"))
		other, otherToken := mcpdtest.Start(t, address), token // with keys of its own
		if lost, err := other.Store.LostKeys(t.Context()); err != nil || len(lost.Keys) != 1 || lost.Credentials != 1 || lost.Seals == 0 {
			t.Errorf("lost keys: %+v, %v", lost, err)
		}
		if got := other.Do(t, otherToken, "POST", "/api/v1/audit/verify", ""); got.Status != 422 || !strings.Contains(got.Body, "the chains of hashes are intact") || !strings.Contains(got.Body, "mcpd keys reseal ") {
			t.Errorf("verify: %+v", got)
		}
		for path, want := range map[string]int{"/api/v1/servers/s": 200, "/api/v1/prompts/a?project=p": 200, "/api/v1/snapshot": 200} {
			if got := other.Do(t, otherToken, "GET", path, ""); got.Status != want || strings.Contains(got.Body, "canary") {
				t.Errorf("%s: %+v", path, got)
			}
		}
		for path, body := range map[string]string{"/api/v1/servers/s/mcp": `{"method":"ping"}`, "/api/v1/apply": mcpdtest.ApplyBody(strings.Replace(secretServer, "canary-3", "'***'", 1))} {
			if got := other.Do(t, otherToken, "POST", path, body); got.Status != 503 || !strings.Contains(got.Body, "is not in the file of keys") {
				t.Errorf("%s: %+v", path, got)
			}
		}
		o, _, err := s.Store.Reveal(t.Context(), object.Key{Kind: object.KindServer, Name: "s"})
		if err != nil || o.(*object.Server).Spec.Headers["A"].Source() != "canary-3" {
			t.Errorf("with the keys: %v, %v", o, err)
		}
		if got := other.Do(t, otherToken, "DELETE", "/api/v1/servers/s", ""); got.Status != 200 {
			t.Errorf("delete: %+v", got)
		}
		if got := other.Do(t, otherToken, "POST", "/api/v1/apply", mcpdtest.ApplyBody(secretServer)); got.Status != 200 {
			t.Errorf("and apply again: %+v", got)
		}
	})
}

func TestRotatedKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	old, err := keyring.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	id, sealed := old.Seal([]byte("text"), "row")
	_, save, err := keyring.PrepareRotation(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := save(); err != nil {
		t.Fatal(err)
	}
	both, err := keyring.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := both.Open(id, sealed, "row"); err != nil || string(text) != "text" || both.Current() == id {
		t.Errorf("got %q, %v", text, err)
	}
}
