{{- define "tollgate.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{/* The pods of a role: "root" is the chart's context, "values" those of the role, "port" the one that is probed. */}}
{{- define "tollgate.pod" -}}
metadata:
  labels:
    {{- include "tollgate.labels" . | nindent 4 }}
spec:
  # Services would become variables of the pods.
  enableServiceLinks: false
  automountServiceAccountToken: false
  # preStop + TOLLGATE_DRAIN_SECONDS + 15
  terminationGracePeriodSeconds: {{ add .values.preStopSeconds .values.drainSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "tollgate.selector" . | nindent 10 }}
  containers:
    - name: tollgate
      image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [start]
      env:
        {{- range tuple "TOLLGATE_DATABASE_URL" "TOLLGATE_SECRET" "TOLLGATE_HASH_SECRET" "TOLLGATE_OPERATOR_TOKEN" }}
        - name: {{ . }}
          valueFrom: { secretKeyRef: { name: {{ required "existingSecret: name a Secret with the database and the secrets" $.root.Values.existingSecret }}, key: {{ . }} } }
        {{- end }}
        - { name: TOLLGATE_ROLE, value: {{ .role }} }
        - { name: TOLLGATE_HOST, value: 0.0.0.0 }
        - { name: TOLLGATE_PLATFORM_HOST, value: 0.0.0.0 }
        - { name: TOLLGATE_DATA, value: /var/lib/tollgate/data }
        - { name: TOLLGATE_DRAIN_SECONDS, value: {{ .values.drainSeconds | quote }} }
        - { name: TOLLGATE_DURABILITY, value: {{ .values.durability }} }
        {{- if eq .role "platform" }}
        - { name: TOLLGATE_PLATFORM_URL, value: {{ required "platform.url: the public address of the console" .root.Values.platform.url | quote }} }
        {{- with .root.Values.gateway.url }}
        - { name: TOLLGATE_GATEWAY_URL, value: {{ . | quote }} }
        {{- end }}
        {{- end }}
        {{- with .root.Values.trustedProxies }}
        - { name: TOLLGATE_TRUSTED_PROXIES, value: {{ . | quote }} }
        {{- end }}
        {{- if .root.Values.config }}
        - { name: TOLLGATE_CONFIG, value: /etc/tollgate/tollgate.yaml }
        {{- end }}
        {{- range $name, $value := .root.Values.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      {{- with .root.Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- if eq .role "gateway" }}
        - { name: gateway, containerPort: 8700 }
        {{- end }}
        - { name: platform, containerPort: 8701 }
      # No listener is open before the journal of an earlier pod is applied.
      startupProbe: { httpGet: { path: /healthz, port: {{ .port }} }, periodSeconds: 2, failureThreshold: 60 }
      livenessProbe: { httpGet: { path: /healthz, port: {{ .port }} }, periodSeconds: 10, failureThreshold: 3 }
      readinessProbe: { httpGet: { path: /readyz, port: {{ .port }} }, periodSeconds: 2, failureThreshold: 2 }
      {{- with .values.preStopSeconds }}
      lifecycle:
        # New connections are refused from SIGTERM on: first let the endpoint be removed everywhere.
        preStop: { sleep: { seconds: {{ . }} } }
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /var/lib/tollgate }
        - { name: tmp, mountPath: /tmp }
        {{- if .root.Values.config }}
        - { name: config, mountPath: /etc/tollgate, readOnly: true }
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if not .hasVolume }}
    - { name: data, emptyDir: {} }
    {{- end }}
    {{- if .root.Values.config }}
    - { name: config, configMap: { name: {{ include "tollgate.name" .root }} } }
    {{- end }}
{{- end }}
