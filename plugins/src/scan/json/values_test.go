package json

import (
	"reflect"
	"strings"
	"testing"
)

// smallLimits are options under which all rules apply to a small text: levels that are not noted,
// more nodes than there is room for, leaves.
var smallLimits = []Options{
	{Nodes: 1 << 20, Depth: 1 << 14},
	{Nodes: 1 << 20, Depth: 0},
	{Nodes: 1 << 20, Depth: 2, Leaf: 20, Record: 40},
	{Nodes: 300, Depth: 9, Leaf: 20, Record: 40},
	{Nodes: 7, Depth: 9},
	{Nodes: 0, Depth: 9, Top: 30},
}

// checkValues compares the nodes of all values of a text with the nodes that the loop of Scan adds
// without readValues.
func checkValues(t *testing.T, text []byte) {
	t.Helper()
	for _, o := range smallLimits {
		quick, slow := New(text, o), New(text, o)
		slow.fast = 0
		for at, ok := 0, true; ok; {
			var end int
			var want bool
			end, ok = quick.Scan(at)
			if at, want = slow.Scan(at); end != at || ok != want {
				t.Fatalf("%+v: %.200q is read up to %d (%t), want %d (%t)", o, text, end, ok, at, want)
			}
		}
		got, want := nodes(quick), nodes(slow)
		for i := range got {
			got[i].next, want[i].next = max(got[i].next, int32(i)+1), max(want[i].next, int32(i)+1) // except fields
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v: %.200q has the nodes %v, want %v", o, text, got, want)
		}
	}
}

func TestReadValuesAgreesWithLoop(t *testing.T) {
	for _, text := range corpus(t) {
		checkValues(t, text)
	}
	for name, text := range map[string]string{
		"elements":           `[` + strings.Repeat(`1,"a b c d e f g h",-2.5e7,{},[ ],null, "é\n",{"a":[1,2]} ,`, 40) + `true]`,
		"members":            `{` + strings.Repeat("\"a\":1,\n  \"long enough for two\" : {\"b\":[{}]},\"\\u00e9\":\"\",", 40) + `"z":0}`,
		"deeper than a word": `[0,` + strings.Repeat(`{"a":[1,`, 100) + `2` + strings.Repeat(`],"b":3}`, 100) + `,4,5]`,
		"white space":        "[1,\n" + strings.Repeat("  [ 1 ,\n\t 2 ] ,\r\n \n {  \"a\"  :\n  \"b\" }  ,\n\n", 30) + "\t null ]",
		"truncated":          `[0,` + strings.Repeat(`{"a":[1,`, 100),
		"invalid at the end": `[[[[` + strings.Repeat(`1,`, 100) + `2]}]]`,
		"records":            strings.Repeat(`{"a":1}`+"\n"+`[2]`+"\n", 200),
	} {
		t.Run(name, func(t *testing.T) {
			checkValues(t, []byte(text))
			for cut := range min(len(text), 80) { // the margin moves
				checkValues(t, []byte(text[:len(text)-cut]))
			}
		})
	}
}

func FuzzReadValues(f *testing.F) {
	f.Add([]byte(`{"a": [1,2.5,-0,true , null], "b":{"c":"d\n"}} [[[[]],{"x":"0123456789012345"}]]`))
	f.Add([]byte(strings.Repeat(`[{"a":`, 70)))
	f.Fuzz(func(t *testing.T, text []byte) { checkValues(t, text) })
}
