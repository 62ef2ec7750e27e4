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

// redrawMsg draws the changes that were delayed, unless they were drawn meanwhile.
type redrawMsg struct{ frame int }

// paced draws a Model at a limited rate.
type paced struct {
	m       *Model
	pace    pacer
	frames  int  // drawn
	pending bool // a redrawMsg for the next frame is on its way
	frame   tea.View
}

func newPaced(m *Model) *paced { return &paced{m: m} }

// Init implements tea.Model.
func (p *paced) Init() tea.Cmd { return p.m.Init() }

// Update implements tea.Model.
func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if redraw, ok := msg.(redrawMsg); ok {
		if redraw.frame != p.frames {
			return p, nil
		}
		p.pending = false
		return p, p.draw()
	}
	loading := p.m.view.isLoading()
	cmd := p.m.Update(msg)
	if _, ok := msg.(staleMsg); ok && !p.m.view.stale {
		return p, cmd // nothing changed
	}
	switch {
	case !loading && p.m.view.isLoading():
		return p, tea.Batch(cmd, p.delay(patience))
	case p.pending && !(loading && !p.m.view.isLoading()): // a view that has just been loaded does not wait
		return p, cmd
	}
	return p, tea.Batch(cmd, p.draw())
}

// draw draws a frame now, or as soon as the limit allows.
func (p *paced) draw() tea.Cmd {
	if wait := p.pace.take(p.m.now()); wait > 0 {
		return p.delay(wait)
	}
	p.frame, p.pending = p.m.View(), false
	p.frames++
	return nil
}

// delay draws after a while, unless a redraw is already on its way.
func (p *paced) delay(d time.Duration) tea.Cmd {
	if p.pending {
		return nil
	}
	p.pending = true
	next := p.frames
	return tea.Tick(d, func(time.Time) tea.Msg { return redrawMsg{next} })
}

// View implements tea.Model.
func (p *paced) View() tea.View { return p.frame }
