import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BunRequest } from "bun";
import { operations } from "../src/platform/app.ts";
import type { Operation } from "../src/platform/operation.ts";
import type { Platform } from "../src/platform/platform.ts";
import { readCall } from "../src/platform/read-call.ts";
import { openStores } from "../src/stores/open-stores.ts";
import type { Actor } from "../src/vocabulary/access.ts";
import { Secret } from "../src/vocabulary/secret.ts";

/** The platform without a listener, where a test says itself who calls. */
export interface OpenPlatform {
  readonly platform: Platform;
  /** Makes a call as this actor, behind the guard. Throws what it is refused with. */
  call(actor: Actor, operationId: string, asked?: Asked): Promise<Response>;
  close(): Promise<void>;
}

export interface Asked {
  readonly params?: Record<string, string>;
  readonly query?: string;
  readonly body?: object;
}

const SOMEBODY: Actor = {
  id: "somebody",
  name: "Somebody",
  role: "operator",
  accountId: null,
  scopes: null,
  personId: null,
  sessionId: null,
};

export const OPERATOR: Actor = { ...SOMEBODY, id: "person_operator", name: "Olga Operator" };

export function memberOf(accountId: string): Actor {
  return { ...SOMEBODY, id: "person_member", name: "Max Member", role: "member", accountId };
}

export async function openPlatform(): Promise<OpenPlatform> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-platform-"));
  const stores = await openStores({
    dataFolder: folder,
    durability: "process",
    secret: undefined,
    oldSecret: undefined,
    defaultPrices: () => [],
    nowMs: Date.now,
    reportLedger: () => undefined,
  });
  const platform: Platform = {
    ...stores,
    hashSecret: new Secret("hash secret"),
    operatorToken: new Secret("operator token"),
    configFile: undefined,
    testUpstream: async () => ({ ok: true, status: 200, durationMs: 1, models: 0, problem: null }),
    nowMs: Date.now,
  };
  const all = operations(platform);
  return {
    platform,
    call: (actor, operationId, asked = {}) =>
      run(
        all.find((each) => each.operationId === operationId)!,
        actor,
        asked,
      ),
    async close() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function run(operation: Operation, actor: Actor, { params = {}, query = "", body }: Asked): Promise<Response> {
  const { method } = operation;
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://platform/?${query}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const exchange = {
    request: Object.assign(request, { params }) as unknown as BunRequest,
    requestId: "req_test",
    startedAtMs: 0,
    facts: {},
    allowSilence: () => undefined,
    callerAddress: () => "127.0.0.1",
  };
  const { call } = await readCall(operation, actor, exchange, Date.now());
  return operation.run(call);
}
