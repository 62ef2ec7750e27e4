package rows

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		rule   string
		labels string // separated by blanks, - for none
		want   string // "label:rows", then the rest
		useful bool
	}{
		{"two groups", "a b a b a b", "a:[0 2 4] b:[1 3 5] +0", true},
		{"dominant group", "a a a a a b", "a:[0 1 2 3 4] b:[5] +0", false},
		{"one in ten without a label", "a b a b a b a b a -", "a:[0 2 4 6 8] b:[1 3 5 7] +1", true},
		{"one in nine without a label", "a b a b a b a b -", "a:[0 2 4 6] b:[1 3 5 7] +1", false},
		{"each row has its own label", "a b c d e f", "a:[0] b:[1] c:[2] d:[3] e:[4] f:[5] +0", false},
	} {
		labels := strings.Fields(c.labels)
		d, ok := Divide(len(labels), func(i int) []byte { return []byte(strings.TrimPrefix(labels[i], "-")) }, Limit{Labels: 10, Rest: 10}, nil)
		all := make([]int32, len(labels))
		for i := range all {
			all[i] = int32(i)
		}
		var got []string
		for k, members := range d.Members(all) {
			got = append(got, fmt.Sprintf("%s:%v", d.Labels[k], members))
		}
		got = append(got, fmt.Sprintf("+%d", d.Rest))
		if s := strings.Join(got, " "); !ok || s != c.want || d.IsUseful() != c.useful {
			t.Errorf("%s: %s, useful %t; want %s, %t", c.rule, s, d.IsUseful(), c.want, c.useful)
		}
		d.LabelRest()
		if n := len(slices.Concat(d.Members(all)...)); n != len(labels) {
			t.Errorf("%s: %d members after LabelRest, want %d", c.rule, n, len(labels))
		}
	}
	label := func(i int) []byte { return []byte{byte('a' + i)} }
	if _, ok := Divide(5, label, Limit{Labels: 3}, nil); ok {
		t.Error("5 labels are within a limit of 3")
	}
	if _, ok := Divide(5, func(int) []byte { return make([]byte, MaxID+1) }, Limit{Rest: 3}, nil); ok {
		t.Error("5 rows with long labels are within a limit of 3 rows without one")
	}
	if _, ok := Divide(5, func(int) []byte { return make([]byte, MaxID+1) }, Limit{Labels: 1, Size: MaxID + 1}, nil); !ok {
		t.Error("labels of MaxID+1 bytes are longer than a limit of that size")
	}
}

func TestTop(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	for want, counts := range map[string][]int32{
		"":                       {},
		"b 3":                    {0, 3},
		"a 2, b 2, c 2, d 2":     {2, 2, 2, 2, 2},
		"f 9, c 5, b 3, d 2":     {1, 3, 5, 2, 2, 9},
		"b 12, a 7, d 4, c 1":    {7, 12, 1, 4},
		"e 1":                    {0, 0, 0, 0, 1, 0},
		"f 6, e 5, d 4, c 3":     {1, 2, 3, 4, 5, 6},
		"a 600, b 500, c 4, d 3": {600, 500, 4, 3, 2, 1},
	} {
		var list []string
		top, n := Top(counts)
		for _, i := range top[:n] {
			list = append(list, fmt.Sprint(names[i], " ", counts[i]))
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%v: %q, want %q", counts, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	add := func(s *Schema, name, about string) bool {
		return s.Add([]byte(name), func(dst []byte) []byte { return append(dst, about...) })
	}
	s := NewSchema("fields: ")
	if got := s.Finish(3); got != "" {
		t.Errorf("no columns: %q", got)
	}
	for _, c := range [][2]string{{"id", "text"}, {"x", "int"}, {"y", "int"}, {"z", "int 1..2"}} {
		add(s, c[0], c[1])
	}
	if got := s.Finish(2); got != "fields: id text | x, y int | z int 1..2 | 2 more" {
		t.Errorf("got %q", got)
	}
	s = NewSchema("")
	s.Separate = true
	add(s, "x", "int")
	add(s, "y", "int")
	if got := s.Finish(0); got != "x int | y int" {
		t.Errorf("separate: %q", got)
	}
	s = NewSchema("")
	for n := 0; add(s, "a rather long name of a column", fmt.Sprint(n)); n++ {
	}
	if got := s.Finish(7); len(got) > maxSchema+len(" | ...") || !strings.HasSuffix(got, " | ...") {
		t.Errorf("full: %q", got)
	}
}

func TestValues(t *testing.T) {
	list := func(values ...string) func() []string { return func() []string { return values } }
	low := func() string { return "1..9" }
	long := strings.Repeat("x", MaxID)
	for rule, c := range map[string]struct {
		v    Values
		want string
	}{
		"all differ":                   {Values{Type: "text", Rows: 9, Distinct: 9}, "unique"},
		"few values":                   {Values{Type: "text", Rows: 9, Distinct: 2, List: list("a", "b")}, "a/b"},
		"few long values":              {Values{Type: "text", Rows: 9, Distinct: 2, List: list(long, long)}, "2 values"},
		"few integers":                 {Values{Type: "int", Rows: 9, Distinct: 2, List: list("1", "9"), Range: low}, "1/9"},
		"few long integers":            {Values{Type: "int", Rows: 9, Distinct: 2, List: list(long, long), Range: low}, "1..9"},
		"fractions":                    {Values{Type: "number", Rows: 9, Distinct: 2, Range: low}, "1..9"},
		"many values":                  {Values{Type: "text", Rows: 99, Distinct: 20, Many: true}, ""},
		"values that repeat":           {Values{Type: "text", Rows: 99, Distinct: 20}, "20 values"},
		"values that hardly repeat":    {Values{Type: "text", Rows: 30, Distinct: 20}, ""},
		"numbers without a range":      {Values{Type: "number", Rows: 99, Range: func() string { return "" }, Distinct: 20}, ""},
		"all texts of a long table":    {Values{Type: "text", Rows: 20, Distinct: 20, Many: true}, ""},
		"few booleans":                 {Values{Type: "bool", Rows: 9, Distinct: 2, List: list("true", "false")}, "true/false"},
		"no value":                     {Values{Type: "text", Rows: 9}, ""},
		"unknown values of a long int": {Values{Type: "int", Rows: 9, Many: true, Distinct: 9, Range: low}, "1..9"},
	} {
		if got := strings.TrimPrefix(string(c.v.Append(nil)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", rule, got, c.want)
		}
	}
}

func TestRecords(t *testing.T) {
	r := Records{
		Start: []int32{10, 20, 30, 40}, HeadEnd: 10,
		Groups:   []Group{{ID: "g", Title: "runs", From: 0, To: 2}, {ID: "h", Title: "outer", From: 2, To: 3, Inner: []Group{{ID: "i", Title: "listed", Rows: []int32{2}}}}},
		NameHead: func(n *part.Name) { n.ID = append(n.ID, "head"...) },
		NameRecord: func(record int, n *part.Name) {
			n.ID = fmt.Appendf(n.ID, "r%d", record)
		},
	}
	var d part.Doc
	r.AddTo(&d)
	var got []string
	for i, p := range d.Parts {
		var n part.Name
		d.Name(i, &n)
		got = append(got, fmt.Sprintf("%s[%d,%d)%d", n.ID, p.Start, p.End, p.Parent))
	}
	want := "head[0,10)-1 g[0,0)-1 r0[10,20)1 r1[20,30)1 h[0,0)-1 i[0,0)4 r2[30,40)5"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}
