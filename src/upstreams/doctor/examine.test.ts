import { afterAll, describe, expect, test } from "bun:test";
import {
  answering,
  CALL,
  callPiece,
  GOOD,
  refuse,
  silent,
  endless,
  streamed,
  whole,
  type Answers,
} from "../../../test/support/upstreams/examined-upstream.ts";
import { FakeAuthorizer } from "../../../test/support/upstreams/fake-authorizer.ts";
import { chunk, events, rawEvents, startMockUpstream, type Script } from "../../../test/support/upstreams/mock-upstream.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { DoctorReport, Outcome } from "../../models/doctor-report.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "../../models/timeouts.ts";
import { EchoUpstream } from "../echo/echo-upstream.ts";
import { HttpUpstream } from "../http-upstream.ts";
import { openaiDialect } from "../openai/openai-dialect.ts";
import type { Upstream, UpstreamCall } from "../upstream.ts";
import { examine } from "./examine.ts";
import { ExaminedModel } from "./examined-model.ts";

const CANARY = "upstream-credential-canary";
const NEVER = new AbortController().signal;
const scripts: Record<string, Script> = {};
const mock = startMockUpstream(scripts);
afterAll(() => mock.stop());

/** Runs the doctor against a server with these responses. */
function examineOne(script: Script, timeouts: Partial<Timeouts> = {}): Promise<DoctorReport> {
  const model = `model-${Object.keys(scripts).length}`;
  scripts[model] = script;
  const settings = remoteAt("mock", undefined, { baseUrl: mock.baseUrl, allowPrivate: true }, [new Secret(CANARY)]);
  return examine(new HttpUpstream({ ...settings, timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts } }, openaiDialect), model, NEVER);
}

function outcomes({ checks }: DoctorReport): Record<string, Outcome> {
  return Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]));
}

function detailOf({ checks }: DoctorReport, name: string): string {
  return checks.find((check) => check.name === name)!.detail;
}

const ALL_PASSED = {
  json: "passed",
  stream: "passed",
  tools: "passed",
  json_schema: "passed",
  usage: "passed",
  cancel: "passed",
  error: "passed",
} as const;

test("a well-formed upstream passes every check without format deviations", async () => {
  const left = Promise.withResolvers<void>();
  const long: Script = (request) => {
    request.signal.addEventListener("abort", () => left.resolve());
    return endless(request);
  };
  const report = await examineOne(answering({ ...GOOD, long: { ...GOOD.long, streamed: long } }));
  expect(outcomes(report)).toEqual(ALL_PASSED);
  expect(report).toMatchObject({ upstream: "mock", deviations: [], tokens: 5 * 7 });
  expect(detailOf(report, "usage")).toBe("5 + 2 tokens as JSON, 5 + 2 tokens streamed");
  expect(detailOf(report, "error")).toContain("upstream status 404: no script for tollgate-doctor-no-such-model");
  await left.promise;
});

test("no call requests more than 256 tokens", async () => {
  mock.requests.length = 0;
  await examineOne(answering(GOOD));
  expect(mock.requests.map(({ body }) => body["max_tokens"])).toEqual(Array.from({ length: 7 }, () => 256));
});

const BAD: Record<
  string,
  { answers: Partial<Answers>; changes: Partial<Record<keyof typeof ALL_PASSED, Outcome>>; detail: [string, string] }
> = {
  "refuses tools": {
    answers: { tools: { whole: refuse(400, "tools are not supported"), streamed: refuse(400, "tools are not supported") } },
    changes: { tools: "warned" },
    detail: ["tools", "rejected: upstream status 400: tools are not supported, as JSON and streamed"],
  },
  "has nobody for tools": {
    answers: { tools: { whole: refuse(404, "No endpoints found"), streamed: refuse(404, "No endpoints found") } },
    changes: { tools: "warned" },
    detail: ["tools", "No endpoints found"],
  },
  "calls no tool in a stream": {
    answers: { tools: { ...GOOD.tools, streamed: GOOD.plain.streamed } },
    changes: { tools: "warned" },
    detail: ["tools", "JSON: called get_weather; streamed: responded without calling the tool"],
  },
  "calls another tool": {
    answers: { tools: { ...GOOD.tools, whole: whole({ tool_calls: [{ ...CALL, function: { name: "other", arguments: "{}" } }] }) } },
    changes: { tools: "failed" },
    detail: ["tools", 'called "other" instead of get_weather'],
  },
  "calls a tool with half of its arguments": {
    answers: {
      tools: {
        ...GOOD.tools,
        streamed: streamed([callPiece('{"ci')]),
      },
    },
    changes: { tools: "failed" },
    detail: ["tools", "arguments that are not JSON"],
  },
  "fails at tools": {
    answers: { tools: { whole: refuse(500, "out of memory"), streamed: GOOD.tools.streamed } },
    changes: { tools: "failed" },
    detail: ["tools", "out of memory"],
  },
  "knows no schemas": {
    answers: { schema: { ...GOOD.schema, whole: GOOD.plain.whole } },
    changes: { json_schema: "warned" },
    detail: ["json_schema", "did not match the schema"],
  },
  "does not count": {
    answers: {
      plain: { whole: whole({}, "stop", { usage: undefined }), streamed: () => events([chunk({ content: "1" }), chunk({}, "stop")]) },
    },
    changes: { usage: "failed" },
    detail: ["usage", "no token counts as JSON, no token counts streamed, so charges are estimated"],
  },
  "counts wrongly": {
    answers: { plain: { ...GOOD.plain, whole: whole({}, "stop", { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 3 } }) } },
    changes: { usage: "warned" },
    detail: ["usage", "the total was not the sum"],
  },
  "says nothing": {
    answers: { plain: { ...GOOD.plain, whole: whole({ content: "" }, "length") } },
    changes: { json: "warned" },
    detail: ["json", "without text, with finish_reason length"],
  },
  "cannot stream": {
    answers: { plain: { ...GOOD.plain, streamed: () => rawEvents("data: {") } },
    changes: { stream: "failed", usage: "failed" },
    detail: ["stream", "not JSON"],
  },
  "is brief": {
    answers: { long: GOOD.plain },
    changes: { cancel: "skipped" },
    detail: ["cancel", "complete before it could be cancelled"],
  },
};

