import { expect, test } from "bun:test";
import { FakeAuthorizer } from "../../test/support/upstreams/fake-authorizer.ts";
import type { Catalog } from "../models/catalog.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import type { IdentityState } from "../models/upstream-health.ts";
import type { RemoteSettings, UpstreamSettings } from "../models/upstream-settings.ts";
import { BackgroundCredentials } from "./background-credentials.ts";

const at = (id: string): RemoteSettings => remoteAt(id, undefined, { baseUrl: `https://${id}.example/v1`, allowPrivate: false }, []);

/** Counts the calls of `authorize`. */
class CountingAuthorizer extends FakeAuthorizer {
  requests = 0;

  override authorize(...request: Parameters<FakeAuthorizer["authorize"]>): ReturnType<FakeAuthorizer["authorize"]> {
    this.requests++;
    return super.authorize(...request);
  }
}

async function checked(
  state: Partial<IdentityState>,
  models: object[] = [{ id: "m", state: { name: "active" }, routes: [{ upstream: "u" }] }],
): Promise<number> {
  const authorizer = new CountingAuthorizer(state);
  const upstreams = new Map<string, UpstreamSettings>([
    ["u", at("u")],
    ["plain", at("plain")],
    ["e", { id: "e", dialect: "echo" }],
  ]);
  const catalog = new Map(models.map((model, index) => [String(index), model])) as unknown as Catalog;
  const background = new BackgroundCredentials(
    { upstreams: () => upstreams, snapshot: () => catalog },
    { authorizerOf: (settings) => (settings === upstreams.get("u") ? authorizer : undefined) },
  );
  background.check();
  background.check();
  await Bun.sleep(0);
  background.check();
  return authorizer.requests;
}

test("obtains credentials without a request, one attempt at a time, and again while there are none", async () => {
  expect(await checked({ source: undefined })).toBe(2);
  expect(await checked({ source: undefined, failure: "no file" })).toBe(2);
  expect(await checked({ expiresAtMs: Date.now() - 1 })).toBe(2);
});

test("leaves valid credentials to their own refresh, and identities without a model alone", async () => {
  expect(await checked({})).toBe(0);
  expect(await checked({ expiresAtMs: Date.now() + 600_000 })).toBe(0);
  expect(await checked({ source: undefined }, [])).toBe(0);
});
