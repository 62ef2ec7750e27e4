package sharedcache

import (
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// costs holds the measured time of runs by role, in nanoseconds per byte of input. The zero
// Producer has the time of questions in nanoseconds.
type costs map[flow.Producer]float64

const (
	maxCosts = 1000
	// minInput is the size, in bytes, up to which a run takes about as long as without input.
	minInput = 4 << 10
)

func inputOf(r *flow.SharedRun) float64 { return float64(max(r.InBytes, minInput)) }

// estimate returns the expected time of a run, 0 if its role was never measured.
func (c costs) estimate(r *flow.SharedRun) time.Duration {
	return time.Duration(c[r.By] * inputOf(r))
}

// question returns the expected time of a question.
func (c costs) question() time.Duration { return time.Duration(c[flow.Producer{}]) }

func (c costs) noteRun(r *flow.SharedRun, took time.Duration) {
	c.note(r.By, float64(took.Nanoseconds())/inputOf(r))
}

func (c costs) noteQuestion(took time.Duration) {
	c.note(flow.Producer{}, float64(took.Nanoseconds()))
}

// note adds a measurement. A lower one replaces the previous ones, because most higher ones
// are due to other work of the machine; repeated higher ones count more each time.
func (c costs) note(by flow.Producer, v float64) {
	if old, ok := c[by]; ok && old < v {
		v = (old + v) / 2
	}
	if len(c) >= maxCosts {
		clear(c)
	}
	c[by] = v
}
