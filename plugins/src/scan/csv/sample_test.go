package csvscan

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What differ refuses is no sample of a table either.
func TestRecordsThatDifferMakeNoTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", ",", ",", "\n", "\n", "\r\n", "\"", "\",\"", "\"a,b\"", "\n\n", "bcd,e\n", "a,b,c\n"}
	refused := 0
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
		if c := newCells(b, ','); !c.differ(0) {
			continue
		}
		refused++
		if s := take(b, 0, ','); s.columns >= 2 && s.same*10 >= s.rows*9 {
			t.Fatalf("%d of %d records have %d fields: %q", s.same, s.rows, s.columns, b)
		}
	}
	if refused == 0 {
		t.Error("none is refused")
	}
}
