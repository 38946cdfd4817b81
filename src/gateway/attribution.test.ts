import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { PLAIN_ATTRIBUTION, type AttributionSettings } from "../access/attribution-settings.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { Exchange } from "../http/endpoint.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { Attribution } from "../money/attribution.ts";
import { ApiError } from "../requests/api-error.ts";
import type { ModelRequest } from "./formats/caller-format.ts";
import { chatFormat } from "./formats/chat-format.ts";
import { messagesFormat } from "./formats/messages/messages-format.ts";
import { responsesFormat } from "./formats/responses/responses-format.ts";
import type { Gateway } from "./gateway.ts";
import { attribute } from "./attribution.ts";

const CALLER = {} as KeyRecord;

interface SentRequest {
  readonly format?: ModelRequest["format"];
  readonly body?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly settings?: Partial<AttributionSettings>;
  readonly account?: string;
}

function attributionOf({ body = {}, headers = {}, settings, account = "acme", format = chatFormat }: SentRequest): Attribution | undefined {
  const gateway = {
    accountOf: () => ({ id: account, attribution: { ...PLAIN_ATTRIBUTION, ...settings } }),
    hashSecret: new Secret("hash"),
  } as unknown as Gateway;
  const chat = { format, outline: body, body, fields: [] } as unknown as ModelRequest;
  return attribute(CALLER, chat, { request: { headers: new Headers(headers) }, notes: {} } as unknown as Exchange, gateway);
}

