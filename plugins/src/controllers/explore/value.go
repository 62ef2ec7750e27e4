package explore

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonplace"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// value is a JSON value in a content. The host parses the JSON; the guest copies only
// keys.
type value struct {
	in      *document
	json    stage.Buf // content or a view of it
	base    int       // offset of json in the content
	pointer string    // JSON pointer in json
	at      stage.Span
	path    string
}

// document is a content in JSON.
type document struct {
	stage.Buf
	keys window
}

// readValues returns an iterator over the JSON values of a content: one value, or one per
// line. ok is false if the content is not JSON.
func readValues(b stage.Buf) (list func(yield func(value) bool), lines, ok bool) {
	d := &document{Buf: b, keys: window{b: b}}
	if at, _, err := b.JSON().Span(""); err == nil {
		return func(yield func(value) bool) { yield(value{in: d, json: b, at: at}) }, false, true
	}
	if !firstLineIsObject(b) {
		return nil, false, false
	}
	return d.eachLine, true, true
}

func firstLineIsObject(b stage.Buf) bool {
	for line := range b.Lines(0) {
		v, err := b.View(line.Start, line.Len())
		if err != nil {
			return false
		}
		defer v.Free()
		kind, err := v.JSON().Kind("")
		return err == nil && kind == stage.KindObject
	}
	return false
}

// eachLine iterates over the lines that are JSON; other lines are skipped.
func (d *document) eachLine(yield func(value) bool) {
	n := 0
	for line := range d.Lines(0) {
		v, err := d.View(line.Start, line.Len())
		if err != nil {
			return
		}
		at, _, err := v.JSON().Span("")
		more := true
		if err == nil {
			more = yield(value{in: d, json: v, base: line.Start, at: shift(at, line.Start), path: "[" + strconv.Itoa(n) + "]"})
		}
		v.Free()
		if n++; !more {
			return
		}
	}
}

func shift(s stage.Span, by int) stage.Span { return stage.Span{Start: s.Start + by, End: s.End + by} }

func (v value) kind() stage.Kind { return v.in.kind(v.at) }

func (v value) isContainer() bool { return v.in.isContainer(v.at) }

// kind derives the kind of a value from its first byte.
func (d *document) kind(at stage.Span) stage.Kind {
	switch d.keys.readByte(at.Start) {
	case '{':
		return stage.KindObject
	case '[':
		return stage.KindArray
	case '"':
		return stage.KindString
	case 't', 'f':
		return stage.KindBool
	case 'n':
		return stage.KindNull
	}
	return stage.KindNumber
}

func (d *document) isContainer(at stage.Span) bool {
	k := d.kind(at)
	return k == stage.KindObject || k == stage.KindArray
}

func (v value) len() int { n, _ := v.json.JSON().Len(v.pointer); return n }

// child is a member or element.
type child struct {
	i         int
	key       string     // decoded
	keyAt, at stage.Span // spans in the content
}

// each iterates over the children.
func (v value) each(yield func(child) bool) {
	object := v.kind() == stage.KindObject
	for i, c := range v.json.JSON().Each(v.pointer) {
		k := child{i: i, at: shift(c.Value, v.base)}
		if object {
			k.keyAt = shift(c.Key, v.base)
			k.key = v.in.keys.readKey(k.keyAt)
		}
		if !yield(k) {
			return
		}
	}
}

// child returns the value of a child. A pointer finds only the first member with a
// name, so a later duplicate gets a view of its own.
func (v value) child(c child) value {
	to := value{in: v.in, json: v.json, base: v.base, at: c.at}
	if c.keyAt.Len() == 0 {
		to.pointer, to.path = v.pointer+"/"+strconv.Itoa(c.i), v.path+"["+strconv.Itoa(c.i)+"]"
		return to
	}
	to.pointer, to.path = v.pointer+stage.Pointer(c.key), jsonplace.Key(v.path, c.key)
	if found, _, err := v.json.JSON().Span(to.pointer); err != nil || found.Start+v.base != c.at.Start {
		if view, err := v.in.View(c.at.Start, c.at.Len()); err == nil {
			to.json, to.base, to.pointer = view, c.at.Start, ""
		}
	}
	return to
}

// window caches small reads that are near each other.
type window struct {
	b    stage.Buf
	at   int
	read []byte
	room [4096]byte
}

// readAt returns up to n bytes at an offset, valid until the next call.
func (w *window) readAt(at, n int) []byte {
	if at < w.at || at+n > w.at+len(w.read) {
		m, _ := w.b.ReadAt(w.room[:], int64(at))
		w.at, w.read = at, w.room[:m]
	}
	return w.read[at-w.at : min(at-w.at+n, len(w.read))]
}

func (w *window) readByte(at int) byte {
	if b := w.readAt(at, 1); len(b) > 0 {
		return b[0]
	}
	return 0
}

// maxKey is the number of bytes of a key that are read.
const maxKey = 2048

func (w *window) readKey(at stage.Span) string {
	literal := w.readAt(at.Start, min(at.Len(), maxKey))
	return string(json.Unquote(nil, literal, maxKey))
}
