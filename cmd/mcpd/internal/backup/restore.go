package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"filippo.io/age"
	"github.com/google/uuid"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// RestoreOptions are the settings of Restore.
type RestoreOptions struct {
	Actor    string // for the audit log
	Identity string // of age, which decrypts credentials: the text of a file of age-keygen
	Merge    bool   // into a server that has objects, which those of the backup replace
	DryRun   bool   // roll back

	// Check runs at the end of the transaction of a merge, also of a dry run. If it returns an
	// error, nothing is stored. nil accepts all.
	Check func(ctx context.Context, tx *database.Tx) error

	// WithoutCredentials accepts encrypted credentials without an Identity. Servers whose
	// credentials are not stored already are skipped.
	WithoutCredentials bool
}

// Report is what a restore did.
type Report struct {
	Manifest Manifest `json:"manifest"`
	DryRun   bool     `json:"dryRun"`

	Created    int64 `json:"created"`
	Configured int64 `json:"configured"`
	Unchanged  int64 `json:"unchanged"`

	// Passwords, Tokens and Identities are the numbers of those that were written. Stored ones
	// that are equal are not written.
	Passwords  int64 `json:"passwords"`
	Tokens     int64 `json:"tokens"`
	Identities int64 `json:"identities"`
	// TokensSkipped is the number of API tokens that a merge left out, because they are not
	// stored: they were revoked, or never existed here.
	TokensSkipped int64 `json:"tokensSkipped"`
	// AccountsSkipped is the number of passwords, identities and grants of links that a merge left
	// out, because their account was created again since the backup: it is another one of the name.
	AccountsSkipped int64 `json:"accountsSkipped"`

	// Skipped are the Servers whose credentials are neither in the backup nor stored.
	Skipped []string `json:"skipped"`
	// AuditSkipped means that the audit log of the backup was not restored, because the
	// server has one.
	AuditSkipped bool `json:"auditSkipped"`
}

// ErrNoIdentity is the error of a restore of encrypted credentials without an identity. It
// wraps abi.ErrConfig.
var ErrNoIdentity = fmt.Errorf("%w: the backup has credentials, and there is no identity to decrypt them", abi.ErrConfig)

// Restore stores all data of a backup in one transaction. file is read more than once if the
// database aborts the transaction because of others.
//
// It returns abi.ErrConfig for a damaged backup, abi.ErrLimit for one that is too large,
// abi.ErrConflict for one of a newer format, abi.ErrDenied for another identity, ErrNoIdentity,
// store.ErrNotEmpty, and the error of RestoreOptions.Check. Nothing is stored then.
func Restore(ctx context.Context, s *store.Store, file io.ReadSeeker, o RestoreOptions) (Report, error) {
	identities, err := parseIdentities(o.Identity)
	if err != nil {
		return Report{}, err
	}
	manifest, err := ReadManifest(file)
	if err != nil {
		return Report{}, err
	}
	if manifest.Credentials == CredentialsEncrypted && identities == nil && !o.WithoutCredentials {
		return Report{}, fmt.Errorf("%w; they are encrypted to %s", ErrNoIdentity, strings.Join(manifest.Recipients, ", "))
	}
	version, _ := strconv.ParseInt(manifest.ResourceVersion, 10, 64) // checked by ReadManifest
	var report Report
	w := store.Write{Actor: o.Actor, DryRun: o.DryRun, Authorize: func(object.Key, bool) error { return nil }}
	err = s.Restore(ctx, w, version, o.Merge, func(r *store.Restoration) error {
		archive, err := open(file)
		if err != nil {
			return err
		}
		defer archive.close()
		one := &restore{Restoration: r, archive: archive, identities: identities, report: Report{DryRun: o.DryRun, Skipped: []string{}}, replaced: make(map[object.Key]bool)}
		if err := one.run(ctx); err != nil {
			return err
		}
		if o.Check != nil && !r.IsEmpty {
			if err := o.Check(ctx, r.Tx); err != nil {
				return err
			}
		}
		report = one.report
		r.Record("restore", fmt.Sprintf("backup of version %s: %d created, %d configured, %d unchanged, %d skipped; %d passwords, %d tokens, %d identities, %d tokens skipped, %d rows of replaced accounts skipped",
			manifest.ResourceVersion, report.Created, report.Configured, report.Unchanged, len(report.Skipped), report.Passwords, report.Tokens, report.Identities, report.TokensSkipped, report.AccountsSkipped))
		return nil
	})
	if err != nil {
		return Report{}, err
	}
	return report, nil
}

// open returns a reader from the begin of a file.
func open(file io.ReadSeeker) (*reader, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return newReader(file)
}

// ReadManifest reads the manifest of a backup.
//
// It returns abi.ErrConfig if the file is no backup, and abi.ErrConflict if it has a newer
// format.
func ReadManifest(file io.ReadSeeker) (Manifest, error) {
	archive, err := open(file)
	if err != nil {
		return Manifest{}, err
	}
	defer archive.close()
	return archive.manifest()
}

