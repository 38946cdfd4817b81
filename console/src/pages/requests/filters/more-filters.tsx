import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { SelectField, TextField, type Choice, FigureField } from "../../../parts/inputs/field.tsx";
import { formFields } from "../../../parts/inputs/form.ts";
import { Picker } from "../../../parts/inputs/picker.tsx";
import { AccountPicker, KeyPicker, UpstreamPicker } from "../../../parts/inputs/resource-pickers.tsx";
import { useMe } from "../../../shell/me.ts";
import { ENDPOINTS } from "../../../parts/format/format.ts";
import { CODES } from "../error-codes.ts";
import { MIRROR_CHOICES } from "./format-filters.ts";
import { withChange, type FilterProps, type RequestSearch } from "./request-search.ts";
import { Button } from "../../../parts/button.tsx";

const STATUSES = ["2xx", "4xx", "5xx", "400", "401", "402", "403", "429", "499", "500", "502", "503", "504"];
const MIRRORS: readonly Choice[] = [{ value: "", label: "All requests" }, ...MIRROR_CHOICES];
const ENDPOINT_CHOICES: readonly Choice[] = [{ value: "", label: "All endpoints" }, ...ENDPOINTS];
const CODE_PICKS = CODES.map((code) => ({ value: code, label: code }));

export function MoreFilters({ search, onSearch }: FilterProps): ReactNode {
  const { isOperator } = useMe();
  const change = (what: Parameters<typeof withChange>[1]): void => onSearch(withChange(search, what));
  return (
    <div className="card grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
      {isOperator && (
        <AccountPicker
          isClearable
          placeholder="All accounts"
          value={search.account ?? null}
          onPick={(account) => change({ account, key: null, ...(account === null && { user: null, conversation: null }) })}
        />
      )}
      <KeyPicker
        isClearable
        placeholder="All keys"
        value={search.key ?? null}
        onPick={(key) => change({ key })}
        {...(search.account !== undefined && { account: search.account })}
      />
      {isOperator && (
        <UpstreamPicker
          isClearable
          placeholder="All upstreams"
          others={[{ value: "cache", label: "cache", note: "cache hits" }]}
          value={search.upstream ?? null}
          onPick={(upstream) => change({ upstream })}
        />
      )}
      <SelectField
        label="Status"
        choices={statusChoices(search.status)}
        value={search.status ?? ""}
        onChange={({ target }) => change({ status: target.value })}
      />
      <Picker
        label="Error code"
        isClearable
        placeholder="All error codes"
        picks={CODE_PICKS}
        value={search.code ?? null}
        onPick={(code) => change({ code })}
      />
      <SelectField
        label="Endpoint"
        choices={ENDPOINT_CHOICES}
        value={search.endpoint ?? ""}
        onChange={({ target }) => change({ endpoint: target.value })}
      />
      <NameFilter label="Tag" name="tag" placeholder="team:search" search={search} onName={(tag) => change({ tag })} />
      {(!isOperator || search.account !== undefined) && (
        <>
          <NameFilter label="End user" name="user" search={search} onName={(user) => change({ user })} />
          <NameFilter label="Conversation" name="conversation" search={search} onName={(conversation) => change({ conversation })} />
        </>
      )}
      {isOperator && (
        <SelectField
          label="Mirror"
          choices={MIRRORS}
          value={search.mirror ?? ""}
          onChange={({ target }) => change({ mirror: target.value })}
        />
      )}
      {isOperator && <NameFilter label="Error text" name="error" search={search} onName={(error) => change({ error })} />}
      <FindById />
      <AmountFilters search={search} onSearch={onSearch} />
    </div>
  );
}

function statusChoices(given: string | undefined): readonly Choice[] {
  const known = given === undefined || STATUSES.includes(given) ? STATUSES : [...STATUSES, given];
  return [{ value: "", label: "All statuses" }, ...known.map((value) => ({ value, label: value }))];
}

