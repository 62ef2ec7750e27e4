//go:build race

package host

// underRace reports that the race detector is on. It uses several times the memory
// of the program, so tests skip their limits of memory.
const underRace = true
