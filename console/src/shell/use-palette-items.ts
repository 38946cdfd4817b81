import { useDeferredValue } from "react";
import { useApiQuery } from "../platform/use-api.ts";
import { toast } from "../parts/overlays/toasts.tsx";
import { THEMES } from "../theme.ts";
import { docsItem, matching, requestItem, type PaletteItem, type PaletteGroup } from "./palette-items.ts";
import { useMe } from "./me.ts";
import { navigationFor } from "./navigation.ts";
import { useSignOut } from "./use-sign-out.ts";
import { setTheme } from "./use-theme.ts";

const MIN_SEARCH_LENGTH = 2;
const RESULTS_PER_KIND = 5;

/** The palette's items for a search text. */
export function usePaletteItems(text: string): PaletteGroup[] {
  const pages = usePages();
  const actions = useActions();
  const results = useSearchResults(useDeferredValue(text.trim()));
  return [...requestItem(text), ...matching([pages, actions], text), ...results, ...docsItem(text)];
}

function usePages(): PaletteGroup {
  const { isOperator } = useMe();
  const pages = navigationFor(isOperator).flatMap((group) => group.items);
  const first: PaletteItem = { id: "/start", label: "Get started", go: { link: { to: "/start" } } };
  return { value: "Pages", items: [...pages.map(({ label, to }) => ({ id: to, label, go: { link: { to } } })), first] };
}

function useActions(): PaletteGroup {
  const signOut = useSignOut();
  const themes = THEMES.map((theme): PaletteItem => {
    const act = (): void => {
      setTheme(theme);
      toast(`Theme set to ${theme}.`);
    };
    return { id: `theme ${theme}`, label: `Switch to ${theme} theme`, go: { act } };
  });
  return { value: "Actions", items: [...themes, { id: "sign-out", label: "Sign out", go: { act: signOut.mutate } }] };
}

/** Search results of the platform, a few of each kind. */
function useSearchResults(search: string): PaletteGroup[] {
  const { isOperator } = useMe();
  const enabled = search.length >= MIN_SEARCH_LENGTH;
  const query = { search, limit: RESULTS_PER_KIND };
  const options = { enabled, keepsPrevious: true };
  const models = useApiQuery("listModels", { query }, options);
  const keys = useApiQuery("listKeys", { query }, options);
  const accounts = useApiQuery("listAccounts", { query }, options);
  const people = useApiQuery("listPeople", { query }, { ...options, enabled: enabled && isOperator });
  if (!enabled) return [];
  const groups: PaletteGroup[] = [
    { value: "Models", items: (models.data?.data ?? []).map(({ id, state }) => resultItem("/models/$id", id, id, state)) },
    { value: "Keys", items: (keys.data?.data ?? []).map(({ id, name, account }) => resultItem("/keys/$id", id, name, account)) },
    { value: "Accounts", items: (accounts.data?.data ?? []).map(({ id, name }) => resultItem("/accounts/$id", id, name, id)) },
    { value: "People", items: (people.data?.data ?? []).map(({ id, name, email }) => resultItem("/people/$id", id, name, email)) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

type ResourcePage = "/models/$id" | "/keys/$id" | "/accounts/$id" | "/people/$id";

function resultItem(to: ResourcePage, id: string, label: string, note: string): PaletteItem {
  return { id: `${to} ${id}`, label, note, go: { link: { to, params: { id } } } };
}
