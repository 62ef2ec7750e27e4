package trust

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/mcpctl/mcpctl/abi"
)

func keys(t *testing.T) (string, minisign.PrivateKey) {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKey(public.String())
	if err != nil {
		t.Fatal(err)
	}
	return key, private
}

func TestCheck(t *testing.T) {
	key, private := keys(t)
	_, stranger := keys(t)
	old, file := []byte("old"), []byte("new")
	hash := func(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }
	asks := func(capabilities ...string) func([]byte) (abi.Manifest, error) {
		return func([]byte) (abi.Manifest, error) {
			return abi.Manifest{Roles: []abi.Role{{Kind: abi.KindStage, Capabilities: capabilities}}}, nil
		}
	}
	none := func() (Accepted, error) { return nil, nil }
	damaged := minisign.Sign(private, file)
	damaged[len(damaged)-10] ^= 1
	pinned := Entry{SHA256: hash(old), Grants: []string{"cache", "stage"}}
	signed := pinned
	signed.Signer = key
	for _, tt := range []struct {
		rule      string
		entry     *Entry
		file      []byte
		signature []byte
		manifest  func([]byte) (abi.Manifest, error)
		want      string
	}{
		{"the approved file", &pinned, old, nil, nil, ""},
		{"not listed", nil, old, nil, nil, "it is not in stages.lock"},
		{"changed", &pinned, file, minisign.Sign(private, file), nil, "it has changed since it was approved"},
		{"changed and signed", &signed, file, minisign.Sign(private, file), asks("cache"), ""},
		{"asks for less", &signed, file, minisign.Sign(private, file), asks(), ""},
		{"asks for more", &signed, file, minisign.Sign(private, file), asks("cache", "llm"), "the new version asks for llm"},
		{"not signed", &signed, file, nil, nil, "it has changed and is not signed"},
		{"signed by another", &signed, file, minisign.Sign(stranger, file), nil, "it has changed and its signature is not valid for the key " + key},
		{"signature of another file", &signed, file, minisign.Sign(private, old), nil, "it has changed and its signature is not valid for the key " + key},
		{"damaged signature", &signed, file, damaged, nil, "it has changed and its signature is not valid for the key " + key},
		{"no signature at all", &signed, file, []byte("untrusted comment: x\n"), nil, "it has changed and its signature is not valid for the key " + key},
	} {
		l := Lock{Stages: map[string]Entry{}}
		if tt.entry != nil {
			l.Stages["shout"] = *tt.entry
		}
		err := l.Check(Module{Name: "shout", File: func() ([]byte, error) { return tt.file, nil }, SHA256: hash(tt.file), Signature: tt.signature, Manifest: tt.manifest}, none)
		var held *Held
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.rule, err)
		case tt.want != "" && (!errors.As(err, &held) || held.Why != tt.want || !errors.Is(err, abi.ErrUnavailable)):
			t.Errorf("%s: got %v, want %s", tt.rule, err, tt.want)
		}
	}
}

// A signature is valid for each file of its author: another module, or an old version with a
// known weakness, is held.
func TestSignedVersions(t *testing.T) {
	key, private := keys(t)
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	approved := Entry{SHA256: "approved", Module: "shout", Version: "1.2.0", Signer: key, Time: start}
	accepted := func(version string, after time.Duration) Decision {
		return Decision{Time: start.Add(after), Action: ActionAccept, Name: "shout", Signer: key, Version: version}
	}
	other, stranger := accepted("9.0.0", time.Hour), accepted("9.0.0", time.Hour)
	other.Name, stranger.Signer = "whisper", "other key"
	for _, tt := range []struct {
		rule            string
		sha256          string
		module, version string
		accepted        Accepted
		want            string
	}{
		{"newer", "new", "shout", "1.10.0", nil, ""},
		{"the same version", "new", "shout", "1.2.0", nil, ""},
		{"older", "new", "shout", "1.1.9", nil, `its version "1.1.9" is older than 1.2.0, which was loaded before`},
		{"no version", "new", "shout", "", nil, `its version "" is older than 1.2.0, which was loaded before`},
		{"another module", "new", "whisper", "2.0.0", nil, `it has changed to the module "whisper", and "shout" was approved`},
		{"older than an accepted one", "new", "shout", "1.3.0", Accepted{accepted("1.4.0", 1), accepted("1.3.5", 2)}, `its version "1.3.0" is older than 1.4.0, which was loaded before`},
		{"the approved file after an accepted one", "approved", "shout", "1.2.0", Accepted{accepted("1.4.0", 1)}, `its version "1.2.0" is older than 1.4.0, which was loaded before`},
		{"approved again after an accepted one", "approved", "shout", "1.2.0", Accepted{accepted("1.4.0", -time.Hour)}, ""},
		{"accepted of others", "approved", "shout", "1.2.0", Accepted{other, stranger}, ""},
	} {
		file := []byte(tt.rule)
		m := Module{Name: "shout", SHA256: tt.sha256, Signature: minisign.Sign(private, file), File: func() ([]byte, error) { return file, nil },
			Manifest: func([]byte) (abi.Manifest, error) { return abi.Manifest{Name: tt.module, Version: tt.version}, nil }}
		err := Lock{Stages: map[string]Entry{"shout": approved}}.Check(m, func() (Accepted, error) { return tt.accepted, nil })
		var held *Held
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.rule, err)
		case tt.want != "" && (!errors.As(err, &held) || held.Why != tt.want):
			t.Errorf("%s: got %v, want %s", tt.rule, err, tt.want)
		}
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stages.lock")
	if _, ok, err := Read(path); ok || err != nil {
		t.Errorf("no file: %v, %v", ok, err)
	}
	want := Lock{Stages: map[string]Entry{"a": {SHA256: "12", Grants: []string{"stage"}, Signer: "k"}}}
	text, err := want.Text()
	if err != nil {
		t.Fatal(err)
	}
	for content, problem := range map[string]string{
		string(text):                   "",
		`{"stages":{},"extra":1}`:      `unknown field "extra"`,
		`{`:                            "unexpected EOF",
		strings.Repeat(" ", maxLock+1): "has more than",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, ok, err := Read(path)
		switch {
		case problem == "" && (err != nil || !ok || got.Stages["a"].Signer != "k"):
			t.Errorf("%.20s: %+v, %v", content, got, err)
		case problem != "" && (!errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), problem)):
			t.Errorf("%.20s: %v", content, err)
		}
	}
}

func TestParseKey(t *testing.T) {
	key, _ := keys(t)
	if again, err := ParseKey("untrusted comment: minisign public key\n" + key + "\n"); err != nil || again != key {
		t.Errorf("with its comment: %q, %v", again, err)
	}
	if _, err := ParseKey("RWQ"); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("got %v", err)
	}
}

func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "trust.jsonl")
	if err := Record(path, Decision{Action: "trust", Name: "a"}, Decision{Action: "trust", Name: "b"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 || !strings.Contains(string(text), `"name":"b"`) {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	cut := append(text, `{"action":"acc`+"\n"...)
	if err := os.WriteFile(path, cut, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Record(path, Decision{Action: ActionAccept, Name: "c", Version: "1.0.0"}); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAccepted(path); err != nil || len(got) != 1 || got[0].Name != "c" || got[0].Version != "1.0.0" {
		t.Errorf("accepted %+v, %v", got, err)
	}
	if got, err := ReadAccepted(path + "x"); got != nil || err != nil {
		t.Errorf("no record: %v, %v", got, err)
	}
}
