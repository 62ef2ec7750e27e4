package stagetest

import "github.com/mcpctl/mcpctl/sdk-go/stage"

// Question is a request of a stage or a controller.
type Question struct {
	Tier       stage.Tier
	MaxTokens  int
	JSON       bool
	Background bool
	System     string
	Prompt     string // all parts; quoted content is between <quote> and </quote>
}

// Reply is the answer to a Question. The zero Reply is an empty answer.
type Reply struct {
	Text   string
	Cut    bool       // it was cut at MaxTokens
	Stored bool       // the host had stored it; it does not count
	Later  bool       // it does not arrive during the call
	Err    stage.Code // the code of a failure: stage.Upstream, stage.Timeout, ...
}
