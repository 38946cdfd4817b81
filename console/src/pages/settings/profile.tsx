import type { ReactNode } from "react";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import { useMe } from "../../shell/me.ts";

export function Profile(): ReactNode {
  const { person, role, account } = useMe();
  if (!person) return <Notice>Nobody is signed in: the operator token is used.</Notice>;
  return (
    <>
      <Section title="You">
        <div className="flex flex-col gap-4">
          <Facts
            facts={[
              ["Email", person.email],
              ["Role", account === null ? role : `${role} of ${account}`],
              ["Signs in with", [person.has_password && "password", person.has_identity && "OpenID"].filter(Boolean).join(", ")],
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
  const update = useChange("updateMe");
  return (
    <form
      className="flex max-w-md items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ body: formFields(event.currentTarget, "name") }, { onSuccess: () => toast("The name was changed.") });
      }}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        defaultValue={name}
        error={update.error?.message}
        className="flex-1"
      />
      <Button type="submit" busy={update.isPending}>
        Change
      </Button>
    </form>
  );
}

function PasswordForm({ email }: { readonly email: string }): ReactNode {
  const change = useChange("changePassword");
  const wrong = refusalBeside(change.error, ["current", "new"]);
  return (
    <Section title="Password" about="A new password ends every other session of yours.">
      <form
        className="flex max-w-md flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const changed = (): void => {
            form.reset();
            toast("The password was changed.");
          };
          change.mutate({ body: formFields(form, "current", "new") }, { onSuccess: changed });
        }}
      >
        {/* For the browser's keeper of passwords, which wants to know whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <TextField
          label="Password so far"
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
        {wrong && <Notice tone="bad">{wrong}</Notice>}
        <Button type="submit" busy={change.isPending} className="self-start">
          Change the password
        </Button>
      </form>
    </Section>
  );
}
