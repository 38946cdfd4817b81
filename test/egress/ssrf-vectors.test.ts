import { afterAll, describe, expect, test } from "bun:test";
import { ConfigError } from "../../src/config/config-error.ts";
import { parseConfigFile } from "../../src/config/config-file.ts";
import { Destination } from "../../src/upstreams/egress/destination.ts";
import { send, type UpstreamReply } from "../../src/upstreams/egress/send.ts";
import { toByteText } from "../../src/lib/text/byte-text.ts";
import { ApiError } from "../../src/requests/api-error.ts";
import { DEFAULT_TIMEOUTS } from "../../src/models/timeouts.ts";
import { dialledElsewhere, listenOnLoopback } from "./loopback-listeners.ts";
import { numericSpellings } from "./spellings.ts";
import { literalVectors, nameVectors, NEVER, PRIVATE, PUBLIC, redirectTargets, type Vector } from "./vectors.ts";

const listeners = await listenOnLoopback();
const { port } = listeners;
const asked: string[] = [];
/** An allowed upstream that redirects every request to another target. */
const redirector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { status, location } = JSON.parse(decodeURIComponent(new URL(request.url).search.slice(1))) as {
      status: number;
      location: string;
    };
    asked.push(location);
    return new Response("moved", { status, headers: { location, refresh: `0; url=${location}` } });
  },
});
afterAll(async () => {
  listeners.stop();
  await redirector.stop(true);
});

function ask(destination: Destination, path = "/chat/completions", timeouts = DEFAULT_TIMEOUTS): Promise<UpstreamReply> {
  return send({
    destination,
    path,
    headers: { authorization: "Bearer canary" },
    body: [toByteText("{}")],
    signal: new AbortController().signal,
    timeouts,
    streaming: false,
  });
}

async function refusalOf(destination: Destination): Promise<unknown> {
  return ask(destination, undefined, { ...DEFAULT_TIMEOUTS, connectMs: 1000, totalMs: 2000 }).then(
    () => "it was called",
    (error: unknown) => error,
  );
}

/** The error for a config file with this upstream, without the name of the file. */
function wordsOfFile({ baseUrl, allowPrivate }: Vector): string | undefined {
  const upstream = { id: "u", dialect: "openai", base_url: baseUrl, allow_private: allowPrivate };
  try {
    parseConfigFile(JSON.stringify({ upstreams: [upstream], models: [] }), "f", {}, 0);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

async function expectNoConnection(): Promise<void> {
  expect(await listeners.accepted()).toBe(0);
  expect(dialledElsewhere(port)).toEqual([]);
}

const refused = expect.objectContaining({
  code: "no_upstream_available",
  detail: expect.stringContaining(" is not called: ") as string,
}) as unknown;

const literals = literalVectors(port);
const names = nameVectors(port);
const redirects = [301, 302, 303, 307, 308].flatMap((status) => redirectTargets(port).map((location) => ({ status, location })));
const changes = [...PRIVATE, ...NEVER];
const count = literals.length + names.length + redirects.length + changes.length;

test(`there are ${count} vectors, each a different one`, () => {
  for (const vectors of [literals, names, redirects, changes]) {
    expect(new Set(vectors.map((vector) => JSON.stringify(vector))).size).toBe(vectors.length);
  }
  expect(count).toBeGreaterThanOrEqual(500);
});

describe(`${literals.length} addresses in a config file`, () => {
  test("are refused when the file is read, at their place", async () => {
    for (const vector of literals)
      expect([vector, wordsOfFile(vector)]).toEqual([vector, expect.stringMatching(/^f:1:\d+: upstreams\[0\]\.base_url /)]);
    await expectNoConnection();
  });

  test("are refused once more by the way out, should they ever get there", async () => {
    const readable = literals.filter(({ baseUrl }) => URL.canParse(baseUrl));
    expect(readable.length).toBeGreaterThan(500);
    for (const vector of readable)
      expect([vector, await refusalOf(new Destination(vector, () => Promise.resolve(["127.0.0.1"])))]).toEqual([vector, refused]);
    await expectNoConnection();
  });
});

test(`${names.length} answers of a resolver are refused before any connection is made`, async () => {
  for (const vector of names) {
    expect([vector, wordsOfFile(vector)]).toEqual([vector, undefined]);
    const refusal = await refusalOf(new Destination(vector, () => Promise.resolve(vector.answer!)));
    expect([vector, refusal]).toEqual([vector, refused]);
    expect((refusal as ApiError).message).not.toContain(".test");
  }
  await expectNoConnection();
});

test(`a name that was public at first is refused when it turns into one of ${changes.length} other addresses`, async () => {
  for (const address of changes) {
    let nowMs = 0;
    let answer: readonly string[] = [PUBLIC[0]];
    const destination = new Destination(
      { baseUrl: `https://rebinding.test:${port}/v1`, allowPrivate: false },
      () => Promise.resolve(answer),
      () => nowMs,
    );
    expect(await destination.addresses()).toEqual([PUBLIC[0]]);
    answer = [address];
    nowMs = 60_001;
    expect([address, await refusalOf(destination)]).toEqual([address, refused]);
  }
  await expectNoConnection();
});

test(`${redirects.length} redirects are not followed`, async () => {
  const destination = new Destination({ baseUrl: `http://127.0.0.1:${redirector.port}/v1`, allowPrivate: true });
  for (const redirect of redirects) {
    const reply = await ask(destination, `?${encodeURIComponent(JSON.stringify(redirect))}`);
    expect([reply.status, await reply.text()]).toEqual([redirect.status, "moved"]);
  }
  expect(asked).toEqual(redirects.map(({ location }) => location));
  await expectNoConnection();
});

test("the resolver of this machine is not trusted with localhost either", async () => {
  for (const scheme of ["http", "https"]) {
    expect(await refusalOf(new Destination({ baseUrl: `${scheme}://localhost:${port}/v1`, allowPrivate: false }))).toEqual(refused);
  }
  await expectNoConnection();
});

test("the listeners would have seen it: with permission each spelling of a loopback address is connected to", async () => {
  const hosts = [
    ...listeners.addresses.filter((address) => !address.includes(":")).flatMap(numericSpellings),
    "[::ffff:127.0.0.1]",
    "localhost",
  ];
  for (const host of hosts) {
    const before = await listeners.accepted();
    const reply = await ask(new Destination({ baseUrl: `http://${host}:${port}/v1`, allowPrivate: true }));
    expect([host, reply.status, await reply.text()]).toEqual([host, 200, "{}"]);
    expect(await listeners.accepted()).toBeGreaterThan(before);
  }
});
