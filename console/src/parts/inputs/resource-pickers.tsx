import { useState, type ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Picker, type Pick } from "./picker.tsx";

interface ResourcePickerProps {
  readonly label?: string;
  readonly isLabelHidden?: boolean;
  readonly placeholder?: string;
  readonly value: string | null;
  readonly onPick: (value: string | null) => void;
  readonly isClearable?: boolean;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly className?: string;
}

const MAX_OPTIONS = 50;

/** Searches on the server and loads only the first matches: there may be 100,000. */
function queryFor(search: string): { limit: number; search?: string } {
  return { limit: MAX_OPTIONS, ...(search !== "" && { search }) };
}

interface ModelPickerProps extends ResourcePickerProps {
  readonly state?: Model["state"];
  readonly kind?: Model["kind"];
  /** Only models that this key may call. */
  readonly callableWith?: string;
}

export function ModelPicker({ label = "Model", state, kind, callableWith, ...rest }: ModelPickerProps): ReactNode {
  const [search, setSearch] = useState("");
  const query = {
    ...queryFor(search),
    ...(state && { state }),
    ...(kind && { kind }),
    ...(callableWith !== undefined && { key: callableWith }),
  };
  const { data } = useApiQuery("listModels", { query }, { keepsPrevious: true });
  const picks = (data?.data ?? []).map((model) => ({
    value: model.id,
    label: model.id,
    ...(model.state !== "available" && { note: model.state }),
  }));
  return <Picker label={label} picks={picks} onSearch={setSearch} {...rest} />;
}

export function AccountPicker({ label = "Account", ...rest }: ResourcePickerProps): ReactNode {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery("listAccounts", { query: queryFor(search) }, { keepsPrevious: true });
  const picks = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: id, ...(name !== id && { note: name }) }));
  return <Picker label={label} picks={picks} onSearch={setSearch} {...rest} />;
}

interface KeyPickerProps extends ResourcePickerProps {
  readonly account?: string;
  readonly state?: "active";
}

export function KeyPicker({ label = "Key", account, state, ...rest }: KeyPickerProps): ReactNode {
  const [search, setSearch] = useState("");
  const query = { ...queryFor(search), ...(account && { account }), ...(state && { state }) };
  const { data } = useApiQuery("listKeys", { query }, { keepsPrevious: true });
  const keys = data?.data ?? [];
  // The selected key may not be among the first results. In this case it is fetched for its name.
  const isOutsideResults = data !== undefined && rest.value !== null && !keys.some(({ id }) => id === rest.value);
  const { data: selected } = useApiQuery("showKey", { path: { id: rest.value ?? "" } }, { enabled: isOutsideResults });
  const shown = isOutsideResults && selected && search === "" ? [selected, ...keys] : keys;
  const picks = shown.map(({ id, name, active }) => ({ value: id, label: name, note: active ? id : "inactive" }));
  return <Picker label={label} picks={picks} onSearch={setSearch} {...rest} />;
}

interface UpstreamPickerProps extends ResourcePickerProps {
  /** Further options that are not upstreams. */
  readonly others?: readonly Pick[];
}

export function UpstreamPicker({ label = "Upstream", others = [], ...rest }: UpstreamPickerProps): ReactNode {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery("listUpstreams", { query: queryFor(search) }, { keepsPrevious: true });
  const picks = (data?.data ?? []).map(({ id, preset, dialect }) => ({ value: id, label: id, note: preset ?? dialect }));
  return <Picker label={label} picks={[...picks, ...others]} onSearch={setSearch} {...rest} />;
}
