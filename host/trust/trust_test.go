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
		err := l.Check(Module{Name: "shout", File: func() ([]byte, error) { return tt.file, nil }, SHA256: hash(tt.file), Signature: tt.signature, Manifest: tt.manifest})
		var held *Held
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.rule, err)
		case tt.want != "" && (!errors.As(err, &held) || held.Why != tt.want || !errors.Is(err, abi.ErrUnavailable)):
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
	for _, name := range []string{"a", "b"} {
		if err := Record(path, Decision{Action: "trust", Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 || !strings.Contains(string(text), `"name":"b"`) {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
