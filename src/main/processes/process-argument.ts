/** The first argument of a gateway process, instead of the name of a command. */
export const GATEWAY_PROCESS = "gateway-process";
