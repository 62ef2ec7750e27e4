package lab

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// CheckArguments checks the arguments of a call that an author gives a stage.
//
// Errors: abi.ErrConfig.
func CheckArguments(arguments []byte) error {
	start := jsonspan.SkipBlank(arguments, 0)
	switch err := jsonspan.Valid(arguments); {
	case err != nil:
		return fmt.Errorf("%w: no JSON: %v", abi.ErrConfig, err)
	case jsonspan.KindAt(arguments, start) != jsonspan.Object:
		return fmt.Errorf("%w: a JSON %s, want an object such as {\"query\":\"boat\"}", abi.ErrConfig, jsonspan.KindAt(arguments, start))
	case len(arguments) > abi.LimitArgumentsBytes:
		return fmt.Errorf("%w: %d bytes, of more than %d stages get none", abi.ErrConfig, len(arguments), abi.LimitArgumentsBytes)
	}
	return nil
}
