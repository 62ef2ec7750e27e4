package abi

//go:generate go run ./gen
