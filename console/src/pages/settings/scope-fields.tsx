import type { ReactNode } from "react";
import { CheckField } from "../../parts/inputs/field.tsx";
import { useMe } from "../../shell/me.ts";
import { SCOPE_LABELS, type Scope } from "./scope-labels.ts";

export function ScopeFields({
  scopes,
  onScopes,
}: {
  readonly scopes: readonly Scope[];
  readonly onScopes: (scopes: readonly Scope[]) => void;
}): ReactNode {
  const { isOperator } = useMe();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Scopes</legend>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {SCOPE_LABELS.filter(({ isForOperators }) => isOperator || !isForOperators).map(({ scope, label }) => (
          <CheckField
            key={scope}
            label={label}
            title={scope}
            checked={scopes.includes(scope)}
            onChange={({ target }) => onScopes(target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))}
          />
        ))}
      </div>
    </fieldset>
  );
}
