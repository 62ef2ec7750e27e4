//go:build !linux

package wasm

func adviseHugePages([]byte) {}
