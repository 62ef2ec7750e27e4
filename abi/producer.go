package abi

// Producer says whose run made a cached value: a value is served to no other.
type Producer struct {
	Project    string `json:"project"`
	Role       string `json:"role"`
	ModuleHash string `json:"moduleHash"`
}
