import { Link, useBlocker } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { CheckField } from "../../parts/field.tsx";
import { moment } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import type { NewKey as Made } from "../../platform/interface.ts";
import { NewKey } from "./new-key.tsx";

/** Shows a key that was made or rotated. Until it was copied, or whoever made it says that it is kept, nothing closes this. */
export function NewKeyDialog({ made, onClose }: { readonly made: Made; readonly onClose: () => void }): ReactNode {
  const [isKept, setKept] = useState(false);
  useBlocker({ shouldBlockFn: () => !isKept, enableBeforeUnload: () => !isKept });
  const { id, name, key, previous_key_works_until: previousUntil } = made;
  return (
    <Dialog open onClose={onClose} title={`The key “${name}”`} canClose={isKept} wide>
      <DialogBody>
        <NewKey id={id} text={key!} onCopied={() => setKept(true)} />
        {previousUntil !== null && <Notice>The key as it was works on until {moment(previousUntil)}.</Notice>}
      </DialogBody>
      <DialogFooter>
        <CheckField label="I have kept it" className="mr-auto" checked={isKept} onChange={({ target }) => setKept(target.checked)} />
        {/* In a tab of its own: the key is still here then. */}
        <Link to="/playground" search={{ key: id }} target="_blank" className={buttonClass()}>
          Try it in the playground
        </Link>
        <Button weight="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
