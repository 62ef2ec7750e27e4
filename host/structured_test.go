package host

import (
	"strings"
	"testing"
)

// A text that structuredContent wraps is indexed and read like the text itself, and
// paths may begin with the key.
func TestWrappedText(t *testing.T) {
	var text strings.Builder
	for _, title := range []string{"Install", "Proxy Settings", "Content", "Limits"} {
		text.WriteString("# " + title + "\n\n" + strings.Repeat("A sentence about "+strings.ToLower(title)+".\n", 60))
	}
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("subindex")})
	c := r.dial(t)
	wrapped := c.tool(t, "up__structured", file(t, []byte(marshal(t, map[string]string{"result": text.String()}))))
	plain := c.tool(t, "up__get", file(t, []byte(text.String())))
	if wrapped.text() != plain.text() || wrapped.Structured != nil || len(wrapped.Content) != 1 || !strings.Contains(plain.text(), "[proxy-settings]") {
		t.Fatalf("got\n%s\nwant\n%s", wrapped.raw, plain.text())
	}
	read := func(section string) answer {
		return c.tool(t, "read_section", marshal(t, map[string]string{"ref": wrapped.Meta.Ref, "section": section}))
	}
	for _, path := range []string{"limits", "limits!", "?sentence limits", "content"} {
		want, got := read(path), read("result/"+path)
		if want.IsError || got.text() != want.text() {
			t.Errorf("result/%s returned %.80q, %s returned %.80q", path, got.text(), path, want.text())
		}
	}
	if got := read("result"); got.IsError || !strings.Contains(got.text(), "[proxy-settings]") {
		t.Errorf("result returned %s", got.text())
	}
	if got := read("nothing/limits"); !got.IsError {
		t.Errorf("another key resolves: %s", got.text())
	}
}
