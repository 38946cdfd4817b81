import { getRouteApi } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Input, Select } from "../../parts/inputs/field.tsx";
import { Picker } from "../../parts/inputs/picker.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";
import { dayOf, startOfDay } from "./days.ts";
import { ACTIONS, describeAction } from "./describe-action.ts";

const route = getRouteApi("/signed-in/audit");

const KINDS = [
  "account",
  "key",
  "model",
  "upstream",
  "price_list",
  "endpoint",
  "person",
  "session",
  "access_token",
  "saved_view",
  "config",
  "webhook",
  "alert",
  "request",
  "instance",
];
const KIND_CHOICES = [{ value: "", label: "All resource types" }, ...KINDS.map((value) => ({ value, label: value.replaceAll("_", " ") }))];

/** The actions of the selected resource type. */
function actionChoices(kind: string | undefined): { value: string; label: string }[] {
  const fitting = ACTIONS.filter((each) => kind === undefined || each.kind === kind);
  return [{ value: "", label: "All actions" }, ...fitting.map(({ action }) => ({ value: action, label: describeAction(action) }))];
}

/** The filters of the audit log, stored in the URL. */
export function Filters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (changed: typeof search): void => void navigate({ search: { ...search, ...changed }, replace: true });
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <Select
        aria-label="Resource type"
        className="sm:w-44"
        choices={KIND_CHOICES}
        value={search.kind ?? ""}
        onChange={({ target }) => set({ kind: target.value, action: "" })}
      />
      <Select
        aria-label="Action"
        className="sm:w-52"
        choices={actionChoices(search.kind)}
        value={search.action ?? ""}
        onChange={({ target }) => set({ action: target.value })}
      />
      <ActorPicker value={search.actor ?? null} onPick={(actor) => set({ actor: actor ?? "" })} />
      <AccountPicker
        isLabelHidden
        isClearable
        placeholder="All accounts"
        className="sm:w-44"
        value={search.account ?? null}
        onPick={(account) => set({ account: account ?? "" })}
      />
      <div className="max-sm:col-span-2">
        <SearchBox label="Resource ID" value={search.id ?? ""} onSearch={(id) => set({ id })} />
      </div>
      <DayField label="From" value={search.from} onDay={(from) => set({ from })} />
      <DayField label="Before" value={search.to} onDay={(to) => set({ to })} />
      {Object.keys(search).length > 0 && (
        <Button weight="quiet" className="justify-self-start" onClick={() => void navigate({ search: {} })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onDay: (start: string) => void;
}

function DayField({ label, value, onDay }: DayFieldProps): ReactNode {
  return (
    <label className="flex min-w-0 items-center gap-2 text-sm text-ink-2">
      {label}
      <Input
        type="date"
        className="min-w-0 flex-1 sm:w-36"
        value={dayOf(value)}
        onChange={({ target }) => onDay(startOfDay(target.value))}
      />
    </label>
  );
}

/** Actors that are not people. */
const SYSTEM_ACTORS = [
  { value: "operator-token", label: "operator token" },
  { value: "config-file", label: "config file" },
  { value: "tollgate", label: "Tollgate" },
];

function ActorPicker({ value, onPick }: { readonly value: string | null; readonly onPick: (value: string | null) => void }): ReactNode {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery("listPeople", { query: { limit: 50, search } }, { keepsPrevious: true });
  const people = (data?.data ?? []).map(({ id, name, email }) => ({ value: id, label: name, note: email }));
  const systemActors = SYSTEM_ACTORS.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
  return (
    <Picker
      label="Actor"
      isLabelHidden
      isClearable
      placeholder="All actors"
      className="sm:w-44"
      picks={[...people, ...systemActors]}
      onSearch={setSearch}
      value={value}
      onPick={onPick}
    />
  );
}
