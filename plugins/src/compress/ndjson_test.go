package compress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestNDJSON(t *testing.T) {
	for rule, test := range map[string]struct{ in, want string }{
		"white space":                    {"{\"a\": 1}\n{\"b\": [1, \" x\"]}\n", "{\"a\":1}\n{\"b\":[1,\" x\"]}\n"},
		"a table":                        {"{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y, z\"}\n{\"a\": 3, \"b\": \"\"}\n", "[3]{a,b}:\n  1,x\n  2,\"y, z\"\n  3,\"\"\n"},
		"a table with an equal member":   {"{\"a\":1,\"h\":{\"n\": 1}}\n{\"a\":2,\"h\":{\"n\": 1}}\n{\"a\":3,\"h\":{\"n\": 1}}\n", "in every record: {\"h\":{\"n\":1}}\n[3]{a}:\n  1\n  2\n  3\n"},
		"an equal member, no table":      {"{\"h\":\"x\",\"a\":[1]}\n{\"h\":\"x\"}\n{\"b\":2,\"h\":\"x\"}\n", "in every record: {\"h\":\"x\"}\n{\"a\":[1]}\n{}\n{\"b\":2}\n"},
		"a member that is missing once":  {"{\"h\":1,\"a\":[]}\n{\"h\":1}\n{\"a\":2}\n", "{\"h\":1,\"a\":[]}\n{\"h\":1}\n{\"a\":2}\n"},
		"a member that is there twice":   {"{\"h\":1,\"a\":[]}\n{\"h\":1,\"h\":1}\n{\"h\":1}\n", "{\"h\":1,\"a\":[]}\n{\"h\":1,\"h\":1}\n{\"h\":1}\n"},
		"a member twice in the first":    {"{\"h\":1,\"h\":1}\n{\"h\":1}\n{\"h\":1}\n", "{\"h\":1,\"h\":1}\n{\"h\":1}\n{\"h\":1}\n"},
		"only equal members":             {"{\"h\":1}\n{\"h\":1}\n{\"h\":1}\n", "in every record: {\"h\":1}\n{}\n{}\n{}\n"},
		"records of several lines":       {"{\n \"a\": 1\n}\n{\n \"a\": {}\n}\n", "{\"a\":1}\n{\"a\":{}}\n"},
		"lines that are no records stay": {"{\"a\":1}\n{\"a\":1}\n" + strings.Repeat("{\"a\":1}\n", 8) + "note  MUST\n", "in every record: {\"a\":1}\n" + strings.Repeat("{}\n", 10) + "note  MUST\n"},
	} {
		if got, ok := compactRecords([]byte(test.in)); !ok || string(got) != test.want {
			t.Errorf("%s: %q becomes %q, %v, want %q", rule, test.in, got, ok, test.want)
		}
	}
}

// The records of the output and the stated members are the records of the input.
func TestRandomNDJSONCanBeRebuilt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	values := []string{"1", "null", `"x"`, `"a  b"`, `[1, 2]`, `{"k": "v"}`, `"\u00e9\n"`, "2.50", "true", `""`}
	tables := 0
	for range 3000 {
		var in strings.Builder
		var want []map[string]any
		scalars, missing := rnd.IntN(2) == 0, rnd.IntN(2) == 0
		for range 2 + rnd.IntN(6) {
			var fields []string
			for _, key := range []string{"a", "b", "key c", "d"} {
				v := values[rnd.IntN(len(values))]
				if scalars {
					v = values[rnd.IntN(3)]
				}
				if key == "b" {
					v = values[0]
				}
				if !missing || rnd.IntN(8) > 0 {
					fields = append(fields, fmt.Sprintf("%q : %s", key, v))
				}
			}
			line := "{" + strings.Join(fields, ", ") + "}"
			in.WriteString(line + "\n")
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			want = append(want, m)
		}
		out, ok := compactRecords([]byte(in.String()))
		if !ok {
			t.Fatalf("%q is refused", in.String())
		}
		shared := map[string]any{}
		if rest, ok := bytes.CutPrefix(out, []byte("in every record: ")); ok {
			line, after, _ := bytes.Cut(rest, []byte("\n"))
			if err := json.Unmarshal(line, &shared); err != nil {
				t.Fatal(err)
			}
			out = after
		}
		if out[0] == '[' {
			tables++ // package toon tests its own round trip
			continue
		}
		d := json.NewDecoder(bytes.NewReader(out))
		for i, m := range want {
			got := map[string]any{}
			if err := d.Decode(&got); err != nil {
				t.Fatalf("%q: record %d: %v", out, i, err)
			}
			for k, v := range shared {
				got[k] = v
			}
			if !reflect.DeepEqual(got, m) {
				t.Fatalf("%q becomes %q: record %d is %v, want %v", in.String(), out, i, got, m)
			}
		}
	}
	if tables == 0 {
		t.Error("no table was tested")
	}
}

func FuzzNDJSON(f *testing.F) {
	f.Add("{\"a\": 1}\n{\"a\": 2}\nx\n")
	f.Fuzz(func(t *testing.T, in string) {
		if out, ok := compactRecords([]byte(in)); ok && len(out) > 2*len(in)+40 {
			t.Fatalf("%q grows to %q", in, out)
		}
	})
}
