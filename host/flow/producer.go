package flow

// Producer identifies the run that created a cached value. A value is returned
// only to requests with the same Producer.
type Producer struct {
	Project    string `json:"project"`
	Role       string `json:"role"`
	ModuleHash string `json:"moduleHash"`
}
