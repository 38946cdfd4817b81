import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  completion,
  configFor,
  GOOD_CHUNKS,
  events,
  startMockUpstream,
  type MockUpstream,
  type Script,
} from "../support/upstreams/mock-upstream.ts";
import { replace, requestReload } from "../support/gateway/reload-gateway.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { HAS_PROC, residentBytes } from "../streams/process-facts.ts";

const RELOADS = 200;
const CALLERS = 8;

let upstreams: readonly MockUpstream[];
let gateway: RunningGateway;

const script: Script = ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion()));

/** The same model with alternating upstreams: each reload removes an upstream with requests in flight. */
const configAt = (turn: number): string => {
  const at = turn % 2;
  return configFor(upstreams[at]!.baseUrl, ["m"]).replaceAll("mock", `number-${at}`);
};

beforeAll(async () => {
  upstreams = [startMockUpstream({ "up-m": script }), startMockUpstream({ "up-m": script })];
  gateway = await startGateway({ yaml: configAt(0) });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
});

test("two hundred reloads under load fail no request and leak no memory", async () => {
  const { key } = await gateway.makeKey();
  const over = new AbortController();
  const outcomes: Record<string, number> = {};
  const call = async (stream: boolean): Promise<void> => {
    while (!over.signal.aborted) {
      const { status, text, errorCode } = await ask(gateway, key, "m", stream);
      const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.includes("Hello world");
      const outcome = `${status} ${errorCode ?? (isWhole ? "whole" : "cut")}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, at) => call(at % 2 === 0));
  const resident: number[] = [];
  for (let turn = 1; turn <= RELOADS; turn++) {
    replace(gateway, configAt(turn));
    await requestReload(gateway);
    if (HAS_PROC) resident.push(residentBytes(gateway.pid));
  }
  over.abort();
  await Promise.all(callers);

  expect(Object.keys(outcomes)).toEqual(["200 whole"]);
  expect(outcomes["200 whole"]).toBeGreaterThan(RELOADS);
  for (const { requests } of upstreams) expect(requests.length).toBeGreaterThan(RELOADS / 4);
  // If reloads leaked memory, it would have accumulated a hundred times by now. The first reloads are a warm-up, and do not count.
  if (HAS_PROC) expect(resident.at(-1)! - resident[RELOADS / 2]!).toBeLessThan(48 * 1024 * 1024);
});