func (r *reader) manifest() (Manifest, error) {
	name, text, err := r.next()
	var m Manifest
	if errors.Is(err, abi.ErrLimit) {
		return m, err
	}
	if err != nil || name != manifestName {
		return m, fmt.Errorf("%w: the file is not a backup of mcpd, or its begin is damaged", abi.ErrConfig)
	}
	var head struct {
		Format        string `json:"format"`
		FormatVersion int    `json:"formatVersion"`
		Program       string `json:"program"`
	}
	if err := decodeLoose(text, &head); err != nil || head.Format != formatName || head.FormatVersion < 1 {
		return m, fmt.Errorf("%w: the file is not a backup of mcpd, or its begin is damaged", abi.ErrConfig)
	}
	if head.FormatVersion > formatVersion {
		return m, fmt.Errorf("%w: the backup has format %d, and this program reads formats up to %d; restore it with mcpd %.100q, which wrote it",
			abi.ErrConflict, head.FormatVersion, formatVersion, head.Program)
	}
	if err := decodeStrict(text, &m); err != nil {
		return m, damaged("%s: %v", manifestName, err)
	}
	if v, err := strconv.ParseInt(m.ResourceVersion, 10, 64); err != nil || v < 0 || v > maxVersion {
		return m, damaged("%s: the resourceVersion is not valid", manifestName)
	}
	return m, nil
}

// maxVersion leaves versions after a restore.
const maxVersion = 1 << 53

// parseIdentities reads the text of a file of age identities. An empty text is none.
func parseIdentities(text string) ([]age.Identity, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	list, err := age.ParseIdentities(strings.NewReader(text))
	if err != nil { // the error may have a part of the key
		return nil, fmt.Errorf("%w: the identity is not one of age: want a line AGE-SECRET-KEY-1..., as age-keygen prints it", abi.ErrConfig)
	}
	return list, nil
}

func errRecipient(text string) error {
	if strings.HasPrefix(strings.ToUpper(text), "AGE-SECRET-KEY-") {
		return fmt.Errorf("%w: the recipient is a secret key; want the public key, which begins with age1", abi.ErrConfig)
	}
	return fmt.Errorf("%w: %.80q is not a recipient of age; want the public key of age-keygen, which begins with age1", abi.ErrConfig, text)
}

// restore is one transaction of Restore.
type restore struct {
	*store.Restoration
	archive    *reader
	identities []age.Identity
	report     Report
	replaced   map[object.Key]bool // accounts that the server has with another UID than the backup

	seen    Counts
	last    string // name of the last object, to which the next one is compared
	sealed  []byte // credentials of the next object
	secret  string // name of their entry
	section int    // of the last entry, an index of sections
	number  int    // of the last entry of rows
}

// sections are the parts of a backup in their order.
var sections = []string{auditRows, objectsDir, passwordRows, tokenRows, identityRows, grantRows}

