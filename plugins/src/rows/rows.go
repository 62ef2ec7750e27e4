// Package rows holds the policy that all scanners share for long lists of rows:
// which fields name or classify a row, when groups of rows are useful, and how
// groups and columns are described in one line.
//
// A row is an element of an array, a record of a table or log, a document or an
// element of markup. The package knows no content type and reads no text: callers
// pass names, counts and captions. Divide assigns rows to groups by a label, Schema
// builds the line that describes columns, and Records turns grouped records into
// the parts of a document.
package rows

import "slices"

// Limits of lists, names and titles.
const (
	MaxLines  = 24                  // entries in one list; a list of at most this many needs no groups
	MaxNested = MaxLines * MaxLines // groups of one field, if a list of them may nest
	MaxLevels = 3                   // levels of nested groups
	MaxNamed  = 60_000              // records that get a part each; of more only groups do
	MaxID     = 40                  // bytes of a value that serves as an id
	MaxTitle  = 80                  // bytes of a title that the host shows
)

var (
	// KindFields are fields that usually classify a row, the best first.
	KindFields = []string{"type", "kind", "category", "status", "state", "level", "division"}
	// MixFields are fields of which the title of a group lists the most frequent
	// values, the best first.
	MixFields = []string{"type", "kind", "category", "level", "severity", "status", "state", "response", "code"}
	// IDFields are fields with values that serve as ids of rows, the best first.
	IDFields = []string{"id", "name", "key", "title"}
	// ReferencedFields are fields by which other rows refer to a row.
	ReferencedFields = []string{"id", "_id", "ts", "uid", "key", "name", "number"}
)

// IsMost reports whether n is at least nine tenths of all.
func IsMost(n, all int) bool { return n*10 >= all*9 }

// IsDominant reports whether n is more than four fifths of all. A group that is
// dominant is no help: a reader has to look into it anyway.
func IsDominant(n, all int) bool { return n*5 > all*4 }

// MinShare returns how many rows the groups of a field must have on average: few if
// the field usually classifies rows, many if its values are numbers, which rarely
// name anything.
func MinShare(field string, numbers bool) int {
	switch {
	case slices.Contains(KindFields, field):
		return 2
	case numbers:
		return 8
	}
	return 3
}

// Partition returns an empty slice for each count, with the capacity of that count.
// They share the given memory, which must hold all of them: slices that grow by
// append would waste memory, and a guest never returns memory.
func Partition(memory, counts []int32) [][]int32 {
	out := make([][]int32, len(counts))
	for i, n := range counts {
		out[i], memory = memory[:0:n], memory[n:]
	}
	return out
}
