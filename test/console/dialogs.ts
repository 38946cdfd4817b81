import type { Page } from "playwright-core";
import type { SeededGateway } from "./seeded-gateway.ts";

interface ConsoleDialog {
  /** The purpose of the dialog. */
  readonly name: string;
  readonly at: (seeded: SeededGateway) => string;
  /** Opens the dialog. */
  readonly by: (page: Page) => Promise<void>;
  readonly role?: "menu";
}

/** Clicks the first button with each of these names, in order. */
const pressing =
  (...names: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.getByRole("button", { name }).first().click();
  };

const choosing =
  (menu: string, item: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: menu }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

/** One dialog of each kind, and the most used ones. */
export const DIALOGS: readonly ConsoleDialog[] = [
  { name: "go anywhere", at: () => "/keys", by: (page) => page.keyboard.press("Control+k") },
  { name: "do more with a webhook", at: ({ webhookId }) => `/alerts/${webhookId}`, by: pressing("More actions for on call"), role: "menu" },
  { name: "create a key", at: () => "/keys", by: pressing("Create key") },
  { name: "edit a key", at: ({ keyId }) => `/keys/${keyId}`, by: pressing("Edit") },
  { name: "rotate a key", at: ({ keyId }) => `/keys/${keyId}`, by: pressing("Rotate") },
  { name: "revoke a key", at: ({ keyId }) => `/keys/${keyId}`, by: pressing("Revoke") },
  { name: "create a model", at: () => "/models", by: pressing("Create model") },
  { name: "deprecate a model", at: () => "/models/spare", by: pressing("Deprecate") },
  { name: "retire a model", at: () => "/models/old", by: pressing("Retire") },
  { name: "edit a price list", at: () => "/price-lists/partners", by: pressing("Edit") },
  { name: "create an upstream", at: () => "/upstreams", by: pressing("Create upstream") },
  { name: "create an account", at: () => "/accounts", by: pressing("Create account") },
  { name: "edit the low-credit alert", at: ({ account }) => `/accounts/${account}`, by: pressing("Edit low-credit alert") },
  { name: "edit spend caps", at: ({ keyId }) => `/keys/${keyId}`, by: pressing("Edit caps") },
  {
    name: "change limits of keys",
    at: () => "/keys",
    async by(page) {
      await page.getByLabel("Select all loaded rows").check();
      await pressing("Change limits")(page);
    },
  },
  { name: "export or erase an end user", at: ({ account }) => `/accounts/${account}`, by: pressing("End-user data") },
  { name: "grant credit", at: () => "/accounts/initech", by: pressing("Grant credit") },
  { name: "invite a person", at: () => "/people", by: pressing("Invite person") },
  {
    name: "disable a person",
    at: ({ personId }) => `/people/${personId}`,
    by: choosing("More actions for Ada Lovelace", "Disable"),
  },
  { name: "create a webhook", at: () => "/alerts", by: pressing("Add destination") },
  { name: "create an access token", at: () => "/settings/tokens", by: pressing("Create access token") },
  { name: "export in the background", at: () => "/requests", by: choosing("Export", "In the background…") },
  { name: "save a view", at: () => "/requests", by: choosing("Views", "Save this view…") },
  { name: "get code", at: () => "/playground?model=plain", by: pressing("Get code") },
  { name: "open a run of the history", at: () => "/playground?model=plain", by: pressing("History") },
  { name: "use a saved prompt", at: () => "/playground?model=plain", by: pressing("Saved prompts") },
];
