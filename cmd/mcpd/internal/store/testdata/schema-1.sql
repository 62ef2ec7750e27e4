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
CREATE INDEX objects_by_version ON objects (version);
CREATE INDEX objects_by_body ON objects (body);
CREATE TABLE prompt_versions (
    project TEXT PRIMARY KEY,
    version BIGINT NOT NULL
);
CREATE TABLE link_grants (
    uid        TEXT PRIMARY KEY, -- of the prompt
    granted_by TEXT NOT NULL,
    granted_at BIGINT NOT NULL
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
    user_name TEXT COLLATE "BINARY" NOT NULL, -- '' if the user was deleted: the identity cannot log in
    groups    TEXT NOT NULL, -- a JSON array
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX identities_by_user ON identities (user_name) WHERE user_name <> '';
CREATE TABLE requests (
    hash  BYTEA PRIMARY KEY, -- of the caller, the server and the id
    until BIGINT NOT NULL
);
CREATE INDEX requests_by_time ON requests (until);
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
CREATE TABLE audit_heads (
    writer     TEXT PRIMARY KEY,
    key_id     TEXT NOT NULL,
    ciphertext BYTEA NOT NULL
);
INSERT INTO counters VALUES ('version', 11);
INSERT INTO counters VALUES ('compacted', 0);
INSERT INTO objects VALUES ('Server', '', 's', '624aecc3-2d28-46e1-944c-37db737e71f9', 1, 1, '{"kind":"Server","metadata":{"name":"s"},"spec":{"url":"https://x/","headers":{"Authorization":"***"},"timeout":"1m","shared":false}}', NULL, 0, 0, '', '[]', '', 1796011546382984, 'user anna', 1796011546382984, 'user anna');
INSERT INTO objects VALUES ('Project', '', 'p', 'd67cbc7f-6f2d-4efa-a54a-9445867a04ca', 2, 1, '{"kind":"Project","metadata":{"name":"p"},"spec":{"proxyMode":"proxy","servers":["s"],"proxyModel":"default","toolNames":"prefixed"}}', NULL, 0, 0, '', '[]', '', 1796011546384057, 'user anna', 1796011546384057, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'text', '25f51883-bf19-46f0-b764-a3b8b688d756', 3, 1, '{"kind":"Prompt","metadata":{"name":"text","project":"p"},"spec":{"priority":7,"summary":"short","chapters":["one"],"content":""}}', X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', 14, 7, 'short', '["one"]', '', 1796011546384547, 'user anna', 1796011546384547, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'link', '6829f034-c0ed-43f5-85e7-5c1fe85b750a', 4, 1, '{"kind":"Prompt","metadata":{"name":"link","project":"p"},"spec":{"priority":5,"linkTarget":"p/s:file:///x"}}', NULL, 0, 5, '', '[]', 'p/s:file:///x', 1796011546384925, 'user anna', 1796011546384925, 'user anna');
INSERT INTO objects VALUES ('PromptRequest', 'p', 'text', '642fb6fd-3481-4fdc-83e1-595a75c9a91a', 5, 1, '{"kind":"PromptRequest","metadata":{"name":"text","project":"p"},"spec":{"priority":5,"content":""}}', X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', 3, 5, '', '[]', '', 1796011546385174, 'user anna', 1796011546385174, 'user anna');
INSERT INTO objects VALUES ('User', '', 'anna', '05468d00-4730-43f9-9ffd-54f6a79e8c67', 6, 1, '{"kind":"User","metadata":{"name":"anna"},"spec":{"disabled":false}}', NULL, 0, 0, '', '[]', '', 1796011546385885, 'user anna', 1796011546385885, 'user anna');
INSERT INTO objects VALUES ('Group', '', 'web', 'add1c3b1-d4e6-4a45-a4a0-e3b3e211d5da', 7, 1, '{"kind":"Group","metadata":{"name":"web"},"spec":{"members":["anna"]}}', NULL, 0, 0, '', '[]', '', 1796011546386132, 'user anna', 1796011546386132, 'user anna');
INSERT INTO objects VALUES ('ServiceAccount', '', 'ci', '71cff66c-177f-4243-9d6f-4a2410265e37', 8, 1, '{"kind":"ServiceAccount","metadata":{"name":"ci"},"spec":{}}', NULL, 0, 0, '', '[]', '', 1796011546386404, 'user anna', 1796011546386404, 'user anna');
INSERT INTO objects VALUES ('RbacBinding', '', 'admins', '6efee6e3-3c54-41c9-8193-5015d9f85189', 9, 1, '{"kind":"RbacBinding","metadata":{"name":"admins"},"spec":{"subjects":[{"group":"web"}],"verbs":["admin"]}}', NULL, 0, 0, '', '[]', '', 1796011546386683, 'user anna', 1796011546386683, 'user anna');
INSERT INTO prompt_versions VALUES ('p', 11);
INSERT INTO link_grants VALUES ('u', 'user anna', 1);
INSERT INTO blobs VALUES (X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', X'69742773205c202274657874220a');
INSERT INTO blobs VALUES (X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', X'6e6577');
INSERT INTO secrets VALUES ('624aecc3-2d28-46e1-944c-37db737e71f9', 1, 'fixtures', X'7b0224305dddd677eeaba7fabb9d757dfe352feabcf669352bc72cc3de67b2a367284c70cb1f93a87b074654bf6e69c83cd17adbdca6b0fe5c3ac3447b0f361ffd7c53be0448ae5508958a4480d0693c032887f5e19f4f78e61d504f44a25efa9f60e4cd72ac34b69eeaea68f4f54bcc734c9433ab8f0ccc7731c642b139677ef7b55bf98377d87433f0d3f3738767696469f917c73cb2741b2afbe795403cf1b689561a4ea89c85902d48b70af6a797c427');
INSERT INTO changes VALUES (1, 1796011546382740, 'put', 'Server', '', 's', '624aecc3-2d28-46e1-944c-37db737e71f9', 'user anna');
INSERT INTO changes VALUES (2, 1796011546382740, 'put', 'Project', '', 'p', 'd67cbc7f-6f2d-4efa-a54a-9445867a04ca', 'user anna');
INSERT INTO changes VALUES (3, 1796011546382740, 'put', 'Prompt', 'p', 'text', '25f51883-bf19-46f0-b764-a3b8b688d756', 'user anna');
INSERT INTO changes VALUES (4, 1796011546382740, 'put', 'Prompt', 'p', 'link', '6829f034-c0ed-43f5-85e7-5c1fe85b750a', 'user anna');
INSERT INTO changes VALUES (5, 1796011546382740, 'put', 'PromptRequest', 'p', 'text', '642fb6fd-3481-4fdc-83e1-595a75c9a91a', 'user anna');
INSERT INTO changes VALUES (6, 1796011546382740, 'put', 'User', '', 'anna', '05468d00-4730-43f9-9ffd-54f6a79e8c67', 'user anna');
INSERT INTO changes VALUES (7, 1796011546382740, 'put', 'Group', '', 'web', 'add1c3b1-d4e6-4a45-a4a0-e3b3e211d5da', 'user anna');
INSERT INTO changes VALUES (8, 1796011546382740, 'put', 'ServiceAccount', '', 'ci', '71cff66c-177f-4243-9d6f-4a2410265e37', 'user anna');
INSERT INTO changes VALUES (9, 1796011546382740, 'put', 'RbacBinding', '', 'admins', '6efee6e3-3c54-41c9-8193-5015d9f85189', 'user anna');
INSERT INTO changes VALUES (10, 1796011546382740, 'put', 'Prompt', 'p', 'gone', 'de60b927-1ba1-4383-8cba-3f2129557d3d', 'user anna');
INSERT INTO changes VALUES (11, 1796011546390299, 'delete', 'Prompt', 'p', 'gone', 'de60b927-1ba1-4383-8cba-3f2129557d3d', 'user anna');
INSERT INTO passwords VALUES ('anna', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaQdJdWRWJTmaaQdI', 1);
INSERT INTO tokens VALUES (X'0000000000000000000000000000000000000000000000000000000000000000', 't1', 'ServiceAccount', 'ci', 'build', 1, 'user anna', 2, 0, 1);
INSERT INTO identities VALUES ('https://login', '1', 'anna', '["web"]');
INSERT INTO requests VALUES (X'0000000000000000000000000000000000000000000000000000000000000000', 1);
INSERT INTO audit VALUES ('config', 1, 1796011546383788, 'user anna', '', 'created', 'Server', '', 's', 'allowed', 'ok', 0, '', 'version 1', X'', X'dbc7192ff9b0854d41b24345b922e893c7dd0143388e7acd79a518ca94c443fd');
INSERT INTO audit VALUES ('config', 2, 1796011546384363, 'user anna', '', 'created', 'Project', '', 'p', 'allowed', 'ok', 0, '', 'version 2', X'dbc7192ff9b0854d41b24345b922e893c7dd0143388e7acd79a518ca94c443fd', X'05c072a09f727bbe77c7f54a3d69ffa53bfe41db73443e54fd23b89d4b27e0f0');
INSERT INTO audit VALUES ('config', 3, 1796011546384800, 'user anna', '', 'created', 'Prompt', 'p', 'text', 'allowed', 'ok', 0, '', 'version 3', X'05c072a09f727bbe77c7f54a3d69ffa53bfe41db73443e54fd23b89d4b27e0f0', X'7989a392dbe152ca62b8a4f0dc1c3a8ab64f4d48d0b0a23bb90e1b6a9e0fc1e6');
INSERT INTO audit VALUES ('config', 4, 1796011546385037, 'user anna', '', 'created', 'Prompt', 'p', 'link', 'allowed', 'ok', 0, '', 'version 4', X'7989a392dbe152ca62b8a4f0dc1c3a8ab64f4d48d0b0a23bb90e1b6a9e0fc1e6', X'e131d4c5a048949bd501cd122bdbf650d67b17ea438c8ab2c394d87fa5892caa');
INSERT INTO audit VALUES ('config', 5, 1796011546385759, 'user anna', '', 'created', 'PromptRequest', 'p', 'text', 'allowed', 'ok', 0, '', 'version 5', X'e131d4c5a048949bd501cd122bdbf650d67b17ea438c8ab2c394d87fa5892caa', X'd179ecb662cc881eac4e5da999ad8c0f9247924a0b026eea8a17016d7001c97e');
INSERT INTO audit VALUES ('config', 6, 1796011546386017, 'user anna', '', 'created', 'User', '', 'anna', 'allowed', 'ok', 0, '', 'version 6', X'd179ecb662cc881eac4e5da999ad8c0f9247924a0b026eea8a17016d7001c97e', X'f05798f3b97d74093baae88d8fccd5dbf793613e8a6f6b56007899ab13d6e93f');
INSERT INTO audit VALUES ('config', 7, 1796011546386275, 'user anna', '', 'created', 'Group', '', 'web', 'allowed', 'ok', 0, '', 'version 7', X'f05798f3b97d74093baae88d8fccd5dbf793613e8a6f6b56007899ab13d6e93f', X'e8e2914d1d20510f1b78250a4547462a854c70be789ccd4225aa4e06b1b3ecfa');
INSERT INTO audit VALUES ('config', 8, 1796011546386568, 'user anna', '', 'created', 'ServiceAccount', '', 'ci', 'allowed', 'ok', 0, '', 'version 8', X'e8e2914d1d20510f1b78250a4547462a854c70be789ccd4225aa4e06b1b3ecfa', X'2e7a0461226e814bfbc0d751c8e3bccc2b2607a6ba011c7dac2827d2d266cff0');
INSERT INTO audit VALUES ('config', 9, 1796011546386827, 'user anna', '', 'created', 'RbacBinding', '', 'admins', 'allowed', 'ok', 0, '', 'version 9', X'2e7a0461226e814bfbc0d751c8e3bccc2b2607a6ba011c7dac2827d2d266cff0', X'cdc38cf05fc61bd09466714f7e83140b409293521eb4085f2cc4af490a1a6ddf');
INSERT INTO audit VALUES ('config', 10, 1796011546387131, 'user anna', '', 'created', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 10', X'cdc38cf05fc61bd09466714f7e83140b409293521eb4085f2cc4af490a1a6ddf', X'7f866c90f6269cf0807c0c9de19680c5133efaa1ded43f29e9676a8536c25f9a');
INSERT INTO audit VALUES ('config', 11, 1796011546390714, 'user anna', '', 'deleted', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 11', X'7f866c90f6269cf0807c0c9de19680c5133efaa1ded43f29e9676a8536c25f9a', X'18562e91c6a84646103c7c767a025d4284684b03576133f535634b4c3397fb42');
INSERT INTO prompt_cache VALUES ('u', X'0000000000000000000000000000000000000000000000000000000000000000', 'user anna', 'm', 'x', 1, X'76', X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000', 1);
INSERT INTO audit_heads VALUES ('config', 'fixtures', X'e1b7296de904551f8686749fbe8435cbee2591309acb8eef6110590a20c8e224914429d2a2786405e1ee97b6e2ef99b48a678a3451493585b16ad08146ad112f30edc7a6fef84ac9760e94b6aa680298e73eb661c90f50b4f63375a5b39b63de6dc1898e04e630a5');
