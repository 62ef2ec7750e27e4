package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

var tested = parttest.Scanner{Scan: Scan}

func TestScanAcceptsDelimitedText(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       bool
	}{
		{"commas", strings.Repeat("1,ab,2.5,\"x, y\"\n", 9), true},
		{"a header over three records", "name,size,color\na,1,red\nb,2,blue\nc,3,red\n", true},
		{"tabs", strings.Repeat("a b c d\te f g\t12\n", 5), true},
		{"semicolons and decimal commas", "name;price\n" + strings.Repeat("apple;1,50\n", 9), true},
		{"bars", strings.Repeat("1|ab|2.5\n", 9), true},
		{"one bad record in ten", strings.Repeat("1,2,3\n4,5,6\n7,8,9\n", 3) + "oops\n", true},
		{"two bad records in ten", strings.Repeat("1,2,3\n4,5,6\n", 4) + "oops\noops\n", false},
		{"line ends of DOS and a BOM", "\ufeff" + strings.Repeat("1,ab,2.5\r\n", 9), true},
		{"two records", "a,b,c,d,e,f\n1,2,3,4,5,6\n", false},
		{"one column", strings.Repeat("word\n", 20), false},
		{"nothing", "", false},
		{"prose", strings.Repeat("When it rains, the streets of the town are empty.\n", 9), false},
		{"prose with three clauses", strings.Repeat("When it rains, as it often does, the streets are empty.\n", 9), false},
		{"code", strings.Repeat("x = f(a, b);\n", 20), false},
		{"statements", strings.Repeat("int x = 1;\n", 20), false},
		{"initializers of C", strings.Repeat("    {1, 2, 3},\n", 20), false},
		{"strings of C", strings.Repeat("\"06S\", \"Qi\", \"5L5\", \"4Iu\", \n", 20), false},
		{"members of JSON", strings.Repeat("\"a\": 1,\n", 20), false},
		{"statements of SQL", strings.Repeat("INSERT INTO t VALUES (1, 'a', 2);\n", 20), false},
		{"table of Markdown", "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 20), false},
		{"table of Markdown without outer bars", "a | b\n---|---\n" + strings.Repeat("1 | 2\n", 20), false},
		{"list of Markdown", strings.Repeat("- one, two\n", 20), false},
		{"rules of a makefile", strings.Repeat("\tgo build\n", 20), false},
		{"one line", strings.Repeat("1,", 5000), false},
	} {
		if _, ok := Scan([]byte(c.text), part.Clues{}); ok != c.want {
			t.Errorf("%s: %t", c.rule, ok)
		}
	}
	if _, ok := Scan([]byte("a, b\n1, 2\n"), part.Clues{File: "/srv/x.CSV"}); !ok {
		t.Error("short text in a file named .CSV is refused")
	}
	if _, ok := Scan([]byte("no columns\n"), parttest.Forced); ok {
		t.Error("text without columns is accepted when forced")
	}
}

