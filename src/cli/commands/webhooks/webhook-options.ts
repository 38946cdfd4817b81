import { ALERT_KINDS } from "../../../alerts/alert.ts";
import { clearable, list, text, yesOrNo } from "../../options.ts";

/** What a webhook is made with and can be changed to. */
export const WEBHOOK_OPTIONS = {
  name: text("name", "what it is called"),
  url: text("url", "where alerts are sent to: https://, or http:// to this machine", "URL"),
  "allow-private": yesOrNo("allow_private", "whether it may be on this machine or a private network"),
  alerts: clearable(list("alerts", `the kinds that it is sent, of ${ALERT_KINDS.join(", ")}; none for all of them`)),
  paused: yesOrNo("paused", "whether nothing is sent for now"),
};
