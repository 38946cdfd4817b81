import { expect, test } from "bun:test";
import { textOf } from "../../../test/support/http/reply-text.ts";
import { runOperation, type Call } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { showDocuments } from "./pages.ts";

/** The server URLs in a document that is served by an installation with these addresses. */
async function serversIn(path: string, addresses: Pick<Platform, "gatewayUrl" | "publicUrl">): Promise<string[]> {
  const catalog = { endpoints: () => new Set() };
  const document = showDocuments({ ...addresses, catalog } as unknown as Platform).find((each) => each.path === path)!;
  const { servers } = JSON.parse(await textOf(await runOperation(document, {} as Call))) as { servers: { url: string }[] };
  return servers.map(({ url }) => url);
}

test("a served document names the public URL of its listener, with its path", async () => {
  const addresses = { gatewayUrl: "https://models.example.com/llm", publicUrl: () => "https://ops.example.com/$&/tollgate" };
  expect(await serversIn("/docs/gateway.json", addresses)).toEqual(["https://models.example.com/llm/v1"]);
  expect(await serversIn("/docs/platform.json", addresses)).toEqual(["https://ops.example.com/$&/tollgate"]);
});
