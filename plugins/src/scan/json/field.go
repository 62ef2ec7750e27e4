package json

// field is a member of an object that is a leaf, as offsets in that: rows of a
// table need not be read again. What is more than maxField bytes long has none.
type field struct{ key, keyEnd, start, end uint16 }

const maxField = 1<<16 - 1

// fields are the fields of all leaves, those of one leaf in one piece. They are
// kept page by page: a slice that grows would leave its smaller selves behind,
// which counts against the guest.
type fields struct {
	pages [][]field
	last  int // fields on the last page
	kept  int
}

const (
	fieldPage  = 1 << 10
	fieldRoom  = 1 << 6 // a leaf finds room for as many
	fieldShare = 24     // there are as many as one for so many bytes of the text
)

// room is where the fields of the next leaf go, in a text of n bytes.
func (f *fields) room(n int) []field {
	if f.kept >= n/fieldShare {
		return nil
	}
	if len(f.pages) == 0 || fieldPage-f.last < fieldRoom {
		f.pages = append(f.pages, make([]field, fieldPage))
		f.last = 0
	}
	return f.pages[len(f.pages)-1][f.last:]
}

// keep keeps the first n of the room and says where they are.
func (f *fields) keep(n int) int32 {
	place := int32((len(f.pages)-1)*fieldPage+f.last) + 1
	f.last += n
	f.kept += n
	return place
}

// at are n fields that were kept.
func (f *fields) at(place, n int32) []field {
	place--
	return f.pages[place/fieldPage][place%fieldPage:][:n]
}
