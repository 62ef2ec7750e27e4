package json

// field is a member of an object that is a leaf, as offsets in that object, so that the rows
// of a table need not be read again. An object of more than maxField bytes has no fields.
type field struct{ key, keyEnd, start, end uint16 }

const maxField = 1<<16 - 1

// fields contains the fields of all leaves, those of one leaf in one piece. They are kept in
// pages, because a slice that grows leaves its smaller copies allocated, and a guest never
// returns memory.
type fields struct {
	pages [][]field
	last  int // fields on the last page
	kept  int
}

const (
	fieldPage  = 1 << 10
	fieldRoom  = 1 << 6 // there is room for the fields of a leaf up to this number
	fieldShare = 24     // there is at most one for this many bytes of the text
)

// allocate returns memory for the fields of the next leaf, in a text of n bytes.
func (f *fields) allocate(n int) []field {
	if f.kept >= n/fieldShare {
		return nil
	}
	if len(f.pages) == 0 || fieldPage-f.last < fieldRoom {
		f.pages = append(f.pages, make([]field, fieldPage))
		f.last = 0
	}
	return f.pages[len(f.pages)-1][f.last:]
}

// keep keeps the first n of the free fields and returns their place.
func (f *fields) keep(n int) int32 {
	place := int32((len(f.pages)-1)*fieldPage+f.last) + 1
	f.last += n
	f.kept += n
	return place
}

// at returns n fields that were kept at a place.
func (f *fields) at(place, n int32) []field {
	place--
	return f.pages[place/fieldPage][place%fieldPage:][:n]
}
