package serve

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of connections. A client that is not known may open them as well.
const (
	headerLimit  = 10 * time.Second // to send a header
	bodyLimit    = time.Minute      // to send a body
	unknownLimit = 5 * time.Second  // to send the body of a request that is refused
	idleLimit    = 2 * time.Minute  // between two requests
)

// newServer returns a server with these limits.
func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: withBodyLimit(h, bodyLimit), ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit}
}

// withBodyLimit limits the time that a client may take to send a body. A stream of answers
// has no limit.
func withBodyLimit(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			c := http.NewResponseController(w)
			if c.SetReadDeadline(time.Now().Add(limit)) == nil {
				r.Body = &timedBody{r.Body, c}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is the body of a request whose connection has a deadline. The server reads the
// connection until the request ends, to see whether the client is gone, so the deadline is
// removed after the body.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.connection.SetReadDeadline(time.Time{}) // it was set before
	}
	return n, err
}

// limitedListener limits the connections that are open at the same time. Further ones wait
// in the queue of the system.
type limitedListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limitListener(l net.Listener, n int) net.Listener {
	return &limitedListener{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close implements net.Listener.
func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
