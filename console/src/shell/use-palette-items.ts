import { useDeferredValue } from "react";
import { useLook } from "../platform/use-platform.ts";
import { toast } from "../parts/toasts.tsx";
import { THEMES } from "../theme.ts";
import { matching, requestGoal, type Goal, type GoalGroup } from "./palette-items.ts";
import { useMe } from "./me.ts";
import { placesFor } from "./navigation.ts";
import { useSignOut } from "./use-sign-out.ts";
import { setTheme } from "./use-theme.ts";

const SHORTEST_SEARCH = 2;
const OF_EACH = 5;

/** What can be gone to with these words. */
export function useGoals(text: string): GoalGroup[] {
  const pages = usePages();
  const deeds = useDeeds();
  const things = useThings(useDeferredValue(text.trim()));
  return [...requestGoal(text), ...matching([pages, deeds], text), ...things];
}

function usePages(): GoalGroup {
  const { isOperator } = useMe();
  const places = placesFor(isOperator).flatMap((group) => group.places);
  const first: Goal = { id: "/start", label: "First steps", go: { link: { to: "/start" } } };
  return { value: "Pages", items: [...places.map(({ label, to }) => ({ id: to, label, go: { link: { to } } })), first] };
}

function useDeeds(): GoalGroup {
  const signOut = useSignOut();
  const themes = THEMES.map((theme): Goal => {
    const act = (): void => {
      setTheme(theme);
      toast(`The theme is ${theme} now.`);
    };
    return { id: `theme ${theme}`, label: `Switch to the ${theme} theme`, go: { act } };
  });
  return { value: "Do", items: [...themes, { id: "sign-out", label: "Sign out", go: { act: signOut.mutate } }] };
}

/** What the platform finds by these words: a few of each kind. */
function useThings(search: string): GoalGroup[] {
  const { isOperator } = useMe();
  const enabled = search.length >= SHORTEST_SEARCH;
  const query = { search, limit: OF_EACH };
  const options = { enabled, keepsPrevious: true };
  const models = useLook("listModels", { query }, options);
  const keys = useLook("listKeys", { query }, options);
  const accounts = useLook("listAccounts", { query }, options);
  const people = useLook("listPeople", { query }, { ...options, enabled: enabled && isOperator });
  if (!enabled) return [];
  const groups: GoalGroup[] = [
    { value: "Models", items: (models.data?.data ?? []).map(({ id, state }) => goalOf("/models/$id", id, id, state)) },
    { value: "Keys", items: (keys.data?.data ?? []).map(({ id, name, account }) => goalOf("/keys/$id", id, name, account)) },
    { value: "Accounts", items: (accounts.data?.data ?? []).map(({ id, name }) => goalOf("/accounts/$id", id, name, id)) },
    { value: "People", items: (people.data?.data ?? []).map(({ id, name, email }) => goalOf("/people/$id", id, name, email)) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

type ThingPage = "/models/$id" | "/keys/$id" | "/accounts/$id" | "/people/$id";

function goalOf(to: ThingPage, id: string, label: string, note: string): Goal {
  return { id: `${to} ${id}`, label, note, go: { link: { to, params: { id } } } };
}
