package manage

import (
	"reflect"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// Invalid frames of a server are counted over all connections, and the status contains a
// part of the last one.
func TestDroppedFramesAreShown(t *testing.T) {
	st := api.ServerStatus{State: "idle"}
	for _, u := range []upstream.State{
		{Status: upstream.Ready, Counts: upstream.Counts{Garbage: 2, LateIDs: 1}, Garbage: "npm warn"},
		{Status: upstream.Failed, Error: "gone", Counts: upstream.Counts{TooLong: 1, Dropped: 3}},
	} {
		addConnection(&st, u)
	}
	want := api.ServerStatus{State: "failed", Error: "gone", Connections: 2, Dropped: 7, LastDropped: "npm warn"}
	if !reflect.DeepEqual(st, want) {
		t.Errorf("got %+v, want %+v", st, want)
	}
}

// The error of a server that is started again after a failure is reported while it starts.
func TestErrorOfRestartingServer(t *testing.T) {
	st := api.ServerStatus{State: "idle"}
	addConnection(&st, upstream.State{Status: upstream.Starting, Error: "exit status 1"})
	if st.State != "starting" || st.Error != "exit status 1" {
		t.Errorf("state %q, error %q", st.State, st.Error)
	}
}
