package fieldpath

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listSelected returns the values that paths select, as paths with positions.
func listSelected(s Set, v any, at string) (found []string) {
	if s.Whole() {
		return []string{at}
	}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			found = append(found, listSelected(s.Key(k), v[k], strings.TrimPrefix(at+"."+k, "."))...)
		}
	case []any:
		for i, e := range v {
			found = append(found, listSelected(s.Element(i), e, at+"["+strconv.Itoa(i)+"]")...)
		}
	}
	return found
}

func TestSetSelectsFields(t *testing.T) {
	const text = `{"id":1,"users":[{"email":"a","tags":[1,2]},{"email":"b","x.y":0}],"grid":[[1,2],[3,4]],"":5,"meta":{"email":"c"}}`
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rule  string
		paths []string
		want  string
	}{
		{"key", []string{"id"}, "id"},
		{"nested keys", []string{"meta.email"}, "meta.email"},
		{"every element", []string{"users[].email"}, "users[0].email users[1].email"},
		{"brackets omitted", []string{"users.email"}, "users[0].email users[1].email"},
		{"one element", []string{"users[1].email"}, "users[1].email"},
		{"elements", []string{"users[]"}, "users[0] users[1]"},
		{"arrays in arrays", []string{"grid[][0]", "grid[1]"}, "grid[0][0] grid[1]"},
		{"every key", []string{"*.email"}, "meta.email users[0].email users[1].email"},
		{"key with a dot", []string{`users[]["x.y"]`}, "users[1].x.y"},
		{"empty key", []string{`[""]`}, ""},
		{"root", []string{"$"}, ""},
		{"leading dollar", []string{"$.users[0].tags[1]", "$[\"id\"]"}, "id users[0].tags[1]"},
		{"path inside another path", []string{"users[].tags", "users[0].tags[0]", "id"}, "id users[0].tags"},
		{"missing keys", []string{"unknown", "id.below", "users[7]", "meta[]"}, ""},
	} {
		s, err := Compile(c.paths)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := strings.Join(listSelected(s, v, ""), " "); got != c.want {
			t.Errorf("%s: %q select %q, want %q", c.rule, c.paths, got, c.want)
		}
	}
}

func TestCompileRejectsInvalidPaths(t *testing.T) {
	for path, want := range map[string]string{
		"":                       `"" is empty`,
		"a..b":                   "empty key",
		"a[":                     "[ without ]",
		"a[x]":                   `"[x]", want [], [3] or`,
		"a[-1]":                  `"[-1]"`,
		"a[]b":                   `no dot before "b"`,
		`a["b]`:                  `[" without "]`,
		"a.":                     "", // a trailing dot is accepted
		"[99999999999999999999]": "want []",
	} {
		_, err := Compile([]string{path})
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	if _, err := Compile([]string{strings.Repeat("a", MaxBytes+1)}); err == nil {
		t.Error("Compile accepts a path of 513 bytes")
	}
	if _, err := Compile(make([]string, MaxPaths+1)); err == nil {
		t.Error("Compile accepts 65 paths")
	}
}

func FuzzCompile(f *testing.F) {
	for _, p := range []string{"a.b[].c", `["x\"y"]`, "$[3].*", "[[", "a..", "\xff"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if s, err := Compile([]string{path}); err == nil {
			s.Key("a").Element(3).Whole()
		}
	})
}
