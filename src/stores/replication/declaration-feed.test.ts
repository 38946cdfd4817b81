import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { openTemporaryStores } from "../../../test/support/replicated-stores.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import {
  announce,
  CHANGE,
  declare,
  declaredModel,
  foreign,
  putModel,
  putUpstream,
  upstream,
} from "../catalog/catalog-examples.contract.ts";
import type { CatalogStore } from "../catalog/catalog-store.ts";
import { DeclarationFeed } from "./declaration-feed.ts";
import { FollowedDeclarations, type FollowOptions } from "./followed-declarations.ts";

/** The catalogs of the owner and of a gateway process, each on a database of its own. */
let owner: CatalogStore;
let follower: CatalogStore;
let links: LinkedServices;
let failures: unknown[];
let cleanUps: (() => Promise<void>)[];

beforeEach(async () => {
  const opened = await Promise.all([openTemporaryStores(), openTemporaryStores()]);
  [owner, follower] = opened.map(({ stores }) => stores.catalog) as [CatalogStore, CatalogStore];
  cleanUps = opened.map(({ cleanUp }) => cleanUp);
  failures = [];
  links = new LinkedServices(new DeclarationFeed(owner));
});
afterEach(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

const reportFailure = (thrown: unknown): void => void failures.push(thrown);

async function follow(catalog: FollowOptions["catalog"] = follower): Promise<FollowedDeclarations> {
  return links.start("p1", () => new FollowedDeclarations({ catalog, reportFailure, retryMs: 1 }));
}

function modelsOf(catalog: CatalogStore): string[] {
  return [...catalog.snapshot().keys()].toSorted();
}

async function untilModels(...ids: string[]): Promise<void> {
  await eventually(
    () => modelsOf(follower),
    (seen) => Bun.deepEquals(seen, ids),
  );
}

test("what the owner has declared is in force before a process is ready, with prices and credentials", async () => {
  await declare(owner, "file", { ...foreign("file", ["a"]), upstreams: [upstream("file-upstream", undefined, "sk-secret")] });
  await declare(owner, "environment", foreign("environment", ["b"]));
  await (
    await follow()
  ).ready;
  expect(follower.snapshot()).toEqual(owner.snapshot());
  expect(follower.upstreams()).toEqual(owner.upstreams());
  expect([follower.originOfModel("a"), follower.originOfModel("b"), failures]).toEqual(["file", "environment", []]);
});

test("a change of the file follows, and one of an operator does not: it is in the database", async () => {
  await (
    await follow()
  ).ready;
  await declare(owner, "file", foreign("file", ["a", "b"]));
  await untilModels("a", "b");
  await putUpstream(owner, upstream("u"), CHANGE);
  await putModel(owner, declaredModel("c"), announce("c"), CHANGE);
  await declare(owner, "file", foreign("file", ["b"]));
  await untilModels("b");
  expect(modelsOf(owner)).toEqual(["b", "c"]);
});

test("what did not change stays the same object, also under the next owner", async () => {
  await declare(owner, "file", foreign("file", ["a"]));
  await (
    await follow()
  ).ready;
  const before = [follower.snapshot(), follower.upstreams(), follower.snapshot().get("a")] as const;
  await links.replaceOwner(new DeclarationFeed(owner));
  await links.idle();
  expect([follower.snapshot() === before[0], follower.upstreams() === before[1]]).toEqual([true, true]);
  await declare(owner, "file", { ...foreign("file", ["a", "b"]), upstreams: owner.declared("file").upstreams });
  await untilModels("a", "b");
  expect(follower.snapshot().get("a")).toBe(before[2]);
  expect(follower.upstreams().get("file-upstream")).toBe(before[1].get("file-upstream"));
});

test("a declaration that the database cannot take is tried again, and the last one is in force", async () => {
  let attempts = 0;
  const declareLater: CatalogStore["declare"] = (origin, make) => {
    attempts += 1;
    if (attempts <= 3) return Promise.reject(new StorageUnavailable("unreachable", { cause: undefined }));
    return follower.declare(origin, make);
  };
  await declare(owner, "file", foreign("file", ["a"]));
  const following = await follow({ declared: (origin) => follower.declared(origin), declare: declareLater });
  await declare(owner, "file", foreign("file", ["b"]));
  await following.ready;
  await untilModels("b");
  expect(failures).toEqual([]);
});

test("a declaration that is refused is reported, and the process is not ready", async () => {
  await declare(owner, "file", foreign("file", ["a"]));
  const refused = new Error("refused");
  const following = await follow({ declared: (origin) => follower.declared(origin), declare: () => Promise.reject(refused) });
  expect(await Promise.allSettled([following.ready])).toEqual([{ status: "rejected", reason: refused }]);
  expect(failures).toEqual([refused]);
});
