import { call, type Asked } from "../../platform/call.ts";
import type { ConnectionTest } from "../../platform/interface.ts";

/** Makes an upstream, and tries it. Where only the try fails, it is there all the same. */
export async function addUpstream(body: Asked<"createUpstream">["body"]): Promise<ConnectionTest> {
  await call("createUpstream", { body });
  return tryUpstream(body.id);
}

/** Tries it with another credential, which it keeps. */
export async function replaceAndTry(id: string, credential: string): Promise<ConnectionTest> {
  await call("replaceCredential", { path: { id }, body: { credential } });
  return tryUpstream(id);
}

export async function tryUpstream(id: string): Promise<ConnectionTest> {
  try {
    return await call("testUpstream", { path: { id } });
  } catch (error) {
    return { ok: false, status: null, duration_ms: 0, models: null, names: [], ids: [], problem: (error as Error).message };
  }
}
