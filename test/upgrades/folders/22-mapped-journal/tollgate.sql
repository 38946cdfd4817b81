CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:55:40.763Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:55:40.818Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:55:40.827Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:55:40.828Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:55:40.831Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:55:40.832Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:55:40.833Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:55:40.833Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:55:40.834Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:55:40.877Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:55:40.879Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('cAYlrWHuckOm', 'plain', 'e305ef9f49d322918e74faed02c6e844f507a07cbf8c377b1573de5893d97427', '["*"]', 1794855341028, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('jaOw9qP38xJ4', 'capped', 'da3c00b3c46004f5bd31e095d8c7cac268e2180731a261a05b8460acbd007643', '["*"]', 1794855341042, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('uyYacbm6vvAk', 'revoked', '2a9a0a30204d81236d13d309f2037c89c09a61337ca6fa39d8b2e54714e3f206', '["steady"]', 1794855341044, NULL, 1794855341048, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855340886, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855341000, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855341015, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855341020, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855341022, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855341259, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-0cc8-748b-9369-5db1cd1ee3a4', NULL, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855341273, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-0cc8-748b-9369-5db1cd1ee3a4', 4, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855341276, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-0cdc-730b-958b-5b8eec467a0d', NULL, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855341284, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-0cdc-730b-958b-5b8eec467a0d', 6, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855341286, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-0ce5-74b9-bc38-abffb54db541', NULL, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855341288, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-0ce5-74b9-bc38-abffb54db541', 8, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855341289, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-0ce9-73ab-bfed-92ab4d5bf17c', NULL, 'cAYlrWHuckOm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855341355, 'cAYlrWHuckOm', 'upstream_error', NULL, 'req_01a1e5b7-0ce9-73ab-bfed-92ab4d5bf17c', 10, 'cAYlrWHuckOm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855341356, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-0d2c-7344-a3b4-e97461600445', NULL, 'cAYlrWHuckOm', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855341358, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-0d2c-7344-a3b4-e97461600445', 12, 'cAYlrWHuckOm', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855341359, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-0d2f-7635-baf0-9be5a9c570d6', NULL, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855341360, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-0d2f-7635-baf0-9be5a9c570d6', 14, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855341361, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-0d31-70d3-8e50-30da8705ceb8', NULL, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855341366, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-0d31-70d3-8e50-30da8705ceb8', 16, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855341367, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-0d37-7519-8402-81db1481093f', NULL, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855341368, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-0d37-7519-8402-81db1481093f', 18, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855341369, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-0d39-7358-a547-3791efc5375f', NULL, 'jaOw9qP38xJ4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855341372, 'jaOw9qP38xJ4', 'upstream_error', NULL, 'req_01a1e5b7-0d39-7358-a547-3791efc5375f', 20, 'jaOw9qP38xJ4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855341373, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-0d3d-7099-8cf2-d8dd12be2092', NULL, 'jaOw9qP38xJ4', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855341374, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-0d3d-7099-8cf2-d8dd12be2092', 22, 'jaOw9qP38xJ4', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855345134, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-1be2-734f-9b4a-bc294c42c361', NULL, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855345146, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-1be2-734f-9b4a-bc294c42c361', 24, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855345196, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-1c2c-730b-8bb6-63fdd4af9a9e', NULL, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855345206, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-1c2c-730b-8bb6-63fdd4af9a9e', 26, 'cAYlrWHuckOm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855345211, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-1c3b-769d-81d1-7585dc46787d', NULL, 'cAYlrWHuckOm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855345260, 'cAYlrWHuckOm', 'upstream_error', NULL, 'req_01a1e5b7-1c3b-769d-81d1-7585dc46787d', 28, 'cAYlrWHuckOm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":5,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":35,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855345301, 'cAYlrWHuckOm', 'a request', NULL, 'req_01a1e5b7-1c95-7350-93c2-851967804e86', NULL, 'cAYlrWHuckOm', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855345302, 'cAYlrWHuckOm', 'complete', NULL, 'req_01a1e5b7-1c95-7350-93c2-851967804e86', 30, 'cAYlrWHuckOm', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855345304, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-1c97-73f0-be77-cfdf5bf034c9', NULL, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855345305, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-1c97-73f0-be77-cfdf5bf034c9', 32, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855345306, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-1c9a-7000-a59e-95e858b1374e', NULL, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855345307, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-1c9a-7000-a59e-95e858b1374e', 34, 'jaOw9qP38xJ4', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855345309, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-1c9d-7059-8596-9e8e6580a08d', NULL, 'jaOw9qP38xJ4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855345495, 'jaOw9qP38xJ4', 'upstream_error', NULL, 'req_01a1e5b7-1c9d-7059-8596-9e8e6580a08d', 36, 'jaOw9qP38xJ4', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":12,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855345497, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-1d59-74c6-a494-87a6c4adc2c1', NULL, 'jaOw9qP38xJ4', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855345498, 'jaOw9qP38xJ4', 'complete', NULL, 'req_01a1e5b7-1d59-74c6-a494-87a6c4adc2c1', 38, 'jaOw9qP38xJ4', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855345499, 'jaOw9qP38xJ4', 'a request', NULL, 'req_01a1e5b7-1d5b-7015-8d0a-39b936a5cd79', NULL, 'jaOw9qP38xJ4', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'cAYlrWHuckOm', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'jaOw9qP38xJ4', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b7-1d5b-7015-8d0a-39b936a5cd79', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('cAYlrWHuckOm:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b7-0ce5-74b9-bc38-abffb54db541', 1794855341286, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('jaOw9qP38xJ4:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b7-0d37-7519-8402-81db1481093f', 1794855341367, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855340886, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855340940, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"b98ba47977bb71f4c0931d0e77de7117c3fa6beea2d3f0533006dc0dfa2688f2"}', NULL, NULL);
insert into "changes" values (3, 1794855341000, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bc4-70b2-9298-4b1bf6fdf3df', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:41.000Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855341014, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bd6-70e4-aa2e-d6ae3d288754', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:55:41.015Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855341020, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bdc-722b-8b75-ca2f7eddff9a', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:55:41.020Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855341022, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bdd-7714-b41f-e9ea0a7423d1', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:55:41.022Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855341023, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bde-7659-ac8f-d011611ae975', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:41.000Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:41.000Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855341028, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0be3-769d-a6a3-d0f9d3c9cb38', 'key.create', 'key', 'cAYlrWHuckOm', 'default', NULL, '{"id":"cAYlrWHuckOm","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:41.028Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855341042, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bf1-75a8-9ae8-28b8aca3ef43', 'key.create', 'key', 'jaOw9qP38xJ4', 'acme', NULL, '{"id":"jaOw9qP38xJ4","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:55:41.042Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855341044, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bf4-758f-89f1-3a61bfdfa40c', 'key.create', 'key', 'uyYacbm6vvAk', 'default', NULL, '{"id":"uyYacbm6vvAk","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:41.044Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855341047, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bf7-7063-9380-45d5b5a62af9', 'key.revoke', 'key', 'uyYacbm6vvAk', 'default', '{"id":"uyYacbm6vvAk","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:41.044Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"uyYacbm6vvAk","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:41.044Z","expires_at":null,"revoked_at":"2026-11-16T18:55:41.048Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855341055, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0bff-72c3-9c33-75aa51d2d218', 'person.create', 'person', 'person_ZymCf5FILWt6', NULL, NULL, '{"id":"person_ZymCf5FILWt6","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:41.056Z","created_at":"2026-11-16T18:55:41.056Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855341062, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0c04-70b0-9dff-cd1ef1531bd3', 'person.create', 'person', 'person_DS4bBEhYHt2o', 'acme', NULL, '{"id":"person_DS4bBEhYHt2o","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:41.062Z","created_at":"2026-11-16T18:55:41.062Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855341065, 'person_ZymCf5FILWt6', 'Op', '127.0.0.1', 'req_01a1e5b7-0c09-72ac-a2c4-904ac8ab8b76', 'person.accept_invitation', 'person', 'person_ZymCf5FILWt6', NULL, '{"id":"person_ZymCf5FILWt6","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:41.056Z","created_at":"2026-11-16T18:55:41.056Z","disabled_at":null}', '{"id":"person_ZymCf5FILWt6","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:55:41.056Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855341065, 'person_ZymCf5FILWt6', 'Op', '127.0.0.1', 'req_01a1e5b7-0c09-72ac-a2c4-904ac8ab8b76', 'person.sign_in', 'person', 'person_ZymCf5FILWt6', NULL, NULL, '{"session":"session_RV7SvG2jJ392","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855341209, 'person_ZymCf5FILWt6', 'Op', '127.0.0.1', 'req_01a1e5b7-0c98-7459-83cb-737b3247df12', 'access_token.create', 'access_token', 'q4aU61230rEc', NULL, NULL, '{"id":"q4aU61230rEc","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:55:41.209Z","expires_at":"2026-12-16T18:55:41.208Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855341216, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0ca0-731b-a5d5-45908b2de45d', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855341221, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0ca5-70bf-9e14-bcb0c0eea93c', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855341228, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0cab-7111-b72b-63d8ae94bd91', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855341236, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b7-0cb4-7254-b37a-0e07653e16e7', 'webhook.create', 'webhook', 'webhook_ZoPZuhUe4uzU', NULL, NULL, '{"id":"webhook_ZoPZuhUe4uzU","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:55:41.237Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_ZymCf5FILWt6', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$9vSEKlBd7q4mBoTVoq0diOBSBl2saF4fo2E6aaBRulg$vjVCV+61aop+88wr+4nC9AoQsWHA/SoJsDf27WUJtAM', NULL, NULL, NULL, NULL, 1, 0, 1794855341056, NULL);
insert into "people" values ('person_DS4bBEhYHt2o', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '34f43d7e20f477740cf6b3d8f4c6291759cc4311db17c0ebfe8b6a1fb3a43ed4', 1795460141062, 0, 0, 1794855341062, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_RV7SvG2jJ392', '9b65b5f6e6c6e4a02799c3394aaed2fd880f01a29893923f2fd7696b926fda86', 'person_ZymCf5FILWt6', 1, 1794855341200, 1794855341200, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('q4aU61230rEc', '039a21e82f5debf3316cc057c65f3238ea4297f0e3e41ccc8528285b49fae0bc', 'person_ZymCf5FILWt6', 0, 'deploy', '["accounts:read"]', 1794855341209, 1797447341208, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('cAYlrWHuckOm', 1794855345301);
insert into "key_uses" values ('jaOw9qP38xJ4', 1794855345499);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'cAYlrWHuckOm', 1794855345211, 2);
insert into "model_uses" values ('broken', 'jaOw9qP38xJ4', 1794855345309, 2);
insert into "model_uses" values ('of-operators', 'cAYlrWHuckOm', 1794855345301, 2);
insert into "model_uses" values ('of-operators', 'jaOw9qP38xJ4', 1794855345497, 2);
insert into "model_uses" values ('stalled', 'jaOw9qP38xJ4', 1794855345499, 1);
insert into "model_uses" values ('steady', 'cAYlrWHuckOm', 1794855345196, 5);
insert into "model_uses" values ('steady', 'jaOw9qP38xJ4', 1794855345306, 5);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.kC-WAQO36je6KqzIhvANaiGFWqh5SUqNeILr24_TyRrOmnj3-A8i8ifx7RQbpPRdwQ', 1794855341216);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855341221);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855340938, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855340938, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855340938, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855341221, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855341228, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'cAYlrWHuckOm', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'cAYlrWHuckOm', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'cAYlrWHuckOm', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'jaOw9qP38xJ4', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'jaOw9qP38xJ4', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'jaOw9qP38xJ4', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994283, 'default', 0, 5, 13, 1794855341273, 1794855341358, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 0, 5, 23, 1794855341273, 1794855341374, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 0, 5, 13, 1794855341273, 1794855341358, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 0, 5, 23, 1794855341273, 1794855341374, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'default', 0, 5, 13, 1794855341273, 1794855341358, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20773, '', 0, 5, 23, 1794855341273, 1794855341374, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794855341273, 1794855341358, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794855341273, 1794855341374, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 0, 15, 23, 1794855341360, 1794855341374, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 0, 15, 23, 1794855341360, 1794855341374, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 0, 15, 23, 1794855341360, 1794855341374, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794855341360, 1794855341374, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_ZoPZuhUe4uzU', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.95GP3NQrtouRAD42taN2n-ZyGaVYk1JP8oDnO5W5NfmSUzjT4SdDH1nX0g-9Xiugt5v_xKBU7aZ6z2pQVOEjemRQJSnIfJcc1jh7aV77', NULL, NULL, 1794855341237);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_5fF3td0e7dBUnFxBl9OOnyG9', 'webhook.test', 1794855341241, '{"type":"webhook.test","timestamp":"2026-11-16T18:55:41.241Z","data":{"webhook":{"id":"webhook_ZoPZuhUe4uzU","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_5fF3td0e7dBUnFxBl9OOnyG9', 'webhook_ZoPZuhUe4uzU', 'failed', 1794855341241, NULL, 1, '[{"atMs":1794855341241,"durationMs":7,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('cAYlrWHuckOm', 498570, '0', '27000', '[]');
insert into "key_hours" values ('jaOw9qP38xJ4', 498570, '0', '27000', '[]');
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
