// Package mcpctl is the root of the module and holds no code: the contract is
// in abi, the host in host, the programs in cmd. layout_test.go keeps the walls
// between them; ARCHITECTURE.md is the map.
package mcpctl
