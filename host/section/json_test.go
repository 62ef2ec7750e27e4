package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestJSONPaths checks paths in a JSON content without Sections.
func TestJSONPaths(t *testing.T) {
	long := strings.Repeat("key ", 30)
	text := "\ufeff {\"a\": [[1, 2], {\"b c\": \"x\\u0079\"}], \"" + long + `": true, "dup": {"k": 1, "k": 2}, "z": {"": [null]}, "": {"e": [1, 2, ""]}, "@x": 1, "~1": 2, "esc\u0041pe": 3, "d.o": {"t": 4}, "3": 6, "ask?": 7, "ask!": 8} `
	d := open(t, content{text: []byte(text), tree: abi.Tree{Type: "json-object"}}, section.Settings{})
	for path, want := range map[string]string{
		"a": "[[1, 2], {\"b c\": \"x\\u0079\"}]", "a/0/1": "2", "a/1/b c": "\"x\\u0079\"", "a/1/b%20c": "\"x\\u0079\"", "a.1": `{"b c": "x\u0079"}`,
		"a[0][1]": "2", abi.Segment(long): "true", long: "true", "z//0": "null", "z//": "[null]", "z//!1-5": "null", "z//!": "[null]", "//e/1": "2", "@x": "1", "~1": "2", "%40x": "1", "escApe": "3", "d.o/t": "4", "3": "6",
		"a/0/1!": "2", "/a/1": `{"b c": "x\u0079"}`, "z": `{"": [null]}`, "a/0/": "[1, 2]",
		"ask?": "7", "ask!": "8", "ask!!": "8", "ask%3F": "7",
	} {
		a := d.Read(ref, path)
		if a.IsError || string(a.Text) != want {
			t.Errorf("Read(%q) = %q, want %q", path, a.Text, want)
		}
		if again := d.Read(ref, a.Meta.Section); string(again.Text) != want {
			t.Errorf("the section of Read(%q) is %q, whose text is %q", path, a.Meta.Section, again.Text)
		}
	}
	twice := d.Read(ref, "dup/k")
	if !strings.HasPrefix(string(twice.Text), "2 sections match") {
		t.Errorf("key that an object has twice: %s", twice.Text)
	}
	for i, id := range twice.Meta.Offers {
		if a := d.Read(ref, id); string(a.Text) != fmt.Sprint(i+1) {
			t.Errorf("value %d of a key is %q, which has the text %q", i, id, a.Text)
		}
	}
	for _, path := range []string{"a/2", "a/01", "a/-1", "a/0/1/2", "b", "z/x", "a/0/x", "A", "a/1/b"} {
		if a := d.Read(ref, path); !a.IsError {
			t.Errorf("Read(%q) = %q, want an error", path, a.Text)
		}
	}
}

func TestInvalidJSON(t *testing.T) {
	for _, text := range []string{`{"a"`, `{"a":`, `{"a":[1,`, `[`, `[1`, `{"a":1,}`, `{"a" 1}`, `{1:2}`, `[,]`, `{"a":"`, `[1 2]`} {
		d := open(t, content{text: []byte(text), tree: abi.Tree{Type: "json"}}, section.Settings{})
		for _, path := range []string{"a", "a/0", "0", "1", "a/b", strings.Repeat("k", 60)} {
			if a := d.Read(ref, path); !a.IsError {
				t.Errorf("%s: Read(%q) = %q, want an error", text, path, a.Text)
			}
		}
	}
}

func TestWindowsOfJSONValue(t *testing.T) {
	var text bytes.Buffer
	text.WriteString(`{"list": [`)
	for i := range 2000 {
		fmt.Fprintf(&text, `{"n": %d},`, i)
	}
	text.WriteString(`0]}`)
	d := open(t, content{text: text.Bytes(), tree: abi.Tree{Type: "json-object"}}, section.Settings{})
	a := d.Read(ref, "list")
	if a.Meta.Kind != flow.AnswerIndex || !strings.HasPrefix(a.Meta.Offers[0], "list/~L1-1@9-") {
		t.Fatalf("%s: %v", a.Meta.Kind, a.Meta.Offers)
	}
	var got []byte
	for _, id := range a.Meta.Offers {
		got = append(got, d.Read(ref, id).Text...)
	}
	if want := text.Bytes()[9 : text.Len()-1]; !bytes.Equal(got, want) {
		t.Errorf("windows join to %d bytes, want %d", len(got), len(want))
	}
	if a := d.Read(ref, "list/1999/n"); string(a.Text) != "1999" {
		t.Errorf("%s", a.Text)
	}
}

