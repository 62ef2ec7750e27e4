package imports

import "github.com/mcpctl/mcpctl/host/wasm/fuel"

// meter counts the fuel that a guest gets.
type meter struct{ added int64 }

// refill returns the fuel with which a guest continues.
func (m *meter) refill(left int32) int32 {
	left, added := fuel.Refill(left)
	m.added += added
	return left
}

// FuelAdded returns the fuel that was added since the beginning of the call.
func (m *meter) FuelAdded() int64 { return m.added }
