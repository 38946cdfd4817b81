CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:55:06.191Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:55:06.205Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:55:06.208Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:55:06.211Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:55:06.213Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:55:06.214Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:55:06.215Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:55:06.216Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:55:06.217Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:55:06.220Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:55:06.222Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('Gk7KhLFPvfgj', 'plain', '7c557283e71cf700a64e53d6e2e7a10127524b379cbf96832dfd4f17fbec4717', '["*"]', 1794855306632, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('IXLaLImriUx8', 'capped', '71cb6dffd673f316730e60dec43939429d5c8489d89a915f11938b6c7a9cfee5', '["*"]', 1794855306645, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('GULhsU8lZuIt', 'revoked', '9252ace862f5a9e71073e757d8b161a161b0644a3cb02498d7381764781eb77c', '["steady"]', 1794855306649, NULL, 1794855306661, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855306258, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855306541, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855306570, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855306609, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855306613, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855307001, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-86f6-745f-8290-843008f7d3c0', NULL, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855307020, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-86f6-745f-8290-843008f7d3c0', 4, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855307038, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-871e-7695-a6ca-d3d1932abe18', NULL, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855307046, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-871e-7695-a6ca-d3d1932abe18', 6, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855307049, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-8728-738f-9504-e57d9ab827fa', NULL, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855307051, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-8728-738f-9504-e57d9ab827fa', 8, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855307054, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-872d-7304-a5e7-821005b5b8a0', NULL, 'Gk7KhLFPvfgj', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855307169, 'Gk7KhLFPvfgj', 'upstream_error', NULL, 'req_01a1e5b6-872d-7304-a5e7-821005b5b8a0', 10, 'Gk7KhLFPvfgj', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":4,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855307170, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-87a2-76de-867d-15def2fc9a61', NULL, 'Gk7KhLFPvfgj', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855307172, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-87a2-76de-867d-15def2fc9a61', 12, 'Gk7KhLFPvfgj', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855307208, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-87c2-727a-9404-e71929d71b11', NULL, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855307213, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-87c2-727a-9404-e71929d71b11', 14, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855307219, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-87d2-73bd-bd55-6c17f1b4846b', NULL, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855307224, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-87d2-73bd-bd55-6c17f1b4846b', 16, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855307228, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-87dc-73b7-8605-0082a0bfceae', NULL, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855307233, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-87dc-73b7-8605-0082a0bfceae', 18, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855307238, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-87e6-7693-9608-c773caeb8bfe', NULL, 'IXLaLImriUx8', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855307395, 'IXLaLImriUx8', 'upstream_error', NULL, 'req_01a1e5b6-87e6-7693-9608-c773caeb8bfe', 20, 'IXLaLImriUx8', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855307410, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-8891-776e-aa51-bf30731ffba3', NULL, 'IXLaLImriUx8', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855307411, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-8891-776e-aa51-bf30731ffba3', 22, 'IXLaLImriUx8', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855310895, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-9628-75a3-8947-cb85858364cd', NULL, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855310975, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-9628-75a3-8947-cb85858364cd', 24, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855310991, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-968f-7153-bc06-7ad32739c42e', NULL, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855311026, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-968f-7153-bc06-7ad32739c42e', 26, 'Gk7KhLFPvfgj', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855311061, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-96d4-7798-8748-ff347900c324', NULL, 'Gk7KhLFPvfgj', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855311194, 'Gk7KhLFPvfgj', 'upstream_error', NULL, 'req_01a1e5b6-96d4-7798-8748-ff347900c324', 28, 'Gk7KhLFPvfgj', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855311196, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-975b-7756-b062-4ecae43c2385', NULL, 'Gk7KhLFPvfgj', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855311197, 'Gk7KhLFPvfgj', 'complete', NULL, 'req_01a1e5b6-975b-7756-b062-4ecae43c2385', 30, 'Gk7KhLFPvfgj', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855311198, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-975e-73fc-ab88-7cae9274901a', NULL, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855311199, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-975e-73fc-ab88-7cae9274901a', 32, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855311200, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-9760-708b-8a8f-c62f3e363643', NULL, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855311202, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-9760-708b-8a8f-c62f3e363643', 34, 'IXLaLImriUx8', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855311203, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-9763-76b0-9d83-a92f5d2ea9e2', NULL, 'IXLaLImriUx8', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855311312, 'IXLaLImriUx8', 'upstream_error', NULL, 'req_01a1e5b6-9763-76b0-9d83-a92f5d2ea9e2', 36, 'IXLaLImriUx8', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":28,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855311313, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-97d0-7772-ae48-f747ce805e59', NULL, 'IXLaLImriUx8', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855311315, 'IXLaLImriUx8', 'complete', NULL, 'req_01a1e5b6-97d0-7772-ae48-f747ce805e59', 38, 'IXLaLImriUx8', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855311320, 'IXLaLImriUx8', 'a request', NULL, 'req_01a1e5b6-97d7-71b2-84a1-735b210d7842', NULL, 'IXLaLImriUx8', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (41, 'default', 'hold', 113000, 1794855313824, 'Gk7KhLFPvfgj', 'a request', NULL, 'req_01a1e5b6-a19f-75af-9d44-c6ad4ba955df', NULL, 'Gk7KhLFPvfgj', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'Gk7KhLFPvfgj', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'IXLaLImriUx8', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b6-97d7-71b2-84a1-735b210d7842', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('Gk7KhLFPvfgj:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-8728-738f-9504-e57d9ab827fa', 1794855307049, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('IXLaLImriUx8:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-87dc-73b7-8605-0082a0bfceae', 1794855307228, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855306258, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855306332, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"c0ad010b9253bbea2b2930b478836d9d79920f64e6830e558f4f8975e201122d"}', NULL, NULL);
insert into "changes" values (3, 1794855306541, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-8523-7545-a541-3ec195b59b98', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:06.541Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855306570, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-854a-7091-b4dc-aebcfb367ee1', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:55:06.570Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855306609, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-8571-72f8-81f4-a45949b6bcb9', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:55:06.609Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855306613, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-8575-7143-95ff-440416e6d271', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:55:06.613Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855306623, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-857f-7647-aeb8-f35451f6df4f', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:06.541Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:06.541Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855306631, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-8587-713b-8f30-e38fc4973765', 'key.create', 'key', 'Gk7KhLFPvfgj', 'default', NULL, '{"id":"Gk7KhLFPvfgj","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:06.632Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855306645, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-8595-77bf-95cd-6be37a1a5d97', 'key.create', 'key', 'IXLaLImriUx8', 'acme', NULL, '{"id":"IXLaLImriUx8","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:55:06.645Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855306649, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-8598-7709-bcd1-0625e2f6174b', 'key.create', 'key', 'GULhsU8lZuIt', 'default', NULL, '{"id":"GULhsU8lZuIt","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:06.649Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855306660, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-85a4-738d-bb65-097ca9e74b49', 'key.revoke', 'key', 'GULhsU8lZuIt', 'default', '{"id":"GULhsU8lZuIt","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:06.649Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"GULhsU8lZuIt","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:06.649Z","expires_at":null,"revoked_at":"2026-11-16T18:55:06.661Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855306674, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-85b2-70f1-aa6e-32386d9fecd7', 'person.create', 'person', 'person_YDqRwL0s3DdS', NULL, NULL, '{"id":"person_YDqRwL0s3DdS","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:06.681Z","created_at":"2026-11-16T18:55:06.682Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855306704, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-85cf-756f-bb71-b42fa795a794', 'person.create', 'person', 'person_oBPfus98tTh8', 'acme', NULL, '{"id":"person_oBPfus98tTh8","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:06.704Z","created_at":"2026-11-16T18:55:06.704Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855306711, 'person_YDqRwL0s3DdS', 'Op', '127.0.0.1', 'req_01a1e5b6-85d7-73c1-b9ba-a341e07c5ec0', 'person.accept_invitation', 'person', 'person_YDqRwL0s3DdS', NULL, '{"id":"person_YDqRwL0s3DdS","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:06.681Z","created_at":"2026-11-16T18:55:06.682Z","disabled_at":null}', '{"id":"person_YDqRwL0s3DdS","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:55:06.682Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855306711, 'person_YDqRwL0s3DdS', 'Op', '127.0.0.1', 'req_01a1e5b6-85d7-73c1-b9ba-a341e07c5ec0', 'person.sign_in', 'person', 'person_YDqRwL0s3DdS', NULL, NULL, '{"session":"session_EjVEYyX7QK0l","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855306953, 'person_YDqRwL0s3DdS', 'Op', '127.0.0.1', 'req_01a1e5b6-86c8-747f-9039-40d898379bba', 'access_token.create', 'access_token', 'maHOBtXZPmuv', NULL, NULL, '{"id":"maHOBtXZPmuv","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:55:06.953Z","expires_at":"2026-12-16T18:55:06.952Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855306959, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-86ce-74bd-9026-17aea18ca705', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855306964, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-86d3-768f-b8e6-5019cb1ed890', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855306973, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-86dd-7474-805f-1c4c6b29fe37', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855306978, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-86e2-7729-b92e-e5ac69a72639', 'webhook.create', 'webhook', 'webhook_GBgMT2xbV9Sm', NULL, NULL, '{"id":"webhook_GBgMT2xbV9Sm","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:55:06.979Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_YDqRwL0s3DdS', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$v4y/rwl8hXTIAsvuVd0g7NDQcdqD0jBo8IwAOGzKXzU$hSYBtn1vrcdsxb8M3Y1OtDbeaUzmzBUQB19KPjlQf7k', NULL, NULL, NULL, NULL, 1, 0, 1794855306682, NULL);
insert into "people" values ('person_oBPfus98tTh8', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '3bfa247fa53851bb16334504320e6b1c0c9732de57edf4032afda5f7bb7625fc', 1795460106704, 0, 0, 1794855306704, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_EjVEYyX7QK0l', 'b457770c1faaddb4d3b9e530d4ebd2b761389fb0e32da5720bf9eb4b028d3cb0', 'person_YDqRwL0s3DdS', 1, 1794855306946, 1794855306946, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('maHOBtXZPmuv', '7015c861413a1e7db70453be143b08c1c5ab16de4a7a6162ed42fb1ce76ca41d', 'person_YDqRwL0s3DdS', 0, 'deploy', '["accounts:read"]', 1794855306953, 1797447306952, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('Gk7KhLFPvfgj', 1794855311196);
insert into "key_uses" values ('IXLaLImriUx8', 1794855311320);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'Gk7KhLFPvfgj', 1794855311061, 2);
insert into "model_uses" values ('broken', 'IXLaLImriUx8', 1794855311203, 2);
insert into "model_uses" values ('of-operators', 'Gk7KhLFPvfgj', 1794855311196, 2);
insert into "model_uses" values ('of-operators', 'IXLaLImriUx8', 1794855311313, 2);
insert into "model_uses" values ('stalled', 'IXLaLImriUx8', 1794855311320, 1);
insert into "model_uses" values ('steady', 'Gk7KhLFPvfgj', 1794855310991, 5);
insert into "model_uses" values ('steady', 'IXLaLImriUx8', 1794855311200, 5);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.LfaumPAwpj0OnOrjNfy-XMbIebQVwIaP67_aMjf2I_UMO_QapZ_sXfsXrbr8pngAuA', 1794855306959);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855306964);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855306332, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855306332, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855306332, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855306964, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855306973, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'Gk7KhLFPvfgj', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'Gk7KhLFPvfgj', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'Gk7KhLFPvfgj', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'IXLaLImriUx8', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'IXLaLImriUx8', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'IXLaLImriUx8', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994283, 'default', 0, 5, 13, 1794855307020, 1794855307172, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 0, 5, 23, 1794855307020, 1794855307411, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 0, 5, 13, 1794855307020, 1794855307172, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 0, 5, 23, 1794855307020, 1794855307411, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'default', 0, 5, 13, 1794855307020, 1794855307172, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20773, '', 0, 5, 23, 1794855307020, 1794855307411, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794855307020, 1794855307172, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794855307020, 1794855307411, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 0, 15, 23, 1794855307213, 1794855307411, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 0, 15, 23, 1794855307213, 1794855307411, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 0, 15, 23, 1794855307213, 1794855307411, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794855307213, 1794855307411, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_GBgMT2xbV9Sm', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.n31kLTBH60Zp1s9dU7OsxtFYUm4sGqpE8k8wkLezZid0kCaT8ulcVwmI2OXIxrCnEe5D48BTh7NV45MG26zY5rRID9mixNDZD2z13C4i', NULL, NULL, 1794855306979);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_zMXiYQr2nT3RP4iBX5TXP1tw', 'webhook.test', 1794855306985, '{"type":"webhook.test","timestamp":"2026-11-16T18:55:06.985Z","data":{"webhook":{"id":"webhook_GBgMT2xbV9Sm","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_zMXiYQr2nT3RP4iBX5TXP1tw', 'webhook_GBgMT2xbV9Sm', 'failed', 1794855306985, NULL, 1, '[{"atMs":1794855306985,"durationMs":4,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('Gk7KhLFPvfgj', 498570, '0', '27000', '[]');
insert into "key_hours" values ('IXLaLImriUx8', 498570, '0', '27000', '[]');
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