// TestMixedContent checks that paths continue in a JSON part of a mixed content, and not in
// a text.
func TestMixedContent(t *testing.T) {
	text := "{\"a\": {\"b\": 7}}\n40 of 7698 rows\n"
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: "mixed"}}
	b.add(-1, abi.SectionExact, 0, 15, "json", "json")
	b.add(-1, abi.SectionExact, 16, len(text), "text", "40 of 7698 rows")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{})
	if a := d.Read(ref, "json/a/b"); string(a.Text) != "7" {
		t.Errorf("%s", a.Text)
	}
	if a := d.Read(ref, "text/a/b"); !a.IsError || fmt.Sprint(a.Meta.Offers) != "[text]" {
		t.Errorf("path below a text: %s", a.Text)
	}
}

func TestLinesOfLog(t *testing.T) {
	text := "first\n  more of first\nsecond\n\nthird\n"
	b := &treeBuilder{text: []byte(text), tree: abi.Tree{Type: "log"}}
	group := b.add(-1, abi.SectionGroup, 0, 0, "@h", "hour")
	b.add(group, abi.SectionExact, 0, 22, "L1", "first")
	b.add(group, abi.SectionExact, 22, 29, "L3", "second")
	b.add(-1, abi.SectionExact, 30, len(text), "L5", "third")
	d := open(t, content{text: b.text, tree: b.tree}, section.Settings{})
	for path, want := range map[string]string{
		"L1": "first\n  more of first\n", "L2": "first\n  more of first\n", "line 3": "second\n", "L4": "\n", "L5": "third\n",
		"@h": "first\n  more of first\nsecond\n", // as one leaf
	} {
		if a := d.Read(ref, path); string(a.Text) != want {
			t.Errorf("%q: %q, want %q", path, a.Text, want)
		}
	}
	if a := d.Read(ref, "L6"); !a.IsError {
		t.Errorf("line after the last one: %q", a.Text)
	}
}

func TestLimitsOfIndex(t *testing.T) {
	d := open(t, manyElements(500, false), section.Settings{})
	for _, c := range []struct{ lines, bytes int }{{0, 0}, {5, 0}, {0, 700}, {1, 1}, {1000, 1 << 30}} {
		text, offers := d.Index(-1, c.lines, c.bytes)
		lines, size := 24, 4096
		if c.lines > 0 {
			lines = min(lines, max(c.lines, 2))
		}
		if c.bytes > 0 {
			size = min(size, max(c.bytes, 512))
		}
		if len(offers) > lines || len(text) > size || len(offers) < 2 {
			t.Errorf("%+v: %d lines, %d bytes", c, len(offers), len(text))
		}
	}
	if !section.IsWorthShowing(make([]byte, 600), make([]byte, 1000)) || section.IsWorthShowing(make([]byte, 601), make([]byte, 1000)) {
		t.Error("IsWorthShowing must be true for 40 % less, and false for 39.9 % less")
	}
}

// TestNegativePosition checks that a negative number is not taken for the slug of a
// position.
func TestNegativePosition(t *testing.T) {
	var text bytes.Buffer
	text.WriteString(`{"orders": [`)
	for i := range 500 {
		fmt.Fprintf(&text, `{"id": "ORD-%05d", "state": "open"},`, i)
	}
	text.WriteString(`{}]}`)
	d := open(t, content{text: text.Bytes(), tree: splitJSON(text.Bytes(), 50, false)}, section.Settings{LeafSize: 50})
	for _, path := range []string{"orders/-1", "orders/-5", "-1"} {
		if a := d.Read(ref, path); !a.IsError {
			t.Errorf("Read(%q) = %.60q, want an error", path, a.Text)
		}
	}
	if a := d.Read(ref, "orders/5"); !strings.Contains(string(a.Text), "ORD-00005") {
		t.Errorf("Read(orders/5) = %.60q", a.Text)
	}
}
