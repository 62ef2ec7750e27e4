package host

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// StageLevels are the least levels of the lines of stages and controllers that go to the
// log of a Host, by role. Of a role without a level no line does. The zero value is ready,
// and Set may be called while a Host uses it.
type StageLevels struct {
	levels atomic.Pointer[map[string]slog.Level]
}

// Set replaces all levels. The map is not modified afterwards.
func (l *StageLevels) Set(levels map[string]slog.Level) { l.levels.Store(&levels) }

func (l *StageLevels) of(role string) (level slog.Level, ok bool) {
	if levels := l.levels.Load(); levels != nil {
		level, ok = (*levels)[role]
	}
	return level, ok
}

// Bounds of what guests can write to the log.
const (
	guestLineBytes = 1024
	guestLines     = 200 // of one role in guestWindow
	guestWindow    = 10 * time.Second
)

// guestLog writes lines of guests to the log. Their text has control characters escaped;
// here it is cleaned of secrets, and bounded in length and rate. Safe for concurrent use.
type guestLog struct {
	handler slog.Handler // its own level does not apply
	levels  *StageLevels
	cleaner func() func(string) string

	mu      sync.Mutex
	windows map[string]*logWindow // by role
}

// logWindow counts the lines of a role.
type logWindow struct {
	start          time.Time
	lines, dropped int
}

func newGuestLog(log *slog.Logger, levels *StageLevels, cleaner func() func(string) string) *guestLog {
	if levels == nil {
		levels = new(StageLevels)
	}
	return &guestLog{handler: log.Handler(), levels: levels, cleaner: cleaner, windows: make(map[string]*logWindow)}
}

// lineage is where a line of a guest comes from.
type lineage struct{ role, project, source string }

// write writes the lines that reach the level of their role.
func (g *guestLog) write(from lineage, lines []abi.LogLine, at time.Time) {
	least, ok := g.levels.of(from.role)
	if !ok || len(lines) == 0 {
		return
	}
	clean := g.cleaner()
	for _, line := range lines {
		var level slog.Level
		if level.UnmarshalText([]byte(line.Level)) != nil || level < least {
			continue
		}
		dropped, verdict := g.admit(from.role, at)
		if dropped > 0 {
			g.emit(at, slog.LevelWarn, "stage lines dropped", from, slog.Int("lines", dropped))
		}
		switch verdict {
		case lineAllowed:
			g.emit(at, level, "stage line", from, slog.String("line", cutLine(clean(line.Text))))
		case lineFirstDropped:
			g.emit(at, slog.LevelWarn, "stage reached the limit of log lines, further lines are dropped", from,
				slog.Int("limit", guestLines), slog.Duration("window", guestWindow))
		}
	}
}

// lineVerdict is the decision of admit about one line.
type lineVerdict int

const (
	lineAllowed      lineVerdict = iota
	lineFirstDropped             // the first one that its window drops
	lineDropped
)

// admit reports whether a role may write one more line, and how many lines the window
// before dropped if a new one begins.
func (g *guestLog) admit(role string, at time.Time) (dropped int, v lineVerdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.windows[role]
	if w == nil || at.Sub(w.start) >= guestWindow {
		if w != nil {
			dropped = w.dropped
		}
		w = &logWindow{start: at}
		g.windows[role] = w
	}
	if w.lines == guestLines {
		if w.dropped++; w.dropped == 1 {
			return dropped, lineFirstDropped
		}
		return dropped, lineDropped
	}
	w.lines++
	return dropped, lineAllowed
}

func (g *guestLog) emit(at time.Time, level slog.Level, message string, from lineage, values ...slog.Attr) {
	r := slog.NewRecord(at, level, message, 0)
	r.AddAttrs(slog.String("stage", from.role), slog.String("project", from.project), slog.String("source", from.source))
	r.AddAttrs(values...)
	_ = g.handler.Handle(context.Background(), r) // as slog.Logger does
}

// cutLine bounds a line. It is cleaned before it is cut: half a secret is not recognized.
func cutLine(text string) string {
	if len(text) <= guestLineBytes {
		return text
	}
	end := guestLineBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// guestCleaner returns what removes the secrets of the home from a line: those of its
// servers and LLM providers.
func (h *Host) guestCleaner() func(string) string {
	s := h.state.Load()
	var secrets []upstream.Config
	for _, o := range s.snapshot.List(object.KindServer) {
		server := o.(*object.Server)
		at, _ := server.ResolveFor("/", s.secrets) // one that cannot be resolved cannot run; its variables are known
		secrets = append(secrets, upstream.Config{URL: at.URL.Reveal(), Env: pool.Reveal(at.Env), Headers: pool.Reveal(at.Headers), Secrets: h.pool.SecretsOf(server, at)})
	}
	return upstream.NewCleaner(append(secrets, upstream.Config{Secrets: h.llmSecrets(s)})...)
}

// llmSecrets returns the values of the references of LLM providers.
func (h *Host) llmSecrets(s *state) (secrets []upstream.Secret) {
	for _, name := range providerVariables(h.opts.Home) {
		if value, ok := s.secrets(name); ok {
			secrets = append(secrets, upstream.NewSecret(value.Reveal()))
		}
	}
	return secrets
}
