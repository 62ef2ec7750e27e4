package controller

// eachPrompt reads the array that the host gives: of a project with thousands of
// prompts one import for each field would be most of the work.
func eachPrompt(list []byte, yield func(Prompt) bool) {
	panic("not written yet")
}

// take is the text of a handle, which it frees.
func take(h int32) string {
	panic("not written yet")
}
