package proxy

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits of the bodies of requests that are in memory at the same time.
const (
	largeBody  = 64 << 10 // smaller ones are not counted
	maxBodies  = 8        // times the limit of one body
	bodiesWait = 30 * time.Second
)

// bodies limits the memory of large requests in progress. It is safe for concurrent use.
type bodies struct{ bytes *semaphore.Weighted }

func newBodies(maxBody int) bodies {
	return bodies{semaphore.NewWeighted(int64(maxBodies) * int64(maxBody))}
}

// enter waits until a body of a declared length (negative: unknown) has room, and returns
// the function that ends its use. limit is that of one body.
func (b bodies) enter(ctx context.Context, declared int64, limit int) (leave func(), err error) {
	n := min(declared, int64(limit)) // a longer one is refused before it is read
	switch {
	case declared < 0:
		n = int64(limit)
	case declared <= largeBody:
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, bodiesWait)
	defer cancel()
	if err := b.bytes.Acquire(ctx, n); err != nil {
		return nil, fmt.Errorf("too many large requests are in progress, none ended in %v", bodiesWait)
	}
	return func() { b.bytes.Release(n) }, nil
}
