//go:build !linux

package worker

import (
	"errors"
	"os"
)

func createArea() (*os.File, []byte, error) { return nil, nil, errors.ErrUnsupported }

func openArea() ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapArea([]byte) {}