func (r *restore) run(ctx context.Context) error {
	m, err := r.archive.manifest()
	if err != nil {
		return err
	}
	r.report.Manifest = m
	r.seen.Objects = make(map[string]int64)
	if m.Counts.Audit > 0 {
		stored, err := r.CountAudit(ctx)
		if err != nil {
			return err
		}
		r.report.AuditSkipped = stored > 0
	}
	for {
		name, text, err := r.archive.next()
		if errors.Is(err, io.EOF) {
			return errors.Join(r.sealAudit(ctx), r.check())
		}
		if err != nil {
			return err
		}
		if err := r.entry(ctx, name, text); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// entry restores one entry.
func (r *restore) entry(ctx context.Context, name string, text []byte) error {
	if strings.HasPrefix(name, secretsDir) {
		if r.sealed != nil {
			return damaged("%.100q has no object", r.secret)
		}
		r.secret, r.sealed = name, text
		return nil
	}
	section := -1
	for i, s := range sections {
		if strings.HasPrefix(name, s) {
			section = i
		}
	}
	switch {
	case section < r.section:
		return damaged("unexpected entry %.100q", name)
	case section > r.section:
		if err := r.sealAudit(ctx); err != nil {
			return err
		}
		r.section, r.number = section, 0
	}
	if sections[section] == objectsDir {
		return r.object(ctx, name, text)
	}
	if r.sealed != nil {
		return damaged("%.100q has no object", r.secret)
	}
	if r.number++; name != rowsName(sections[section], r.number) {
		return damaged("unexpected entry %.100q", name)
	}
	return r.rows(ctx, name, text)
}

// sealAudit seals the audit log once its rows are restored.
func (r *restore) sealAudit(ctx context.Context) error {
	if r.section < 0 || sections[r.section] != auditRows || r.report.AuditSkipped {
		return nil
	}
	return r.SealAudit(ctx)
}

func (r *restore) rows(ctx context.Context, name string, text []byte) error {
	var n int64
	var err error
	switch sections[r.section] {
	case auditRows:
		n, err = decodeRows(name, text, func(row auditRow) error { return r.putAudit(ctx, row) })
		r.seen.Audit += n
	case passwordRows:
		n, err = decodeRows(name, text, func(row passwordRow) error { return r.putPassword(ctx, row) })
		r.seen.Passwords += n
	case tokenRows:
		n, err = decodeRows(name, text, func(row tokenRow) error { return r.putToken(ctx, row) })
		r.seen.Tokens += n
	case identityRows:
		n, err = decodeRows(name, text, func(row identityRow) error { return r.putIdentity(ctx, row) })
		r.seen.Identities += n
	case grantRows:
		n, err = decodeRows(name, text, func(row grantRow) error { return r.putGrant(ctx, row) })
		r.seen.LinkGrants += n
	}
	return err
}

// object restores an object. Objects are sorted by name, so that none comes twice.
func (r *restore) object(ctx context.Context, name string, text []byte) error {
	h, o, err := decodeObject(name, text)
	if err != nil {
		return err
	}
	key := o.Key()
	if at := orderOf(key); r.last >= at {
		return damaged("%.100q is there twice, or not in order", name)
	} else {
		r.last = at
	}
	r.seen.Objects[string(key.Kind)]++
	if r.sealed != nil {
		if o, err = r.unseal(key, o); err != nil {
			return err
		}
	}
	action, err := r.Put(ctx, store.Restored{Object: o, UID: h.UID, Generation: h.Generation,
		Created: store.Stamp{Time: h.Created, By: h.CreatedBy}, Updated: store.Stamp{Time: h.Updated, By: h.UpdatedBy}})
	switch {
	case errors.Is(err, store.ErrNoCredentials):
		r.report.Skipped = append(r.report.Skipped, key.String())
		return nil
	case err != nil:
		return err
	}
	if action != store.Created {
		if err := r.noteReplaced(ctx, key, h.UID); err != nil {
			return err
		}
	}
	switch action {
	case store.Created:
		r.report.Created++
	case store.Configured:
		r.report.Configured++
	default:
		r.report.Unchanged++
	}
	return nil
}

// orderOf returns a text that sorts like the objects of a backup.
func orderOf(key object.Key) string {
	return string(key.Kind) + "\x00" + string(key.Project) + "\x00" + string(key.Name)
}

func decodeObject(name string, text []byte) (header, object.Object, error) {
	var h header
	line, yaml, _ := bytes.Cut(text, []byte("\n"))
	head, ok := bytes.CutPrefix(line, []byte(headerPrefix))
	if !ok || len(head) > maxHeader || decodeStrict(head, &h) != nil {
		return h, nil, damaged("%.100q has no valid first line", name)
	}
	if _, err := uuid.Parse(h.UID); err != nil || h.Generation < 1 || h.Generation > maxVersion {
		return h, nil, damaged("%.100q has no valid first line", name)
	}
	objects, _, err := object.Decode(name, yaml)
	if err != nil {
		return h, nil, fmt.Errorf("the backup has an object that this program cannot read: %w", err)
	}
	if len(objects) != 1 || objects[0].Key().Kind == object.KindProxyModel || objectName(objects[0].Key()) != name {
		return h, nil, damaged("%.100q does not have the object of its name", name)
	}
	return h, objects[0], nil
}

// unseal returns an object with its credentials, if there is an identity. It must otherwise
// be equal to the object of the backup.
func (r *restore) unseal(key object.Key, o object.Object) (object.Object, error) {
	sealed := r.sealed
	r.sealed = nil
	if r.secret != secretName(key) {
		return nil, damaged("%.100q has no object", r.secret)
	}
	r.seen.Servers++
	if r.identities == nil {
		return o, nil
	}
	w, err := age.Decrypt(bytes.NewReader(sealed), r.identities...)
	if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, fmt.Errorf("%w: the identity does not decrypt %s, want that of %s", abi.ErrDenied, r.secret, strings.Join(r.report.Manifest.Recipients, ", "))
	}
	if err != nil {
		return nil, damaged("%s: %v", r.secret, err)
	}
	plain, err := io.ReadAll(io.LimitReader(w, maxEntry))
	if err != nil {
		return nil, damaged("%s: %v", r.secret, err)
	}
	objects, _, err := object.Decode(r.secret, plain)
	if err != nil || len(objects) != 1 || !bytes.Equal(object.EncodeYAML(objects[0]), object.EncodeYAML(o)) {
		return nil, damaged("%s is not of %s", r.secret, key)
	}
	return objects[0], nil
}

// check compares what was read to the manifest.
func (r *restore) check() error {
	if r.sealed != nil {
		return damaged("%.100q has no object", r.secret)
	}
	want := r.report.Manifest.Counts
	if r.report.Manifest.Credentials != CredentialsEncrypted {
		want.Servers = 0
	}
	same := len(want.Objects) == len(r.seen.Objects) && want.Servers == r.seen.Servers && want.Passwords == r.seen.Passwords &&
		want.Tokens == r.seen.Tokens && want.Identities == r.seen.Identities && want.LinkGrants == r.seen.LinkGrants && want.Audit == r.seen.Audit
	for kind, n := range want.Objects {
		same = same && r.seen.Objects[kind] == n
	}
	if !same {
		return damaged("it does not have the numbers of rows that %s lists", manifestName)
	}
	return nil
}
