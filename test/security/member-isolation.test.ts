import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { operations } from "../../src/platform/operations.ts";
import type { Operation } from "../../src/platform/operation.ts";
import { runs } from "../support/long.ts";
import { PLATFORM_ROUTES } from "./expected-access.ts";
import { FrozenState, KNOWN_TABLES } from "./frozen-state.ts";
import { randomCall } from "./random-call.ts";
import type { KnownValues } from "./random-values.ts";
import { askOver, RawConnection, type RawReply, type RawRequest } from "./raw-connection.ts";
import { OWN_PASSWORDS, startThreeAccounts, type ThreeAccounts } from "./three-accounts.ts";

const MUTATIONS = 50;
const READS = 5;
const BATCHES = 400;

let world: ThreeAccounts;
let frozen: FrozenState;
let known: Omit<KnownValues, "ownKey">;
let connections: RawConnection[];

beforeAll(async () => {
  world = await startThreeAccounts();
  frozen = new FrozenState(world);
  known = {
    ownIds: world.ownIds,
    foreignIds: world.foreign.ids,
    emails: ["member@example.test", "someone@example.test", "ada@example.test", "new@example.test"],
    passwords: OWN_PASSWORDS,
  };
  connections = Array.from({ length: 4 }, () => new RawConnection(world.running.url));
});

afterAll(async () => {
  for (const connection of connections) connection.close();
  frozen.close();
  await world.stop();
});

test("every table is in the list of inspected tables", () => {
  expect(frozen.tables()).toEqual(KNOWN_TABLES);
});

test("random mutations by a member change nothing outside of their account, and no reply reveals other accounts", async () => {
  const table = operations(world.running.platform);
  const mutating = table.filter(({ method }) => method !== "GET");
  const reading = table.filter(({ method, reply }) => method === "GET" && !reply.isPage);
  const options = runs(BATCHES, 20_000);
  const succeeded = new Set<Operation>();
  const seenBefore = await seenByOperator();
  let before = frozen.read();
  let mutations = 0;

  await fc.assert(
    fc.asyncProperty(chosen(mutating, MUTATIONS), chosen(reading, READS), async (changes, reads) => {
      // The clock advances by some hours in total, so that no session expires.
      world.running.clock.nowMs += 20_000_000 / options.numRuns!;
      const member = await world.refresh();
      const knows = { ...known, ownIds: { ...known.ownIds, ...member.ids }, ownKey: member.key };
      const requests = [...changes, ...reads].map(({ operation, seed }) => ({ ...randomCall(operation, seed, member, knows), operation }));
      const problems: string[] = [];
      await askOver(connections, requests, (request, reply) => {
        if (reply.status < 300 && request.method === request.operation.method) succeeded.add(request.operation);
        problems.push(...problemsOf(request, reply, world.foreign.marks));
      });
      mutations += changes.length;
      expect(problems).toEqual([]);
      const [earlier, now] = [before, frozen.read()];
      // The next batch is compared separately, even if this one has failed: it may then be a smaller batch that searches for the cause.
      before = now;
      if (now !== earlier) expect(JSON.parse(now)).toEqual(JSON.parse(earlier));
      expect(frozen.takeChanges()).toEqual([]);
    }),
    options,
  );

  expect(await seenByOperator()).toEqual(seenBefore);
  if (options.numRuns === 1) return;
  expect(mutations).toBeGreaterThanOrEqual(MUTATIONS * BATCHES);
  // Every operation that a member may call was called, and no other. Operations that need another person's link could not be called.
  const may = mutating.filter(({ method, path }) => !/^operator|^anyone$/.test(PLATFORM_ROUTES[`${method} ${path}`]!));
  const done = mutating.filter((each) => succeeded.has(each) && PLATFORM_ROUTES[`${each.method} ${each.path}`] !== "anyone");
  expect(done.map(({ operationId }) => operationId)).toEqual(may.map(({ operationId }) => operationId));
}, 1_800_000);

test("a resource of another account has the same error as a missing one", async () => {
  const member = await world.refresh();
  const headers = { authorization: `Bearer ${member.tokens[0]!}`, "content-type": "application/json" };
  const cookie = { cookie: member.sessions[0]!, "x-tollgate-request": "test", "content-type": "application/json" };
  for (const route of Object.keys(PLATFORM_ROUTES).filter((each) => /\/api\/.*:/.test(each))) {
    const [method, pattern] = route.split(" ") as [string, string];
    const needsSession = PLATFORM_ROUTES[route] === "session";
    const answerTo = async (id: string): Promise<string> => {
      const request = { method, path: pattern.replace(/:\w+/, id), headers: needsSession ? cookie : headers };
      const { status, text } = await connections[0]!.ask(method === "GET" ? request : { ...request, body: "{}" });
      return `${status} ${text.replaceAll(id, "ID").replace(/req_[0-9a-f-]{36}/, "")}`;
    };
    const nothing = await answerTo("nosuchthing0");
    expect([route, nothing]).toEqual([route, expect.stringMatching(/^40[34] /) as string]);
    for (const id of world.foreign.ids) expect([route, id, await answerTo(id)]).toEqual([route, id, nothing]);
  }
});

/** A selection of operations, each with a seed that determines the rest of its call. */
function chosen(list: readonly Operation[], count: number): fc.Arbitrary<{ operation: Operation; seed: number }[]> {
  const one = fc.record({ at: fc.nat(list.length - 1), seed: fc.integer() });
  return fc.array(one, { minLength: count, maxLength: count }).map((all) => all.map(({ at, seed }) => ({ operation: list[at]!, seed })));
}

/** The view of an operator: the state in memory matters, and may differ from the database. */
async function seenByOperator(): Promise<string[]> {
  const paths = [
    "accounts",
    "accounts/acct-b/entries",
    "keys?account=acct-b",
    "keys?account=acct-c",
    "people",
    "models",
    "upstreams",
    "changelog",
  ];
  const replies = await Promise.all(paths.map((path) => world.operator.call("GET", `/api/${path}`)));
  return replies.flatMap(({ body }) => body.data.filter(({ id }) => id !== world.memberId).map((each) => JSON.stringify(each)));
}

/** A reply may repeat the request, but must contain no other data of others. */
function problemsOf({ method, path, body = "" }: RawRequest, { status, headers, text }: RawReply, marks: RegExp): string[] {
  const about = `${status} ${text} for ${method} ${path} ${body}`;
  if (status === 0 || status >= 500) return [about];
  const asked = `${decodeURIComponent(path.replaceAll(/%(?![0-9a-f]{2})/gi, "%25"))} ${body}`;
  const told = path.startsWith("/api/exports") ? withoutFilters(text) : text;
  const found = [...headers.values(), told].join("\n").match(marks) ?? [];
  return found.filter((mark) => !asked.includes(mark)).map((mark) => `${mark} in ${about}`);
}

/** Exports repeat the filters that their owner has entered before. */
function withoutFilters(text: string): string {
  if (!text.startsWith("{")) return text;
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => (name === "filters" ? undefined : value));
}
