package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"filippo.io/age"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// Options are the settings of Write.
type Options struct {
	Program    string   // version of the program
	Recipients []string // of age, to whom credentials are encrypted; nil leaves them out
	Audit      bool     // include the audit log
}

// parseRecipients returns the recipients of a list. Only keys of age are accepted, not those
// of ssh.
//
// It returns abi.ErrConfig.
func parseRecipients(texts []string) ([]age.Recipient, error) {
	var out []age.Recipient
	for _, text := range texts {
		list, err := age.ParseRecipients(bytes.NewReader([]byte(text)))
		if err != nil || len(list) != 1 {
			return nil, errRecipient(text)
		}
		out = append(out, list[0])
	}
	return out, nil
}

// Write writes a backup of one moment. It holds a few objects in memory.
func Write(ctx context.Context, db *database.DB, s *store.Store, w io.Writer, o Options) (Manifest, error) {
	recipients, err := parseRecipients(o.Recipients)
	if err != nil {
		return Manifest{}, err
	}
	schema, err := db.SchemaVersion(ctx)
	if err != nil {
		return Manifest{}, err
	}
	archive, err := newWriter(w)
	if err != nil {
		return Manifest{}, err
	}
	defer archive.discard()
	b := &backup{writer: archive, options: o, recipients: recipients}
	b.manifest = Manifest{Format: formatName, FormatVersion: formatVersion, Program: o.Program, SchemaVersion: schema, Recipients: o.Recipients}
	err = s.Read(ctx, func(r *store.Reading) error {
		b.Reading = r
		return b.run(ctx)
	})
	if err != nil {
		return Manifest{}, err
	}
	return b.manifest, archive.close()
}

// backup is one Write.
type backup struct {
	*store.Reading
	*writer
	options    Options
	recipients []age.Recipient
	manifest   Manifest
}

// run writes the entries in the order in which restore needs them: the audit log before what
// restore itself adds to it, accounts after their users, and grants after their links.
func (b *backup) run(ctx context.Context) error {
	if err := b.count(ctx); err != nil {
		return err
	}
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := b.add(manifestName, append(text, '\n')); err != nil {
		return err
	}
	if b.options.Audit {
		if err := b.addAudit(ctx); err != nil {
			return err
		}
	}
	for r, err := range b.Objects(ctx) {
		if err != nil {
			return err
		}
		if err := b.addObject(ctx, r); err != nil {
			return err
		}
	}
	if err := b.addAccounts(ctx); err != nil {
		return err
	}
	return b.addGrants(ctx)
}

// count fills in the manifest.
func (b *backup) count(ctx context.Context) error {
	version, err := b.GetCounter(ctx, "version")
	if err != nil {
		return err
	}
	m := &b.manifest
	m.ResourceVersion = strconv.FormatInt(version, 10)
	m.Counts.Objects = make(map[string]int64)
	counts, err := b.CountObjects(ctx)
	if err != nil {
		return err
	}
	for _, c := range counts {
		m.Counts.Objects[c.Kind] = c.Number
	}
	if m.Counts.Servers, err = b.CountSecrets(ctx); err != nil {
		return err
	}
	if m.Counts.Passwords, err = b.CountPasswords(ctx); err != nil {
		return err
	}
	if m.Counts.Tokens, err = b.CountAPITokens(ctx); err != nil {
		return err
	}
	if m.Counts.Identities, err = b.CountIdentities(ctx); err != nil {
		return err
	}
	if m.Counts.LinkGrants, err = b.CountLinkGrants(ctx); err != nil {
		return err
	}
	switch {
	case m.Counts.Servers == 0:
		m.Credentials = CredentialsNone
	case b.recipients == nil:
		m.Credentials = CredentialsLeftOut
	default:
		m.Credentials = CredentialsEncrypted
	}
	if b.options.Audit {
		m.Counts.Audit, err = b.CountAudit(ctx)
	}
	return err
}

// addObject writes the entry of an object, and before it that of its credentials.
func (b *backup) addObject(ctx context.Context, r store.Record) error {
	if r.Key.Kind == object.KindServer && b.recipients != nil {
		if err := b.addCredentials(ctx, r); err != nil {
			return err
		}
	}
	text, err := encodeObject(r)
	if err != nil {
		return err
	}
	return b.add(objectName(r.Key), text)
}

func (b *backup) addCredentials(ctx context.Context, r store.Record) error {
	o, err := b.Reveal(ctx, r)
	if err != nil {
		return err
	}
	if !object.HasCredentials(o) {
		return nil
	}
	plain, err := object.EncodePlain(o)
	if err != nil {
		return err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, b.recipients...)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Key, err)
	}
	if _, err := w.Write(plain); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return b.add(secretName(r.Key), sealed.Bytes())
}

// addRows writes rows in numbered entries. page returns the rows after the last one, at most
// rowsOfEntry.
func addRows[T any](b *backup, rows string, page func() ([]T, error), encode func(T) any) error {
	for number := 1; ; number++ {
		list, err := page()
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return nil
		}
		var text bytes.Buffer
		for _, row := range list {
			if err := appendRow(&text, encode(row)); err != nil {
				return err
			}
		}
		if err := b.add(rowsName(rows, number), text.Bytes()); err != nil {
			return err
		}
		if len(list) < rowsOfEntry {
			return nil
		}
	}
}

func (b *backup) addAudit(ctx context.Context) error {
	after := query.ListAuditFromParams{Most: rowsOfEntry}
	return addRows(b, auditRows, func() ([]query.Audit, error) {
		list, err := b.ListAuditFrom(ctx, after)
		if n := len(list); n > 0 {
			after.Writer, after.Seq = list[n-1].Writer, list[n-1].Seq
		}
		return list, err
	}, encodeAudit)
}

func (b *backup) addAccounts(ctx context.Context) error {
	after := ""
	err := addRows(b, passwordRows, func() ([]query.Password, error) {
		list, err := b.ListPasswords(ctx, query.ListPasswordsParams{UserName: after, Limit: rowsOfEntry})
		if n := len(list); n > 0 {
			after = list[n-1].UserName
		}
		return list, err
	}, encodePassword)
	if err != nil {
		return err
	}
	after = ""
	err = addRows(b, tokenRows, func() ([]query.Token, error) {
		list, err := b.ListAPITokens(ctx, query.ListAPITokensParams{ID: after, Limit: rowsOfEntry})
		if n := len(list); n > 0 {
			after = list[n-1].ID
		}
		return list, err
	}, encodeToken)
	if err != nil {
		return err
	}
	last := query.ListIdentitiesFromParams{Most: rowsOfEntry}
	return addRows(b, identityRows, func() ([]query.Identity, error) {
		list, err := b.ListIdentitiesFrom(ctx, last)
		if n := len(list); n > 0 {
			last.Issuer, last.Subject = list[n-1].Issuer, list[n-1].Subject
		}
		return list, err
	}, encodeIdentity)
}

func (b *backup) addGrants(ctx context.Context) error {
	after := query.ListLinkGrantsParams{Most: rowsOfEntry}
	return addRows(b, grantRows, func() ([]query.ListLinkGrantsRow, error) {
		list, err := b.ListLinkGrants(ctx, after)
		if n := len(list); n > 0 {
			after.Project, after.Name = list[n-1].Project, list[n-1].Name
		}
		return list, err
	}, encodeGrant)
}
