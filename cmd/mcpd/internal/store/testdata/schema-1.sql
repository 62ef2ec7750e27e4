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
INSERT INTO counters VALUES ('version', 11);
INSERT INTO counters VALUES ('compacted', 0);
INSERT INTO objects VALUES ('Server', '', 's', '229d027b-b382-463f-bd63-e333dbb99e4e', 1, 1, '{"kind":"Server","metadata":{"name":"s"},"spec":{"url":"https://x/","headers":{"Authorization":"***"},"timeout":"1m","shared":false}}', NULL, 0, 0, '', '[]', '', 1796009557209784, 'user anna', 1796009557209784, 'user anna');
INSERT INTO objects VALUES ('Project', '', 'p', '8952cf1f-d15b-493b-96e5-65b706048df6', 2, 1, '{"kind":"Project","metadata":{"name":"p"},"spec":{"proxyMode":"proxy","servers":["s"],"proxyModel":"default","toolNames":"prefixed"}}', NULL, 0, 0, '', '[]', '', 1796009557210639, 'user anna', 1796009557210639, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'text', '980a3453-1590-494c-95f5-d824eaf8b56b', 3, 1, '{"kind":"Prompt","metadata":{"name":"text","project":"p"},"spec":{"priority":7,"summary":"short","chapters":["one"],"content":""}}', X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', 14, 7, 'short', '["one"]', '', 1796009557211271, 'user anna', 1796009557211271, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'link', '3f1803f9-69be-450e-b59c-32ba008dd7a4', 4, 1, '{"kind":"Prompt","metadata":{"name":"link","project":"p"},"spec":{"priority":5,"linkTarget":"p/s:file:///x"}}', NULL, 0, 5, '', '[]', 'p/s:file:///x', 1796009557211959, 'user anna', 1796009557211959, 'user anna');
INSERT INTO objects VALUES ('PromptRequest', 'p', 'text', 'bbe3cf9e-844a-48bc-bb8d-209b447dc6c1', 5, 1, '{"kind":"PromptRequest","metadata":{"name":"text","project":"p"},"spec":{"priority":5,"content":""}}', X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', 3, 5, '', '[]', '', 1796009557212493, 'user anna', 1796009557212493, 'user anna');
INSERT INTO objects VALUES ('User', '', 'anna', '8c48c53a-9744-4663-9077-d1f0d9a7cc13', 6, 1, '{"kind":"User","metadata":{"name":"anna"},"spec":{"disabled":false}}', NULL, 0, 0, '', '[]', '', 1796009557212985, 'user anna', 1796009557212985, 'user anna');
INSERT INTO objects VALUES ('Group', '', 'web', '559649b3-9e6c-4313-a0f0-c43656e3b6b4', 7, 1, '{"kind":"Group","metadata":{"name":"web"},"spec":{"members":["anna"]}}', NULL, 0, 0, '', '[]', '', 1796009557213481, 'user anna', 1796009557213481, 'user anna');
INSERT INTO objects VALUES ('ServiceAccount', '', 'ci', 'b4291dc8-9ca4-49cb-8c01-53c5095c1e44', 8, 1, '{"kind":"ServiceAccount","metadata":{"name":"ci"},"spec":{}}', NULL, 0, 0, '', '[]', '', 1796009557213897, 'user anna', 1796009557213897, 'user anna');
INSERT INTO objects VALUES ('RbacBinding', '', 'admins', 'fc5fe271-1c5c-472c-b6b6-e2ea5465b869', 9, 1, '{"kind":"RbacBinding","metadata":{"name":"admins"},"spec":{"subjects":[{"group":"web"}],"verbs":["admin"]}}', NULL, 0, 0, '', '[]', '', 1796009557214294, 'user anna', 1796009557214294, 'user anna');
INSERT INTO prompt_versions VALUES ('p', 11);
INSERT INTO blobs VALUES (X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', X'69742773205c202274657874220a');
INSERT INTO blobs VALUES (X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', X'6e6577');
INSERT INTO secrets VALUES ('229d027b-b382-463f-bd63-e333dbb99e4e', 1, 'fixtures', X'e43268e28f98222a487f9358dfdd22cbdfffb16a6b8e0bd47e8ea13c8d7cd9fdb334c2ccd19fa0aa0fc6f6a4fff3faeed40a77922681ff14365a1c2c14e7bb9a2daa47d3e7446bf76dd1265ec4cb652d8518539a4f2d15974bc0a0b938f816ec57cfd0cfa96bf7d996d0517c5a00c98957fcfd011dbcc56a17d236a4be07e70f82300cd16b1692edf7609da39c2741b4a996b78a69b7f5695bd89bf3760f26d702461e0ab76be399466a3accaa25a0e82928');
INSERT INTO changes VALUES (1, 1796009557209101, 'put', 'Server', '', 's', '229d027b-b382-463f-bd63-e333dbb99e4e', 'user anna');
INSERT INTO changes VALUES (2, 1796009557209101, 'put', 'Project', '', 'p', '8952cf1f-d15b-493b-96e5-65b706048df6', 'user anna');
INSERT INTO changes VALUES (3, 1796009557209101, 'put', 'Prompt', 'p', 'text', '980a3453-1590-494c-95f5-d824eaf8b56b', 'user anna');
INSERT INTO changes VALUES (4, 1796009557209101, 'put', 'Prompt', 'p', 'link', '3f1803f9-69be-450e-b59c-32ba008dd7a4', 'user anna');
INSERT INTO changes VALUES (5, 1796009557209101, 'put', 'PromptRequest', 'p', 'text', 'bbe3cf9e-844a-48bc-bb8d-209b447dc6c1', 'user anna');
INSERT INTO changes VALUES (6, 1796009557209101, 'put', 'User', '', 'anna', '8c48c53a-9744-4663-9077-d1f0d9a7cc13', 'user anna');
INSERT INTO changes VALUES (7, 1796009557209101, 'put', 'Group', '', 'web', '559649b3-9e6c-4313-a0f0-c43656e3b6b4', 'user anna');
INSERT INTO changes VALUES (8, 1796009557209101, 'put', 'ServiceAccount', '', 'ci', 'b4291dc8-9ca4-49cb-8c01-53c5095c1e44', 'user anna');
INSERT INTO changes VALUES (9, 1796009557209101, 'put', 'RbacBinding', '', 'admins', 'fc5fe271-1c5c-472c-b6b6-e2ea5465b869', 'user anna');
INSERT INTO changes VALUES (10, 1796009557209101, 'put', 'Prompt', 'p', 'gone', '1ca1e7ce-4ae0-4251-bc79-0f4f7940a0ee', 'user anna');
INSERT INTO changes VALUES (11, 1796009557223385, 'delete', 'Prompt', 'p', 'gone', '1ca1e7ce-4ae0-4251-bc79-0f4f7940a0ee', 'user anna');
INSERT INTO passwords VALUES ('anna', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaQdJdWRWJTmaaQdI', 1);
INSERT INTO tokens VALUES (X'0000000000000000000000000000000000000000000000000000000000000000', 't1', 'ServiceAccount', 'ci', 'build', 1, 'user anna', 2, 0, 1);
INSERT INTO identities VALUES ('https://login', '1', 'anna', '["web"]');
INSERT INTO audit VALUES ('config', 1, 1796009557210385, 'user anna', '', 'created', 'Server', '', 's', 'allowed', 'ok', 0, '', 'version 1', X'', X'de28ca5b0328687bdac437d191f3770c28f43f286980790564c61b1e9d780044');
INSERT INTO audit VALUES ('config', 2, 1796009557210968, 'user anna', '', 'created', 'Project', '', 'p', 'allowed', 'ok', 0, '', 'version 2', X'de28ca5b0328687bdac437d191f3770c28f43f286980790564c61b1e9d780044', X'711ef31538bdfc338c88dfaac33320d2741680ae1addbf2ef1a7e4e5cbba6570');
INSERT INTO audit VALUES ('config', 3, 1796009557211676, 'user anna', '', 'created', 'Prompt', 'p', 'text', 'allowed', 'ok', 0, '', 'version 3', X'711ef31538bdfc338c88dfaac33320d2741680ae1addbf2ef1a7e4e5cbba6570', X'5559d38aed76bc3f6baee37410288bc0d350de0ef34b1ddc46d9ceeb7eb8e169');
INSERT INTO audit VALUES ('config', 4, 1796009557212238, 'user anna', '', 'created', 'Prompt', 'p', 'link', 'allowed', 'ok', 0, '', 'version 4', X'5559d38aed76bc3f6baee37410288bc0d350de0ef34b1ddc46d9ceeb7eb8e169', X'e57372d4a3c24878fe029f5704cd4498cb61b622cc71717bd50258dc487b06d8');
INSERT INTO audit VALUES ('config', 5, 1796009557212809, 'user anna', '', 'created', 'PromptRequest', 'p', 'text', 'allowed', 'ok', 0, '', 'version 5', X'e57372d4a3c24878fe029f5704cd4498cb61b622cc71717bd50258dc487b06d8', X'5284a4d6c552fa3679c426bdb402edd6596667d42d9101266ee713463b071a22');
INSERT INTO audit VALUES ('config', 6, 1796009557213280, 'user anna', '', 'created', 'User', '', 'anna', 'allowed', 'ok', 0, '', 'version 6', X'5284a4d6c552fa3679c426bdb402edd6596667d42d9101266ee713463b071a22', X'53391e0344c9a011258d537750a47f7c90ddd6f6de0fadb934a7451bae2305df');
INSERT INTO audit VALUES ('config', 7, 1796009557213702, 'user anna', '', 'created', 'Group', '', 'web', 'allowed', 'ok', 0, '', 'version 7', X'53391e0344c9a011258d537750a47f7c90ddd6f6de0fadb934a7451bae2305df', X'280b0cdde41d9d121809b4991c1c603ff1ae8f5b39b848e62370496460959f66');
INSERT INTO audit VALUES ('config', 8, 1796009557214107, 'user anna', '', 'created', 'ServiceAccount', '', 'ci', 'allowed', 'ok', 0, '', 'version 8', X'280b0cdde41d9d121809b4991c1c603ff1ae8f5b39b848e62370496460959f66', X'598812a9cdf43700e40d268ab21a289db1b9e6fd83f49d52063791a0bcc6f377');
INSERT INTO audit VALUES ('config', 9, 1796009557214546, 'user anna', '', 'created', 'RbacBinding', '', 'admins', 'allowed', 'ok', 0, '', 'version 9', X'598812a9cdf43700e40d268ab21a289db1b9e6fd83f49d52063791a0bcc6f377', X'e82c351f5f161489bafb1ef8d6a858e46e55dfc192c1afe2c82cbea3ad627800');
INSERT INTO audit VALUES ('config', 10, 1796009557215022, 'user anna', '', 'created', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 10', X'e82c351f5f161489bafb1ef8d6a858e46e55dfc192c1afe2c82cbea3ad627800', X'2faa3b5c69c01b79be94458adba8a54792d030c58338f4eb8c6a5b390765c9d0');
INSERT INTO audit VALUES ('config', 11, 1796009557224088, 'user anna', '', 'deleted', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 11', X'2faa3b5c69c01b79be94458adba8a54792d030c58338f4eb8c6a5b390765c9d0', X'c32170eafe5776fd470325d64217f0668acd31d92db9cbdd86f211b56e687756');
