import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { WINDOW_LIMITS } from "../../../../src/money/limits.ts";
import { call } from "../../platform/call.ts";
import { EditableRows, RemoveRow, type EditedRow } from "../../parts/inputs/editable-rows.tsx";
import { FigureField, TextField } from "../../parts/inputs/field.tsx";
import { HeaderFields } from "../../parts/inputs/header-fields.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { UpstreamPicker } from "../../parts/inputs/resource-pickers.tsx";
import { emptyRoute, type RouteDraft } from "./model-draft.ts";

interface RouteFieldsProps {
  readonly routes: readonly RouteDraft[];
  readonly onChange: (routes: readonly RouteDraft[]) => void;
  readonly error: Error | null;
}

/** The routes of a model in its form. */
export function RouteFields({ routes, onChange, error }: RouteFieldsProps): ReactNode {
  return (
    <EditableRows title="Routes" rows={routes} onChange={onChange} addLabel="Add route" emptyRow={emptyRoute}>
      {(edited) => <OneRoute {...edited} error={error} isOnly={routes.length === 1} />}
    </EditableRows>
  );
}

interface OneRouteProps extends EditedRow<RouteDraft> {
  readonly error: Error | null;
  readonly isOnly: boolean;
}

function OneRoute({ row: route, number, error, isOnly, onChange, onRemove }: OneRouteProps): ReactNode {
  const at = `routes[${number - 1}]`;
  return (
    <div
      role="group"
      aria-label={`Route ${number}`}
      className="grid grid-cols-2 gap-3 rounded-md border border-line p-3 sm:grid-cols-[1fr_1fr_5rem_5rem_2rem]"
    >
      <UpstreamPicker
        value={route.upstream}
        onPick={(upstream) => onChange({ ...route, upstream })}
        error={refusalAt(error, `${at}.upstream`)}
        className="max-sm:col-span-2"
      />
      <UpstreamModelField route={route} onChange={onChange} error={refusalAt(error, `${at}.model`)} />
      <FigureField
        label="Priority"
        value={route.priority}
        placeholder="1"
        onChange={({ target }) => onChange({ ...route, priority: target.value })}
        error={refusalAt(error, `${at}.priority`)}
      />
      <FigureField
        label="Weight"
        value={route.weight}
        placeholder="1"
        onChange={({ target }) => onChange({ ...route, weight: target.value })}
        error={refusalAt(error, `${at}.weight`)}
      />
      {!isOnly && <RemoveRow what={`route ${number}`} onRemove={onRemove} className="max-sm:col-span-2 sm:mt-6" />}
      <FigureField
        label="Input cost, $/M"
        value={route.inputCost}
        placeholder="List price"
        onChange={({ target }) => onChange({ ...route, inputCost: target.value })}
        error={refusalAt(error, `${at}.cost.input_per_million`)}
        className="sm:col-start-1"
      />
      <FigureField
        label="Output cost, $/M"
        value={route.outputCost}
        placeholder="List price"
        onChange={({ target }) => onChange({ ...route, outputCost: target.value })}
        error={refusalAt(error, `${at}.cost.output_per_million`)}
      />
      <RequestFields route={route} at={at} error={error} onChange={onChange} />
    </div>
  );
}

interface RouteFieldProps {
  readonly route: RouteDraft;
  readonly onChange: (route: RouteDraft) => void;
}

/** Price cap, rate limits, default parameters and request headers. */
function RequestFields({ route, at, error, onChange }: RouteFieldProps & { readonly at: string; readonly error: Error | null }): ReactNode {
  return (
    <>
      <FigureField
        label="Input price cap, $/M"
        value={route.maxInputPrice}
        placeholder="No cap"
        onChange={({ target }) => onChange({ ...route, maxInputPrice: target.value })}
        error={refusalAt(error, `${at}.max_price.input_per_million`)}
        className="sm:col-start-1"
      />
      <FigureField
        label="Output price cap, $/M"
        value={route.maxOutputPrice}
        placeholder="No cap"
        onChange={({ target }) => onChange({ ...route, maxOutputPrice: target.value })}
        error={refusalAt(error, `${at}.max_price.output_per_million`)}
      />
      <p className="col-span-full text-sm text-ink-3">
        A price cap leaves the route out while the provider&apos;s list price is above it, or unknown.
      </p>
      {WINDOW_LIMITS.map(({ name, label }, index) => (
        <FigureField
          key={name}
          label={label}
          value={route.limits[name]}
          placeholder="No limit"
          onChange={({ target }) => onChange({ ...route, limits: { ...route.limits, [name]: target.value } })}
          error={refusalAt(error, `${at}.limits.${name}`)}
          className={index === 0 ? "sm:col-start-1" : undefined}
        />
      ))}
      <TextField
        label="Default parameters"
        value={route.defaults}
        placeholder='{"temperature": 0.2}'
        onChange={({ target }) => onChange({ ...route, defaults: target.value })}
        error={refusalAt(error, `${at}.defaults`)}
        className="col-span-2 sm:col-span-5"
      />
      <HeaderFields
        headers={route.headers}
        onChange={(headers) => onChange({ ...route, headers })}
        hint="Values are encrypted and not shown again. They are removed when the upstream or its model changes."
        error={refusalAt(error, `${at}.headers`)}
      />
    </>
  );
}

/** The model's ID at the upstream. On focus, the upstream's model list is fetched for completion, which costs nothing. */
function UpstreamModelField({ route, onChange, error }: RouteFieldProps & { readonly error: string | undefined }): ReactNode {
  const list = useId();
  const [isFocused, setFocused] = useState(false);
  const { upstream } = route;
  const { data, isFetching } = useQuery({
    queryKey: ["testUpstream", upstream, "names"],
    queryFn: ({ signal }) => call("testUpstream", { path: { id: upstream! } }, signal),
    enabled: isFocused && upstream !== null,
    staleTime: Infinity,
  });
  return (
    <>
      <TextField
        label="Upstream model"
        value={route.model}
        onChange={({ target }) => onChange({ ...route, model: target.value })}
        onFocus={() => setFocused(true)}
        required
        list={list}
        hint={hintOf(upstream, isFetching, data)}
        error={error}
        className="max-sm:col-span-2"
      />
      <datalist id={list}>
        {data?.names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function hintOf(upstream: string | null, isFetching: boolean, test: { readonly models: number | null } | undefined): string | undefined {
  if (upstream === null) return undefined;
  if (isFetching) return "Loading models …";
  if (!test) return undefined;
  return test.models === null ? "No model list available." : `${test.models} models listed.`;
}
