package imports

import (
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// Many indexes of many sections would be printed for minutes, after the call.
func TestIndexesListLimitedSections(t *testing.T) {
	flat := make([]abi.Section, abi.LimitSections)
	for i := range flat {
		flat[i].Parent = -1
	}
	nested := []abi.Section{{Parent: -1}, {Parent: 0}, {Parent: 0}}
	marks := func(n, section int) []abi.Mark {
		all := make([]abi.Mark, n)
		for i := range all {
			all[i].Section = section
		}
		return all
	}
	for _, tt := range []struct {
		rule     string
		marks    []abi.Mark
		sections []abi.Section
		refused  bool
	}{
		{"none", nil, flat, false},
		{"as many as are allowed", marks(4, -1), flat, false},
		{"one more", marks(5, -1), flat, true},
		{"many of few sections", marks(maxMarks, 0), nested, false},
		{"many of a section without children", marks(maxMarks, 7), flat, false},
	} {
		if err := checkMarks(tt.marks, tt.sections); errors.Is(err, abi.ErrLimit) != tt.refused {
			t.Errorf("%s: %v", tt.rule, err)
		}
	}
}
