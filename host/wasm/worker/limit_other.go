//go:build !linux

package worker

import "time"

// LimitMemory does nothing: the limits of guests remain.
func LimitMemory(uint64) {}

// LimitFiles does nothing: guests share no files in memory.
func LimitFiles(uint64) {}

// LimitProcessor does nothing: the limits on time remain.
func LimitProcessor(time.Duration) {}

// GiveWay does nothing.
func GiveWay() {}

// GiveWayToAll does nothing.
func GiveWayToAll() {}

func (p *Process) giveWay() {}
