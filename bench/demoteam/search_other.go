//go:build !linux

package main

import "errors"

func processesWith(string) ([]string, error) { return nil, errors.ErrUnsupported }

func memoryHas(int, string) (bool, error) { return false, errors.ErrUnsupported }
