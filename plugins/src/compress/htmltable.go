package compress

import (
	"bytes"
	"strconv"
)

// Limits of cells that a span adds, so that they cannot outgrow the content.
const (
	maxSpan    = 16
	maxColumns = 64
)

// table is an open table. Its rows are lines with a bar before each cell. If a cell of a row
// contains blocks, the rest of the row is layout: its cells are paragraphs.
type table struct {
	rows    int
	column  int    // of the open cell, -1 before the first one of a row
	width   int    // columns of the open cell
	bars    []byte // cells of the row that are not written, because no text followed
	written bool   // a cell of the row was written
	broken  bool   // a cell of the row contains blocks
	isHead  bool   // all cells of the row are headers
	spans   [maxColumns]uint8
}

func (r *reader) table() *table {
	if len(r.tables) == 0 {
		return nil
	}
	return &r.tables[len(r.tables)-1]
}

// startTable reads the start tag of a table, row or cell.
func (r *reader) startTable() {
	t := r.table()
	switch {
	case r.Name == "table":
		r.leaveCell()
		r.separate(blankLine)
		r.tables = append(r.tables, table{column: -1, isHead: true})
	case t == nil:
		r.separate(lineEnd)
	case r.Name == "tr":
		r.endRow(t)
	default:
		r.startCell(t)
	}
}

// endTable reads the end tag of a table, row or cell.
func (r *reader) endTable() {
	t := r.table()
	switch {
	case t == nil:
		r.separate(lineEnd)
	case r.Name == "table":
		r.endRow(t)
		r.tables = r.tables[:len(r.tables)-1]
		r.separate(blankLine)
	case r.Name == "tr":
		r.endRow(t)
	default:
		r.endCell(t)
	}
}

func (r *reader) startCell(t *table) {
	r.endCell(t)
	if t.broken {
		r.separate(lineEnd)
		return
	}
	t.column++
	t.addSpanned()
	t.bars = append(t.bars, "| "...)
	t.isHead = t.isHead && r.Name == "th"
	t.width = spanOf(r.Attribute("colspan"))
	rows := spanOf(r.Attribute("rowspan"))
	for c := t.column; c < min(t.column+t.width, maxColumns); c++ {
		t.spans[c] = uint8(rows - 1)
	}
	r.inCell = true
	r.separate(blank)
}

// addSpanned adds the cells of rows above that continue here.
func (t *table) addSpanned() {
	for t.column < maxColumns && t.spans[t.column] > 0 {
		t.spans[t.column]--
		t.bars = append(t.bars, "| ^ "...)
		t.column++
	}
}

// spanOf returns the number of rows or columns of a cell.
func spanOf(value []byte) int {
	n, _ := strconv.Atoi(string(bytes.TrimSpace(value)))
	return min(max(n, 1), maxSpan)
}

// openCell writes the bars before text in a cell.
func (r *reader) openCell() {
	t := r.table()
	if t == nil || !r.inCell || len(t.bars) == 0 {
		return
	}
	r.writeBars(t)
	r.gap = blank
}

func (r *reader) writeBars(t *table) {
	if t.written {
		r.gap = blank
	} else {
		r.gap = max(lineEnd, r.gap)
		if t.rows == 0 {
			r.gap = blankLine
		}
	}
	r.write(string(bytes.TrimRight(t.bars, " ")))
	t.bars, t.written = t.bars[:0], true
}

// endCell ends the text of a cell. The further columns that it spans are empty.
func (r *reader) endCell(t *table) {
	if !r.inCell {
		return
	}
	r.inCell = false
	for ; t.width > 1; t.width-- {
		t.bars = append(t.bars, "| "...)
		t.column++
	}
}

// leaveCell ends the line of a row before a block in a cell. It ends a heading too.
func (r *reader) leaveCell() {
	r.inHeading = false
	if t := r.table(); t != nil && r.inCell {
		r.endCell(t)
		t.bars, t.broken = t.bars[:0], true
		r.separate(lineEnd)
	}
}

// endRow ends the line of a row.
func (r *reader) endRow(t *table) {
	r.endCell(t)
	if t.column++; t.column > 0 {
		t.addSpanned()
	}
	switch {
	case t.broken || !t.written:
		r.separate(lineEnd)
	default:
		if len(t.bars) > 0 {
			r.writeBars(t)
		}
		r.gap = blank
		r.write("|")
		r.gap = lineEnd
		if t.rows++; t.rows == 1 && t.isHead {
			r.write("|")
			for range t.column {
				r.write("---|")
			}
			r.gap = lineEnd
		}
	}
	t.column, t.width, t.bars, t.written, t.broken, t.isHead = -1, 0, t.bars[:0], false, false, true
}
