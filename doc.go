// Package mcpctl is the root of the module and contains no code. The contract with guests is
// in abi, the host in host, the programs in cmd. layout_test.go enforces the allowed
// imports; ARCHITECTURE.md describes the packages.
package mcpctl
