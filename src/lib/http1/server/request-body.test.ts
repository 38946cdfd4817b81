import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { runs } from "../../../../test/support/long.ts";
import { CallerGone } from "../../async/caller-gone.ts";
import { BadChunks } from "../chunked-body.ts";
import { BodyBudget } from "../../../http/body-budget.ts";
import { BodiesOverBudget, BodyTooLarge, UploadsOverShare } from "./incoming-request.ts";
import { RequestBody } from "./request-body.ts";
import { UNBOUNDED } from "../../../../test/support/http/unbounded-listener.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

async function outcomeOf(reading: () => Promise<Uint8Array> | Uint8Array): Promise<string> {
  try {
    return Buffer.from(await reading()).toString("latin1");
  } catch (error) {
    return (error as Error).constructor.name;
  }
}

describe("a body with a Content-Length", () => {
  test("is the same whenever it is read, in any packets", async () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(12), async (parts, askedAfter) => {
        const whole = parts.join("");
        const length = Buffer.byteLength(whole);
        const body = new RequestBody(length, UNBOUNDED.bodies);
        let read: Promise<Uint8Array> | Uint8Array | undefined;
        parts.forEach((part, at) => {
          if (at === askedAfter) read = body.read(length);
          expect(body.feed(Buffer.from(part))).toBe(Buffer.byteLength(part));
        });
        expect(body.isEnded).toBe(true);
        expect(body.feed(bytes("GET"))).toBe(0);
        expect(Buffer.from(await (read ?? body.read(length))).toString()).toBe(whole);
      }),
      runs(300),
    );
  });

  test("that announces too large a length is rejected before it is received", async () => {
    const body = new RequestBody(11, UNBOUNDED.bodies);
    expect(await outcomeOf(() => body.read(10))).toBe(BodyTooLarge.name);
    expect([body.feed(bytes("0123456789")), body.isEnded]).toEqual([10, false]);
    expect([body.feed(bytes("0GET")), body.isEnded]).toEqual([1, true]);
  });

  test("that no handler reads is received only as far as necessary, and dropped", () => {
    const body = new RequestBody(1_000_000, UNBOUNDED.bodies);
    body.feed(Buffer.alloc(300_000));
    expect(body.isFull).toBe(true);
    body.drop();
    expect(body.isFull).toBe(false);
    body.feed(Buffer.alloc(700_000));
    expect([body.isFull, body.isEnded]).toEqual([false, true]);
  });
});

describe("the memory of bodies", () => {
  test("is counted from the first byte until no step uses it, whether it was read, rejected or dropped", async () => {
    const budget = new BodyBudget(1_000_000);
    const read = new RequestBody(300_000, budget);
    const reading = read.read(300_000) as Promise<Buffer>;
    read.feed(Buffer.alloc(200_000));
    expect(budget.heldBytes).toBe(200_000);
    read.feed(Buffer.alloc(100_000));
    expect([(await reading).length, budget.heldBytes]).toEqual([300_000, 300_000]);
    read.drop();
    expect(budget.heldBytes).toBe(300_000);
    read.release();
    read.release();
    expect(budget.heldBytes).toBe(0);

    const dropped = new RequestBody(300_000, budget);
    dropped.feed(Buffer.alloc(200_000));
    dropped.drop();
    dropped.feed(Buffer.alloc(100_000));
    expect([dropped.isEnded, budget.heldBytes]).toEqual([true, 0]);
  });

  test("is bounded: a body beyond it is rejected, for present and later readers, and received to its end", async () => {
    for (const asksFirst of [true, false]) {
      const budget = new BodyBudget(1_000_000);
      const other = new RequestBody(900_000, budget);
      other.feed(Buffer.alloc(900_000));
      const body = new RequestBody(200_000, budget);
      const early = asksFirst ? outcomeOf(() => body.read(200_000)) : undefined;
      body.feed(Buffer.alloc(100_000));
      expect(await (early ?? outcomeOf(() => body.read(200_000)))).toBe(BodiesOverBudget.name);
      expect([budget.heldBytes, budget.rejected.budget]).toEqual([900_000, 1]);
      body.feed(Buffer.alloc(100_000));
      expect([body.isEnded, body.isBroken, budget.heldBytes]).toEqual([true, false, 900_000]);
    }
  });

  test("has a share reserved for small bodies", () => {
    const budget = new BodyBudget(1_600_000);
    new RequestBody(1_500_000, budget).feed(Buffer.alloc(1_500_000));
    new RequestBody(100_000, budget).feed(Buffer.alloc(100_000));
    expect([budget.heldBytes, budget.rejected.budget]).toEqual([1_500_000, 1]);
    const small = new RequestBody(50_000, budget);
    small.feed(Buffer.alloc(50_000));
    expect([(small.read(50_000) as Buffer).length, budget.heldBytes]).toEqual([50_000, 1_550_000]);
  });

  test("is not allocated beyond the announced length", async () => {
    const body = new RequestBody(300_000, new BodyBudget(1_000_000));
    const reading = body.read(300_000) as Promise<Buffer>;
    for (let part = 0; part < 3; part++) body.feed(Buffer.alloc(100_000));
    expect((await reading).buffer.byteLength).toBe(300_000);
  });
});

