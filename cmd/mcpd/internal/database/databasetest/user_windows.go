package databasetest

import "os/exec"

func asServerUser(*exec.Cmd) error { return nil }

func giveAway(string) error { return nil }
