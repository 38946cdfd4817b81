/** The options that the systemd unit depends on. */
interface UnitOptions {
  /** The program that starts Tollgate. */
  readonly program: string;
  /** The user that it runs as. If there is none, systemd allocates a user for as long as the service runs. */
  readonly user: string | undefined;
}

/** The name of the service, of its folders, and of its settings in /etc. */
export const SERVICE = "tollgate";
export const SETTINGS_FILE = `/etc/${SERVICE}/${SERVICE}.env`;
export const CONFIG_FILE = `/etc/${SERVICE}/tollgate.yaml`;
export const DATA_FOLDER = `/var/lib/${SERVICE}`;

/** Removes privileges that the service does not need. */
const SANDBOX = `NoNewPrivileges=yes
LockPersonality=yes
PrivateDevices=yes
PrivateMounts=yes
PrivateTmp=yes
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
# Netlink is for name resolution.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM`;

/**
 * The systemd unit: https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html. It is written for systemd 247 (2020) and
 * later; older versions ignore options that they do not know.
 */
export function serviceUnit({ program, user }: UnitOptions): string {
  return `# Tollgate, a gateway for language models. Written by: tollgate service install
[Unit]
Description=Tollgate, a gateway for language models
Wants=network-online.target
After=network-online.target

[Service]
# It is started when both listeners accept connections, which recovery and migrations may delay.
Type=notify
ExecStart=${quoted(program)} start
# Reloads the TLS certificates and the config file. Both are reloaded when they change, too.
ExecReload=/bin/kill -HUP $MAINPID
TimeoutStartSec=10min
Restart=always
RestartSec=1
# With several processes, the owner process drains the others. They outlive it if it crashes, and the next one adopts them.
KillMode=process
# If the kernel kills a gateway process for lack of memory, the others continue.
OOMPolicy=continue

# TOLLGATE_ variables and provider credentials. systemd reads the file as root: chmod 600
EnvironmentFile=-${SETTINGS_FILE}
Environment=TOLLGATE_DATA=${DATA_FOLDER}
# The folder of ${CONFIG_FILE}, if there is one.
WorkingDirectory=/etc/${SERVICE}
ConfigurationDirectory=${SERVICE}
StateDirectory=${SERVICE}
StateDirectoryMode=0700
# For unix sockets: TOLLGATE_SOCKET=/run/${SERVICE}/gateway.sock
RuntimeDirectory=${SERVICE}
RuntimeDirectoryPreserve=restart
# Enough for 26,000 clients.
LimitNOFILE=65536

${user === undefined ? "DynamicUser=yes" : `User=${user}`}
UMask=0077
# To listen on port 443, with TLS and without a proxy.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
# Without MemoryDenyWriteExecute: JavaScript is compiled while it runs.
${SANDBOX}

[Install]
WantedBy=multi-user.target
`;
}

/** The program of a command, escaped for a unit, because `%` begins a specifier there. */
function quoted(path: string): string {
  const escaped = path.replaceAll("%", "%%");
  return /\s/.test(escaped) ? `"${escaped}"` : escaped;
}
