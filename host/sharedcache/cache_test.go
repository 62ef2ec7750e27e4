package sharedcache

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// fake is a mcpd in memory. Its fields are read and written while no call runs.
type fake struct {
	mu      sync.Mutex
	entries map[[32]byte]wireEntry
	took    time.Duration // of each call
	err     error         // of questions
	putErr  error
	gets    []int // sizes of questions
	models  []string
	puts    []int // numbers of results
}

func newFake() *fake { return &fake{entries: make(map[[32]byte]wireEntry)} }

func (f *fake) Call(ctx context.Context, method, path string, _ url.Values, in, out any) error {
	select {
	case <-time.After(f.took):
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", abi.ErrUnavailable, ctx.Err())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if method == "PUT" {
		var req wirePut
		if err := json.Unmarshal(b, &req); err != nil {
			return err
		}
		f.puts = append(f.puts, len(req.Entries))
		for _, e := range req.Entries {
			if f.putErr == nil {
				e.Producer, e.ProxyModel = "user anna", req.ProxyModel
				f.entries[[32]byte(e.Key)] = e
			}
		}
		return f.putErr
	}
	var req wireGet
	if err := json.Unmarshal(b, &req); err != nil {
		return err
	}
	f.gets = append(f.gets, len(req.Keys))
	f.models = append(f.models, req.ProxyModel)
	got := wireGot{}
	for _, k := range req.Keys {
		if e, ok := f.entries[[32]byte(k)]; ok {
			got.Entries = append(got.Entries, e)
		}
	}
	b, _ = json.Marshal(got)
	return errorOr(f.err, json.Unmarshal(b, out))
}

func errorOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// setup is a Cache with a fake mcpd, inside a bubble of synctest.
type setup struct {
	*Cache
	mcpd *fake
	link Link
	log  bytes.Buffer
}

