package section

import (
	"bytes"
	"sort"
	"sync"
)

// lineBlock is after how many bytes a table of lines counts on: of a 32 MiB text
// it has 512 entries, and to name or find a line looks at one block.
const lineBlock = 64 << 10

// lineTable says where the lines of a text are. It is made by the first who
// asks; the zero value is ready.
type lineTable struct {
	once   sync.Once
	before []int // line ends before each block
}

var lineEnd = []byte{'\n'}

func (sp *space) lineTable() []int {
	sp.lines.once.Do(func() {
		n := 0
		for at := 0; at <= len(sp.text); at += lineBlock {
			sp.lines.before = append(sp.lines.before, n)
			n += bytes.Count(sp.text[at:min(at+lineBlock, len(sp.text))], lineEnd)
		}
	})
	return sp.lines.before
}

// lineEnds counts the line ends before at.
func (sp *space) lineEnds(at int) int {
	block := at / lineBlock
	return sp.lineTable()[block] + bytes.Count(sp.text[block*lineBlock:at], lineEnd)
}

// lineStart returns where the line begins that n line ends are before, or the
// end of the text.
func (sp *space) lineStart(n int) int {
	before := sp.lineTable()
	block := sort.Search(len(before), func(i int) bool { return before[i] >= n }) - 1
	if block < 0 {
		return 0
	}
	at := block * lineBlock
	for n -= before[block]; n > 0; n-- {
		i := bytes.IndexByte(sp.text[at:], '\n')
		if i < 0 {
			return len(sp.text)
		}
		at += i + 1
	}
	return at
}
