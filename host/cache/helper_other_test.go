//go:build !unix

package cache

func helper(job string) { panic(job + " needs a unix system") }
