CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:55:15.141Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:55:15.153Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:55:15.158Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:55:15.160Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:55:15.174Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:55:15.177Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:55:15.178Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:55:15.179Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:55:15.181Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:55:15.184Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:55:15.187Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('GXxn6ocdd9pu', 'plain', 'd719481fe5cc72dbeee1b9a60808d088bf180e36a5f2fa40f5c6e7126327fdf2', '["*"]', 1794855315349, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('3zI0njsyROek', 'capped', 'fc1700095b928dc518cc3aa05bd3548639761ee35e9f746b92e1cfa9a908fe74', '["*"]', 1794855315355, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('D1XIOLuVZIGI', 'revoked', 'e7fc0ddb0a907c4e74696db57a31267817652380f4d3bf724ecf8e1847b580f5', '["steady"]', 1794855315359, NULL, 1794855315363, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855315193, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855315318, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855315336, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855315342, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855315343, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855315693, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-a8e9-76ba-976c-bfac9a5b0443', NULL, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855315705, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-a8e9-76ba-976c-bfac9a5b0443', 4, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855315711, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-a8fe-744c-b73c-e1b3e7779565', NULL, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855315719, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-a8fe-744c-b73c-e1b3e7779565', 6, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855315723, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-a908-72d2-bb30-c5aec429aca9', NULL, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855315726, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-a908-72d2-bb30-c5aec429aca9', 8, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855315730, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-a910-757d-8b96-3018751215c7', NULL, 'GXxn6ocdd9pu', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855315737, 'GXxn6ocdd9pu', 'upstream_error', NULL, 'req_01a1e5b6-a910-757d-8b96-3018751215c7', 10, 'GXxn6ocdd9pu', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855315739, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-a91b-7601-8497-fbfc3ad10c20', NULL, 'GXxn6ocdd9pu', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855315741, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-a91b-7601-8497-fbfc3ad10c20', 12, 'GXxn6ocdd9pu', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855315743, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-a91e-77c0-9ac0-386751217fd0', NULL, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855315745, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-a91e-77c0-9ac0-386751217fd0', 14, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855315747, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-a922-726f-888e-4bfa474d3fce', NULL, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855315749, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-a922-726f-888e-4bfa474d3fce', 16, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855315750, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-a926-74e2-9c09-9b11cf7a57da', NULL, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855315781, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-a926-74e2-9c09-9b11cf7a57da', 18, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855315782, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-a946-7686-bae4-1b647be2acab', NULL, '3zI0njsyROek', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855315786, '3zI0njsyROek', 'upstream_error', NULL, 'req_01a1e5b6-a946-7686-bae4-1b647be2acab', 20, '3zI0njsyROek', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855315788, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-a94b-7049-a503-14e62aeaa8d3', NULL, '3zI0njsyROek', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855315789, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-a94b-7049-a503-14e62aeaa8d3', 22, '3zI0njsyROek', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855319577, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-b816-76af-ba7e-87f58f61d96f', NULL, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855319620, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-b816-76af-ba7e-87f58f61d96f', 24, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855319631, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-b84f-716c-b77a-7ef331c095e4', NULL, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855319661, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-b84f-716c-b77a-7ef331c095e4', 26, 'GXxn6ocdd9pu', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855319670, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-b876-76bd-9dba-51f115e252c3', NULL, 'GXxn6ocdd9pu', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855319704, 'GXxn6ocdd9pu', 'upstream_error', NULL, 'req_01a1e5b6-b876-76bd-9dba-51f115e252c3', 28, 'GXxn6ocdd9pu', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855319706, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-b899-73b4-939d-d0042a06a4d7', NULL, 'GXxn6ocdd9pu', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855319707, 'GXxn6ocdd9pu', 'complete', NULL, 'req_01a1e5b6-b899-73b4-939d-d0042a06a4d7', 30, 'GXxn6ocdd9pu', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855319712, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-b89f-716c-92f1-a0fa8a65f615', NULL, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855319719, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-b89f-716c-92f1-a0fa8a65f615', 32, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855319721, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-b8a8-704e-9476-1f009b8b3531', NULL, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855319722, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-b8a8-704e-9476-1f009b8b3531', 34, '3zI0njsyROek', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855319724, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-b8ab-75c4-8b66-32e478448be0', NULL, '3zI0njsyROek', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855319727, '3zI0njsyROek', 'upstream_error', NULL, 'req_01a1e5b6-b8ab-75c4-8b66-32e478448be0', 36, '3zI0njsyROek', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855319728, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-b8b0-753e-b618-52db75e140a9', NULL, '3zI0njsyROek', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855319729, '3zI0njsyROek', 'complete', NULL, 'req_01a1e5b6-b8b0-753e-b618-52db75e140a9', 38, '3zI0njsyROek', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855319731, '3zI0njsyROek', 'a request', NULL, 'req_01a1e5b6-b8b3-704c-bd10-8e3f9a16851c', NULL, '3zI0njsyROek', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (41, 'default', 'hold', 113000, 1794855322235, 'GXxn6ocdd9pu', 'a request', NULL, 'req_01a1e5b6-c27a-7101-bae3-5d8fbe6c9ce9', NULL, 'GXxn6ocdd9pu', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', '3zI0njsyROek', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'GXxn6ocdd9pu', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b6-b8b3-704c-bd10-8e3f9a16851c', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('GXxn6ocdd9pu:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-a908-72d2-bb30-c5aec429aca9', 1794855315723, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('3zI0njsyROek:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-a926-74e2-9c09-9b11cf7a57da', 1794855315750, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855315193, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855315225, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"86aa4f24b06dc0619eda53c449e45fd341ceaf1143c4a743df108cb66f08b8d1"}', NULL, NULL);
insert into "changes" values (3, 1794855315317, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a772-70fe-ae24-6015933662c3', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:15.318Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855315335, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a787-7104-9feb-bcaed04b2a33', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:55:15.336Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855315342, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a78d-759e-b2be-2884e4dd0f60', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:55:15.342Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855315343, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a78f-74f0-8e49-039f77a67de1', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:55:15.343Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855315345, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a790-70df-abdb-f0ddb50f3b2a', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:15.318Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:15.318Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855315349, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a794-71a8-95f9-051f7b05164d', 'key.create', 'key', 'GXxn6ocdd9pu', 'default', NULL, '{"id":"GXxn6ocdd9pu","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:15.349Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855315355, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a79b-742c-a99c-73a5acca9733', 'key.create', 'key', '3zI0njsyROek', 'acme', NULL, '{"id":"3zI0njsyROek","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:55:15.355Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855315359, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a79f-7270-9695-ffa9288e2cc8', 'key.create', 'key', 'D1XIOLuVZIGI', 'default', NULL, '{"id":"D1XIOLuVZIGI","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:15.359Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855315362, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a7a2-76ba-b5b2-08b5de14906d', 'key.revoke', 'key', 'D1XIOLuVZIGI', 'default', '{"id":"D1XIOLuVZIGI","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:15.359Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"D1XIOLuVZIGI","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:15.359Z","expires_at":null,"revoked_at":"2026-11-16T18:55:15.363Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855315368, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a7a7-750c-9a85-d07c572c41d3', 'person.create', 'person', 'person_5XY1VMEU4jR1', NULL, NULL, '{"id":"person_5XY1VMEU4jR1","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:15.368Z","created_at":"2026-11-16T18:55:15.368Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855315373, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a7ac-74e2-bdf5-b166485ecc83', 'person.create', 'person', 'person_bIGJEBpmFkEu', 'acme', NULL, '{"id":"person_bIGJEBpmFkEu","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:15.373Z","created_at":"2026-11-16T18:55:15.373Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855315377, 'person_5XY1VMEU4jR1', 'Op', '127.0.0.1', 'req_01a1e5b6-a7b0-770d-9458-20cf5f8c5dbd', 'person.accept_invitation', 'person', 'person_5XY1VMEU4jR1', NULL, '{"id":"person_5XY1VMEU4jR1","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:15.368Z","created_at":"2026-11-16T18:55:15.368Z","disabled_at":null}', '{"id":"person_5XY1VMEU4jR1","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:55:15.368Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855315377, 'person_5XY1VMEU4jR1', 'Op', '127.0.0.1', 'req_01a1e5b6-a7b0-770d-9458-20cf5f8c5dbd', 'person.sign_in', 'person', 'person_5XY1VMEU4jR1', NULL, NULL, '{"session":"session_CGulWTXVjzTP","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855315653, 'person_5XY1VMEU4jR1', 'Op', '127.0.0.1', 'req_01a1e5b6-a8c3-711c-8a0e-fa71a52eecdb', 'access_token.create', 'access_token', 'WpbuBdQmHqWR', NULL, NULL, '{"id":"WpbuBdQmHqWR","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:55:15.653Z","expires_at":"2026-12-16T18:55:15.648Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855315656, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a8c8-749b-ad78-2dcff0db17fe', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855315661, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a8cd-7381-9d63-9aea650cb234', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855315667, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a8d3-778b-a3e3-b4009d541739', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855315672, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-a8d7-743d-8570-e718d9dd4e28', 'webhook.create', 'webhook', 'webhook_kMeHLoMAXoLn', NULL, NULL, '{"id":"webhook_kMeHLoMAXoLn","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:55:15.672Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_5XY1VMEU4jR1', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$uOaM6mntwejdpoimXnytHsgz6/Jzv57p4bV1c7KGiHs$PYLWGXuIdYtUH1v3U85LhtpqWRxtLYXv8vzegP1kHlk', NULL, NULL, NULL, NULL, 1, 0, 1794855315368, NULL);
insert into "people" values ('person_bIGJEBpmFkEu', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '81b49ed5109a854eab7162d234e7192d6912c0f518db124585b663126e81893b', 1795460115373, 0, 0, 1794855315373, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_CGulWTXVjzTP', 'efacf1e12d956d9ba2d6bdedbf02401c22fed9f03cff8eb451883210174a0dcf', 'person_5XY1VMEU4jR1', 1, 1794855315635, 1794855315635, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('WpbuBdQmHqWR', '4214035c1243f2ab860fe4d507d20a37e217a45737863d43e5e63b9928488400', 'person_5XY1VMEU4jR1', 0, 'deploy', '["accounts:read"]', 1794855315653, 1797447315648, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('3zI0njsyROek', 1794855315788);
insert into "key_uses" values ('GXxn6ocdd9pu', 1794855315739);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', '3zI0njsyROek', 1794855315782, 1);
insert into "model_uses" values ('broken', 'GXxn6ocdd9pu', 1794855315730, 1);
insert into "model_uses" values ('of-operators', '3zI0njsyROek', 1794855315788, 1);
insert into "model_uses" values ('of-operators', 'GXxn6ocdd9pu', 1794855315739, 1);
insert into "model_uses" values ('steady', '3zI0njsyROek', 1794855315750, 3);
insert into "model_uses" values ('steady', 'GXxn6ocdd9pu', 1794855315723, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.ZQne503TdL27IFfIBllUcbLG0WRvfkH5mqdZOy8TIiFyyp6Pe7swRyHfhX38IB36SQ', 1794855315656);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855315661);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855315223, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855315223, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855315223, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855315661, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855315667, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'GXxn6ocdd9pu', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'GXxn6ocdd9pu', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'GXxn6ocdd9pu', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', '3zI0njsyROek', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', '3zI0njsyROek', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', '3zI0njsyROek', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994283, 'default', 0, 5, 13, 1794855315705, 1794855315741, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 0, 5, 23, 1794855315705, 1794855315789, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 0, 5, 13, 1794855315705, 1794855315741, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 0, 5, 23, 1794855315705, 1794855315789, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'default', 0, 5, 13, 1794855315705, 1794855315741, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20773, '', 0, 5, 23, 1794855315705, 1794855315789, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794855315705, 1794855315741, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794855315705, 1794855315789, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 0, 15, 23, 1794855315745, 1794855315789, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 0, 15, 23, 1794855315745, 1794855315789, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 0, 15, 23, 1794855315745, 1794855315789, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794855315745, 1794855315789, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_kMeHLoMAXoLn', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.V3SOxvOUVcYoIXb8MsbaBz4fG5JkYqsStpG10pJAnRuiz-lFsc3_1mPrUg1L4vOerJfDJoxZ_MWknTrmQoPhrx4hwVWcvzb4FHd6upC1', NULL, NULL, 1794855315672);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_GyoXuAPjdPqJvuDEorPletAZ', 'webhook.test', 1794855315679, '{"type":"webhook.test","timestamp":"2026-11-16T18:55:15.679Z","data":{"webhook":{"id":"webhook_kMeHLoMAXoLn","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_GyoXuAPjdPqJvuDEorPletAZ', 'webhook_kMeHLoMAXoLn', 'failed', 1794855315679, NULL, 1, '[{"atMs":1794855315679,"durationMs":6,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('3zI0njsyROek', 498570, '0', '27000', '[]');
insert into "key_hours" values ('GXxn6ocdd9pu', 498570, '0', '27000', '[]');
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
