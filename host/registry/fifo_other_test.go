//go:build !unix

package registry

import "testing"

func mkfifo(t testing.TB, _ string) { t.Skip("FIFOs need a unix system") }
