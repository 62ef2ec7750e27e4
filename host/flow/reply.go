package flow

// Reply is the response of an Upstream: a result or a JSON-RPC error object,
// each the raw JSON as received. Exactly one is set.
type Reply struct {
	Result []byte
	Error  []byte
	Marks  Marks // of Result
}

// Marks are facts about the keys of a Result, found while it was read. With the
// zero value nothing is known and the caller has to search the Result.
type Marks struct {
	Known  bool
	Own    bool // a key at any depth may start with MetaPrefix
	Failed bool // isError is true
}