/** An upload of 200,000 bytes, half received. */
function upload(budget: BodyBudget, account: string): RequestBody {
  const body = new RequestBody(200_000, budget);
  body.countFor(account);
  body.feed(Buffer.alloc(100_000));
  return body;
}

describe("the unfinished uploads of one account", () => {
  test("take at most a quarter of the budget, and another account has its own share", async () => {
    const budget = new BodyBudget(1_000_000);
    const first = upload(budget, "a");
    upload(budget, "a");
    const third = new RequestBody(200_000, budget);
    third.countFor("a");
    const outcome = outcomeOf(() => third.read(200_000));
    third.feed(Buffer.alloc(100_000));
    expect(await outcome).toBe(UploadsOverShare.name);
    expect([budget.heldBytes, budget.rejected.account_share, budget.rejected.budget]).toEqual([200_000, 1, 0]);
    upload(budget, "b");
    expect(budget.heldBytes).toBe(300_000);
    first.drop();
    upload(budget, "a");
    expect([budget.heldBytes, budget.rejected.account_share]).toEqual([300_000, 1]);
  });

  test("include what was received before authentication, and nothing once they are complete", async () => {
    const budget = new BodyBudget(1_000_000);
    const early = (): RequestBody => {
      const body = new RequestBody(200_000, budget);
      body.feed(Buffer.alloc(150_000));
      body.countFor("a");
      return body;
    };
    const first = early();
    const second = early();
    expect(await outcomeOf(() => second.read(200_000))).toBe(UploadsOverShare.name);
    expect(budget.heldBytes).toBe(150_000);
    first.feed(Buffer.alloc(50_000));
    early();
    expect([budget.heldBytes, budget.rejected.account_share]).toEqual([350_000, 1]);
  });

  test("may be a single one that is larger than the share", async () => {
    const budget = new BodyBudget(1_000_000);
    const body = new RequestBody(400_000, budget);
    body.countFor("a");
    for (let part = 0; part < 4; part++) body.feed(Buffer.alloc(100_000));
    expect((await body.read(400_000)).length).toBe(400_000);
  });
});

test("a share of the memory for bodies is reserved for small bodies of the platform", async () => {
  const budget = new BodyBudget(1_600_000);
  new RequestBody(1_500_000, budget).feed(Buffer.alloc(1_500_000));
  new RequestBody(50_000, budget).feed(Buffer.alloc(50_000));
  const ofGateway = new RequestBody(10, budget);
  ofGateway.feed(Buffer.alloc(10));
  expect(await outcomeOf(() => ofGateway.read(10))).toBe(BodiesOverBudget.name);
  const ofPlatform = new RequestBody(50_000, budget.forPlatform());
  ofPlatform.feed(Buffer.alloc(50_000));
  expect([budget.heldBytes, budget.rejected.budget]).toEqual([1_600_000, 1]);
  ofPlatform.release();
  expect(budget.heldBytes).toBe(1_550_000);
});

describe("a chunked body", () => {
  test("is rejected as soon as it is too large, and received to its end", async () => {
    const body = new RequestBody("chunked", UNBOUNDED.bodies);
    const outcome = outcomeOf(() => body.read(4));
    body.feed(bytes("3\r\nabc\r\n"));
    body.feed(bytes("2\r\nde\r\n"));
    expect(await outcome).toBe(BodyTooLarge.name);
    expect([body.feed(bytes("0\r\n\r\nGET")), body.isEnded, body.isBroken]).toEqual([5, true, false]);
  });

  test("that is invalid fails for present and later readers, and consumes what follows", async () => {
    for (const asksFirst of [true, false]) {
      const body = new RequestBody("chunked", UNBOUNDED.bodies);
      const early = asksFirst ? outcomeOf(() => body.read(10)) : undefined;
      expect([body.feed(bytes("1\r\na\r\nx\r\nGET /")), body.isBroken]).toEqual([14, true]);
      expect(body.feed(bytes("0\r\n\r\n"))).toBe(5);
      expect(await (early ?? outcomeOf(() => body.read(10)))).toBe(BadChunks.name);
    }
  });

  test("with chunks of one byte takes no memory per chunk", async () => {
    const body = new RequestBody("chunked", UNBOUNDED.bodies);
    const read = body.read(100_000);
    const before = keptObjects();
    body.feed(bytes("1\r\nx\r\n".repeat(50_000)));
    expect(keptObjects() - before).toBeLessThan(1_000);
    body.feed(bytes("0\r\n\r\n"));
    expect((await read).length).toBe(50_000);
  });
});

function keptObjects(): number {
  Bun.gc(true);
  return heapStats().objectCount;
}

test("reading fails with CallerGone when the client disconnects, unless the body is complete", async () => {
  const cut = new RequestBody(3, UNBOUNDED.bodies);
  const outcome = outcomeOf(() => cut.read(3));
  cut.feed(bytes("ab"));
  cut.fail();
  expect(await outcome).toBe(CallerGone.name);
  expect(await outcomeOf(() => cut.read(3))).toBe(CallerGone.name);
  const whole = new RequestBody(3, UNBOUNDED.bodies);
  whole.feed(bytes("abc"));
  whole.fail();
  expect(await outcomeOf(() => whole.read(3))).toBe("abc");
});
