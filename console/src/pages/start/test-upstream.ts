import { call, type OperationInput } from "../../platform/call.ts";
import type { ConnectionTest } from "../../platform/interface.ts";

/** Makes an upstream, and tries it. Where only the try fails, it is there all the same. */
export async function addUpstream(body: OperationInput<"createUpstream">["body"]): Promise<ConnectionTest> {
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
    return { ok: false, status: null, duration_ms: 0, models: null, names: [], ids: [], problem: (error as Error).message };
  }
}