describe("an upstream that", () => {
  for (const [name, { answers, changes, detail }] of Object.entries(BAD)) {
    test(name, async () => {
      const report = await examineOne(answering({ ...GOOD, ...answers }));
      expect(outcomes(report)).toEqual({ ...ALL_PASSED, ...changes });
      expect(detailOf(report, detail[0])).toContain(detail[1]);
    });
  }

  test("accepts any model name", async () => {
    scripts["tollgate-doctor-no-such-model"] = answering(GOOD);
    const report = await examineOne(answering(GOOD));
    delete scripts["tollgate-doctor-no-such-model"];
    expect(outcomes(report)).toEqual({ ...ALL_PASSED, error: "warned" });
  });

  test("has format deviations", async () => {
    const report = await examineOne(
      answering({ ...GOOD, plain: { ...GOOD.plain, streamed: streamed([{ role: "assistant", content: "1" }], "eos") } }),
    );
    expect(outcomes(report)).toEqual(ALL_PASSED);
    expect(report.deviations).toEqual(["role_repeated", "finish_reason_renamed"]);
  });
});

const MUTE = {
  json: "failed",
  stream: "failed",
  tools: "skipped",
  json_schema: "skipped",
  usage: "skipped",
  cancel: "skipped",
  error: "skipped",
};

test("stops at a rejected credential, and never quotes the credential", async () => {
  mock.requests.length = 0;
  const report = await examineOne(refuse(401, `no such key: ${CANARY}`));
  expect(outcomes(report)).toMatchObject(MUTE);
  expect(detailOf(report, "json")).toContain("upstream status 401: no such key: [secret]");
  expect(JSON.stringify(report)).not.toContain(CANARY);
  expect(mock.requests).toHaveLength(2);
});

test("does not quote a response that contains the credential", async () => {
  const calls = whole({ tool_calls: [{ ...CALL, function: { name: CANARY, arguments: "{}" } }] });
  const report = await examineOne(answering({ ...GOOD, tools: { ...GOOD.tools, whole: calls } }));
  expect(detailOf(report, "tools")).toContain('called "[secret]" instead');
  expect(JSON.stringify(report)).not.toContain(CANARY);
});

test("redacts a credential even where long words are truncated", () => {
  const credentials = [new Secret("first-credential"), new Secret(CANARY)];
  const settings = remoteAt("mock", undefined, { baseUrl: mock.baseUrl, allowPrivate: true }, credentials);
  const examined = new ExaminedModel(new HttpUpstream(settings, openaiDialect), "model", NEVER);
  expect(examined.redact(`${"x".repeat(1_990)}${CANARY}`)).toBe(`${"x".repeat(1_990)}[secret]`);
  expect(examined.redact(`${"x".repeat(1_990)}first-credential`)).toBe(`${"x".repeat(1_990)}[secret]`);
});

test("waits no longer than the timeouts for an upstream that never responds", async () => {
  const report = await examineOne(silent, { totalMs: 50, firstByteMs: 50 });
  expect(outcomes(report)).toMatchObject(MUTE);
  expect(detailOf(report, "json")).toBe("waited 50 ms for the whole response");
});

test("stops when the operator disconnects", async () => {
  const report = await examine(new EchoUpstream({ id: "echo", dialect: "echo" }), "echo", AbortSignal.abort());
  expect(report.checks.every(({ outcome }) => outcome === "skipped")).toBe(true);
});

