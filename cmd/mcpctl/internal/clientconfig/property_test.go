package clientconfig

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator generates client files with comments, odd indentation, trailing commas, tabs, CRLF and
// unknown keys.
type generator struct {
	*rand.Rand
	newline string
	depth   int
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) blank() string {
	switch g.IntN(8) {
	case 0:
		return " /* a \"quoted\" , } comment */ "
	case 1:
		return " // it's http://x , {" + g.newline
	case 2:
		return g.newline + strings.Repeat(g.pick(" ", "\t", "   "), g.IntN(4))
	case 3:
		return " "
	}
	return ""
}

func (g *generator) value() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 3 {
		return g.pick(`"a\"b // no"`, "1.50", "9007199254740993", "true", "null", `"é\u00e9"`)
	}
	switch g.IntN(4) {
	case 0:
		return g.object(nil)
	case 1:
		return "[" + g.blank() + g.value() + g.blank() + g.pick("", ",") + g.blank() + "]"
	}
	g.depth = 9
	defer func() { g.depth = 1 }()
	return g.value()
}

// object formats the given members together with random ones, in random order.
func (g *generator) object(members []string) string {
	for i := range g.IntN(4) {
		members = append(members, fmt.Sprintf(`"k%d-%d"%s:%s%s`, g.depth, i, g.blank(), g.blank(), g.value()))
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	var b strings.Builder
	b.WriteString("{")
	for i, m := range members {
		b.WriteString(g.blank() + m + g.blank())
		if i < len(members)-1 || g.IntN(3) == 0 {
			b.WriteString(",")
		}
	}
	b.WriteString(g.blank() + "}")
	return b.String()
}

func (g *generator) file(entries ...string) string {
	var members []string
	for _, name := range entries {
		members = append(members, fmt.Sprintf("%q:%s{\"command\": %q%s}", name, g.blank(), name, g.blank()))
	}
	servers := `"mcpServers"` + g.blank() + ":" + g.object(members)
	return g.pick("", "\xef\xbb\xbf") + g.blank() + g.object([]string{servers}) + g.pick("", g.newline)
}

// texts returns the members of the file and of its servers as written, by name.
func texts(t *testing.T, text []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range [][]string{nil, {"mcpServers"}} {
		list, _, err := JSON.Entries(text, path)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for _, e := range list {
			if e.Name != "mcpServers" {
				all[strings.Join(append(path, e.Name), ".")] = e.Text
			}
		}
	}
	return all
}

// After connect, a rewrite by the client, and undo, all other entries and keys are unchanged byte
// for
// byte, and the entries that connect removed are restored.
func TestUndoAfterARewriteKeepsOtherMembers(t *testing.T) {
	for seed := range uint64(400) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
		g.newline = g.pick("\n", "\r\n")
		f := fileOf(g.file("a", "b", "c"))
		before := texts(t, f.Before)
		for _, name := range []string{"b", "a", "c"}[:g.IntN(4)] {
			if err := f.Remove(name, "mcpServers"); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := f.Set("home", []byte(entry), "mcpServers"); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		connected := texts(t, f.After)
		if !json.Valid([]byte(connected["mcpServers.home"])) {
			t.Fatalf("seed %d: no entry in\n%s", seed, f.After)
		}
		for name, text := range connected {
			if name != "mcpServers.home" && before[name] != text {
				t.Fatalf("seed %d: connect changed %s from %q to %q", seed, name, before[name], text)
			}
		}

		same := fileOf(string(f.After))
		if _, err := same.revert(f.Changes); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		wantTexts(t, seed, before, texts(t, same.After))

		rewritten := &generator{Rand: g.Rand, newline: "\n"}
		var kept []string
		for name := range connected {
			if server, ok := strings.CutPrefix(name, "mcpServers."); ok && server != "home" && !strings.HasPrefix(server, "k") {
				kept = append(kept, server)
			}
		}
		now := fileOf(rewritten.file(kept...))
		if err := now.Set("home", []byte(entry), "mcpServers"); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := texts(t, now.After)
		delete(want, "mcpServers.home")
		for _, c := range f.Changes {
			if c.New == nil {
				want["mcpServers."+c.Name] = *c.Old
			}
		}
		if notes, err := now.revert(f.Changes); err != nil || len(notes) > 0 {
			t.Fatalf("seed %d: %v, notes %q", seed, err, notes)
		}
		wantTexts(t, seed, want, texts(t, now.After))
	}
}

func wantTexts(t *testing.T, seed uint64, want, got map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("seed %d: %s is %q, want %q", seed, name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("seed %d: %d members, want %d", seed, len(got), len(want))
	}
}

func FuzzEditsKeepOtherEntries(f *testing.F) {
	for seed := range uint64(20) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), newline: "\n"}
		f.Add([]byte(g.file("a")), false)
	}
	f.Add([]byte(codexFile), true)
	f.Fuzz(func(t *testing.T, text []byte, isTOML bool) {
		syntax, path := JSON, "mcpServers"
		if isTOML {
			syntax, path = TOML, "mcp_servers"
		}
		file := &File{Syntax: syntax, After: text, Exists: true}
		before, err := file.Entries(path)
		if err != nil || indexOf(before, "home") >= 0 {
			return
		}
		if file.Set("home", []byte(entry), path) != nil || file.Remove("home", path) != nil {
			return
		}
		after, err := file.Entries(path)
		if err != nil || len(after) != len(before) {
			t.Fatalf("%d entries, want %d (%v) in\n%q", len(after), len(before), err, file.After)
		}
		for i, e := range after {
			if e.Name != before[i].Name || e.Text != before[i].Text {
				t.Fatalf("entry %q is %q, want %q", e.Name, e.Text, before[i].Text)
			}
		}
	})
}
