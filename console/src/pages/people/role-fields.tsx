import type { ReactNode } from "react";
import type { InvitePersonRequest } from "../../../../platform-client/types.ts";
import { SelectField } from "../../parts/inputs/field.tsx";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";

export interface RoleChoice {
  readonly role: "operator" | "member";
  readonly account: string | null;
}

/** The API fields: operators have no account. */
export function roleIn({ role, account }: RoleChoice): Pick<InvitePersonRequest, "role" | "account"> {
  return role === "member" ? { role, account: account ?? "" } : { role };
}

const ROLES = [
  { value: "member", label: "Member: manages one account" },
  { value: "operator", label: "Operator: manages the whole gateway" },
];

/** The role, and for a member the account. */
export function RoleFields({
  choice,
  onChoose,
  error,
}: {
  readonly choice: RoleChoice;
  readonly onChoose: (choice: RoleChoice) => void;
  readonly error: string | undefined;
}): ReactNode {
  return (
    <>
      <SelectField
        label="Role"
        choices={ROLES}
        value={choice.role}
        onChange={({ target }) => onChoose({ ...choice, role: target.value as RoleChoice["role"] })}
      />
      {choice.role === "member" && (
        <AccountPicker
          value={choice.account}
          onPick={(account) => onChoose({ ...choice, account })}
          placeholder="Choose an account"
          error={error}
        />
      )}
    </>
  );
}
