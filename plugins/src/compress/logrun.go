package compress

// entry is a record and how often it follows itself.
type entry struct{ record, times int }

// findEntries joins records that follow each other and have the same id.
func findEntries(ids []int32) (entries []entry) {
	for i, id := range ids {
		if n := len(entries); n > 0 && ids[entries[n-1].record] == id {
			entries[n-1].times++
		} else {
			entries = append(entries, entry{i, 1})
		}
	}
	return entries
}

// cycle is a sequence of entries that repeats: times times the period entries from from on. An
// entry that does not repeat is a cycle of its own.
type cycle struct{ from, period, times int }

// maxPeriod is the number of entries up to which their repetition is found, and minSaved the
// number of entries from which it is written.
const (
	maxPeriod = 8
	minSaved  = 3
)

// findCycles divides entries, given by their ids, into cycles. At each entry it takes the cycle
// that saves the most. The time is linear: each period is tried only as far as it repeats.
func findCycles(ids []int32) (cycles []cycle) {
	for at := 0; at < len(ids); {
		best, saved := cycle{at, 1, 1}, 0
		for period := 2; period <= maxPeriod && at+2*period <= len(ids); period++ {
			c := cycle{at, period, countRepeats(ids[at:], period)}
			if n := (c.times - 1) * period; n > saved && n >= minSaved {
				best, saved = c, n
			}
			if c.times > maxPeriod { // a longer period could only be a multiple of this one
				break
			}
		}
		cycles = append(cycles, best)
		at += best.period * best.times
	}
	return cycles
}

// countRepeats returns how often the first entries follow each other.
func countRepeats(ids []int32, period int) int {
	n := period
	for n < len(ids) && ids[n] == ids[n-period] {
		n++
	}
	return n / period
}
