package flow

// Overrun describes an answer with more estimated tokens than its project allows.
type Overrun struct {
	Tokens int
	Limit  int
}
