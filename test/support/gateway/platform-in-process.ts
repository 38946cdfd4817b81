import { RequestNotes } from "../../../src/requests/request-notes.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exchange } from "../../../src/http/endpoint.ts";
import type { IncomingRequest } from "../../../src/lib/http1/server/incoming-request.ts";
import { Reply } from "../../../src/lib/http1/server/reply.ts";
import { operations } from "../../../src/platform/operations.ts";
import { createIdempotently } from "../../../src/platform/app.ts";
import { runOperation, type Operation } from "../../../src/platform/operation.ts";
import type { Platform } from "../../../src/platform/platform.ts";
import { readRequestInput, toCall } from "../../../src/platform/read-call.ts";
import { BuiltConsole } from "../../../src/platform/console/built-console.ts";
import { MinuteThrottle } from "../../../src/platform/minute-throttle.ts";
import { ConcurrencyLimit } from "../../../src/platform/concurrency-limit.ts";
import type { Processes } from "../../../src/platform/processes.ts";
import { prepareSignIn } from "../../../src/platform/sign-in/sign-in.ts";
import { defaultTierBounds, findDefaultPrices } from "../../../src/models/prices/find-default-prices.ts";
import { checkBody, checkHead, type ObservedReply } from "../../openapi/check-reply.ts";
import { textOf } from "../http/reply-text.ts";
import { NO_PROCESSES } from "./sample-processes.ts";
import { STORE_OPTIONS } from "./store-options.ts";
import { openStores } from "../../../src/stores/open-stores.ts";
import type { StoreOptions, Stores } from "../../../src/stores/stores.ts";
import type { Actor } from "../../../src/access/access.ts";
import type { Catalog } from "../../../src/models/catalog.ts";
import { ApiError } from "../../../src/requests/api-error.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";

/** The platform without its listener, so that a test can choose the actor. Everything behind the guard is real. */
export interface PlatformInProcess {
  readonly stores: Stores;
  readonly platform: Platform;
  /** Calls an operation, such as `showKey`, and returns its reply or its error. */
  call(actor: Actor, operationId: string, input?: CallInput): Promise<CallResult>;
  stop(): Promise<void>;
}

export interface CallResult {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** The body as text. */
  readonly text: string;
}

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Text is sent unchanged. */
  readonly body?: object | string;
  readonly idempotencyKey?: string;
}

const NOBODY: Actor = { id: "", name: "", role: "operator", accountId: null, scopes: null, personId: null, sessionId: null };
export const OPERATOR: Actor = { ...NOBODY, id: "person_operator", name: "Op" };
export const memberOf = (accountId: string): Actor => ({ ...NOBODY, id: `person_of_${accountId}`, role: "member", accountId });

export interface OpenOptions {
  readonly nowMs?: () => number;
  /** An existing data folder, which is not removed afterwards. */
  readonly folder?: string;
  readonly requestLog?: StoreOptions["requestLog"];
  readonly processes?: Processes;
}

/** The parts of a platform without upstreams, webhooks and other processes. */
export const idlePlatform = () =>
  ({
    config: undefined,
    lastBackup: () => undefined,
    console: new BuiltConsole("", ""),
    memberChanges: new MinuteThrottle(Number.POSITIVE_INFINITY, ""),
    reportLimit: new ConcurrencyLimit(),
    reportFailure: () => undefined,
    version: "0.0.0",
    commit: null,
    gatewayUrl: "http://127.0.0.1:8700",
    requestLogDays: 30,
    callAsKey: (resolveCaller) => Promise.resolve(Reply.json({ asked_as: resolveCaller().id })),
    testUpstream: () => Promise.reject(new Error("no upstream is tested here")),
    examineUpstream: () => Promise.reject(new Error("no upstream is examined here")),
    deviations: () => [],
    metrics: () => Promise.reject(new Error("nothing is measured here")),
    upstreamHealth: () => ({ inFlight: 0, queued: 0, models: [], credentials: [] }),
    testWebhook: () => Promise.reject(new Error("no webhook is called here")),
    wakeDeliveries: () => undefined,
  }) satisfies Partial<Platform>;

export async function openPlatform(
  catalog: Catalog = new Map(),
  { nowMs = Date.now, folder: given, requestLog = STORE_OPTIONS.requestLog, processes = NO_PROCESSES }: OpenOptions = {},
): Promise<PlatformInProcess> {
  const folder = given ?? mkdtempSync(join(tmpdir(), "tollgate-platform-"));
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder, nowMs, requestLog });
  await stores.catalog.declare("environment", () => ({ declared: { upstreams: [], catalog }, announcements: [] }));
  const platform: Platform = {
    ...stores,
    ...idlePlatform(),
    signIn: prepareSignIn(undefined, undefined),
    publicUrl: () => "http://127.0.0.1",
    hashSecret: new Secret("hash"),
    operatorToken: new Secret("token"),
    processes,
    listPrices: { tierBounds: defaultTierBounds, find: findDefaultPrices },
    nowMs,
    monotonicMs: nowMs,
  };
  const table = operations(platform);
  return {
    stores,
    platform,
    async call(actor, operationId, input = {}) {
      const operation = table.find((each) => each.operationId === operationId)!;
      try {
        const exchange = exchangeOf(operation.method, operation.path, input);
        const read = await readRequestInput(operation, exchange, platform);
        const call = toCall(operation, read, actor, exchange, platform);
        const reply = await (read.idempotency
          ? createIdempotently(operation, call, read.idempotency, platform)
          : runOperation(operation, call));
        const text = await textOf(reply);
        const observed = observe(operation, reply);
        checkHead("platform", observed);
        checkBody("platform", observed, text);
        const isJson = /^application\/(problem\+)?json/.test(reply.headers["content-type"] ?? "");
        return { status: reply.status, text, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {} };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        checkHead("platform", observe(operation, { status: error.status, headers: {} }));
        return { status: error.status, text: error.message, body: { code: error.code } };
      }
    },
    async stop() {
      await stores.close();
      if (given === undefined) rmSync(folder, { recursive: true });
    },
  };
}

function observe({ method, path }: Operation, { status, headers }: Pick<Reply, "status" | "headers">): ObservedReply {
  return { method, path, status, headers: new Headers(headers) };
}

function exchangeOf(method: string, path: string, { params = {}, query = "", body, idempotencyKey }: CallInput): Exchange {
  const request: IncomingRequest = {
    method,
    target: `${path}?${query}`,
    params,
    headers: new Headers({
      "content-type": "application/json",
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    }),
    headerBytes: 0,
    signal: new AbortController().signal,
    isReceived: true,
    bytes: () => Buffer.from(typeof body === "object" ? JSON.stringify(body) : (body ?? "")),
  };
  return exchangeWith(request);
}

export function exchangeWith(request: IncomingRequest): Exchange {
  return {
    request,
    requestId: "req_test",
    startedAtMs: 0,
    notes: new RequestNotes(),
    setIdleTimeout: () => undefined,
    markAuthenticated: () => undefined,
    keepBodyUntil: () => undefined,
    callerAddress: () => "192.0.2.1",
  };
}
