package upstream

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	const canary = "hunter2"
	s := NewSecret(canary)
	inside := struct{ secret Secret }{s}
	cfg := Config{Name: "x", Env: map[string]Secret{"TOKEN": s}, Headers: map[string]Secret{"A": s}}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "secret", s, "cfg", cfg.Headers)
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "secret", s, "cfg", cfg)
	encoded, err := json.Marshal(map[Secret]any{s: []Secret{s}})
	if err != nil {
		t.Fatal(err)
	}
	printed := log.String() + string(encoded) + s.String()
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q", "%x", "%X", "%d", "%10.3s"} {
		printed += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, cfg) + fmt.Sprintf(verb, &s) + fmt.Sprintf(verb, inside)
	}
	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), "hun"} {
		if strings.Contains(printed, form) {
			t.Errorf("%q in %s", form, printed)
		}
	}
	if s.Reveal() != canary || (Secret{}).Reveal() != "" {
		t.Error("the value itself is lost")
	}
}

func TestTailKeepsTheLastLines(t *testing.T) {
	write := func(parts ...string) []string {
		tail := newTail()
		for _, p := range parts {
			if n, err := tail.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		return tail.lines(newScrubber(Config{}))
	}
	if got := write(); got != nil {
		t.Errorf("nothing written: %q", got)
	}
	if got := fmt.Sprintf("%q", write("a\r\nb", "c\n\nd")); got != `["a" "bc" "" "d"]` {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprintf("%q", write("\x1b]52;c\a \tü\xff\u202e\n")); got != `["\\x1b]52;c\\x07 \tü\\xff\\u202e"]` {
		t.Errorf("steering characters: %s", got)
	}
	for _, size := range []int{10, 1000, tailBytes - 1, tailBytes, tailBytes + 1, 3*tailBytes + 5} {
		got := write("first\n", strings.Repeat(strings.Repeat("x", 99)+"\n", size/100+1), "last\n")
		if got[len(got)-1] != "last" || len(got) > tailBytes/100+2 {
			t.Errorf("%d bytes: %d lines, the last is %q", size, len(got), got[len(got)-1])
		}
		for _, line := range got[1 : len(got)-1] {
			if len(line) != 99 {
				t.Fatalf("%d bytes: a line of %d characters", size, len(line))
			}
		}
	}
}

func TestMailboxIsBounded(t *testing.T) {
	note := func(method string, size int) mail {
		return mail{m: jsonrpc.Message{Method: method, Params: make([]byte, size)}}
	}
	answer := mail{m: jsonrpc.Message{ID: jsonrpc.NumberID(1), Result: make([]byte, 100)}}
	t.Run("by number", func(t *testing.T) {
		b := newMailbox(1 << 30)
		for i := range maxMail + 10 {
			if kept := b.put(note("a", i)); kept != (i < maxMail) {
				t.Fatalf("message %d: kept %v", i, kept)
			}
		}
		if b.put(note("b", 1)) {
			t.Error("another notification found room")
		}
		if !b.put(answer) {
			t.Error("the answer found no room")
		}
		items := b.take()
		if len(items) != maxMail+1 || !items[maxMail].final() {
			t.Fatalf("%d items", len(items))
		}
		if got := len(items[maxMail-1].m.Params); got != maxMail+9 {
			t.Errorf("the last notification has %d bytes: not the newest", got)
		}
		if len(b.take()) != 0 || !b.put(note("a", 1)) {
			t.Error("an emptied mailbox is not empty")
		}
	})
	t.Run("by bytes", func(t *testing.T) {
		b := newMailbox(100)
		if !b.put(note("a", 60)) || b.put(note("b", 60)) || !b.put(note("b", 40)) || !b.put(answer) {
			t.Error("the bytes are counted wrongly")
		}
	})
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct{ params, ours, theirs string }{
		{`{"_meta":{"progressToken":"a"}}`, `{"_meta":{"progressToken":9}}`, `"a"`},
		{` {"x":1, "_meta" : { "progressToken" : 12.50 ,"k":0}}`, ` {"x":1, "_meta" : { "progressToken" : 9 ,"k":0}}`, `12.50`},
		{`{"_meta":{}}`, `{"_meta":{}}`, ``},
		{`{"progressToken":1}`, `{"progressToken":1}`, ``},
		{`{"_meta":[1]}`, `{"_meta":[1]}`, ``},
		{``, ``, ``},
	} {
		ours, theirs := replaceToken(json.RawMessage(tt.params), 9)
		if string(ours) != tt.ours || string(theirs) != tt.theirs {
			t.Errorf("%s: got %s and %s, want %s and %s", tt.params, ours, theirs, tt.ours, tt.theirs)
		}
	}
	for params, want := range map[string]int64{`{"progressToken":7}`: 7, `{"progressToken":"7"}`: 0, `{"progressToken":7.0}`: 0, `{}`: 0, ``: 0} {
		if got, ok := tokenOf(json.RawMessage(params)); got != want || ok != (want != 0) {
			t.Errorf("tokenOf(%s) = %d, %v", params, got, ok)
		}
	}
}

func TestLabel(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{"tools/list", ``, "tools/list"},
		{"tools/call", `{"name":"a\u0062"}`, "tools/call ab"},
		{"resources/read", `{"uri":"x:y"}`, "resources/read x:y"},
		{"tools/call", `{"name":"` + strings.Repeat("ü", 200) + `"}`, "tools/call " + strings.Repeat("ü", 100) + "..."},
		{"tools/call", `{"name":7}`, "tools/call"},
	} {
		if got := label(tt.method, json.RawMessage(tt.params)); got != tt.want {
			t.Errorf("label(%s, %s) = %q, want %q", tt.method, tt.params, got, tt.want)
		}
	}
}
