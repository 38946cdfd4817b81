import type { ReactNode } from "react";
import { SelectField } from "../../parts/inputs/field.tsx";
import { useApiQuery } from "../../platform/use-api.ts";

const NONE = { value: "", label: "None: base prices" };

/** The price list of an account. */
export function PriceListField({ current, error }: { readonly current: string | null; readonly error: string | undefined }): ReactNode {
  const { data } = useApiQuery("listPriceLists", { query: { limit: 1000 } });
  const lists = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = current === null || lists.some(({ value }) => value === current);
  const choices = [NONE, ...lists, ...(isKnown ? [] : [{ value: current, label: current }])];
  return (
    // Rendered again when the lists have loaded: a select cannot start with an option that it does not have yet.
    <SelectField
      key={String(data !== undefined)}
      label="Price list"
      name="price_list"
      choices={choices}
      defaultValue={current ?? ""}
      error={error}
    />
  );
}

export function readPriceList(form: HTMLFormElement): { readonly price_list: string | null } {
  const chosen = new FormData(form).get("price_list") as string;
  return { price_list: chosen === "" ? null : chosen };
}