func TestSchema(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"types and values", "id,name,kind,size,share,ok,day,note\n" + parttest.Lines(40, func(i int) string {
			return fmt.Sprintf("x%d,n%d,%s,%d,%d.5,%t,2026-11-%02d,%s", i, i/3, []string{"b", "a"}[i%2], i-5, i, i%3 == 0, 1+i/2, strings.Repeat("z", (i+1)%2))
		}), "fields: id text unique | name text | kind text b/a | size int -5..34 | share number 0.5..39.5 | ok bool true/false | day text 2026-11-01..2026-11-20 | note text z 50%"},
		{"neighbouring columns of the same description", "a,b,x,y\n" + parttest.Lines(30, func(i int) string { return fmt.Sprintf("%d,%d,%s,%s", i, i, "", "") }), "fields: a, b int 0..29 | x, y empty"},
		{"no header", parttest.Lines(30, func(i int) string { return fmt.Sprintf("%d;v%d", i, i%5) }), "fields between ;: c1 int 0..29 | c2 text 5 values"},
		{"numbers and words are text", "a\tb\n" + parttest.Lines(30, func(i int) string { return fmt.Sprintf("%d\t%s", i, []string{"1", "x", "3", "4", "5", "6"}[i%6]) }), "fields between tabs: a int 0..29 | b text 6 values"},
		{"exponents", "a,b\n" + parttest.Lines(9, func(i int) string { return fmt.Sprintf("%d,%de%d", i, i+1, i-4) }), "fields: a int 0..8 | b number 1e-4..9e4"},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if !ok {
			t.Errorf("%s: refused", c.rule)
			continue
		}
		if d.Lines[0] != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.rule, d.Lines[0], c.want)
		}
	}
	wide := strings.TrimSuffix(strings.Repeat("a_rather_long_name,", 60), ",") + "\n" + strings.Repeat(strings.Repeat("1,", 59)+"1\n", 5)
	if d, ok := Scan([]byte(wide), part.Clues{}); !ok || len(d.Lines[0]) > 500 {
		t.Errorf("60 columns: %t, %v", ok, d.Lines)
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       []string // groups, without records
	}{
		{"sorted column, then the next column", "a,b,v\n" + parttest.Lines(90, func(i int) string { return fmt.Sprintf("g%d,h%d,%d", i/30, i/6%5, i) }), []string{
			"a=g0 | g0: 30 records", " a=g0,b=h0 | h0: 6 records", " a=g0,b=h1 | h1: 6 records", " a=g0,b=h2 | h2: 6 records", " a=g0,b=h3 | h3: 6 records", " a=g0,b=h4 | h4: 6 records",
			"a=g1 | g1: 30 records", " a=g1,b=h0 | h0: 6 records", " a=g1,b=h1 | h1: 6 records", " a=g1,b=h2 | h2: 6 records", " a=g1,b=h3 | h3: 6 records", " a=g1,b=h4 | h4: 6 records",
			"a=g2 | g2: 30 records", " a=g2,b=h0 | h0: 6 records", " a=g2,b=h1 | h1: 6 records", " a=g2,b=h2 | h2: 6 records", " a=g2,b=h3 | h3: 6 records", " a=g2,b=h4 | h4: 6 records"}},
		{"column that classifies records", "Type,v,c\n" + parttest.Lines(40, func(i int) string { return fmt.Sprintf("t%d,%d,%d", i%2, i, i/10) }), []string{
			"Type=t0 | t0: 20 records", "Type=t1 | t1: 20 records"}},
		{"by time", "at,level,v\n" + parttest.Lines(40, func(i int) string {
			return fmt.Sprintf("2026-11-21T%02d:%02d:00,%s,%d", 8+i/20, i%20, []string{"ERROR", "INFO", "INFO", "INFO", "INFO", "INFO"}[i%6], i)
		}), []string{
			"2026-11-21T08 | 2026-11-21T08:00..08:19, 20 records: INFO 16, ERROR 4", "2026-11-21T09 | 2026-11-21T09:00..09:19, 20 records: INFO 17, ERROR 3"}},
		{"months in order, days out of order", "at,v\n" + parttest.Lines(40, func(i int) string { return fmt.Sprintf("2026-%02d-%02d,%d", 3+i/20, 1+i*7%20, i) }), []string{
			"2026-03 | 2026-03-01..2026-03-14, 20 records", "2026-04 | 2026-04-01..2026-04-14, 20 records"}},
		{"few records", "a,b\n" + parttest.Lines(20, func(i int) string { return fmt.Sprintf("g%d,%d", i/5, i) }), nil},
		{"value of nearly all records", "a,b\n" + parttest.Lines(50, func(i int) string { return fmt.Sprintf("g%d,%d", i/45, i) }), nil},
		{"values that name nothing", "a,b\n" + parttest.Lines(60, func(i int) string { return fmt.Sprintf("w%d,%d", i, i*7%60) }), nil},
		{"records without a value", "a,b\n" + parttest.Lines(60, func(i int) string {
			return fmt.Sprintf("%s,%d", []string{"x", "x", "y", "y", "y", "x", "y", "x", "y", "x", "y", ""}[i%12], i)
		}), []string{"a=x | x: 25 records", "a=y | y: 30 records", "a= | no a: 5 records"}},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if !ok {
			t.Errorf("%s: refused", c.rule)
			continue
		}
		var got []string
		for i, line := range parttest.List(d) {
			if d.Parts[i].Kind == part.Group {
				got = append(got, line)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.rule, got, c.want)
		}
		parttest.Check(t, []byte(c.text), d, nil)
	}
}

