package json

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var recordOptions = Options{Leaf: 3000, Record: 6000, Top: 6000, Nodes: 1 << 16, Depth: 64}

func TestRecordsNeedNineInTen(t *testing.T) {
	good, bad := "{\"a\":1}\n", "oops\n"
	for _, c := range []struct {
		rule string
		text string
		want bool
		tops int
	}{
		{"two lines", good + good, true, 2},
		{"one line is a document, not records", good, false, 0},
		{"blank lines do not count", good + "\n\n" + good + "\n", true, 2},
		{"CRLF", "{}\r\n[]\r\n", true, 2},
		{"no last line end", good + "[2]", true, 2},
		{"concatenated values", `{"a":1}{"b":2}[3]`, true, 3},
		{"values over several lines", "{\n \"a\": 1\n}\n{\n \"b\": 2\n}\n", true, 2},
		{"one bad line in ten", strings.Repeat(good, 9) + bad, true, 10},
		{"a bad line first", bad + strings.Repeat(good, 9), true, 10},
		{"two bad lines in ten", strings.Repeat(good, 8) + bad + bad, false, 0},
		{"numbers are no records", "1\n2\n3\n", false, 0},
		{"text", "hello\nworld\n", false, 0},
		{"log in brackets", "[info] a\n[warn] b\n[info] c\n", false, 0},
	} {
		s := New([]byte(c.text), recordOptions)
		ok := s.Records(0)
		if ok != c.want || ok && s.Len() != c.tops {
			t.Errorf("%s: ok %t with %d nodes, want %t with %d", c.rule, ok, s.Len(), c.want, c.tops)
		}
	}
}

func TestOnlyLargeRecordIsSplit(t *testing.T) {
	text := "{\"a\":1}\n{\"long\":\"" + strings.Repeat("x", 7000) + "\",\"b\":2}\n{\"a\":3}\n"
	s := New([]byte(text), recordOptions)
	if !s.Records(0) || s.Len() != 5 || s.IsSplit(0) || !s.IsSplit(1) || s.IsSplit(4) {
		t.Errorf("nodes %+v", nodes(s))
	}
}

// checkLines fails unless the extended records are in order and only white space is between
// them.
func checkLines(t *testing.T, s *Scanner) {
	t.Helper()
	last := 0
	for i := int32(0); i < int32(s.Len()); i = s.Next(i) {
		start, end := ExtendToLines(s.b, int(s.Node(i).Start), int(s.Node(i).End))
		if start < last || end <= start || start > int(s.Node(i).Start) || end < int(s.Node(i).End) {
			t.Fatalf("record %d: [%d,%d) after %d", i, start, end, last)
		}
		if gap := s.b[last:start]; SkipSpace(gap, 0) != len(gap) {
			t.Fatalf("record %d: %q before it is in no record", i, gap)
		}
		last = end
	}
	if rest := s.b[last:]; SkipSpace(rest, 0) != len(rest) {
		t.Fatalf("%q after the last record is in no record", rest)
	}
}

func TestRecordsOfLogAreItsLines(t *testing.T) {
	b, err := os.ReadFile("../../../../testdata/content/nd-nginx.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	s := New(b, recordOptions)
	if !s.Records(0) || s.Len() != bytes.Count(b, []byte("\n")) {
		t.Fatalf("%d records, want one for each line", s.Len())
	}
	checkLines(t, s)
}

func TestTruncatedDocumentIsRefusedInLinearTime(t *testing.T) {
	text := strings.Repeat("[\n", 1<<20) // each line begins a value that never ends
	if New([]byte(text), recordOptions).Records(0) {
		t.Error("accepted")
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n[2] {}\n"))
	f.Add([]byte("{}\r\n\r\n  {}\t\nx\n{}{}{}{}{}{}{}{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			t.Skip()
		}
		s := New(b, Options{Leaf: 8, Record: 16, Top: 16, Nodes: 100, Depth: 4})
		if s.Records(0) && s.depth >= 0 {
			checkTree(t, s)
			checkLines(t, s)
		}
	})
}
