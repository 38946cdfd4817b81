import { call, type OperationInput } from "../../platform/call.ts";
import type { ConnectionTest, Provider } from "../../../../platform-client/types.ts";

/** An upstream that was just created, with its last test result. */
export interface TestedUpstream {
  readonly id: string;
  readonly provider: Provider;
  readonly test: ConnectionTest;
}

/** Creates an upstream and tests its connection. A failed test does not undo the creation. */
export async function createAndTest(body: OperationInput<"createUpstream">["body"]): Promise<ConnectionTest> {
  await call("createUpstream", { body });
  return testUpstream(body.id);
}

/** Replaces the credential and tests the connection. */
export async function replaceAndTest(id: string, credential: string): Promise<ConnectionTest> {
  await call("replaceCredential", { path: { id }, body: { credential } });
  return testUpstream(id);
}

export async function testUpstream(id: string): Promise<ConnectionTest> {
  try {
    return await call("testUpstream", { path: { id } });
  } catch (error) {
    return {
      ok: false,
      checked: "nothing",
      status: null,
      duration_ms: 0,
      models: null,
      names: [],
      ids: [],
      problem: (error as Error).message,
      identity: null,
    };
  }
}
