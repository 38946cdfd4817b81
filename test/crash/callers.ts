/**
 * Clients in their own process, which outlives the gateway. Each client sends one request after another, with its own key, until standard
 * input ends. Then the requests in flight are finished, and the log of all attempts is printed as JSON.
 */
import { seededRandom } from "../streams/seeded-stream.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { attempt, type Ask, type Attempt } from "./call-attempt.ts";
import type { GatewayKey } from "./killable-gateway.ts";

/** The first argument, as JSON. */
export interface CallersOrder {
  /** The base URLs of the gateways. Each request goes to any of them. */
  readonly baseUrls: readonly string[];
  readonly seed: string;
  readonly keys: readonly GatewayKey[];
  /** Where the clients ask; at chat completions if it is absent. */
  readonly endpoints?: readonly CalledEndpoint[];
}

/** An endpoint, and the names before the models that are called there: translated ones, and relayed ones. */
export interface CalledEndpoint {
  readonly name: Ask["endpoint"];
  readonly modelPrefixes: readonly string[];
}

const CHAT: readonly CalledEndpoint[] = [{ name: "chat", modelPrefixes: [""] }];

const { baseUrls, seed, keys, endpoints = CHAT } = JSON.parse(process.argv[2]!) as CallersOrder;
const attempts: Attempt[] = [];
const stopping = new AbortController();
const anyGateway = seededRandom(`${seed} gateways`);

/** The `at`th request of a client: the same for the same seed. */
function plan(keyId: string, random: () => number, at: number): Ask {
  const stream = random() < 0.6;
  const isIdempotent = random() < 0.25;
  // If a request takes longer than the gateway lives, retrying it would never end.
  const speed = stream && !isIdempotent && random() < 0.3 ? "slow" : "quick";
  const marker = `${keyId}-${at}`;
  const includeUsage = random() < 0.6;
  const leaves = random() < 0.1;
  const kind = random() < 0.5 ? "counted" : "tail";
  const { name: endpoint, modelPrefixes } = oneOf(endpoints, random);
  return {
    endpoint,
    marker,
    model: `${oneOf(modelPrefixes, random)}${speed}-${kind}`,
    stream,
    includeUsage,
    idempotencyKey: isIdempotent ? `again-${marker}` : undefined,
    leavesAfterReads: stream && leaves ? 1 + Math.floor(random() * 4) : undefined,
  };
}

function oneOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}

async function callAgainAndAgain(key: GatewayKey, place: number): Promise<void> {
  const random = seededRandom(`${seed} caller ${place}`);
  let answered: Ask | undefined;
  for (let at = 0; !stopping.signal.aborted; at++) {
    const ask = plan(key.id, random, at);
    const first = await once(ask, key);
    if (ask.idempotencyKey !== undefined && (await insist(ask, key, first, random() < 0.5))) answered = ask;
    // The stored reply must survive all processes that were killed since.
    else if (answered && random() < 0.2) await once({ ...answered, leavesAfterReads: undefined }, key);
  }
}

/**
 * With an idempotency key a client retries until it has the response, or has no credit, or the response is lost; sometimes it sends the
 * request once more. Returns whether the client has the response.
 */
async function insist(ask: Ask, key: GatewayKey, first: Attempt, onceMore: boolean): Promise<boolean> {
  const patient = { ...ask, leavesAfterReads: undefined };
  let last = first;
  const isOver = (): boolean => last.end === "complete" || last.status === 402 || last.status === 400;
  for (const deadline = performance.now() + WAIT_LIMIT_MS; !isOver() && performance.now() < deadline;) last = await once(patient, key);
  if (onceMore && last.end === "complete") await once(patient, key);
  return last.end === "complete";
}

/** Attempts of one key never touch in time, so that each hold in the ledger can be assigned to one attempt. */
async function once(ask: Ask, key: GatewayKey): Promise<Attempt> {
  const baseUrl = baseUrls[Math.floor(anyGateway() * baseUrls.length)]!;
  const made = await attempt(ask, baseUrl, key);
  attempts.push(made);
  do await Bun.sleep(made.end === "cut" || made.end === "refused" ? 40 : 2);
  while (Date.now() <= made.endedAtMs);
  return made;
}

const calling = Promise.all(keys.map(callAgainAndAgain));
for await (const _ of Bun.stdin.stream()) {
  // Only the end of the stream matters.
}
stopping.abort();
await calling;
process.stdout.write(JSON.stringify(attempts));
