//go:build !unix

package clientconfig

const nonblock = 0
