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
    last_used    BIGINT NOT NULL -- 0: never
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
INSERT INTO objects VALUES ('Server', '', 's', '75c51eec-c409-49f9-ba21-3286b6b9facc', 1, 1, '{"kind":"Server","metadata":{"name":"s"},"spec":{"url":"https://x/","headers":{"Authorization":"***"},"timeout":"1m","shared":false}}', NULL, 0, 0, '', '[]', '', 1796032594253214, 'user anna', 1796032594253214, 'user anna');
INSERT INTO objects VALUES ('Project', '', 'p', '0a63fb0b-65c4-43c3-b6f7-6bbf9bb6a173', 2, 1, '{"kind":"Project","metadata":{"name":"p"},"spec":{"proxyMode":"proxy","servers":["s"],"proxyModel":"default","toolNames":"prefixed"}}', NULL, 0, 0, '', '[]', '', 1796032594254603, 'user anna', 1796032594254603, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'text', '995d0b89-7049-47a6-901a-c996f7f71604', 3, 1, '{"kind":"Prompt","metadata":{"name":"text","project":"p"},"spec":{"priority":7,"summary":"short","chapters":["one"],"content":""}}', X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', 14, 7, 'short', '["one"]', '', 1796032594255747, 'user anna', 1796032594255747, 'user anna');
INSERT INTO objects VALUES ('Prompt', 'p', 'link', '7d985853-05e7-4dea-a9be-62bc8c6a9f47', 4, 1, '{"kind":"Prompt","metadata":{"name":"link","project":"p"},"spec":{"priority":5,"linkTarget":"p/s:file:///x"}}', NULL, 0, 5, '', '[]', 'p/s:file:///x', 1796032594256021, 'user anna', 1796032594256021, 'user anna');
INSERT INTO objects VALUES ('PromptRequest', 'p', 'text', '3c282738-4ba4-4705-ac30-a51049b811f0', 5, 1, '{"kind":"PromptRequest","metadata":{"name":"text","project":"p"},"spec":{"priority":5,"content":""}}', X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', 3, 5, '', '[]', '', 1796032594256967, 'user anna', 1796032594256967, 'user anna');
INSERT INTO objects VALUES ('User', '', 'anna', 'a93f2760-e4c6-445c-93e8-682f4d6342ab', 6, 1, '{"kind":"User","metadata":{"name":"anna"},"spec":{"disabled":false}}', NULL, 0, 0, '', '[]', '', 1796032594259513, 'user anna', 1796032594259513, 'user anna');
INSERT INTO objects VALUES ('Group', '', 'web', '12bfded5-46c2-4bc7-9570-2ee727b362e9', 7, 1, '{"kind":"Group","metadata":{"name":"web"},"spec":{"members":["anna"]}}', NULL, 0, 0, '', '[]', '', 1796032594259704, 'user anna', 1796032594259704, 'user anna');
INSERT INTO objects VALUES ('ServiceAccount', '', 'ci', '42d8a10d-21a3-4f94-a66f-505982f72545', 8, 1, '{"kind":"ServiceAccount","metadata":{"name":"ci"},"spec":{}}', NULL, 0, 0, '', '[]', '', 1796032594259888, 'user anna', 1796032594259888, 'user anna');
INSERT INTO objects VALUES ('RbacBinding', '', 'admins', 'b144bb99-8d74-4381-add8-245edbcd193d', 9, 1, '{"kind":"RbacBinding","metadata":{"name":"admins"},"spec":{"subjects":[{"group":"web"}],"verbs":["admin"]}}', NULL, 0, 0, '', '[]', '', 1796032594260039, 'user anna', 1796032594260039, 'user anna');
INSERT INTO prompt_versions VALUES ('p', 11);
INSERT INTO link_grants VALUES ('u', 'user anna', 1);
INSERT INTO blobs VALUES (X'6e81172057e94f50246074d902f28c0a1a5f590fa8fdfa3eb159e968abb37fd5', X'69742773205c202274657874220a');
INSERT INTO blobs VALUES (X'11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437', X'6e6577');
INSERT INTO secrets VALUES ('75c51eec-c409-49f9-ba21-3286b6b9facc', 1, 'fixtures', X'a82b68f4b0e037b9238077c401d9fc8f1a847811e2eaf9ef5f3bb4e7128abeba8af74054a3807d533799795a5b74fef21c5d9a7ad7d189ec24459b3f1103af59de8a11e3ba959265da31a462edc50bfdac45443eda92c7660f0db836bf3ea6d313f76be1aecd0731d37348e88fd08c9028e1defd81d9dc5f2ff2e07015db69ea2a843fdc5169af1f8641ad5a55d1c1f238954f30b02a29f05213491b52035f4a61e08ea470d05fbaaeca106f58a359893b2c');
INSERT INTO changes VALUES (1, 1796032594252655, 'put', 'Server', '', 's', '75c51eec-c409-49f9-ba21-3286b6b9facc', 'user anna');
INSERT INTO changes VALUES (2, 1796032594252655, 'put', 'Project', '', 'p', '0a63fb0b-65c4-43c3-b6f7-6bbf9bb6a173', 'user anna');
INSERT INTO changes VALUES (3, 1796032594252655, 'put', 'Prompt', 'p', 'text', '995d0b89-7049-47a6-901a-c996f7f71604', 'user anna');
INSERT INTO changes VALUES (4, 1796032594252655, 'put', 'Prompt', 'p', 'link', '7d985853-05e7-4dea-a9be-62bc8c6a9f47', 'user anna');
INSERT INTO changes VALUES (5, 1796032594252655, 'put', 'PromptRequest', 'p', 'text', '3c282738-4ba4-4705-ac30-a51049b811f0', 'user anna');
INSERT INTO changes VALUES (6, 1796032594252655, 'put', 'User', '', 'anna', 'a93f2760-e4c6-445c-93e8-682f4d6342ab', 'user anna');
INSERT INTO changes VALUES (7, 1796032594252655, 'put', 'Group', '', 'web', '12bfded5-46c2-4bc7-9570-2ee727b362e9', 'user anna');
INSERT INTO changes VALUES (8, 1796032594252655, 'put', 'ServiceAccount', '', 'ci', '42d8a10d-21a3-4f94-a66f-505982f72545', 'user anna');
INSERT INTO changes VALUES (9, 1796032594252655, 'put', 'RbacBinding', '', 'admins', 'b144bb99-8d74-4381-add8-245edbcd193d', 'user anna');
INSERT INTO changes VALUES (10, 1796032594252655, 'put', 'Prompt', 'p', 'gone', 'c1201dae-e47b-49e6-b8fc-2c2874333055', 'user anna');
INSERT INTO changes VALUES (11, 1796032594263572, 'delete', 'Prompt', 'p', 'gone', 'c1201dae-e47b-49e6-b8fc-2c2874333055', 'user anna');
INSERT INTO passwords VALUES ('anna', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaQdJdWRWJTmaaQdI', 1);
INSERT INTO tokens VALUES (X'0000000000000000000000000000000000000000000000000000000000000000', 't1', 'ServiceAccount', 'ci', 'build', 1, 'user anna', 2, 0, 1);
INSERT INTO identities VALUES ('https://login', '1', 'anna', '["web"]');
INSERT INTO requests VALUES (X'0000000000000000000000000000000000000000000000000000000000000000', 1);
INSERT INTO audit VALUES ('config', 1, 1796032594254447, 'user anna', '', 'created', 'Server', '', 's', 'allowed', 'ok', 0, '', 'version 1', X'', X'cfeb65dae763a38d9b252f027abf903277157527a9d3e4426abbfb2aa9e65608');
INSERT INTO audit VALUES ('config', 2, 1796032594255577, 'user anna', '', 'created', 'Project', '', 'p', 'allowed', 'ok', 0, '', 'version 2', X'cfeb65dae763a38d9b252f027abf903277157527a9d3e4426abbfb2aa9e65608', X'5d391213f0da801854bbe889544572009d683df8c8e32f4db9a1ec87c83cbccb');
INSERT INTO audit VALUES ('config', 3, 1796032594255928, 'user anna', '', 'created', 'Prompt', 'p', 'text', 'allowed', 'ok', 0, '', 'version 3', X'5d391213f0da801854bbe889544572009d683df8c8e32f4db9a1ec87c83cbccb', X'99476932f2dc308748ff008814a990bfe0f1eed5bd49bc448cdf5e9ce3aa7830');
INSERT INTO audit VALUES ('config', 4, 1796032594256159, 'user anna', '', 'created', 'Prompt', 'p', 'link', 'allowed', 'ok', 0, '', 'version 4', X'99476932f2dc308748ff008814a990bfe0f1eed5bd49bc448cdf5e9ce3aa7830', X'e2e8b2e0352c5cdb727fd3f832cdd197c4575b9c56e1f59d670a2fe7a5e0b349');
INSERT INTO audit VALUES ('config', 5, 1796032594259399, 'user anna', '', 'created', 'PromptRequest', 'p', 'text', 'allowed', 'ok', 0, '', 'version 5', X'e2e8b2e0352c5cdb727fd3f832cdd197c4575b9c56e1f59d670a2fe7a5e0b349', X'898ae572f5e8a5a9e8260b3e531edd2eb65349f6a0a567f7af9b9d744a8c581c');
INSERT INTO audit VALUES ('config', 6, 1796032594259614, 'user anna', '', 'created', 'User', '', 'anna', 'allowed', 'ok', 0, '', 'version 6', X'898ae572f5e8a5a9e8260b3e531edd2eb65349f6a0a567f7af9b9d744a8c581c', X'b9de44dc4415cb358de09a25bfe96cc5345eca679ce8354d9badc7bc5e1185b8');
INSERT INTO audit VALUES ('config', 7, 1796032594259783, 'user anna', '', 'created', 'Group', '', 'web', 'allowed', 'ok', 0, '', 'version 7', X'b9de44dc4415cb358de09a25bfe96cc5345eca679ce8354d9badc7bc5e1185b8', X'b67838eda8ce865bd1bf1a6b313b73e114395c0e8866d79ebc1ebd9df8a36f0d');
INSERT INTO audit VALUES ('config', 8, 1796032594259969, 'user anna', '', 'created', 'ServiceAccount', '', 'ci', 'allowed', 'ok', 0, '', 'version 8', X'b67838eda8ce865bd1bf1a6b313b73e114395c0e8866d79ebc1ebd9df8a36f0d', X'572df2caff043b46d9c7589bacbe1befa3ea3c62aa3e389958a9ba4740e63ff0');
INSERT INTO audit VALUES ('config', 9, 1796032594260107, 'user anna', '', 'created', 'RbacBinding', '', 'admins', 'allowed', 'ok', 0, '', 'version 9', X'572df2caff043b46d9c7589bacbe1befa3ea3c62aa3e389958a9ba4740e63ff0', X'1c7df13b2340b08f7a085156d550ded548955b9ef5011d13eda35d3f1e5effac');
INSERT INTO audit VALUES ('config', 10, 1796032594260355, 'user anna', '', 'created', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 10', X'1c7df13b2340b08f7a085156d550ded548955b9ef5011d13eda35d3f1e5effac', X'aa43ecf98811d59b690017ea518adfe7fcd2aa85d2521883f215de6e8111e401');
INSERT INTO audit VALUES ('config', 11, 1796032594267845, 'user anna', '', 'deleted', 'Prompt', 'p', 'gone', 'allowed', 'ok', 0, '', 'version 11', X'aa43ecf98811d59b690017ea518adfe7fcd2aa85d2521883f215de6e8111e401', X'cc98744f5516d1a7254fb433a328e2f9a891bc38344229594a53a66befd88533');
INSERT INTO prompt_cache VALUES ('u', X'0000000000000000000000000000000000000000000000000000000000000000', 'user anna', 'm', 'x', 1, X'76', X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000', 1);
INSERT INTO audit_heads VALUES ('config', 'fixtures', X'5f9e88f501f0ed7fb4848b92802ac6adad5edb43cfaef3e56adaa7d3f05f114c2cafd1b775237c34809ed097893aecf2492923bb53b5b5328ce60473d34503dd1634835cc87ce036ec2a1ad9976d54a016450dc4fe8581f3885f968a848ca5e6bd2aee69c6ed3137');
