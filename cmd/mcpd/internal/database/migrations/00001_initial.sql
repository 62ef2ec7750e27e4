-- +goose Up

-- One row per number that a transaction increments. The row "version" is locked by each
-- transaction that changes objects, so that versions are in the order of commits.
CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('version', 0), ('compacted', 0);

-- Objects of all kinds. The manifest contains no credential, and not the text of a prompt.
CREATE TABLE objects (
    kind         TEXT NOT NULL,
    project      TEXT NOT NULL, -- '' for kinds that belong to no project
    name         TEXT NOT NULL,
    uid          TEXT NOT NULL UNIQUE,
    version      BIGINT NOT NULL,
    generation   BIGINT NOT NULL,
    manifest     TEXT NOT NULL,
    body         BYTEA, -- hash of the text of a prompt, which is a blob
    body_bytes   BIGINT NOT NULL,
    priority     BIGINT NOT NULL, -- of prompts; the index is read without their texts
    summary      TEXT NOT NULL,
    chapters     TEXT NOT NULL, -- a JSON array
    link_target  TEXT NOT NULL,
    created_at   BIGINT NOT NULL, -- microseconds since 1970
    created_by   TEXT NOT NULL,
    updated_at   BIGINT NOT NULL,
    updated_by   TEXT NOT NULL,
    PRIMARY KEY (kind, project, name)
);
CREATE INDEX objects_of_project ON objects (project, kind);
CREATE INDEX objects_by_body ON objects (body);

-- The version of the last change of a project's prompts, so that a reader who has the
-- current list costs one row.
CREATE TABLE prompt_versions (
    project TEXT PRIMARY KEY,
    version BIGINT NOT NULL
);

-- Links that an editor of the source project has allowed.
CREATE TABLE link_grants (
    uid        TEXT PRIMARY KEY, -- of the prompt
    granted_by TEXT NOT NULL,
    granted_at BIGINT NOT NULL
);

CREATE TABLE blobs (
    hash  BYTEA PRIMARY KEY,
    bytes BYTEA NOT NULL
);

-- Manifests that contain credentials, encrypted.
CREATE TABLE secrets (
    uid        TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    key_id     TEXT NOT NULL,
    ciphertext BYTEA NOT NULL
);

-- The change feed. Its rows are removed by compaction, oldest first.
CREATE TABLE changes (
    version BIGINT PRIMARY KEY,
    at      BIGINT NOT NULL,
    op      TEXT NOT NULL, -- put or delete
    kind    TEXT NOT NULL,
    project TEXT NOT NULL,
    name    TEXT NOT NULL,
    uid     TEXT NOT NULL,
    actor   TEXT NOT NULL
);

CREATE TABLE passwords (
    user_name  TEXT PRIMARY KEY,
    hash       TEXT NOT NULL, -- argon2id, PHC format
    updated_at BIGINT NOT NULL
);

CREATE TABLE tokens (
    hash         BYTEA PRIMARY KEY, -- SHA-256 of the token
    id           TEXT NOT NULL UNIQUE,
    subject_kind TEXT NOT NULL, -- User or ServiceAccount
    subject      TEXT NOT NULL,
    label        TEXT NOT NULL, -- '' for the token of a login
    created_at   BIGINT NOT NULL,
    created_by   TEXT NOT NULL,
    expires_at   BIGINT NOT NULL,
    idle         BIGINT NOT NULL, -- microseconds without use after which it expires; 0: never
    last_used    BIGINT NOT NULL
);
CREATE INDEX tokens_of_subject ON tokens (subject_kind, subject);

-- Users of an OpenID Connect issuer.
CREATE TABLE identities (
    issuer    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    user_name TEXT NOT NULL, -- '' if the user was deleted: the identity cannot log in
    groups    TEXT NOT NULL, -- a JSON array
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX identities_by_user ON identities (user_name) WHERE user_name <> '';

-- The audit log: a chain of hashes per writer.
CREATE TABLE audit (
    writer    TEXT NOT NULL,
    seq       BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    actor     TEXT NOT NULL,
    behalf    TEXT NOT NULL,
    action    TEXT NOT NULL,
    kind      TEXT NOT NULL,
    project   TEXT NOT NULL,
    name      TEXT NOT NULL,
    decision  TEXT NOT NULL, -- allowed or denied
    result    TEXT NOT NULL,
    micros    BIGINT NOT NULL,
    trace     TEXT NOT NULL,
    detail    TEXT NOT NULL,
    prev_hash BYTEA NOT NULL,
    hash      BYTEA NOT NULL,
    PRIMARY KEY (writer, seq)
);
CREATE INDEX audit_by_time ON audit (at);

-- The last row of each writer, sealed with a key that is not in the database, so that a
-- removed end of a chain shows.
CREATE TABLE audit_heads (
    writer     TEXT PRIMARY KEY,
    key_id     TEXT NOT NULL,
    ciphertext BYTEA NOT NULL
);

-- +goose Down
DROP TABLE audit_heads;
DROP TABLE audit;
DROP TABLE identities;
DROP TABLE tokens;
DROP TABLE passwords;
DROP TABLE changes;
DROP TABLE secrets;
DROP TABLE blobs;
DROP TABLE link_grants;
DROP TABLE prompt_versions;
DROP TABLE objects;
DROP TABLE counters;
