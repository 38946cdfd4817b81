CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0004-people', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0012-repair-schema', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0013-recount-spending', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0014-cost-version', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0015-instances', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0026-attribution', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0027-price-lists', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0027-usage-costs', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0028-show-credit', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0029-attribution-usage', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0031-attribution-tag-days', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0032-identities', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0033-attribution-days', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0034-saved-views', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0035-archive', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0036-alerts', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0037-credit-line', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0038-imported-keys', '2026-11-18T19:45:31.072Z');
insert into "kysely_migration" values ('0040-discovered-models', '2026-11-18T19:45:31.072Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint, "paused_at_ms" bigint, "archived_at_ms" bigint, "imported_from" text, "imported_at_ms" bigint);
insert into "keys" values ('nCPSx5hpb0Es', 'plain', '98fd98b94d30a84b7c9c7bbb8a9862c59ff5be9f6e70b667326f786147e3350f', '["*"]', 1795031131358, NULL, NULL, 'default', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL);
insert into "keys" values ('Oj2tMp3BZnkx', 'capped', '6ea9bb343ca113858b472953f5911454f7ebc01562af5b15ee5dfc895080460c', '["*"]', 1795031131362, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL, NULL, NULL, NULL, NULL);
insert into "keys" values ('h6pHP8OSav6C', 'revoked', 'b2ee00aa8167697d9c648da6b76c0f339dc0df8b518b6988497e1b909d691df7', '["steady"]', 1795031131365, NULL, 1795031131367, 'default', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null, "attribution" text, "price_list" text, "show_credit" integer default 1 not null, "archived_at_ms" bigint, "credit_line" text);
insert into "accounts" values ('default', 'Default', 1795031131086, '{}', '{}', '["*"]', NULL, 0, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1, NULL, NULL);
insert into "accounts" values ('acme', 'Acme', 1795031131339, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1, NULL, NULL);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text, "cost_version" text, "attribution" text, "upstream_cost_nanos" bigint);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1795031131346, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1795031131351, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1795031131353, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1795031131491, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-6561-74fa-80b2-1178819093bb', NULL, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1795031131496, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-6561-74fa-80b2-1178819093bb', 4, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (6, 'default', 'hold', 112000, 1795031131502, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-656e-735d-bdac-16ef6d77eb1b', NULL, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1795031131509, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-656e-735d-bdac-16ef6d77eb1b', 6, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (8, 'default', 'hold', 98000, 1795031131524, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-6583-7180-a7fd-99c61f594e14', NULL, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1795031131530, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-6583-7180-a7fd-99c61f594e14', 8, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (10, 'default', 'hold', 98000, 1795031131532, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-658c-7467-be8d-9b2468c50ee1', NULL, 'nCPSx5hpb0Es', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1795031131554, 'nCPSx5hpb0Es', 'upstream_error', NULL, 'req_01a1f031-658c-7467-be8d-9b2468c50ee1', 10, 'nCPSx5hpb0Es', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1795031131556, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-65a4-77ce-9b87-e1287746f67f', NULL, 'nCPSx5hpb0Es', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1795031131558, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-65a4-77ce-9b87-e1287746f67f', 12, 'nCPSx5hpb0Es', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (14, 'acme', 'hold', 98000, 1795031131559, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-65a7-7352-a8ea-b32857b8fbbe', NULL, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1795031131563, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-65a7-7352-a8ea-b32857b8fbbe', 14, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (16, 'acme', 'hold', 112000, 1795031131563, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-65ab-7669-a592-31e0814f534e', NULL, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1795031131564, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-65ab-7669-a592-31e0814f534e', 16, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (18, 'acme', 'hold', 98000, 1795031131565, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-65ad-73a2-a3a0-f579aebd4ca9', NULL, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1795031131565, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-65ad-73a2-a3a0-f579aebd4ca9', 18, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (20, 'acme', 'hold', 98000, 1795031131566, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-65ae-7346-ba80-600b18fec9a0', NULL, 'Oj2tMp3BZnkx', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1795031131645, 'Oj2tMp3BZnkx', 'upstream_error', NULL, 'req_01a1f031-65ae-7346-ba80-600b18fec9a0', 20, 'Oj2tMp3BZnkx', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1795031131645, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-65fd-7280-ae22-9f611f4def7b', NULL, 'Oj2tMp3BZnkx', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1795031131646, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-65fd-7280-ae22-9f611f4def7b', 22, 'Oj2tMp3BZnkx', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (24, 'default', 'hold', 98000, 1795031134704, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-71ed-70cf-82ad-75f1de1c5ebf', NULL, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1795031134711, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-71ed-70cf-82ad-75f1de1c5ebf', 24, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (26, 'default', 'hold', 112000, 1795031134722, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-7202-73b5-a08b-ee06f2126aa2', NULL, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1795031134727, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-7202-73b5-a08b-ee06f2126aa2', 26, 'nCPSx5hpb0Es', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (28, 'default', 'hold', 98000, 1795031134728, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-7208-7124-b527-af1c39bf3c58', NULL, 'nCPSx5hpb0Es', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1795031134769, 'nCPSx5hpb0Es', 'upstream_error', NULL, 'req_01a1f031-7208-7124-b527-af1c39bf3c58', 28, 'nCPSx5hpb0Es', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1795031134771, 'nCPSx5hpb0Es', 'a request', NULL, 'req_01a1f031-7232-769b-aceb-eb4050402f99', NULL, 'nCPSx5hpb0Es', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1795031134771, 'nCPSx5hpb0Es', 'complete', NULL, 'req_01a1f031-7232-769b-aceb-eb4050402f99', 30, 'nCPSx5hpb0Es', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (32, 'acme', 'hold', 98000, 1795031134772, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-7234-7303-b33d-03f1ca024b1c', NULL, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1795031134773, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-7234-7303-b33d-03f1ca024b1c', 32, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (34, 'acme', 'hold', 112000, 1795031134774, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-7236-7378-ac35-5ffacfb31478', NULL, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1795031134775, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-7236-7378-ac35-5ffacfb31478', 34, 'Oj2tMp3BZnkx', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (36, 'acme', 'hold', 98000, 1795031134776, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-7238-749c-97a1-d623a09733b6', NULL, 'Oj2tMp3BZnkx', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1795031134847, 'Oj2tMp3BZnkx', 'upstream_error', NULL, 'req_01a1f031-7238-749c-97a1-d623a09733b6', 36, 'Oj2tMp3BZnkx', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":0,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1795031134848, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-7280-7265-9d13-c936835c41a2', NULL, 'Oj2tMp3BZnkx', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1795031134849, 'Oj2tMp3BZnkx', 'complete', NULL, 'req_01a1f031-7280-7265-9d13-c936835c41a2', 38, 'Oj2tMp3BZnkx', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (40, 'acme', 'hold', 113000, 1795031134850, 'Oj2tMp3BZnkx', 'a request', NULL, 'req_01a1f031-7282-76ca-abea-1681a0983842', NULL, 'Oj2tMp3BZnkx', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null, "price_list" text, "derived_from" text, "percent" integer);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]', NULL, NULL, NULL);
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]', NULL, NULL, NULL);
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'Oj2tMp3BZnkx', 0, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'nCPSx5hpb0Es', 0, 20775, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1f031-7282-76ca-abea-1681a0983842', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('nCPSx5hpb0Es:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1f031-6583-7180-a7fd-99c61f594e14', 1795031131524, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('Oj2tMp3BZnkx:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1f031-65ad-73a2-a3a0-f579aebd4ca9', 1795031131565, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1795031131086, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1795031131157, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":null}],"headers":[],"organization":null,"project":null,"aws":null,"google":null,"azure":null}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null,"cost":null,"defaults":{},"headers":[],"limits":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"selection":"weighted","cache":null,"mirror":null,"fallback_models":[],"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null,"cost":null,"defaults":{},"headers":[],"limits":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"selection":"weighted","cache":null,"mirror":null,"fallback_models":[],"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null,"cost":null,"defaults":{},"headers":[],"limits":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"selection":"weighted","cache":null,"mirror":null,"fallback_models":[],"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"price_lists":[],"accounts":[],"digest":"79d8ee226fbbdf84a5d80d496ae6de599c20589fc3eef8a3af43824a66b6366b"}', NULL, NULL);
insert into "changes" values (3, 1795031131338, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64c8-76c6-9c9c-e7e1e11c6cdf', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-18T19:45:31.339Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"credit_line":null,"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (4, 1795031131346, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64d1-762f-b699-dcf65cfe3808', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-18T19:45:31.346Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1795031131351, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64d7-7718-a055-9a74eb0fc12b', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-18T19:45:31.351Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1795031131352, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64d8-7723-84c7-837918f0bde3', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-18T19:45:31.353Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1795031131354, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64da-77cd-85fc-2a9964242c5d', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-18T19:45:31.339Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"credit_line":null,"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null,"archived_at":null}', '{"id":"acme","name":"Acme","created_at":"2026-11-18T19:45:31.339Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"credit_line":null,"low_credit":"5.00","log_bodies":true,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (8, 1795031131357, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64dd-7224-a79d-4410921df0a4', 'key.create', 'key', 'nCPSx5hpb0Es', 'default', NULL, '{"id":"nCPSx5hpb0Es","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T19:45:31.358Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null,"imported":null}', NULL, NULL);
insert into "changes" values (9, 1795031131362, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64e2-7704-84a5-45fcb7f1f613', 'key.create', 'key', 'Oj2tMp3BZnkx', 'acme', NULL, '{"id":"Oj2tMp3BZnkx","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"1.00","month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T19:45:31.362Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null,"imported":null}', NULL, NULL);
insert into "changes" values (10, 1795031131365, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64e5-72ae-afa0-1172eccfbf91', 'key.create', 'key', 'h6pHP8OSav6C', 'default', NULL, '{"id":"h6pHP8OSav6C","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T19:45:31.365Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null,"imported":null}', NULL, NULL);
insert into "changes" values (11, 1795031131367, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64e6-77e4-a43f-fe9ef607c207', 'key.revoke', 'key', 'h6pHP8OSav6C', 'default', '{"id":"h6pHP8OSav6C","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T19:45:31.365Z","expires_at":null,"revoked_at":null,"paused_at":null,"archived_at":null,"previous_key_works_until":null,"imported":null}', '{"id":"h6pHP8OSav6C","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T19:45:31.365Z","expires_at":null,"revoked_at":"2026-11-18T19:45:31.367Z","paused_at":null,"archived_at":null,"previous_key_works_until":null,"imported":null}', NULL, NULL);
insert into "changes" values (12, 1795031131370, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64ea-766c-8ee7-1be27b1d55c9', 'person.create', 'person', 'person_gS97LEOVClr5', NULL, NULL, '{"id":"person_gS97LEOVClr5","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T19:45:31.371Z","created_at":"2026-11-18T19:45:31.371Z","disabled_at":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (13, 1795031131373, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-64ed-75fc-afab-b2994a04bbbb', 'person.create', 'person', 'person_GcUgexo6c7Gg', 'acme', NULL, '{"id":"person_GcUgexo6c7Gg","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-25T19:45:31.374Z","created_at":"2026-11-18T19:45:31.374Z","disabled_at":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (14, 1795031131377, 'person_gS97LEOVClr5', 'Op', '127.0.0.1', 'req_01a1f031-64f1-7461-967d-41a9dd3af503', 'person.accept_invitation', 'person', 'person_gS97LEOVClr5', NULL, '{"id":"person_gS97LEOVClr5","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T19:45:31.371Z","created_at":"2026-11-18T19:45:31.371Z","disabled_at":null,"archived_at":null}', '{"id":"person_gS97LEOVClr5","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-18T19:45:31.371Z","disabled_at":null,"archived_at":null}', NULL, NULL);
insert into "changes" values (15, 1795031131377, 'person_gS97LEOVClr5', 'Op', '127.0.0.1', 'req_01a1f031-64f1-7461-967d-41a9dd3af503', 'person.sign_in', 'person', 'person_gS97LEOVClr5', NULL, NULL, '{"session":"session_nrJkrwkXh4IP","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1795031131455, 'person_gS97LEOVClr5', 'Op', '127.0.0.1', 'req_01a1f031-653e-7339-9b4b-f9d820b13370', 'access_token.create', 'access_token', 'Bhv41PLPhDzP', NULL, NULL, '{"id":"Bhv41PLPhDzP","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-18T19:45:31.455Z","expires_at":"2026-12-18T19:45:31.454Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1795031131458, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-6542-7523-8f7d-19586bf80a7e', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":"ated"}],"headers":[],"organization":null,"project":null,"aws":null,"google":null,"azure":null}', NULL, NULL);
insert into "changes" values (18, 1795031131461, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-6545-7594-8c8f-5ccdfae660b3', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1795031131470, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-654e-74a5-9dec-5e5605c1a770', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1795031131474, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1f031-6552-7648-9867-a9bba88b574f', 'webhook.create', 'webhook', 'webhook_zdZ3RH8AfkFa', NULL, NULL, '{"id":"webhook_zdZ3RH8AfkFa","name":"receiver","kind":"webhook","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-18T19:45:31.474Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint, "archived_at_ms" bigint);
insert into "people" values ('person_gS97LEOVClr5', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$jK+x9hy++HO4JZj4ZFnVNdcVpH/ftqj3XFG4SV/Envg$LAk0PSZ3ZlRnmTw+H2osKn3Pgm/x/MHOHGJs2ZNH4Bw', NULL, NULL, NULL, NULL, 1, 0, 1795031131371, NULL, NULL);
insert into "people" values ('person_GcUgexo6c7Gg', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '48b0146ba2433590b77f27d0be68daddadfdb00bfd47aabed31844d6c0442096', 1795635931374, 0, 0, 1795031131374, NULL, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_nrJkrwkXh4IP', 'edb2a00a1465140fdb2e0314e095c15de739ef5ac191476b25fe331e3dcad5f6', 'person_gS97LEOVClr5', 1, 1795031131450, 1795031131450, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('Bhv41PLPhDzP', '662b1faa7e41025b8becc9ee9111dc7f8dccfd8138c30bdd8614cf0534e8c357', 'person_gS97LEOVClr5', 0, 'deploy', '["accounts:read"]', 1795031131455, 1797623131454, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('Oj2tMp3BZnkx', 1795031131645);
insert into "key_uses" values ('nCPSx5hpb0Es', 1795031131556);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'Oj2tMp3BZnkx', 1795031131566, 1);
insert into "model_uses" values ('broken', 'nCPSx5hpb0Es', 1795031131532, 1);
insert into "model_uses" values ('of-operators', 'Oj2tMp3BZnkx', 1795031131645, 1);
insert into "model_uses" values ('of-operators', 'nCPSx5hpb0Es', 1795031131556, 1);
insert into "model_uses" values ('steady', 'Oj2tMp3BZnkx', 1795031131565, 3);
insert into "model_uses" values ('steady', 'nCPSx5hpb0Es', 1795031131524, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null, "identity" text);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95._ogJ2WeWMdodSpF_l44lHzbU9czLD5MmkwUw27DPJ_AughPBYDJCuzyW-TLyihnJOg', 1795031131458, NULL);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null, "archived_at_ms" bigint);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1795031131461, NULL);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1795031131156, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1795031131156, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1795031131156, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1795031131461, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1795031131470, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'nCPSx5hpb0Es', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'nCPSx5hpb0Es', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'nCPSx5hpb0Es', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'Oj2tMp3BZnkx', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'Oj2tMp3BZnkx', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'Oj2tMp3BZnkx', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null, figures integer not null default 11,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994479, 'default', 0, 5, 13, 1795031131496, 1795031131558, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994479, '', 0, 5, 23, 1795031131496, 1795031131646, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('hour', 498619, 'default', 0, 5, 13, 1795031131496, 1795031131558, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498619, '', 0, 5, 23, 1795031131496, 1795031131646, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'default', 0, 5, 13, 1795031131496, 1795031131558, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, '', 0, 5, 23, 1795031131496, 1795031131646, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1795031131496, 1795031131558, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1795031131496, 1795031131646, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994479, 'acme', 0, 15, 23, 1795031131563, 1795031131646, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498619, 'acme', 0, 15, 23, 1795031131563, 1795031131646, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'acme', 0, 15, 23, 1795031131563, 1795031131646, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1795031131563, 1795031131646, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null, "kind" text default 'webhook' not null);
insert into "webhooks" values ('webhook_zdZ3RH8AfkFa', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.swD1ksgTX29Afx1WsQUIMjokAim1YdE3hLfecjuU7NToDQuLXG4AmrvIBJxhEUIQNteLoWFCOhWV5JNEBIOt-ulXlirl5LtSwvJeumNm', NULL, NULL, 1795031131474, 'webhook');
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_jJyZSTd7QMy9Y9JjVPXI3cGe', 'webhook.test', 1795031131477, '{"type":"webhook.test","timestamp":"2026-11-18T19:45:31.477Z","data":{"webhook":{"id":"webhook_zdZ3RH8AfkFa","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_jJyZSTd7QMy9Y9JjVPXI3cGe', 'webhook_zdZ3RH8AfkFa', 'failed', 1795031131477, NULL, 1, '[{"atMs":1795031131477,"durationMs":10,"status":404,"problem":"It returned status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null, "alert_id" text, "alert_kind" text) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('Oj2tMp3BZnkx', 498619, '0', '27000', '[]');
insert into "key_hours" values ('nCPSx5hpb0Es', 498619, '0', '27000', '[]');
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
CREATE TABLE "discovered_models" ("upstream" text primary key, "base_url" text not null, "models" text not null, "found_at_ms" bigint not null);
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
