package iostreams

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is the delay before progress is shown, and the interval between updates.
const patience = 300 * time.Millisecond

// Progress shows a description of the work and the elapsed time on a terminal, after a
// short delay, until done is called. If ErrOut is not a terminal, it prints nothing. The
// caller must call done, and may call it twice.
func (s *Streams) Progress(text string) (done func()) {
	return s.ProgressOf(func() string { return text })
}

// ProgressOf is like Progress, but calls describe for the description before each update. It
// may call describe until done returns.
func (s *Streams) ProgressOf(describe func() string) (done func()) {
	if !s.ErrTerminal {
		return func() {}
	}
	tick := time.NewTicker(patience)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer tick.Stop()
		spin(s.ErrOut, describe, tick.C, stop)
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-ended
	})
}

func spin(w io.Writer, describe func() string, tick <-chan time.Time, stop <-chan struct{}) {
	frames := []string{"|", "/", "-", "\\"}
	start := time.Now()
	for i := 0; ; i++ {
		select {
		case <-stop:
			if i > 0 {
				fmt.Fprint(w, "\r\x1b[K") // clear the line
			}
			return
		case <-tick:
			fmt.Fprintf(w, "\r%s %s, %.1fs\x1b[K", frames[i%len(frames)], Line(describe()), time.Since(start).Seconds())
		}
	}
}
