package host

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"

	"github.com/mcpctl/mcpctl/host/correction"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/trust"
)

// recordEdits adds changes of objects to the record of decisions, with the hash of their new
// canonical text, in which credentials are masked. Files that are edited without mcpctl are
// not in it.
func recordEdits(home homedir.Dir, log *slog.Logger, changes []store.Change) {
	var decisions []trust.Decision
	for _, c := range changes {
		if c.Action == store.Unchanged {
			continue
		}
		sum := sha256.Sum256(c.After)
		decisions = append(decisions, trust.Decision{Action: string(c.Action), Kind: strings.ToLower(string(c.Key.Kind)), Name: labelOf(c.Key), SHA256: hex.EncodeToString(sum[:])})
	}
	recordDecisions(home, log, decisions...)
}

// recordAnswerEdit adds an edit of a held answer to the record of decisions, with the hash of
// the text that the client got.
func recordAnswerEdit(home homedir.Dir, log *slog.Logger, c correction.Correction) {
	sum := sha256.Sum256([]byte(c.Edited))
	recordDecisions(home, log, trust.Decision{Action: "edit", Kind: trust.KindAnswer, Name: c.Project + "/" + c.Source, SHA256: hex.EncodeToString(sum[:])})
}

// labelOf returns the name of an object, after its project if it has one.
func labelOf(key object.Key) string {
	if key.Project == "" {
		return string(key.Name)
	}
	return string(key.Project) + "/" + string(key.Name)
}

// recordDecisions adds decisions to the record. A record that cannot be written does not
// prevent them.
func recordDecisions(home homedir.Dir, log *slog.Logger, decisions ...trust.Decision) {
	if len(decisions) == 0 {
		return
	}
	if err := trust.Record(home.TrustLog(), decisions...); err != nil {
		log.Warn("changes of objects cannot be recorded", "error", err)
	}
}
