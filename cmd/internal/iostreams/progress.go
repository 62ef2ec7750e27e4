package iostreams

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is how long work may take before progress is shown.
const patience = 300 * time.Millisecond

// Progress shows at a terminal, after a moment, that work goes on and for how long;
// the line is removed when the work is done. Elsewhere it prints nothing. The returned
// func must be called; it may be called twice.
func (s *Streams) Progress(what string) (done func()) {
	return s.ProgressOf(func() string { return what })
}

// ProgressOf is like Progress, but calls what for the description of the work each time
// it draws. It may call what at any time until done returns.
func (s *Streams) ProgressOf(what func() string) (done func()) {
	if !s.ErrTerminal {
		return func() {}
	}
	tick := time.NewTicker(patience)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer tick.Stop()
		spin(s.ErrOut, what, tick.C, stop)
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-ended
	})
}

func spin(w io.Writer, what func() string, tick <-chan time.Time, stop <-chan struct{}) {
	frames := []string{"|", "/", "-", "\\"}
	start := time.Now()
	for i := 0; ; i++ {
		select {
		case <-stop:
			if i > 0 {
				fmt.Fprint(w, "\r\x1b[K") // the line is not part of what the command said
			}
			return
		case <-tick:
			fmt.Fprintf(w, "\r%s %s, %.1fs\x1b[K", frames[i%len(frames)], Line(what()), time.Since(start).Seconds())
		}
	}
}
