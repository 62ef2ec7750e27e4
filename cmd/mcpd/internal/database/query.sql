-- name: LockVersion :one
UPDATE counters SET value = value + 1 WHERE name = 'version' RETURNING value;

-- name: GetCounter :one
SELECT value FROM counters WHERE name = $1;

-- name: SetCounter :exec
UPDATE counters SET value = $2 WHERE name = $1;

-- name: GetObject :one
SELECT * FROM objects WHERE kind = $1 AND project = $2 AND name = $3;

-- name: ListObjects :many
SELECT * FROM objects WHERE kind = $1 AND (project > $2 OR project = $2 AND name > $3)
ORDER BY project, name LIMIT $4;

-- name: ListObjectsOfProject :many
SELECT * FROM objects WHERE kind = $1 AND project = $2 AND name > $3 ORDER BY name LIMIT $4;

-- name: ListAllObjects :many
SELECT * FROM objects ORDER BY kind, project, name;

-- name: ListObjectsFrom :many
SELECT sqlc.embed(o), b.bytes AS text FROM objects o LEFT JOIN blobs b ON b.hash = o.body AND o.body_bytes <= 65536
WHERE (o.kind, o.project, o.name) > (CAST(sqlc.arg(kind) AS text), CAST(sqlc.arg(project) AS text), CAST(sqlc.arg(name) AS text))
ORDER BY o.kind, o.project, o.name LIMIT sqlc.arg(most);

-- name: CountObjects :many
SELECT kind, COUNT(*) AS number FROM objects GROUP BY kind ORDER BY kind;

-- name: GetKeyOfUID :one
SELECT kind, project, name FROM objects WHERE uid = $1;

-- name: CountObjectsWithUID :one
SELECT COUNT(*) FROM objects WHERE uid = $1;

-- name: ListPromptIndex :many
SELECT o.name, o.priority, o.summary, o.chapters, o.link_target, o.body_bytes, o.version, COALESCE(g.granted_by, '') AS granted_by
FROM objects o LEFT JOIN link_grants g ON g.uid = o.uid
WHERE o.kind = 'Prompt' AND o.project = $1 ORDER BY o.priority DESC, o.name;

-- name: ListLinks :many
SELECT o.project, o.name, o.link_target, COALESCE(g.granted_by, '') AS granted_by
FROM objects o LEFT JOIN link_grants g ON g.uid = o.uid
WHERE o.kind = 'Prompt' AND o.link_target <> '' ORDER BY o.project, o.name;

-- name: GetLinkGrant :one
SELECT granted_by FROM link_grants WHERE uid = $1;

-- name: PutLinkGrant :exec
INSERT INTO link_grants (uid, granted_by, granted_at) VALUES ($1, $2, $3)
ON CONFLICT (uid) DO UPDATE SET granted_by = excluded.granted_by, granted_at = excluded.granted_at;

-- name: DeleteLinkGrant :exec
DELETE FROM link_grants WHERE uid = $1;

-- name: ListLinkGrants :many
SELECT o.project, o.name, g.granted_by, g.granted_at FROM objects o JOIN link_grants g ON g.uid = o.uid
WHERE o.kind = 'Prompt' AND (o.project, o.name) > (CAST(sqlc.arg(project) AS text), CAST(sqlc.arg(name) AS text))
ORDER BY o.project, o.name LIMIT sqlc.arg(most);

-- name: CountLinkGrants :one
SELECT COUNT(*) FROM objects o JOIN link_grants g ON g.uid = o.uid WHERE o.kind = 'Prompt';

-- name: CountObjectsOfProject :one
SELECT COUNT(*) FROM objects WHERE kind = $1 AND project = $2;

-- name: GetPromptsVersion :one
SELECT version FROM prompt_versions WHERE project = $1;

-- name: PutPromptsVersion :exec
INSERT INTO prompt_versions (project, version) VALUES ($1, $2) ON CONFLICT (project) DO UPDATE SET version = excluded.version;

