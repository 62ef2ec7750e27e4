package table

import (
	"fmt"
	"strings"
	"testing"
)

// object returns a JSON object with these keys. Its members have the same fields.
func object(keys ...string) string {
	var out []string
	for i, key := range keys {
		out = append(out, fmt.Sprintf(`%q:{"version":"1.%d","size":%d}`, key, i, i*i))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// keysOf returns n keys with each of some prefixes.
func keysOf(n int, starts ...string) (keys []string) {
	for _, start := range starts {
		for i := range n {
			keys = append(keys, fmt.Sprintf("%sPart%d", start, i))
		}
	}
	return keys
}

func TestGroupByPrefixAfterCommonPrefix(t *testing.T) {
	for rule, c := range map[string]struct {
		keys []string
		want string
	}{
		"common prefix of one part":  {keysOf(10, "lib/@a/", "lib/@b/", "lib/@c/"), "lib/@a/* lib/@b/* lib/@c/*"},
		"common prefix of two parts": {keysOf(10, "x.lib/@a/", "x.lib/@b/", "x.lib/@c/"), "x.lib/@a/* x.lib/@b/* x.lib/@c/*"},
		"keys without the common prefix": {
			append(keysOf(10, "lib/@a/", "lib/@b/", "lib/@c/"), "root", ""), "lib/@a/* lib/@b/* lib/@c/* +2"},
		"first words of camel case names":      {keysOf(10, "apiAgent", "userAgent", "nodeAgent"), "api* user* node*"},
		"camel case names after a common word": {keysOf(10, "nodeType", "nodeLink", "nodeRule"), "nodeType* nodeLink* nodeRule*"},
	} {
		t.Run(rule, func(t *testing.T) {
			g := read(t, object(c.keys...), 24).Group(Auto, false)
			if g == nil {
				t.Fatal("no groups")
			}
			var got []string
			for _, p := range g.Parts {
				got = append(got, string(g.AppendID(nil, &p)))
			}
			if len(g.Rest) > 0 {
				got = append(got, fmt.Sprintf("+%d", len(g.Rest)))
			}
			if s := strings.Join(got, " "); g.By != "key prefix" || s != c.want {
				t.Errorf("by %s: %s\nwant %s", g.By, s, c.want)
			}
		})
	}
}

// The title of a row omits the common prefix of the keys; its id does not.
func TestTitleOmitsCommonPrefix(t *testing.T) {
	tb := read(t, object(append(keysOf(30, "node_modules/"), "other/x")...), 24)
	got := titles(tb)
	if got[0] != "Part0" || got[30] != "other/x" {
		t.Errorf("got %q and %q", got[0], got[30])
	}
	if id := string(tb.AppendID(nil, 0)); id != "node_modules/Part0" {
		t.Errorf("id %q", id)
	}
}

func TestGroupTitleKeepsVersions(t *testing.T) {
	var keys []string
	for i := range 15 {
		keys = append(keys, fmt.Sprintf("3.%d.0", i), fmt.Sprintf("4.%d.0", i))
	}
	g := read(t, object(keys...), 24).Group(Auto, false)
	if g == nil || len(g.Parts) != 2 || !strings.HasPrefix(groupTitles(g)[0], "3.*: 15 objects: 3.0.0; 3.1.0; ") {
		t.Errorf("got %+v", g)
	}
}

// The title of a group lists the names of rows without the prefix of the group, each once.
func TestGroupTitleListsNames(t *testing.T) {
	long := "with/a/path/that/is/far/too/long/to/show"
	text := object(keysOf(13, "sensor/", "light/")...)
	text = strings.TrimSuffix(text, "}") + fmt.Sprintf(`,"pump/%[1]s/1":{"name":"Main"},"pump/%[1]s/2":{"name":"Main"},"pump/%[1]s/3":{"name":"Spare"}}`, long)
	g := read(t, text, 24).Group(Auto, false)
	if g == nil || len(g.Parts) != 3 {
		t.Fatalf("got %+v", g)
	}
	if want := "sensor/*: 13 objects: Part0; Part1; Part2; Part3; Part4; Part5; Part6; Part7"; groupTitles(g)[0] != want {
		t.Errorf("got  %s\nwant %s", groupTitles(g)[0], want)
	}
	if want := "pump/*: 3 objects: Main; Spare"; groupTitles(g)[2] != want {
		t.Errorf("got  %s\nwant %s", groupTitles(g)[2], want)
	}
}