func test(t *testing.T, f func(t *testing.T, s *setup)) {
	synctest.Test(t, func(t *testing.T) {
		s := &setup{mcpd: newFake()}
		s.link = Link{Caller: s.mcpd, Mode: On, User: "anna", ID: "1"}
		s.Cache = New(Options{Team: func() (Link, bool) { return s.link, s.link.Caller != nil },
			IsShared: func(p string) bool { return p == "web" },
			CanLeave: func(r *flow.SharedRun) bool { return r.Source != "local/tool" },
			Cleaner: func() func(string) string {
				return func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
			},
			Log: slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { s.Run(ctx); close(done) }()
		f(t, s)
		cancel()
		<-done
	})
}

func runOf(n int) *flow.SharedRun {
	return &flow.SharedRun{Key: [32]byte{byte(n), byte(n >> 8)}, By: flow.Producer{Project: "web", Role: "s", ModuleHash: "m"}, Model: "model", Source: "t/x", LLM: true, Login: "1"}
}

func (s *setup) add(n int, e wireEntry) {
	r := runOf(n)
	e.Key = r.Key[:]
	if e.ProxyModel == "" {
		e.ProxyModel = r.Model
	}
	s.mcpd.entries[r.Key] = e
}

func (s *setup) find(r *flow.SharedRun) string {
	v, _, ok := s.Find(context.Background(), r)
	if !ok {
		return "-"
	}
	return string(v)
}

func TestFind(t *testing.T) {
	for name, tt := range map[string]struct {
		entry  wireEntry
		change func(*setup, *flow.SharedRun)
		want   string
		gets   int
		counts Figures
	}{
		"own":            {entry: wireEntry{Producer: "user anna"}, want: "value", gets: 1, counts: Figures{Hits: 1}},
		"of an account":  {entry: wireEntry{Producer: "serviceaccount ci"}, want: "value", gets: 1, counts: Figures{Hits: 1}},
		"of a user":      {entry: wireEntry{Producer: "user eve"}, want: "-", gets: 1, counts: Figures{Misses: 1, Refused: 1}},
		"no producer":    {want: "-", gets: 1, counts: Figures{Misses: 1, Refused: 1}},
		"other module":   {entry: wireEntry{Producer: "user anna", ModuleHash: "x"}, want: "-", gets: 1, counts: Figures{Misses: 1, Refused: 1}},
		"other model":    {entry: wireEntry{Producer: "serviceaccount ci", ProxyModel: "cheap"}, want: "-", gets: 1, counts: Figures{Misses: 1, Refused: 1}},
		"too large":      {entry: wireEntry{Producer: "user anna", Value: make([]byte, maxValue+1)}, want: "-", gets: 1, counts: Figures{Misses: 1, Refused: 1}},
		"other key":      {entry: wireEntry{Producer: "user anna"}, change: func(_ *setup, r *flow.SharedRun) { r.Key[9] = 1 }, want: "-", gets: 1, counts: Figures{Misses: 1}},
		"cheap":          {entry: wireEntry{Producer: "user anna"}, change: func(_ *setup, r *flow.SharedRun) { r.LLM = false }, want: "-"},
		"off":            {entry: wireEntry{Producer: "user anna"}, change: func(s *setup, _ *flow.SharedRun) { s.link.Mode = Off }, want: "-"},
		"read":           {entry: wireEntry{Producer: "user anna"}, change: func(s *setup, _ *flow.SharedRun) { s.link.Mode = Read }, want: "value", gets: 1, counts: Figures{Hits: 1}},
		"mcpd away":      {change: func(s *setup, _ *flow.SharedRun) { s.link.Caller = nil }, want: "-"},
		"local project":  {change: func(_ *setup, r *flow.SharedRun) { r.By.Project = "home" }, want: "-"},
		"mcpd is slow":   {entry: wireEntry{Producer: "user anna"}, change: func(s *setup, _ *flow.SharedRun) { s.mcpd.took = time.Hour }, want: "-", counts: Figures{Unanswered: 1}},
		"mcpd fails":     {change: func(s *setup, _ *flow.SharedRun) { s.mcpd.err = abi.ErrUnavailable }, want: "-", gets: 1, counts: Figures{Unanswered: 1}},
		"measured, slow": {entry: wireEntry{Producer: "user anna"}, change: func(s *setup, r *flow.SharedRun) { r.LLM = false; s.IsWanted(r, 60*time.Millisecond) }, want: "value", gets: 1, counts: Figures{Hits: 1}},
		"measured, fast": {entry: wireEntry{Producer: "user anna"}, change: func(s *setup, r *flow.SharedRun) { r.LLM = false; s.IsWanted(r, 40*time.Millisecond) }, want: "-"},
		"mcpd is far": {entry: wireEntry{Producer: "user anna"}, change: func(s *setup, r *flow.SharedRun) {
			r.LLM = false
			s.IsWanted(r, 60*time.Millisecond)
			s.costs.noteQuestion(31 * time.Millisecond)
		}, want: "-"},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t *testing.T, s *setup) {
				if tt.entry.Value == nil {
					tt.entry.Value = []byte("value")
				}
				if tt.entry.ModuleHash == "" {
					tt.entry.ModuleHash = "m"
				}
				s.add(1, tt.entry)
				r := runOf(1)
				if tt.change != nil {
					tt.change(s, r)
				}
				begin := time.Now()
				if got := s.find(r); got != tt.want || len(s.mcpd.gets) != tt.gets {
					t.Errorf("got %.20q, %d questions", got, len(s.mcpd.gets))
				}
				if took := time.Since(begin); took > defaultWait { // of the fake clock
					t.Errorf("waited %v", took)
				}
				if got := s.Figures(); got != tt.counts {
					t.Errorf("figures %+v", got)
				}
			})
		})
	}
}

// A missing result is not asked for again for 10 s.
func TestMissIsRemembered(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.find(runOf(1))
		s.add(1, wireEntry{Value: []byte("late"), ModuleHash: "m", Producer: "user anna"})
		time.Sleep(missedFor - time.Millisecond)
		if got := s.find(runOf(1)); got != "-" || len(s.mcpd.gets) != 1 {
			t.Errorf("%q, %d questions", got, len(s.mcpd.gets))
		}
		time.Sleep(time.Millisecond)
		if got := s.find(runOf(1)); got != "late" {
			t.Errorf("%q after 10 s", got)
		}
	})
}

// After a failure mcpd is not asked, for longer each time, until it answers.
func TestFailurePausesQuestions(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.mcpd.err = abi.ErrUnavailable
		asked := 0
		for _, wait := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 160 * time.Second} {
			s.find(runOf(1))
			asked++
			time.Sleep(wait - time.Millisecond)
			if s.find(runOf(1)); len(s.mcpd.gets) != asked {
				t.Fatalf("%d questions, want %d", len(s.mcpd.gets), asked)
			}
			time.Sleep(time.Millisecond)
		}
		s.mcpd.err = nil
		s.find(runOf(1))
		s.find(runOf(2))
		if len(s.mcpd.gets) != asked+2 {
			t.Errorf("%d questions after mcpd has answered", len(s.mcpd.gets)-asked)
		}
	})
}

// A refusal concerns one project, and one login.
func TestRefusalConcernsProjectAndLogin(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.opts.IsShared = func(string) bool { return true }
		s.mcpd.err = abi.ErrNotFound
		s.find(runOf(1))
		s.mcpd.err = nil
		s.find(runOf(1))
		other := runOf(2)
		other.By.Project = "other"
		s.find(other)
		if len(s.mcpd.gets) != 2 {
			t.Errorf("%d questions, want 1 of each project", len(s.mcpd.gets))
		}
		s.link.ID = "2"
		s.find(runOf(1))
		if len(s.mcpd.gets) != 3 {
			t.Error("not asked with another login")
		}
	})
}

