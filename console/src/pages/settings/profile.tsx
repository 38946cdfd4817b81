import type { ReactNode } from "react";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useMe } from "../../shell/me.ts";

export function Profile(): ReactNode {
  const { person, role, account } = useMe();
  if (!person) return <Notice>You use the operator token, which has no profile.</Notice>;
  return (
    <>
      <Section title="Profile">
        <div className="flex flex-col gap-4">
          <Facts
            facts={[
              ["Email", person.email],
              ["Role", account === null ? role : `${role} of ${account}`],
              ["Sign-in methods", [person.has_password && "password", person.has_identity && "SSO"].filter(Boolean).join(", ")],
            ]}
          />
          <NameForm name={person.name} />
        </div>
      </Section>
      {person.has_password && <PasswordForm email={person.email} />}
    </>
  );
}

function NameForm({ name }: { readonly name: string }): ReactNode {
  const update = useApiMutation("updateMe");
  return (
    <form
      className="flex max-w-md items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ body: formFields(event.currentTarget, "name") }, { onSuccess: () => toast("Name saved.") });
      }}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        defaultValue={name}
        error={refusalAt(update.error, "name") ?? update.error?.message}
        className="flex-1"
      />
      <Button type="submit" busy={update.isPending}>
        Save
      </Button>
    </form>
  );
}

function PasswordForm({ email }: { readonly email: string }): ReactNode {
  const change = useApiMutation("changePassword");
  const formError = refusalBeside(change.error, ["current", "new"]);
  return (
    <Section title="Password" about="Changing your password ends all of your other sessions.">
      <form
        className="flex max-w-md flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const changed = (): void => {
            form.reset();
            toast("Password changed.");
          };
          change.mutate({ body: formFields(form, "current", "new") }, { onSuccess: changed });
        }}
      >
        {/* The user name for password managers. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          error={refusalAt(change.error, "current")}
        />
        <TextField
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={200}
          required
          hint="At least 12 characters."
          error={refusalAt(change.error, "new")}
        />
        {formError && <Notice tone="bad">{formError}</Notice>}
        <Button type="submit" busy={change.isPending} className="self-start">
          Change password
        </Button>
      </form>
    </Section>
  );
}
