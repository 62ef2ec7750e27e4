// Package backup writes all data of mcpd to one file and restores it, independently of the
// engine of the database.
//
// A backup is a tar archive compressed with zstd. It begins with a Manifest, and ends with
// the hashes of all entries, so that a truncated or damaged one is recognised:
//
//	manifest.json                     see Manifest
//	audit/000001.ndjson               rows of the audit log, on request
//	credentials/servers/NAME.json.age a Server with its credentials, encrypted
//	objects/KINDS/[PROJECT/]NAME.yaml one object, as in a file of the home
//	accounts/passwords-000001.ndjson  hashes of passwords; also tokens and identities
//	links/000001.ndjson               grants of links between projects
//	sums/000001                       hashes of the entries before it, as sha256sum prints them
//	SHA256SUMS                        hashes of the files in sums
//
// The first line of an object is a comment with what its YAML does not have: UID,
// generation, times. Logins are not part of a backup; users log in again.
//
// Equal data gives equal bytes, except for encrypted credentials. A backup is not signed:
// who can change it can add an administrator.
package backup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// The format that this program writes.
const (
	formatName    = "mcpd-backup"
	formatVersion = 1
)

// Values of Manifest.Credentials.
const (
	CredentialsNone      = "none"      // no Server has a credential
	CredentialsEncrypted = "encrypted" // to the recipients
	CredentialsLeftOut   = "left out"  // there was no recipient
)

// Manifest describes a backup.
type Manifest struct {
	Format          string   `json:"format"`
	FormatVersion   int      `json:"formatVersion"`
	Program         string   `json:"program"`         // that wrote it
	SchemaVersion   int64    `json:"schemaVersion"`   // of the database
	ResourceVersion string   `json:"resourceVersion"` // of the last change
	Counts          Counts   `json:"counts"`
	Credentials     string   `json:"credentials"`
	Recipients      []string `json:"recipients,omitempty"` // that can decrypt the credentials
}

// Counts are the numbers of rows of a backup.
type Counts struct {
	Objects    map[string]int64 `json:"objects"` // of each kind
	Servers    int64            `json:"serversWithCredentials"`
	Passwords  int64            `json:"passwords"`
	Tokens     int64            `json:"tokens"`
	Identities int64            `json:"identities"`
	LinkGrants int64            `json:"linkGrants"`
	Audit      int64            `json:"audit"`
}

// The names of entries.
const (
	manifestName = "manifest.json"
	totalName    = "SHA256SUMS"
	sumsDir      = "sums/"
	objectsDir   = "objects/"
	secretsDir   = "credentials/"
)

// Kinds of rows, which are in numbered entries.
const (
	auditRows    = "audit/"
	passwordRows = "accounts/passwords-"
	tokenRows    = "accounts/tokens-"
	identityRows = "accounts/identities-"
	grantRows    = "links/"
)

func rowsName(rows string, number int) string { return fmt.Sprintf("%s%06d.ndjson", rows, number) }
func sumsName(number int) string              { return fmt.Sprintf("%s%06d", sumsDir, number) }

// rowsOfEntry is the number of rows of one entry, and sumsOfEntry that of hashes.
const (
	rowsOfEntry = 500
	sumsOfEntry = 500
)

// Limits of a backup that is read.
const (
	maxObject  = 4 << 20   // bytes of an object; the store accepts up to 1 MiB
	maxEntry   = 128 << 20 // bytes of another entry: rows of the audit log with long texts
	maxTotal   = 64 << 30  // decompressed bytes
	maxEntries = 10_000_000
	maxWindow  = 8 << 20 // memory of the decompressor, which is that of the compressor
	maxHeader  = 8 << 10 // the first line of an object
)

// pathOf returns the directory and name of an object below objects/, without extension.
func pathOf(key object.Key) string {
	dir := key.Kind.Dir()
	if dir == "" {
		dir = strings.ToLower(string(key.Kind)) + "s"
	}
	if key.Project != "" {
		dir += "/" + string(key.Project)
	}
	return dir + "/" + string(key.Name)
}

func objectName(key object.Key) string { return objectsDir + pathOf(key) + ".yaml" }
func secretName(key object.Key) string { return secretsDir + pathOf(key) + ".json.age" }

// storedKinds are the kinds of objects that mcpd stores.
func storedKinds() []object.Kind {
	return slices.DeleteFunc(object.AllKinds(), func(k object.Kind) bool { return k == object.KindProxyModel })
}

// headerPrefix begins the first line of an object.
const headerPrefix = "# mcpd: "

// header is the JSON of the first line of an object.
type header struct {
	UID        string    `json:"uid"`
	Generation int64     `json:"generation"`
	Created    time.Time `json:"created"`
	CreatedBy  string    `json:"createdBy"`
	Updated    time.Time `json:"updated"`
	UpdatedBy  string    `json:"updatedBy"`
}

// encodeObject returns the entry of an object. Its manifest is in the order of its YAML, so it
// need not be decoded, which takes as long as the rest of a backup.
func encodeObject(r store.Record) ([]byte, error) {
	yaml, err := strictyaml.FromJSON(r.Manifest)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(header{r.UID, r.Generation, r.Created.Time.UTC(), r.Created.By, r.Updated.Time.UTC(), r.Updated.By})
	if err != nil {
		return nil, err
	}
	text := append([]byte(headerPrefix), line...)
	return append(append(text, '\n'), yaml...), nil
}

// limitOf returns the size limit of an entry.
func limitOf(name string) int64 {
	if strings.HasPrefix(name, objectsDir) || strings.HasPrefix(name, secretsDir) {
		return maxObject
	}
	return maxEntry
}

// damaged returns the error of a backup that cannot be restored.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: the backup is damaged: "+format, append([]any{abi.ErrConfig}, args...)...)
}
