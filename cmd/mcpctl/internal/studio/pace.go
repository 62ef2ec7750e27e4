package studio

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Limits of redraws: single keys are drawn at once, and no second has more than
// burst + rate = 20 redraws.
const (
	burst      = 4
	rate       = 16                     // redraws a second
	batchEvery = 250 * time.Millisecond // between redraws for new events
	patience   = 12 * time.Millisecond  // for texts that are being loaded, to draw them with the key that selected them
)

// pacer limits redraws by a token bucket.
type pacer struct {
	tokens float64
	last   time.Time
}

// take returns 0 if a redraw is allowed now, or the time until the next one.
func (p *pacer) take(now time.Time) time.Duration {
	if p.last.IsZero() {
		p.tokens = burst
	} else {
		p.tokens = min(p.tokens+now.Sub(p.last).Seconds()*rate, burst)
	}
	p.last = now
	if p.tokens >= 1 {
		p.tokens--
		return 0
	}
	return time.Duration((1 - p.tokens) / rate * float64(time.Second))
}

// redrawMsg draws the changes that were delayed.
type redrawMsg struct{}

// paced draws a Model at a limited rate.
type paced struct {
	m       *Model
	pace    pacer
	pending bool // a redrawMsg is on its way
	frame   tea.View
}

func newPaced(m *Model) *paced { return &paced{m: m} }

// Init implements tea.Model.
func (p *paced) Init() tea.Cmd { return p.m.Init() }

// Update implements tea.Model.
func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	if _, ok := msg.(redrawMsg); ok {
		p.pending = false
	} else {
		loading := p.m.isLoading()
		cmd = p.m.Update(msg)
		if !loading && p.m.isLoading() {
			return p, tea.Batch(cmd, p.delay(patience))
		}
	}
	if p.pending {
		return p, cmd
	}
	if wait := p.pace.take(p.m.now()); wait > 0 {
		return p, tea.Batch(cmd, p.delay(wait))
	}
	p.frame = p.m.View()
	return p, cmd
}

// delay draws after a while, unless a redraw is already on its way.
func (p *paced) delay(d time.Duration) tea.Cmd {
	if p.pending {
		return nil
	}
	p.pending = true
	return tea.Tick(d, func(time.Time) tea.Msg { return redrawMsg{} })
}

// View implements tea.Model.
func (p *paced) View() tea.View { return p.frame }