interface NameFilterProps extends Pick<FilterProps, "search"> {
  readonly label: string;
  readonly name: "user" | "tag" | "conversation" | "error";
  readonly placeholder?: string;
  readonly onName: (name: string) => void;
}

/** End users and conversations belong to an account, so these filters can be used only if an account is selected. */
function NameFilter({ label, name, placeholder, search, onName }: NameFilterProps): ReactNode {
  const given = search[name] ?? "";
  return (
    <form
      key={given}
      onSubmit={(event) => {
        event.preventDefault();
        onName(formFields(event.currentTarget, name)[name].trim());
      }}
    >
      <TextField
        label={label}
        name={name}
        defaultValue={given}
        hint="Press Enter to filter."
        {...(placeholder !== undefined && { placeholder })}
      />
    </form>
  );
}

/** Opens a request by its ID, independent of the filters. */
function FindById(): ReactNode {
  const navigate = useNavigate();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { id } = formFields(event.currentTarget, "id");
        if (id.trim() !== "") void navigate({ to: "/requests/$id", params: { id: id.trim() }, search: true });
      }}
    >
      <TextField label="Request ID" name="id" placeholder="req_…" hint="Press Enter to open the request." />
    </form>
  );
}

const AMOUNTS = [
  { name: "cost", label: "cost, $", pattern: /^\d{1,10}(\.\d{1,9})?$/, problem: "Enter dollars, such as 0.01." },
  { name: "duration_ms", label: "duration, ms", pattern: /^\d{1,15}$/, problem: "Enter whole milliseconds." },
  { name: "tokens", label: "tokens", pattern: /^\d{1,15}$/, problem: "Enter a whole number." },
  { name: "attempts", label: "attempts", pattern: /^\d{1,15}$/, problem: "Enter a whole number." },
] as const;

const BOUNDS = ["min", "max"] as const;
type BoundName = `${(typeof BOUNDS)[number]}_${(typeof AMOUNTS)[number]["name"]}`;
const NAMES: readonly BoundName[] = AMOUNTS.flatMap(({ name }) => BOUNDS.map((bound): BoundName => `${bound}_${name}`));

/** Filters by the smallest and largest cost, duration, tokens and attempts. */
function AmountFilters({ search, onSearch }: FilterProps): ReactNode {
  const [problems, setProblems] = useState<Partial<Record<BoundName, string>>>({});
  const apply = (form: HTMLFormElement): void => {
    const given = formFields(form, ...NAMES);
    const found = problemsOf(given);
    setProblems(found);
    if (Object.keys(found).length === 0) onSearch(withChange(search, given));
  };
  return (
    <form
      key={NAMES.map((name) => search[name]).join()}
      className="col-span-full flex flex-wrap items-end gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {AMOUNTS.map(({ name, label }) => (
        <div key={name} className="flex min-w-0 flex-1 basis-56 gap-2">
          {BOUNDS.map((bound) => (
            <FigureField
              key={bound}
              label={`${bound === "min" ? "Min." : "Max."} ${label}`}
              name={`${bound}_${name}`}
              defaultValue={search[`${bound}_${name}` satisfies keyof RequestSearch] ?? ""}
              error={problems[`${bound}_${name}`]}
              className="flex-1"
            />
          ))}
        </div>
      ))}
      <Button type="submit">Apply</Button>
    </form>
  );
}

function problemsOf(given: Readonly<Record<BoundName, string>>): Partial<Record<BoundName, string>> {
  const problems: Partial<Record<BoundName, string>> = {};
  for (const { name, pattern, problem } of AMOUNTS) {
    const [least, most] = BOUNDS.map((bound) => given[`${bound}_${name}`].trim()) as [string, string];
    if (least !== "" && !pattern.test(least)) problems[`min_${name}`] = problem;
    if (most !== "" && !pattern.test(most)) problems[`max_${name}`] = problem;
    else if (least !== "" && most !== "" && Number(least) > Number(most)) problems[`max_${name}`] = "Must not be less than the minimum.";
  }
  return problems;
}
