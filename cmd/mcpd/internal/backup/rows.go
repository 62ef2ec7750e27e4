package backup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
)

// passwordRow is the hash of a user's password.
type passwordRow struct {
	User    string    `json:"user"`
	Hash    string    `json:"hash"`
	Updated time.Time `json:"updated"`
}

// tokenRow is an API token, of which only the hash is stored. Its last use is left out, so
// that a backup does not change with each request.
type tokenRow struct {
	Hash      []byte    `json:"hash"`
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Subject   string    `json:"subject"`
	Label     string    `json:"label"`
	Created   time.Time `json:"created"`
	CreatedBy string    `json:"createdBy"`
	Expires   time.Time `json:"expires"`
	Idle      int64     `json:"idleMicros"`
}

// identityRow is the user of an OpenID Connect issuer.
type identityRow struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	User    string `json:"user"`
	Groups  string `json:"groups"` // a JSON array
}

// grantRow is the grant of a link.
type grantRow struct {
	Project   string    `json:"project"` // of the prompt
	Name      string    `json:"name"`
	GrantedBy string    `json:"grantedBy"`
	Granted   time.Time `json:"granted"`
}

// auditRow is a row of the audit log, with its hashes.
type auditRow struct {
	Writer   string    `json:"writer"`
	Seq      int64     `json:"seq"`
	Time     time.Time `json:"time"`
	Actor    string    `json:"actor"`
	Behalf   string    `json:"behalf"`
	Action   string    `json:"action"`
	Kind     string    `json:"kind"`
	Project  string    `json:"project"`
	Name     string    `json:"name"`
	Decision string    `json:"decision"`
	Result   string    `json:"result"`
	Micros   int64     `json:"micros"`
	Trace    string    `json:"trace"`
	Detail   string    `json:"detail"`
	PrevHash []byte    `json:"prevHash"`
	Hash     []byte    `json:"hash"`
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func encodePassword(r query.Password) any {
	return passwordRow{r.UserName, r.Hash, timeOf(r.UpdatedAt)}
}

func encodeToken(r query.Token) any {
	return tokenRow{r.Hash, r.ID, r.SubjectKind, r.Subject, r.Label, timeOf(r.CreatedAt), r.CreatedBy, timeOf(r.ExpiresAt), r.Idle}
}

func encodeIdentity(r query.Identity) any {
	return identityRow{r.Issuer, r.Subject, r.UserName, r.Groups}
}

func encodeGrant(r query.ListLinkGrantsRow) any {
	return grantRow{r.Project, r.Name, r.GrantedBy, timeOf(r.GrantedAt)}
}

func encodeAudit(r query.Audit) any {
	return auditRow{r.Writer, r.Seq, timeOf(r.At), r.Actor, r.Behalf, r.Action, r.Kind, r.Project, r.Name, r.Decision, r.Result, r.Micros, r.Trace, r.Detail, r.PrevHash, r.Hash}
}

// paramsOf returns the row for the database.
func (r auditRow) paramsOf() query.AddAuditParams {
	return query.AddAuditParams{
		Writer: r.Writer, Seq: r.Seq, At: r.Time.UnixMicro(), Actor: r.Actor, Behalf: r.Behalf, Action: r.Action, Kind: r.Kind, Project: r.Project,
		Name: r.Name, Decision: r.Decision, Result: r.Result, Micros: r.Micros, Trace: r.Trace, Detail: r.Detail, PrevHash: r.PrevHash, Hash: r.Hash,
	}
}

// appendRow appends a row as one line.
func appendRow(b *bytes.Buffer, row any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(row)
}

// decodeRows calls put for each line of an entry, and returns their number.
func decodeRows[T any](name string, text []byte, put func(T) error) (int64, error) {
	var n int64
	for line := range bytes.Lines(text) {
		n++
		var row T
		if err := decodeStrict(line, &row); err != nil {
			return n, damaged("%s:%d: %v", name, n, err)
		}
		if err := put(row); err != nil {
			return n, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if n == 0 || n > rowsOfEntry {
		return n, damaged("%s has %d rows, want 1 to %d", name, n, rowsOfEntry)
	}
	return n, nil
}

// decodeStrict reads one JSON value without unknown fields.
func decodeStrict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("%w: text after the JSON value", abi.ErrConfig)
	}
	return nil
}

// decodeLoose reads a JSON value that may have unknown fields.
func decodeLoose(text []byte, into any) error { return json.Unmarshal(text, into) }
