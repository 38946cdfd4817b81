CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-18T03:16:21.534Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-18T03:16:21.538Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-18T03:16:21.540Z');
insert into "kysely_migration" values ('0004-people', '2026-11-18T03:16:21.541Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-18T03:16:21.542Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-18T03:16:21.543Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-18T03:16:21.544Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-18T03:16:21.544Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-18T03:16:21.545Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-18T03:16:21.547Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-18T03:16:21.547Z');
insert into "kysely_migration" values ('0012-repair-schema', '2026-11-18T03:16:21.548Z');
insert into "kysely_migration" values ('0013-recount-spending', '2026-11-18T03:16:21.549Z');
insert into "kysely_migration" values ('0014-cost-version', '2026-11-18T03:16:21.550Z');
insert into "kysely_migration" values ('0015-instances', '2026-11-18T03:16:21.550Z');
insert into "kysely_migration" values ('0026-attribution', '2026-11-18T03:16:21.553Z');
insert into "kysely_migration" values ('0027-price-lists', '2026-11-18T03:16:21.562Z');
insert into "kysely_migration" values ('0027-usage-costs', '2026-11-18T03:16:21.565Z');
insert into "kysely_migration" values ('0028-show-credit', '2026-11-18T03:16:21.566Z');
insert into "kysely_migration" values ('0029-attribution-usage', '2026-11-18T03:16:21.567Z');
insert into "kysely_migration" values ('0031-attribution-tag-days', '2026-11-18T03:16:21.567Z');
insert into "kysely_migration" values ('0032-identities', '2026-11-18T03:16:21.568Z');
insert into "kysely_migration" values ('0033-attribution-days', '2026-11-18T03:16:21.568Z');
insert into "kysely_migration" values ('0034-saved-views', '2026-11-18T03:16:21.569Z');
insert into "kysely_migration" values ('0035-archive', '2026-11-18T03:16:21.570Z');
insert into "kysely_migration" values ('0036-alerts', '2026-11-18T03:16:21.572Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint, "paused_at_ms" bigint, "archived_at_ms" bigint);
insert into "keys" values ('NkUuy2GpjpFX', 'plain', '257a7604e90e77e0ab2eb9b4f7a4cf45cedafb3f3bab1c39d7f69a3ac351995d', '["*"]', 1794971781779, NULL, NULL, 'default', '{}', '{}', NULL, NULL, NULL, NULL);
insert into "keys" values ('QMapyKnUPtw0', 'capped', 'abafb9f6284cbae1995b40216a791fa7f27d0ff8de4aadaf0ca395f9cf530e14', '["*"]', 1794971781792, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL, NULL, NULL);
insert into "keys" values ('p3HGilD5fmbR', 'revoked', '4fff2dcfac7d7cd9d74592f6eb1d427fe464a29df49403803ce00ab4d5e9367f', '["steady"]', 1794971781799, NULL, 1794971781809, 'default', '{}', '{}', NULL, NULL, NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null, "attribution" text, "price_list" text, "show_credit" integer default 1 not null, "archived_at_ms" bigint);
insert into "accounts" values ('default', 'Default', 1794971781573, '{}', '{}', '["*"]', NULL, 0, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1, NULL);
insert into "accounts" values ('acme', 'Acme', 1794971781738, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1, NULL);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text, "cost_version" text, "attribution" text, "upstream_cost_nanos" bigint);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794971781746, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794971781762, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794971781764, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794971782091, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-cbc4-760f-8187-73e061357544', NULL, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794971782124, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-cbc4-760f-8187-73e061357544', 4, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (6, 'default', 'hold', 112000, 1794971782162, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-cc11-71c4-81fc-a46c2cc5d55c', NULL, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794971782192, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-cc11-71c4-81fc-a46c2cc5d55c', 6, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (8, 'default', 'hold', 98000, 1794971782196, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-cc32-7200-b4fa-e4b11a57cea9', NULL, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794971782204, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-cc32-7200-b4fa-e4b11a57cea9', 8, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (10, 'default', 'hold', 98000, 1794971782207, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-cc3e-73cc-99c9-8723b8c22783', NULL, 'NkUuy2GpjpFX', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794971782391, 'NkUuy2GpjpFX', 'upstream_error', NULL, 'req_01a1eca7-cc3e-73cc-99c9-8723b8c22783', 10, 'NkUuy2GpjpFX', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":8,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794971782393, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-ccf9-709c-b9ac-c060d1f5b3ac', NULL, 'NkUuy2GpjpFX', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794971782397, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-ccf9-709c-b9ac-c060d1f5b3ac', 12, 'NkUuy2GpjpFX', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (14, 'acme', 'hold', 98000, 1794971782402, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-cd01-73a7-a865-b40fca271654', NULL, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794971782408, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-cd01-73a7-a865-b40fca271654', 14, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (16, 'acme', 'hold', 112000, 1794971782410, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-cd09-7410-923e-a66e38ad5c5e', NULL, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794971782412, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-cd09-7410-923e-a66e38ad5c5e', 16, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794971782413, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-cd0c-7522-ae31-cda42cc2dd29', NULL, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794971782416, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-cd0c-7522-ae31-cda42cc2dd29', 18, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (20, 'acme', 'hold', 98000, 1794971782420, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-cd13-7239-96b6-559b1487781b', NULL, 'QMapyKnUPtw0', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794971782480, 'QMapyKnUPtw0', 'upstream_error', NULL, 'req_01a1eca7-cd13-7239-96b6-559b1487781b', 20, 'QMapyKnUPtw0', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794971782482, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-cd51-739b-b9e1-70b4cbdfb66c', NULL, 'QMapyKnUPtw0', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794971782483, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-cd51-739b-b9e1-70b4cbdfb66c', 22, 'QMapyKnUPtw0', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (24, 'default', 'hold', 98000, 1794971786643, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-dd8e-71b5-9301-d7027a883910', NULL, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794971786684, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-dd8e-71b5-9301-d7027a883910', 24, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (26, 'default', 'hold', 112000, 1794971786711, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-ddd7-74cc-bb91-c3503c07fc70', NULL, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794971786813, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-ddd7-74cc-bb91-c3503c07fc70', 26, 'NkUuy2GpjpFX', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (28, 'default', 'hold', 98000, 1794971786817, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-de41-72d3-976c-fb5129936f88', NULL, 'NkUuy2GpjpFX', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794971786914, 'NkUuy2GpjpFX', 'upstream_error', NULL, 'req_01a1eca7-de41-72d3-976c-fb5129936f88', 28, 'NkUuy2GpjpFX', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794971786916, 'NkUuy2GpjpFX', 'a request', NULL, 'req_01a1eca7-dea4-70ef-be88-065c165e98f0', NULL, 'NkUuy2GpjpFX', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794971786918, 'NkUuy2GpjpFX', 'complete', NULL, 'req_01a1eca7-dea4-70ef-be88-065c165e98f0', 30, 'NkUuy2GpjpFX', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (32, 'acme', 'hold', 98000, 1794971786920, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-dea8-76c5-8fbd-14003701ea8c', NULL, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794971786922, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-dea8-76c5-8fbd-14003701ea8c', 32, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (34, 'acme', 'hold', 112000, 1794971786923, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-deab-74f5-9e84-764b8152ed8c', NULL, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794971786925, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-deab-74f5-9e84-764b8152ed8c', 34, 'QMapyKnUPtw0', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (36, 'acme', 'hold', 98000, 1794971786928, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-deb0-77e2-8d3d-84e1c5e05c59', NULL, 'QMapyKnUPtw0', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794971787061, 'QMapyKnUPtw0', 'upstream_error', NULL, 'req_01a1eca7-deb0-77e2-8d3d-84e1c5e05c59', 36, 'QMapyKnUPtw0', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794971787063, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-df37-744f-a878-b3f8a4b6c74c', NULL, 'QMapyKnUPtw0', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794971787064, 'QMapyKnUPtw0', 'complete', NULL, 'req_01a1eca7-df37-744f-a878-b3f8a4b6c74c', 38, 'QMapyKnUPtw0', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (40, 'acme', 'hold', 113000, 1794971787067, 'QMapyKnUPtw0', 'a request', NULL, 'req_01a1eca7-df3b-753e-9ea2-3c9ec266f1e4', NULL, 'QMapyKnUPtw0', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null, "price_list" text, "derived_from" text, "percent" integer);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]', NULL, NULL, NULL);
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]', NULL, NULL, NULL);
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'NkUuy2GpjpFX', 0, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'QMapyKnUPtw0', 0, 20775, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1eca7-df3b-753e-9ea2-3c9ec266f1e4', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('NkUuy2GpjpFX:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1eca7-cc32-7200-b4fa-e4b11a57cea9', 1794971782196, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('QMapyKnUPtw0:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1eca7-cd0c-7522-ae31-cda42cc2dd29', 1794971782413, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794971781573, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794971781630, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":null}],"aws":null,"google":null,"azure":null}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"price_lists":[],"accounts":[],"digest":"817d746c84a086ffd76152f5f77afce8e3c35ceabb82a97fb74c295602c81eaa"}', NULL, NULL);
insert into "changes" values (3, 1794971781737, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca65-7715-a960-7a5f98c53376', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-18T03:16:21.738Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (4, 1794971781745, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca71-7604-b20a-e4e9ce91a7fb', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-18T03:16:21.746Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794971781762, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca82-75bf-93fc-4cef39f1a0bb', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-18T03:16:21.762Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794971781764, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca84-769c-a65f-34cf2954489b', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-18T03:16:21.764Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794971781768, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca88-7612-a3b8-5ca7bdd65a64', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-18T03:16:21.738Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null,"archived_at":null}', '{"id":"acme","name":"Acme","created_at":"2026-11-18T03:16:21.738Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":"5.00","log_bodies":true,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (8, 1794971781779, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca92-706f-a522-f1056f434284', 'key.create', 'key', 'NkUuy2GpjpFX', 'default', NULL, '{"id":"NkUuy2GpjpFX","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T03:16:21.779Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794971781792, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-ca9f-761f-9a41-c28c88387c87', 'key.create', 'key', 'QMapyKnUPtw0', 'acme', NULL, '{"id":"QMapyKnUPtw0","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"1.00","month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T03:16:21.792Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794971781799, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-caa6-7757-bf10-b90e22209f66', 'key.create', 'key', 'p3HGilD5fmbR', 'default', NULL, '{"id":"p3HGilD5fmbR","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T03:16:21.799Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794971781807, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-caaf-7298-9d52-455299d1cd58', 'key.revoke', 'key', 'p3HGilD5fmbR', 'default', '{"id":"p3HGilD5fmbR","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T03:16:21.799Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null}', '{"id":"p3HGilD5fmbR","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T03:16:21.799Z","expires_at":null,"revoked_at":"2026-11-18T03:16:21.809Z","paused_at":null,"archived_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794971781821, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-cabd-735b-9d7c-8a8a2e040b6d', 'person.create', 'person', 'person_IYJ9WxwPhg2E', NULL, NULL, '{"id":"person_IYJ9WxwPhg2E","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T03:16:21.822Z","created_at":"2026-11-18T03:16:21.822Z","disabled_at":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (13, 1794971781830, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-cac6-74ec-ba66-7ff782777602', 'person.create', 'person', 'person_c53P0QmtXXf0', 'acme', NULL, '{"id":"person_c53P0QmtXXf0","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-25T03:16:21.830Z","created_at":"2026-11-18T03:16:21.830Z","disabled_at":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (14, 1794971781834, 'person_IYJ9WxwPhg2E', 'Op', '127.0.0.1', 'req_01a1eca7-cac9-7000-99f1-925fddfd1415', 'person.accept_invitation', 'person', 'person_IYJ9WxwPhg2E', NULL, '{"id":"person_IYJ9WxwPhg2E","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T03:16:21.822Z","created_at":"2026-11-18T03:16:21.822Z","disabled_at":null,"archived_at":null}', '{"id":"person_IYJ9WxwPhg2E","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-18T03:16:21.822Z","disabled_at":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (15, 1794971781834, 'person_IYJ9WxwPhg2E', 'Op', '127.0.0.1', 'req_01a1eca7-cac9-7000-99f1-925fddfd1415', 'person.sign_in', 'person', 'person_IYJ9WxwPhg2E', NULL, NULL, '{"session":"session_40l6iXkd3BRZ","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794971781985, 'person_IYJ9WxwPhg2E', 'Op', '127.0.0.1', 'req_01a1eca7-cb60-7439-86af-cdfcdf00a62b', 'access_token.create', 'access_token', 'NunEPaNGSbTi', NULL, NULL, '{"id":"NunEPaNGSbTi","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-18T03:16:21.986Z","expires_at":"2026-12-18T03:16:21.984Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794971781998, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-cb6e-76a0-a805-a6ca3c3fa3f8', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":"ated"}],"aws":null,"google":null,"azure":null}', NULL, NULL);
insert into "changes" values (18, 1794971782008, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-cb78-77e3-be94-c83a4fc5108b', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794971782028, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-cb8c-77d3-aacc-9130aa7d40e6', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794971782040, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1eca7-cb98-761d-8805-03cce966c485', 'webhook.create', 'webhook', 'webhook_YcwvHovVy1mT', NULL, NULL, '{"id":"webhook_YcwvHovVy1mT","name":"receiver","kind":"webhook","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-18T03:16:22.041Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint, "archived_at_ms" bigint);
insert into "people" values ('person_IYJ9WxwPhg2E', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$rkPnH7sTP3UygXU7Puvvqs56mHhqc3q7c0G4M+UdZr0$s2fuSUfT0Ym4kDhxyryyBSAadOzIv6uggfLFhIpAz2o', NULL, NULL, NULL, NULL, 1, 0, 1794971781822, NULL, NULL);
insert into "people" values ('person_c53P0QmtXXf0', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, 'da3250155183e3f7c4559dea9da1e489586f632c4a9b5f87719aea745fc83f6e', 1795576581830, 0, 0, 1794971781830, NULL, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_40l6iXkd3BRZ', 'c89c30c4c147a16a882976d9212db6b43f4d789c81525822de76f40f9a32d8de', 'person_IYJ9WxwPhg2E', 1, 1794971781977, 1794971781977, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('NunEPaNGSbTi', '59eb9d1e42fc333d5fb4a571f36362ff22cc7bb1758efbce9b2856c1d2e4ae4a', 'person_IYJ9WxwPhg2E', 0, 'deploy', '["accounts:read"]', 1794971781986, 1797563781984, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('NkUuy2GpjpFX', 1794971786916);
insert into "key_uses" values ('QMapyKnUPtw0', 1794971787067);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'NkUuy2GpjpFX', 1794971786817, 2);
insert into "model_uses" values ('broken', 'QMapyKnUPtw0', 1794971786928, 2);
insert into "model_uses" values ('of-operators', 'NkUuy2GpjpFX', 1794971786916, 2);
insert into "model_uses" values ('of-operators', 'QMapyKnUPtw0', 1794971787063, 2);
insert into "model_uses" values ('stalled', 'QMapyKnUPtw0', 1794971787067, 1);
insert into "model_uses" values ('steady', 'NkUuy2GpjpFX', 1794971786711, 5);
insert into "model_uses" values ('steady', 'QMapyKnUPtw0', 1794971786923, 5);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null, "identity" text);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.Y22iI16qEnrjenCqJbI_icNbOyWjZUai9CkvWTa5tu61sw3BwOjPZKcr4ATBUPw3lg', 1794971781998, NULL);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null, "archived_at_ms" bigint);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794971782008, NULL);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794971781629, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794971781629, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794971781629, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794971782008, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794971782028, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'NkUuy2GpjpFX', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'NkUuy2GpjpFX', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'NkUuy2GpjpFX', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'QMapyKnUPtw0', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'QMapyKnUPtw0', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'QMapyKnUPtw0', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null, figures integer not null default 11,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994413, 'default', 0, 5, 13, 1794971782124, 1794971782397, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994413, '', 0, 5, 23, 1794971782124, 1794971782483, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('hour', 498603, 'default', 0, 5, 13, 1794971782124, 1794971782397, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498603, '', 0, 5, 23, 1794971782124, 1794971782483, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'default', 0, 5, 13, 1794971782124, 1794971782397, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, '', 0, 5, 23, 1794971782124, 1794971782483, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794971782124, 1794971782397, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794971782124, 1794971782483, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994413, 'acme', 0, 15, 23, 1794971782408, 1794971782483, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498603, 'acme', 0, 15, 23, 1794971782408, 1794971782483, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'acme', 0, 15, 23, 1794971782408, 1794971782483, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794971782408, 1794971782483, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null, "kind" text default 'webhook' not null);
insert into "webhooks" values ('webhook_YcwvHovVy1mT', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.ypZfmbhmA3WGYFy40IlWkXihSnI6V1Lj4XCx6BsTokrSwUQsCN525F84qQnWHFD4DpNeUaHNq7sJ633oTIvKF7ldVdo-12HuMhSn0dTB', NULL, NULL, 1794971782041, 'webhook');
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_S0WzA8bZj0MPAjqg1O8BqfBM', 'webhook.test', 1794971782053, '{"type":"webhook.test","timestamp":"2026-11-18T03:16:22.053Z","data":{"webhook":{"id":"webhook_YcwvHovVy1mT","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_S0WzA8bZj0MPAjqg1O8BqfBM', 'webhook_YcwvHovVy1mT', 'failed', 1794971782053, NULL, 1, '[{"atMs":1794971782054,"durationMs":20,"status":404,"problem":"It returned status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null, "alert_id" text, "alert_kind" text) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('NkUuy2GpjpFX', 498603, '0', '27000', '[]');
insert into "key_hours" values ('QMapyKnUPtw0', 498603, '0', '27000', '[]');
CREATE TABLE instances (id text primary key, epoch integer not null, applied_seq integer not null, state text not null,
    seen_at_ms bigint not null) without rowid;
CREATE TABLE "price_lists" ("id" text primary key, "declared" text not null, "created_at_ms" bigint not null);
CREATE TABLE attribution_series (id integer primary key, owner text not null, key_id text not null, model text not null,
    name text not null, part integer not null);
CREATE TABLE attribution_sums (grain text not null, slot integer not null, owner text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null,
    figures integer not null, primary key (grain, slot, owner, part));
CREATE TABLE attribution_tag_days (account_id text not null, day integer not null, tag text not null,
    primary key (account_id, day, tag)) without rowid;
CREATE TABLE "attribution_days" ("day" integer primary key, "names" integer not null);
CREATE TABLE "saved_views" ("id" text primary key, "person_id" text not null, "name" text not null, "page" text not null, "query" text not null, "created_at_ms" bigint not null);
CREATE TABLE raised_alerts (id text primary key, kind text not null, at_ms bigint not null, data text not null,
    account_id text, key_id text, upstream text, model text, resolved_at_ms bigint, acknowledged_at_ms bigint, acknowledged_by text,
    acknowledged_by_name text);
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
CREATE INDEX attribution_series_name on attribution_series (owner, name, key_id, model);
CREATE INDEX attribution_series_part on attribution_series (owner, part, name);
CREATE INDEX raised_alerts_at on raised_alerts (at_ms, id);
CREATE INDEX raised_alerts_open on raised_alerts (at_ms, id)
    where resolved_at_ms is null and acknowledged_at_ms is null;
