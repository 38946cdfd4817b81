CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-18T00:03:09.044Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-18T00:03:09.047Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-18T00:03:09.053Z');
insert into "kysely_migration" values ('0004-people', '2026-11-18T00:03:09.054Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-18T00:03:09.062Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-18T00:03:09.062Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-18T00:03:09.063Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-18T00:03:09.063Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-18T00:03:09.068Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-18T00:03:09.069Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-18T00:03:09.070Z');
insert into "kysely_migration" values ('0012-repair-schema', '2026-11-18T00:03:09.071Z');
insert into "kysely_migration" values ('0013-recount-spending', '2026-11-18T00:03:09.076Z');
insert into "kysely_migration" values ('0014-cost-version', '2026-11-18T00:03:09.077Z');
insert into "kysely_migration" values ('0015-instances', '2026-11-18T00:03:09.077Z');
insert into "kysely_migration" values ('0026-attribution', '2026-11-18T00:03:09.078Z');
insert into "kysely_migration" values ('0027-price-lists', '2026-11-18T00:03:09.084Z');
insert into "kysely_migration" values ('0027-usage-costs', '2026-11-18T00:03:09.085Z');
insert into "kysely_migration" values ('0028-show-credit', '2026-11-18T00:03:09.086Z');
insert into "kysely_migration" values ('0029-attribution-usage', '2026-11-18T00:03:09.092Z');
insert into "kysely_migration" values ('0031-attribution-tag-days', '2026-11-18T00:03:09.092Z');
insert into "kysely_migration" values ('0032-identities', '2026-11-18T00:03:09.093Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('fN0fPp1mGLAS', 'plain', '0ad933e8ec1718f0cdb571ee4b1ed8d5658549d91530dc9ca7e7a5c881c5c456', '["*"]', 1794960189332, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('Ut98jYhktTTG', 'capped', 'bcb4bace70b1134a7f064ce4d59f38edd114927ae7567465f0170511b82d1f2b', '["*"]', 1794960189352, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('V4Fuu5M6K195', 'revoked', '372b7ae0dd837b38363b8b961a914a6f6fd21034d78894b8eff36717e1acffe7', '["steady"]', 1794960189369, NULL, 1794960189374, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null, "attribution" text, "price_list" text, "show_credit" integer default 1 not null);
insert into "accounts" values ('default', 'Default', 1794960189094, '{}', '{}', '["*"]', NULL, 0, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1);
insert into "accounts" values ('acme', 'Acme', 1794960189280, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text, "cost_version" text, "attribution" text, "upstream_cost_nanos" bigint);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794960189308, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794960189313, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794960189319, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794960189699, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-e900-73dd-af00-34acfaf23a13', NULL, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794960189709, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-e900-73dd-af00-34acfaf23a13', 4, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (6, 'default', 'hold', 112000, 1794960189713, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-e910-70a1-afb4-aec6b2a98f5b', NULL, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794960189723, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-e910-70a1-afb4-aec6b2a98f5b', 6, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (8, 'default', 'hold', 98000, 1794960189726, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-e91d-7430-b153-92dc2a683081', NULL, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794960189727, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-e91d-7430-b153-92dc2a683081', 8, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (10, 'default', 'hold', 98000, 1794960189729, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-e921-7420-899c-b277fa81daf6', NULL, 'fN0fPp1mGLAS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794960189921, 'fN0fPp1mGLAS', 'upstream_error', NULL, 'req_01a1ebf6-e921-7420-899c-b277fa81daf6', 10, 'fN0fPp1mGLAS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":3,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":16,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794960189945, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-e9f9-737a-86ca-27a329d061ff', NULL, 'fN0fPp1mGLAS', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794960189981, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-e9f9-737a-86ca-27a329d061ff', 12, 'fN0fPp1mGLAS', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (14, 'acme', 'hold', 98000, 1794960189983, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-ea1e-75d4-afdc-1b376fa21a86', NULL, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794960189985, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-ea1e-75d4-afdc-1b376fa21a86', 14, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (16, 'acme', 'hold', 112000, 1794960189997, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-ea2d-747e-84ca-073afc277824', NULL, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794960190003, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-ea2d-747e-84ca-073afc277824', 16, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794960190005, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-ea34-72c9-86a3-e05ed9374759', NULL, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794960190005, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-ea34-72c9-86a3-e05ed9374759', 18, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (20, 'acme', 'hold', 98000, 1794960190006, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-ea36-701e-93b2-e15a4bdb4d04', NULL, 'Ut98jYhktTTG', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794960190031, 'Ut98jYhktTTG', 'upstream_error', NULL, 'req_01a1ebf6-ea36-701e-93b2-e15a4bdb4d04', 20, 'Ut98jYhktTTG', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794960190032, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-ea50-744e-b927-524d8dedcbad', NULL, 'Ut98jYhktTTG', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794960190033, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-ea50-744e-b927-524d8dedcbad', 22, 'Ut98jYhktTTG', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (24, 'default', 'hold', 98000, 1794960194553, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-fbd6-7353-8098-bc7c0145a911', NULL, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794960194588, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-fbd6-7353-8098-bc7c0145a911', 24, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (26, 'default', 'hold', 112000, 1794960194612, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-fc34-731f-8c1e-4ce1af5427bd', NULL, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794960194634, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-fc34-731f-8c1e-4ce1af5427bd', 26, 'fN0fPp1mGLAS', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (28, 'default', 'hold', 98000, 1794960194676, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-fc73-76b7-a72f-82c77ac66beb', NULL, 'fN0fPp1mGLAS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794960194816, 'fN0fPp1mGLAS', 'upstream_error', NULL, 'req_01a1ebf6-fc73-76b7-a72f-82c77ac66beb', 28, 'fN0fPp1mGLAS', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":8,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":5,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794960194822, 'fN0fPp1mGLAS', 'a request', NULL, 'req_01a1ebf6-fd03-7547-99f1-1b559f0dace9', NULL, 'fN0fPp1mGLAS', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794960194825, 'fN0fPp1mGLAS', 'complete', NULL, 'req_01a1ebf6-fd03-7547-99f1-1b559f0dace9', 30, 'fN0fPp1mGLAS', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (32, 'acme', 'hold', 98000, 1794960194832, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-fd0f-7620-9f47-988b94ce1b0c', NULL, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794960194836, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-fd0f-7620-9f47-988b94ce1b0c', 32, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (34, 'acme', 'hold', 112000, 1794960194838, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-fd16-76c9-a621-ded1cfe3c6d1', NULL, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794960194842, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-fd16-76c9-a621-ded1cfe3c6d1', 34, 'Ut98jYhktTTG', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (36, 'acme', 'hold', 98000, 1794960194846, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-fd1e-723b-b18c-c91d3d5c7bac', NULL, 'Ut98jYhktTTG', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794960194976, 'Ut98jYhktTTG', 'upstream_error', NULL, 'req_01a1ebf6-fd1e-723b-b18c-c91d3d5c7bac', 36, 'Ut98jYhktTTG', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":8,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794960194980, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-fda3-7232-b130-11834e3ca207', NULL, 'Ut98jYhktTTG', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794960194980, 'Ut98jYhktTTG', 'complete', NULL, 'req_01a1ebf6-fda3-7232-b130-11834e3ca207', 38, 'Ut98jYhktTTG', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (40, 'acme', 'hold', 113000, 1794960194984, 'Ut98jYhktTTG', 'a request', NULL, 'req_01a1ebf6-fda7-7079-988d-e701a08667b2', NULL, 'Ut98jYhktTTG', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null, "price_list" text, "derived_from" text, "percent" integer);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]', NULL, NULL, NULL);
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]', NULL, NULL, NULL);
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'Ut98jYhktTTG', 0, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'fN0fPp1mGLAS', 0, 20775, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1ebf6-fda7-7079-988d-e701a08667b2', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('fN0fPp1mGLAS:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1ebf6-e91d-7430-b153-92dc2a683081', 1794960189726, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('Ut98jYhktTTG:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1ebf6-ea34-72c9-86a3-e05ed9374759', 1794960190004, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794960189094, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794960189146, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":null}],"aws":null,"google":null,"azure":null}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"price_lists":[],"accounts":[],"digest":"04c4ad31aec8bccba2bfe59067d93b83fda699ed5749c6257194488d94a1e69f"}', NULL, NULL);
insert into "changes" values (3, 1794960189264, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e732-7124-95a8-809bcd3e631d', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-18T00:03:09.280Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null}', NULL, NULL);
insert into "changes" values (4, 1794960189307, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e77b-76cf-ba97-cc6b528baf30', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-18T00:03:09.308Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794960189313, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e781-7345-984c-6e34fa727684', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-18T00:03:09.313Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794960189319, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e787-75b3-b503-1d6f67b4eb2b', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-18T00:03:09.319Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794960189320, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e788-7447-9bc3-c001eff848ef', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-18T00:03:09.280Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null}', '{"id":"acme","name":"Acme","created_at":"2026-11-18T00:03:09.280Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":"5.00","log_bodies":true,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null}', NULL, NULL);
insert into "changes" values (8, 1794960189332, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e793-7053-86cf-a03551feeafe', 'key.create', 'key', 'fN0fPp1mGLAS', 'default', NULL, '{"id":"fN0fPp1mGLAS","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:03:09.332Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794960189352, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e7a8-7686-ac16-e81adec9ebfa', 'key.create', 'key', 'Ut98jYhktTTG', 'acme', NULL, '{"id":"Ut98jYhktTTG","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"1.00","month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:03:09.352Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794960189369, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e7b9-750d-a6b6-ff2dfc8dfd43', 'key.create', 'key', 'V4Fuu5M6K195', 'default', NULL, '{"id":"V4Fuu5M6K195","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:03:09.369Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794960189374, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e7be-76f6-8994-eff417dfd148', 'key.revoke', 'key', 'V4Fuu5M6K195', 'default', '{"id":"V4Fuu5M6K195","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:03:09.369Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"V4Fuu5M6K195","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:03:09.369Z","expires_at":null,"revoked_at":"2026-11-18T00:03:09.374Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794960189383, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e7c6-753b-ade5-b81391b83101', 'person.create', 'person', 'person_0LjIHJhcmzIE', NULL, NULL, '{"id":"person_0LjIHJhcmzIE","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T00:03:09.383Z","created_at":"2026-11-18T00:03:09.384Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794960189410, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e7e2-75ae-bd5c-0ca649564ea6', 'person.create', 'person', 'person_IbNwzIfIfk6T', 'acme', NULL, '{"id":"person_IbNwzIfIfk6T","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-25T00:03:09.411Z","created_at":"2026-11-18T00:03:09.411Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794960189419, 'person_0LjIHJhcmzIE', 'Op', '127.0.0.1', 'req_01a1ebf6-e7eb-71f6-8c9a-6b7e57a241e4', 'person.accept_invitation', 'person', 'person_0LjIHJhcmzIE', NULL, '{"id":"person_0LjIHJhcmzIE","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T00:03:09.383Z","created_at":"2026-11-18T00:03:09.384Z","disabled_at":null}', '{"id":"person_0LjIHJhcmzIE","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-18T00:03:09.384Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794960189419, 'person_0LjIHJhcmzIE', 'Op', '127.0.0.1', 'req_01a1ebf6-e7eb-71f6-8c9a-6b7e57a241e4', 'person.sign_in', 'person', 'person_0LjIHJhcmzIE', NULL, NULL, '{"session":"session_kjr2lIIWWxWQ","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794960189641, 'person_0LjIHJhcmzIE', 'Op', '127.0.0.1', 'req_01a1ebf6-e8c8-75d4-a6ba-85f94e233678', 'access_token.create', 'access_token', '1R9H4CF37grQ', NULL, NULL, '{"id":"1R9H4CF37grQ","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-18T00:03:09.642Z","expires_at":"2026-12-18T00:03:09.638Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794960189666, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e8e1-7127-a544-e6a1810d018e', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":"ated"}],"aws":null,"google":null,"azure":null}', NULL, NULL);
insert into "changes" values (18, 1794960189671, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e8e7-7545-8cc5-c16186288e74', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794960189675, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e8eb-72da-b90e-494d67c19bdc', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794960189680, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf6-e8f0-70c6-a924-a67b5b194ea7', 'webhook.create', 'webhook', 'webhook_KUyX3UgfUdwO', NULL, NULL, '{"id":"webhook_KUyX3UgfUdwO","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-18T00:03:09.681Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_0LjIHJhcmzIE', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$2zkYHsa5tint2MRSAPA3b6yIdPovCuYa94sdEYsiekU$M1EoPDSr1qlh/4+GruzkaHYkV2u+LlGHPyclM6RJRk0', NULL, NULL, NULL, NULL, 1, 0, 1794960189384, NULL);
insert into "people" values ('person_IbNwzIfIfk6T', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '3aacc612883e79b8390226c45a44c0b0e91f50cd53ff900267ef5d0b5f0d5c2d', 1795564989411, 0, 0, 1794960189411, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_kjr2lIIWWxWQ', '3483901a8e1e2500004a7d9c10ba1bffe76ea36ac9804b3b642a31142e3c8ed9', 'person_0LjIHJhcmzIE', 1, 1794960189628, 1794960189628, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('1R9H4CF37grQ', '8963925670e77a027ad85350f9bdc91da868bcbcb02d02b64b0639ea002786d9', 'person_0LjIHJhcmzIE', 0, 'deploy', '["accounts:read"]', 1794960189642, 1797552189638, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('Ut98jYhktTTG', 1794960194984);
insert into "key_uses" values ('fN0fPp1mGLAS', 1794960194822);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'Ut98jYhktTTG', 1794960194846, 2);
insert into "model_uses" values ('broken', 'fN0fPp1mGLAS', 1794960194676, 2);
insert into "model_uses" values ('of-operators', 'Ut98jYhktTTG', 1794960194980, 2);
insert into "model_uses" values ('of-operators', 'fN0fPp1mGLAS', 1794960194822, 2);
insert into "model_uses" values ('stalled', 'Ut98jYhktTTG', 1794960194984, 1);
insert into "model_uses" values ('steady', 'Ut98jYhktTTG', 1794960194838, 5);
insert into "model_uses" values ('steady', 'fN0fPp1mGLAS', 1794960194612, 5);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null, "identity" text);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.8HjPVXVROOy0xJ1LS8tXxtLdMA9njz-8Tbv-z1xX0nQow9NfJhqxthits42Dl86hmg', 1794960189666, NULL);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794960189671);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794960189145, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794960189145, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794960189145, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794960189671, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794960189675, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'fN0fPp1mGLAS', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'fN0fPp1mGLAS', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'fN0fPp1mGLAS', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'Ut98jYhktTTG', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'Ut98jYhktTTG', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'Ut98jYhktTTG', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null, figures integer not null default 11,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994400, 'default', 0, 5, 13, 1794960189709, 1794960189981, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994400, '', 0, 5, 23, 1794960189709, 1794960190033, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('hour', 498600, 'default', 0, 5, 13, 1794960189709, 1794960189981, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498600, '', 0, 5, 23, 1794960189709, 1794960190033, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'default', 0, 5, 13, 1794960189709, 1794960189981, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, '', 0, 5, 23, 1794960189709, 1794960190033, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794960189709, 1794960189981, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794960189709, 1794960190033, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994400, 'acme', 0, 15, 23, 1794960189985, 1794960190033, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498600, 'acme', 0, 15, 23, 1794960189985, 1794960190033, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'acme', 0, 15, 23, 1794960189985, 1794960190033, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794960189985, 1794960190033, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_KUyX3UgfUdwO', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.wDskr4xvREQuKoKiiTVUFsb7QHolbDR4WoxhMu6Cj5oiHyCi6mHm7bKLQxWM8L-WCIT8m5cpraL5pS4pukblKHv4dkelTFkD0KDeLbq2', NULL, NULL, 1794960189681);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_jQR8Xek3ig8gdInaDl3CdOUq', 'webhook.test', 1794960189685, '{"type":"webhook.test","timestamp":"2026-11-18T00:03:09.685Z","data":{"webhook":{"id":"webhook_KUyX3UgfUdwO","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_jQR8Xek3ig8gdInaDl3CdOUq', 'webhook_KUyX3UgfUdwO', 'failed', 1794960189685, NULL, 1, '[{"atMs":1794960189685,"durationMs":6,"status":404,"problem":"It returned status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('Ut98jYhktTTG', 498600, '0', '27000', '[]');
insert into "key_hours" values ('fN0fPp1mGLAS', 498600, '0', '27000', '[]');
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
