CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
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
CREATE INDEX objects_by_body ON objects (body);
CREATE TABLE prompt_versions (
    project TEXT PRIMARY KEY,
    version BIGINT NOT NULL
);
CREATE TABLE blobs (
    hash  BYTEA PRIMARY KEY,
    bytes BYTEA NOT NULL
);
CREATE TABLE secrets (
    uid        TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    key_id     TEXT NOT NULL,
    ciphertext BYTEA NOT NULL
);
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
    last_used    BIGINT NOT NULL
);
CREATE INDEX tokens_of_subject ON tokens (subject_kind, subject);
CREATE TABLE identities (
    issuer    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    user_name TEXT COLLATE "BINARY" NOT NULL UNIQUE,
    groups    TEXT NOT NULL, -- a JSON array
    PRIMARY KEY (issuer, subject)
);
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
INSERT INTO counters VALUES ('version', 11);
INSERT INTO counters VALUES ('compacted', 0);
INSERT INTO objects VALUES ('Server', '', 's', '3bf9e047-f975-4355-b33f-96cc4b1bf1da', 1, 1, '{"kind":"Server","metadata":{"name":"s"},"spec":{"url":"https://x/","headers":{"Authorization":"***"},"timeout":"1m","shared":false}}', NULL, 0, 0, '', '[]', '', 1796009794017925, 'user anna', 1796009794017925, 'user anna');
INSERT INTO objects VALUES ('Project', '', 'p', 'c426ba08-a71a-4f91-8515-268bb5e8f452', 2, 1, '{"kind":"Project","metadata":{"name":"p"},"spec":{"proxyMode":"proxy","servers":["s"],"proxyModel":"default","toolNames":"prefixed"}}', NULL, 0, 0, '', '[]', '', 1796009794018426, 'user anna', 1796009794018426, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'text', '2416b58c-f34e-49e2-b59f-0a0cd74d1fed', 3, 1, '{"kind":"Prompt","metadata":{"name":"text","project":"p"},"spec":{"priority":7,"summary":"short","chapters":["one"],"content":""}}', X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', 14, 7, 'short', '["one"]', '', 1796009794024114, 'user anna', 1796009794024114, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'link', '68d6e5ae-6acf-4371-98e6-7a0527162ade', 4, 1, '{"kind":"Prompt","metadata":{"name":"link","project":"p"},"spec":{"priority":5,"linkTarget":"p/s:file:///x"}}', NULL, 0, 5, '', '[]', 'p/s:file:///x', 1796009794024671, 'user anna', 1796009794024671, 'user anna');
INSERT INTO objects VALUES ('PromptRequest', 'p', 'text', '373a2eae-8ca9-4bf9-a804-bfd3b421540e', 5, 1, '{"kind":"PromptRequest","metadata":{"name":"text","project":"p"},"spec":{"priority":5,"content":""}}', X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', 3, 5, '', '[]', '', 1796009794025020, 'user anna', 1796009794025020, 'user anna');
INSERT INTO objects VALUES ('User', '', 'anna', '8f18e2fe-e8e0-4e08-a6ac-efe8dc8e6893', 6, 1, '{"kind":"User","metadata":{"name":"anna"},"spec":{"disabled":false}}', NULL, 0, 0, '', '[]', '', 1796009794025385, 'user anna', 1796009794025385, 'user anna');
INSERT INTO objects VALUES ('Group', '', 'web', '55e6c185-6181-4f7a-9ad1-80553463ad47', 7, 1, '{"kind":"Group","metadata":{"name":"web"},"spec":{"members":["anna"]}}', NULL, 0, 0, '', '[]', '', 1796009794025725, 'user anna', 1796009794025725, 'user anna');
INSERT INTO objects VALUES ('ServiceAccount', '', 'ci', '6f2929a5-5125-415b-85a5-2ff9823cfc35', 8, 1, '{"kind":"ServiceAccount","metadata":{"name":"ci"},"spec":{}}', NULL, 0, 0, '', '[]', '', 1796009794026000, 'user anna', 1796009794026000, 'user anna');
INSERT INTO objects VALUES ('RbacBinding', '', 'admins', '4c39462a-4fdb-4bd5-b0ce-41557970a95d', 9, 1, '{"kind":"RbacBinding","metadata":{"name":"admins"},"spec":{"subjects":[{"group":"web"}],"verbs":["admin"]}}', NULL, 0, 0, '', '[]', '', 1796009794027877, 'user anna', 1796009794027877, 'user anna');
INSERT INTO prompt_versions VALUES ('p', 11);
INSERT INTO blobs VALUES (X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', X'69742773205c202274657874220a');
INSERT INTO blobs VALUES (X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', X'6e6577');
INSERT INTO secrets VALUES ('3bf9e047-f975-4355-b33f-96cc4b1bf1da', 1, 'fixtures', X'ae972422db1875291b6d352ff649b89940e27fe2bcfe81c7de3def8f6572e81c44978f95c439f0ae3edbdd80df77161657a378882d6fda05ce2d5fe84734e930022d8393d40a29f85f77f69a1c21dd86dff5273ba1865cf45802e533c8619d85a39d1378c9bbdb0ab96b40e1c5c619e9d311082ddea2b1a30e0b94a2f1b00d8e2970bbcaf7e0cd4adb943f30ef832e45f00fb6038aad55614dcec788d3e3e4019bd8656c5abbf72ac90893c6aae8e2e17e64');
INSERT INTO changes VALUES (1, 1796009794017734, 'put', 'Server', '', 's', '3bf9e047-f975-4355-b33f-96cc4b1bf1da', 'user anna');
INSERT INTO changes VALUES (2, 1796009794017734, 'put', 'Project', '', 'p', 'c426ba08-a71a-4f91-8515-268bb5e8f452', 'user anna');
INSERT INTO changes VALUES (3, 1796009794017734, 'put', 'Prompt', 'p', 'text', '2416b58c-f34e-49e2-b59f-0a0cd74d1fed', 'user anna');
INSERT INTO changes VALUES (4, 1796009794017734, 'put', 'Prompt', 'p', 'link', '68d6e5ae-6acf-4371-98e6-7a0527162ade', 'user anna');
INSERT INTO changes VALUES (5, 1796009794017734, 'put', 'PromptRequest', 'p', 'text', '373a2eae-8ca9-4bf9-a804-bfd3b421540e', 'user anna');
INSERT INTO changes VALUES (6, 1796009794017734, 'put', 'User', '', 'anna', '8f18e2fe-e8e0-4e08-a6ac-efe8dc8e6893', 'user anna');
INSERT INTO changes VALUES (7, 1796009794017734, 'put', 'Group', '', 'web', '55e6c185-6181-4f7a-9ad1-80553463ad47', 'user anna');
INSERT INTO changes VALUES (8, 1796009794017734, 'put', 'ServiceAccount', '', 'ci', '6f2929a5-5125-415b-85a5-2ff9823cfc35', 'user anna');
INSERT INTO changes VALUES (9, 1796009794017734, 'put', 'RbacBinding', '', 'admins', '4c39462a-4fdb-4bd5-b0ce-41557970a95d', 'user anna');
INSERT INTO changes VALUES (10, 1796009794017734, 'put', 'Prompt', 'p', 'gone', '65461ce8-134c-4533-8df2-fcfed0c734f1', 'user anna');
INSERT INTO changes VALUES (11, 1796009794036048, 'delete', 'Prompt', 'p', 'gone', '65461ce8-134c-4533-8df2-fcfed0c734f1', 'user anna');
INSERT INTO passwords VALUES ('anna', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaQdJdWRWJTmaaQdI', 1);
INSERT INTO tokens VALUES (X'0000000000000000000000000000000000000000000000000000000000000000', 't1', 'ServiceAccount', 'ci', 'build', 1, 'user anna', 2, 0, 1);
INSERT INTO identities VALUES ('https://login', '1', 'anna', '["web"]');
INSERT INTO audit VALUES ('config', 1, 1796009794018262, 'user anna', '', 'created', 'Server', '', 's', 'allowed', 'ok', 0, '', 'version 1', X'', X'a1090599956d8931a3ebf1d59bbe62070015e5dc14d166d3b74dc1c6c6ef6428');
INSERT INTO audit VALUES ('config', 2, 1796009794023904, 'user anna', '', 'created', 'Project', '', 'p', 'allowed', 'ok', 0, '', 'version 2', X'a1090599956d8931a3ebf1d59bbe62070015e5dc14d166d3b74dc1c6c6ef6428', X'f317f7766b577a08999c4a35a7c1d63e2f00599118e9b503feb7f30f99fa0f8f');
INSERT INTO audit VALUES ('config', 3, 1796009794024461, 'user anna', '', 'created', 'Prompt', 'p', 'text', 'allowed', 'ok', 0, '', 'version 3', X'f317f7766b577a08999c4a35a7c1d63e2f00599118e9b503feb7f30f99fa0f8f', X'4ea9f48b36ec44250ca3e6fb4c5722cac80e01a27644839472515c1ccf7cea90');
INSERT INTO audit VALUES ('config', 4, 1796009794024851, 'user anna', '', 'created', 'Prompt', 'p', 'link', 'allowed', 'ok', 0, '', 'version 4', X'4ea9f48b36ec44250ca3e6fb4c5722cac80e01a27644839472515c1ccf7cea90', X'758af6785c35a1b9dfe6ca9a8f732bb3424579cb3dcb7555d8d21db8ba5b0ea4');
INSERT INTO audit VALUES ('config', 5, 1796009794025225, 'user anna', '', 'created', 'PromptRequest', 'p', 'text', 'allowed', 'ok', 0, '', 'version 5', X'758af6785c35a1b9dfe6ca9a8f732bb3424579cb3dcb7555d8d21db8ba5b0ea4', X'bb578946e9996a8e4b73ee81632675da5428020042e4fd44c505af40e097e3c3');
INSERT INTO audit VALUES ('config', 6, 1796009794025546, 'user anna', '', 'created', 'User', '', 'anna', 'allowed', 'ok', 0, '', 'version 6', X'bb578946e9996a8e4b73ee81632675da5428020042e4fd44c505af40e097e3c3', X'771b753445a5cfc6a92c290ad8b0b137a4689125f53c5a51cf6915bee76b6cd9');
INSERT INTO audit VALUES ('config', 7, 1796009794025882, 'user anna', '', 'created', 'Group', '', 'web', 'allowed', 'ok', 0, '', 'version 7', X'771b753445a5cfc6a92c290ad8b0b137a4689125f53c5a51cf6915bee76b6cd9', X'5db35d7e0a3644cb8e8206603f5084ef6843c0a2885c27d9d4e133a24fa86fd4');
INSERT INTO audit VALUES ('config', 8, 1796009794027745, 'user anna', '', 'created', 'ServiceAccount', '', 'ci', 'allowed', 'ok', 0, '', 'version 8', X'5db35d7e0a3644cb8e8206603f5084ef6843c0a2885c27d9d4e133a24fa86fd4', X'fea543977c14a2a8d1d3e0468b460c2151d5028ea65749b9027226b960c9b05a');
INSERT INTO audit VALUES ('config', 9, 1796009794028003, 'user anna', '', 'created', 'RbacBinding', '', 'admins', 'allowed', 'ok', 0, '', 'version 9', X'fea543977c14a2a8d1d3e0468b460c2151d5028ea65749b9027226b960c9b05a', X'2a14d90214617b82f8e181d3b32d8c0184a3316b5a4606d1f8bb9bb792c7506b');
INSERT INTO audit VALUES ('config', 10, 1796009794028282, 'user anna', '', 'created', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 10', X'2a14d90214617b82f8e181d3b32d8c0184a3316b5a4606d1f8bb9bb792c7506b', X'dd3f279264901ec3d22d4fb53c2d9c6cf9cf18139c1d6b8184d624c3df398d42');
INSERT INTO audit VALUES ('config', 11, 1796009794036637, 'user anna', '', 'deleted', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 11', X'dd3f279264901ec3d22d4fb53c2d9c6cf9cf18139c1d6b8184d624c3df398d42', X'4852ac9eadcb9ee84bc85a479a3cccac6abc2d88b5f7af6153e2e5147a10e516');
INSERT INTO prompt_cache VALUES ('u', X'0000000000000000000000000000000000000000000000000000000000000000', 'user anna', 'm', 'x', 1, X'76', X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000', 1);
