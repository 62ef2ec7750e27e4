package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const entry = `{"type":"stdio","command":"mcpctl","args":["mcp","--project","home"]}`

// fileOf returns a client's file that is not on disk.
func fileOf(text string) *File {
	return &File{Syntax: JSON, Before: []byte(text), After: []byte(text), Existed: true, Exists: true}
}

func TestSetChangesOneEntryOnly(t *testing.T) {
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
		{"existing entry is replaced in place", `{"mcpServers":{"home":{"old":true},"x":1}}`, `{"mcpServers":{"home":` + entry + `,"x":1}}`, []string{"mcpServers"}},
		{"missing parent objects are created", `{"n":9007199254740993}`, `{"n":9007199254740993,"projects":{"/a":{"mcpServers":{"home":` + entry + `}}}}`, []string{"projects", "/a", "mcpServers"}},
		{"trailing comma is kept", "{\"mcpServers\":{\"x\":{},},}", "{\"mcpServers\":{\"x\":{},\"home\":" + entry + ",},}", []string{"mcpServers"}},
		{"entry with the same value is unchanged", "{\"mcpServers\": {\"home\": {\"args\": [ \"mcp\", \"--project\" ,\"home\" ], \"type\":\"stdio\", \"command\":\"mcpctl\"} } }", "{\"mcpServers\": {\"home\": {\"args\": [ \"mcp\", \"--project\" ,\"home\" ], \"type\":\"stdio\", \"command\":\"mcpctl\"} } }", []string{"mcpServers"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := fileOf(tc.before)
			err := f.Set("home", []byte(entry), tc.path...)
			if err != nil || string(f.After) != tc.after {
				t.Errorf("got  %q, %v\nwant %q", f.After, err, tc.after)
			}
		})
	}
}

func TestRemoveIsTheInverseOfSet(t *testing.T) {
	for _, before := range []string{
		`{"mcpServers":{"x":{"command":"y"}}}`,
		"{\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"b\": [1, 2]\n}\n",
		`{"mcpServers":{}}`,
		"{\n\t// servers of the team\n\t\"servers\": {\n\t\t\"x\": {}, // with a comment\n\t},\n}\n",
		"\xef\xbb\xbf{\r\n  /* a\r\n b */ \"mcpServers\": {\r\n    \"x\": {\"command\": \"http://no.comment\"} // last\r\n  }\r\n}",
		"{\"mcpServers\": {\n    // none yet\n  }}",
	} {
		f := fileOf(before)
		path := "mcpServers"
		if strings.Contains(before, `"servers"`) {
			path = "servers"
		}
		if err := f.Set("home", []byte(entry), path); err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		if list, err := f.Entries(path); err != nil || indexOf(list, "home") < 0 {
			t.Errorf("%q has no entry: %v, %v", f.After, list, err)
		}
		if err := f.Remove("home", path); err != nil || string(f.After) != before {
			t.Errorf("got  %q, %v\nwant %q", f.After, err, before)
		}
	}
}

func TestSetRejectsInvalidFiles(t *testing.T) {
	for _, text := range []string{`{"mcpServers": [`, `[]`, `{"mcpServers": 5}`, `{} {}`, `{"a":1,,}`, `{,}`, `{"a":/* 1}`} {
		if err := fileOf(text).Set("home", []byte(entry), "mcpServers"); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("Set(%s) = %v, want a config error", text, err)
		}
	}
}