function errorOf(sent: SentRequest): string {
  try {
    attributionOf(sent);
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.param}: ${error.message}`;
  }
  return "accepted";
}

const hashed = (user: string, account = "acme"): string =>
  attributionOf({ body: { user }, account, settings: { identities: "hashed" } })!.user!;
const tagIn = (team: string): string =>
  attributionOf({ body: { metadata: { team } }, settings: { metadataTags: ["team"] } })!.tags!["team"]!;
/** The text as a UTF-8 header arrives: one character per byte. */
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const header = (tags: string): SentRequest => ({ headers: { "x-tollgate-tags": tags } });

test("a request without an end user, tags and conversation has no attribution", () => {
  expect(attributionOf({})).toBeUndefined();
  expect(attributionOf({ body: { user: "", safety_identifier: null, metadata: { team: "search" } } })).toBeUndefined();
  expect(attributionOf({ body: { user: null, metadata: 7 }, settings: { metadataTags: ["team"] } })).toBeUndefined();
});

describe("the end user", () => {
  test("is in user, or else in safety_identifier", () => {
    expect(attributionOf({ body: { user: "u1", safety_identifier: "s1" } })).toEqual({ user: "u1" });
    for (const user of [null, "", 7]) expect(attributionOf({ body: { user, safety_identifier: "s1" } })).toEqual({ user: "s1" });
  });

  test("is a keyed hash of an account, where the account stores hashes", () => {
    expect(hashed("ada")).toMatch(/^[\w-]{24}$/);
    expect(hashed("ada")).toBe(hashed("ada"));
    expect(new Set([hashed("ada"), hashed("bob"), hashed("ada", "other")]).size).toBe(3);
  });

  test("and so is the conversation", () => {
    const settings = { identities: "hashed", conversationKey: "thread" } as const;
    const sent = [
      { headers: { "x-conversation-id": "ada" } },
      { headers: { "x-session-id": "ada" } },
      { body: { metadata: { thread: "ada" } } },
    ];
    const [first, ...others] = sent.map((each) => attributionOf({ ...each, settings })!.conversation!);
    expect(first).toMatch(/^[\w-]{24}$/);
    expect(others).toEqual([first!, first!]);
    expect(first).not.toBe(hashed("ada"));
  });

  test("is not stored where attribution is off, nor is anything else", () => {
    const headers = { "x-tollgate-tags": "not tags at all", "x-conversation-id": "c" };
    expect(attributionOf({ body: { user: "ada" }, headers, settings: { identities: "off" } })).toBeUndefined();
  });

  test("is never one of the names that reports use", () => {
    for (const user of ["none", "other", "erased"]) expect(attributionOf({ body: { user } })).toEqual({ user: `user:${user}` });
  });

  test("with a long id keeps one name of its own, and every name can be stored", () => {
    const longs = ["x".repeat(5000), `${"x".repeat(5000)}y`, "a\u0000b\ud800"].map((user) => attributionOf({ body: { user } })!.user!);
    expect(new Set(longs).size).toBe(3);
    expect(longs[2]).toBe("a\ufffdb\ufffd");
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), (user) => {
        const stored = attributionOf({ body: { user } })!.user!;
        expect(stored.length).toBeLessThanOrEqual(128);
        expect(stored.isWellFormed()).toBe(true);
        // oxlint-disable-next-line no-control-regex
        expect(stored).not.toMatch(/[\x00-\x1f]/);
      }),
    );
  });
});

describe("tags", () => {
  test("come from the header and from the chosen fields of metadata, by name; the header wins", () => {
    const settings = { metadataTags: ["team", "build", "constructor"] };
    const metadata = { team: "search", build: 7, secret: "s", constructor: true };
    const { tags } = attributionOf({ headers: { "x-tollgate-tags": " zone = eu ,team=ads" }, body: { metadata }, settings })!;
    expect(Object.entries(tags!)).toEqual([
      ["build", "7"],
      ["constructor", "true"],
      ["team", "ads"],
      ["zone", "eu"],
    ]);
  });

  test("of more than 64 characters in metadata are stored as their beginning and a digest", () => {
    expect(tagIn("x".repeat(64))).toBe("x".repeat(64));
    expect(tagIn("x".repeat(65))).toMatch(/^x{47}…[\w-]{16}$/);
    expect(tagIn("x".repeat(65))).not.toBe(tagIn("x".repeat(66)));
  });

  test("are equal in a header of UTF-8 and in metadata", () => {
    const settings = { metadataTags: ["team"], conversationKey: "thread" };
    const expected = { tags: { team: "café" }, conversation: "会話" };
    expect(attributionOf({ body: { metadata: { team: "café", thread: "会話" } }, settings })).toEqual(expected);
    const headers = { "x-tollgate-tags": utf8("team=café") };
    for (const name of ["x-conversation-id", "x-session-id"]) {
      expect(attributionOf({ headers: { ...headers, [name]: utf8("会話") } })).toEqual(expected);
    }
    expect(attributionOf(header("team=café"))).toEqual({ tags: { team: "café" } });
  });

  test("that cannot be read are a 400 that names the header", () => {
    const rule = "1 to 32 of letters, digits, dot, dash and underscore, with a letter or digit first";
    for (const [text, message] of [
      ["", `has "", which is not name=value`],
      ["team", `has "team", which is not name=value`],
      ["team=a,,", `has "", which is not name=value`],
      ["=a", `has "=a", which is not name=value`],
      ["__proto__=a", `has the tag name "__proto__", and a name is ${rule}`],
      ["te am=a", `has the tag name "te am", and a name is ${rule}`],
      [`${"n".repeat(33)}=a`, `has the tag name "${"n".repeat(33)}", and a name is ${rule}`],
      ["team=", "has no value for team"],
      [`team=${"x".repeat(65)}`, "has a value of 65 characters for team, and a value may have 64"],
      ["team=a,team=b", "names team twice"],
      ["a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8,i=9", "has 9 tags, and a request may have 8"],
    ] as const) {
      expect(errorOf(header(text))).toBe(`invalid_value x-tollgate-tags: The header x-tollgate-tags ${message}.`);
    }
    const both = { ...header("a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8"), body: { metadata: { i: "9" } }, settings: { metadataTags: ["i"] } };
    expect(errorOf(both)).toContain("The header x-tollgate-tags and metadata together have 9 tags, and a request may have 8.");
  });

  test("in any header are read, or refused with a 400", () => {
    const parts = fc.stringMatching(/^[a-c=, .é-]{0,20}$/);
    fc.assert(fc.property(parts, (text) => expect(errorOf(header(text))).toMatch(/^(accepted|invalid_value x-tollgate-tags)/)));
  });
});

test("the conversation is in a header, or in a chosen field of metadata", () => {
  const body = { metadata: { thread: "t1" } };
  const settings = { conversationKey: "thread" };
  expect(attributionOf({ body, settings })).toEqual({ conversation: "t1" });
  expect(attributionOf({ body, settings, headers: { "x-session-id": "s1" } })).toEqual({ conversation: "s1" });
  expect(attributionOf({ headers: { "x-session-id": "s1", "x-conversation-id": "c1" } })).toEqual({ conversation: "c1" });
  expect(attributionOf({ headers: { "x-session-id": "s1", "x-conversation-id": "" } })).toEqual({ conversation: "s1" });
  expect(attributionOf({ body, settings, headers: { "x-session-id": "" } })).toEqual({ conversation: "t1" });
  expect(attributionOf({ body })).toBeUndefined();
});

describe("the tag of sub-agents", () => {
  const tagsOfAgent = (format: ModelRequest["format"], headers: Record<string, string>): unknown =>
    attributionOf({ format, body: {}, headers: { "x-session-id": "s", ...headers } })!.tags;

  test("is their kind, and never an ID", () => {
    expect(tagsOfAgent(responsesFormat, { "x-openai-subagent": "review", "thread-id": "t1" })).toEqual({ agent: "review" });
    expect(tagsOfAgent(messagesFormat, { "x-claude-code-agent-id": "a1", "x-claude-code-parent-agent-id": "a0" })).toEqual({
      agent: "subagent",
    });
    expect(tagsOfAgent(messagesFormat, { "x-claude-code-agent-id": "a1", "x-claude-code-agent-type": "explore" })).toEqual({
      agent: "explore",
    });
  });

  test("is absent for other requests, and for chat completions", () => {
    for (const format of [messagesFormat, responsesFormat]) expect(tagsOfAgent(format, {})).toBeUndefined();
    expect(tagsOfAgent(chatFormat, { "x-openai-subagent": "review", "x-claude-code-agent-id": "a1" })).toBeUndefined();
  });

  test("stands beside the client's tags, which take precedence", () => {
    const headers = { "x-openai-subagent": "review" };
    expect(tagsOfAgent(responsesFormat, { ...headers, "x-tollgate-tags": "team=search" })).toEqual({ agent: "review", team: "search" });
    expect(tagsOfAgent(responsesFormat, { ...headers, "x-tollgate-tags": "agent=mine" })).toEqual({ agent: "mine" });
    const full = Array.from({ length: 8 }, (_, at) => `t${at}=x`).join(",");
    expect(Object.keys(tagsOfAgent(responsesFormat, { ...headers, "x-tollgate-tags": full }) as object)).toHaveLength(8);
  });

  test("has the length of a tag at most", () => {
    const { agent } = tagsOfAgent(responsesFormat, { "x-openai-subagent": "x".repeat(500) }) as { agent: string };
    expect(agent).toHaveLength(64);
    expect(tagsOfAgent(responsesFormat, { "x-openai-subagent": "none" })).toEqual({ agent: "tag:none" });
  });
});
