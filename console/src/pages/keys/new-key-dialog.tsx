import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { NewKey } from "../../platform/interface.ts";
import { buttonClass } from "../../parts/button.tsx";
import { moment } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { SecretDialog } from "../../parts/secret-dialog.tsx";
import { KeySnippets } from "./key-snippets.tsx";

/** Shows a key that was made or rotated, with all that is needed to use it. */
export function NewKeyDialog({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }): ReactNode {
  const { id, name, key, previous_key_works_until: previousUntil } = made;
  // In a tab of its own: the key is still here then.
  const trying = (
    <Link to="/playground" search={{ key: id }} target="_blank" className={buttonClass()}>
      Try it in the playground
    </Link>
  );
  return (
    <SecretDialog
      title={`The key “${name}”`}
      noun="key"
      secret={key ?? null}
      remedy="Rotate it to get another."
      onClose={onClose}
      actions={trying}
    >
      {(onCopied) => (
        <>
          <KeySnippets id={id} text={key!} onCopied={onCopied} />
          {previousUntil !== null && <Notice>The key as it was works on until {moment(previousUntil)}.</Notice>}
        </>
      )}
    </SecretDialog>
  );
}
