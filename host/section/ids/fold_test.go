package ids

import "testing"

func TestNaturalLess(t *testing.T) {
	for _, ascending := range [][]string{
		{"L1", "L9", "L10", "L100"}, {"apple", "Banana", "cherry"}, {"a", "a-2", "a-10", "b"}, {"1", "02", "3"}, {"0.9", "0.10", "1.0"},
	} {
		for i := 1; i < len(ascending); i++ {
			if !NaturalLess(ascending[i-1], ascending[i]) || NaturalLess(ascending[i], ascending[i-1]) {
				t.Errorf("%q is not less than %q", ascending[i-1], ascending[i])
			}
		}
	}
}
