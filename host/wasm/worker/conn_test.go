package worker

import (
	"bufio"
	"context"
	"io"
	"slices"
	"testing"
	"time"
)

// Requests that are sent in parallel are answered in parallel, however short they are.
func TestParallelRequests(t *testing.T) {
	in, out := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	arrived := make(chan struct{})
	c := newConn(io.Discard, func(context.Context, method, *reader) (*writer, error) {
		select { // until another request arrives
		case arrived <- struct{}{}:
		case <-arrived:
		case <-ctx.Done():
			t.Error("the second request was not read while the first one was answered")
		}
		return nil, nil
	})
	c.delay = time.Hour
	ended := make(chan error)
	go func() { ended <- c.read(in) }()
	sender := newConn(out, nil)
	for n := range uint32(4) {
		if err := sender.send(kindParallel, n, newRequest(methodRun, 0)); err != nil {
			t.Fatal(err)
		}
	}
	out.Close()
	<-ended
}

// A request is sent as parallel while another one is in progress.
func TestKindOfRequests(t *testing.T) {
	in, out := io.Pipe()
	c := newConn(out, nil)
	frames := bufio.NewReader(in)
	var got []kind
	for range 2 {
		go func() { _, _ = c.call(t.Context(), newRequest(methodRun, 0)) }()
		k, _, _, err := c.readFrame(frames)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, k)
	}
	c.stop(errEnded)
	if want := []kind{kindRequest, kindParallel}; !slices.Equal(got, want) {
		t.Errorf("got kinds %d, want %d", got, want)
	}
}