-- name: PutObject :exec
INSERT INTO objects (kind, project, name, uid, version, generation, manifest, body, body_bytes, priority, summary,
    chapters, link_target, created_at, created_by, updated_at, updated_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT (kind, project, name) DO UPDATE SET version = excluded.version, generation = excluded.generation,
    manifest = excluded.manifest, body = excluded.body, body_bytes = excluded.body_bytes, priority = excluded.priority,
    summary = excluded.summary, chapters = excluded.chapters, link_target = excluded.link_target,
    updated_at = excluded.updated_at, updated_by = excluded.updated_by;

-- name: DeleteObject :exec
DELETE FROM objects WHERE kind = $1 AND project = $2 AND name = $3;

-- name: GetBlob :one
SELECT bytes FROM blobs WHERE hash = $1;

-- name: ListBlobs :many
SELECT b.hash, b.bytes FROM blobs b WHERE b.hash IN (SELECT o.body FROM objects o WHERE o.kind = $1 AND o.project = $2);

-- name: ListAllBlobs :many
SELECT hash, bytes FROM blobs;

-- name: PutBlob :exec
INSERT INTO blobs (hash, bytes) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING;

-- name: DeleteUnusedBlob :exec
DELETE FROM blobs WHERE hash = $1 AND NOT EXISTS (SELECT 1 FROM objects WHERE body = $1);

-- name: GetSecret :one
SELECT * FROM secrets WHERE uid = $1;

-- name: ListSecrets :many
SELECT * FROM secrets;

-- name: CountSecrets :one
SELECT COUNT(*) FROM secrets;

-- name: PutSecret :exec
INSERT INTO secrets (uid, version, key_id, ciphertext) VALUES ($1, $2, $3, $4)
ON CONFLICT (uid) DO UPDATE SET version = excluded.version, key_id = excluded.key_id, ciphertext = excluded.ciphertext;

-- name: DeleteSecret :exec
DELETE FROM secrets WHERE uid = $1;

-- name: AddChange :exec
INSERT INTO changes (version, at, op, kind, project, name, uid, actor) VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: ListChanges :many
SELECT * FROM changes WHERE version > $1 ORDER BY version LIMIT $2;

-- name: ListObjectsBetween :many
SELECT * FROM objects WHERE version > $1 AND version <= $2;

-- name: ListBlobsBetween :many
SELECT b.hash, b.bytes FROM blobs b WHERE b.hash IN (SELECT o.body FROM objects o WHERE o.version > $1 AND o.version <= $2);

-- name: CompactChanges :exec
DELETE FROM changes WHERE version <= $1;

-- name: GetPassword :one
SELECT hash FROM passwords WHERE user_name = $1;

-- name: GetLogin :one
SELECT p.hash, o.uid FROM passwords p JOIN objects o ON o.kind = 'User' AND o.project = '' AND o.name = p.user_name
WHERE p.user_name = $1;

-- name: ListPasswords :many
SELECT * FROM passwords WHERE user_name > $1 ORDER BY user_name LIMIT $2;

-- name: PutPassword :exec
INSERT INTO passwords (user_name, hash, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (user_name) DO UPDATE SET hash = excluded.hash, updated_at = excluded.updated_at;

-- name: DeletePassword :exec
DELETE FROM passwords WHERE user_name = $1;

-- name: CountPasswords :one
SELECT COUNT(*) FROM passwords;

-- name: AddToken :exec
INSERT INTO tokens (hash, id, subject_kind, subject, label, created_at, created_by, expires_at, idle, last_used)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: CountTokensOfName :one
SELECT COUNT(*) FROM tokens WHERE subject_kind = $1 AND subject = $2 AND label = $3 AND expires_at > $4;

-- name: GetToken :one
SELECT sqlc.embed(t), o.uid FROM tokens t JOIN objects o ON o.kind = t.subject_kind AND o.project = '' AND o.name = t.subject
WHERE t.hash = $1;

-- name: ListTokens :many
SELECT * FROM tokens ORDER BY subject_kind, subject, created_at;

-- name: ListAPITokens :many
SELECT * FROM tokens WHERE label <> '' AND id > $1 ORDER BY id LIMIT $2;

-- name: CountAPITokens :one
SELECT COUNT(*) FROM tokens WHERE label <> '';

-- name: ReplaceToken :exec
DELETE FROM tokens WHERE hash = $1 OR id = $2;

-- name: UseToken :exec
UPDATE tokens SET last_used = $2 WHERE hash = $1;

-- name: GetTokenByID :one
SELECT * FROM tokens WHERE id = $1;

-- name: DeleteToken :exec
DELETE FROM tokens WHERE id = $1;

-- name: DeleteLogins :many
DELETE FROM tokens WHERE subject_kind = $1 AND subject = $2 AND label = '' RETURNING id;

-- name: DeleteTokensOfSubject :exec
DELETE FROM tokens WHERE subject_kind = $1 AND subject = $2;

-- name: DeleteExpiredTokens :exec
DELETE FROM tokens WHERE expires_at < $1;

-- name: GetIdentity :one
SELECT * FROM identities WHERE issuer = $1 AND subject = $2;

-- name: PutIdentity :exec
INSERT INTO identities (issuer, subject, user_name, groups) VALUES ($1, $2, $3, $4)
ON CONFLICT (issuer, subject) DO UPDATE SET user_name = excluded.user_name, groups = excluded.groups;

-- name: ListIdentities :many
SELECT * FROM identities ORDER BY issuer, subject;

-- name: ListIdentitiesFrom :many
SELECT * FROM identities WHERE (issuer, subject) > (CAST(sqlc.arg(issuer) AS text), CAST(sqlc.arg(subject) AS text)) ORDER BY issuer, subject LIMIT sqlc.arg(most);

-- name: CountIdentities :one
SELECT COUNT(*) FROM identities;

-- name: ReplaceIdentity :exec
DELETE FROM identities WHERE user_name = $1 AND user_name <> '' OR issuer = $2 AND subject = $3;

-- name: DetachIdentity :exec
UPDATE identities SET user_name = '', groups = '[]' WHERE user_name = $1;

-- name: DeleteIdentity :execrows
DELETE FROM identities WHERE issuer = $1 AND subject = $2 AND user_name = '';

-- name: GetLastAudit :one
SELECT seq, hash FROM audit WHERE writer = $1 ORDER BY seq DESC LIMIT 1;

-- name: AddAudit :exec
INSERT INTO audit (writer, seq, at, actor, behalf, action, kind, project, name, decision, result, micros, trace, detail, prev_hash, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- name: GetAuditHead :one
SELECT * FROM audit_heads WHERE writer = $1;

-- name: PutAuditHead :exec
INSERT INTO audit_heads (writer, key_id, ciphertext) VALUES ($1, $2, $3)
ON CONFLICT (writer) DO UPDATE SET key_id = excluded.key_id, ciphertext = excluded.ciphertext;

-- name: ListAuditHeads :many
SELECT * FROM audit_heads ORDER BY writer;

-- name: CountAuditHeads :one
SELECT COUNT(*) FROM audit_heads;

-- name: GetAudit :one
SELECT * FROM audit WHERE writer = $1 AND seq = $2;

-- name: ListAudit :many
SELECT * FROM audit WHERE at >= sqlc.arg(since) AND at < sqlc.arg(until)
    AND (at < sqlc.arg(before_at) OR at = sqlc.arg(before_at) AND (writer > sqlc.arg(before_writer)
        OR writer = sqlc.arg(before_writer) AND seq < sqlc.arg(before_seq)))
    AND (CAST(sqlc.arg(actor) AS TEXT) = '' OR actor = sqlc.arg(actor)) AND (CAST(sqlc.arg(action) AS TEXT) = '' OR action = sqlc.arg(action)) AND (CAST(sqlc.arg(kind) AS TEXT) = '' OR kind = sqlc.arg(kind))
    AND (CAST(sqlc.arg(project) AS TEXT) = '' OR project = sqlc.arg(project)) AND (CAST(sqlc.arg(name) AS TEXT) = '' OR name = sqlc.arg(name)) AND (CAST(sqlc.arg(decision) AS TEXT) = '' OR decision = sqlc.arg(decision))
ORDER BY at DESC, writer, seq DESC LIMIT sqlc.arg(most);

-- name: ListAuditFrom :many
SELECT * FROM audit WHERE (writer, seq) > (CAST(sqlc.arg(writer) AS text), CAST(sqlc.arg(seq) AS bigint)) ORDER BY writer, seq LIMIT sqlc.arg(most);

-- name: CountAudit :one
SELECT COUNT(*) FROM audit;

-- name: ListAuditWriters :many
SELECT DISTINCT writer FROM audit ORDER BY writer;

-- name: ListAuditOfWriter :many
SELECT * FROM audit WHERE writer = $1 AND seq > $2 ORDER BY seq LIMIT $3;

-- name: ClaimRequest :execrows
INSERT INTO requests (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING;

-- name: ReleaseRequest :exec
DELETE FROM requests WHERE hash = $1;

-- name: DeleteOldRequests :exec
DELETE FROM requests WHERE until < $1;
-- name: ListCacheRows :many
SELECT * FROM prompt_cache WHERE project = $1 AND hash = $2 ORDER BY producer LIMIT $3;

-- name: PutCacheRow :exec
INSERT INTO prompt_cache (project, hash, producer, model, module, size, value, signature, used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (project, hash, producer) DO UPDATE SET model = excluded.model, module = excluded.module, size = excluded.size,
    value = excluded.value, signature = excluded.signature, used_at = excluded.used_at;

-- name: UseCacheRow :exec
UPDATE prompt_cache SET used_at = $4 WHERE project = $1 AND hash = $2 AND producer = $3;

-- name: SumCache :one
SELECT CAST(COALESCE(SUM(size), 0) AS bigint) FROM prompt_cache WHERE project = $1;

-- name: ListOldestCacheRows :many
SELECT hash, producer, size FROM prompt_cache WHERE project = $1 ORDER BY used_at LIMIT $2;

-- name: DeleteCacheRow :exec
DELETE FROM prompt_cache WHERE project = $1 AND hash = $2 AND producer = $3;

-- name: DeleteCacheOfProducer :execrows
DELETE FROM prompt_cache WHERE producer = $1;

-- name: DeleteCacheOfProject :exec
DELETE FROM prompt_cache WHERE project = $1;

-- name: DeleteCache :exec
DELETE FROM prompt_cache;
