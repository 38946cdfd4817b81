import { planOf, type StreamPlan } from "../stream-plan.ts";

/** Bytes that are written at once, and the number of texts in them. */
export interface Step {
  readonly bytes: Buffer;
  readonly texts: number;
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
/** A write of this size fills the buffer of a socket in few calls. */
const BIG_STEP_EVENTS = 16;

const made = new Map<string, readonly Step[]>();

/** The writes of a plan: each event is a separate chunk, and the first text is sent with the head. Built once. */
export function stepsOf(model: string, withUsage: boolean): readonly Step[] | undefined {
  const plan = planOf(model);
  if (!plan) return undefined;
  const name = `${model} ${withUsage}`;
  let steps = made.get(name);
  if (!steps) made.set(name, (steps = makeSteps(plan, withUsage)));
  return steps;
}

function makeSteps(plan: StreamPlan, withUsage: boolean): Step[] {
  const [role, first, ...more] = plan.events.map(chunk);
  const head = { bytes: Buffer.concat([Buffer.from(HEAD), role!, first!]), texts: 1 };
  const end = endStep(plan, plan.count, withUsage);
  if (plan.kind === "burst") return [{ bytes: Buffer.concat([head.bytes, ...more, end.bytes]), texts: plan.count }];
  const size = plan.kind === "big" ? BIG_STEP_EVENTS : 1;
  const steps = Array.from({ length: Math.ceil(more.length / size) }, (_, at) => more.slice(at * size, (at + 1) * size));
  return [head, ...steps.map((events) => ({ bytes: Buffer.concat(events), texts: events.length })), end];
}

/** The end of a stream after this many texts. */
export function endStep(plan: StreamPlan, texts: number, withUsage: boolean): Step {
  return { bytes: Buffer.concat([...plan.end(texts, withUsage).map(chunk), Buffer.from("0\r\n\r\n")]), texts: 0 };
}

function chunk(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from("\r\n")]);
}