// Questions that wait at the same time are sent together, and a hanging mcpd delays none of
// them for more than one timeout.
func TestQuestionsAreSentTogether(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.mcpd.took = 10 * time.Millisecond
		var all sync.WaitGroup
		for n := range 44 {
			s.add(n, wireEntry{Value: fmt.Append(nil, n), ModuleHash: "m", Producer: "user anna"})
		}
		for n := range 44 {
			all.Go(func() {
				if got := s.find(runOf(n)); got != fmt.Sprint(n) {
					t.Errorf("%d: %q", n, got)
				}
			})
		}
		all.Wait()
		if len(s.mcpd.gets) > 12 {
			t.Errorf("%d calls for 44 keys", len(s.mcpd.gets))
		}
		for _, n := range s.mcpd.gets {
			if n > maxKeys {
				t.Errorf("%d keys in one call", n)
			}
		}
		s.mcpd.took = time.Hour
		begin := time.Now()
		for n := range 100 {
			all.Go(func() { s.find(runOf(100 + n)) })
		}
		all.Wait()
		if took := time.Since(begin); took > defaultWait {
			t.Errorf("100 questions took %v", took)
		}
	})
}

// A question is about one proxymodel, and a key that one lacks is asked for by another.
func TestQuestionsAreOfOneModel(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.mcpd.took = 10 * time.Millisecond
		var all sync.WaitGroup
		for n := range 20 {
			r := runOf(n / 2)
			r.Model = [...]string{"cheap", "sensitive"}[n%2]
			all.Go(func() { s.find(r) })
		}
		all.Wait()
		asked := make(map[string]int)
		for i, m := range s.mcpd.models {
			asked[m] += s.mcpd.gets[i]
		}
		if len(asked) != 2 || asked["cheap"] != 10 || asked["sensitive"] != 10 {
			t.Errorf("keys by model: %v", asked)
		}
	})
}

// A question that waits while the login changes is asked with neither login, and the answer to
// the earlier one changes nothing of the later one.
func TestWaitingQuestionsEndWithTheLogin(t *testing.T) {
	for name, err := range map[string]error{"it misses": nil, "it fails": abi.ErrUnavailable} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t *testing.T, s *setup) {
				s.mcpd.took, s.mcpd.err = 10*time.Millisecond, err
				var all sync.WaitGroup
				for n := range maxAsking {
					all.Go(func() { s.find(runOf(n)) })
					synctest.Wait() // on its way, alone
				}
				for n := range 3 {
					all.Go(func() {
						if got := s.find(runOf(maxAsking + n)); got != "-" {
							t.Errorf("got %q", got)
						}
					})
				}
				synctest.Wait()
				other := newFake()
				s.link = Link{Caller: other, Mode: On, User: "eve", ID: "2"}
				s.IsWanted(runOf(99), time.Second) // notes the login
				all.Wait()
				if len(s.mcpd.gets) != maxAsking || len(other.gets) != 0 {
					t.Errorf("%v questions with the first login, %v with the second", s.mcpd.gets, other.gets)
				}
				if s.find(runOf(0)); len(other.gets) != 1 {
					t.Error("the second login does not ask what the first one has asked")
				}
			})
		})
	}
}

// The login of a result is that of the start of its run.
func TestFindNotesLogin(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		for name, tt := range map[string]struct {
			change func()
			want   string
		}{
			"cheap":     {func() {}, "1"},
			"other":     {func() { s.link.ID = "2" }, "2"},
			"mcpd away": {func() { s.link.Caller = nil }, ""},
		} {
			s.link = Link{Caller: s.mcpd, Mode: On, User: "anna", ID: "1"}
			tt.change()
			r := runOf(1)
			r.LLM, r.Login = false, "forged"
			if s.find(r); r.Login != tt.want {
				t.Errorf("%s: login %q, want %q", name, r.Login, tt.want)
			}
		}
	})
}

func (s *setup) offer(r *flow.SharedRun, texts ...string) bool {
	if !s.IsWanted(r, time.Second) {
		return false
	}
	s.Offer(r, []byte(strings.Join(texts, "")), texts)
	return true
}

