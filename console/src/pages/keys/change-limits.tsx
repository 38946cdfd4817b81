import type { ReactNode } from "react";
import type { Key, UpdateKeyRequest } from "../../../../platform-client/types.ts";
import { RATE_LIMITS, SPEND_CAPS } from "../../../../src/money/limits.ts";
import { FigureField } from "../../parts/inputs/field.tsx";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";
import { call } from "../../platform/call.ts";

/** Typed instead of a number, to remove a limit or a cap. */
const NONE = "none";

/** Changes rate limits and spend caps of several keys. An empty field changes nothing. */
export const CHANGE_LIMITS: BulkAction<Key> = {
  label: "Change limits",
  phrase: "Change limits of",
  done: "changed",
  about: (
    <>Applies from the next request of each key, without a preview. Leave a field empty to keep the values; type “{NONE}” to remove them.</>
  ),
  weight: "primary",
  fields: <Fields />,
  problemOf: (typed) => (Object.keys(readChanges(typed)).length === 0 ? "Fill in at least one field." : undefined),
  run: ({ id }, typed) => call("updateKey", { path: { id }, body: readChanges(typed) }),
};

function Fields(): ReactNode {
  return (
    <>
      <fieldset>
        <legend className="mb-2 font-medium">Rate limits</legend>
        <div className="grid gap-3 sm:grid-cols-3">
          {RATE_LIMITS.map(({ name, label }) => (
            <FigureField
              key={name}
              name={`limits.${name}`}
              label={label}
              pattern={`\\d{1,10}|${NONE}`}
              title={`A whole number, such as 60, or ${NONE}`}
              placeholder="Keep"
            />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend className="mb-2 font-medium">Spend caps (USD)</legend>
        <div className="grid gap-3 sm:grid-cols-3">
          {SPEND_CAPS.map(({ name, label }) => (
            <FigureField
              key={name}
              name={`caps.${name}`}
              label={label}
              pattern={`\\d{1,9}(\\.\\d{1,9})?|${NONE}`}
              title={`Dollars, such as 12.50, or ${NONE}`}
              placeholder="Keep"
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

/** Only the filled-in fields: an update leaves fields that it does not name unchanged. */
function readChanges(typed: FormData): Pick<UpdateKeyRequest, "limits" | "caps"> {
  const limits = filledIn(typed, "limits", RATE_LIMITS, Number);
  const caps = filledIn(typed, "caps", SPEND_CAPS, String);
  return { ...(limits && { limits }), ...(caps && { caps }) };
}

/** The filled-in fields by name; undefined if all are empty. */
function filledIn<Value>(
  typed: FormData,
  group: string,
  fields: readonly { readonly name: string }[],
  parse: (text: string) => Value,
): Record<string, Value | null> | undefined {
  const filled = fields.flatMap(({ name }) => {
    const given = typed.get(`${group}.${name}`);
    const text = typeof given === "string" ? given.trim() : "";
    return text === "" ? [] : [[name, text === NONE ? null : parse(text)] as const];
  });
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}
