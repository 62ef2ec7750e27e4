package csv

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
)

func TestReaderReadsWhatEncodingCSVReads(t *testing.T) {
	for _, in := range []string{
		"a,b\n1,\"x, \"\"y\"\"\"\n\n2,\"two\nlines\"\n3,\"\"\n", "\ufeffa;b;c\r\n1;2;\"3\"\r\n4;\" 5\";6", strings.Repeat("x\ty\n", 9),
	} {
		r, ok := NewReader([]byte(in), true)
		if !ok {
			t.Fatalf("%q is refused", in)
		}
		oracle := csv.NewReader(strings.NewReader(strings.TrimPrefix(in, "\ufeff")))
		oracle.Comma = rune(r.Delimiter)
		want, err := oracle.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for i := range want {
				var got []string
				for r.Next(); len(got) < len(r.Row); {
					got = append(got, string(r.Bytes(r.Row[len(got)])))
				}
				if !slices.Equal(got, want[i]) {
					t.Errorf("%q: record %d is %q, want %q", in, i, got, want[i])
				}
			}
			if r.Next() {
				t.Errorf("%q: more than %d records", in, len(want))
			}
			r.Rewind()
		}
	}
}
