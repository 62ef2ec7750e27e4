package proxy

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// questionArg is the argument of any tool that contains the question of the model. It
// is in no schema, and servers never get it. Stages that read the arguments of a call
// find it among them.
const questionArg = "_question"

// takeQuestion removes the argument _question from the call.
func (c *call) takeQuestion() error {
	raw, ok := c.args.Get(questionArg)
	if !ok {
		return nil
	}
	question, ok := c.args.Text(questionArg)
	switch kind := jsonspan.KindAt(raw, 0); {
	case !ok && kind == jsonspan.String:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "arguments: %q is no valid text", questionArg)
	case !ok && kind != jsonspan.Null:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "arguments: %q %s", questionArg, noText(c.args, questionArg))
	case len(question) > abi.LimitQuestionBytes:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "arguments: %q is %d bytes, limit %d", questionArg, len(question), abi.LimitQuestionBytes)
	}
	c.args.Delete(questionArg)
	c.question = question
	return nil
}

// forStages returns the arguments that stages read: those for the server, and the
// question. It returns "" if there are none, or if they are too large.
func (c *call) forStages() string {
	args := withQuestion(c.args, c.question)
	if len(args.Fields()) == 0 {
		return ""
	}
	return boundedArguments(args.Raw())
}

// withQuestion returns a copy of arguments with a question, unless that is empty.
func withQuestion(args jsonrpc.Object, question string) jsonrpc.Object {
	var copied jsonrpc.Object
	for _, f := range args.Fields() {
		copied.Set(f.Name, f.Value)
	}
	if question != "" {
		copied.Set(questionArg, jsonedit.Quote(question))
	}
	return copied
}

// boundedArguments returns arguments, or "" if they are larger than stages may read.
func boundedArguments(raw []byte) string {
	if len(raw) > abi.LimitArgumentsBytes {
		return ""
	}
	return string(raw)
}