func TestRecordsAreWholeLines(t *testing.T) {
	text := "\ufeffname,kind,note\r\na,x,\"one\r\ntwo\"\r\n\r\nb,x,\"say \"\"hi\"\"\"\r\nc,x,\"not closed\nd,x,\n"
	d, ok := Scan([]byte(text), part.Clues{File: "a.csv"})
	if !ok {
		t.Fatal("refused")
	}
	want := `L1 | header: name,kind,note
L2 | a, one two
L5 | b, say ""hi""
L6 | c, "not closed
L7 | d`
	if got := strings.Join(parttest.List(d), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if d.Count != "4 records" {
		t.Error(d.Count)
	}
	parttest.Check(t, []byte(text), d, nil)
}

// oracle reads the records with encoding/csv. It returns them by their first lines.
func oracle(b []byte, delimiter byte) (records map[int][]string, order []int, err error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.FieldsPerRecord = rune(delimiter), -1
	records = make(map[int][]string)
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return records, order, nil
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := r.FieldPos(0)
		records[line], order = fields, append(order, line)
	}
}

// agree compares the records and fields with those of encoding/csv, unless that returns an error.
func agree(t *testing.T, name string, b []byte) {
	t.Helper()
	d, ok := guessDialect(b, lines.Start(b), true)
	if !ok {
		return
	}
	want, order, err := oracle(b[lines.Start(b):], d.delimiter)
	if err != nil {
		return
	}
	d.header = false
	table := newTable(b, d)
	table.read(lines.Start(b), lines.Start(b))
	var numbers []int32
	for row := range table.rows() {
		numbers = append(numbers, table.lines.of(row))
	}
	if fmt.Sprint(numbers) != fmt.Sprint(order) && len(order) > 0 {
		t.Fatalf("%s: records on lines %v, want %v", name, numbers, order)
	}
	for i, line := range order {
		at, n := int(table.start[i]), int32(0)
		for _, field := range want[line] {
			start, end, next := table.fields.field(at, &n)
			got := strings.ReplaceAll(string(b[start:end]), "\r\n", "\n")
			if start > at {
				got = strings.ReplaceAll(got, `""`, `"`)
			}
			if got != field {
				t.Fatalf("%s line %d: %q, want %q", name, line, got, field)
			}
			at = next + 1
		}
		checkRecord(t, table, int(table.start[i]))
	}
}

// checkRecord fails unless fieldReader.record returns the same fields as fieldReader.field.
func checkRecord(t *testing.T, table *table, at int) {
	t.Helper()
	row, lines, line := make([]cell.Cell, 40), int32(0), int32(0)
	count, end := table.fields.record(at, row, &lines)
	for n := 0; ; n++ {
		start, stop, next := table.fields.field(at, &line)
		if want := (cell.Cell{Start: int32(start), End: int32(stop)}); n < len(row) && row[n] != want {
			t.Fatalf("field %d is %v, want %v", n, row[n], want)
		}
		if next == len(table.b) || table.b[next] == '\n' {
			if count != n+1 || end != next || lines != line {
				t.Fatalf("%d fields to %d over %d lines, want %d to %d over %d", count, end, lines, n+1, next, line)
			}
			return
		}
		at = next + 1
	}
}

func TestAgreesWithEncodingCSV(t *testing.T) {
	agree(t, "ripgrep", parttest.ReadContent(t, "t-rg-runs.csv"))
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "bb", "", "1", "-2.5", "x y", "\"", "é日本", "line\nbreak", "comma,semi;tab\tbar|", "2026-11-21", "true", " ", "\"\""}
	for i := range 1500 {
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma, w.UseCRLF = []rune(",;\t|")[rnd.IntN(4)], rnd.IntN(2) == 0
		columns := 2 + rnd.IntN(5)
		for range rnd.IntN(30) {
			record := make([]string, columns+rnd.IntN(20)/19)
			for j := range record {
				record[j] = words[rnd.IntN(len(words))]
			}
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		agree(t, fmt.Sprint("text ", i), text.Bytes())
		if d, ok := Scan(text.Bytes(), parttest.Forced); ok {
			parttest.Check(t, text.Bytes(), d, nil)
			if t.Failed() {
				t.Fatalf("%q", text.String())
			}
		}
	}
}

func TestScanBenchmarkResults(t *testing.T) {
	b := parttest.ReadContent(t, "t-rg-runs.csv")
	d, ok := Scan(b, part.Clues{})
	if !ok || d.Count != "1610 records" {
		t.Fatalf("%t %+v", ok, d)
	}
	parttest.Check(t, b, d, nil)
	if got := parttest.List(d)[1]; got != "benchmark=linux_alternates | linux_alternates: 50 records" {
		t.Error(got)
	}
}

