// Package textdiff shows in which lines two texts differ.
package textdiff

import (
	"fmt"
	"strings"
)

// context is how many unchanged lines are shown round a change.
const context = 2

// most is how many pairs of lines are compared; beyond that what differs in the
// middle is shown as one change.
const most = 2_000_000

// Lines is the difference of two texts as diff -u shows it, empty if there is none.
// A text that does not end a line says so.
func Lines(oldName, newName, old, now string) string {
	if old == now {
		return ""
	}
	edits := compare(split(old), split(now))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	shown := -1 // the last edit that was printed
	for i, e := range edits {
		if e.mark == ' ' {
			continue
		}
		from := max(i-context, shown+1)
		if from > shown+1 || shown < 0 {
			fmt.Fprintf(&b, "@@ line %d @@\n", edits[from].line)
		}
		for j := from; j <= i; j++ {
			edits[j].print(&b)
		}
		shown = i
		for shown+1 < len(edits) && shown < i+context && edits[shown+1].mark == ' ' {
			shown++
			edits[shown].print(&b)
		}
	}
	return b.String()
}

// edit is a line that both have (' '), or one of them.
type edit struct {
	mark byte
	line int // in the new text, from 1
	text string
}

func (e edit) print(b *strings.Builder) {
	b.WriteByte(e.mark)
	b.WriteString(strings.TrimSuffix(e.text, "\n"))
	b.WriteByte('\n')
	if !strings.HasSuffix(e.text, "\n") {
		b.WriteString("\\ no newline at the end\n")
	}
}

func split(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, l)
	}
	return lines
}

// compare finds the fewest lines to take out and to put in.
func compare(old, now []string) []edit {
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(now)-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	var edits []edit
	for i := range head {
		edits = append(edits, edit{' ', i + 1, now[i]})
	}
	edits = append(edits, middle(old[head:len(old)-tail], now[head:len(now)-tail], head)...)
	for i := len(now) - tail; i < len(now); i++ {
		edits = append(edits, edit{' ', i + 1, now[i]})
	}
	return edits
}

// middle compares by the longest common subsequence.
func middle(old, now []string, at int) (edits []edit) {
	common := make([][]int32, 0, len(old)+1)
	if len(old)*len(now) <= most {
		common = lengths(old, now)
	}
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case len(common) > 0 && i < len(old) && j < len(now) && old[i] == now[j]:
			edits = append(edits, edit{' ', at + j + 1, now[j]})
			i, j = i+1, j+1
		case i < len(old) && (j == len(now) || len(common) == 0 || common[i+1][j] >= common[i][j+1]):
			edits = append(edits, edit{'-', at + j + 1, old[i]})
			i++
		default:
			edits = append(edits, edit{'+', at + j + 1, now[j]})
			j++
		}
	}
	return edits
}

// lengths are of the longest common subsequences of what follows each pair of lines.
func lengths(old, now []string) [][]int32 {
	t := make([][]int32, len(old)+1)
	for i := range t {
		t[i] = make([]int32, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if t[i][j] = max(t[i+1][j], t[i][j+1]); old[i] == now[j] {
				t[i][j] = t[i+1][j+1] + 1
			}
		}
	}
	return t
}
