import { expect, test } from "bun:test";
import { endedRequest } from "../../../test/request-log/ended-requests.ts";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import type { SpendLimit } from "../../money/headroom.ts";
import { Refusals } from "./refusals.ts";
import { receiveRefusals, reportRefusals } from "./shared-refusals.ts";

function refuse(refusals: Refusals, scope: SpendLimit["scope"], what: SpendLimit["what"], leftNanos: bigint): void {
  refusals.note(endedRequest({ status: 402, notes: { shortfall: { scope, what, leftNanos } } }));
}

test("the owner's rules see what was refused in all processes, once", async () => {
  const all = new Refusals();
  const service = receiveRefusals(all);
  const links = new LinkedServices(service);
  const [one, other] = [new Refusals(), new Refusals()];
  await links.start("1", (owner) => reportRefusals(one, owner));
  await links.start("2", (owner) => reportRefusals(other, owner));
  refuse(one, "account", "credit", 5n);
  refuse(other, "account", "day", 12_345_678_901_234_567_890n);
  refuse(other, "key", "month", 0n);
  await service.collect();
  expect(all.take()).toEqual([
    {
      scope: "account",
      id: "acme",
      refused: new Map([
        ["credit", 5n],
        ["day", 12_345_678_901_234_567_890n],
      ]),
    },
    { scope: "key", id: "1t8M70XpfTe0", refused: new Map([["month", 0n]]) },
  ]);
  await service.collect();
  expect(all.take()).toEqual([]);
});

test("what is refused while the owner is away is reported to the next one", async () => {
  const links = new LinkedServices(receiveRefusals(new Refusals()));
  const refusals = new Refusals();
  const reporter = await links.start("1", (owner) => reportRefusals(refusals, owner));
  links.loseOwner();
  refuse(refusals, "account", "credit", 5n);
  await reporter.report();
  const all = new Refusals();
  await links.replaceOwner(receiveRefusals(all));
  await links.idle();
  expect(all.take()).toMatchObject([{ scope: "account", id: "acme" }]);
});
