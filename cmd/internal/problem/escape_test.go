package problem

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// Errors escape terminal sequences in texts of servers, files and modules.
func TestPrintEscapesControlCharacters(t *testing.T) {
	const hostile = "a\x1b[2J\rb\u202ec\u009bd\x7fe\u2066f\xffg"
	const escaped = `a\x1b[2J\x0db\u202ec\x9bd\x7fe\u2066f\xffg`
	p := &Problem{Code: "E_FAILED", Message: hostile + "\nsecond", Cause: hostile, At: hostile, Snippet: hostile, Hint: hostile,
		Errors: []*Problem{{Message: hostile, Cause: hostile, At: hostile, Snippet: hostile, Hint: hostile + "2"}}}
	var text, js strings.Builder
	Print(&text, p, false)
	for line := range strings.Lines(text.String()) {
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), unicode.IsControl) || strings.ContainsAny(line, "\u202e\u2066") {
			t.Errorf("not escaped: %q", line)
		}
	}
	if got, want := strings.Count(text.String(), escaped), 10; got != want {
		t.Errorf("%d escaped parts, want %d:\n%s", got, want, text.String())
	}
	if !strings.HasPrefix(text.String(), "error: "+escaped+"\n  second\n") {
		t.Errorf("the line break of the message is lost:\n%s", text.String())
	}
	Print(&js, p, true)
	if line := strings.TrimSuffix(js.String(), "\n"); strings.ContainsFunc(line, unicode.IsControl) || strings.ContainsAny(line, "\u202e\u2066") {
		t.Errorf("JSON is not escaped: %q", line)
	}
	var got struct{ Error Problem }
	if err := json.Unmarshal([]byte(js.String()), &got); err != nil || got.Error.Cause != strings.ToValidUTF8(hostile, "\ufffd") {
		t.Errorf("JSON changes the value: %q, %v", got.Error.Cause, err)
	}
}
