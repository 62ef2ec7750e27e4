package csv

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A text that isIrregular refuses is no sample of a table.
func TestIrregularTextIsNoTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", ",", ",", "\n", "\n", "\r\n", "\"", "\",\"", "\"a,b\"", "\n\n", "bcd,e\n", "a,b,c\n"}
	irregular := 0
	for range 5000 {
		few := make([]string, 2+rnd.IntN(3))
		for i := range few {
			few[i] = pieces[rnd.IntN(len(pieces))]
		}
		var text strings.Builder
		for range rnd.IntN(300) {
			text.WriteString(few[rnd.IntN(len(few))])
		}
		b := []byte(text.String())
		if c := newFieldReader(b, ','); !c.isIrregular(0) {
			continue
		}
		irregular++
		if s := takeSample(b, 0, ','); s.columns >= 2 && s.same*10 >= s.rows*9 {
			t.Fatalf("%d of %d records have %d fields: %q", s.same, s.rows, s.columns, b)
		}
	}
	if irregular == 0 {
		t.Error("isIrregular never returned true")
	}
}
