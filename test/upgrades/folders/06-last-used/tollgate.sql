CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:53:33.204Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:53:33.209Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:53:33.211Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:53:33.212Z');
insert into "kysely_migration" values ('0005-uses', '2026-11-16T18:53:33.214Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:53:33.215Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null, "previous_hash" text, "previous_works_until_ms" bigint);
insert into "keys" values ('CBslhiENKePt', 'plain', 'ac00bf7bc3d8b69d82c71005b740a02b5fece1933d89e1cc5cbbde362d3b93cc', '["*"]', 1794855213340, NULL, NULL, 'default', '{}', '{}', NULL, NULL);
insert into "keys" values ('0vcg8eIE9Rxs', 'capped', '9d18ecfb6e58e2e0677d322abb72591f64353200c37e32036ca1106038ff73b6', '["*"]', 1794855213344, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}', NULL, NULL);
insert into "keys" values ('kTUsNivIPw1W', 'revoked', '9b29ae727d342a1e00abc29e726b554f79e41d7f60d1d2d801a086633aee064d', '["steady"]', 1794855213347, NULL, 1794855213352, 'default', '{}', '{}', NULL, NULL);
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null, "models" text default '["*"]' not null);
insert into "accounts" values ('default', 'Default', 1794855213217, '{}', '{}', '["*"]');
insert into "accounts" values ('acme', 'Acme', 1794855213279, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}', '["*"]');
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855213285, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855213296, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855213302, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855213470, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-199c-75cb-9e7f-a7a0b741b558', NULL, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855213478, 'CBslhiENKePt', 'complete', NULL, 'req_01a1e5b5-199c-75cb-9e7f-a7a0b741b558', 4, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (6, 'default', 'hold', 112000, 1794855213479, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-19a7-73ca-956f-8bd5b808968c', NULL, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855213484, 'CBslhiENKePt', 'complete', NULL, 'req_01a1e5b5-19a7-73ca-956f-8bd5b808968c', 6, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (8, 'default', 'hold', 98000, 1794855213485, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-19ac-7112-815d-a5bbe73873b2', NULL, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855213486, 'CBslhiENKePt', 'complete', NULL, 'req_01a1e5b5-19ac-7112-815d-a5bbe73873b2', 8, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (10, 'default', 'hold', 98000, 1794855213487, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-19af-7259-8f86-e2d935b93ada', NULL, 'CBslhiENKePt', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855213488, 'CBslhiENKePt', 'upstream_error', NULL, 'req_01a1e5b5-19af-7259-8f86-e2d935b93ada', 10, 'CBslhiENKePt', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'acme', 'hold', 98000, 1794855213490, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-19b1-76b6-aca9-f28db3e05ab1', NULL, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'acme', 'settle', 9000, 1794855213490, '0vcg8eIE9Rxs', 'complete', NULL, 'req_01a1e5b5-19b1-76b6-aca9-f28db3e05ab1', 12, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (14, 'acme', 'hold', 112000, 1794855213491, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-19b3-7787-9ce4-026758e5b13f', NULL, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855213492, '0vcg8eIE9Rxs', 'complete', NULL, 'req_01a1e5b5-19b3-7787-9ce4-026758e5b13f', 14, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (16, 'acme', 'hold', 98000, 1794855213493, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-19b4-77bd-9747-af8aeca4a55d', NULL, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855213493, '0vcg8eIE9Rxs', 'complete', NULL, 'req_01a1e5b5-19b4-77bd-9747-af8aeca4a55d', 16, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855213494, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-19b6-74d2-8e00-d78782c83e4e', NULL, '0vcg8eIE9Rxs', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'release', 0, 1794855213495, '0vcg8eIE9Rxs', 'upstream_error', NULL, 'req_01a1e5b5-19b6-74d2-8e00-d78782c83e4e', 18, '0vcg8eIE9Rxs', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (20, 'default', 'hold', 98000, 1794855216397, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-2507-73d0-9ba2-ab57ed0b4a5c', NULL, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'default', 'settle', 9000, 1794855216413, 'CBslhiENKePt', 'complete', NULL, 'req_01a1e5b5-2507-73d0-9ba2-ab57ed0b4a5c', 20, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (22, 'default', 'hold', 112000, 1794855216415, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-251e-76d8-8cef-8b85c0b4782e', NULL, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'default', 'settle', 9000, 1794855216419, 'CBslhiENKePt', 'complete', NULL, 'req_01a1e5b5-251e-76d8-8cef-8b85c0b4782e', 22, 'CBslhiENKePt', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (24, 'default', 'hold', 98000, 1794855216421, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-2525-7069-a212-2a196ddbb189', NULL, 'CBslhiENKePt', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'release', 0, 1794855216423, 'CBslhiENKePt', 'upstream_error', NULL, 'req_01a1e5b5-2525-7069-a212-2a196ddbb189', 24, 'CBslhiENKePt', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (26, 'acme', 'hold', 98000, 1794855216424, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-2528-73f4-998c-94beb6608440', NULL, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'acme', 'settle', 9000, 1794855216425, '0vcg8eIE9Rxs', 'complete', NULL, 'req_01a1e5b5-2528-73f4-998c-94beb6608440', 26, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (28, 'acme', 'hold', 112000, 1794855216425, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-2529-76f1-8a5e-cd54c118dfce', NULL, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'acme', 'settle', 9000, 1794855216426, '0vcg8eIE9Rxs', 'complete', NULL, 'req_01a1e5b5-2529-76f1-8a5e-cd54c118dfce', 28, '0vcg8eIE9Rxs', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (30, 'acme', 'hold', 98000, 1794855216427, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-252b-74df-a86d-994a362f017a', NULL, '0vcg8eIE9Rxs', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'acme', 'release', 0, 1794855216428, '0vcg8eIE9Rxs', 'upstream_error', NULL, 'req_01a1e5b5-252b-74df-a86d-994a362f017a', 30, '0vcg8eIE9Rxs', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (32, 'acme', 'hold', 113000, 1794855216429, '0vcg8eIE9Rxs', 'a request', NULL, 'req_01a1e5b5-252d-776b-9ce8-64a5c340bb26', NULL, '0vcg8eIE9Rxs', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'default', 'hold', 113000, 1794855218932, 'CBslhiENKePt', 'a request', NULL, 'req_01a1e5b5-2ef4-7401-9f1f-4cbdaf4f3b8b', NULL, 'CBslhiENKePt', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', '0vcg8eIE9Rxs', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'CBslhiENKePt', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 19, 20);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b5-252d-776b-9ce8-64a5c340bb26', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('CBslhiENKePt:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b5-19ac-7112-815d-a5bbe73873b2', 1794855213485, '{"content-type":"application/json","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('0vcg8eIE9Rxs:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b5-19b4-77bd-9747-af8aeca4a55d', 1794855213493, '{"content-type":"application/json","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855213217, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855213277, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-18dd-76ab-8d37-02c1d80d24dc', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:53:33.279Z","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null}}', NULL, NULL);
insert into "changes" values (3, 1794855213285, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-18e5-74fb-bcc0-1bb7d23d6c52', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:53:33.285Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (4, 1794855213295, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-18ef-767c-bc53-e924873eea43', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:53:33.296Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855213302, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-18f5-71d1-a20f-22b0fa1b02f8', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:53:33.302Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (6, 1794855213339, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-191b-769d-ba63-4800389ac23f', 'key.create', 'key', 'CBslhiENKePt', 'default', NULL, '{"id":"CBslhiENKePt","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:33.340Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (7, 1794855213344, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-1920-7153-9824-88c9d99108ee', 'key.create', 'key', '0vcg8eIE9Rxs', 'acme', NULL, '{"id":"0vcg8eIE9Rxs","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:53:33.344Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (8, 1794855213347, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-1923-7175-b7d9-823cd4b3e168', 'key.create', 'key', 'kTUsNivIPw1W', 'default', NULL, '{"id":"kTUsNivIPw1W","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:33.347Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (9, 1794855213352, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-1928-7106-92bd-105fb7dfdec8', 'key.revoke', 'key', 'kTUsNivIPw1W', 'default', '{"id":"kTUsNivIPw1W","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:33.347Z","expires_at":null,"revoked_at":null,"previous_key_works_until":null}', '{"id":"kTUsNivIPw1W","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:33.347Z","expires_at":null,"revoked_at":"2026-11-16T18:53:33.352Z","previous_key_works_until":null}', NULL, NULL);
insert into "changes" values (10, 1794855213355, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-192b-760e-b297-877fdd1775a7', 'person.create', 'person', 'person_dCTXWiND0Q8y', NULL, NULL, '{"id":"person_dCTXWiND0Q8y","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:53:33.356Z","created_at":"2026-11-16T18:53:33.356Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (11, 1794855213358, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-192e-776d-80e5-bbdb80f3d227', 'person.create', 'person', 'person_OLl2EaKCj31O', 'acme', NULL, '{"id":"person_OLl2EaKCj31O","email":"member@example.com","name":"Member","role":"member","account":"acme","has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:53:33.358Z","created_at":"2026-11-16T18:53:33.358Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (12, 1794855213364, 'person_dCTXWiND0Q8y', 'Op', '127.0.0.1', 'req_01a1e5b5-1934-7126-8c44-f2786cb10103', 'person.accept_invitation', 'person', 'person_dCTXWiND0Q8y', NULL, '{"id":"person_dCTXWiND0Q8y","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":false,"has_identity":false,"invited_until":"2026-11-23T18:53:33.356Z","created_at":"2026-11-16T18:53:33.356Z","disabled_at":null}', '{"id":"person_dCTXWiND0Q8y","email":"op@example.com","name":"Op","role":"operator","account":null,"has_password":true,"has_identity":false,"invited_until":null,"created_at":"2026-11-16T18:53:33.356Z","disabled_at":null}', NULL, NULL);
insert into "changes" values (13, 1794855213364, 'person_dCTXWiND0Q8y', 'Op', '127.0.0.1', 'req_01a1e5b5-1934-7126-8c44-f2786cb10103', 'person.sign_in', 'person', 'person_dCTXWiND0Q8y', NULL, NULL, '{"session":"session_zL8GpoU10vPk","by":"link"}', NULL, NULL);
insert into "changes" values (14, 1794855213458, 'person_dCTXWiND0Q8y', 'Op', '127.0.0.1', 'req_01a1e5b5-1992-7030-9a45-82dd60b88719', 'access_token.create', 'access_token', 'By6FPL62pYwo', NULL, NULL, '{"id":"By6FPL62pYwo","name":"deploy","scopes":["accounts:read"],"created_at":"2026-11-16T18:53:33.459Z","expires_at":"2026-12-16T18:53:33.458Z","revoked_at":null}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
insert into "people" values ('person_dCTXWiND0Q8y', 'op@example.com', 'Op', 'operator', NULL, '$argon2id$v=19$m=19456,t=2,p=1$sV33dzK9MIfOIxciHWTvLxdy/m4Hy+BSJOEGALksTHE$TvqRZBEAWpDo/KTeyzl+vMM34UKhRqccjVcD/6T2D1I', NULL, NULL, NULL, NULL, 1, 0, 1794855213356, NULL);
insert into "people" values ('person_OLl2EaKCj31O', 'member@example.com', 'Member', 'member', 'acme', NULL, NULL, NULL, '92a9868e6dde50f381c67c7ca8921693a229c71bd7b63894d72437eeb77f1b46', 1795460013358, 0, 0, 1794855213358, NULL);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
insert into "sessions" values ('session_zL8GpoU10vPk', '45be678b76b13a4a9c4d3191192d0b5a5e34abfcf76eb15c36ff81076097618f', 'person_dCTXWiND0Q8y', 1, 1794855213455, 1794855213455, '127.0.0.1', 'Bun/1.4.4');
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
insert into "access_tokens" values ('By6FPL62pYwo', '605861e9e430dd28b33eed4e891b3bdd2401ed6d6c4ebe95c176d91445bd6cc3', 'person_dCTXWiND0Q8y', 0, 'deploy', '["accounts:read"]', 1794855213459, 1797447213458, NULL, NULL);
CREATE TABLE key_uses (key_id text primary key, last_used_at_ms bigint not null) without rowid;
insert into "key_uses" values ('0vcg8eIE9Rxs', 1794855213495);
insert into "key_uses" values ('CBslhiENKePt', 1794855213489);
CREATE TABLE model_uses (model text not null, key_id text not null, last_used_at_ms bigint not null,
    requests bigint not null, primary key (model, key_id)) without rowid;
insert into "model_uses" values ('broken', '0vcg8eIE9Rxs', 1794855213494, 1);
insert into "model_uses" values ('broken', 'CBslhiENKePt', 1794855213487, 1);
insert into "model_uses" values ('steady', '0vcg8eIE9Rxs', 1794855213493, 3);
insert into "model_uses" values ('steady', 'CBslhiENKePt', 1794855213485, 3);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855213231, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855213231, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855213231, 'config-file', 'config file');
CREATE UNIQUE INDEX entries_closing on entries (request_id) where kind in ('settle', 'release');
CREATE UNIQUE INDEX entries_reference on entries (account_id, reference) where reference is not null;
CREATE INDEX entries_account on entries (account_id, id) where kind <> 'hold';
CREATE INDEX answers_age on answers (at_ms);
CREATE INDEX changes_target on changes (target_kind, target_id, id);
CREATE UNIQUE INDEX changes_creation on changes (actor, idempotency_key) where idempotency_key is not null;
CREATE TRIGGER "changes_no_update" before update on changes
      begin select raise(abort, 'the audit log is append-only'); end;
CREATE TRIGGER "changes_no_delete" before delete on changes
      begin select raise(abort, 'the audit log is append-only'); end;
CREATE INDEX keys_age on keys (created_at_ms, id);
CREATE INDEX keys_account on keys (account_id, created_at_ms, id);
CREATE INDEX people_age on people (created_at_ms, id);
CREATE UNIQUE INDEX people_identity on people (issuer, subject) where issuer is not null;
CREATE INDEX announcements_model on announcements (model, id);
