import { afterAll, describe, expect, test } from "bun:test";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, IMAGE_MESSAGE, startMockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { goTo, openBrowser, visitAs } from "./open-console.ts";

const TOKENS = { prompt_tokens: 400_000, completion_tokens: 50_000, total_tokens: 450_000 };
const COST = "{ input_per_million: 0.9, output_per_million: 1.5 }";

const browser = await openBrowser();
const upstream = startMockUpstream({ x: () => Response.json(completion({}, { usage: TOKENS })) });
const gateway = await startGateway({
  yaml: `upstreams: [{ id: mock, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, credential: canary }]
models:
  - { id: costed, routes: [{ upstream: mock, model: x, cost: ${COST} }], price: ${TEST_PRICE} }
  - { id: uncosted, routes: [{ upstream: mock, model: x }], price: ${TEST_PRICE} }
`,
});
await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
const { key } = await gateway.makeKey(["*"], { account: "acme" });
await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "100", reference: "r", reason: "test" });

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
  await upstream.stop();
});

async function ask(model: string): Promise<void> {
  // An image may have this many tokens. Otherwise the counts would be implausible.
  expect((await postChat(gateway, key, chatBody(model, { messages: [IMAGE_MESSAGE] }))).status).toBe(200);
}

describe.skipIf(!browser)("in a browser", () => {
  test("creates a price list, gives it to an account after a preview, changes it after another, and shows the margin", async () => {
    const { page, complaints } = await visitAs(browser!, gateway, null);
    await goTo(page, "/margin");
    await page.getByText("No charged requests in this range").waitFor();
    for (const model of ["costed", "uncosted"]) await ask(model);

    await page.getByRole("link", { name: "Price lists" }).click();
    await page.getByText("No price lists yet").waitFor();
    await page.getByRole("button", { name: "Create price list" }).click();
    const form = page.getByRole("dialog", { name: "Create price list" });
    await form.getByLabel("ID").fill("partners");
    await form.getByLabel("Name").fill("Our <partners>");
    await form.getByLabel("Percent", { exact: true }).fill("1001");
    await form.getByRole("button", { name: "Create price list" }).click();
    await form.getByRole("alert").waitFor();
    await form.getByLabel("Percent", { exact: true }).fill("50");
    await form.getByRole("button", { name: "Add price" }).click();
    const price = form.getByRole("group", { name: "Price 1" });
    await price.getByRole("combobox", { name: "Model" }).fill("uncosted");
    await page.getByRole("option", { name: "uncosted" }).click();
    await price.getByLabel("Input, $/M", { exact: true }).fill("0.5");
    await price.getByLabel("Output, $/M").fill("1");
    await form.getByRole("button", { name: "Create price list" }).click();
    await page.waitForURL("**/price-lists/partners");
    await page.getByRole("row", { name: /uncosted\s+initial\s+\$0.50/ }).waitFor();
    await page.getByText("50% of the base price").waitFor();

    await goTo(page, "/accounts/acme");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const account = page.getByRole("dialog", { name: "Edit account “Acme”" });
    await account.getByLabel("Price list").selectOption("partners");
    await account.getByRole("button", { name: "Save" }).click();
    // 400,000 tokens at $1 and 50,000 at $2 per million: $0.50 for each of two requests, and half of that with the price list.
    await account.getByText("Charged: $1.00. With this change: $0.50 ($0.50 less).").waitFor();
    await account.getByRole("button", { name: "Save change" }).click();
    await account.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "partners" }).waitFor();
    await ask("costed");

    await goTo(page, "/price-lists/partners");
    await page.getByText("1 account", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const edit = page.getByRole("dialog", { name: "Edit price list “Our <partners>”" });
    await edit.getByLabel("Percent", { exact: true }).fill("60");
    await edit.getByRole("button", { name: "Preview impact" }).click();
    await edit.getByText("With this change: $1.10").waitFor();
    await edit.getByRole("button", { name: "Save" }).click();
    await edit.waitFor({ state: "detached" });
    await page.getByText("60% of the base price").waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    const removal = page.getByRole("dialog", { name: /^Remove the price list/ });
    await removal.getByRole("button", { name: "Remove price list" }).click();
    await removal.getByRole("alert").getByText("is assigned to acme").waitFor();
    await removal.getByRole("button", { name: "Cancel" }).click();

    await goTo(page, "/margin");
    // Sold for $0.50 and $0.25, at a cost of $0.435 each; the cost of the other request is unknown.
    const row = page.getByRole("table", { name: "Margin" }).getByRole("row", { name: /^acme/ });
    expect((await row.innerText()).replaceAll(/\s+/g, " ")).toBe("acme 3 1 $0.75 $0.87 −$0.12 −16.0%");
    await page.getByLabel("Group").selectOption("model");
    await page.getByRole("row", { name: /^uncosted\s+1\s+1\s+\$0.00\s+unknown\s+unknown/ }).waitFor();
    await page.getByLabel("Group").selectOption("day");
    await page.waitForURL("**/margin?by=day");
    await page.getByRole("columnheader", { name: "Day" }).waitFor();
    expect(complaints).toEqual([]);

    const german = await visitAs(browser!, gateway, null, { locale: "de-DE" });
    await goTo(german.page, "/margin");
    const same = german.page.getByRole("table", { name: "Margin" }).getByRole("row", { name: /^acme/ });
    expect((await same.innerText()).replaceAll(/\s+/g, " ")).toBe("acme 3 1 0,75 $ 0,87 $ −0,12 $ −16,0%");
    await german.page.context().close();
  });
});
