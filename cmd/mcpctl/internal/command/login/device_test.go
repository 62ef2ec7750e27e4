package login

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// scriptedTeam answers polls with its results, the last one again and again.
type scriptedTeam struct {
	api.Team
	results []any // a state or an error
	polls   []time.Duration
	began   time.Time
}

func (s *scriptedTeam) PollDevice(context.Context, api.TeamDevicePoll) (api.TeamDeviceResult, error) {
	s.polls = append(s.polls, time.Since(s.began))
	result := s.results[min(len(s.polls), len(s.results))-1]
	if err, ok := result.(error); ok {
		return api.TeamDeviceResult{}, err
	}
	r := api.TeamDeviceResult{State: result.(string)}
	if r.State == api.DeviceDone {
		r.Session = &api.TeamSession{Whoami: api.Whoami{Name: "anna"}}
	}
	return r, nil
}

// A login is polled at the interval of the server, more slowly if it demands that or does not
// answer, and until it ends.
func TestAwaitSession(t *testing.T) {
	away, denied := problem.New(abi.ErrUnavailable, "away"), problem.New(abi.ErrDenied, "no")
	const day = 24 * 60 * 60
	for name, tt := range map[string]struct {
		interval int
		results  []any
		polls    []int // seconds after the start
		err      error
		stop     time.Duration // ends the context
	}{
		"confirmed at once":            {5, []any{"done"}, []int{5}, nil, 0},
		"confirmed later":              {5, []any{"pending", "pending", "done"}, []int{5, 10, 15}, nil, 0},
		"slower from then on":          {5, []any{"slowDown", "pending", "slowDown", "done"}, []int{5, 15, 25, 40}, nil, 0},
		"the server is away":           {5, []any{away, "pending", "done"}, []int{5, 15, 25}, nil, 0},
		"the server stays away":        {5, []any{away}, []int{5, 15, 30, 50, 75, 105}, abi.ErrUnavailable, 0},
		"declined":                     {5, []any{"pending", denied}, []int{5, 10}, abi.ErrDenied, 0},
		"an interval of 0":             {0, []any{"pending", "done"}, []int{1, 2}, nil, 0},
		"a negative interval":          {-day, []any{"done"}, []int{1}, nil, 0},
		"an interval of a day":         {day, []any{"done"}, []int{300}, nil, 0},
		"interrupted between polls":    {5, []any{"pending"}, []int{5, 10}, abi.ErrUnavailable, 12 * time.Second},
		"interrupted before the first": {5, []any{"done"}, nil, abi.ErrUnavailable, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.stop > 0 {
					limited, cancel := context.WithTimeout(ctx, tt.stop)
					defer cancel()
					ctx = limited
				}
				s := &scriptedTeam{results: tt.results, began: time.Now()}
				session, err := awaitSession(ctx, s, api.TeamDeviceLogin{URL: "https://team.example", DeviceLogin: api.DeviceLogin{Interval: tt.interval}})
				if !errors.Is(err, tt.err) || (err == nil) != (session.Name == "anna") {
					t.Errorf("%+v, %v, want %v", session, err, tt.err)
				}
				var want []time.Duration
				for _, n := range tt.polls {
					want = append(want, time.Duration(n)*time.Second)
				}
				if !slices.Equal(s.polls, want) {
					t.Errorf("polls after %v, want %v", s.polls, want)
				}
			})
		})
	}
}
