package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// read reads the table of a JSON text.
func read(t testing.TB, text string, maxLines int) *Table {
	t.Helper()
	s := jsonscan.New([]byte(text), jsonscan.Options{Leaf: 1 << 20, Record: 1 << 20, Nodes: 1 << 16, Depth: 64})
	if _, ok := s.Scan(0); !ok {
		t.Fatalf("no JSON: %.80s", text)
	}
	return NewReader(s, []byte(text), maxLines, "").Children(0, false)
}

// array returns a JSON array of objects, one for each list of format arguments.
func array(format string, lists ...[]any) string {
	var out []string
	for _, args := range lists {
		out = append(out, fmt.Sprintf(format, args...))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// tree returns groups as "id(row row inner(row))".
func tree(g *Grouping) string {
	var out strings.Builder
	open := 0
	_ = g.Walk(func(p *Part, rows []int32, level int) error {
		if out.Len() > 0 {
			out.WriteString(strings.Repeat(")", open-level) + " ")
		}
		in := fmt.Sprint(rows)
		out.WriteString(string(g.AppendID(nil, p)) + "(" + in[1:len(in)-1])
		open = level + 1
		return nil
	})
	return strings.ReplaceAll(out.String(), "( ", "(") + strings.Repeat(")", open)
}

func TestReferences(t *testing.T) {
	for _, c := range []struct {
		rule string
		text string
		by   string
		want string
	}{
		{
			"rows in the group of the row they refer to",
			array(`{"id":%q,"parentId":%q}`, []any{"c", "a"}, []any{"a", ""}, []any{"b", ""}, []any{"d", "b"}, []any{"e", "a"}, []any{"f", "b"}),
			"parentId", "parentId=a(1 0 4) parentId=b(2 3 5)",
		},
		{
			"nested chains",
			array(`{"id":%q,"up":%q}`, []any{"a", ""}, []any{"b", "a"}, []any{"c", "b"}, []any{"d", "b"}, []any{"x", ""}, []any{"y", "x"}),
			"up", "up=a(0 up=b(1 2 3)) up=x(4 5)",
		},
		{
			"row that refers to itself",
			array(`{"ts":%q,"thread_ts":%q}`, []any{"1.1", "1.1"}, []any{"1.2", "1.1"}, []any{"1.3", "1.3"}, []any{"1.4", "1.3"}, []any{"1.5", "1.1"}, []any{"1.6", "1.3"}),
			"thread_ts", "thread_ts=1.1(0 1 4) thread_ts=1.3(2 3 5)",
		},
		{
			"numbers in a referring field",
			array(`{"number":%d,"parent_id":%d}`, []any{1, 0}, []any{2, 0}, []any{3, 1}, []any{4, 2}, []any{5, 1}, []any{6, 2}, []any{0, 0}),
			"parent_id", "parent_id=1(0 2 4) parent_id=2(1 3 5)",
		},
		{
			"rows without a reference",
			array(`{"id":%q,"z":%q}`, []any{"a", ""}, []any{"b", "a"}, []any{"c", "a"}, []any{"d", "a"}, []any{"e", ""}, []any{"f", ""}),
			"z", "z=a(0 1 2 3) z=(4 5)",
		},
		{
			"cycle",
			array(`{"id":%q,"z":%q}`, []any{"a", "b"}, []any{"b", "a"}, []any{"c", "a"}, []any{"x", ""}, []any{"y", "x"}, []any{"w", "x"}),
			"z", "z=a(0 1 2) z=x(3 4 5)",
		},
		{
			"reference to a missing row",
			array(`{"id":%q,"z":%q}`, []any{"a", "lost"}, []any{"b", "a"}, []any{"c", "a"}, []any{"d", "c"}, []any{"e", "d"}, []any{"x", ""}, []any{"y", "x"}, []any{"w", "x"},
				[]any{"1", "a"}, []any{"2", "b"}, []any{"3", "c"}, []any{"4", "d"}, []any{"5", "e"}, []any{"6", "w"}, []any{"7", "y"}, []any{"8", "1"}, []any{"9", "8"}, []any{"10", "2"}),
			"z", "z=a(0 z=b(1 z=2(9 17)) z=c(2 10 z=d(3 11 z=e(4 12))) z=1(8 z=8(15 16))) z=x(5 z=y(6 14) z=w(7 13))",
		},
		{
			"references to keys",
			`{"a":{"z":""},"b":{"z":"a"},"c":{"z":"a"},"x":{"z":""},"y":{"z":"x"},"w":{"z":"x"}}`,
			"z", "z=a(0 1 2) z=x(3 4 5)",
		},
	} {
		g := read(t, c.text, 5).Group(Auto, false)
		if g == nil || g.By != c.by || tree(g) != c.want {
			t.Errorf("%s: %+v, want %s by %s", c.rule, g, c.want, c.by)
		}
	}
}

// Members of an object are found by their keys, which the title of a group by value hides.
func TestMembersAreGroupedByKeyOnly(t *testing.T) {
	members := func(keys ...string) string {
		var out []string
		for i, key := range keys {
			out = append(out, fmt.Sprintf(`%q:{"type":%q,"n":%d}`, key, []string{"array", "object"}[i%2], i))
		}
		return "{" + strings.Join(out, ",") + "}"
	}
	for text, want := range map[string]string{
		members("azure", "consul", "docker", "eureka", "file", "gce"):                            "",
		members("net.port", "net.host", "net.name", "log.level", "log.file", "log.size", "mode"): "key prefix",
	} {
		by := ""
		if g := read(t, text, 5).Group(Auto, false); g != nil {
			by = g.By
		}
		if by != want {
			t.Errorf("%s is grouped by %q, want %q", text, by, want)
		}
	}
	text := members("azure", "consul", "docker", "eureka", "file", "gce")
	if g := read(t, text, 5).Group("type", false); g == nil || g.By != "type" {
		t.Errorf("a given field does not group members: %+v", g)
	}
}

// isReference reports whether a grouping is by a field that refers to rows.
func isReference(g *Grouping) bool {
	_, ok := g.ReferredNoun(g.By)
	return ok
}

func TestFieldsThatDoNotRefer(t *testing.T) {
	for rule, text := range map[string]string{
		"values that are no ids":      array(`{"id":%q,"z":%q,"n":1.5}`, []any{"a", "q"}, []any{"b", "r"}, []any{"c", "s"}, []any{"d", "t"}, []any{"e", "u"}, []any{"f", "v"}),
		"own ids":                     array(`{"id":%q,"me":%q,"n":1.5}`, []any{"a", "a"}, []any{"b", "b"}, []any{"c", "c"}, []any{"d", "d"}, []any{"e", "e"}, []any{"f", "f"}),
		"fewer than half of the rows": array(`{"id":%q,"z":%q,"n":1.5}`, []any{"a", ""}, []any{"b", "a"}, []any{"c", ""}, []any{"d", "a"}, []any{"e", ""}, []any{"f", ""}),
		"numbers in another field":    array(`{"number":%d,"size":%d}`, []any{1, 2}, []any{2, 3}, []any{3, 4}, []any{4, 5}, []any{5, 6}, []any{6, 1}),
	} {
		if g := read(t, text, 5).Group(Auto, false); g != nil && isReference(g) {
			t.Errorf("%s: grouped by %s: %s", rule, g.By, tree(g))
		}
	}
}

func TestDominantRootIsOpened(t *testing.T) {
	text := array(`{"id":%q,"parentId":%q}`, []any{"root", ""}, []any{"a", "root"}, []any{"b", "root"}, []any{"a1", "a"}, []any{"a2", "a"}, []any{"b1", "b"}, []any{"b2", "b"})
	g := read(t, text, 5).Group(Auto, false)
	if g == nil || tree(g) != "parentId=a(1 3 4) parentId=b(2 5 6)" || !slices.Equal(g.Rest, []int32{0}) {
		t.Errorf("%+v", g)
	}
}

func TestLongChainsAreShortened(t *testing.T) {
	var lists [][]any
	for i := range 200 {
		lists = append(lists, []any{fmt.Sprint("n", i), fmt.Sprint("n", i-1)})
	}
	lists = append(lists, []any{"x", ""}, []any{"y", "x"})
	g := read(t, array(`{"id":%q,"z":%q}`, lists...), 5).Group("z", false)
	depth, total := 0, len(g.Rest)
	_ = g.Walk(func(_ *Part, rows []int32, level int) error {
		depth, total = max(depth, level+1), total+len(rows)
		return nil
	})
	if depth > 16+3 || total != 202 {
		t.Errorf("%d levels, %d rows", depth, total)
	}
}

func TestValuesPrefixesAndTimes(t *testing.T) {
	day := func(days ...int) (lists [][]any) {
		for _, d := range days {
			lists = append(lists, []any{d})
		}
		return lists
	}
	for _, c := range []struct {
		rule string
		text string
		log  bool
		by   string
		want string
	}{
		{"field that usually classifies rows", array(`{"even":%q,"type":%q}`, []any{"p", "a"}, []any{"q", "a"}, []any{"p", "b"}, []any{"q", "a"}, []any{"p", "b"}, []any{"q", "b"}), false, "type", "type=a(0 1 3) type=b(2 4 5)"},
		{"most even groups", array(`{"a":%q,"b":%q}`, []any{"p", "x"}, []any{"p", "x"}, []any{"p", "x"}, []any{"q", "y"}, []any{"p", "y"}, []any{"p", "y"}), false, "b", "b=x(0 1 2) b=y(3 4 5)"},
		{"dominant value", array(`{"type":%q,"n":%d}`, []any{"a", 1}, []any{"a", 2}, []any{"a", 3}, []any{"a", 4}, []any{"a", 5}, []any{"b", 6}), false, "", ""},
		{"all values differ", array(`{"type":%q}`, []any{"a"}, []any{"b"}, []any{"c"}, []any{"d"}, []any{"e"}, []any{"f"}), false, "", ""},
		{"booleans", array(`{"on":%t,"n":1.5}`, []any{true}, []any{false}, []any{true}, []any{false}, []any{true}, []any{true}), false, "on", "on=true(0 2 4 5) on=false(1 3)"},
		{"numbers of a classifying field", array(`{"status":%d}`, []any{200}, []any{404}, []any{200}, []any{404}, []any{200}, []any{404}), false, "status", "status=200(0 2 4) status=404(1 3 5)"},
		{"numbers of another field", array(`{"bytes":%d}`, []any{200}, []any{404}, []any{200}, []any{404}, []any{200}, []any{404}), false, "", ""},
		{"keys by prefix", `{"sensor.a":1,"light.a":2,"sensor.b":3,"light.b":4,"light.c":5,"sun":6}`, false, "key prefix", "sensor.*(0 2) light.*(1 3 4)"},
		{"ids by prefix", array(`{"id":%q}`, []any{"a/1"}, []any{"b/1"}, []any{"a/2"}, []any{"b/2"}, []any{"a/3"}, []any{"b/3"}), false, "id prefix", "a/*(0 2 4) b/*(1 3 5)"},
		{"prefix of a single row", `{"a.1":1,"a.2":2,"a.3":3,"b.1":4,"c.1":5,"d":6}`, false, "key prefix", "a.*(0 1 2)"},
		{"days", array(`{"at":"2026-11-%02dT10:00:00Z"}`, day(1, 1, 2, 2, 3, 3)...), false, "at", "2026-11-01(0 1) 2026-11-02(2 3) 2026-11-03(4 5)"},
		{"newest first", array(`{"at":"2026-11-%02d 10:00"}`, day(3, 3, 2, 2, 1, 1)...), false, "at", "2026-11-03(0 1) 2026-11-02(2 3) 2026-11-01(4 5)"},
		{"hours of a web server", array(`{"at":"21/Nov/2026:%02d:00:00 +0000"}`, day(8, 8, 9, 9, 10, 10)...), false, "at", "2026-11-21T08(0 1) 2026-11-21T09(2 3) 2026-11-21T10(4 5)"},
		{"seconds of an epoch", array(`{"ts":176371980%d.5}`, day(0, 1, 2, 3, 4, 5)...), false, "", ""},
		{"unordered times", array(`{"at":"2026-11-%02dT10:00:00Z"}`, day(1, 2, 1, 2, 1, 2)...), false, "", ""},
		{"time first for a log", array(`{"level":%q,"at":"2026-11-0%d"}`, []any{"a", 1}, []any{"b", 1}, []any{"a", 2}, []any{"b", 2}, []any{"a", 3}, []any{"b", 3}), true, "at", "2026-11-01(0 1) 2026-11-02(2 3) 2026-11-03(4 5)"},
		{"value first otherwise", array(`{"level":%q,"at":"2026-11-0%d"}`, []any{"a", 1}, []any{"b", 1}, []any{"a", 2}, []any{"b", 2}, []any{"a", 3}, []any{"b", 3}), false, "level", "level=a(0 2 4) level=b(1 3 5)"},
	} {
		g := read(t, c.text, 5).Group(Auto, c.log)
		if g == nil {
			g = &Grouping{}
		}
		if g.By != c.by || tree(g) != c.want {
			t.Errorf("%s: by %q %s, want %q %s", c.rule, g.By, tree(g), c.by, c.want)
		}
	}
}

func TestFewRowsAreNotGrouped(t *testing.T) {
	text := array(`{"type":%q}`, []any{"a"}, []any{"b"}, []any{"a"}, []any{"b"})
	if g := read(t, text, 4).Group(Auto, false); g != nil {
		t.Error("4 rows are grouped for a limit of 4")
	}
	if g := read(t, text, 3).Group(None, false); g != nil {
		t.Error("rows are grouped by None")
	}
	if g := read(t, text, 3).Group(Auto, false); g == nil {
		t.Error("4 rows are not grouped for a limit of 3")
	}
}

func TestSchema(t *testing.T) {
	lists := make([][]any, 10)
	for i := range lists {
		lists[i] = []any{i, []string{"on", "off"}[i%2], i - 3, i, i, strings.Repeat("null", 1)}
	}
	text := array(`{"id":"r%d","state":%q,"n":%d,"f":%d.5,"at":"2026-11-1%d","x":%s,"list":[1],"deep":{"a":1}}`, lists...)
	want := "fields: id text unique | state text on/off | n int -3..6 | f number 0.5..9.5 | at text 2026-11-10..2026-11-19 | x null | list array | deep object"
	if got := read(t, text, 5).Schema(nil); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := read(t, "[1,2,3,4,5,6]", 5).Schema(nil); got != "" {
		t.Errorf("schema of numbers: %s", got)
	}
	wide := "{"
	for i := range 30 {
		wide += fmt.Sprintf(`"a-field-with-a-long-name-%d":{},`, i)
	}
	wide = strings.Repeat(wide+`"z":1},`, 9)
	if got := read(t, "["+wide+"{}]", 5).Schema(nil); len(got) > 480+len(" | ...") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// FuzzTable checks that each row is in exactly one place of a grouping, and that schemas
// and titles are short lines of valid UTF-8.
func FuzzTable(f *testing.F) {
	f.Add(`[{"id":"a","z":"b"},{"id":"b","z":"b"},{"z":1},{"z":null},5,"x"]`, "auto")
	f.Add(`{"a.b":{"type":"x"},"a.c":{"type":"y"},"":{"type":"x"},"\u00e9":[]}`, "type")
	f.Add(array(`{"at":"2026-11-%02dT10:00:00Z"}`, []any{1}, []any{1}, []any{2}, []any{2}), "none")
	f.Fuzz(func(t *testing.T, text, by string) {
		if len(text) > 1<<12 || !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			t.Skip()
		}
		table := read(t, text, 2)
		for _, log := range []bool{false, true} {
			g := table.Group(by, log)
			line := table.Schema(g)
			if len(line) > 480+8 || !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r") {
				t.Fatalf("schema %q", line)
			}
			if g == nil {
				continue
			}
			seen := slices.Clone(g.Rest)
			ids := make(map[string]bool)
			_ = g.Walk(func(p *Part, rows []int32, _ int) error {
				seen = append(seen, rows...)
				id, title := string(g.AppendID(nil, p)), g.AppendTitle(nil, p)
				if len(title) > 80 || !utf8.Valid(title) || ids[id] && by != "" {
					t.Fatalf("part %q %q", id, title)
				}
				ids[id] = true
				return nil
			})
			slices.Sort(seen)
			for i, r := range seen {
				if int(r) != i {
					t.Fatalf("rows %v of %d", seen, table.Len())
				}
			}
			if len(seen) != table.Len() {
				t.Fatalf("%d rows of %d", len(seen), table.Len())
			}
		}
		for row := range table.Len() {
			id := table.AppendID(nil, row)
			if title := table.AppendTitle(nil, row, id); len(title) > 80 || !utf8.Valid(title) || len(id) == 0 {
				t.Fatalf("row %d: %q %q", row, id, title)
			}
		}
	})
}

// The title of a member with many fields shows its name, even if that is the last field.
func TestNameAmongManyFields(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"repository":{`)
	for i := range 48 {
		fmt.Fprintf(&text, `"field_%d":%d,`, i, i)
	}
	text.WriteString(`"name":"octo-repo"}`)
	for i := range 8 {
		fmt.Fprintf(&text, `,"count_%d":%d`, i, i)
	}
	table := read(t, text.String()+"}", 5)
	if got := string(table.AppendTitle(nil, 0, nil)); got != "repository: octo-repo" {
		t.Errorf("title %q", got)
	}
}
