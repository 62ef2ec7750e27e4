-- +goose Up

-- One row per number that a transaction increments. The row "version" is locked by each
-- transaction that changes objects, so that versions are in the order of commits.
CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('version', 0), ('compacted', 0);

-- Objects of all kinds. The manifest contains no credential, and not the text of a prompt.
-- Texts that rows are sorted by have the collation BINARY, so that both engines sort them
-- in the same order.
CREATE TABLE objects (
    kind         TEXT COLLATE "BINARY" NOT NULL,
    project      TEXT COLLATE "BINARY" NOT NULL, -- '' for kinds that belong to no project
    name         TEXT COLLATE "BINARY" NOT NULL,
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
CREATE INDEX objects_by_version ON objects (version); -- the feed
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
    user_name  TEXT COLLATE "BINARY" PRIMARY KEY,
    hash       TEXT NOT NULL, -- argon2id, PHC format
    updated_at BIGINT NOT NULL
);

CREATE TABLE tokens (
    hash         BYTEA PRIMARY KEY, -- SHA-256 of the token
    id           TEXT COLLATE "BINARY" NOT NULL UNIQUE,
    subject_kind TEXT COLLATE "BINARY" NOT NULL, -- User or ServiceAccount
    subject      TEXT COLLATE "BINARY" NOT NULL,
    label        TEXT NOT NULL, -- '' for the token of a login
    created_at   BIGINT NOT NULL,
    created_by   TEXT NOT NULL,
    expires_at   BIGINT NOT NULL,
    idle         BIGINT NOT NULL, -- microseconds without use after which it expires; 0: never
    last_used    BIGINT NOT NULL -- 0: never
);
CREATE INDEX tokens_of_subject ON tokens (subject_kind, subject);

-- Users of an OpenID Connect issuer.
CREATE TABLE identities (
    issuer    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    user_name TEXT COLLATE "BINARY" NOT NULL, -- '' if the user was deleted: the identity cannot log in
    groups    TEXT NOT NULL, -- a JSON array
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX identities_by_user ON identities (user_name) WHERE user_name <> '';

-- The ids of calls that were sent to a server. A call that was sent is not sent again.
CREATE TABLE requests (
    hash  BYTEA PRIMARY KEY, -- of the caller, the server and the id
    until BIGINT NOT NULL
);
CREATE INDEX requests_by_time ON requests (until);

-- The audit log: a chain of hashes per writer.
CREATE TABLE audit (
    writer    TEXT COLLATE "BINARY" NOT NULL,
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

-- Results of stages that callers share. A producer replaces its own rows only.
CREATE TABLE prompt_cache (
    project   TEXT NOT NULL, -- uid of the project
    hash      BYTEA NOT NULL, -- of the cache key, with a key of the project
    producer  TEXT COLLATE "BINARY" NOT NULL, -- who stored it, for example "serviceaccount ci"
    model     TEXT NOT NULL, -- the ProxyModel
    module    TEXT NOT NULL, -- hash of the module
    size      BIGINT NOT NULL,
    value     BYTEA NOT NULL,
    signature BYTEA NOT NULL, -- of all columns above
    used_at   BIGINT NOT NULL,
    PRIMARY KEY (project, hash, producer)
);
CREATE INDEX prompt_cache_by_use ON prompt_cache (project, used_at, size);
CREATE INDEX prompt_cache_by_producer ON prompt_cache (producer);

-- The last row of each writer, sealed with a key that is not in the database, so that a
-- removed end of a chain shows.
CREATE TABLE audit_heads (
    writer     TEXT PRIMARY KEY,
    key_id     TEXT NOT NULL,
    ciphertext BYTEA NOT NULL
);

-- +goose Down
DROP TABLE prompt_cache;
DROP TABLE audit_heads;
DROP TABLE audit;
DROP TABLE requests;
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
