import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type ReactNode, useDeferredValue } from "react";
import { type PaletteItem, type PaletteGroup, docsItem, matching, requestItem } from "./palette-items.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { toast } from "../parts/overlays/toasts.tsx";
import { THEMES } from "../theme.ts";
import { useMe } from "./me.ts";
import { navigationFor } from "./navigation.ts";
import { useSignOut } from "./use-sign-out.ts";
import { setTheme } from "./use-theme.ts";

interface PaletteProps {
  readonly id: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** The command palette: finds pages, resources and actions by typing. */
export function Palette({ id, text, onText, onClose }: PaletteProps): ReactNode {
  const groups = usePaletteItems(text);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          id={id}
          aria-label="Go to"
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg bg-raised shadow-over"
        >
          <Autocomplete.Root
            items={groups}
            filter={null}
            value={text}
            onValueChange={(typed, { reason }) => reason !== "item-press" && onText(typed)}
            open
            inline
            autoHighlight="always"
            itemToStringValue={(goal: PaletteItem) => goal.label}
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search size={16} className="shrink-0 text-ink-3" aria-hidden />
              <Autocomplete.Input
                aria-label="Go to"
                placeholder="Search pages, models, keys, a request ID …"
                className="h-12 w-full bg-transparent text-lg outline-none"
              />
            </div>
            <Autocomplete.Empty>
              {groups.length === 0 && <p className="px-4 py-6 text-center text-ink-3">No matches.</p>}
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-[min(26rem,60vh)] overflow-y-auto p-1.5 empty:p-0">
              {(group: PaletteGroup) => <PaletteItems key={group.value} group={group} onClose={onClose} />}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteItems({ group, onClose }: { readonly group: PaletteGroup; readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const go = (goal: PaletteItem): void => {
    onClose();
    if ("act" in goal.go) goal.go.act();
    else void navigate(goal.go.link);
  };
  return (
    <Autocomplete.Group items={group.items} className="mb-1 last:mb-0">
      <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-xs font-medium text-ink-3">{group.value}</Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(goal: PaletteItem) => (
          <Autocomplete.Item
            key={goal.id}
            value={goal}
            onClick={() => go(goal)}
            className="flex h-9 cursor-default items-center gap-4 rounded-md px-3 outline-none data-highlighted:bg-selected"
          >
            <span className="truncate">{goal.label}</span>
            {goal.note && <span className="ml-auto max-w-48 shrink-0 truncate text-sm text-ink-3">{goal.note}</span>}
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  );
}

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
