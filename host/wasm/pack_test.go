package wasm

import (
	"bytes"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestWithManifestReplacesTheOneThatIsThere(t *testing.T) {
	empty := []byte("\x00asm\x01\x00\x00\x00")
	other := append(bytes.Clone(empty), 0, 3, 1, 'x', 7) // another custom section stays
	one, err := WithManifest(other, []byte(`{"name":"one"}`))
	if err != nil {
		t.Fatal(err)
	}
	two, err := WithManifest(one, []byte(`{"name":"two"}`))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(two, []byte(abi.ManifestSection)) != 1 || !bytes.Contains(two, []byte(`{"name":"two"}`)) || !bytes.HasPrefix(two, other) {
		t.Errorf("got %q", two)
	}
	for _, bad := range [][]byte{nil, []byte("hello"), append(bytes.Clone(empty), 1, 200)} {
		if _, err := WithManifest(bad, nil); err == nil {
			t.Errorf("WithManifest(%q) accepted", bad)
		}
	}
}
