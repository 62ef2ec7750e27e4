// Package proxytest supports tests of the proxy and of its fronts: a server whose answers
// contain everything that other proxies lose, a comparison that finds the losses, messages
// that smuggle a second meaning past a lenient reader, and a pipeline in memory.
package proxytest

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Differences returns the values that were lost, added or changed between the answer of
// a server and the answer that came through. Values are compared by spelling; white space
// between them is ignored.
func Differences(direct, through string) []string {
	want, got := flatten(direct), flatten(through)
	var all []string
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			all = append(all, "lost "+want[i])
		case i >= len(want):
			all = append(all, "added "+got[i])
		case got[i] != want[i]:
			return append(all, fmt.Sprintf("got %s, want %s", got[i], want[i]))
		}
	}
	return all
}

// flatten returns every scalar and empty container of a JSON text with its path, in
// order and as it is spelled.
func flatten(text string) []string {
	var all []string
	b := []byte(text)
	var walk func(path string, m jsonspan.Member)
	walk = func(path string, m jsonspan.Member) {
		n := 0
		jsonspan.Children(b, m.Start, func(c jsonspan.Member) bool {
			step := fmt.Sprint(n)
			if c.KeyEnd > 0 {
				step = string(b[c.KeyStart:c.KeyEnd])
			}
			walk(path+"/"+step, c)
			n++
			return true
		})
		if n == 0 {
			all = append(all, path+" = "+string(b[m.Start:m.End]))
		}
	}
	walk("", jsonspan.Member{Start: 0, End: len(b)})
	return all
}
