CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:54:57.447Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:54:57.458Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:54:57.462Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:54:57.465Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:54:57.468Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:54:57.470Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:54:57.471Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:54:57.472Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:54:57.474Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:54:57.477Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:54:57.479Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('BhqJIjp0J6M4', 'plain', '4d62b24e9719433ee952af0a33f3c35f0023f29a55e2037719b86a775edb1ebb', '["*"]', 1794855297640, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('2pYbgpoeFHdI', 'capped', '51c26d9cc6a74fed3d41bcddc179d601e07303314a610b7e146a2b9df332f337', '["*"]', 1794855297644, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('Ttgsi2z7y2so', 'revoked', 'b5838ae9003bc37dd21bb12e96ab4e610a8c19ae488565751e30100c7dd23792', '["steady"]', 1794855297647, NULL, 1794855297652, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855297484, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855297607, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855297628, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855297634, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855297636, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855298001, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-63ce-7742-b52e-1ee66913a3bc', NULL, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855298012, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-63ce-7742-b52e-1ee66913a3bc', 4, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855298017, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-63e1-730d-8a9d-beeea2bc29a9', NULL, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855298026, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-63e1-730d-8a9d-beeea2bc29a9', 6, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855298029, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-63ec-7362-bda0-a683dc711100', NULL, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855298031, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-63ec-7362-bda0-a683dc711100', 8, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855298034, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-63f0-755b-9e95-1e5b6d1d50a8', NULL, 'BhqJIjp0J6M4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855298112, 'BhqJIjp0J6M4', 'upstream_error', NULL, 'req_01a1e5b6-63f0-755b-9e95-1e5b6d1d50a8', 10, 'BhqJIjp0J6M4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855298114, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-6442-762d-9e4a-22556725c087', NULL, 'BhqJIjp0J6M4', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855298116, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-6442-762d-9e4a-22556725c087', 12, 'BhqJIjp0J6M4', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855298118, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-6445-76c7-8527-0a4266012f25', NULL, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855298121, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-6445-76c7-8527-0a4266012f25', 14, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855298123, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-644a-7321-a730-2efa9fb42f62', NULL, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855298125, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-644a-7321-a730-2efa9fb42f62', 16, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855298127, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-644e-75ac-8894-1d7dd67ed047', NULL, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855298129, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-644e-75ac-8894-1d7dd67ed047', 18, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855298130, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-6452-71b2-b897-6df07e3bdb09', NULL, '2pYbgpoeFHdI', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855298269, '2pYbgpoeFHdI', 'upstream_error', NULL, 'req_01a1e5b6-6452-71b2-b897-6df07e3bdb09', 20, '2pYbgpoeFHdI', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":9,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855298270, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-64de-7737-8810-819c614c83c9', NULL, '2pYbgpoeFHdI', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855298272, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-64de-7737-8810-819c614c83c9', 22, '2pYbgpoeFHdI', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855301958, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-733c-730b-9862-af2720bd446a', NULL, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855302027, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-733c-730b-9862-af2720bd446a', 24, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855302031, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-738e-7161-9bd5-5b4bf7753be5', NULL, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855302136, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-738e-7161-9bd5-5b4bf7753be5', 26, 'BhqJIjp0J6M4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855302144, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-73fe-76ea-8ebd-736a7045264d', NULL, 'BhqJIjp0J6M4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855302227, 'BhqJIjp0J6M4', 'upstream_error', NULL, 'req_01a1e5b6-73fe-76ea-8ebd-736a7045264d', 28, 'BhqJIjp0J6M4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":14,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855302230, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-7455-7048-8c44-bd899a29f7c0', NULL, 'BhqJIjp0J6M4', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855302233, 'BhqJIjp0J6M4', 'complete', NULL, 'req_01a1e5b6-7455-7048-8c44-bd899a29f7c0', 30, 'BhqJIjp0J6M4', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855302235, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-745a-743f-9dc4-aa47795ecac1', NULL, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855302237, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-745a-743f-9dc4-aa47795ecac1', 32, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855302239, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-745e-7548-96a5-0fa06312fbad', NULL, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855302241, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-745e-7548-96a5-0fa06312fbad', 34, '2pYbgpoeFHdI', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855302244, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-7464-7153-b666-d1a20a7d9653', NULL, '2pYbgpoeFHdI', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855302388, '2pYbgpoeFHdI', 'upstream_error', NULL, 'req_01a1e5b6-7464-7153-b666-d1a20a7d9653', 36, '2pYbgpoeFHdI', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855302389, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-74f5-74ab-9e8e-047e876dc8ee', NULL, '2pYbgpoeFHdI', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855302390, '2pYbgpoeFHdI', 'complete', NULL, 'req_01a1e5b6-74f5-74ab-9e8e-047e876dc8ee', 38, '2pYbgpoeFHdI', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855302393, '2pYbgpoeFHdI', 'a request', NULL, 'req_01a1e5b6-74f9-703f-93f2-5416831134ee', NULL, '2pYbgpoeFHdI', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (41, 'default', 'hold', 113000, 1794855304907, 'BhqJIjp0J6M4', 'a request', NULL, 'req_01a1e5b6-7ecb-75ad-98f6-2ba911b713a1', NULL, 'BhqJIjp0J6M4', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', '2pYbgpoeFHdI', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'BhqJIjp0J6M4', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b6-74f9-703f-93f2-5416831134ee', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('BhqJIjp0J6M4:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-63ec-7362-bda0-a683dc711100', 1794855298029, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('2pYbgpoeFHdI:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-644e-75ac-8894-1d7dd67ed047', 1794855298127, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855297484, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855297514, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"773e22ebcfb9db7f93190ed0c928b38c57c4770d42e4af442d5b9a7b748f5074"}', NULL, NULL);
insert into "changes" values (3, 1794855297606, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-6243-73b2-bc7f-90315e1126c9', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:54:57.607Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855297627, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-625b-702e-a292-633161b8e8c9', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:54:57.628Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855297634, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-6261-737a-9f11-20349d43773e', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:54:57.634Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855297636, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-6263-7377-a626-66fb96a88625', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:54:57.636Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855297637, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-6264-72c7-968f-5f181713d479', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:54:57.607Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:54:57.607Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855297640, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-6267-7171-be77-96009baa40a7', 'key.create', 'key', 'BhqJIjp0J6M4', 'default', NULL, '{"id":"BhqJIjp0J6M4","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:57.640Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855297644, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-626c-7490-a8fc-94f4bd3e4ef9', 'key.create', 'key', '2pYbgpoeFHdI', 'acme', NULL, '{"id":"2pYbgpoeFHdI","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:54:57.644Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855297647, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-626f-7081-aee1-7208f6d39ca6', 'key.create', 'key', 'Ttgsi2z7y2so', 'default', NULL, '{"id":"Ttgsi2z7y2so","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:57.647Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855297651, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-6273-7112-b466-468179dcf474', 'key.revoke', 'key', 'Ttgsi2z7y2so', 'default', '{"id":"Ttgsi2z7y2so","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:57.647Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"Ttgsi2z7y2so","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:57.647Z","expires_at":null,"revoked_at":"2026-11-16T18:54:57.652Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855297663, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-627f-77ef-bf12-5baec12adba6', 'person.create', 'person', 'person_rMveKlbtxhTe', NULL, NULL, '{"id":"person_rMveKlbtxhTe","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:54:57.664Z","created_at":"2026-11-16T18:54:57.664Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855297677, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-628c-7482-8235-2e0c42479dd0', 'person.create', 'person', 'person_ZfmYgXyaaUX5', 'acme', NULL, '{"id":"person_ZfmYgXyaaUX5","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:54:57.677Z","created_at":"2026-11-16T18:54:57.677Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855297686, 'person_rMveKlbtxhTe', 'Op', '127.0.0.1', 'req_01a1e5b6-6296-74d3-b4a8-65de9bfb69e5', 'person.accept_invitation', 'person', 'person_rMveKlbtxhTe', NULL, '{"id":"person_rMveKlbtxhTe","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:54:57.664Z","created_at":"2026-11-16T18:54:57.664Z","disabled_at":null}', '{"id":"person_rMveKlbtxhTe","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:54:57.664Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855297686, 'person_rMveKlbtxhTe', 'Op', '127.0.0.1', 'req_01a1e5b6-6296-74d3-b4a8-65de9bfb69e5', 'person.sign_in', 'person', 'person_rMveKlbtxhTe', NULL, NULL, '{"session":"session_LDfynh4zepY6","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855297939, 'person_rMveKlbtxhTe', 'Op', '127.0.0.1', 'req_01a1e5b6-638e-76a3-bd1d-9aa605b4d946', 'access_token.create', 'access_token', '2GnfvE2JoJ1s', NULL, NULL, '{"id":"2GnfvE2JoJ1s","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:54:57.940Z","expires_at":"2026-12-16T18:54:57.933Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855297950, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-639b-7499-bead-d78e7c7e2397', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855297959, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-63a6-7592-b9a1-e3734f55ba09', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855297976, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-63b8-7306-a31a-a637fabe679b', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855297980, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-63bb-7607-965c-dfcbf50bf04f', 'webhook.create', 'webhook', 'webhook_uwCn2cty0GKk', NULL, NULL, '{"id":"webhook_uwCn2cty0GKk","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:54:57.981Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_rMveKlbtxhTe', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$ScfjdW+O1zsXTFSyQ7NZWAPROXgromVXfWONDJGgzZk$xX2rULFllQZA2+gAY71n6Q93EvJLREZ9LXHV33ECVP0', NULL, NULL, NULL, NULL, 1, 0, 1794855297664, NULL);
insert into "people" values ('person_ZfmYgXyaaUX5', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '9388626047d844b2e97d11c76e3a7f9a20e1a8b367e48df466a37820210bfc07', 1795460097677, 0, 0, 1794855297677, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_LDfynh4zepY6', '12fbc827008dbb925522e85fce5ca1cfe13e933ada27fd87ebf36cadfc10bed9', 'person_rMveKlbtxhTe', 1, 1794855297924, 1794855297924, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('2GnfvE2JoJ1s', '79d0ec6f640116fd989d42ecb3d00d88c8e9e125049ea1b5c67070b86028e791', 'person_rMveKlbtxhTe', 0, 'deploy', '["accounts:read"]', 1794855297940, 1797447297933, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('2pYbgpoeFHdI', 1794855302393);
insert into "key_uses" values ('BhqJIjp0J6M4', 1794855302230);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', '2pYbgpoeFHdI', 1794855302244, 2);
insert into "model_uses" values ('broken', 'BhqJIjp0J6M4', 1794855302144, 2);
insert into "model_uses" values ('of-operators', '2pYbgpoeFHdI', 1794855302389, 2);
insert into "model_uses" values ('of-operators', 'BhqJIjp0J6M4', 1794855302230, 2);
insert into "model_uses" values ('stalled', '2pYbgpoeFHdI', 1794855302393, 1);
insert into "model_uses" values ('steady', '2pYbgpoeFHdI', 1794855302239, 5);
insert into "model_uses" values ('steady', 'BhqJIjp0J6M4', 1794855302031, 5);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.sx-SEWgHfxj9DTFrn20ySiARNICAPm6k_uikyfLQJYRYATb5t4npNLXsicobpDlYgw', 1794855297950);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855297959);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855297513, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855297513, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855297513, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855297959, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855297976, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'BhqJIjp0J6M4', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'BhqJIjp0J6M4', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'BhqJIjp0J6M4', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', '2pYbgpoeFHdI', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', '2pYbgpoeFHdI', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', '2pYbgpoeFHdI', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part)) without rowid;
insert into "usage_sums" values ('day', 20773, '', 0, 5, 23, 1794855298012, 1794855298272, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 0, 15, 23, 1794855298121, 1794855298272, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'default', 0, 5, 13, 1794855298012, 1794855298116, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 0, 5, 23, 1794855298012, 1794855298272, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 0, 15, 23, 1794855298121, 1794855298272, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 0, 5, 13, 1794855298012, 1794855298116, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794855298012, 1794855298272, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794855298121, 1794855298272, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794855298012, 1794855298116, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 0, 5, 23, 1794855298012, 1794855298272, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 0, 15, 23, 1794855298121, 1794855298272, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, 'default', 0, 5, 13, 1794855298012, 1794855298116, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_uwCn2cty0GKk', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.T-T8lmME3Zs-AU3ZVIOx1m6oPlQ8B07ah929vW8QLaWIzLsj2x6u77vNkAbV7KVYCnLRWyXW2Fcfl42ghU5QmAa7RdNQYWInfJQvRAA0', NULL, NULL, 1794855297981);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_9YsQUllletwE9MLs5OpdYDg8', 'webhook.test', 1794855297988, '{"type":"webhook.test","timestamp":"2026-11-16T18:54:57.988Z","data":{"webhook":{"id":"webhook_uwCn2cty0GKk","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_9YsQUllletwE9MLs5OpdYDg8', 'webhook_uwCn2cty0GKk', 'failed', 1794855297988, NULL, 1, '[{"atMs":1794855297989,"durationMs":5,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('2pYbgpoeFHdI', 498570, '0', '27000', '[]');
insert into "key_hours" values ('BhqJIjp0J6M4', 498570, '0', '27000', '[]');
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
