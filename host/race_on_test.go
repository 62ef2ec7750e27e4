//go:build race

package host

// underRace: the race detector keeps shadow memory of several times what a
// program uses, so a bound on memory says nothing.
const underRace = true
