import type { Authorizer } from "./authorizer.ts";

/** Obtains the credentials of an identity, without a call of the upstream. The failure as text; undefined where there are valid ones. */
export async function obtainCredentials(authorizer: Authorizer, baseUrl: string): Promise<string | undefined> {
  try {
    const { host, pathname } = new URL(baseUrl);
    await authorizer.authorize({ method: "GET", host, target: pathname, headers: {}, body: undefined });
    return undefined;
  } catch (error) {
    return authorizer.state.failure ?? (error instanceof Error ? error.message : String(error));
  }
}
