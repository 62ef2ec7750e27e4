//go:build !unix

package registry

const nonblock = 0
