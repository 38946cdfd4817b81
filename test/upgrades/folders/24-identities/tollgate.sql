CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-18T00:06:19.722Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-18T00:06:19.725Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-18T00:06:19.727Z');
insert into "kysely_migration" values ('0004-people', '2026-11-18T00:06:19.728Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-18T00:06:19.729Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-18T00:06:19.730Z');
insert into "kysely_migration" values ('0007-attempts', '2026-11-18T00:06:19.734Z');
insert into "kysely_migration" values ('0008-upstream-model', '2026-11-18T00:06:19.735Z');
insert into "kysely_migration" values ('0009-usage-rollups', '2026-11-18T00:06:19.735Z');
insert into "kysely_migration" values ('0010-webhooks', '2026-11-18T00:06:19.737Z');
insert into "kysely_migration" values ('0011-log-bodies', '2026-11-18T00:06:19.738Z');
insert into "kysely_migration" values ('0012-repair-schema', '2026-11-18T00:06:19.738Z');
insert into "kysely_migration" values ('0013-recount-spending', '2026-11-18T00:06:19.742Z');
insert into "kysely_migration" values ('0014-cost-version', '2026-11-18T00:06:19.743Z');
insert into "kysely_migration" values ('0015-instances', '2026-11-18T00:06:19.743Z');
insert into "kysely_migration" values ('0026-attribution', '2026-11-18T00:06:19.748Z');
insert into "kysely_migration" values ('0027-price-lists', '2026-11-18T00:06:19.750Z');
insert into "kysely_migration" values ('0027-usage-costs', '2026-11-18T00:06:19.751Z');
insert into "kysely_migration" values ('0028-show-credit', '2026-11-18T00:06:19.756Z');
insert into "kysely_migration" values ('0029-attribution-usage', '2026-11-18T00:06:19.757Z');
insert into "kysely_migration" values ('0031-attribution-tag-days', '2026-11-18T00:06:19.758Z');
insert into "kysely_migration" values ('0032-identities', '2026-11-18T00:06:19.759Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('AmHXIE6rbbJ7', 'plain', '61e227660442621d5dfac7261fc06faad2008e90e6d81cc3096d3a9b0b1820d9', '["*"]', 1794960379937, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('iuG5CM1zYKbT', 'capped', 'acb70f3072262757c84e051ca33dbeeca4aa96cc8d5a1903727279271058e25f', '["*"]', 1794960379944, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('HTBOZRYJ1pcl', 'revoked', 'dd56fc9a4587b07d2bd119609823eedf5e741f5b43fa5dff0f48eac341876bf0', '["steady"]', 1794960379946, NULL, 1794960379957, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null, "low_credit_nanos" text, "log_bodies" integer default 0 not null, "attribution" text, "price_list" text, "show_credit" integer default 1 not null);
insert into "accounts" values ('default', 'Default', 1794960379765, '{}', '{}', '["*"]', NULL, 0, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1);
insert into "accounts" values ('acme', 'Acme', 1794960379873, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]', '5000000000', 1, '{"identities":"plain","metadataTags":[],"conversationKey":null}', NULL, 1);
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer, "failed_attempts" text, "upstream_model" text, "cost_version" text, "attribution" text, "upstream_cost_nanos" bigint);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794960379895, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794960379916, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794960379920, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794960380174, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-d10c-7492-8ee9-13bdab6dc722', NULL, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794960380213, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-d10c-7492-8ee9-13bdab6dc722', 4, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (6, 'default', 'hold', 112000, 1794960380219, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-d13b-715f-9ce1-4f94e01d3439', NULL, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794960380226, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-d13b-715f-9ce1-4f94e01d3439', 6, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (8, 'default', 'hold', 98000, 1794960380229, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-d144-759d-90d5-5faa3602e5da', NULL, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794960380231, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-d144-759d-90d5-5faa3602e5da', 8, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (10, 'default', 'hold', 98000, 1794960380233, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-d149-72e8-b860-eae886943392', NULL, 'AmHXIE6rbbJ7', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794960380320, 'AmHXIE6rbbJ7', 'upstream_error', NULL, 'req_01a1ebf9-d149-72e8-b860-eae886943392', 10, 'AmHXIE6rbbJ7', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":4,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":2,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794960380331, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-d1aa-76d0-a94f-2d09ae500ba4', NULL, 'AmHXIE6rbbJ7', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794960380335, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-d1aa-76d0-a94f-2d09ae500ba4', 12, 'AmHXIE6rbbJ7', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (14, 'acme', 'hold', 98000, 1794960380337, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-d1b0-70f7-8780-6d8ebba4fa9c', NULL, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794960380340, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-d1b0-70f7-8780-6d8ebba4fa9c', 14, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (16, 'acme', 'hold', 112000, 1794960380344, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-d1b8-75de-aca1-357e2dc96e87', NULL, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794960380346, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-d1b8-75de-aca1-357e2dc96e87', 16, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794960380348, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-d1bc-7752-adf9-a38b3ac69c95', NULL, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794960380350, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-d1bc-7752-adf9-a38b3ac69c95', 18, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (20, 'acme', 'hold', 98000, 1794960380355, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-d1c2-728f-8ae9-e8cb8b85497d', NULL, 'iuG5CM1zYKbT', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794960380551, 'iuG5CM1zYKbT', 'upstream_error', NULL, 'req_01a1ebf9-d1c2-728f-8ae9-e8cb8b85497d', 20, 'iuG5CM1zYKbT', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":5,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794960380553, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-d289-7603-9c50-be861791e6a7', NULL, 'iuG5CM1zYKbT', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794960380556, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-d289-7603-9c50-be861791e6a7', 22, 'iuG5CM1zYKbT', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (24, 'default', 'hold', 98000, 1794960384957, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-e3a9-721c-9da0-65f10a3d4ea1', NULL, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794960385000, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-e3a9-721c-9da0-65f10a3d4ea1', 24, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (26, 'default', 'hold', 112000, 1794960385007, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-e3ee-710e-8918-96be40187844', NULL, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794960385021, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-e3ee-710e-8918-96be40187844', 26, 'AmHXIE6rbbJ7', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (28, 'default', 'hold', 98000, 1794960385027, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-e403-717b-95fa-154ef1c2d92d', NULL, 'AmHXIE6rbbJ7', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794960385231, 'AmHXIE6rbbJ7', 'upstream_error', NULL, 'req_01a1ebf9-e403-717b-95fa-154ef1c2d92d', 28, 'AmHXIE6rbbJ7', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":5,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794960385239, 'AmHXIE6rbbJ7', 'a request', NULL, 'req_01a1ebf9-e4d3-7472-80da-ed4ab91f7c79', NULL, 'AmHXIE6rbbJ7', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794960385241, 'AmHXIE6rbbJ7', 'complete', NULL, 'req_01a1ebf9-e4d3-7472-80da-ed4ab91f7c79', 30, 'AmHXIE6rbbJ7', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (32, 'acme', 'hold', 98000, 1794960385245, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-e4dc-73f1-aaf7-0d6b8126509c', NULL, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794960385247, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-e4dc-73f1-aaf7-0d6b8126509c', 32, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (34, 'acme', 'hold', 112000, 1794960385249, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-e4e0-7500-8c3d-73341fad484d', NULL, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794960385251, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-e4e0-7500-8c3d-73341fad484d', 34, 'iuG5CM1zYKbT', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (36, 'acme', 'hold', 98000, 1794960385254, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-e4e5-7529-a60b-9cabf7a65f2b', NULL, 'iuG5CM1zYKbT', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794960385285, 'iuG5CM1zYKbT', 'upstream_error', NULL, 'req_01a1ebf9-e4e5-7529-a60b-9cabf7a65f2b', 36, 'iuG5CM1zYKbT', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"},{"upstream":"mock","upstreamModel":"broken","fault":"failed","durationMs":1,"detail":"upstream status 500: no"}]', NULL, NULL, NULL, NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794960385287, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-e506-73f8-9118-48a485562f5f', NULL, 'iuG5CM1zYKbT', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794960385288, 'iuG5CM1zYKbT', 'complete', NULL, 'req_01a1ebf9-e506-73f8-9118-48a485562f5f', 38, 'iuG5CM1zYKbT', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1, NULL, 'steady', NULL, NULL, NULL);
insert into "entries" values (40, 'acme', 'hold', 113000, 1794960385291, 'iuG5CM1zYKbT', 'a request', NULL, 'req_01a1ebf9-e50a-71fe-bb49-f64608779169', NULL, 'iuG5CM1zYKbT', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null, "price_list" text, "derived_from" text, "percent" integer);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]', NULL, NULL, NULL);
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]', NULL, NULL, NULL);
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'AmHXIE6rbbJ7', 0, 20775, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'iuG5CM1zYKbT', 0, 20775, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1ebf9-e50a-71fe-bb49-f64608779169', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock","upstreamModel":"stalled"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('AmHXIE6rbbJ7:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1ebf9-d144-759d-90d5-5faa3602e5da', 1794960380229, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('iuG5CM1zYKbT:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1ebf9-d1bc-7752-adf9-a38b3ac69c95', 1794960380348, '{"content-type":"application/json","x-tollgate-upstream":"mock","x-tollgate-attempts":"1","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794960379765, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794960379825, 'config-file', 'config file', NULL, NULL, 'config.load', 'config', '/srv/tollgate/tollgate.yaml', NULL, NULL, '{"upstreams":[{"id":"mock","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":null}],"aws":null,"google":null,"azure":null}],"models":[{"id":"broken","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"broken","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"stalled","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"stalled","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]},{"id":"steady","owned_by":"tollgate","state":"available","shutdown_date":null,"replacement":null,"routes":[{"upstream":"mock","model":"steady","priority":1,"weight":1,"max_price":null,"cost":null}],"parameters":{},"unknown_parameters":null,"timeouts":{},"sticky":null,"cache":null,"prices":[{"version":"6b3f6ca1c50e178f","effective_at":"1970-01-01T00:00:00.000Z","source":"operator","price_list":null,"input_per_million":1,"cached_input_per_million":1,"cache_write_per_million":1,"output_per_million":2,"reasoning_per_million":2,"tiers":[]}],"context_window":null,"max_output_tokens":null,"capabilities":[]}],"price_lists":[],"accounts":[],"digest":"bf19ce409261b995fc0fa6bd97d4f959e2625a3d3131204f1b43a45a2ab41587"}', NULL, NULL);
insert into "changes" values (3, 1794960379873, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-cfdd-76df-b5bf-dfed9181b7ef', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-18T00:06:19.873Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null}', NULL, NULL);
insert into "changes" values (4, 1794960379894, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-cff6-71a9-8430-1d057bddce58', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-18T00:06:19.895Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794960379916, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d00c-77b8-8772-36441877570a', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-18T00:06:19.916Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (6, 1794960379920, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d010-7207-8b87-d24bdb354aa5', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-18T00:06:19.920Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (7, 1794960379924, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d014-756b-984f-87ae505b2659', 'account.update', 'account', 'acme', 'acme', '{"id":"acme","name":"Acme","created_at":"2026-11-18T00:06:19.873Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":null,"log_bodies":false,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null}', '{"id":"acme","name":"Acme","created_at":"2026-11-18T00:06:19.873Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"5.00","month":"50.00","total":null,"per_user":null,"per_tag":null},"low_credit":"5.00","log_bodies":true,"attribution":"plain","metadata_tags":[],"conversation_key":null,"show_credit":true,"price_list":null}', NULL, NULL);
insert into "changes" values (8, 1794960379937, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d020-7683-ad64-3cea9cb8718b', 'key.create', 'key', 'AmHXIE6rbbJ7', 'default', NULL, '{"id":"AmHXIE6rbbJ7","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:06:19.937Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794960379944, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d028-77ba-b55d-43a9dbd4cc27', 'key.create', 'key', 'iuG5CM1zYKbT', 'acme', NULL, '{"id":"iuG5CM1zYKbT","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":"1.00","month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:06:19.944Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794960379946, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d02a-72fd-8844-8e0b041774dd', 'key.create', 'key', 'HTBOZRYJ1pcl', 'default', NULL, '{"id":"HTBOZRYJ1pcl","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:06:19.946Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (11, 1794960379957, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d035-712d-bcbd-ec1563617971', 'key.revoke', 'key', 'HTBOZRYJ1pcl', 'default', '{"id":"HTBOZRYJ1pcl","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:06:19.946Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"HTBOZRYJ1pcl","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null,"per_user":null,"per_tag":null},"caps":{"day":null,"month":null,"total":null,"per_user":null,"per_tag":null},"created_at":"2026-11-18T00:06:19.946Z","expires_at":null,"revoked_at":"2026-11-18T00:06:19.957Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (12, 1794960379963, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d03a-71a3-b8db-89cd1aeec4a5', 'person.create', 'person', 'person_E6maLI38Ziwc', NULL, NULL, '{"id":"person_E6maLI38Ziwc","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T00:06:19.963Z","created_at":"2026-11-18T00:06:19.965Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794960379973, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d044-7549-a3ab-52c3fa75fa53', 'person.create', 'person', 'person_8raBtnyt4fXo', 'acme', NULL, '{"id":"person_8raBtnyt4fXo","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-25T00:06:19.973Z","created_at":"2026-11-18T00:06:19.973Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (14, 1794960379977, 'person_E6maLI38Ziwc', 'Op', '127.0.0.1', 'req_01a1ebf9-d049-7166-b136-e5f525cb5801', 'person.accept_invitation', 'person', 'person_E6maLI38Ziwc', NULL, '{"id":"person_E6maLI38Ziwc","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-25T00:06:19.963Z","created_at":"2026-11-18T00:06:19.965Z","disabled_at":null}', '{"id":"person_E6maLI38Ziwc","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-18T00:06:19.965Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (15, 1794960379977, 'person_E6maLI38Ziwc', 'Op', '127.0.0.1', 'req_01a1ebf9-d049-7166-b136-e5f525cb5801', 'person.sign_in', 'person', 'person_E6maLI38Ziwc', NULL, NULL, '{"session":"session_NsB8DjwGefIH","by":"link"}', NULL, NULL);
insert into "changes" values (16, 1794960380123, 'person_E6maLI38Ziwc', 'Op', '127.0.0.1', 'req_01a1ebf9-d0db-7280-bf1e-140fb4b91519', 'access_token.create', 'access_token', 'kAEdktn5QfDI', NULL, NULL, '{"id":"kAEdktn5QfDI","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-18T00:06:20.124Z","expires_at":"2026-12-18T00:06:20.122Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (17, 1794960380128, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d0e0-77ca-90c7-aaf95935251b', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","preset":null,"dialect":"openai","base_url":"http://127.0.0.1:9000/v1","api_version":null,"allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000},"unknown_parameters":null,"credentials":[{"last4":"ated"}],"aws":null,"google":null,"azure":null}', NULL, NULL);
insert into "changes" values (18, 1794960380135, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d0e7-74de-96f8-ca34bb1e6e53', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (19, 1794960380141, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d0ed-76b9-9b07-e86250c28ce8', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
insert into "changes" values (20, 1794960380151, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1ebf9-d0f7-76eb-833c-aae5129fa231', 'webhook.create', 'webhook', 'webhook_cFoYCtVBdDm8', NULL, NULL, '{"id":"webhook_cFoYCtVBdDm8","name":"receiver","url":"http://127.0.0.1:9000/v1/hook","allow_private":true,"alerts":null,"paused":false,"paused_because":null,"previous_secret_signs_until":null,"created_at":"2026-11-18T00:06:20.152Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_E6maLI38Ziwc', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$XlMGjGN3jUWvF1qLrLDVQJJAf+4ADiFR3O9Q32ItnXM$iyk+n0knlPrx8tFy14z24y55XFCt331YUVuwqqNR/2c', NULL, NULL, NULL, NULL, 1, 0, 1794960379965, NULL);
insert into "people" values ('person_8raBtnyt4fXo', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '39c31c77df89ca24a4caf401aafb6420df061febc5483872fa2ec95c4c97e60f', 1795565179973, 0, 0, 1794960379973, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_NsB8DjwGefIH', '995e98dc274ec767842f98c75fe6dffdc337ce702c6bd1b0805de7d3587e598d', 'person_E6maLI38Ziwc', 1, 1794960380118, 1794960380118, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('kAEdktn5QfDI', '4135018b285a01353afd2003398b77ed1d0e22cf890f57150cafbf195a0478ef', 'person_E6maLI38Ziwc', 0, 'deploy', '["accounts:read"]', 1794960380124, 1797552380122, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('AmHXIE6rbbJ7', 1794960387797);
insert into "key_uses" values ('iuG5CM1zYKbT', 1794960385291);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'AmHXIE6rbbJ7', 1794960385027, 2);
insert into "model_uses" values ('broken', 'iuG5CM1zYKbT', 1794960385254, 2);
insert into "model_uses" values ('of-operators', 'AmHXIE6rbbJ7', 1794960385239, 2);
insert into "model_uses" values ('of-operators', 'iuG5CM1zYKbT', 1794960385287, 2);
insert into "model_uses" values ('stalled', 'AmHXIE6rbbJ7', 1794960387797, 1);
insert into "model_uses" values ('stalled', 'iuG5CM1zYKbT', 1794960385291, 1);
insert into "model_uses" values ('steady', 'AmHXIE6rbbJ7', 1794960385007, 5);
insert into "model_uses" values ('steady', 'iuG5CM1zYKbT', 1794960385249, 5);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null, "identity" text);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"concurrency":{"max_calls":10000,"max_queued":1000,"max_wait_ms":5000}}', 'v1.95fcbd95.TcWvVMArmhL4tTrMuMpguYO9xB6MoispPOW9NuvkxXLT3oN0zqEs_P9tu3JTGEDCLw', 1794960380128, NULL);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794960380135);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794960379824, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794960379824, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794960379824, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794960380135, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794960380141, 'operator-token', 'operator token');
CREATE TABLE usage_series (id integer primary key, account_id text not null, key_id text not null, model text not null,
    upstream text not null, part integer not null, unique (account_id, key_id, model, upstream));
insert into "usage_series" values (1, '', '', 'steady', 'mock', 0);
insert into "usage_series" values (2, 'default', 'AmHXIE6rbbJ7', 'steady', 'mock', 0);
insert into "usage_series" values (3, '', '', 'broken', '', 0);
insert into "usage_series" values (4, 'default', 'AmHXIE6rbbJ7', 'broken', '', 0);
insert into "usage_series" values (5, '', '', 'of-operators', 'created', 0);
insert into "usage_series" values (6, 'default', 'AmHXIE6rbbJ7', 'of-operators', 'created', 0);
insert into "usage_series" values (7, 'acme', 'iuG5CM1zYKbT', 'steady', 'mock', 0);
insert into "usage_series" values (8, 'acme', 'iuG5CM1zYKbT', 'broken', '', 0);
insert into "usage_series" values (9, 'acme', 'iuG5CM1zYKbT', 'of-operators', 'created', 0);
CREATE TABLE usage_sums (grain text not null, slot integer not null, account_id text not null, part integer not null,
    first_id integer not null, last_id integer not null, first_ms bigint not null, last_ms bigint not null, cells blob not null, figures integer not null default 11,
    primary key (grain, slot, account_id, part));
insert into "usage_sums" values ('quarter', 1994400, 'default', 0, 5, 13, 1794960380213, 1794960380335, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994400, '', 0, 5, 23, 1794960380213, 1794960380556, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('hour', 498600, 'default', 0, 5, 13, 1794960380213, 1794960380335, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498600, '', 0, 5, 23, 1794960380213, 1794960380556, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'default', 0, 5, 13, 1794960380213, 1794960380335, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, '', 0, 5, 23, 1794960380213, 1794960380556, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'default', 0, 5, 13, 1794960380213, 1794960380335, X'0203000F0300060000F8D2010000000000000004000100000000000000000000000000000601000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, '', 0, 5, 23, 1794960380213, 1794960380556, X'0106001E06000C0000F0A5030000000000000003000200000000000000000000000000000502000A02000400000000000000000000', 16);
insert into "usage_sums" values ('quarter', 1994400, 'acme', 0, 15, 23, 1794960380340, 1794960380556, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('hour', 498600, 'acme', 0, 15, 23, 1794960380340, 1794960380556, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('day', 20775, 'acme', 0, 15, 23, 1794960380340, 1794960380556, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
insert into "usage_sums" values ('month', 692, 'acme', 0, 15, 23, 1794960380340, 1794960380556, X'0703000F0300060000F8D2010000000000000008000100000000000000000000000000000901000501000200000000000000000000', 16);
CREATE TABLE usage_rolled (grain text not null, shard integer not null, as_of_id integer not null,
    primary key (grain, shard)) without rowid;
insert into "usage_rolled" values ('all', 0, 23);
CREATE TABLE webhooks (id text primary key, name text not null, url text not null, allow_private integer not null,
    kinds text, paused text, secret text not null, previous_secret text, previous_signs_until_ms bigint,
    created_at_ms bigint not null);
insert into "webhooks" values ('webhook_cFoYCtVBdDm8', 'receiver', 'http://127.0.0.1:9000/v1/hook', 1, NULL, NULL, 'v1.95fcbd95.2rVLO-3-JO-T6edjHcquFyofeaog2fDf8HOtSWJkLFKZJ5eNIfEELI0-zHBRwQnz-ZeFt2Jb_2eWEGohizJazBD8XBjtPrg1U95_Ksnw', NULL, NULL, 1794960380152);
CREATE TABLE alerts (id text primary key, kind text not null, at_ms bigint not null, body text not null);
insert into "alerts" values ('msg_u4IUbASsmF5txPPTdD4fLnj1', 'webhook.test', 1794960380155, '{"type":"webhook.test","timestamp":"2026-11-18T00:06:20.155Z","data":{"webhook":{"id":"webhook_cFoYCtVBdDm8","name":"receiver"}}}');
CREATE TABLE deliveries (id integer primary key, alert_id text not null, webhook_id text not null, state text not null,
    created_at_ms bigint not null, next_try_at_ms bigint, tries_made integer not null, tries text not null);
insert into "deliveries" values (1, 'msg_u4IUbASsmF5txPPTdD4fLnj1', 'webhook_cFoYCtVBdDm8', 'failed', 1794960380155, NULL, 1, '[{"atMs":1794960380156,"durationMs":9,"status":404,"problem":"It returned status 404."}]');
CREATE TABLE alert_marks (subject text primary key, value text not null, at_ms bigint not null) without rowid;
CREATE TABLE key_hours (key_id text primary key, hour integer not null, nanos text not null, total_nanos text not null,
    days text not null) without rowid;
insert into "key_hours" values ('AmHXIE6rbbJ7', 498600, '0', '27000', '[]');
insert into "key_hours" values ('iuG5CM1zYKbT', 498600, '0', '27000', '[]');
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
