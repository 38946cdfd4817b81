import { relays, type BenchRun } from "../bench-run.ts";
import { makeCertificate } from "../machine/certificate.ts";
import { MODEL } from "../mock/answer.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { QUESTION } from "../question.ts";
import type { Scenario } from "../report/result.ts";
import { withSystems } from "../systems/system.ts";
import { jsonUpstream, measureJsonOf } from "./json-load.ts";
import { measureFirstToken } from "./s6-first-token.ts";

const CONNECTIONS = 16;
const WARM_UP = 40_000;

export async function tlsUpstream(run: BenchRun): Promise<Scenario> {
  const certificate = makeCertificate();
  const mock = await startJsonMock(certificate);
  const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
  const json = await withSystems(relays(run), jsonUpstream(mock), (entrants) =>
    measureJsonOf(run, { name: "small JSON", body, connections: CONNECTIONS, warmUp: WARM_UP }, entrants, mock),
  );
  await mock.stop();
  return {
    id: "S12",
    title: "An upstream with TLS",
    load: "The small JSON of S1 and the first tokens of S6, with an upstream that speaks TLS 1.3 with a certificate that is checked. Callers speak plain HTTP.",
    parts: [json, ...(await measureFirstToken(run, certificate))],
    notes: ["The time to the first token is held against the upstream without TLS."],
  };
}
