package table

import (
	"fmt"
	"strings"
	"testing"
)

// object makes an object of members that are objects of one make.
func object(keys ...string) string {
	var out []string
	for i, key := range keys {
		out = append(out, fmt.Sprintf(`%q:{"version":"1.%d","size":%d}`, key, i, i*i))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// keysOf are n keys with each of some starts.
func keysOf(n int, starts ...string) (keys []string) {
	for _, start := range starts {
		for i := range n {
			keys = append(keys, fmt.Sprintf("%sPart%d", start, i))
		}
	}
	return keys
}

// TestGroupsByWhatFollowsTheUsualStart shows groups of keys that nearly all begin
// alike.
func TestGroupsByWhatFollowsTheUsualStart(t *testing.T) {
	for rule, c := range map[string]struct {
		keys []string
		want string
	}{
		"one start is no group": {keysOf(10, "lib/@a/", "lib/@b/", "lib/@c/"), "lib/@a/* lib/@b/* lib/@c/*"},
		"nor are two":           {keysOf(10, "x.lib/@a/", "x.lib/@b/", "x.lib/@c/"), "x.lib/@a/* x.lib/@b/* x.lib/@c/*"},
		"what begins otherwise stays by itself": {
			append(keysOf(10, "lib/@a/", "lib/@b/", "lib/@c/"), "root", ""), "lib/@a/* lib/@b/* lib/@c/* +2"},
		"words of names without separators": {keysOf(10, "apiAgent", "userAgent", "nodeAgent"), "api* user* node*"},
		"behind the word they all have":     {keysOf(10, "nodeType", "nodeLink", "nodeRule"), "nodeType* nodeLink* nodeRule*"},
	} {
		t.Run(rule, func(t *testing.T) {
			g := read(t, object(c.keys...), 24).Group(Auto, false)
			if g == nil {
				t.Fatal("no groups")
			}
			var got []string
			for _, p := range g.Parts {
				got = append(got, p.id)
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

// TestTitlesLeaveOutTheUsualStart: the id has it.
func TestTitlesLeaveOutTheUsualStart(t *testing.T) {
	tb := read(t, object(append(keysOf(30, "node_modules/"), "other/x")...), 24)
	got := titles(tb)
	if got[0] != "Part0" || got[30] != "other/x" {
		t.Errorf("got %q and %q", got[0], got[30])
	}
	if id := string(tb.AppendID(nil, 0)); id != "node_modules/Part0" {
		t.Errorf("the id is %q", id)
	}
}

// TestGroupTitlesKeepNumbersWhole: 17.1 is no version.
func TestGroupTitlesKeepNumbersWhole(t *testing.T) {
	var keys []string
	for i := range 15 {
		keys = append(keys, fmt.Sprintf("3.%d.0", i), fmt.Sprintf("4.%d.0", i))
	}
	g := read(t, object(keys...), 24).Group(Auto, false)
	if g == nil || len(g.Parts) != 2 || !strings.HasPrefix(g.Parts[0].title, "3.*: 15 objects: 3.0.0; 3.1.0; ") {
		t.Errorf("got %+v", g)
	}
}

// TestGroupTitlesNameWhatDiffers: behind the prefix of the group, each name once.
func TestGroupTitlesNameWhatDiffers(t *testing.T) {
	long := "with/a/path/that/is/far/too/long/to/tell"
	text := object(keysOf(13, "sensor/", "light/")...)
	text = strings.TrimSuffix(text, "}") + fmt.Sprintf(`,"pump/%[1]s/1":{"name":"Main"},"pump/%[1]s/2":{"name":"Main"},"pump/%[1]s/3":{"name":"Spare"}}`, long)
	g := read(t, text, 24).Group(Auto, false)
	if g == nil || len(g.Parts) != 3 {
		t.Fatalf("got %+v", g)
	}
	if want := "sensor/*: 13 objects: Part0; Part1; Part2; Part3; Part4; Part5; Part6; Part7"; g.Parts[0].title != want {
		t.Errorf("got  %s\nwant %s", g.Parts[0].title, want)
	}
	if want := "pump/*: 3 objects: Main; Spare"; g.Parts[2].title != want {
		t.Errorf("got  %s\nwant %s", g.Parts[2].title, want)
	}
}
