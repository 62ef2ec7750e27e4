package lab

// LawText explains a law to authors.
type LawText struct {
	Law   Law    `json:"law"`
	Means string `json:"means"`
	Why   string `json:"why"`
	Helps string `json:"helps"` // where to look
}

// LawTexts are the texts of all laws, in the order in which they are checked.
var LawTexts = []LawText{
	{LawSame,
		"Two runs over the same content with the same config produce the same bytes and the same sections, regardless of the content of the cache, also if it is full or absent.",
		"The host caches results. If two runs differ, readers see either result by chance, and ids of sections become invalid.",
		"Unspecified order (Go maps, Rust HashMap): sort. A cached value that differs from the computed one: store only values that depend on nothing but their key. A value that could not be stored: continue without it."},
	{LawLeaves,
		"The concatenated leaves, read part by part as by a client, equal the content: each leaf contains bytes of the original, and no byte is lost or repeated.",
		"Readers must be able to reach all content that a stage does not show.",
		"Offsets are bytes, not characters; sections of one parent are in order, do not overlap, and are inside their parent. The host adds sections for bytes that no section covers."},
	{LawLLM,
		"If an LLM fails, is slow, returns nothing or returns false statements, a stage passes the content through, or produces the same result as without an LLM; a filter fails, which withholds the content. These runs start with an empty cache, regardless of the file.",
		"There may be no LLM. Readers must never get a worse result because of an LLM.",
		"If a request is rejected or its answer is empty, return Pass, or continue with the work that needs no LLM; in a filter, fail."},
	{LawDefaults,
		"The stage accepts the config defaults of plugin.yaml.",
		"A proxymodel that sets no config uses them.",
		"The type, range or values in plugin.yaml differ from the source."},
}

// Text returns the text of the law.
func (l Law) Text() LawText {
	for _, t := range LawTexts {
		if t.Law == l {
			return t
		}
	}
	return LawText{Law: l}
}
