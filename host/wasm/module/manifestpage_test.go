package module

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// TestManifestPage verifies that docs/abi.md lists exactly the keys and words that the
// parser accepts.
func TestManifestPage(t *testing.T) {
	page := string(readPage(t))
	for head, keys := range map[string][]string{"a config field": configFields, "a role": roleFields, "the manifest": manifestFields} {
		_, table, found := strings.Cut(page, "| key of "+head+" |")
		table, _, _ = strings.Cut(table, "\n\n")
		var listed []string
		for _, m := range regexp.MustCompile("(?m)^\\| (`[a-zA-Z]+`(?:, `[a-zA-Z]+`)*) \\|").FindAllStringSubmatch(table, -1) {
			listed = append(listed, strings.Split(strings.ReplaceAll(m[1], "`", ""), ", ")...)
		}
		if !found || !slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(keys))) {
			t.Errorf("keys of %s on the page: %q, in the parser: %q", head, listed, keys)
		}
	}
	for _, word := range slices.Concat(roleKinds, configTypes, capabilities, hookNames, llmUses) {
		if !strings.Contains(page, "`"+word+"`") {
			t.Errorf("the page does not have the word %q", word)
		}
	}
}

// TestManifestSectionByHand verifies a section that is built as docs/abi.md describes.
func TestManifestSectionByHand(t *testing.T) {
	_, manifest, _ := bytes.Cut(readPage(t), []byte("```json manifest.json\n"))
	manifest, _, found := bytes.Cut(manifest, []byte("\n```"))
	if !found {
		t.Fatal("no manifest on the page")
	}
	module := []byte("\x00asm\x01\x00\x00\x00\x01\x08\x02\x60\x00\x00\x60\x00\x01\x7f\x03\x03\x02\x00\x01\x05\x03\x01\x00\x01" +
		"\x07\x29\x03\x06memory\x02\x00\x0dmcpctl_abi_v1\x00\x00\x0cmcpctl_stage\x00\x01\x0a\x09\x02\x02\x00\x0b\x04\x00\x41\x01\x0b")
	size := 1 + len(abi.ManifestSection) + len(manifest)
	module = append(module, 0x00, byte(size&0x7f|0x80), byte(size>>7))
	module = append(append(module, "\x0fmcpctl.manifest"...), manifest...)
	info, err := Inspect("by-hand", module)
	if err != nil {
		t.Fatal(err)
	}
	if m := info.Manifest; !info.HasManifest || m.Name != "first" || len(m.Roles) != 1 || m.Roles[0].Summary != "Shows the first line" {
		t.Errorf("manifest %+v", m)
	}
	if _, err := Inspect("twice", append(module, module[len(module)-size-3:]...)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a second manifest: %v", err)
	}
}

func readPage(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "abi.md"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
