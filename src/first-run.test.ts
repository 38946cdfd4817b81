import { expect, test } from "bun:test";
import { BUILT_IN } from "./config/environment.ts";
import { withDiscovered } from "./first-run.ts";
import type { Discovery } from "./upstreams/discover-models.ts";
import { plainModel } from "./vocabulary/catalog.ts";
import { remoteAt } from "./vocabulary/declared-upstream.ts";
import { Secret } from "./vocabulary/secret.ts";

function discovery(id: string, hasAnswered: boolean, credential?: Secret): Discovery {
  const place = { baseUrl: `https://${id}.example/v1`, allowPrivate: false };
  const upstream = remoteAt(id, undefined, place, credential ? [credential] : []);
  return { upstream, hasAnswered, models: [], problem: "it lists no models" };
}

test("what does not answer is no upstream, unless its key is there or a model is served by it", () => {
  const own = plainModel("own", { upstream: "started-later", upstreamModel: "any" });
  const discoveries = [
    discovery("silent", false),
    discovery("without-models", true),
    discovery("started-later", false),
    discovery("provider-that-is-down", false, new Secret("credential")),
  ];
  const { upstreams } = withDiscovered(BUILT_IN, discoveries, new Map([[own.id, own]]));
  expect(upstreams.map(({ id }) => id)).toEqual(["echo", "without-models", "started-later", "provider-that-is-down"]);
});
