/** The first argument of a gateway process, in place of the name of a command. */
export const GATEWAY_PROCESS = "gateway-process";