// Of more than rows.MaxNamed records only the runs of a sorted column are parts.
func TestGroupsOfManyRecords(t *testing.T) {
	sorted := parttest.Lines(100_000, func(i int) string { return fmt.Sprintf("%s,%d", "ABCDEFGHIJ"[i/10_000:][:1], i*7%100_000) })
	d, ok := Scan([]byte(sorted), part.Clues{})
	if !ok || d.Count != "100000 records" || len(d.Parts) != 10 || d.Parts[9].Kind != part.Plain || parttest.List(d)[9] != "c1=J | J: 10000 records" {
		t.Errorf("sorted: %t %s %.5q", ok, d.Count, parttest.List(d))
	}
	parttest.Check(t, []byte(sorted), d, nil)
	mixed := parttest.Lines(100_000, func(i int) string { return fmt.Sprintf("%s,%d", "ABCDEFGHIJ"[i%10:][:1], i) })
	if d, ok := Scan([]byte(mixed), part.Clues{}); !ok || len(d.Parts) != 0 {
		t.Errorf("mixed: %t, %d parts", ok, len(d.Parts))
	}
}

func TestHostileTexts(t *testing.T) {
	for rule, text := range map[string]string{
		"12 MB on one line":       strings.Repeat("a,", 6_000_000),
		"12 MB in one field":      "a,b\n1,2\n3,4\n5,6\n7,8\n9,0\n1,2\n3,4\n5,\"" + strings.Repeat("x\n", 6_000_000) + "\"\n",
		"quotes without end":      strings.Repeat("a,\"b\n", 500_000),
		"pairs of quotes":         strings.Repeat("\"\"\"\",", 500_000) + strings.Repeat("\n\"\"\",\"", 100_000),
		"delimiters":              strings.Repeat(",\n", 500_000),
		"100,000 columns":         strings.Repeat(strings.Repeat("1,", 100_000)+"\n", 5),
		"a million short records": strings.Repeat("1,2,3,4\n", 1_000_000),
	} {
		for _, clues := range []part.Clues{{}, {File: "x.csv"}, parttest.Forced} {
			if d, ok := Scan([]byte(text), clues); ok {
				parttest.NameFirst(d)
			} else if rule == "a million short records" {
				t.Errorf("%s: refused", rule)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	tested.Fuzz(f, []string{"a,b\n1,2\n3,4\n", "a;\"b\n\";\r\n", "\ufeffa\tb\n\n\"\"\tc\n", "x|y\n|\n", "a,\"b\"c\nd,e\n", "2026-11-21,1e9\n2026-11-22,-.5\n", "in every record: a\n[2]{a,b}:\n  1,2\n  3,4\n"}, func(t *testing.T, b []byte) { agree(t, "text", b) })
}

func BenchmarkScan(b *testing.B) {
	text := parttest.ReadContent(b, "t-rg-runs.csv")
	tested.Bench(b, text)
}

func BenchmarkNames(b *testing.B) {
	text := parttest.ReadContent(b, "t-rg-runs.csv")
	d, _ := Scan(text, part.Clues{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var n part.Name
	for b.Loop() {
		for i := range d.Parts {
			n.ID, n.Title = n.ID[:0], n.Title[:0]
			d.Name(i, &n)
		}
	}
}

func TestDistinctValues(t *testing.T) {
	words := []string{"a", "a\x00", "ab", "12345678", "123456789", "12345678-12345678", "12345678+12345678", "1234567", "b"}
	text := []byte(strings.Join(words, ",") + "," + strings.Join(words, ","))
	var v values
	for at, i := 0, 0; i < 2*len(words); i++ {
		c := cell.Cell{Start: int32(at), End: int32(at + len(words[i%len(words)]))}
		if got, want := v.add(text, c), uint16(i%len(words)+1); got != want {
			t.Errorf("%q is value %d, want %d", words[i%len(words)], got, want)
		}
		at = int(c.End) + 1
	}
}

// A forced table is read to its end, even if few lines have the fields of the first.
func TestForcedTextIsReadToItsEnd(t *testing.T) {
	text := strings.Repeat("a,b,c\n", 600) + strings.Repeat("no table\n", 5000)
	doc, ok := Scan([]byte(text), part.Clues{Forced: true})
	if !ok || doc.Count != "5600 records" || int(doc.Parts[len(doc.Parts)-1].End) != len(text) {
		t.Errorf("%t, %+v", ok, doc)
	}
}
