package proxy

import (
	"strings"
	"sync"
	"unicode/utf16"
)

// instructions are those of joined within what a client shows of them.
func instructions(said string, all []greeting, limit int) string {
	return cutLines(joined(said, all), limit)
}

// joined is what controllers say and what the servers tell the model about
// themselves, each under its name if there are several.
func joined(said string, all []greeting) string {
	var texts []string
	if said = strings.TrimSpace(said); said != "" {
		texts = append(texts, said)
	}
	for _, g := range all {
		text := strings.TrimSpace(g.instructions)
		switch {
		case text == "":
		case len(all) == 1:
			texts = append(texts, g.instructions)
		default:
			texts = append(texts, g.server+":\n"+text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// lateServers are the servers whose instructions were not known at initialize. The zero
// value has none. Safe for concurrent use.
type lateServers struct {
	mu        sync.Mutex
	servers   []Server
	announced bool // the model was told that they are starting
}

func (l *lateServers) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.servers) > 0
}

// lateInstructions returns the instructions of servers that have been reported since
// initialize, for the answer of a call; each is returned once. With announce it also
// names, once, the servers that are still starting.
func (s *Session) lateInstructions(announce bool) (texts [][]byte) {
	l := &s.late
	l.mu.Lock()
	defer l.mu.Unlock()
	var waiting []Server
	var starting []string
	for _, server := range l.servers {
		caps, text := s.e.catalog.greeting(s.scope.Subject, server)
		text = strings.TrimSpace(text)
		switch {
		case caps == nil:
			waiting = append(waiting, server)
			if yes, _ := s.links.starting(server.Name); yes {
				starting = append(starting, server.Name)
			}
		case text != "":
			texts = append(texts, []byte("Instructions of server "+server.Name+":\n"+cutLines(text, s.profile.InstructionsChars)))
		}
	}
	l.servers = waiting
	if announce && !l.announced && len(starting) > 0 {
		l.announced = true
		texts = append(texts, []byte("Still starting: "+strings.Join(starting, ", ")+". Their tools and instructions follow."))
	}
	return texts
}

// characters counts text as clients do: UTF-16 units.
func characters(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// cutLines cuts text to at most limit UTF-16 units, as clients count, at the end
// of a line if there is one in the second half, else between two characters.
func cutLines(text string, limit int) string {
	units, cut := 0, 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > limit {
			text = text[:i]
			if cut = strings.LastIndexByte(text, '\n'); cut > i/2 {
				text = text[:cut]
			}
			return text
		}
	}
	return text
}
