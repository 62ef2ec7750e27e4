//go:build !wasip1

// Native runs package random in package stagetest: it reads one stagetest.Call as
// JSON for each line and answers with one stagetest.Result.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	_ "github.com/mcpctl/mcpctl/sdk-go/internal/testguest/random"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// call has the fields of a stagetest.Call that JSON can represent.
type call struct {
	Input, Original, Config string
	Sections                []stagetest.Section
	Marks                   []stagetest.Mark
}

func main() {
	if err := answer(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(in io.Reader, out io.Writer) error {
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var c call
		if err := dec.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		r := stagetest.Run("random", stagetest.Call{Input: c.Input, Original: c.Original, Config: c.Config, Sections: c.Sections, Marks: c.Marks})
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
}
