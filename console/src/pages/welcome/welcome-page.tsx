import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError, call } from "../../platform/call.ts";
import type { AcceptInvitationRequest, InvitedAs } from "../../../../platform-client/types.ts";
import { queryClient } from "../../platform/query-client.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { Failed } from "../../parts/states.tsx";
import { SignedOutPage } from "../../shell/signed-out-page.tsx";

/** The target of invitation links. The token is in the URL fragment, which browsers do not send to servers. */
export function WelcomePage(): ReactNode {
  const token = location.hash.slice(1);
  const {
    data: invited,
    error,
    refetch,
  } = useQuery({
    queryKey: ["showInvitation", token],
    queryFn: () => call("showInvitation", { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isRejected(error)) return <InvalidLink />;
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  return invited ? <Accept token={token} invited={invited} /> : null;
}

/** Whether the link itself was rejected, and not because the platform is unreachable or rate-limits. */
function isRejected(error: Error | null): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

const FIELDS = ["email", "name", "password"] as const;

function Accept({ token, invited }: { readonly token: string; readonly invited: InvitedAs }): ReactNode {
  // A plain mutation, which refetches nothing: the link can be used only once, and would be shown as invalid afterwards.
  const accept = useMutation({ mutationFn: (body: AcceptInvitationRequest) => call("acceptInvitation", { body }) });
  const navigate = useNavigate();
  const isFirst = invited.email === null;
  const role = invited.role === "operator" ? "an operator" : "a member";
  const formError = refusalBeside(accept.error, FIELDS);
  return (
    <SignedOutPage title="Welcome">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const { email, name, password } = formFields(form, ...FIELDS);
          const enter = (): void => {
            queryClient.clear();
            void navigate({ to: isFirst ? "/start" : "/", replace: true });
          };
          accept.mutate(
            { token, name, password, ...(isFirst && { email }) },
            { onSuccess: enter, onError: (error) => focusOn(form, error) },
          );
        }}
      >
        <p className="text-ink-2">
          {isFirst
            ? "You'll be this gateway's first operator: you manage the whole gateway and can invite others."
            : `Choose a password to sign in as ${role}.`}
        </p>
        <AcceptFields invited={invited} error={accept.error} />
        {formError && <Notice tone="bad">{formError}</Notice>}
        <Button type="submit" weight="primary" busy={accept.isPending}>
          Continue
        </Button>
      </form>
    </SignedOutPage>
  );
}

function AcceptFields({ invited, error }: { readonly invited: InvitedAs; readonly error: Error | null }): ReactNode {
  return (
    <>
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        readOnly={invited.email !== null}
        defaultValue={invited.email ?? ""}
        error={refusalAt(error, "email")}
      />
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        maxLength={100}
        required
        defaultValue={invited.name ?? ""}
        error={refusalAt(error, "name")}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={12}
        maxLength={200}
        required
        hint="At least 12 characters. A few words are easier to remember than symbols."
        error={refusalAt(error, "password")}
      />
    </>
  );
}

/** Focuses the field with the error. */
function focusOn(form: HTMLFormElement, error: Error): void {
  const field = error instanceof ApiError && error.param !== null ? form.elements.namedItem(error.param) : null;
  if (field instanceof HTMLInputElement) field.focus();
}

function InvalidLink(): ReactNode {
  return (
    <SignedOutPage title="This link is not valid">
      <p className="text-ink-2">It was already used, replaced by a newer one, or has expired. Ask an operator for a new one.</p>
      <p className="mt-2 text-sm text-ink-3">For the first sign-in, restart Tollgate: it prints a new link.</p>
      {/* Not a router link, so that the URL fragment is dropped. */}
      <a className={`${buttonClass()} mt-4`} href="./">
        Go to sign-in
      </a>
    </SignedOutPage>
  );
}
