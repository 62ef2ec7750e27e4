package lab

// LawText is what an author is told of a law.
type LawText struct {
	Law   Law    `json:"law"`
	Means string `json:"means"`
	Why   string `json:"why"`
	Helps string `json:"helps"` // where to look
}

// LawTexts are those of all laws, in the order in which they are looked at.
var LawTexts = []LawText{
	{LawSame,
		"Two runs over the same content with the same config give the same bytes and the same sections, whatever the cache holds, when it is full and when there is none.",
		"The host keeps results and shows them again: of two that differ a reader would meet the one or the other by chance, and ids of sections would lead nowhere.",
		"Order that a language leaves open (maps of Go, HashMap of Rust): sort it. A value of the cache that is not what the stage would compute: put in only what follows from its key. A value that could not be kept: go on without."},
	{LawLeaves,
		"Read part by part, as a client does, the content comes together again: each leaf is bytes of the original, and no byte is lost or there twice.",
		"Nothing that a stage leaves out of sight may be out of reach.",
		"Offsets are bytes, and not characters; sections of one parent stand one after another and inside their parent. What no section covers becomes one by itself."},
	{LawLLM,
		"With an LLM that fails, is slow, says nothing or lies, a stage passes the content on, or gives what it gives without one; a filter fails, which withholds the content. The cache is empty then, whatever a file says of it.",
		"There may be no LLM, and no one to ask why: a reader must never be worse off for it.",
		"When a request is refused or its answer is empty, return Pass, or go on with what needs no LLM; in a filter, fail."},
	{LawDefaults,
		"The defaults that plugin.yaml gives to config are accepted by the stage.",
		"A proxymodel that names the stage and nothing else gets them.",
		"plugin.yaml has another type, range or word than the source reads."},
}

// Text is what an author is told of the law.
func (l Law) Text() LawText {
	for _, t := range LawTexts {
		if t.Law == l {
			return t
		}
	}
	return LawText{Law: l}
}
