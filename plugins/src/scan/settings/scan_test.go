package settings

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// headers matches what may be between parts: comments and the headers of tables.
var headers = regexp.MustCompile(`^(?:\s|[#;!][^\r\n]*|\[[^\r\n]*\])*$`)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		rule string
		scan part.Scan
		file string
		text string
		want string // "" for a text that is refused
	}{
		{"TOML", ScanTOML, "", "title = \"a b\"\n\n# about the package\n[package]\nname = \"x\"\nkeys = [\n  \"[a]\", # one\n  \"b\",\n]\n\n[package.more]\ntext = \"\"\"\n[no]\nkey = 1\n\"\"\"\n", `
title | title: "a b"
package | package: name="x", keys=[, more
 name | name: "x"
 keys | keys: [
 more | more: text="""
  text | text: """`},
		{"tables below an element of an array", ScanTOML, "", "[[job]]\nname = \"a\"\n[job.env]\nx = 1\n[[job]]\nname = \"b\"\n[[job.step]]\nid = \"s\"\n[other]\ny = 2\n", `
job=a | a: env
 name | name: "a"
 env | env: x=1
  x | x: 1
job=b | b: step
 name | name: "b"
 step=s | s: 
  id | id: "s"
other | other: y=2
 y | y: 2`},
		{"array of tables", ScanTOML, "", "[[package]]\nversion = \"1\"\nname = \"serde\"\n[[package]]\nversion = \"2\"\n", `
package=serde | serde: version="1"
 version | version: "1"
 name | name: "serde"
package | package: version="2"
 version | version: "2"`},
		{"INI", ScanINI, "", "; a comment\n[server]\nhost: a b\npath = /x;y\n  more of it\n\n[client]\nDefault Timeout=5\n", `
server | server: host=a b, path=/x;y
 host | host: a b
 path | path: /x;y
client | client: Default Timeout=5
 Default Timeout | Default Timeout: 5`},
		{"properties", ScanProperties, "a.properties", "# one\n! two\na.b=1\nlist: x,\\\n  y,\\\n  z\nempty=\n", `
a.b | a.b: 1
list | list: x,\
empty | empty: `},
		{"environment variables", ScanProperties, ".env", "A=1\nB=\"two words\"\nC=\n", "\nA | A: 1\nB | B: \"two words\"\nC | C: "},
		{"properties without a name", ScanProperties, "", "a=1\nb=2\nc=3\n", ""},
		{"value that is not TOML", ScanTOML, "", "[a]\nb = c\nd = 1\ne = 2\n", ""},
		{"open string", ScanTOML, "a.toml", "[a]\nb = 1\nc = \"\"\"\nd = 2\n", ""},
		{"code", ScanINI, "", "[x]\nfoo(a) = 1\nb = 2\nc = 3\n", ""},
		{"text", ScanINI, "", "[x]\na = 1\nb = 2\nA sentence is no key.\n", ""},
		{"no table", ScanINI, "", "a = 1\nb = 2\nc = 3\n", ""},
		{"header with a rest", ScanINI, "", "[x] y\na = 1\nb = 2\nc = 3\n", ""},
	} {
		parttest.Scanner{Scan: c.scan, Between: headers.Match}.Names(t, c.rule, c.text, part.Clues{File: c.file}, c.want)
	}
}

func TestCommentsBelongToWhatFollows(t *testing.T) {
	const text = "[a]\n# of b\nb = 1\nc = 2\n\n# of d\n[d]\ne = 3\n"
	d, ok := ScanINI([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	for i, want := range map[int]string{0: "[a]\n# of b\nb = 1\nc = 2\n\n", 1: "# of b\nb = 1\n", 3: "# of d\n[d]\ne = 3\n"} {
		if p := d.Parts[i]; text[p.Start:p.End] != want {
			t.Errorf("part %d is %q, want %q", i, text[p.Start:p.End], want)
		}
	}
}

// flatten returns the paths of all keys of decoded TOML.
func flatten(prefix string, v map[string]any) (keys []string) {
	for k, v := range v {
		switch v := v.(type) {
		case map[string]any:
			keys = append(keys, flatten(prefix+k+".", v)...)
		case []any:
			if len(v) > 0 {
				if _, ok := v[0].(map[string]any); ok {
					for _, e := range v {
						keys = append(keys, flatten(prefix+k+".", e.(map[string]any))...)
					}
					continue
				}
			}
			keys = append(keys, prefix+k)
		default:
			keys = append(keys, prefix+k)
		}
	}
	return keys
}

// Random TOML has the keys that another parser finds.
func TestKeysMatchAnotherParser(t *testing.T) {
	values := []string{"1", "-2.5", "true", `"text"`, `"a \" ] b"`, `'raw [ #'`, "[1, 2]", "[\n  \"a]\", # c\n  [\"b\"],\n]", "\"\"\"\n[x]\ny = 1\n\"\"\"", "'''\n# no\n'''", "2026-11-28T08:00:00Z", "inf", `""`}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		keys := func(n int) {
			for k := range n {
				if r.IntN(4) == 0 {
					b.WriteString("# a comment\n\n")
				}
				fmt.Fprintf(&b, "%s = %s\n", []string{"key", "\"quoted\"", "dash-", "a_"}[r.IntN(2)*2]+fmt.Sprint(k), values[r.IntN(len(values))])
			}
		}
		keys(1 + r.IntN(4))
		for i := range 1 + r.IntN(6) {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "\n[t%d] # here\n", i)
			} else {
				fmt.Fprintf(&b, "\n[[list]]\n")
			}
			keys(1 + r.IntN(5))
		}
		text := b.String()
		var decoded map[string]any
		if err := toml.Unmarshal([]byte(text), &decoded); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		d, ok := ScanTOML([]byte(text), part.Clues{File: "a.toml"})
		if !ok {
			t.Fatalf("seed %d is refused:\n%s", seed, text)
		}
		var got []string
		table := ""
		for i, p := range d.Parts {
			var n part.Name
			d.Name(i, &n)
			id, _, _ := strings.Cut(string(n.ID), "=")
			switch {
			case strings.HasPrefix(strings.TrimLeft(text[p.Start:p.End], "# acomment\n"), "["):
				table = id + "."
			case p.Parent < 0:
				got = append(got, id)
			default:
				got = append(got, table+id)
			}
		}
		want := flatten("", decoded)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q\n%s", seed, got, want, text)
		}
	}
}

