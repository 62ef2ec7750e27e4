package audit

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// anchor is the last entry of a writer at the time of a verification.
type anchor struct {
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`
	Hash   string `json:"hash"` // SHA-256, hexadecimal
}

// keptAnchors are the anchors of the last verification of one server.
type keptAnchors struct {
	Time    time.Time `json:"time"`
	Anchors []anchor  `json:"anchors"`
}

// anchorFile is the content of a file of anchors.
type anchorFile struct {
	Servers map[string]keptAnchors `json:"servers"` // by the address of mcpd
}

// maxAnchorFile is the size limit of a file of anchors.
const maxAnchorFile = 64 << 20

// readAnchors reads a file of anchors. A file that does not exist has none.
func readAnchors(file string) (a anchorFile, err error) {
	a.Servers = make(map[string]keptAnchors)
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	defer f.Close()
	text, err := homedir.ReadAtMost(f, maxAnchorFile)
	if err != nil {
		return a, err
	}
	if len(text) > maxAnchorFile || json.Unmarshal(text, &a) != nil || a.Servers == nil {
		p := problem.New(abi.ErrConfig, "%s is not a file of anchors", file)
		p.Cause = "it was damaged, or another program has written it; without it, the next verification compares with nothing"
		return a, p.WithHint("mv %s %s", problem.Arg(file), problem.Arg(file+".damaged"))
	}
	return a, nil
}

func (a anchorFile) write(file string) error {
	text, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return err
	}
	target, err := atomicfile.Resolve(file)
	if err != nil {
		return err
	}
	return atomicfile.Write(target, append(text, '\n'), homedir.FileMode)
}

// checkAnchors compares the anchors of two verifications: no writer may be missing or have fewer
// entries, and each new one must be the hash of an entry.
func checkAnchors(known, now []anchor) error {
	last := make(map[string]anchor, len(now))
	for _, a := range now {
		if b, err := hex.DecodeString(a.Hash); err != nil || len(b) != 32 || a.Seq < 1 {
			return problem.New(abi.ErrUnavailable, "the answer of the team server is not a verification")
		}
		last[a.Writer] = a
	}
	for _, a := range known {
		b, ok := last[a.Writer]
		if !ok || b.Seq < a.Seq || b.Seq == a.Seq && b.Hash != a.Hash {
			return problem.New(abi.ErrConfig, "audit log: the anchor row %d of %.80q is missing or was changed", a.Seq, a.Writer)
		}
	}
	return nil
}
