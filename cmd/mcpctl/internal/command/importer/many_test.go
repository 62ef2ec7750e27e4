package importer

import (
	"fmt"
	"strings"
	"testing"
)

// A client's file may contain many entries, and hostile ones. Each import costs one pass over the
// file.
func TestImportOfManyEntries(t *testing.T) {
	const n = 5_000
	for _, tc := range []struct {
		name, entry           string // %d is the number of the entry
		servers, left, notes  int
		lastCommand, lastNote string
	}{
		{"distinct with credentials", `"s%d": {"command": "c%[1]d", "env": {"API_KEY": "k%[1]d"}}`, n, 0, 0, "c4999", ""},
		{"duplicate keys", `"a": {"command": "c%d", "env": {"API_KEY": "k%[1]d"}}`, 1, 0, n - 1, "c4999", "duplicate keys"},
		{"equal names", `"A%[2]s": {"command": "c%[1]d", "env": {"API_KEY": "k%[1]d"}}`, 1, n - 1, 0, "c0", ""},
		{"equal names of references", `"a%[3]s": {"command": "c%[1]d", "env": {"API_KEY": "k%[1]d"}}`, n, 0, 0, "c4999", ""},
		{"invalid", `"s%d": {"command": 5}`, 0, n, 0, "", ""},
		{"disabled", `"s%d": {"command": "x", "disabled": true}`, 0, 0, n, "", "is disabled"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b strings.Builder
			for i := range n {
				spaces := strings.NewReplacer("0", " ", "1", "!").Replace(fmt.Sprintf("%016b", i))
				dots := strings.NewReplacer("0", ".", "1", "-").Replace(fmt.Sprintf("%016b", i))
				entry := fmt.Sprintf(tc.entry+"%[4]s", i, spaces, dots, "")
				b.WriteString(map[bool]string{true: "", false: ", "}[i == 0] + entry)
			}
			h := collectFrom(t, `{"mcpServers": {`+b.String()+`}}`, "")
			if len(h.servers) != tc.servers || len(h.left) != tc.left || len(h.notes) != tc.notes {
				t.Fatalf("%d servers, %d left, %d notes; want %d, %d, %d", len(h.servers), len(h.left), len(h.notes), tc.servers, tc.left, tc.notes)
			}
			if tc.servers > 0 && h.servers[len(h.servers)-1].spec.Command != tc.lastCommand {
				t.Errorf("the last server runs %q, want %q", h.servers[len(h.servers)-1].spec.Command, tc.lastCommand)
			}
			if tc.lastNote != "" && !strings.Contains(h.notes[len(h.notes)-1], tc.lastNote) {
				t.Errorf("note %q", h.notes[len(h.notes)-1])
			}
		})
	}
}