func TestOffer(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*setup, *flow.SharedRun)
		texts  []string
		puts   string // numbers of results
		counts Figures
	}{
		"stored":                            {puts: "[0 1]", counts: Figures{Pushed: 1}},
		"no LLM, slow":                      {change: func(_ *setup, r *flow.SharedRun) { r.LLM = false }, puts: "[0 1]", counts: Figures{Pushed: 1}},
		"no right":                          {change: func(s *setup, _ *flow.SharedRun) { s.mcpd.putErr = abi.ErrDenied }, puts: "[0]", counts: Figures{Dropped: 1}},
		"unknown model":                     {change: func(s *setup, _ *flow.SharedRun) { s.mcpd.putErr = abi.ErrConfig }, puts: "[0]", counts: Figures{Dropped: 1}},
		"mcpd fails":                        {change: func(s *setup, _ *flow.SharedRun) { s.mcpd.putErr = abi.ErrUnavailable }, puts: "[0]", counts: Figures{Dropped: 1}},
		"credential":                        {texts: []string{"text", "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789"}, puts: "[0]", counts: Figures{Withheld: 1}},
		"secret":                            {texts: []string{"my hunter2 text"}, puts: "[0]", counts: Figures{Withheld: 1}},
		"local server":                      {change: func(_ *setup, r *flow.SharedRun) { r.Source = "local/tool" }, puts: "[]", counts: Figures{Withheld: 1}},
		"local project":                     {change: func(_ *setup, r *flow.SharedRun) { r.By.Project = "home" }, puts: "[]"},
		"read only":                         {change: func(s *setup, _ *flow.SharedRun) { s.link.Mode = Read }, puts: "[]"},
		"off":                               {change: func(s *setup, _ *flow.SharedRun) { s.link.Mode = Off }, puts: "[]"},
		"too large":                         {texts: []string{strings.Repeat("x", maxValue+1)}, puts: "[]", counts: Figures{Dropped: 1}},
		"another login since the run began": {change: func(_ *setup, r *flow.SharedRun) { r.Login = "0" }, puts: "[]", counts: Figures{Dropped: 1}},
		"no login when the run began":       {change: func(_ *setup, r *flow.SharedRun) { r.Login = "" }, puts: "[]", counts: Figures{Dropped: 1}},
		"login as somebody": {change: func(s *setup, r *flow.SharedRun) {
			s.opts.CanLeave = func(*flow.SharedRun) bool { s.link.ID = "2"; return true }
		}, puts: "[]", counts: Figures{Dropped: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t *testing.T, s *setup) {
				r := runOf(1)
				if tt.change != nil {
					tt.change(s, r)
				}
				if tt.texts == nil {
					tt.texts = []string{"some text"}
				}
				s.offer(r, tt.texts...)
				synctest.Wait()
				if got := fmt.Sprint(s.mcpd.puts); got != tt.puts {
					t.Errorf("puts %s, want %s", got, tt.puts)
				}
				if got := s.Figures(); got != tt.counts {
					t.Errorf("figures %+v", got)
				}
			})
		})
	}
}

// A missing right is asked for once in 10 minutes, and is in the log once.
func TestMissingRightIsRemembered(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.mcpd.putErr = abi.ErrDenied
		for range 3 {
			s.offer(runOf(1), "x")
			synctest.Wait()
		}
		time.Sleep(rightFor)
		s.offer(runOf(1), "x")
		synctest.Wait()
		if got := fmt.Sprint(s.mcpd.puts); got != "[0 0]" || strings.Count(s.log.String(), "level=INFO") != 1 {
			t.Errorf("puts %s, log %s", got, s.log.String())
		}
	})
}

// Results that mcpd does not take fast enough are dropped, and stored in few calls.
func TestOffersAreBounded(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		s.mcpd.took = time.Second
		s.offer(runOf(0), "x")
		synctest.Wait() // the first one is on its way
		for n := range maxOffers + 5 {
			s.offer(runOf(n+1), "x")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := s.Figures(), (Figures{Pushed: maxOffers + 1, Dropped: 5}); got != want || fmt.Sprint(s.mcpd.puts) != "[0 1 64]" {
			t.Errorf("figures %+v, puts %v", got, s.mcpd.puts)
		}
	})
}

// The log names the producer of a refused result once.
func TestRefusedResultIsInLog(t *testing.T) {
	test(t, func(t *testing.T, s *setup) {
		for n := range 3 {
			s.add(n, wireEntry{Value: []byte("v"), ModuleHash: "m", Producer: "serviceaccount ci"})
			if s.find(runOf(n)) != "v" {
				t.Fatal("not found")
			}
			s.Refuse(runOf(n), "serviceaccount ci", abi.ErrGuest)
		}
		if got := s.Figures(); got != (Figures{Misses: 3, Refused: 3}) || strings.Count(s.log.String(), `producer="serviceaccount ci"`) != 1 {
			t.Errorf("%+v %s", got, s.log.String())
		}
	})
}
