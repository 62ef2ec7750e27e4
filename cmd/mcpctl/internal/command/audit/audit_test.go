package audit

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)) // 02:04:05 in UTC
	for text, want := range map[string]string{
		"1h": "2026-01-02T01:04:05Z", "0s": "2026-01-02T02:04:05Z", "2026-01-01T00:00:00+02:00": "2025-12-31T22:00:00Z",
		"2026-01-01T00:00:00Z": "2026-01-01T00:00:00Z", "2026-01-01": "2025-12-31T23:00:00Z", "2026-01-01 12:30:00": "2026-01-01T11:30:00Z",
		"-1h": "", "x": "", "2026-13-01": "", "7": "",
	} {
		got, err := parseTime(text, now)
		if want == "" && err == nil || want != "" && (err != nil || got.UTC().Format(time.RFC3339) != want) {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestParseActor(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "bob": "user bob", "user/bob": "user bob", "users/bob": "user bob", "User/bob": "user bob", "user bob": "user bob",
		"serviceaccount/ci": "serviceaccount ci", "sa/ci": "serviceaccount ci", "unknown": "unknown", "mcpd bootstrap": "mcpd bootstrap", "x/y": "x y",
	} {
		if got := parseActor(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestExportReader(t *testing.T) {
	const row, end = `{"writer":"a","seq":1}` + "\n", `{"end":true,"rows":1}` + "\n"
	for _, tt := range []struct{ name, in, out, fault string }{
		{"complete", row + end, row + end, ""},
		{"empty log", `{"end":true,"rows":0}` + "\n", `{"end":true,"rows":0}` + "\n", ""},
		{"control characters", "{\"a\":\"\u009b\u202e\"}\n" + end, `{"a":"\u009b\u202e"}` + "\n" + end, ""},
		{"nothing", "", "", "its last line is missing"},
		{"no end", row, row, "its last line is missing"},
		{"half of a line", row + `{"end":tr`, row, "its last line is missing"},
		{"missing rows", end, "", "it has 0 entries, its last line says 1"},
		{"lines after the end", row + end + row, row + end, "lines follow the last one"},
		{"no JSON", row + "x\n" + end, row, "line 2 is not JSON"},
		{"a long line", `{"a":"` + strings.Repeat("x", maxLine) + `"}` + "\n", "", "a line has over 256 KiB"},
	} {
		out, err := io.ReadAll(&exportReader{lines: bufio.NewReaderSize(strings.NewReader(tt.in), maxLine)})
		if string(out) != tt.out || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s: %q, %v, want %q, %q", tt.name, out, err, tt.out, tt.fault)
		}
	}
}

func TestCheckAnchors(t *testing.T) {
	a, b := strings.Repeat("aa", 32), strings.Repeat("bb", 32)
	for _, tt := range []struct {
		name       string
		known, now []anchor
		fault      string
	}{
		{"first", nil, []anchor{{"w", 1, a}}, ""},
		{"same", []anchor{{"w", 1, a}}, []anchor{{"w", 1, a}}, ""},
		{"more rows and writers", []anchor{{"w", 1, a}}, []anchor{{"v", 1, b}, {"w", 2, b}}, ""},
		{"fewer rows", []anchor{{"w", 2, a}}, []anchor{{"w", 1, a}}, "the anchor row 2"},
		{"another row", []anchor{{"w", 1, a}}, []anchor{{"w", 1, b}}, "the anchor row 1"},
		{"no writer", []anchor{{"w", 1, a}}, nil, "the anchor row 1"},
		{"no hash", nil, []anchor{{"w", 1, "aa"}}, "is not a verification"},
		{"no row", nil, []anchor{{"w", 0, a}}, "is not a verification"},
	} {
		err := checkAnchors(tt.known, tt.now)
		if (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.fault)
		}
	}
}

func TestWithEvidence(t *testing.T) {
	changed := withEvidence(problem.New(abi.ErrConfig, "row 1 was changed"))
	if p := problem.From(changed); !strings.Contains(p.Cause, "was changed by another program") || p.Hint != "mcpctl audit export -f audit-evidence.ndjson" {
		t.Errorf("a changed log: %+v", p)
	}
	lost := problem.New(abi.ErrConfig, "1 seal cannot be checked")
	lost.Cause = "a key is lost"
	if p := problem.From(withEvidence(lost)); p.Cause != "a key is lost" || p.Hint != "" {
		t.Errorf("a lost key: %+v", p)
	}
}
