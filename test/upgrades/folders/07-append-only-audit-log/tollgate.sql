CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:53:39.428Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:53:39.445Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:53:39.451Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:53:39.456Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:53:39.458Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:53:39.463Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('fAZwAR6FgoQZ', 'plain', '4fef2d7e83bf9438974de720e875a7bdcb9626a8c11b8acada41e939da5d244f', '["*"]', 1794855219604, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('xmeIAdNr3mCZ', 'capped', '286c6256ef6a6d939c64f04ce5e2054f94cf23259c24a3ef31bf72872dfc6104', '["*"]', 1794855219608, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('97qOmjVB2nwz', 'revoked', '17c0267f76baeec586a0b55d31c3f50ae4f248826a602f1899f916f07d8dcc05', '["steady"]', 1794855219610, NULL, 1794855219612, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null);
insert into "accounts" values ('default', 'Default', 1794855219468, '{}', '{}', '["*"]');
insert into "accounts" values ('acme', 'Acme', 1794855219581, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]');
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855219586, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855219589, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855219589, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855219760, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-322e-7752-b524-0f26c1303627', NULL, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855219768, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-322e-7752-b524-0f26c1303627', 4, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (6, 'default', 'hold', 112000, 1794855219770, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3239-7500-a9e7-4bdd61b83aeb', NULL, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855219774, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-3239-7500-a9e7-4bdd61b83aeb', 6, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (8, 'default', 'hold', 98000, 1794855219776, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-323f-763f-b45f-aa60757914cb', NULL, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855219777, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-323f-763f-b45f-aa60757914cb', 8, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (10, 'default', 'hold', 98000, 1794855219778, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3242-749b-99af-002ec20277d8', NULL, 'fAZwAR6FgoQZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855219780, 'fAZwAR6FgoQZ', 'upstream_error', NULL, 'req_01a1e5b5-3242-749b-99af-002ec20277d8', 10, 'fAZwAR6FgoQZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'default', 'hold', 0, 1794855219780, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3244-7394-abb4-baaf7166c86d', NULL, 'fAZwAR6FgoQZ', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'default', 'settle', 0, 1794855219781, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-3244-7394-abb4-baaf7166c86d', 12, 'fAZwAR6FgoQZ', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1);
insert into "entries" values (14, 'acme', 'hold', 98000, 1794855219782, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3246-7456-b35f-86b110efaf72', NULL, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855219783, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-3246-7456-b35f-86b110efaf72', 14, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (16, 'acme', 'hold', 112000, 1794855219783, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3247-75d6-bdc0-de2471d6c489', NULL, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855219785, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-3247-75d6-bdc0-de2471d6c489', 16, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855219785, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3249-7502-9c57-a48334a528d2', NULL, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'settle', 9000, 1794855219786, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-3249-7502-9c57-a48334a528d2', 18, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (20, 'acme', 'hold', 98000, 1794855219786, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-324a-73af-a365-a21c14321cad', NULL, 'xmeIAdNr3mCZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'acme', 'release', 0, 1794855219787, 'xmeIAdNr3mCZ', 'upstream_error', NULL, 'req_01a1e5b5-324a-73af-a365-a21c14321cad', 20, 'xmeIAdNr3mCZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (22, 'acme', 'hold', 0, 1794855219787, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-324b-71a1-ab5d-17c9ea11cfe6', NULL, 'xmeIAdNr3mCZ', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'acme', 'settle', 0, 1794855219788, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-324b-71a1-ab5d-17c9ea11cfe6', 22, 'xmeIAdNr3mCZ', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1);
insert into "entries" values (24, 'default', 'hold', 98000, 1794855222706, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3daf-7449-b8a1-231c1c9756f8', NULL, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'settle', 9000, 1794855222721, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-3daf-7449-b8a1-231c1c9756f8', 24, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (26, 'default', 'hold', 112000, 1794855222732, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3dcb-7090-b168-5522b1e92ad2', NULL, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'default', 'settle', 9000, 1794855222746, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-3dcb-7090-b168-5522b1e92ad2', 26, 'fAZwAR6FgoQZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (28, 'default', 'hold', 98000, 1794855222748, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3ddc-72c4-ac05-94a75605d0fa', NULL, 'fAZwAR6FgoQZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'default', 'release', 0, 1794855222750, 'fAZwAR6FgoQZ', 'upstream_error', NULL, 'req_01a1e5b5-3ddc-72c4-ac05-94a75605d0fa', 28, 'fAZwAR6FgoQZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (30, 'default', 'hold', 0, 1794855222756, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-3de3-717b-af0c-fa7d1c09dbcf', NULL, 'fAZwAR6FgoQZ', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'default', 'settle', 0, 1794855222757, 'fAZwAR6FgoQZ', 'complete', NULL, 'req_01a1e5b5-3de3-717b-af0c-fa7d1c09dbcf', 30, 'fAZwAR6FgoQZ', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1);
insert into "entries" values (32, 'acme', 'hold', 98000, 1794855222758, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3de5-7696-b875-6459d3f5f96a', NULL, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'acme', 'settle', 9000, 1794855222759, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-3de5-7696-b875-6459d3f5f96a', 32, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (34, 'acme', 'hold', 112000, 1794855222759, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3de7-75a0-aefa-550e8a288815', NULL, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (35, 'acme', 'settle', 9000, 1794855222762, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-3de7-75a0-aefa-550e8a288815', 34, 'xmeIAdNr3mCZ', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (36, 'acme', 'hold', 98000, 1794855222764, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3deb-7734-8da2-dbbfded8fb88', NULL, 'xmeIAdNr3mCZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (37, 'acme', 'release', 0, 1794855222764, 'xmeIAdNr3mCZ', 'upstream_error', NULL, 'req_01a1e5b5-3deb-7734-8da2-dbbfded8fb88', 36, 'xmeIAdNr3mCZ', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (38, 'acme', 'hold', 0, 1794855222765, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3ded-73f4-b31c-55c28d201f1d', NULL, 'xmeIAdNr3mCZ', 'of-operators', 'free', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (39, 'acme', 'settle', 0, 1794855222765, 'xmeIAdNr3mCZ', 'complete', NULL, 'req_01a1e5b5-3ded-73f4-b31c-55c28d201f1d', 38, 'xmeIAdNr3mCZ', 'of-operators', 'free', 0, 5, 1, 0, 2, 0, 'measured', 'created', 1);
insert into "entries" values (40, 'acme', 'hold', 113000, 1794855222766, 'xmeIAdNr3mCZ', 'a request', NULL, 'req_01a1e5b5-3dee-7216-a42c-f18b1c10e776', NULL, 'xmeIAdNr3mCZ', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (41, 'default', 'hold', 113000, 1794855225269, 'fAZwAR6FgoQZ', 'a request', NULL, 'req_01a1e5b5-47b5-735b-87a5-0eb555485d0d', NULL, 'fAZwAR6FgoQZ', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
insert into "prices" values ('free', 0, 'operator', '{"inputPicos":"0","cachedInputPicos":"0","cacheWritePicos":"0","outputPicos":"0","reasoningPicos":"0"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'fAZwAR6FgoQZ', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'xmeIAdNr3mCZ', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 23, 24);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b5-3dee-7216-a42c-f18b1c10e776', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('fAZwAR6FgoQZ:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b5-323f-763f-b45f-aa60757914cb', 1794855219776, '{"content-type":"application/json","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('xmeIAdNr3mCZ:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b5-3249-7502-9c57-a48334a528d2', 1794855219785, '{"content-type":"application/json","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855219468, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855219581, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-317a-736a-9abc-b7210f03574b', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:53:39.581Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null}}', NULL, NULL);
insert into "changes" values (3, 1794855219586, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3182-7570-b17a-523da7629b52', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:53:39.586Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (4, 1794855219589, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3184-75a7-9d03-981b82a19bc3', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:53:39.589Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855219589, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3185-774e-a0f0-6b7df192a6a9', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:53:39.589Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (6, 1794855219604, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3194-709b-b6e3-1391edb52180', 'key.create', 'key', 'fAZwAR6FgoQZ', 'default', NULL, '{"id":"fAZwAR6FgoQZ","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:39.604Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (7, 1794855219608, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3197-74a1-a4e4-8f30cc8d7f75', 'key.create', 'key', 'xmeIAdNr3mCZ', 'acme', NULL, '{"id":"xmeIAdNr3mCZ","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:53:39.608Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (8, 1794855219610, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-319a-7577-8281-786f74eaf487', 'key.create', 'key', '97qOmjVB2nwz', 'default', NULL, '{"id":"97qOmjVB2nwz","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:39.610Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855219612, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-319c-7127-b592-f53a8095bc02', 'key.revoke', 'key', '97qOmjVB2nwz', 'default', '{"id":"97qOmjVB2nwz","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:39.610Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"97qOmjVB2nwz","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:39.610Z","expires_at":null,"revoked_at":"2026-11-16T18:53:39.612Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855219616, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-319f-7284-9e42-1c09e41d8bd1', 'person.create', 'person', 'person_ogoivWyRjfmN', NULL, NULL, '{"id":"person_ogoivWyRjfmN","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:53:39.616Z","created_at":"2026-11-16T18:53:39.616Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (11, 1794855219619, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-31a2-7089-bb4b-a528f2ee8452', 'person.create', 'person', 'person_phTznvwGg2Hz', 'acme', NULL, '{"id":"person_phTznvwGg2Hz","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:53:39.619Z","created_at":"2026-11-16T18:53:39.619Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (12, 1794855219621, 'person_ogoivWyRjfmN', 'Op', '127.0.0.1', 'req_01a1e5b5-31a4-74c0-97e2-ea0f4902f578', 'person.accept_invitation', 'person', 'person_ogoivWyRjfmN', NULL, '{"id":"person_ogoivWyRjfmN","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:53:39.616Z","created_at":"2026-11-16T18:53:39.616Z","disabled_at":null}', '{"id":"person_ogoivWyRjfmN","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:53:39.616Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855219621, 'person_ogoivWyRjfmN', 'Op', '127.0.0.1', 'req_01a1e5b5-31a4-74c0-97e2-ea0f4902f578', 'person.sign_in', 'person', 'person_ogoivWyRjfmN', NULL, NULL, '{"session":"session_3ULe2g5MVwth","by":"link"}', NULL, NULL);
insert into "changes" values (14, 1794855219730, 'person_ogoivWyRjfmN', 'Op', '127.0.0.1', 'req_01a1e5b5-3212-76da-b1c1-cabd3961bb9e', 'access_token.create', 'access_token', 'T6ha5IWFyWiX', NULL, NULL, '{"id":"T6ha5IWFyWiX","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:53:39.731Z","expires_at":"2026-12-16T18:53:39.730Z","revoked_at":null}', NULL, NULL);
insert into "changes" values (15, 1794855219737, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3218-7036-9a73-246c4ef89ae9', 'upstream.create', 'upstream', 'created', NULL, NULL, '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000},"credential":{"set":true,"last4":"ated"}}', NULL, NULL);
insert into "changes" values (16, 1794855219744, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3220-7276-a054-534139116619', 'model.create', 'model', 'of-operators', NULL, NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', NULL, NULL);
insert into "changes" values (17, 1794855219748, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-3224-70fc-97c9-5e413888fb69', 'model.deprecate', 'model', 'of-operators', NULL, '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"available","shutdown_date":null,"replacement":null}', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true,"state":"deprecated","shutdown_date":"2099-01-01","replacement":"steady"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_ogoivWyRjfmN', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$OcEUXlXCAEj9jIRFNUEBkJur/TwoWvi0+fbawyk42IA$1p8jDWxB9An/fzcRLeHpksM0lXEJKGOkaeYhDsvQaag', NULL, NULL, NULL, NULL, 1, 0, 1794855219616, NULL);
insert into "people" values ('person_phTznvwGg2Hz', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, 'a991159ce58b4a4d8e48645e12aedbeb18de34c27ac5f721773c741e8c50b077', 1795460019619, 0, 0, 1794855219619, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_3ULe2g5MVwth', '5b4d7a5ea5f90adff6b46e8066e1e886bf73dacde7fb62a4a474f8a5fdc8d396', 'person_ogoivWyRjfmN', 1, 1794855219728, 1794855219728, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('T6ha5IWFyWiX', '2c27782c67fec39178691349fed36436664221d894439d321fd61aa693342589', 'person_ogoivWyRjfmN', 0, 'deploy', '["accounts:read"]', 1794855219731, 1797447219730, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('fAZwAR6FgoQZ', 1794855219780);
insert into "key_uses" values ('xmeIAdNr3mCZ', 1794855219787);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', 'fAZwAR6FgoQZ', 1794855219778, 1);
insert into "model_uses" values ('broken', 'xmeIAdNr3mCZ', 1794855219786, 1);
insert into "model_uses" values ('of-operators', 'fAZwAR6FgoQZ', 1794855219780, 1);
insert into "model_uses" values ('of-operators', 'xmeIAdNr3mCZ', 1794855219787, 1);
insert into "model_uses" values ('steady', 'fAZwAR6FgoQZ', 1794855219776, 3);
insert into "model_uses" values ('steady', 'xmeIAdNr3mCZ', 1794855219785, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
insert into "upstreams" values ('created', '{"id":"created","dialect":"openai","base_url":"http://127.0.0.1:9000/v1","allow_private":true,"timeouts":{"connect_ms":3000,"first_byte_ms":120000,"between_chunks_ms":60000,"total_ms":900000}}', 'v1.95fcbd95.5At14Jv3EC55sEND8GG-QwLnDoIMbuatPMZ_yJYlLwaGf10t5OrhH0EYtmQNiIn1pA', 1794855219737);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
insert into "models" values ('of-operators', '{"id":"of-operators","routes":[{"upstream":"created","model":"steady"}],"free":true}', 1794855219744);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855219489, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855219489, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855219489, 'config-file', 'config file');
insert into "announcements" values (4, 'of-operators', 'available', NULL, NULL, 1794855219744, 'operator-token', 'operator token');
insert into "announcements" values (5, 'of-operators', 'deprecated', '2099-01-01', 'steady', 1794855219748, 'operator-token', 'operator token');
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
