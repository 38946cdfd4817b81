CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-17T20:59:23.228Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-17T20:59:23.231Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-17T20:59:23.233Z');
insert into "kysely_migration" values ('0004-people', '2026-11-17T20:59:23.233Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-17T20:59:23.235Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-17T20:59:23.235Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-17T20:59:23.236Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-17T20:59:23.236Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-17T20:59:23.237Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-17T20:59:23.238Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-17T20:59:23.239Z');
insert into "kysely_migration" values ('0012-repair-schema', '2026-11-17T20:59:23.240Z');
insert into "kysely_migration" values ('0013-recount-spending', '2026-11-17T20:59:23.241Z');
insert into "kysely_migration" values ('0014-cost-version', '2026-11-17T20:59:23.241Z');
insert into "kysely_migration" values ('0015-instances', '2026-11-17T20:59:23.241Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('7FMXMGnZGYGv', 'plain', '8cc3c9bc05b35d87ce37f95a273a7e182b87381a67b78e56954d1b177ce352b7', '["*"]', 1794949163313, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('aWoep0UHcOUO', 'capped', '9d8c99ece8a4da11187e108d42cfe86a8f1be8f415f144e9c5e3643b6250a79a', '["*"]', 1794949163320, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('WPR39l7eWzvj', 'revoked', '5b1f080070c0e4fe84d8090415d92bd81de3cca96e70a1071898665ff161797a', '["steady"]', 1794949163322, NULL, 1794949163324, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794949163242, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794949163295, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text, "cost_version" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794949163302, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794949163304, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794949163305, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794949163414, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-a994-71e4-8730-af86c0832787', NULL, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794949163421, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-a994-71e4-8730-af86c0832787', 4, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (6, 'default', 'hold', 112000, 1794949163424, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-a99f-71f5-919a-e2ca868a3499', NULL, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794949163429, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-a99f-71f5-919a-e2ca868a3499', 6, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (8, 'default', 'hold', 98000, 1794949163432, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-a9a7-724e-8d2c-b0efa7b19c5c', NULL, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794949163433, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-a9a7-724e-8d2c-b0efa7b19c5c', 8, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (10, 'default', 'hold', 98000, 1794949163435, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-a9aa-710e-a589-255ad6d99d6b', NULL, '7FMXMGnZGYGv', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794949163475, '7FMXMGnZGYGv', 'upstream_error', NULL, 'req_01a1eb4e-a9aa-710e-a589-255ad6d99d6b', 10, '7FMXMGnZGYGv', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794949163477, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-a9d5-73ef-9762-fcbc20682813', NULL, '7FMXMGnZGYGv', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794949163478, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-a9d5-73ef-9762-fcbc20682813', 12, '7FMXMGnZGYGv', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL);
insert into "entries" values (14, 'acme', 'hold', 98000, 1794949163479, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-a9d7-745a-b659-83dcb8fc41f1', NULL, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794949163480, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-a9d7-745a-b659-83dcb8fc41f1', 14, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (16, 'acme', 'hold', 112000, 1794949163481, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-a9d9-72eb-be71-0896c110686b', NULL, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794949163483, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-a9d9-72eb-be71-0896c110686b', 16, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794949163484, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-a9db-77e9-b95f-64c60233c671', NULL, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794949163484, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-a9db-77e9-b95f-64c60233c671', 18, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (20, 'acme', 'hold', 98000, 1794949163485, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-a9dd-745a-8c40-39ad3f380488', NULL, 'aWoep0UHcOUO', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794949163606, 'aWoep0UHcOUO', 'upstream_error', NULL, 'req_01a1eb4e-a9dd-745a-8c40-39ad3f380488', 20, 'aWoep0UHcOUO', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794949163607, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-aa57-748c-8f09-91b7c1278f76', NULL, 'aWoep0UHcOUO', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794949163608, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-aa57-748c-8f09-91b7c1278f76', 22, 'aWoep0UHcOUO', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL);
insert into "entries" values (24, 'default', 'hold', 98000, 1794949167237, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-b877-74b6-8ef9-cf697ea1de96', NULL, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794949167258, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-b877-74b6-8ef9-cf697ea1de96', 24, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (26, 'default', 'hold', 112000, 1794949167277, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-b8ac-7454-bf40-df924c73b6ee', NULL, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794949167293, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-b8ac-7454-bf40-df924c73b6ee', 26, '7FMXMGnZGYGv', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (28, 'default', 'hold', 98000, 1794949167300, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-b8c4-7307-a054-7e49501c6627', NULL, '7FMXMGnZGYGv', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794949167366, '7FMXMGnZGYGv', 'upstream_error', NULL, 'req_01a1eb4e-b8c4-7307-a054-7e49501c6627', 28, '7FMXMGnZGYGv', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":6,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794949167367, '7FMXMGnZGYGv', 'a request', NULL, 'req_01a1eb4e-b907-726d-9f5d-6fa95da2614b', NULL, '7FMXMGnZGYGv', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794949167369, '7FMXMGnZGYGv', 'complete', NULL, 'req_01a1eb4e-b907-726d-9f5d-6fa95da2614b', 30, '7FMXMGnZGYGv', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL);
insert into "entries" values (32, 'acme', 'hold', 98000, 1794949167373, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-b90b-7110-86fc-3543476d6785', NULL, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794949167375, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-b90b-7110-86fc-3543476d6785', 32, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (34, 'acme', 'hold', 112000, 1794949167376, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-b90f-71ac-8b9b-78537697e0bb', NULL, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794949167378, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-b90f-71ac-8b9b-78537697e0bb', 34, 'aWoep0UHcOUO', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL);
insert into "entries" values (36, 'acme', 'hold', 98000, 1794949167382, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-b916-7417-af26-765d5e8606dd', NULL, 'aWoep0UHcOUO', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794949167416, 'aWoep0UHcOUO', 'upstream_error', NULL, 'req_01a1eb4e-b916-7417-af26-765d5e8606dd', 36, 'aWoep0UHcOUO', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794949167417, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-b938-768c-a0f7-57f949ffdc38', NULL, 'aWoep0UHcOUO', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794949167418, 'aWoep0UHcOUO', 'complete', NULL, 'req_01a1eb4e-b938-768c-a0f7-57f949ffdc38', 38, 'aWoep0UHcOUO', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL);
insert into "entries" values (40, 'acme', 'hold', 113000, 1794949167420, 'aWoep0UHcOUO', 'a request', NULL, 'req_01a1eb4e-b93c-736a-9612-c18033d2de34', NULL, 'aWoep0UHcOUO', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20774, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20774, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', '7FMXMGnZGYGv', 0, 20774, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'aWoep0UHcOUO', 0, 20774, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1eb4e-b93c-736a-9612-c18033d2de34', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('7FMXMGnZGYGv:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1eb4e-a9a7-724e-8d2c-b0efa7b19c5c', 1794949163432, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('aWoep0UHcOUO:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1eb4e-a9db-77e9-b95f-64c60233c671', 1794949163484, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794949163242, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794949163264, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"4c91fef636728d29dcb726ddd3432a0475ba0602264789a9f57933852cfae706"}', NULL, NULL);
insert into "changes" values (3, 1794949163295, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a91d-771c-bcc1-ab66d720fecb', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-17T20:59:23.295Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794949163301, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a925-750b-9480-5856958250b9', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-17T20:59:23.302Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794949163304, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a928-756c-a7ab-a4b298393bd9', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-17T20:59:23.304Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794949163305, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a929-74aa-9d42-574da048eff2', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-17T20:59:23.305Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794949163307, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a92a-76f2-91e8-8e6228fe6d08', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-17T20:59:23.295Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-17T20:59:23.295Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794949163312, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a930-74c7-ae97-269ea4c3d39c', 'key.create', 'key', '7FMXMGnZGYGv', 'default', NULL, '{"id":"7FMXMGnZGYGv","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-17T20:59:23.313Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794949163320, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a938-762c-ac3a-b9c356511415', 'key.create', 'key', 'aWoep0UHcOUO', 'acme', NULL, '{"id":"aWoep0UHcOUO","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-17T20:59:23.320Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794949163322, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a93a-7286-a025-1075248a03fe', 'key.create', 'key', 'WPR39l7eWzvj', 'default', NULL, '{"id":"WPR39l7eWzvj","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-17T20:59:23.322Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794949163324, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a93c-76ba-95ac-9384f511b6bb', 'key.revoke', 'key', 'WPR39l7eWzvj', 'default', '{"id":"WPR39l7eWzvj","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-17T20:59:23.322Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"WPR39l7eWzvj","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-17T20:59:23.322Z","expires_at":null,"revoked_at":"2026-11-17T20:59:23.324Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794949163327, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a93f-73b6-bcb2-bc86ad8ce10c', 'person.create', 'person', 'person_geYbeBswQvYE', NULL, NULL, '{"id":"person_geYbeBswQvYE","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-24T20:59:23.327Z","created_at":"2026-11-17T20:59:23.328Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794949163330, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a941-775f-8195-b028a9fccad9', 'person.create', 'person', 'person_J942SjhjKiXa', 'acme', NULL, '{"id":"person_J942SjhjKiXa","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-24T20:59:23.330Z","created_at":"2026-11-17T20:59:23.330Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794949163331, 'person_geYbeBswQvYE', 'Op', '127.0.0.1', 'req_01a1eb4e-a943-75a8-931f-ce314359c263', 'person.accept_invitation', 'person', 'person_geYbeBswQvYE', NULL, '{"id":"person_geYbeBswQvYE","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-24T20:59:23.327Z","created_at":"2026-11-17T20:59:23.328Z","disabled_at":null}', '{"id":"person_geYbeBswQvYE","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-17T20:59:23.328Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794949163331, 'person_geYbeBswQvYE', 'Op', '127.0.0.1', 'req_01a1eb4e-a943-75a8-931f-ce314359c263', 'person.sign_in', 'person', 'person_geYbeBswQvYE', NULL, NULL, '{"session":"session_zr7AnFHGPHfJ","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794949163386, 'person_geYbeBswQvYE', 'Op', '127.0.0.1', 'req_01a1eb4e-a97a-7320-aded-b29bb916c55b', 'access_token.create', 'access_token', 'u4oh54JACkEs', NULL, NULL, '{"id":"u4oh54JACkEs","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-17T20:59:23.386Z","expires_at":"2026-12-17T20:59:23.385Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794949163390, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a97d-77e8-9fee-cf802b59b493', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794949163394, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a982-77c2-ac36-3189c276eb04', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794949163398, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a985-76f8-bfdb-ae82fd119305', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794949163400, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eb4e-a988-7502-a951-9349d183ad00', 'webhook.create', 'webhook', 'webhook_7PVTlosMKdYc', NULL, NULL, '{"id":"webhook_7PVTlosMKdYc","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-17T20:59:23.401Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_geYbeBswQvYE', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$xy4/vYRgwZf/+acniVCmh+68X4XwY5iUy5ljLcgeuYI$vY0fitkhxu/RpnF9CJV8VETIJbR8BDtNh0Rbh+Lk7ko', NULL, NULL, NULL, NULL, 1, 0, 1794949163328, NULL);
insert into "people" values ('person_J942SjhjKiXa', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, 'f8704bd14c69476897ec5b76180784ebb721874f81f9e24e54e063d5be6c8aa9', 1795553963330, 0, 0, 1794949163330, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_zr7AnFHGPHfJ', '0c39741bfff2f222ca13ed6639b4c22c185e28c9ae2b247377f33279530f6b4f', 'person_geYbeBswQvYE', 1, 1794949163383, 1794949163383, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('u4oh54JACkEs', '71836267132b357ef7532f486bf21db7dfc7ba85f2e594387171c11f24b46c73', 'person_geYbeBswQvYE', 0, 'deploy', '["accounts:read"]', 1794949163386, 1797541163385, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('7FMXMGnZGYGv', 1794949163477);
insert into "key_uses" values ('aWoep0UHcOUO', 1794949163607);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', '7FMXMGnZGYGv', 1794949163435, 1);
insert into "model_uses" values ('broken', 'aWoep0UHcOUO', 1794949163485, 1);
insert into "model_uses" values ('of-operators', '7FMXMGnZGYGv', 1794949163477, 1);
insert into "model_uses" values ('of-operators', 'aWoep0UHcOUO', 1794949163607, 1);
insert into "model_uses" values ('steady', '7FMXMGnZGYGv', 1794949163432, 3);
insert into "model_uses" values ('steady', 'aWoep0UHcOUO', 1794949163484, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.PG5cX1l5fV2cGAG4S8wVZOPY7e-f72D9sRKe29sCy0cjRwK07lPlU8yS9C34FiPY8w', 1794949163390);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794949163394);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794949163263, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794949163263, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794949163263, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794949163394, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794949163398, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', '7FMXMGnZGYGv', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', '7FMXMGnZGYGv', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', '7FMXMGnZGYGv', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'aWoep0UHcOUO', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'aWoep0UHcOUO', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'aWoep0UHcOUO', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994387, 'default', 0, 5, 13, 1794949163421, 1794949163478, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994387, '', 0, 5, 23, 1794949163421, 1794949163608, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498596, 'default', 0, 5, 13, 1794949163421, 1794949163478, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498596, '', 0, 5, 23, 1794949163421, 1794949163608, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20774, 'default', 0, 5, 13, 1794949163421, 1794949163478, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20774, '', 0, 5, 23, 1794949163421, 1794949163608, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794949163421, 1794949163478, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794949163421, 1794949163608, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994387, 'acme', 0, 15, 23, 1794949163480, 1794949163608, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498596, 'acme', 0, 15, 23, 1794949163480, 1794949163608, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20774, 'acme', 0, 15, 23, 1794949163480, 1794949163608, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794949163480, 1794949163608, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_7PVTlosMKdYc', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.f2x--EJLNMyhHyi1SaQ4CN0N302GshmWLqKlL0H2OOrtNF3LkxdZNTPxhtiCf228j5OfyVDTjcnARl_GjpAb9neP3sZmVq-ilxGMNcm9', NULL, NULL, 1794949163401);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_atkmbOAuWoaoJ2CWZQ9Ts256', 'webhook.test', 1794949163403, '{"type":"webhook.test","timestamp":"2026-11-17T20:59:23.403Z","data":{"webhook":{"id":"webhook_7PVTlosMKdYc","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_atkmbOAuWoaoJ2CWZQ9Ts256', 'webhook_7PVTlosMKdYc', 'failed', 1794949163403, NULL, 1, '[{"atMs":1794949163403,"durationMs":5,"status":404,"problem":"It returned status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('7FMXMGnZGYGv', 498596, '0', '27000', '[]');
insert into "key_hours" values ('aWoep0UHcOUO', 498596, '0', '27000', '[]');
CREATE TABLE instances (id text primary key, epoch integer not null, applied_seq integer not null, state text not null,
    seen_at_ms bigint not null) without rowid;
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
