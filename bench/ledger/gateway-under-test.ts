import { NO_CLOUD_VARIABLES } from "../../src/models/identities/cloud-variables.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gatewayEndpoints } from "../../src/gateway/app.ts";
import { createLog } from "../../src/lib/log/log.ts";
import { formatAsJson } from "../../src/lib/log/log-format.ts";
import { redactSecrets } from "../../src/http/redact-secrets.ts";
import { logRequests } from "../../src/http/log-line.ts";
import { GuessThrottle, AuthorizationCache } from "../../src/gateway/authentication-state.ts";
import { RejectionBudget } from "../../src/gateway/reading/rejection-budget.ts";
import { localKeyRecords } from "../../src/gateway/key-view/key-records.ts";
import { ModelLists } from "../../src/gateway/serialized-model-lists.ts";
import { Mirrors } from "../../src/gateway/mirrors.ts";
import { DeviationCounts } from "../../src/gateway/routing/health/deviation-counts.ts";
import { RetryBudgets } from "../../src/gateway/routing/retry-budget.ts";
import { UpstreamStates } from "../../src/gateway/routing/health/upstream-state.ts";
import { serve } from "../../src/http/serve.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { Metrics } from "../../src/telemetry/metrics/metrics.ts";
import { Upstreams } from "../../src/upstreams/registry.ts";
import { DEFAULT_ACCOUNT } from "../../src/access/account.ts";
import { issueKey } from "../../src/access/api-key.ts";
import { plainModel, type Model } from "../../src/models/catalog.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { ownChange } from "../../src/access/change.ts";
import { NO_CAPS, NO_LIMITS } from "../../src/money/limits.ts";
import { MAX_NANOS } from "../../src/money/money.ts";
import { makePrice } from "../../src/money/price.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { issueKeys } from "../keys/issue-keys.ts";
import { noUses } from "../keys/no-uses.ts";
import { noLedger } from "./no-ledger.ts";
import { UNBOUNDED } from "../../test/support/http/unbounded-listener.ts";

/**
 * A gateway made of the real parts. Arguments: the first selects the ledger, the fourth is the number of additional keys, the fifth which
 * keys call (`one` or `all`), the sixth whether last uses are recorded, the seventh the observers besides the log (`metrics`, `requests`,
 * `both`, or none). Prints its URL and its keys as JSON.
 */

const [which, folder, upstreamUrl, otherKeys = "0", callers = "one", uses = "noted", observers = "nothing"] = process.argv.slice(2) as [
  string,
  string,
  string,
  ...string[],
];
const dataFolder = join(folder, which);
const hashSecret = new Secret("bench");
const texts = Number(otherKeys) > 0 ? await issueKeys(dataFolder, Number(otherKeys), hashSecret) : [];
const keysFile = join(folder, "keys.txt");
if (callers === "all") writeFileSync(keysFile, texts.join("\n"));

const rates = {
  inputPicos: 150_000n,
  cachedInputPicos: 75_000n,
  cacheWritePicos: 150_000n,
  outputPicos: 600_000n,
  reasoningPicos: 600_000n,
};
const model: Model = {
  ...plainModel("m", { upstream: "mock", upstreamModel: "m" }),
  prices: [makePrice({ effectiveAtMs: 0, source: "operator", rates, tiers: [] })],
};

const stores = await openStores({
  dataFolder,
  durability: which === "power" ? "power" : "process",
  secret: undefined,
  oldSecret: undefined,
  defaultPrices: () => [],
  nowMs: Date.now,
  reportLedger: () => undefined,
  requestLog: {
    days: 30,
    maxBytes: 1024 ** 3,
    redactSecrets,
    redact: undefined,
    reportHook: () => undefined,
    report: () => undefined,
    reportDamaged: () => undefined,
  },
});
const credit = { kind: "grant", accountId: DEFAULT_ACCOUNT, amountNanos: MAX_NANOS, atMs: Date.now() } as const;
await stores.ledgerRecords.addCredit({ ...credit, actor: "bench", reason: "bench", reference: "bench" });

const wanted = { name: "bench", accountId: DEFAULT_ACCOUNT, models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
const { key, record } = issueKey(wanted, hashSecret, Date.now());
await stores.keys.add(record, ownChange("key.create", { kind: "key", id: record.id }, null, Date.now()));

const mock = remoteAt("mock", undefined, { baseUrl: upstreamUrl, allowPrivate: true }, []);
const declared = { upstreams: [mock], catalog: new Map([["m", model]]) };
await stores.catalog.declare("environment", () => ({ declared, announcements: [] }));
const upstreams = new Upstreams(NO_CLOUD_VARIABLES);
const listener = serve({
  name: "gateway",
  ...UNBOUNDED,
  endpoints: gatewayEndpoints({
    ...stores,
    ledger: which === "none" ? noLedger() : stores.ledger,
    keyRecords: localKeyRecords(stores),
    lastUsed: uses === "noted" ? stores.lastUsed : noUses,
    guesses: new GuessThrottle(() => performance.now()),
    rejections: new RejectionBudget(() => performance.now()),
    upstreamStates: new UpstreamStates(() => performance.now()),
    retryBudgets: new RetryBudgets(() => performance.now()),
    deviations: new DeviationCounts(),
    mirrors: new Mirrors(() => undefined),
    sendsRouteHeaders: true,
    onDisconnect: () => "read",
    accountOf: (caller) => stores.accounts.find(caller.accountId)!,
    idempotencyLocks: new Set(),
    bodies: UNBOUNDED.bodies,
    isDraining: () => false,
    unpaidUploads: new Set(),
    hashSecret,
    authorizationCache: new AuthorizationCache(),
    modelLists: new ModelLists(),
    upstreams: () => upstreams.among(stores.catalog.upstreams()),
    maxBodyBytes: 1024 * 1024,
    keepAliveMs: 15_000,
    nowMs: Date.now,
    monotonicMs: () => Math.floor(performance.now()),
  }),
  observers: [
    logRequests(createLog({ output: (text) => Promise.resolve(Buffer.byteLength(text) > 0), format: formatAsJson, redact: redactSecrets })),
    ...(observers === "metrics" || observers === "both" ? [new Metrics().ofGateway()] : []),
    ...(observers === "requests" || observers === "both" ? [stores.requestLog.note.bind(stores.requestLog)] : []),
  ],
  reportFailure(thrown) {
    throw thrown;
  },
  openToBrowsers: true,
  errorFormat: "chat-completions",
});
process.stdout.write(`${JSON.stringify({ url: listener.url, keys: callers === "all" ? `@${keysFile}` : key.reveal() })}\n`);
