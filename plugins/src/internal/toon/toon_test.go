package toon

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	scan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

func TestEncode(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"fields are named once", `[{"id":1,"name":"a b"},{"id":2,"name":"c"},{"id":3,"name":null}]`, "[3]{id,name}:\n  1,a b\n  2,c\n  3,null\n"},
		{"an object of tables and scalars", `{"n":1.50,"rows":[{"a":true},{"a":false},{"a":1e3}],"s":"x"}`, "n: 1.50\nrows[3]{a}:\n  true\n  false\n  1e3\ns: x\n"},
		{"ambiguous strings are quoted", `[{"a":"1"},{"a":"true"},{"a":""},{"a":"x,y"},{"a":"-"},{"a":" "},{"a":"k: v"},{"a":"a\nb"}]`,
			"[8]{a}:\n  \"1\"\n  \"true\"\n  \"\"\n  \"x,y\"\n  \"-\"\n  \" \"\n  \"k: v\"\n  \"a\\nb\"\n"},
		{"keys with blanks are quoted", `[{"a b":1},{"a b":2},{"a b":3}]`, "[3]{\"a b\"}:\n  1\n  2\n  3\n"},
		{"escapes of JSON are decoded", `[{"a":"\u00e9\/"},{"a":"\ud83d\ude00"},{"a":"x"}]`, "[3]{a}:\n  é/\n  😀\n  x\n"},
	} {
		out, ok := Encode([]byte(c.text))
		if !ok || string(out) != c.want {
			t.Errorf("%s: %v\n%swant\n%s", c.rule, ok, out, c.want)
		}
	}
}

func TestEncodeRecordsLeavesFieldsOut(t *testing.T) {
	text := []byte(`{"a":1,"h":{},"b":"x"} {"a":2,"h":{},"b":"y, z"} {"a":3,"h":{},"b":""}`)
	var records []scan.Node
	for at := 0; at < len(text); {
		end := at + bytes.IndexByte(text[at:], '}') + 1 // of {}
		end += bytes.IndexByte(text[end:], '}') + 1
		records = append(records, scan.Node{Start: int32(at), End: int32(end), Kind: scan.Object})
		at = end + 1
	}
	for _, c := range []struct {
		omit string
		want string
	}{
		{"1", "[3]{a,b}:\n  1,x\n  2,\"y, z\"\n  3,\"\"\n"},
		{"12", "[3]{a}:\n  1\n  2\n  3\n"},
		{"", ""},
		{"012", ""},
	} {
		out, ok := EncodeRecords(text, records, func(i int) bool { return strings.Contains(c.omit, strconv.Itoa(i)) })
		if ok != (c.want != "") || ok && string(out) != c.want {
			t.Errorf("without %q: %v %q, want %q", c.omit, ok, out, c.want)
		}
	}
}

func TestNotATable(t *testing.T) {
	for rule, text := range map[string]string{
		"few records":                  `[{"a":1},{"a":2}]`,
		"other fields":                 `[{"a":1},{"b":2},{"a":3}]`,
		"more fields":                  `[{"a":1},{"a":2,"b":1},{"a":3}]`,
		"another order":                `[{"a":1,"b":1},{"b":2,"a":2},{"a":3,"b":3}]`,
		"a field that is not scalar":   `[{"a":1},{"a":[]},{"a":3}]`,
		"a repeated field":             `[{"a":1,"a":1},{"a":2,"a":2},{"a":3,"a":3}]`,
		"no fields":                    `[{},{},{}]`,
		"scalars":                      `[1,2,3]`,
		"an item that is not a record": `[{"a":1},2,{"a":3}]`,
		"an object in an object":       `{"o":{},"rows":[{"a":1},{"a":2},{"a":3}]}`,
		"no table":                     `{"a":1}`,
		"a scalar":                     `"x"`,
		"empty text":                   ``,
		"a control character":          `[{"a":"\u0001"},{"a":1},{"a":2}]`,
		"a lone surrogate":             `[{"a":"\ud800"},{"a":1},{"a":2}]`,
	} {
		if out, ok := Encode([]byte(text)); ok {
			t.Errorf("%s: %s", rule, out)
		}
	}
}

