package stagetest

import "github.com/mcpctl/mcpctl/sdk-go/stage"

// Question is what a stage or a controller asked.
type Question struct {
	Tier       stage.Tier
	MaxTokens  int
	JSON       bool
	Background bool
	System     string
	Prompt     string // all parts; quoted content stands between <quote> and </quote>
}

// Reply is what the LLM makes of a Question. The zero Reply is an empty answer.
type Reply struct {
	Text   string
	Cut    bool       // it ends at MaxTokens
	Stored bool       // it was there before and costs no quota
	Later  bool       // it does not come within the call
	Err    stage.Code // why there is none: stage.Upstream, stage.Timeout, ...
}
