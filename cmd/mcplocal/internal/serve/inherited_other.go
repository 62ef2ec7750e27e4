//go:build !linux

package serve

// keepInherited does nothing.
func keepInherited() {}
