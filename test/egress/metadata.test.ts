import { describe, expect, test } from "bun:test";
import { problemOfBaseUrl, problemOfWebhookUrl } from "../../src/models/base-url.ts";
import { Destination } from "../../src/upstreams/egress/destination.ts";
import { plainFetch } from "../../src/upstreams/egress/plain-fetch.ts";
import { postBytesTo } from "../../src/upstreams/egress/post-bytes.ts";
import { webhookCaller } from "../../src/upstreams/egress/call-webhook.ts";
import { callCloud, type CloudAddressPolicy } from "../../src/upstreams/identities/call-cloud.ts";
import { dialledElsewhere } from "./loopback-listeners.ts";
import { METADATA, NEVER, PUBLIC } from "./vectors.ts";

/**
 * Tests requests to the metadata services of clouds, which return the machine's credentials to any process that can send a request from it.
 */

/** A port that no service uses, to recognize a connection. */
const PORT = 64_738;
const { signal } = new AbortController();
const hostOf = (address: string): string => (address.includes(":") ? `[${address}]` : address);

async function problemOf(call: () => Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([call()]);
  if (outcome.status === "fulfilled") return JSON.stringify(outcome.value);
  const { message, detail = "" } = outcome.reason as Error & { detail?: string };
  return `${message} ${detail}`;
}

describe.each(METADATA)("%s", (address) => {
  const urls = ["http", "https"].map((scheme) => `${scheme}://${hostOf(address)}:${PORT}`);

  test("is refused as a base URL, and for webhooks", () => {
    for (const url of urls) {
      expect(problemOfBaseUrl(`${url}/v1`, true)).toContain("is never called");
      expect(problemOfBaseUrl(`${url}/v1`, false)).toBeDefined();
      expect(problemOfWebhookUrl(`${url}/hook`, true)).toBeDefined();
      expect(problemOfWebhookUrl(`${url}/hook`, false)).toBeDefined();
    }
  });

  test("is not dialed for upstreams, webhooks, sign-in, traces, and identities elsewhere", async () => {
    for (const url of urls) {
      const calls = [
        () => new Destination({ baseUrl: url, allowPrivate: true }).addresses(),
        () => webhookCaller(1000)({ url: `${url}/hook`, allowPrivate: true, headers: {}, body: "{}" }, signal),
        () => plainFetch(url, 1000)(`${url}/keys`, {}),
        () => postBytesTo(`${url}/v1/traces`, 1000)({}, new Uint8Array(1), signal),
        ...(["internet", "chosen"] satisfies CloudAddressPolicy[]).map((at) => () => callCloud({ url, at }, signal)),
      ];
      for (const call of calls) expect(await problemOf(call)).toMatch(/is not called|is never called/);
    }
    expect(dialledElsewhere(PORT)).toEqual([]);
  });

  test("may be dialed to obtain the credentials of an identity, by its address or by a name", async () => {
    const place = { allowPrivate: true, isForMetadata: true };
    for (const url of urls) expect(await new Destination({ ...place, baseUrl: url }).addresses()).toEqual([address]);
    const named = new Destination({ ...place, baseUrl: "http://metadata.test" }, () => Promise.resolve([address]));
    expect(await named.addresses()).toEqual([address]);
  });
});

test("nothing else is opened with the metadata services", async () => {
  const others = [...NEVER.filter((address) => !METADATA.includes(address)), ...PUBLIC, "169.254.169.253", "169.254.0.1", "fd00:ec2::255"];
  for (const address of others) {
    const place = { baseUrl: "http://metadata.test", allowPrivate: true, isForMetadata: true };
    const destination = new Destination(place, () => Promise.resolve([METADATA[0]!, address]));
    expect([address, await problemOf(() => destination.addresses())]).toEqual([
      address,
      expect.stringContaining("is not called") as string,
    ]);
  }
});