// Decoding returns the same fields, order, strings and texts of numbers.
func TestRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	words := []string{"", " ", "a", "true", "-1", "1.0", "x,y", "k: v", "größe", "[1]", "{", `q"q`, `b\b`, "a\nb", "- x", "#", "0x1", "1e5", "05", "+3", "null ", "\tt", "a b c", "\u2028", "\u00a0x", "."}
	numbers := []string{"0", "-0", "1.50", "12345678901234567890", "1e-7", "1E+2"}
	for range 2000 {
		fields := 1 + rnd.IntN(4)
		var b bytes.Buffer
		b.WriteString(`{"first":1,"rows":[`)
		var want [][]string
		for i := range 3 + rnd.IntN(4) {
			if i > 0 {
				b.WriteString(", ")
			}
			var row []string
			b.WriteByte('{')
			for f := range fields {
				if f > 0 {
					b.WriteByte(',')
				}
				value := numbers[rnd.IntN(len(numbers))]
				if rnd.IntN(2) == 0 {
					v, _ := json.Marshal(words[rnd.IntN(len(words))])
					value = string(v)
				}
				b.WriteString(strconv.Quote("f "+strconv.Itoa(f)) + ": " + value)
				row = append(row, value)
			}
			b.WriteByte('}')
			want = append(want, row)
		}
		b.WriteString(`]}`)
		out, ok := Encode(b.Bytes())
		if !ok {
			t.Fatalf("not encoded: %s", b.String())
		}
		got := decode(t, string(out), fields)
		if len(got) != len(want) {
			t.Fatalf("%d rows of %d in\n%s", len(got), len(want), out)
		}
		for i := range want {
			for f := range want[i] {
				if !isEqual(got[i][f], want[i][f]) {
					t.Fatalf("%s is decoded as %s in\n%s", want[i][f], got[i][f], out)
				}
			}
		}
	}
}

// isEqual compares JSON values: strings by value, numbers by text.
func isEqual(a, b string) bool {
	if strings.HasPrefix(a, `"`) != strings.HasPrefix(b, `"`) {
		return false
	}
	var x, y string
	if json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil {
		return x == y
	}
	return a == b
}

// decode decodes the table of an object to JSON values by the rules of TOON: a value in
// quotes is a string; other values are numbers, true, false or null if possible, or else
// strings.
func decode(t *testing.T, text string, fields int) (rows [][]string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "first: 1" || !strings.HasPrefix(lines[1], "rows["+strconv.Itoa(len(lines)-2)+"]{") {
		t.Fatalf("not a table:\n%s", text)
	}
	for _, line := range lines[2:] {
		rest, ok := strings.CutPrefix(line, "  ")
		if !ok {
			t.Fatalf("not a row: %q", line)
		}
		var row []string
		for {
			var value string
			if strings.HasPrefix(rest, `"`) {
				quoted, err := strconv.QuotedPrefix(rest)
				if err != nil {
					t.Fatal(err)
				}
				value = quoted
				rest = rest[len(quoted):]
			} else {
				value, _, _ = strings.Cut(rest, ",")
				rest = rest[len(value):]
				if _, err := strconv.ParseFloat(value, 64); err != nil && value != "true" && value != "false" && value != "null" {
					b, _ := json.Marshal(strings.TrimSpace(value))
					value = string(b)
				}
			}
			row = append(row, value)
			if rest == "" {
				break
			}
			rest = rest[1:]
		}
		if len(row) != fields {
			t.Fatalf("%d values of %d in %q", len(row), fields, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// Encode does not fail on any JSON.
func FuzzEncode(f *testing.F) {
	f.Add([]byte(`[{"a":1},{"a":"x"},{"a":null}]`))
	f.Add([]byte(`{"a":[{"b":"\u0000"},{"b":1},{"b":2}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if json.Valid(text) {
			Encode(text)
		}
	})
}
