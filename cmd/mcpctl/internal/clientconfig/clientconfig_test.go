package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const entry = `{"type":"stdio","command":"mcpctl","args":["mcp","--project","home"]}`

func TestSetTouchesOneEntryAndNothingElse(t *testing.T) {
	for _, tc := range []struct {
		name, before, after string
		path                []string
	}{
		{"no file", "", "{\n  \"mcpServers\": {\n    \"home\": {\n      \"type\": \"stdio\",\n      \"command\": \"mcpctl\",\n      \"args\": [\n        \"mcp\",\n        \"--project\",\n        \"home\"\n      ]\n    }\n  }\n}\n", []string{"mcpServers"}},
		{"one line stays one line", `{"a":1,"mcpServers":{"x":{}}}`, `{"a":1,"mcpServers":{"x":{},"home":` + entry + `}}`, []string{"mcpServers"}},
		{"tabs, CRLF and odd spacing stay",
			"{\r\n\t\"z\" : 1e2,\r\n\t\"mcpServers\": {}\r\n}\r\n",
			"{\r\n\t\"z\" : 1e2,\r\n\t\"mcpServers\": {\r\n\t\t\"home\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"mcpctl\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"mcp\",\r\n\t\t\t\t\"--project\",\r\n\t\t\t\t\"home\"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n",
			[]string{"mcpServers"}},
		{"an entry of the name is replaced in place", `{"mcpServers":{"home":{"old":true},"x":1}}`, `{"mcpServers":{"home":` + entry + `,"x":1}}`, []string{"mcpServers"}},
		{"missing objects are made on the way", `{"n":9007199254740993}`, `{"n":9007199254740993,"projects":{"/a":{"mcpServers":{"home":` + entry + `}}}}`, []string{"projects", "/a", "mcpServers"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Set([]byte(tc.before), "home", []byte(entry), tc.path...)
			if err != nil || string(got) != tc.after {
				t.Errorf("got  %q, %v\nwant %q", got, err, tc.after)
			}
		})
	}
}

func TestRemoveIsTheInverseOfSet(t *testing.T) {
	for _, before := range []string{
		`{"mcpServers":{"x":{"command":"y"}}}`,
		"{\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"b\": [1, 2]\n}\n",
		`{"mcpServers":{}}`,
	} {
		set, err := Set([]byte(before), "home", []byte(entry), "mcpServers")
		if err != nil {
			t.Fatal(err)
		}
		got, was, err := Remove(set, "home", "mcpServers")
		if err != nil || !was || string(got) != before {
			t.Errorf("got %q, %v, %v; want %q", got, was, err, before)
		}
	}
}

func TestBadFilesAreRefused(t *testing.T) {
	for _, text := range []string{`{"mcpServers": [`, `[]`, `{"mcpServers": 5}`, `{} {}`} {
		if _, err := Set([]byte(text), "home", []byte(entry), "mcpServers"); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("Set(%s) = %v, want a config error", text, err)
		}
	}
}

func TestEntriesKeepTheOrderOfTheFile(t *testing.T) {
	got, err := Entries([]byte(`{"mcpServers":{"b":{"url":"u"},"a":{}}}`), "mcpServers")
	want := []Entry{{"b", []byte(`{"url":"u"}`), 19}, {"a", []byte(`{}`), 35}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPositionCountsCharacters(t *testing.T) {
	text := []byte("{\n  \"é\": x\n}")
	for _, tc := range []struct {
		offset int
		want   string
	}{{0, "1:1"}, {2, "2:1"}, {10, "2:8"}, {99, "3:2"}} {
		if got := Position(text, tc.offset); got != tc.want {
			t.Errorf("byte %d is at %s, want %s", tc.offset, got, tc.want)
		}
	}
	_, err := Entries(text)
	if p := InFile("a.json", err); p.At != "a.json:2:8" || strings.Contains(p.Message, "byte") {
		t.Errorf("told as %q at %s", p.Message, p.At)
	}
}

func TestUndoRestoresByteForByte(t *testing.T) {
	dir := t.TempDir()
	clock := time.Unix(0, 0)
	b := Backups{Dir: filepath.Join(dir, "backups"), Now: func() time.Time { clock = clock.Add(time.Second); return clock }}
	file := filepath.Join(dir, "claude.json")
	before := "{\r\n \"odd\" : [1 ,2]}"
	if err := os.WriteFile(file, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if err := b.Write(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"one", before} {
		if _, err := b.Undo(false); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("after undo %q, want %q", got, want)
		}
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v, want it kept", info.Mode())
	}
	if _, err := b.Undo(false); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("nothing left to undo: %v", err)
	}
}

func TestUndoLeavesAChangedFileAlone(t *testing.T) {
	dir := t.TempDir()
	b := Backups{Dir: filepath.Join(dir, "backups"), Now: time.Now}
	file := filepath.Join(dir, "new.json")
	if err := b.Write(file, []byte("ours")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Undo(false); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("err = %v, want a conflict", err)
	}
	if _, err := b.Undo(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file that we made is still there: %v", err)
	}
}
