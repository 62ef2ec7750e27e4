package module

import (
	"bytes"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

func TestWithManifestReplaces(t *testing.T) {
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

// TestWithProducers verifies that the section of a compiler is kept, and that a written
// section has the standard encoding.
func TestWithProducers(t *testing.T) {
	made := Producers{Language: Tool{Name: "Rust"}, SDK: Tool{"mcpctl-stage", "0.1.0"}, ProcessedBy: Tool{Name: "mcpctl"}}
	silent := hosttest.Write("text")
	packed, err := WithProducers(silent, made)
	if err != nil {
		t.Fatal(err)
	}
	want := append(bytes.Clone(silent), "\x00\x49\x09producers\x03\x08language\x01\x04Rust\x00\x03sdk\x01\x0cmcpctl-stage\x050.1.0\x0cprocessed-by\x01\x06mcpctl\x00"...)
	if !bytes.Equal(packed, want) {
		t.Errorf("got %q\nwant %q", packed[len(silent):], want[len(silent):])
	}
	if info, err := Inspect("m", packed); err != nil || info.Language != "rust" || info.SDK != "mcpctl-stage 0.1.0" {
		t.Errorf("inspected as %q with %q, %v", info.Language, info.SDK, err)
	}
	for name, file := range map[string][]byte{"packed": packed, "from a compiler": append(bytes.Clone(silent), binary.AppendCustom(nil, "producers", []byte("\x01\x08language\x01\x03C11\x00"))...)} {
		if again, err := WithProducers(file, Producers{Language: Tool{Name: "Go"}}); err != nil || !bytes.Equal(again, file) {
			t.Errorf("%s: overwritten, %v", name, err)
		}
	}
	if _, err := WithProducers([]byte("hello"), made); err == nil {
		t.Error("accepted a file that is not a module")
	}
}

func TestLanguageFromProducers(t *testing.T) {
	for name, want := range map[string]string{"Go": "go", "Rust": "rust", "AssemblyScript": "assemblyscript", "C": "c", "Zig": ""} {
		file, err := WithProducers(hosttest.Write("text"), Producers{Language: Tool{Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := Inspect("m", file); err != nil || info.Language != want {
			t.Errorf("%s: language %q, %v", name, info.Language, err)
		}
	}
}

// TestDamagedProducers verifies that the section is read up to the first damage.
func TestDamagedProducers(t *testing.T) {
	for _, body := range []string{"", "\x01", "\xff\xff\xff\xff\x0f", "\x01\x08language", "\x01\x08language\xff\x7f\x01C\x00", "\x01\x08language\x01\x01C", "\x01\x08language\x01\x01\xff\x00", "\x02\x08language\x01\x01D\x00\x03sdk\x05\x01"} {
		file := append(hosttest.Write("text"), binary.AppendCustom(nil, "producers", []byte(body))...)
		if info, err := Inspect("m", file); err != nil || info.Language != "" || info.SDK != "" {
			t.Errorf("%q: %q with %q, %v", body, info.Language, info.SDK, err)
		}
	}
}