// A type that the configuration sets is refused only if the text has no parts.
func TestForcedTypes(t *testing.T) {
	for text, want := range map[string]int{
		"a = 1\n":                         1,
		"[a]\nb = 1\nc = \"\"\"\nd = 2\n": 3, // an open string
		"[a]\nb = [\nc = 2\n":             2, // an open array
		"no key\n":                        0,
	} {
		d, ok := ScanTOML([]byte(text), parttest.Forced)
		if ok != (want > 0) || ok && len(d.Parts) != want {
			t.Errorf("%q: %v, %t, want %d parts", text, d, ok, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"[a]\nb = 1\n[a.c]\nd = \"\"\"\n[x]\n\"\"\"\n", "[[a]]\nname = \"x\"\n[[a.b]]\nid = ''\n[a]\n", "a = [\n\"]\", # ]\n]\nb = {}\n",
		"; c\n[a]\nb: 1\n  2\n\n[]\n[a", "a=1\\\n2\nb:\n=c\n!d\n", "\"a=b\" = 1\n'c = 2\n\"\" = 3\n",
	} {
		f.Add([]byte(text))
	}
	anyGap := func([]byte) bool { return true } // headers, comments and invalid lines
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		for _, scan := range []part.Scan{ScanTOML, ScanINI, ScanProperties} {
			for _, clues := range []part.Clues{{}, {File: "a.toml"}, parttest.Forced} {
				if d, ok := scan(b, clues); ok {
					parttest.Check(t, b, d, anyGap)
				}
			}
		}
	})
}

// TestTitlesUseTheirRoom checks that a value is cut only if the line is full. The host shows the
// id beside the title.
func TestTitlesUseTheirRoom(t *testing.T) {
	const long = "a value of sixty bytes that a reader wants to see in one line"
	key := "spring.datasource.configuration.maximum-lifetime-of-pools.ms"
	table := "profile of a production deployment in another region"
	for _, c := range []struct {
		rule, text, want string
		scan             part.Scan
		part             int
	}{
		{"long key", key + "=" + long + "\nb=1\nc=2\n", long, ScanProperties, 0},
		{"long key, short value", "spring.datasource.url=" + "x\nb=1\nc=2\n", "spring.datasource.url: x", ScanProperties, 0},
		{"long key, longer value", key + "=" + strings.Repeat("word ", 20) + "\nb=1\nc=2\n", strings.Repeat("word ", 15) + "wo...", ScanProperties, 0},
		{"short key, longer value", "b=" + strings.Repeat("word ", 20) + "\nc=2\nd=3\n", "b: " + strings.Repeat("word ", 14) + "word...", ScanProperties, 0},
		{"key without a value", key + key + "=\nb=1\nc=2\n", (key + key)[:77] + "...", ScanProperties, 0},
		{"table with one key", "[a]\nb = " + long + "\n[c]\nd = 1\n", "a: b=" + long, ScanINI, 0},
		{"table with a short key after a long one", "[a]\nb = " + long + "\nc = 1\n", "a: b=" + long + ", c=1", ScanINI, 0},
		{"table with long keys", "[a]\nb = " + long + "\nc = " + long + "\n", "a: b=a value of sixty bytes..., c=a value of sixty bytes that a reader wants...", ScanINI, 0},
		{"long table", "[" + table + "]\nb = " + long + "\nc = 1\n", "b=" + long + ", c=1", ScanINI, 0},
	} {
		d, ok := c.scan([]byte(c.text), part.Clues{Forced: true})
		if !ok {
			t.Fatalf("%s: refused", c.rule)
		}
		var n part.Name
		if d.Name(c.part, &n); string(n.Title) != c.want {
			t.Errorf("%s: title %q, want %q", c.rule, n.Title, c.want)
		}
		if len(n.Title) > maxTitle {
			t.Errorf("%s: title of %d bytes", c.rule, len(n.Title))
		}
	}
}
