package pageaccess

import (
	"testing"
	"time"
)

// clock is a clock that tests set.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newStore() (*Store, *clock) {
	c := &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return NewStore(c.now), c
}

func TestTicketIsValidOnceAndForItsLife(t *testing.T) {
	for _, c := range []struct {
		name string
		wait time.Duration
		want bool
	}{
		{"at once", 0, true},
		{"just before its end", TicketLife - time.Nanosecond, true},
		{"at its end", TicketLife, false},
		{"with a clock that was set back", -time.Hour, true},
	} {
		s, at := newStore()
		ticket, expires := s.MintTicket()
		if want := at.t.Add(TicketLife); !expires.Equal(want) {
			t.Errorf("%s: expires at %v, want %v", c.name, expires, want)
		}
		at.t = at.t.Add(c.wait)
		token, ok := s.Exchange(ticket)
		if ok != c.want || ok != (token != "") || ok != s.Use(token) {
			t.Errorf("%s: token %q, %v", c.name, token, ok)
		}
		if _, again := s.Exchange(ticket); again {
			t.Errorf("%s: the ticket is valid twice", c.name)
		}
	}
}

func TestTokenIsValidWhileItIsUsed(t *testing.T) {
	s, at := newStore()
	ticket, _ := s.MintTicket()
	token, _ := s.Exchange(ticket)
	for range 3 {
		if at.t = at.t.Add(idleLife - time.Nanosecond); !s.Use(token) {
			t.Fatal("a token that is used became invalid")
		}
	}
	if at.t = at.t.Add(idleLife); s.Use(token) {
		t.Error("an idle token is still valid")
	}
}

func TestOtherSecretsAreNotValid(t *testing.T) {
	s, _ := newStore()
	ticket, _ := s.MintTicket()
	if s.Use(ticket) || s.Use("") {
		t.Error("a ticket or an empty token gives access")
	}
	for _, other := range []string{"", ticket[1:], ticket + "A"} {
		if _, ok := s.Exchange(other); ok {
			t.Errorf("ticket %q is accepted", other)
		}
	}
	token, ok := s.Exchange(ticket)
	if _, again := s.Exchange(token); !ok || again {
		t.Error("a token is a ticket")
	}
	if other, _ := newStore(); other.Use(token) {
		t.Error("the token of one daemon gives access to another")
	}
}

func TestStoreIsBounded(t *testing.T) {
	s, at := newStore()
	var tickets, tokens []string
	for range 3 * maxTokens {
		at.t = at.t.Add(time.Millisecond)
		ticket, _ := s.MintTicket()
		tickets = append(tickets, ticket)
		if len(tickets)%2 == 0 {
			token, ok := s.Exchange(ticket)
			if !ok {
				t.Fatal("the newest ticket was removed")
			}
			tokens = append(tokens, token)
		}
	}
	if len(s.tickets) > maxTickets || len(s.tokens) > maxTokens {
		t.Errorf("%d tickets and %d tokens", len(s.tickets), len(s.tokens))
	}
	if _, ok := s.Exchange(tickets[0]); ok {
		t.Error("the oldest ticket was not the one that was removed")
	}
	if !s.Use(tokens[len(tokens)-1]) || s.Use(tokens[0]) {
		t.Error("the oldest token was not the one that was removed")
	}
	at.t = at.t.Add(idleLife + TicketLife)
	if s.MintTicket(); len(s.tickets) != 1 {
		t.Errorf("%d tickets, of which only one is valid", len(s.tickets))
	}
}