test("examines the built-in echo, which has no tools and accepts every model name", async () => {
  const report = await examine(new EchoUpstream({ id: "echo", dialect: "echo" }), "echo", NEVER);
  expect(outcomes(report)).toEqual({ ...ALL_PASSED, tools: "warned", json_schema: "warned", error: "warned" });
});

test("detects a stream that cannot be cancelled", async () => {
  const echo = new EchoUpstream({ id: "echo", dialect: "echo" });
  const deaf: Upstream = {
    settings: echo.settings,
    complete: (call: UpstreamCall) => echo.complete(call),
    async stream(call: UpstreamCall) {
      const stream = await echo.stream(call);
      if (!String(call.chat.messages[0]!["content"]).includes("200")) return stream;
      let hasGiven = false;
      return {
        usage: undefined,
        uncountedBytes: 0,
        read(consumer) {
          if (!hasGiven) stream.read(consumer);
          hasGiven = true;
        },
        endEvents: () => [],
        stop: () => [],
        cancel: () => undefined,
      };
    },
  };
  expect(outcomes(await examine(deaf, "echo", NEVER))).toMatchObject({ stream: "passed", cancel: "failed" });
});

/** An identity that detects the clock skew after its first request. */
class LearningAuthorizer extends FakeAuthorizer {
  #requests = 0;

  override authorize(...request: Parameters<FakeAuthorizer["authorize"]>): ReturnType<FakeAuthorizer["authorize"]> {
    if (++this.#requests === 2) Object.assign(this.state, { clockSkewMs: 600_000 });
    return super.authorize(...request);
  }
}

function examineWith(authorizer: FakeAuthorizer, script: Script): Promise<DoctorReport> {
  const model = `model-${Object.keys(scripts).length}`;
  scripts[model] = script;
  const settings = remoteAt("mock", undefined, { baseUrl: mock.baseUrl, allowPrivate: true }, []);
  return examine(new HttpUpstream(settings, openaiDialect, authorizer), model, NEVER);
}

describe("an upstream with an identity", () => {
  test("has it checked first", async () => {
    const report = await examineWith(new FakeAuthorizer({ expiresAtMs: Date.parse("2027-01-31T12:00:00Z") }), answering(GOOD));
    expect(Object.entries(outcomes(report))).toEqual(Object.entries({ identity: "passed", ...ALL_PASSED }));
    expect(detailOf(report, "identity")).toBe("credentials from the file key.json, which expire at 2027-01-31T12:00:00.000Z");
  });

  test("is warned of a wrong clock", async () => {
    const [behind, ahead] = await Promise.all(
      [600_000, -90_000].map((clockSkewMs) => examineWith(new FakeAuthorizer({ clockSkewMs }), answering(GOOD))),
    );
    expect([outcomes(behind!)["identity"], outcomes(ahead!)["identity"]]).toEqual(["warned", "warned"]);
    expect(detailOf(behind!, "identity")).toContain("which do not expire; the clock of this machine is 600 s behind the cloud's clock");
    expect(detailOf(ahead!, "identity")).toContain("the clock of this machine is 90 s ahead of the cloud's clock");
  });

  test("has the clock skew that the calls of this examination show", async () => {
    const authorizer = new LearningAuthorizer();
    const report = await examineWith(authorizer, answering(GOOD));
    expect([outcomes(report)["identity"], detailOf(report, "identity")]).toEqual([
      "warned",
      expect.stringContaining("600 s behind the cloud's clock") as string,
    ]);
  });

  test("is not called where there are no credentials", async () => {
    mock.requests.length = 0;
    const report = await examineWith(
      new FakeAuthorizer({ failure: "the credentials in ~/.aws/sso expired: run aws sso login" }),
      answering(GOOD),
    );
    expect(report.checks.slice(0, 2)).toMatchObject([
      { name: "identity", outcome: "failed", detail: "the credentials in ~/.aws/sso expired: run aws sso login" },
      { name: "json", outcome: "skipped", detail: "its identity has no credentials" },
    ]);
    expect([report.checks.length, mock.requests.length]).toEqual([8, 0]);
  });

  test.each([
    ["User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: r", "bedrock:InvokeModel"],
    ["Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/p'", "aiplatform.endpoints.predict"],
    [
      "The principal `p` lacks the required data action `Microsoft.CognitiveServices/accounts/OpenAI/deployments/chat/completions/action` to perform",
      "Microsoft.CognitiveServices/accounts/OpenAI/deployments/chat/completions/action",
    ],
  ])("learns which permission it lacks: %s", async (message, permission) => {
    const report = await examineWith(new FakeAuthorizer(), refuse(403, `${message} access-token-canary`));
    expect(outcomes(report)).toMatchObject({ identity: "passed", json: "failed" });
    expect(detailOf(report, "json")).toStartWith(`its identity lacks the permission ${permission}: `);
    expect(JSON.stringify(report)).not.toContain("canary");
  });
});
