package host

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/live"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team"
)

// TeamLink is the connection of a home to its team server.
type TeamLink struct {
	home     homedir.Dir
	settings func() (team.Settings, error) // nil: there is no team server
	follower *team.Follower                // nil without settings
	config   func() *live.Config
	apply    func() // makes the present objects effective
}

// open opens the follower with the settings and the login that the home has now.
func (t *TeamLink) open(opts team.Options) {
	if t.settings != nil {
		t.follower = team.New(opts)
		t.configure()
	}
}

// State describes the connection.
func (t *TeamLink) State() team.State {
	if t.follower == nil {
		return team.State{Phase: team.NotConfigured}
	}
	return t.follower.State()
}

// Settings returns the present settings, with the login.
func (t *TeamLink) Settings() team.Settings {
	if t.follower == nil {
		return team.Settings{}
	}
	return t.follower.Settings()
}

// Client returns a client with the present login.
//
// Errors: those of team.Follower.Client.
func (t *TeamLink) Client() (*team.Client, error) {
	if t.follower == nil {
		return nil, team.ErrNotConfigured
	}
	return t.follower.Client()
}

// Reconnect applies the address and the login that the files of the home have now, waits
// until the objects of the team server are in use, and returns the state. If that takes
// longer than ctx, it returns the state of that moment.
func (t *TeamLink) Reconnect(ctx context.Context) team.State {
	if t.follower == nil {
		return t.State()
	}
	t.configure()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for t.State().Phase == team.Connecting && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	t.apply()
	return t.State()
}

// Revision identifies the objects of the team server that are in use.
func (t *TeamLink) Revision() string { return t.set().Revision }

// AwaitChange waits until other objects than those of a revision are in use, or until ctx
// ends. It returns at once if the team server is not followed.
func (t *TeamLink) AwaitChange(ctx context.Context, revision string) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for t.State().Phase == team.Following && t.Revision() == revision && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	if t.Revision() != revision {
		t.apply()
	}
}

// configure gives the follower the settings and the login of the home. If they cannot be
// read, it keeps the previous ones.
func (t *TeamLink) configure() {
	if t.follower == nil {
		return
	}
	settings, err := t.settings()
	if err != nil {
		return // status reports the file
	}
	secrets, err := secret.Load(string(t.home))
	if err != nil {
		return
	}
	settings.Login = team.LoadLogin(secrets)
	t.follower.Configure(settings)
}

// set returns the objects of the team server.
func (t *TeamLink) set() team.Set {
	if t.follower == nil {
		return team.Set{}
	}
	return t.follower.Set()
}

// applyInterval is the shortest time between two reloads because of changes in mcpd.
const applyInterval = 200 * time.Millisecond

// run follows the team server until ctx ends, and applies its changes.
func (t *TeamLink) run(ctx context.Context) {
	if t.follower == nil {
		return
	}
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { t.follower.Run(ctx) })
	for ctx.Err() == nil {
		select {
		case <-t.follower.Changes():
			t.apply()
		case <-ctx.Done():
		}
		select {
		case <-time.After(applyInterval):
		case <-ctx.Done():
		}
	}
}

// target implements pool.Options.Server. A server of mcpd is always called through mcpd: its
// command and its references are not used.
func (t *TeamLink) target(name, project, clientDir string) (pool.Target, error) {
	s := t.config().State()
	srv, ok := s.Snapshot.Server(object.Name(name))
	if !ok || !s.Snapshot.IsTeam(srv.Key()) {
		srv, at, err := t.config().Server(name, clientDir)
		return pool.Target{Server: srv, Endpoint: at}, err
	}
	if err := s.TeamFault(srv); err != nil {
		return pool.Target{}, err
	}
	client, err := t.Client()
	if err != nil {
		return pool.Target{}, team.LoginError(t.Settings().URL, err)
	}
	if !s.Snapshot.IsTeam(object.Key{Kind: object.KindProject, Name: object.Name(project)}) {
		project = "" // mcpd does not know it
	}
	address, token := client.Server(name, project)
	return pool.Target{
		Server: srv,
		Endpoint: object.Endpoint{URL: secret.New(address), Headers: map[string]secret.Value{
			"Authorization": secret.New("Bearer " + token.Reveal())}},
		Relay: &pool.Relay{Transport: client.Transport(), Refusal: client.Refusal(name, project),
			TraceHeader: team.TraceHeader, RequestIDHeader: team.RequestIDHeader, OutcomeHeader: team.OutcomeHeader},
	}, nil
}
