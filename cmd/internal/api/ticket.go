package api

import (
	"context"
	"net/http"
	"time"
)

// Ticket gives a browser access to the page of the daemon once.
type Ticket struct {
	Ticket  string    `json:"ticket"`
	Expires time.Time `json:"expires"`
}

// PageTicket returns a new ticket. Only the unix socket serves this request.
func (c *Client) PageTicket(ctx context.Context) (t Ticket, err error) {
	return t, c.call(ctx, http.MethodPost, "/ui/ticket", nil, nil, &t)
}
