import { expect, test } from "bun:test";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { LogForwarder, receiveLog } from "./log-forwarder.ts";

test("a process writes to its pipe, and after the end of its owner to the log of the next one", async () => {
  const [piped, received]: [string[], string[]] = [[], []];
  let isPipeOpen = true;
  const pipe = (text: string): Promise<boolean> => Promise.resolve(isPipeOpen && piped.push(text) > 0);
  const links = new LinkedServices(receiveLog(() => Promise.resolve(true)));
  const { output } = await links.start("1", (owner) => new LogForwarder(owner, pipe));
  expect(await output("one\n")).toBe(true);

  isPipeOpen = false;
  links.loseOwner();
  const waiting = output("two\n");
  await links.replaceOwner(receiveLog((text) => Promise.resolve(received.push(text) > 0)));
  expect(await waiting).toBe(true);
  isPipeOpen = true;
  expect(await output("three\n")).toBe(true);
  expect([piped, received]).toEqual([["one\n"], ["two\n", "three\n"]]);
});

test("text is lost where the owner cannot write it, or is lost with it", async () => {
  const stalled = Promise.withResolvers<boolean>();
  const outputs = [(): Promise<boolean> => Promise.resolve(false), (): Promise<boolean> => stalled.promise];
  const links = new LinkedServices(receiveLog(() => outputs.shift()!()));
  const { output } = await links.start("1", (owner) => new LogForwarder(owner, () => Promise.resolve(false)));
  expect(await output("one\n")).toBe(false);
  const lost = output("two\n");
  await links.start("2", (owner) => new LogForwarder(owner, () => Promise.resolve(true)));
  links.loseOwner();
  expect(await lost).toBe(false);
});
