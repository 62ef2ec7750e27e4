//go:build unix

package databasetest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// serverUser returns the ids of the user postgres, or the own ones if the test is not root.
func serverUser() (uid, gid int, err error) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid(), nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	if uid, err = strconv.Atoi(u.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

func asServerUser(cmd *exec.Cmd) error {
	uid, gid, err := serverUser()
	if err == nil && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return err
}

func giveAway(dir string) error {
	uid, gid, err := serverUser()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}
