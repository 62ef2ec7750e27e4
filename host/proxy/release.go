package proxy

// releaseServers closes the connections of a session without ending it, so that
// servers which no other session uses stop. The next request connects again. A call
// that runs ends first. A session that has made a task keeps its servers, since tasks
// run without a request.
func (s *Session) releaseServers() {
	if s.madeTask.Load() {
		return
	}
	s.links.mu.Lock()
	defer s.links.mu.Unlock()
	s.links.released.Store(true)
	for _, n := range s.links.byName {
		if !s.finishLater(n) {
			s.retire(n)
		}
	}
}

// reconnect makes the connections that were released.
func (s *Session) reconnect() {
	s.links.mu.Lock()
	defer s.links.mu.Unlock()
	if s.links.closed || !s.links.released.Swap(false) {
		return
	}
	for name, n := range s.links.byName {
		if n.retired {
			s.links.byName[name] = s.connect(n.server)
		}
	}
}

// releasedLink is a link that connects when it is used.
func releasedLink(server Server) *link {
	n := &link{server: server, greeted: make(chan struct{}), retired: true}
	close(n.greeted)
	return n
}

// isReleased reports whether a server is not connected to until a request needs it.
func (l *links) isReleased(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.byName[name]
	return n != nil && n.retired
}
