import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { openTemporaryStores } from "../../../test/support/replicated-stores.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import { declare, foreign, upstream } from "../catalog/catalog-examples.contract.ts";
import type { CatalogStore } from "../catalog/catalog-store.ts";
import { DeclarationService } from "./declaration-service.ts";
import { OwnerDeclarations, type OwnerDeclarationOptions } from "./owner-declarations.ts";

/** The catalogs of the owner and of a gateway process, each on a separate database. */
let owner: CatalogStore;
let own: CatalogStore;
let links: LinkedServices;
let failures: unknown[];
let cleanUps: (() => Promise<void>)[];

beforeEach(async () => {
  const opened = await Promise.all([openTemporaryStores(), openTemporaryStores()]);
  [owner, own] = opened.map(({ stores }) => stores.catalog) as [CatalogStore, CatalogStore];
  cleanUps = opened.map(({ cleanUp }) => cleanUp);
  failures = [];
  links = new LinkedServices(new DeclarationService(owner));
});
afterEach(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

const reportFailure = (thrown: unknown): void => void failures.push(thrown);

function follow(declareOwn: CatalogStore["declare"] = (origin, make) => own.declare(origin, make)): Promise<OwnerDeclarations> {
  const catalog: OwnerDeclarationOptions["catalog"] = { declared: (origin) => own.declared(origin), declare: declareOwn };
  return links.start("p1", () => new OwnerDeclarations({ catalog, reportFailure, retryMs: 1 }));
}

test("the environment of the owner is declared before a process is ready, with prices and credentials, and its file is at hand", async () => {
  await declare(owner, "environment", {
    ...foreign("environment", ["a"]),
    upstreams: [upstream("environment-upstream", undefined, "sk-secret")],
  });
  await declare(owner, "file", foreign("file", ["b"]));
  const followed = await follow();
  await followed.ready;
  expect([...own.snapshot().keys()]).toEqual(["a"]);
  expect(own.declared("environment")).toEqual(owner.declared("environment"));
  expect(own.originOfModel("a")).toBe("environment");
  expect(followed.file).toMatchObject(foreign("file", ["b"]));
});

test("what did not change under the next owner stays the same object", async () => {
  await declare(owner, "environment", foreign("environment", ["a"]));
  await (
    await follow()
  ).ready;
  const before = [own.snapshot(), own.upstreams(), own.snapshot().get("a")] as const;
  await links.replaceOwner(new DeclarationService(owner));
  await links.idle();
  expect([own.snapshot() === before[0], own.upstreams() === before[1]]).toEqual([true, true]);
  await declare(owner, "environment", { ...foreign("environment", ["a", "b"]), upstreams: owner.declared("environment").upstreams });
  await links.replaceOwner(new DeclarationService(owner));
  await eventually(
    () => own.snapshot().size,
    (size) => size === 2,
  );
  expect(own.snapshot().get("a")).toBe(before[2]);
  expect(own.upstreams().get("environment-upstream")).toBe(before[1].get("environment-upstream"));
});

test("a declaration that the database cannot take is tried again", async () => {
  let attempts = 0;
  await declare(owner, "environment", foreign("environment", ["a"]));
  const followed = await follow((origin, make) => {
    attempts += 1;
    if (attempts <= 3) return Promise.reject(new StorageUnavailable("unreachable", { cause: undefined }));
    return own.declare(origin, make);
  });
  await followed.ready;
  expect([own.snapshot().has("a"), failures]).toEqual([true, []]);
});

test("a declaration that is refused is reported, and the process is not ready", async () => {
  await declare(owner, "environment", foreign("environment", ["a"]));
  const refused = new Error("refused");
  const followed = await follow(() => Promise.reject(refused));
  expect(await Promise.allSettled([followed.ready])).toEqual([{ status: "rejected", reason: refused }]);
  expect(failures).toEqual([refused]);
});
