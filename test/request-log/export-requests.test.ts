import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { harmlessCell, toCsvLine } from "../../src/platform/endpoints/request-export.ts";
import type { EndedRequest } from "../../src/requests/request-notes.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { attemptAt, chargeOf, endedAt } from "./ended-samples.ts";
import { readCsv } from "./read-csv.ts";

const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };
/** Text that a spreadsheet or a careless CSV parser might misinterpret. */
const NASTY = ["=1+2", "+49", "-2", "@SUM(A1)", "\tx", '"quoted"', "a,b", "two\r\nlines", "'", "", "ü€𝄞", '=HYPERLINK("http://x","y")'];

const TEXT = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "a", ",", '"', "\t", "\r", "\n") }),
);

let platform: PlatformInProcess;
let noted: EndedRequest[];

beforeAll(async () => {
  platform = await openPlatform(new Map(), { requestLog });
  const startMs = Date.now() - 60_000;
  noted = Array.from({ length: 1000 }, (_, at) => {
    const nasty = NASTY[at % NASTY.length]!;
    const notes = { accountId: at % 2 === 0 ? "acme" : "other", keyId: "key-a", requestedModel: nasty, detail: `${nasty}hidden` };
    return endedAt(
      startMs + at,
      200,
      { ...notes, charge: chargeOf(BigInt(at), "hidden-u"), attempts: [attemptAt("hidden-u", 1010)] },
      nasty,
    );
  });
  for (const request of noted) platform.stores.requestLog.note(request);
});
afterAll(() => platform.stop());

async function exported(query: string, actor = OPERATOR): Promise<string> {
  const { status, text } = await platform.call(actor, "exportRequests", { query });
  expect(status).toBe(200);
  return text;
}

describe("an export as CSV", () => {
  test("has every request, oldest first, with the right cells", async () => {
    const [header, ...rows] = readCsv(await exported(""));
    expect(header!.join(",")).toBe(
      "request_id,started_at,ended_at,account,key,key_name,model,stream,status,outcome,code,param,attempts,from_cache,prompt_tokens,cached_tokens,cache_write_tokens,completion_tokens,reasoning_tokens,provenance,cost,duration_ms,first_token_ms,overhead_ms,request_bytes,reply_bytes,client,user,conversation,tags,answered_by,endpoint,upstream,detail,mirror_upstream,mirror_model,mirror_status,mirror_finish_reason,mirror_prompt_tokens,mirror_completion_tokens,mirror_first_byte_ms,mirror_duration_ms,mirror_detail,mirrored_finish_reason,mirrored_first_byte_ms,mirrored_duration_ms",
    );
    expect(rows.map(([id]) => id)).toEqual(noted.map(({ requestId }) => requestId));
    const named = rows.map((row) => Object.fromEntries(header!.map((name, at) => [name, row[at]])));
    expect(named[7]).toMatchObject({ model: "two\r\nlines", cost: "0.000000007", cached_tokens: "5", first_token_ms: "", stream: "false" });
    for (const { model } of named) expect(model).not.toMatch(/^[=+\-@\t]/);
    expect(named.slice(0, 5).map(({ model }) => model)).toEqual(["'=1+2", "'+49", "'-2", "'@SUM(A1)", "'\tx"]);
    expect(named.slice(5, 12).map(({ model }) => model)).toEqual(NASTY.slice(5).map((text) => (text.startsWith("=") ? `'${text}` : text)));
  });

  test("parses with an independent CSV reader", async () => {
    const python = Bun.which("python3");
    if (python === null) return;
    const text = await exported("");
    const program =
      "import csv,io,json,sys; print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline='')))))";
    const reader = Bun.spawnSync([python, "-c", program], { stdin: Buffer.from(text) });
    expect(JSON.parse(reader.stdout.toString())).toEqual(readCsv(text));
  });

  test("has for a member the own account's requests, without the operator's columns", async () => {
    const text = await exported("", memberOf("acme"));
    const [header, ...rows] = readCsv(text);
    expect(rows).toHaveLength(500);
    expect(header).not.toContain("upstream");
    expect(header).not.toContain("detail");
    expect(text).not.toContain("hidden");
    expect(readCsv(await exported("account=other", memberOf("acme")))).toEqual([header!]);
  });

  test("round-trips any text, and starts no formula", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(TEXT, TEXT, TEXT), { minLength: 1, maxLength: 10 }), (rows) => {
        const harmless = rows.map((row) => row.map(harmlessCell));
        expect(readCsv(harmless.map(toCsvLine).join(""))).toEqual(harmless);
        for (const cell of harmless.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n]|[;\t\r\n][=+\-@]/);
      }),
    );
  });
});

test("quotes a cell that would start a formula with semicolons as separators", () => {
  expect(toCsvLine(["a;=1+2;-3\n@x;y", "b"].map(harmlessCell))).toBe("\"a;'=1+2;'-3\n'@x;y\",b\r\n");
  expect(toCsvLine(["a;b", "two\r\nlines", "x-y"].map(harmlessCell))).toBe('"a;b","two\r\nlines",x-y\r\n');
});

test("an export as JSON lines equals the list", async () => {
  const lines = (await exported("format=jsonl&account=acme")).split("\n").slice(0, -1);
  const { body } = await platform.call(OPERATOR, "listRequests", { query: "order=oldest&limit=1000&account=acme" });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(body["data"] as unknown[]);
});

test("an export ends while requests keep coming", async () => {
  const timer = setInterval(() => platform.stores.requestLog.note(endedAt(Date.now() + 60_000, 200, { accountId: "noise" })), 1);
  try {
    expect(readCsv(await exported("")).filter((row) => row[3] === "noise")).toEqual([]);
  } finally {
    clearInterval(timer);
  }
});
