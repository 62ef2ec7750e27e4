package compress

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	for rule, test := range map[string]struct{ in, want string }{
		"quotes that are not needed":             {"\"a\",\"b\"\n\"1\",\"x, y\"\n\"2\",\"z\"\n", "a,b\n1,\"x, y\"\n2,z\n"},
		"padding":                                {"a  ;  b\n1  ;  2\n3  ;\" 4\"\n", "a;b\n1;2\n3;\" 4\"\n"},
		"a constant column":                      {"a,host,b\n1,web-server-1,2\n3,web-server-1,4\n5,web-server-1,6\n", "in every record: host=web-server-1\na,b\n1,2\n3,4\n5,6\n"},
		"an empty column":                        {"a\tnotes\thost\tb\n1\t\tweb-server-1\t2\n3\t\tweb-server-1\t4\n5\t\tweb-server-1\t6\n", "in every record: notes=\thost=web-server-1\na\tb\n1\t2\n3\t4\n5\t6\n"},
		"no header":                              {"1,web-server-1,2\n3,web-server-1,4\n5,web-server-1,6\n", "in every record: c2=web-server-1\n1,2\n3,4\n5,6\n"},
		"a value with the delimiter":             {"a,n,b\n1,\"x, y and z of \"\"y\"\"\",2\n3,\"x, y and z of \"\"y\"\"\",4\n5,\"x, y and z of \"\"y\"\"\",6\n", "in every record: \"n=x, y and z of \"\"y\"\"\"\na,b\n1,2\n3,4\n5,6\n"},
		"two columns of one name":                {"a,n,n\n1,web-server-1,2\n3,web-server-1,4\n5,web-server-1,6\n", "a,n,n\n1,web-server-1,2\n3,web-server-1,4\n5,web-server-1,6\n"},
		"records of several lengths":             {"a,n,b\n1,web-server-1,2\n3,web-server-1,4\n5,web-server-1,6\n7,web-server-1\n8,web-server-1,9\n9,web-server-1,1\n2,web-server-1,3\n4,web-server-1,5\n6,web-server-1,7\n8,web-server-1,1\n", "a,n,b\n1,web-server-1,2\n3,web-server-1,4\n5,web-server-1,6\n7,web-server-1\n8,web-server-1,9\n9,web-server-1,1\n2,web-server-1,3\n4,web-server-1,5\n6,web-server-1,7\n8,web-server-1,1\n"},
		"two records":                            {"a,n,b\n1,web-server-1,2\n3,web-server-1,4\n", "a,n,b\n1,web-server-1,2\n3,web-server-1,4\n"},
		"only constants":                         {"a,b\n1,2\n1,2\n1,2\n", "a,b\n1,2\n1,2\n1,2\n"},
		"an empty text is kept":                  {"a,b\n1,\"\"\n2,\n3,x\n", "a,b\n1,\"\"\n2,\n3,x\n"},
		"a column with two kinds of empty cells": {"a,empty remark,b\n1,\"\",2\n3,,4\n5,\"\",6\n7,,8\n", "a,empty remark,b\n1,\"\",2\n3,,4\n5,\"\",6\n7,,8\n"},
		"one empty cell is a record":             {"a,host name,b\n1,web-server-1,\n,web-server-1,\n3,web-server-1,\n", "in every record: host name=web-server-1,b=\na\n1\n\"\"\n3\n"},
	} {
		if got, ok := compactCSV([]byte(test.in)); !ok || string(got) != test.want {
			t.Errorf("%s: %q becomes %q, %v, want %q", rule, test.in, got, ok, test.want)
		}
	}
}

// readAll reads a table with encoding/csv. Blanks around values are padding, unless in quotes.
func readAll(b []byte, comma rune) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.FieldsPerRecord = comma, -1
	return r.ReadAll()
}

// rebuild returns the records of a table that was written by compactCSV. Constant columns are at
// the end.
func rebuild(t *testing.T, out []byte, comma rune, hasHeader bool) [][]string {
	t.Helper()
	note := ""
	if bytes.HasPrefix(out, []byte("in every record: ")) {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		_, after, _ := bytes.Cut(line, []byte(" record: "))
		note, out = string(after), rest
	}
	rows, err := readAll(out, comma)
	if err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	if note == "" {
		return rows
	}
	facts, err := readAll([]byte(note), comma)
	if err != nil {
		t.Fatalf("%q: %v", note, err)
	}
	for _, fact := range facts[0] {
		name, value, _ := strings.Cut(fact, "=")
		for i := range rows {
			if i == 0 && hasHeader {
				rows[i] = append(rows[i], name)
			} else {
				rows[i] = append(rows[i], value)
			}
		}
	}
	return rows
}

// requireSameTable requires that the values can be rebuilt. All values of the input must be
// without padding or in quotes.
func requireSameTable(t *testing.T, in []byte, comma rune, hasHeader bool) {
	t.Helper()
	want, err := readAll(in, comma)
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	out, ok := compactCSV(in)
	if !ok {
		return // no table
	}
	got := rebuild(t, out, comma, hasHeader)
	for i := range want {
		slices.Sort(want[i])
	}
	for i := range got {
		slices.Sort(got[i])
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Fatalf("%q becomes\n%q, which reads\n%q, want\n%q", in, out, got, want)
	}
}

func TestCSVOfTheCorpusCanBeRebuilt(t *testing.T) {
	b, err := os.ReadFile("../../../testdata/content/t-rg-runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	requireSameTable(t, b, ',', true)
}

func TestRandomCSVCanBeRebuilt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	values := []string{"1", "22", "x", "", "a,b", "say \"x\"", "two\nlines", " pad ", "x;y", "007", "a\tb", "=", "a long value, and more"}
	for range 3000 {
		comma := []rune(",;\t")[rnd.IntN(3)]
		columns, rows, quotes := 2+rnd.IntN(4), 3+rnd.IntN(30), rnd.IntN(2) == 0
		constant := make([]bool, columns)
		for i := range constant {
			constant[i] = rnd.IntN(3) == 0
		}
		first := make([]string, columns)
		var in strings.Builder
		for y := range rows {
			for x := range columns {
				v := values[rnd.IntN(len(values))]
				if y == 0 {
					v = "name" + string(rune('a'+x))
				} else if y == 1 {
					first[x] = v
				} else if constant[x] {
					v = first[x]
				}
				if x > 0 {
					in.WriteRune(comma)
				}
				if quotes || strings.ContainsAny(v, "\"\n ") || strings.ContainsRune(v, comma) || columns == 1 {
					v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
				}
				in.WriteString(v)
			}
			in.WriteByte('\n')
		}
		requireSameTable(t, []byte(in.String()), comma, true)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("a,b\n\"1\",  2\n3,\"\"\n")
	f.Fuzz(func(t *testing.T, in string) {
		out, ok := compactCSV([]byte(in))
		if ok && len(out) > len(in)+3*strings.Count(in, "\n")+3 {
			t.Fatalf("%q grows to %q", in, out)
		}
	})
}
