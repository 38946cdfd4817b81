CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:54:49.500Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:54:49.508Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:54:49.512Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:54:49.514Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:54:49.516Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:54:49.516Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:54:49.517Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:54:49.518Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:54:49.518Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:54:49.520Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:54:49.520Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('KVaElCI1Oziq', 'plain', '092078a6bddfd816f8670d805c25733d60ff9bac876fb96b20c9d32c2aff7104', '["*"]', 1794855289715, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('f8qOIIHZmaIk', 'capped', '964242ce4a482fdec8c4152523da26997a8ebbaa69635d9cf41c6eb025d99243', '["*"]', 1794855289719, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('T1LBv5fOJOW1', 'revoked', '03630298116f1aeae32339ad75ab9049dfa1b2c9b2df364347fea988e92848a5', '["steady"]', 1794855289722, NULL, 1794855289724, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855289522, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855289696, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855289706, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855289709, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855289710, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855289895, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-4424-75b5-a613-f46fb5452542', NULL, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855289910, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-4424-75b5-a613-f46fb5452542', 4, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855289915, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-443b-709c-bb8f-9f22db4cb980', NULL, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855289924, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-443b-709c-bb8f-9f22db4cb980', 6, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855289928, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-4447-77ce-9198-1e7372f83caa', NULL, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855289930, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-4447-77ce-9198-1e7372f83caa', 8, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855289932, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-444b-707a-a77b-cd9eeedcc533', NULL, 'KVaElCI1Oziq', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855289966, 'KVaElCI1Oziq', 'upstream_error', NULL, 'req_01a1e5b6-444b-707a-a77b-cd9eeedcc533', 10, 'KVaElCI1Oziq', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855289968, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-4470-74e1-9490-6d094e8d7c50', NULL, 'KVaElCI1Oziq', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855289971, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-4470-74e1-9490-6d094e8d7c50', 12, 'KVaElCI1Oziq', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855289973, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-4474-709d-a72c-ae69c43b3950', NULL, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855289979, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-4474-709d-a72c-ae69c43b3950', 14, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855289980, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-447c-75ab-a738-f1fa23b8de8e', NULL, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855289983, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-447c-75ab-a738-f1fa23b8de8e', 16, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855289984, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-4480-72e4-af81-63b67f8bac8f', NULL, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855289985, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-4480-72e4-af81-63b67f8bac8f', 18, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855289986, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-4481-77a1-88c8-0a090ab212ae', NULL, 'f8qOIIHZmaIk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855290011, 'f8qOIIHZmaIk', 'upstream_error', NULL, 'req_01a1e5b6-4481-77a1-88c8-0a090ab212ae', 20, 'f8qOIIHZmaIk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855290013, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-449c-7420-958d-b0225290ffaf', NULL, 'f8qOIIHZmaIk', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855290014, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-449c-7420-958d-b0225290ffaf', 22, 'f8qOIIHZmaIk', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855293475, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-521e-745a-befe-8e5fbb9f544a', NULL, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855293505, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-521e-745a-befe-8e5fbb9f544a', 24, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855293515, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-524a-7446-b3e0-bae63244c9c3', NULL, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855293526, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-524a-7446-b3e0-bae63244c9c3', 26, 'KVaElCI1Oziq', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855293529, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-5259-75cb-8a11-902d02f4c0d9', NULL, 'KVaElCI1Oziq', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855293563, 'KVaElCI1Oziq', 'upstream_error', NULL, 'req_01a1e5b6-5259-75cb-8a11-902d02f4c0d9', 28, 'KVaElCI1Oziq', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855293565, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-527d-7767-a12c-2b4c3c1e5893', NULL, 'KVaElCI1Oziq', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855293567, 'KVaElCI1Oziq', 'complete', NULL, 'req_01a1e5b6-527d-7767-a12c-2b4c3c1e5893', 30, 'KVaElCI1Oziq', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855293568, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-5280-70f1-876c-156f1a48cd42', NULL, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855293571, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-5280-70f1-876c-156f1a48cd42', 32, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855293572, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-5284-70cd-afbe-6100f4e2ca94', NULL, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855293574, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-5284-70cd-afbe-6100f4e2ca94', 34, 'f8qOIIHZmaIk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855293575, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-5287-7764-85a5-bd690dbc2480', NULL, 'f8qOIIHZmaIk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855293626, 'f8qOIIHZmaIk', 'upstream_error', NULL, 'req_01a1e5b6-5287-7764-85a5-bd690dbc2480', 36, 'f8qOIIHZmaIk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":10,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855293627, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-52ba-72c3-bf18-8b3a9cd67c3b', NULL, 'f8qOIIHZmaIk', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855293628, 'f8qOIIHZmaIk', 'complete', NULL, 'req_01a1e5b6-52ba-72c3-bf18-8b3a9cd67c3b', 38, 'f8qOIIHZmaIk', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855293630, 'f8qOIIHZmaIk', 'a request', NULL, 'req_01a1e5b6-52be-74b8-a676-2d28d4513194', NULL, 'f8qOIIHZmaIk', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (41, 'default', 'hold', 113000, 1794855296134, 'KVaElCI1Oziq', 'a request', NULL, 'req_01a1e5b6-5c85-720a-83e7-45f2af560ddc', NULL, 'KVaElCI1Oziq', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'KVaElCI1Oziq', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'f8qOIIHZmaIk', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b6-52be-74b8-a676-2d28d4513194', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('KVaElCI1Oziq:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-4447-77ce-9198-1e7372f83caa', 1794855289928, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('f8qOIIHZmaIk:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-4480-72e4-af81-63b67f8bac8f', 1794855289984, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855289522, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855289558, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"694590955af4ea9cf9eb7547acc9551e59b902477bc6c0371d44b55e13223a80"}', NULL, NULL);
insert into "changes" values (3, 1794855289695, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-435d-701b-930c-2af7f1e6fa2c', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:54:49.696Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855289706, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4369-735a-a03a-cd0d9a8ebbdc', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:54:49.706Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855289709, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-436d-734a-88e1-5db692046118', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:54:49.709Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855289710, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-436e-72da-9834-6833e3bba5de', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:54:49.710Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855289711, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-436f-7444-80b5-d2f12994e8c7', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:54:49.696Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:54:49.696Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855289715, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4372-704d-992e-05fc59108b4e', 'key.create', 'key', 'KVaElCI1Oziq', 'default', NULL, '{"id":"KVaElCI1Oziq","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:49.715Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855289719, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4377-72b1-bc67-39d15c045c77', 'key.create', 'key', 'f8qOIIHZmaIk', 'acme', NULL, '{"id":"f8qOIIHZmaIk","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:54:49.719Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855289722, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-437a-7488-9782-4517cebcbd83', 'key.create', 'key', 'T1LBv5fOJOW1', 'default', NULL, '{"id":"T1LBv5fOJOW1","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:49.722Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855289724, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-437c-73eb-96f2-926207d58a13', 'key.revoke', 'key', 'T1LBv5fOJOW1', 'default', '{"id":"T1LBv5fOJOW1","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:49.722Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"T1LBv5fOJOW1","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:54:49.722Z","expires_at":null,"revoked_at":"2026-11-16T18:54:49.724Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855289728, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-437f-7206-b712-6c2109aed634', 'person.create', 'person', 'person_1UpKUnBkrhTO', NULL, NULL, '{"id":"person_1UpKUnBkrhTO","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:54:49.729Z","created_at":"2026-11-16T18:54:49.729Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855289732, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4383-7671-aa30-d51d971e743d', 'person.create', 'person', 'person_e8yFlem0cUoP', 'acme', NULL, '{"id":"person_e8yFlem0cUoP","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:54:49.732Z","created_at":"2026-11-16T18:54:49.732Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855289735, 'person_1UpKUnBkrhTO', 'Op', '127.0.0.1', 'req_01a1e5b6-4386-7382-8db3-2945fbc99358', 'person.accept_invitation', 'person', 'person_1UpKUnBkrhTO', NULL, '{"id":"person_1UpKUnBkrhTO","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:54:49.729Z","created_at":"2026-11-16T18:54:49.729Z","disabled_at":null}', '{"id":"person_1UpKUnBkrhTO","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:54:49.729Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855289735, 'person_1UpKUnBkrhTO', 'Op', '127.0.0.1', 'req_01a1e5b6-4386-7382-8db3-2945fbc99358', 'person.sign_in', 'person', 'person_1UpKUnBkrhTO', NULL, NULL, '{"session":"session_qsD0cEqtXNSM","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855289844, 'person_1UpKUnBkrhTO', 'Op', '127.0.0.1', 'req_01a1e5b6-43f3-76c8-bf52-6865ab7a090a', 'access_token.create', 'access_token', 'XsiNiVJcACSZ', NULL, NULL, '{"id":"XsiNiVJcACSZ","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:54:49.844Z","expires_at":"2026-12-16T18:54:49.843Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855289850, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-43f9-7440-9485-be628cb5c695', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855289857, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4400-72c2-8a69-12ef72104153', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855289865, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4408-760f-bab8-4460dcc55fee', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855289872, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-4410-711d-ade4-756e7e4eac6f', 'webhook.create', 'webhook', 'webhook_wpipfMeQYqjI', NULL, NULL, '{"id":"webhook_wpipfMeQYqjI","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:54:49.873Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_1UpKUnBkrhTO', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$CsQTVn1U/TobJCimSqin8tZAbiX3Xv1oLX9pSAU2pEw$LctK4kMV7ARJUZPJPRzyeK8fIFz2x2tni2dXed539ck', NULL, NULL, NULL, NULL, 1, 0, 1794855289729, NULL);
insert into "people" values ('person_e8yFlem0cUoP', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, 'ffdacf833a8caea76b82d14e4cc191b5285d32eba0c3343654dd5d55cb83977b', 1795460089732, 0, 0, 1794855289732, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_qsD0cEqtXNSM', 'd954dacebcaac128d82a7bcb07b0b5d412d2d1e4ff916d62caf759bfde24aa19', 'person_1UpKUnBkrhTO', 1, 1794855289834, 1794855289834, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('XsiNiVJcACSZ', 'a88f43190ad3848a05b94a77f791e84dc6981d9698fa650f35bee1eee7d5e9a9', 'person_1UpKUnBkrhTO', 0, 'deploy', '["accounts:read"]', 1794855289844, 1797447289843, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('KVaElCI1Oziq', 1794855289968);
insert into "key_uses" values ('f8qOIIHZmaIk', 1794855290013);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'KVaElCI1Oziq', 1794855289932, 1);
insert into "model_uses" values ('broken', 'f8qOIIHZmaIk', 1794855289986, 1);
insert into "model_uses" values ('of-operators', 'KVaElCI1Oziq', 1794855289968, 1);
insert into "model_uses" values ('of-operators', 'f8qOIIHZmaIk', 1794855290013, 1);
insert into "model_uses" values ('steady', 'KVaElCI1Oziq', 1794855289928, 3);
insert into "model_uses" values ('steady', 'f8qOIIHZmaIk', 1794855289984, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.spyFUsPXZ0MMvADCSs7-xkNPLIXZ-faHGkCgNN-Czz8m6ZwAHdGKvzmOLpTb93ZOfQ', 1794855289850);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855289857);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855289557, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855289557, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855289557, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855289857, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855289865, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, 'default', 'KVaElCI1Oziq', 'steady', 'mock');
insert into "usage_series" values (2, 'default', 'KVaElCI1Oziq', 'broken', '');
insert into "usage_series" values (3, 'default', 'KVaElCI1Oziq', 'of-operators', 'created');
insert into "usage_series" values (4, 'acme', 'f8qOIIHZmaIk', 'steady', 'mock');
insert into "usage_series" values (5, 'acme', 'f8qOIIHZmaIk', 'broken', '');
insert into "usage_series" values (6, 'acme', 'f8qOIIHZmaIk', 'of-operators', 'created');
insert into "usage_series" values (7, '', '', 'steady', 'mock');
insert into "usage_series" values (8, '', '', 'broken', '');
insert into "usage_series" values (9, '', '', 'of-operators', 'created');
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, first_id integer not null,
    last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id)) without rowid;
insert into "usage_sums" values ('day', 20773, '', 5, 23, 1794855289910, 1794855290014, X'0706001E06000C0000F0A50300000800020000000000000000000902000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 15, 23, 1794855289979, 1794855290014, X'0403000F0300060000F8D2010000050001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'default', 5, 13, 1794855289910, 1794855289971, X'0103000F0300060000F8D2010000020001000000000000000000030100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 5, 23, 1794855289910, 1794855290014, X'0706001E06000C0000F0A50300000800020000000000000000000902000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 15, 23, 1794855289979, 1794855290014, X'0403000F0300060000F8D2010000050001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 5, 13, 1794855289910, 1794855289971, X'0103000F0300060000F8D2010000020001000000000000000000030100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 5, 23, 1794855289910, 1794855290014, X'0706001E06000C0000F0A50300000800020000000000000000000902000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'acme', 15, 23, 1794855289979, 1794855290014, X'0403000F0300060000F8D2010000050001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, 'default', 5, 13, 1794855289910, 1794855289971, X'0103000F0300060000F8D2010000020001000000000000000000030100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 5, 23, 1794855289910, 1794855290014, X'0706001E06000C0000F0A50300000800020000000000000000000902000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 15, 23, 1794855289979, 1794855290014, X'0403000F0300060000F8D2010000050001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, 'default', 5, 13, 1794855289910, 1794855289971, X'0103000F0300060000F8D2010000020001000000000000000000030100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_wpipfMeQYqjI', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.of8YzHnGQ7YARVCKJ-Az7KSad0ZziDryK7e0yuqYFv0H5ACPkuxJ-TBLz57k-9tgbmc38OjSiSORnUQXO4hf-T3WQhmHxrff9k17rK3m', NULL, NULL, 1794855289873);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_yas7GBBICXa5SmlRs1hhmFfN', 'webhook.test', 1794855289878, '{"type":"webhook.test","timestamp":"2026-11-16T18:54:49.878Z","data":{"webhook":{"id":"webhook_wpipfMeQYqjI","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_yas7GBBICXa5SmlRs1hhmFfN', 'webhook_wpipfMeQYqjI', 'failed', 1794855289878, NULL, 1, '[{"atMs":1794855289879,"durationMs":6,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('KVaElCI1Oziq', 498570, '0', '27000', '[]');
insert into "key_hours" values ('f8qOIIHZmaIk', 498570, '0', '27000', '[]');
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
CREATE INDEX deliveries_webhook on deliveries (webhook_id, id);
CREATE INDEX deliveries_alert on deliveries (alert_id);
CREATE INDEX deliveries_pending on deliveries (webhook_id, next_try_at_ms) where state = 'pending';
CREATE INDEX deliveries_ended on deliveries (webhook_id, created_at_ms) where state != 'pending';
CREATE INDEX alerts_at on alerts (at_ms);
