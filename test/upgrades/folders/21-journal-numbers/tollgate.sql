CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:55:31.887Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:55:31.893Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:55:31.895Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:55:31.896Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:55:31.898Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:55:31.899Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-16T18:55:31.900Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-16T18:55:31.900Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-16T18:55:31.901Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-16T18:55:31.905Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-16T18:55:31.906Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('E5ABHsPoLtsF', 'plain', 'ba26a4cccfc1b211f9344214ebd2d9517fab48947cdf3a1130819ebeafbbd7e5', '["*"]', 1794855332178, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('ICXPhYJlXPgF', 'capped', '543d687826f0e1fbbe5fab0e20a3da4b5043b54c4e50a85ebeb866db91477290', '["*"]', 1794855332184, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('ChEL7QQlqSbB', 'revoked', '2ef2bfbb635d424bca29564297e46df236f4e3d270aa593d74ca6bf69ff8fe02', '["steady"]', 1794855332186, NULL, 1794855332190, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null);
insert into "accounts" values ('default', 'Default', 1794855331912, '{}', '{}', '["*"]', NULL, 0);
insert into "accounts" values ('acme', 'Acme', 1794855332148, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855332164, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855332172, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855332174, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855332485, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-ea82-73cc-bffa-356da91ed61e', NULL, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855332518, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-ea82-73cc-bffa-356da91ed61e', 4, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (6, 'default', 'hold', 112000, 1794855332536, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-eab8-779e-b064-b6c1c5c5807b', NULL, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855332596, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-eab8-779e-b064-b6c1c5c5807b', 6, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (8, 'default', 'hold', 98000, 1794855332600, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-eaf7-706c-8234-9822df37f088', NULL, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855332601, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-eaf7-706c-8234-9822df37f088', 8, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (10, 'default', 'hold', 98000, 1794855332603, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-eafb-7693-8177-714f3db5f138', NULL, 'E5ABHsPoLtsF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855332774, 'E5ABHsPoLtsF', 'upstream_error', NULL, 'req_01a1e5b6-eafb-7693-8177-714f3db5f138', 10, 'E5ABHsPoLtsF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855332776, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-eba8-7146-99e6-993e60eaba68', NULL, 'E5ABHsPoLtsF', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855332778, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-eba8-7146-99e6-993e60eaba68', 12, 'E5ABHsPoLtsF', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855332780, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-ebab-7660-8059-5bde3cde643e', NULL, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855332781, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-ebab-7660-8059-5bde3cde643e', 14, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855332782, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-ebae-73e4-9ed0-700a44f869d7', NULL, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855332784, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-ebae-73e4-9ed0-700a44f869d7', 16, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855332786, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-ebb1-72a5-9ca5-d2ae2a99cef3', NULL, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855332787, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-ebb1-72a5-9ca5-d2ae2a99cef3', 18, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855332788, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-ebb3-76e8-ace4-83575ab2f2ee', NULL, 'ICXPhYJlXPgF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855332884, 'ICXPhYJlXPgF', 'upstream_error', NULL, 'req_01a1e5b6-ebb3-76e8-ace4-83575ab2f2ee', 20, 'ICXPhYJlXPgF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855332885, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-ec15-75fe-9026-873541c2e312', NULL, 'ICXPhYJlXPgF', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855332886, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-ec15-75fe-9026-873541c2e312', 22, 'ICXPhYJlXPgF', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (24, 'default', 'hold', 98000, 1794855336206, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-f90b-7043-9a7a-86861e5dd70c', NULL, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855336217, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-f90b-7043-9a7a-86861e5dd70c', 24, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (26, 'default', 'hold', 112000, 1794855336221, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-f91d-7148-9c3b-e4659d989e8f', NULL, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855336240, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-f91d-7148-9c3b-e4659d989e8f', 26, 'E5ABHsPoLtsF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (28, 'default', 'hold', 98000, 1794855336243, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-f933-7244-9b69-ff2df51223f6', NULL, 'E5ABHsPoLtsF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855336265, 'E5ABHsPoLtsF', 'upstream_error', NULL, 'req_01a1e5b6-f933-7244-9b69-ff2df51223f6', 28, 'E5ABHsPoLtsF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855336268, 'E5ABHsPoLtsF', 'a request', NULL, 'req_01a1e5b6-f94b-7750-80e5-0f65858a126f', NULL, 'E5ABHsPoLtsF', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855336272, 'E5ABHsPoLtsF', 'complete', NULL, 'req_01a1e5b6-f94b-7750-80e5-0f65858a126f', 30, 'E5ABHsPoLtsF', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855336276, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-f954-7188-ac6d-dab90e3e7e50', NULL, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855336277, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-f954-7188-ac6d-dab90e3e7e50', 32, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855336279, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-f957-7602-b043-2be0c2f00a89', NULL, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855336284, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-f957-7602-b043-2be0c2f00a89', 34, 'ICXPhYJlXPgF', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady');
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855336286, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-f95e-7797-bcdf-a67d41685188', NULL, 'ICXPhYJlXPgF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855336306, 'ICXPhYJlXPgF', 'upstream_error', NULL, 'req_01a1e5b6-f95e-7797-bcdf-a67d41685188', 36, 'ICXPhYJlXPgF', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855336307, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-f973-7091-8d88-da0ea747e3f2', NULL, 'ICXPhYJlXPgF', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855336308, 'ICXPhYJlXPgF', 'complete', NULL, 'req_01a1e5b6-f973-7091-8d88-da0ea747e3f2', 38, 'ICXPhYJlXPgF', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady');
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855336310, 'ICXPhYJlXPgF', 'a request', NULL, 'req_01a1e5b6-f976-7611-921d-23e6ff4e7616', NULL, 'ICXPhYJlXPgF', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'E5ABHsPoLtsF', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'ICXPhYJlXPgF', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b6-f976-7611-921d-23e6ff4e7616', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('E5ABHsPoLtsF:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-eaf7-706c-8234-9822df37f088', 1794855332600, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('ICXPhYJlXPgF:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b6-ebb1-72a5-9ca5-d2ae2a99cef3', 1794855332786, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855331912, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855331948, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":null}]}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null}],"parameters":{},"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"accounts":[],"digest":"3128656ba32217f9be92ffe7dea2bbe0fc6055b3bb551e79c50e81115bff181e"}', NULL, NULL);
insert into "changes" values (3, 1794855332129, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e911-7589-97a8-4bfc29d13418', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:32.148Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', NULL, NULL);
insert into "changes" values (4, 1794855332163, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e943-7337-a731-60020e689b9a', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:55:32.164Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855332172, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e94c-75ee-aad3-943696ebf83f', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:55:32.172Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794855332174, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e94d-76fa-972b-c3b37cc44a9e', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:55:32.174Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794855332175, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e94f-72a9-81b8-32d9fd29a964', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:32.148Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":null,"log_bodies":false}', '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:55:32.148Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null},"low_credit":"5.00","log_bodies":true}', NULL, NULL);
insert into "changes" values (8, 1794855332178, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e951-7311-9ebb-bd37fc2c5853', 'key.create', 'key', 'E5ABHsPoLtsF', 'default', NULL, '{"id":"E5ABHsPoLtsF","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:32.178Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855332184, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e958-73fd-ac67-5b4410a8c8cb', 'key.create', 'key', 'ICXPhYJlXPgF', 'acme', NULL, '{"id":"ICXPhYJlXPgF","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:55:32.184Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855332186, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e95a-719b-b755-11b23e6fb22d', 'key.create', 'key', 'ChEL7QQlqSbB', 'default', NULL, '{"id":"ChEL7QQlqSbB","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:32.186Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794855332189, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e95d-700b-9aea-04baa257a5ef', 'key.revoke', 'key', 'ChEL7QQlqSbB', 'default', '{"id":"ChEL7QQlqSbB","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:32.186Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"ChEL7QQlqSbB","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:55:32.186Z","expires_at":null,"revoked_at":"2026-11-16T18:55:32.190Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794855332195, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e962-7593-b81d-5f519581c759', 'person.create', 'person', 'person_qbAwlYqllCkI', NULL, NULL, '{"id":"person_qbAwlYqllCkI","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:32.195Z","created_at":"2026-11-16T18:55:32.195Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855332198, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-e966-7416-b0ab-252316d60574', 'person.create', 'person', 'person_89ahvwpRdkXY', 'acme', NULL, '{"id":"person_89ahvwpRdkXY","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:32.198Z","created_at":"2026-11-16T18:55:32.198Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794855332201, 'person_qbAwlYqllCkI', 'Op', '127.0.0.1', 'req_01a1e5b6-e969-70a9-942d-0953c96a8296', 'person.accept_invitation', 'person', 'person_qbAwlYqllCkI', NULL, '{"id":"person_qbAwlYqllCkI","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:55:32.195Z","created_at":"2026-11-16T18:55:32.195Z","disabled_at":null}', '{"id":"person_qbAwlYqllCkI","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:55:32.195Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855332201, 'person_qbAwlYqllCkI', 'Op', '127.0.0.1', 'req_01a1e5b6-e969-70a9-942d-0953c96a8296', 'person.sign_in', 'person', 'person_qbAwlYqllCkI', NULL, NULL, '{"session":"session_DXwe4bCzv1e3","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794855332411, 'person_qbAwlYqllCkI', 'Op', '127.0.0.1', 'req_01a1e5b6-ea3a-77e2-ac6a-2a8bc68aa65a', 'access_token.create', 'access_token', '5lWvt2QBOCns', NULL, NULL, '{"id":"5lWvt2QBOCns","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:55:32.415Z","expires_at":"2026-12-16T18:55:32.409Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794855332428, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-ea4c-7574-a926-a62fc925a7df', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"credentials":[{"last4":"ated"}]}', NULL, NULL);
insert into "changes" values (18, 1794855332435, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-ea53-7084-a9ce-224af53db32a', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794855332440, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-ea58-73ef-ac52-c26cb923598e', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794855332443, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b6-ea5b-7788-bfbc-4dbb9ab1c503', 'webhook.create', 'webhook', 'webhook_XEktBsGtAxw4', NULL, NULL, '{"id":"webhook_XEktBsGtAxw4","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-16T18:55:32.444Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_qbAwlYqllCkI', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$Xu2NBf9w8n1RLdvh4r2Nlgd8zM6D+YWvUf6NjpYmBz4$76NuJtub4DweCuWmkXT3QxF8gfCa9jI7d6yWgsm5tYM', NULL, NULL, NULL, NULL, 1, 0, 1794855332195, NULL);
insert into "people" values ('person_89ahvwpRdkXY', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '4286f80c51a9d838c53d73d9a3aff95d421c495ec190d0682fd9658fcdc973f2', 1795460132198, 0, 0, 1794855332198, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_DXwe4bCzv1e3', 'a592b6483864eb08f7f6687177e8d0e2af20b71fee6e78515a2afb3f9ce4d410', 'person_qbAwlYqllCkI', 1, 1794855332400, 1794855332400, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('5lWvt2QBOCns', '18b8da5a20695e4c59caecf329761f25af7e2d2f45118474d964e018648fb5fb', 'person_qbAwlYqllCkI', 0, 'deploy', '["accounts:read"]', 1794855332415, 1797447332409, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('E5ABHsPoLtsF', 1794855332776);
insert into "key_uses" values ('ICXPhYJlXPgF', 1794855332885);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'E5ABHsPoLtsF', 1794855332603, 1);
insert into "model_uses" values ('broken', 'ICXPhYJlXPgF', 1794855332788, 1);
insert into "model_uses" values ('of-operators', 'E5ABHsPoLtsF', 1794855332776, 1);
insert into "model_uses" values ('of-operators', 'ICXPhYJlXPgF', 1794855332885, 1);
insert into "model_uses" values ('steady', 'E5ABHsPoLtsF', 1794855332600, 3);
insert into "model_uses" values ('steady', 'ICXPhYJlXPgF', 1794855332786, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.-I7PZ3QbNPfBOLeXnEm-hUJmkBeXEnWKGCcHSRyA5X15YLwVf2upX1kW-mA9iO5thw', 1794855332428);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855332435);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855331947, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855331947, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855331947, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855332435, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855332440, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'E5ABHsPoLtsF', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'E5ABHsPoLtsF', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'E5ABHsPoLtsF', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'ICXPhYJlXPgF', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'ICXPhYJlXPgF', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'ICXPhYJlXPgF', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994283, 'default', 0, 5, 13, 1794855332518, 1794855332778, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('quarter', 1994283, '', 0, 5, 23, 1794855332518, 1794855332886, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('hour', 498570, 'default', 0, 5, 13, 1794855332518, 1794855332778, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('hour', 498570, '', 0, 5, 23, 1794855332518, 1794855332886, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('day', 20773, 'default', 0, 5, 13, 1794855332518, 1794855332778, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('day', 20773, '', 0, 5, 23, 1794855332518, 1794855332886, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794855332518, 1794855332778, X'0203000F0300060000F8D2010000040001000000000000000000060100050100020000000000');
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794855332518, 1794855332886, X'0106001E06000C0000F0A50300000300020000000000000000000502000A0200040000000000');
insert into "usage_sums" values ('quarter', 1994283, 'acme', 0, 15, 23, 1794855332781, 1794855332886, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('hour', 498570, 'acme', 0, 15, 23, 1794855332781, 1794855332886, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('day', 20773, 'acme', 0, 15, 23, 1794855332781, 1794855332886, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794855332781, 1794855332886, X'0703000F0300060000F8D2010000080001000000000000000000090100050100020000000000');
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_XEktBsGtAxw4', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.4hlB53Va3JidKuI7MfJeZ_l9f4sF69nTvN5NpGRw0hqchbiLET3SGa7bFoU0oxnGOZ8ToxLkSkyt_fvvEqF3P_Kzcj7Eh800V3b-O1ya', NULL, NULL, 1794855332444);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_T8pfJ24HrJlT4PXrTVgUdLmk', 'webhook.test', 1794855332447, '{"type":"webhook.test","timestamp":"2026-11-16T18:55:32.447Z","data":{"webhook":{"id":"webhook_XEktBsGtAxw4","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_T8pfJ24HrJlT4PXrTVgUdLmk', 'webhook_XEktBsGtAxw4', 'failed', 1794855332447, NULL, 1, '[{"atMs":1794855332447,"durationMs":7,"status":404,"problem":"It answered with status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('E5ABHsPoLtsF', 498570, '0', '27000', '[]');
insert into "key_hours" values ('ICXPhYJlXPgF', 498570, '0', '27000', '[]');
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
