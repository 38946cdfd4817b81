import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { memberOf, openPlatform, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const [MEMBER, OTHER] = [memberOf("acme"), memberOf("beta")];
const keys = new Map<unknown, string>();
let open: PlatformInProcess;

beforeAll(async () => {
  open = await openPlatform();
  for (const { accountId, ...member } of [MEMBER, OTHER]) {
    const operator = { ...member, accountId, role: "operator" as const };
    await open.call(operator, "createAccount", { body: { id: accountId, name: accountId } });
    const { body } = await open.call(operator, "createKey", { body: { name: "k", account: accountId, models: ["*"] } });
    keys.set(accountId, String(body["id"]));
  }
});

afterAll(() => open.stop());

type Ask = (actor: typeof MEMBER) => Promise<CallResult>;
const preview: Ask = (actor) =>
  open.call(actor, "updateKey", {
    params: { id: keys.get(actor.accountId)! },
    query: "preview=true",
    body: { limits: { requests_per_minute: 1 } },
  });
const report: Ask = (actor) => open.call(actor, "showUsage");
const statistic: Ask = (actor) => open.call(actor, "showStatistics");

type Kind = "preview" | "usage report" | "request statistic";

interface BlockedRead {
  /** Resolves when the first read has started. */
  readonly started: Promise<void>;
  readonly unblock: (error?: Error) => void;
}

/** Blocks the read. */
function blockRead(kind: Kind): BlockedRead {
  const [started, blocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { requestHistory, ledgerRecords, requestLog } = open.platform;
  const usage = ledgerRecords.usage.bind(ledgerRecords);
  const statistics = requestLog.statistics.bind(requestLog);
  const wait = (): Promise<void> => {
    started.resolve();
    return blocked.promise;
  };
  const spies = {
    preview: () => spyOn(requestHistory, "each").mockImplementation(wait),
    "usage report": () => spyOn(ledgerRecords, "usage").mockImplementation((question) => wait().then(() => usage(question))),
    "request statistic": () => spyOn(requestLog, "statistics").mockImplementation((question) => wait().then(() => statistics(question))),
  };
  const spy = spies[kind]();
  return {
    started: started.promise,
    unblock(error) {
      spy.mockRestore();
      if (error) blocked.reject(error);
      else blocked.resolve();
    },
  };
}

const KINDS: [Kind, number, Ask, Ask][] = [
  ["preview", 1, preview, report],
  ["usage report", 8, report, preview],
  ["request statistic", 8, statistic, report],
];

test.each(KINDS)("limits the concurrent %ss of one person to %i, and not other people's", async (kind, most, ask, askOther) => {
  const { started, unblock } = blockRead(kind);
  const first = Array.from({ length: most }, () => ask(MEMBER));
  await started;
  expect(await ask(MEMBER)).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
  expect((await askOther(MEMBER)).status).toBe(200);
  const others = ask(OTHER);
  unblock();
  expect((await Promise.all([...first, others])).every(({ status }) => status === 200)).toBe(true);
  expect((await ask(MEMBER)).status).toBe(200);
});

test.each(KINDS)("a %s that fails frees its slot", async (kind, _most, ask) => {
  const { started, unblock } = blockRead(kind);
  const first = ask(MEMBER).catch((error: unknown) => error);
  await started;
  unblock(new Error("the disk is gone"));
  expect(await first).toMatchObject({ message: "the disk is gone" });
  expect((await ask(MEMBER)).status).toBe(200);
});
