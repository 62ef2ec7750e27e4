// Package proxytest holds what tests of every way through the proxy have in
// common: a server whose answers hold all that other proxies lose, the comparison
// that finds a loss, and messages that smuggle a second meaning past a reader.
package proxytest

import (
	"fmt"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Differences compares an answer of a server with what came through, value by
// value as it is spelled, and says what was lost, added or changed: nothing if
// the two are equal but for white space.
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

// flatten lists every scalar and empty container of a JSON text with its path,
// in order, each exactly as it is spelled.
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
