CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:55:22.951Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:55:22.958Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:55:22.962Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:55:22.964Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:55:22.966Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:55:22.967Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:55:22.968Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:55:22.968Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:55:22.970Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:55:22.972Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:55:22.973Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('bYAlzrCYJi9c', 'plain', '75972a51bc66dad1901eafa4b545909809c60da60411667a476b5c57a69bc86b', '["*"]', 1794855323063, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('YAKX69EntyGS', 'capped', '41f5431556ff1757022d30e1d77086b45c3ae6bae99e425c71014ab5874d6eca', '["*"]', 1794855323065, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('GkA62ptS3eEk', 'revoked', 'bc35ceae06a3f76b899c40f6696e76347f459cb500ad7ba3328995584aa5dabb', '["steady"]', 1794855323068, NULL, 1794855323072, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855322976, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855323047, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855323054, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855323056, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855323058, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855323182, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-c62b-7340-9f40-3f71c5788f52', NULL, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855323191, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-c62b-7340-9f40-3f71c5788f52', 4, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855323195, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-c63a-7193-94a1-eac5eb68e6d2', NULL, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855323200, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-c63a-7193-94a1-eac5eb68e6d2', 6, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855323203, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-c642-70e7-9938-a744012987b1', NULL, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855323223, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-c642-70e7-9938-a744012987b1', 8, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855323229, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-c65b-72bb-a52c-3ca4c169b784', NULL, 'bYAlzrCYJi9c', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855323259, 'bYAlzrCYJi9c', 'upstream_error', NULL, 'req_01a1e5b6-c65b-72bb-a52c-3ca4c169b784', 10, 'bYAlzrCYJi9c', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855323261, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-c67c-73d1-aa39-bc34dce48fea', NULL, 'bYAlzrCYJi9c', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855323262, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-c67c-73d1-aa39-bc34dce48fea', 12, 'bYAlzrCYJi9c', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855323264, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-c67f-7332-ae0a-ebd4a2dbbd19', NULL, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855323265, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-c67f-7332-ae0a-ebd4a2dbbd19', 14, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855323266, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-c681-76f1-90cc-7a2070a83097', NULL, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855323267, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-c681-76f1-90cc-7a2070a83097', 16, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855323268, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-c684-730e-ab37-5ea424891833', NULL, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855323269, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-c684-730e-ab37-5ea424891833', 18, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855323270, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-c686-76cc-b3f7-29f4193f9b9f', NULL, 'YAKX69EntyGS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855323459, 'YAKX69EntyGS', 'upstream_error', NULL, 'req_01a1e5b6-c686-76cc-b3f7-29f4193f9b9f', 20, 'YAKX69EntyGS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855323460, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-c744-7293-88b0-5635aec8bc3e', NULL, 'YAKX69EntyGS', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855323461, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-c744-7293-88b0-5635aec8bc3e', 22, 'YAKX69EntyGS', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855327681, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-d7bd-7066-bd78-4b349409556e', NULL, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855327715, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-d7bd-7066-bd78-4b349409556e', 24, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855327721, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-d7e9-7225-abad-93c5e8256839', NULL, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855327727, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-d7e9-7225-abad-93c5e8256839', 26, 'bYAlzrCYJi9c', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855327742, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-d7fd-76b7-81c0-bc05d2deb0a3', NULL, 'bYAlzrCYJi9c', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855327909, 'bYAlzrCYJi9c', 'upstream_error', NULL, 'req_01a1e5b6-d7fd-76b7-81c0-bc05d2deb0a3', 28, 'bYAlzrCYJi9c', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855327911, 'bYAlzrCYJi9c', 'a request', NULL, 'req_01a1e5b6-d8a7-73a5-bbb1-529522262da3', NULL, 'bYAlzrCYJi9c', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855327913, 'bYAlzrCYJi9c', 'complete', NULL, 'req_01a1e5b6-d8a7-73a5-bbb1-529522262da3', 30, 'bYAlzrCYJi9c', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855327915, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-d8aa-75f4-8a95-b5d2e0842982', NULL, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855327916, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-d8aa-75f4-8a95-b5d2e0842982', 32, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855327917, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-d8ad-71a4-8703-dbb86acf02ea', NULL, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855327919, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-d8ad-71a4-8703-dbb86acf02ea', 34, 'YAKX69EntyGS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855327921, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-d8b1-7664-9205-5337ec930d2b', NULL, 'YAKX69EntyGS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855328082, 'YAKX69EntyGS', 'upstream_error', NULL, 'req_01a1e5b6-d8b1-7664-9205-5337ec930d2b', 36, 'YAKX69EntyGS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855328083, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-d953-70f1-8de2-fcca1c8dcee1', NULL, 'YAKX69EntyGS', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855328084, 'YAKX69EntyGS', 'complete', NULL, 'req_01a1e5b6-d953-70f1-8de2-fcca1c8dcee1', 38, 'YAKX69EntyGS', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855328086, 'YAKX69EntyGS', 'a request', NULL, 'req_01a1e5b6-d955-7784-8203-de3133449a9d', NULL, 'YAKX69EntyGS', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'YAKX69EntyGS', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'bYAlzrCYJi9c', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b6-d955-7784-8203-de3133449a9d', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
insert into "progress" values ('req_01a1e5b6-e31d-7732-ae40-a4d64a50da9f', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('bYAlzrCYJi9c:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-c642-70e7-9938-a744012987b1', 1794855323203, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('YAKX69EntyGS:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-c684-730e-ab37-5ea424891833', 1794855323268, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855322976, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855322998, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"d1bd8ab0f3d236c61a90984764f96d69de3102a526c5f08e4c3325a5e37e9303"}', NULL, NULL);
insert into "changes" values (3, 1794855323046, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5a4-776b-9865-b86dc502a97f', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:23.047Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855323053, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5ad-72b9-84d0-c9d7c48e7a7a', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:55:23.054Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855323056, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5b0-7564-b50a-5a6d5aac8ed6', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:55:23.056Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855323058, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5b2-75cc-93cd-52068074a959', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:55:23.058Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855323059, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5b3-715a-b7d9-77d18dda2bd3', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:23.047Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:23.047Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855323062, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5b6-75a9-8c90-8f1e9ffeb221', 'key.create', 'key', 'bYAlzrCYJi9c', 'default', NULL, '{"id":"bYAlzrCYJi9c","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:23.063Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855323065, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5b9-71dd-bd4d-a44d2e472ef3', 'key.create', 'key', 'YAKX69EntyGS', 'acme', NULL, '{"id":"YAKX69EntyGS","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:55:23.065Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855323068, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5bc-75a6-8d5f-d195b114f14b', 'key.create', 'key', 'GkA62ptS3eEk', 'default', NULL, '{"id":"GkA62ptS3eEk","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:23.068Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855323072, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5c0-7033-85cc-cf9d51dfef15', 'key.revoke', 'key', 'GkA62ptS3eEk', 'default', '{"id":"GkA62ptS3eEk","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:23.068Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"GkA62ptS3eEk","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:23.068Z","expires_at":null,"revoked_at":"2026-11-16T18:55:23.072Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855323076, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5c3-73d5-b174-98e86dbba0cb', 'person.create', 'person', 'person_b5iHZxPEveIR', NULL, NULL, '{"id":"person_b5iHZxPEveIR","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:23.076Z","created_at":"2026-11-16T18:55:23.076Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855323079, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c5c6-7478-98c6-0f77ead67a02', 'person.create', 'person', 'person_htFnk8oUK49b', 'acme', NULL, '{"id":"person_htFnk8oUK49b","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:23.079Z","created_at":"2026-11-16T18:55:23.079Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855323081, 'person_b5iHZxPEveIR', 'Op', '127.0.0.1', 'req_01a1e5b6-c5c9-733b-abb0-d0c845349cdf', 'person.accept_invitation', 'person', 'person_b5iHZxPEveIR', NULL, '{"id":"person_b5iHZxPEveIR","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:23.076Z","created_at":"2026-11-16T18:55:23.076Z","disabled_at":null}', '{"id":"person_b5iHZxPEveIR","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:55:23.076Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855323081, 'person_b5iHZxPEveIR', 'Op', '127.0.0.1', 'req_01a1e5b6-c5c9-733b-abb0-d0c845349cdf', 'person.sign_in', 'person', 'person_b5iHZxPEveIR', NULL, NULL, '{"session":"session_maTjkMRz75Gn","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855323150, 'person_b5iHZxPEveIR', 'Op', '127.0.0.1', 'req_01a1e5b6-c60d-7232-b577-92b60bb4ba68', 'access_token.create', 'access_token', 'bY41o3cqWcm7', NULL, NULL, '{"id":"bY41o3cqWcm7","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:55:23.150Z","expires_at":"2026-12-16T18:55:23.149Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855323153, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c611-7517-bd04-cb50d8fff363', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855323157, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c615-76af-80eb-2e460ae4707f', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855323162, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c619-7121-9510-a8057eb242fd', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855323164, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-c61c-77d2-9c7d-ec99c29b95e7', 'webhook.create', 'webhook', 'webhook_WzkrGLgOEYqe', NULL, NULL, '{"id":"webhook_WzkrGLgOEYqe","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:55:23.165Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_b5iHZxPEveIR', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$8pgDnxQ1+B6tckhhItiNCdV+qHCZhM+AgcPpvAsYSGI$FzqOdLGxhLrP5wvdIyQL7nigdJrbs7xWANP9XUdH/ZY', NULL, NULL, NULL, NULL, 1, 0, 1794855323076, NULL);
insert into "people" values ('person_htFnk8oUK49b', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '71d10ed81667b97828fc53909484a25ce239ba082cc206db73eb245cad347a17', 1795460123079, 0, 0, 1794855323079, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_maTjkMRz75Gn', 'fa3883b57e74de2abc8d3742b00bcae64102892e5ac25565780efee9aadb79a8', 'person_b5iHZxPEveIR', 1, 1794855323142, 1794855323142, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('bY41o3cqWcm7', 'd695965da63f07c227132481debb2d8063ea21ff75caee59dbb52794da682fbb', 'person_b5iHZxPEveIR', 0, 'deploy', '["accounts:read"]', 1794855323150, 1797447323149, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('YAKX69EntyGS', 1794855323460);
insert into "key_uses" values ('bYAlzrCYJi9c', 1794855323261);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'YAKX69EntyGS', 1794855323270, 1);
insert into "model_uses" values ('broken', 'bYAlzrCYJi9c', 1794855323229, 1);
insert into "model_uses" values ('of-operators', 'YAKX69EntyGS', 1794855323460, 1);
insert into "model_uses" values ('of-operators', 'bYAlzrCYJi9c', 1794855323261, 1);
insert into "model_uses" values ('steady', 'YAKX69EntyGS', 1794855323268, 3);
insert into "model_uses" values ('steady', 'bYAlzrCYJi9c', 1794855323203, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.YB9C9Bq3bo10w4C2RN7xdQQhZSZTF4emfmShGgeeb8i4fV948sBmWo9IbKmABK07XA', 1794855323153);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855323157);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855322997, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855322997, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855322997, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855323157, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855323162, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'bYAlzrCYJi9c', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'bYAlzrCYJi9c', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'bYAlzrCYJi9c', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'YAKX69EntyGS', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'YAKX69EntyGS', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'YAKX69EntyGS', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994283, 'default', 0, 5, 13, 1794855323191, 1794855323262, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 0, 5, 23, 1794855323191, 1794855323461, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 0, 5, 13, 1794855323191, 1794855323262, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 0, 5, 23, 1794855323191, 1794855323461, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'default', 0, 5, 13, 1794855323191, 1794855323262, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20773, '', 0, 5, 23, 1794855323191, 1794855323461, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794855323191, 1794855323262, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794855323191, 1794855323461, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 0, 15, 23, 1794855323265, 1794855323461, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 0, 15, 23, 1794855323265, 1794855323461, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 0, 15, 23, 1794855323265, 1794855323461, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794855323265, 1794855323461, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_WzkrGLgOEYqe', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.jVZ7jRCRDTsGDQFJ95AsYTKbrYskhbW3QD_FZ7F1tf1GAs2SFlv4b06WEYDyzxDQKZD7LDdF8QndtfwAO3mUTWza-Uxx2uIRBwEGD8XQ', NULL, NULL, 1794855323165);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_rEfBjQ7H33BBgHPuXxWZ8EcG', 'webhook.test', 1794855323170, '{"type":"webhook.test","timestamp":"2026-11-16T18:55:23.170Z","data":{"webhook":{"id":"webhook_WzkrGLgOEYqe","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_rEfBjQ7H33BBgHPuXxWZ8EcG', 'webhook_WzkrGLgOEYqe', 'failed', 1794855323170, NULL, 1, '[{"atMs":1794855323170,"durationMs":5,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('YAKX69EntyGS', 498570, '0', '27000', '[]');
insert into "key_hours" values ('bYAlzrCYJi9c', 498570, '0', '27000', '[]');
CREATE UNIQUE INDEX entries_closing on entries (request_id) where kind in ('settle', 'release');
CREATE UNIQUE INDEX entries_reference on entries (account_id, reference) where reference is not null;
CREATE INDEX entries_account on entries (account_id, id) where kind <> 'hold';
CREATE INDEX answers_age on answers (at_ms);
CREATE INDEX changes_target on changes (target_kind, target_id, id);
CREATE UNIQUE INDEX changes_creation on changes (actor, idempotency_key) where idempotency_key is not null;
CREATE INDEX changes_actor on changes (actor, id);
CREATE INDEX changes_action on changes (action, id);
CREATE INDEX changes_account on changes (account_id, id);
CREATE TRIGGER changes_no_replace before insert on changes when exists (select 1 from changes where id = new.id
      or (new.idempotency_key is not null and actor = new.actor and idempotency_key = new.idempotency_key))
    begin select raise(abort, 'the audit log is append-only'); end;
CREATE TRIGGER "changes_no_update" before update on changes
      begin select raise(abort, 'the audit log is append-only'); end;
CREATE TRIGGER "changes_no_delete" before delete on changes
      begin select raise(abort, 'the audit log is append-only'); end;
CREATE INDEX keys_age on keys (created_at_ms, id);
CREATE INDEX keys_account on keys (account_id, created_at_ms, id);
CREATE INDEX people_age on people (created_at_ms, id);
CREATE UNIQUE INDEX people_identity on people (issuer, subject) where issuer is not null;
CREATE INDEX announcements_model on announcements (model, id);
CREATE INDEX usage_series_part on usage_series (account_id, part);
CREATE INDEX deliveries_webhook on deliveries (webhook_id, id);
CREATE INDEX deliveries_alert on deliveries (alert_id);
CREATE INDEX deliveries_pending on deliveries (webhook_id, next_try_at_ms) where state = 'pending';
CREATE INDEX deliveries_ended on deliveries (webhook_id, created_at_ms) where state != 'pending';
CREATE INDEX alerts_at on alerts (at_ms);