func TestEntriesKeepTheOrderOfTheFile(t *testing.T) {
	got, err := fileOf(`{"mcpServers":{"b":{"url":"u"},/**/"a":{}}}`).Entries("mcpServers")
	if err != nil || len(got) != 2 || got[0].Name != "b" || got[0].Text != `{"url":"u"}` || got[0].At != 19 || got[1].Name != "a" || got[1].At != 39 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPositionCountsCharacters(t *testing.T) {
	text := []byte("{\n  \"é\": x\n}")
	for _, tc := range []struct {
		offset int
		want   string
	}{{0, "1:1"}, {2, "2:1"}, {10, "2:8"}, {99, "3:2"}} {
		if got := NewLocator(text).Position(tc.offset); got != tc.want {
			t.Errorf("byte %d is at %s, want %s", tc.offset, got, tc.want)
		}
	}
	_, err := fileOf(string(text)).Entries()
	if p := InFile("a.json", err); p.At != "a.json:2:8" || strings.Contains(p.Message, "byte") {
		t.Errorf("reported as %q at %s", p.Message, p.At)
	}
}

// scratch returns a directory and backups whose clock advances by a second per call.
func scratch(t *testing.T) (Backups, string) {
	t.Helper()
	dir := t.TempDir()
	clock := time.Unix(0, 0)
	return Backups{Dir: filepath.Join(dir, "backups"), Now: func() time.Time { clock = clock.Add(time.Second); return clock }}, filepath.Join(dir, "claude.json")
}

// set writes an entry like connect does.
func set(t *testing.T, b Backups, file, name string) {
	t.Helper()
	f, err := Read(file, JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set(name, []byte(entry), "mcpServers"); err != nil {
		t.Fatal(err)
	}
	if err := b.Write("home", f); err != nil {
		t.Fatal(err)
	}
}

// undo reverts the last record and returns the notes.
func undo(t *testing.T, b Backups) []Note {
	t.Helper()
	r, err := b.Last()
	if err != nil {
		t.Fatal(err)
	}
	files, notes, err := r.Revert()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Apply(files); err != nil {
		t.Fatal(err)
	}
	return notes
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("file holds\n%s\n(%v), want\n%s", got, err, want)
	}
}

func TestUndoRestoresByteForByte(t *testing.T) {
	b, file := scratch(t)
	before := "{\r\n \"odd\" : [1 ,2]}"
	writeFile(t, file, before)
	set(t, b, file, "one")
	middle, _ := os.ReadFile(file)
	set(t, b, file, "two")
	for _, want := range []string{string(middle), before} {
		undo(t, b)
		wantFile(t, file, want)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v, want it kept", info.Mode())
	}
	if _, err := b.Last(); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("nothing left to undo: %v", err)
	}
	if left, _ := os.ReadDir(b.Dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUndoKeepsLaterChangesOfTheClient(t *testing.T) {
	ours := `{"type":"stdio","command":"mcpctl","args":["mcp","--project","home"],"addedByClient":1,"env":{}}`
	credential := `{"type":"stdio","command":"mcpctl","args":["mcp","--project","home"],"env":{"TOKEN":"t"}}`
	for _, tc := range []struct{ name, before, since, want string }{
		{"rewritten in another order and indentation", `{"a": 1, "mcpServers": {"x": {"command": "y"}}}`,
			"{\n\t\"mcpServers\": {\n\t\t\"home\": " + entry + ",\n\t\t\"x\": {\"command\": \"y\"}\n\t},\n\t\"new\": [1.50, 2e3],\n\t\"a\": 1\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"y\"}\n\t},\n\t\"new\": [1.50, 2e3],\n\t\"a\": 1\n}\n"},
		{"empty objects that mcpctl created are removed", `{"a":1}`, `{"b":2,"mcpServers":{"home":` + entry + `},"a":1}`, `{"b":2,"a":1}`},
		{"objects that existed before are kept", `{"mcpServers":{}}`, `{"b":2,"mcpServers":{"home":` + entry + `}}`, `{"b":2,"mcpServers":{}}`},
		{"client added a key to the entry of mcpctl", `{"mcpServers":{}}`, `{"b":2,"mcpServers":{"home":` + ours + `}}`, `{"b":2,"mcpServers":{}}`},
		{"client removed the entry of mcpctl", `{"mcpServers":{}}`, `{"b":2,"mcpServers":{}}`, `{"b":2,"mcpServers":{}}`},
		{"entry replaced by the user is kept", `{"mcpServers":{}}`, `{"mcpServers":{"home":{"command":"z"}}}`, `{"mcpServers":{"home":{"command":"z"}}}`},
		{"entry with a credential of the user is kept", `{"mcpServers":{}}`, `{"mcpServers":{"home":` + credential + `}}`, `{"mcpServers":{"home":` + credential + `}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, file := scratch(t)
			writeFile(t, file, tc.before)
			set(t, b, file, "home")
			writeFile(t, file, tc.since)
			notes := undo(t, b)
			wantFile(t, file, tc.want)
			if (len(notes) > 0) != strings.HasSuffix(tc.name, " is kept") {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestUndoRemovesAFileThatMcpctlCreated(t *testing.T) {
	for _, since := range []string{"", `{"mcpServers":{"home":` + entry + "}}\n"} {
		b, file := scratch(t)
		set(t, b, file, "home")
		if since != "" {
			writeFile(t, file, since)
		}
		undo(t, b)
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("a file that mcpctl created still exists: %v", err)
		}
	}
}

// A removed entry is restored after the entry that preceded it.
func TestUndoRestoresRemovedEntries(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, "{\"mcpServers\": {\n  \"a\": {\"command\": \"1\"},\n  \"b\": { \"command\" :\"2\" },\n  \"c\": {}\n}}")
	f, err := Read(file, JSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "a"} {
		if err := f.Remove(name, "mcpServers"); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Write("home", f); err != nil {
		t.Fatal(err)
	}
	wantFile(t, file, "{\"mcpServers\": {\n  \"c\": {}\n}}")
	writeFile(t, file, `{"mcpServers":{"c":{},"d":1}}`)
	if notes := undo(t, b); len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
	wantFile(t, file, `{"mcpServers":{"a":{"command": "1"},"b":{ "command" :"2" },"c":{},"d":1}}`)
}

// Between two commands the client reformats its file and adds fields to entries. The entries of
// mcpctl
// are still recognized, and disconnect restores the user's entry only.
func TestDisconnectAfterTheClientReformattedItsFile(t *testing.T) {
	b, file := scratch(t)
	const own = `{"command":"npx","args":["a"],"env":{"TOKEN":"s3cr3t"}}`
	const direct = `{"command":"npx","args":["a"],"env":{"TOKEN":"${A_TOKEN}"}}`
	writeFile(t, file, `{"mcpServers":{"a":`+own+`}}`)
	replace := func(remove, name, value string) {
		t.Helper()
		f, err := Read(file, JSON)
		if err == nil {
			err = f.Remove(remove, "mcpServers")
		}
		if err == nil {
			err = f.Set(name, []byte(value), "mcpServers")
		}
		if err := errors.Join(err, b.Write("home", f)); err != nil {
			t.Fatal(err)
		}
		formatAgain(t, file)
	}
	disconnect := func() {
		t.Helper()
		f, err := Read(file, JSON)
		if err == nil {
			err = f.Remove("home", "mcpServers")
		}
		history, errHistory := b.History("home")
		for _, c := range history.Removed(f, "mcpServers") {
			_, fault := f.Restore(c)
			err = errors.Join(err, fault)
		}
		if err := errors.Join(err, errHistory, b.Write("home", f)); err != nil {
			t.Fatal(err)
		}
		formatAgain(t, file)
	}
	for range 3 {
		replace("a", "home", entry)  // connect
		replace("home", "a", direct) // connect in direct mode
		replace("a", "home", entry)  // connect in proxy mode
		disconnect()
		var got struct{ McpServers map[string]json.RawMessage }
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || len(got.McpServers) != 1 || !sameJSON(got.McpServers["a"], []byte(own)) {
			t.Fatalf("after disconnect the file is %s, %v; want entry a alone, as it was before", text, err)
		}
	}
}

// formatAgain rewrites a file like a client that adds a field to the project's entry.
func formatAgain(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "    "); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, strings.Replace(indented.String(), `"type": "stdio"`, `"timeout": 120000, "type": "stdio"`, 1))
}

func TestRestoreFileOverwritesAndKeepsACopy(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, "{}")
	set(t, b, file, "home")
	writeFile(t, file, `{"theirs":1}`)
	r, err := b.Last()
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Restore()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := b.Keep(files)
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	if err := r.Apply(files); err != nil {
		t.Fatal(err)
	}
	wantFile(t, file, "{}")
	wantFile(t, kept[0], `{"theirs":1}`)
}

// The client may write its file while the user reads the confirmation prompt.
func TestWriteRejectsAFileChangedSinceItWasRead(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, "{}")
	f, err := Read(file, JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set("home", []byte(entry), "mcpServers"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, `{"theirs":1}`)
	if err := b.Write("home", f); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("err = %v, want a conflict", err)
	}
	wantFile(t, file, `{"theirs":1}`)
	if _, err := b.Last(); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("a record of nothing: %v", err)
	}
}

// Homes of earlier versions contain records of whole files.
func TestUndoReadsOldRecords(t *testing.T) {
	b, file := scratch(t)
	writeFile(t, file, "now")
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(b.Dir, "20260101T000000.000000000")
	writeFile(t, base+".json", `{"file":"`+file+`","existed":true,"after":"`+sum([]byte("now"))+`","time":"2026-01-01T00:00:00Z"}`)
	writeFile(t, base+".before", "before")
	undo(t, b)
	wantFile(t, file, "before")
}
